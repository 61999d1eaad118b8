"""Explanations and hints as pictures: the known values, where to look, and the conclusions."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from milp_pips.extras.explain.explain import Explanation
from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.groups import ConstraintGroup, GroupedProblem
from milp_pips.extras.explain.hint import Hint
from milp_pips.extras.explain.text import Words
from milp_pips.extras.explain.text.phrases import Phrases
from milp_pips.puzzles.registry import family_of
from milp_pips.render.vocabulary import Drawing, Grid, Mark, Square, fill_in
from milp_pips.views.svg import drawing

if TYPE_CHECKING:
    from milp_pips.puzzles.puzzle import Puzzle

MAX_CANDIDATES_DRAWN, MAX_EXCLUDED_DRAWN = 2, 3
"""The most values that fit into a square: values that the cell can still take, and excluded values."""


def mark(
    puzzle: Puzzle,
    grouped: GroupedProblem,
    known: Iterable[Fact] = (),
    items: Iterable[ConstraintGroup] = (),
    facts: Iterable[Fact] = (),
    conclusions: Iterable[Fact] = (),
    said: Iterable[str] = (),
) -> Drawing:
    """Return the picture of a puzzle with known values filled in and a step or a clash marked.

    Parameters
    ----------
    puzzle, grouped
        The puzzle, and its problem as a set of items.
    known
        The facts known before the step: values are written into their squares, dominoes lie on the board.
    items
        The rules, givens and moves whose cells are marked.
    facts
        Known facts that the step needs; their cells are marked like those of the items.
    conclusions
        The new facts, highlighted: values, and values that a cell cannot take.
    said
        Sentences beside the picture; the cells that they name are marked as well.
    """
    drawing = family_of(puzzle).draw(puzzle, None)
    marker = _Marker(drawing, grouped, [*known, *facts], list(conclusions), list(items), list(facts))
    marker.mark_named(" ".join(said))
    return marker.drawing()


@drawing.register(Explanation)
def _(found: Explanation) -> Drawing:
    """Return the board with one reason marked or, if there is none, with all conclusions filled in."""
    if found.reasons:
        return mark(found.puzzle, found.grouped, items=found.reasons[0].items)
    return mark(found.puzzle, found.grouped, [fact for step in found.trace for fact in step.conclusions])


def draw_reason(found: Explanation, number: int) -> Drawing:
    """Return the board with one reason marked."""
    return mark(found.puzzle, found.grouped, items=found.reasons[number].items)


@drawing.register(Hint)
def _(hint: Hint) -> Drawing:
    """Return the board with the shown parts of the step marked on it, and all cells that these name."""
    words = Words(hint.puzzle, hint.grouped, hint.known)
    if hint.reason is not None:
        said = [words.clash(hint.reason)]
        return mark(hint.puzzle, hint.grouped, hint.known, hint.reason.items, said=said)
    if hint.step is None:
        return mark(hint.puzzle, hint.grouped, hint.known)
    facts = hint.step.facts if "why" in hint.degrees else ()
    conclusions = hint.step.conclusions if "move" in hint.degrees else ()
    said = [getattr(words, degree)(hint.step) for degree in hint.degrees]
    return mark(hint.puzzle, hint.grouped, hint.known, hint.step.items, facts, conclusions, said)


_CELL = re.compile(r"\b(r\d+c\d+|(row|column)s? \d+)\b", re.IGNORECASE)
_REGIONS = re.compile(r"\bregions? ([^\s,.;:()]+(?:(?:, | and | or )[^\s,.;:()]+)*)", re.IGNORECASE)


def show_names(drawing: Drawing, grouped: GroupedProblem, said: Iterable[str]) -> Drawing:
    """Return the drawing with what sentences name: letters of regions, and numbers of rows and columns.

    The letter of a region comes before its sign, in the square that has the sign. Rows and columns are
    numbered if a cell, a row or a column is named. Only boards of squares get names.
    """
    board, text = drawing.board, " ".join(said)
    if not isinstance(board, Grid):
        return drawing
    named = {name for found in _REGIONS.findall(text) for name in re.split(", | and | or ", found)}
    squares = dict(board.squares)
    for item in grouped.items:
        head, _, name = item.label.partition(":")[0].partition(" ")
        at: Any = drawing.places
        places = sorted(at[v] for v in item.piece.variables if v in at)
        if item.kind != "rule" or head != "region" or name not in named or not places:
            continue
        named.remove(name)
        place = next((place for place in places if squares[place].corner), places[0])
        squares[place] = squares[place]._replace(corner=f"{name}:{squares[place].corner}".rstrip(":"))
    board = board._replace(squares=squares)
    if _CELL.search(text) and not (board.left or board.above):
        board = board._replace(
            left={row: (Square(str(row + 1)),) for row in board.rows},
            above={column: (Square(str(column + 1)),) for column in board.columns},
        )
    return drawing._replace(board=board)


class _Marker:
    """Compute the text and the mark of each square."""

    def __init__(
        self,
        drawing: Drawing,
        grouped: GroupedProblem,
        known: list[Fact],
        new: list[Fact],
        items: list[ConstraintGroup],
        facts: list[Fact],
    ):
        self._drawing, self._grouped, self._places = drawing, grouped, drawing.places
        self._phrases = Phrases(grouped)
        self._before = self._domains(known)
        self._after = self._domains([*known, *new])
        self._new, self._laid = new, [fact for fact in (*known, *new) if fact.holds]
        self._marks: dict[Hashable, Mark] = {}
        for item in items:
            if item.kind != "dominoes":
                self._mark(item.piece.variables, Mark.SEEN)
            if item.kind == "move":
                self._after[item.fact.variable] = {item.fact.value}
        for fact in facts:
            self._mark(self._cells(fact), Mark.SEEN)
        for fact in new:
            self._mark(self._cells(fact), Mark.NEW)

    def mark_named(self, text: str) -> None:
        """Mark the cells that a text names; a name of one letter may be a word of the text."""
        for v, name in enumerate(self._phrases.names):
            if len(name) > 1 and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text):
                self._mark([v], Mark.SEEN)

    def drawing(self) -> Drawing:
        """Return the drawing with texts, marks and tiles."""
        return fill_in(self._drawing, self._texts(), self._tiles(), self._marks)

    def _domains(self, facts: Iterable[Fact]) -> list[set[int]]:
        """Return the domains that the facts leave to the variables."""
        domains = [set(variable.domain) for variable in self._grouped.variables]
        for v, value, holds in facts:
            domains[v] = domains[v] & {value} if holds else domains[v] - {value}
        return domains

    def _cells(self, fact: Fact) -> tuple[int, ...]:
        """Return the variables of the cells of a fact."""
        return self._phrases.ends(fact) or (fact.variable,)

    def _mark(self, variables: Iterable[int], mark: Mark) -> None:
        for v in variables:
            if v in self._places:
                key = self._places[v]
                self._marks[key] = max(mark, self._marks.get(key, Mark.NONE))

    def _texts(self) -> Mapping[Hashable, str]:
        """Return the texts of the squares: values, and what remains of cells that have just lost values."""
        concluded = {fact.variable for fact in self._new if self._phrases.ends(fact) is None}
        texts: dict[Hashable, str] = {}
        for v, key in self._places.items():
            if v in self._grouped.partners:
                continue
            left = self._after[v]
            if len(left) == 1 and len(self._grouped.variables[v].domain) > 1:
                (value,) = left
                texts[key] = self._drawing.texts.get((v, value)) or self._phrases.value(value)
            elif v in concluded:
                texts[key] = self._left(v, left)
        return texts

    def _left(self, v: int, left: set[int]) -> str:
        """Return the values that a cell can still take, or has just lost, whichever text is shorter."""
        value, gone = self._phrases.value, sorted(self._before[v] - left)
        if 0 < len(left) <= MAX_CANDIDATES_DRAWN:
            return ",".join(map(value, sorted(left)))
        if self._phrases.is_ordered and left and len(gone) > 1:
            if max(gone) < min(left):
                return f"≥{min(left)}"
            if min(gone) > max(left):
                return f"≤{max(left)}"
        words = list(map(value, gone))
        if not words:
            return ""
        apart = "" if all(len(word) == 1 for word in words) else ","
        return f"≠{apart.join(words)}" if len(gone) <= MAX_EXCLUDED_DRAWN else "≠…"

    def _tiles(self) -> tuple[tuple[Hashable, ...], ...]:
        """Return the dominoes known to lie on cells that are drawn."""
        pairs = dict.fromkeys(
            frozenset(ends) for fact in self._laid if (ends := self._phrases.ends(fact)) is not None
        )
        cells: list[list[Any]] = [sorted(pair) for pair in pairs]
        return tuple(
            tuple(self._places[v] for v in pair) for pair in cells if all(v in self._places for v in pair)
        )
