"""Explanations and hints as pictures: the known values, where to look, and the conclusions."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

from milp_pips.extras.explain.explain import Explanation
from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.groups import ConstraintGroup, GroupedProblem
from milp_pips.extras.explain.hint import Hint
from milp_pips.extras.explain.text import Words
from milp_pips.extras.explain.text.phrases import Phrases
from milp_pips.puzzles.family import family_of
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
    empty, phrases = family_of(puzzle).draw(puzzle, None), Phrases(grouped)
    known, new, text = [*known, *facts], list(conclusions), " ".join(said)
    before, after = _domains(grouped, known), _domains(grouped, [*known, *new])
    seen, found = set[int](), {v for fact in new for v in phrases.ends(fact) or (fact.variable,)}
    for item in items:
        if item.kind != "dominoes":
            seen.update(item.piece.variables)
        if item.kind == "move":
            after[item.fact.variable] = {item.fact.value}
    seen.update(v for fact in facts for v in phrases.ends(fact) or (fact.variable,))
    seen.update(v for v, name in enumerate(phrases.names) if _is_named(name, text))
    places = empty.places
    marks = {place: Mark.SEEN for v, place in places.items() if v in seen}
    marks |= {place: Mark.NEW for v, place in places.items() if v in found}
    texts: dict[Hashable, str] = {}
    for v, place in places.items():
        left = after[v]
        if v in grouped.partners:
            continue
        if len(left) == 1 and len(grouped.variables[v].domain) > 1:
            (value,) = left
            texts[place] = empty.texts.get((v, value)) or phrases.value(value)
        elif any(fact.variable == v for fact in new):
            texts[place] = _values_left(phrases, left, sorted(before[v] - left))
    laid = (sorted(ends) for fact in (*known, *new) if fact.holds and (ends := phrases.ends(fact)))
    tiles = dict.fromkeys((places[u], places[v]) for u, v in laid if u in places and v in places)
    return fill_in(empty, texts, tuple(tiles), marks)


def _domains(grouped: GroupedProblem, facts: Iterable[Fact]) -> list[set[int]]:
    """Return the domains that the facts leave to the variables."""
    domains = [set(variable.domain) for variable in grouped.variables]
    for v, value, holds in facts:
        domains[v] = domains[v] & {value} if holds else domains[v] - {value}
    return domains


def _is_named(name: str, text: str) -> bool:
    """Whether a text names a cell; a name of one letter may be a word of the text."""
    return len(name) > 1 and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _values_left(phrases: Phrases, left: set[int], gone: list[int]) -> str:
    """Return the values that a cell can still take, or has just lost, whichever text is shorter."""
    if 0 < len(left) <= MAX_CANDIDATES_DRAWN:
        return ",".join(map(phrases.value, sorted(left)))
    if phrases.is_ordered and left and len(gone) > 1:
        if max(gone) < min(left):
            return f"≥{min(left)}"
        if min(gone) > max(left):
            return f"≤{max(left)}"
    if not gone:
        return ""
    words = list(map(phrases.value, gone))
    apart = "" if all(len(word) == 1 for word in words) else ","
    return f"≠{apart.join(words)}" if len(gone) <= MAX_EXCLUDED_DRAWN else "≠…"


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
    words = Words(hint.grouped, hint.known)
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
