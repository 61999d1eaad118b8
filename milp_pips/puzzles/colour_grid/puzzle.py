"""Colour grids: the clue of a row or column states the order of its colours.

The rules are implemented twice: ``state`` uses automata, for engines; ``check`` uses the clues directly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any, ClassVar, NamedTuple, TypeAlias

from milp_pips.constraints import Automaton, Regular
from milp_pips.problem.constraint import Assignment
from milp_pips.problem.errors import InputError
from milp_pips.problem.fields import refused_as_input, require_text, set_tuples, shown
from milp_pips.problem.problem import Problem, Variable
from milp_pips.puzzles.located import quoted
from milp_pips.puzzles.puzzle import DrawnRows, Puzzle
from milp_pips.puzzles.regular_expressions import StepBudget, check_expression, compile_expression
from milp_pips.render.vocabulary import PALETTE, Drawing, Grid, Note, Square

_REPETITION = re.compile(r"\{(\d*)(,?)(\d*)\}")

_PART = re.compile(r"\{[^}]*\}|\[\^?|[^(|[][*+?]?|[(|]")
"""A part of an expression: a letter or closing bracket and its repeat, ``{2,3}``, ``(``, ``[`` or ``|``."""
NAMED_COLOURS = {
    "red": "#ea6b5d",
    "green": "#7cc36a",
    "blue": "#6c9df0",
    "yellow": "#f7dc5a",
    "orange": "#f5a54a",
    "purple": "#b184dd",
    "pink": "#f5a9c9",
    "white": "#ffffff",
    "black": "#33363d",
    "grey": "#b9bab6",
    "gray": "#b9bab6",
    "brown": "#b07f5a",
    "cyan": "#74d4dd",
    "magenta": "#e178c5",
}
"""The colours that a file can name, as ``#rrggbb``. Letters are readable on all of these shades."""

Filling: TypeAlias = tuple[str, ...]
"""A solution: the letters of every row."""


class Colour(NamedTuple):
    """A colour: its letter and, optionally, its name or ``#rrggbb``."""

    letter: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Stretches:
    """A clue: the colours of the row or column without consecutive repeats, one letter for each stretch."""

    letters: str

    @property
    def expression(self) -> str:
        """The equivalent regular expression."""
        return "".join(f"{letter}+" for letter in self.letters)

    def __str__(self) -> str:
        return self.letters


@dataclass(frozen=True, slots=True)
class Pattern:
    """A clue: a regular expression that the whole row or column matches."""

    expression: str

    def __str__(self) -> str:
        return f"/{self.expression}/"


Clue: TypeAlias = Stretches | Pattern


def _check_colour(colour: Any) -> None:
    """Raise TypeError or ValueError if the argument is not a valid colour."""
    if not isinstance(colour, Colour):
        raise TypeError(f"the colours of a colour grid are Colour(letter, name), not {shown(colour)}")
    require_text("a colour", "letter", colour.letter)
    require_text("a colour", "name", colour.name)
    if len(colour.letter) != 1 or not (colour.letter.isascii() and colour.letter.isalpha()):
        raise ValueError(f"a colour has the letter {colour.letter!r}; expected one of a to z and A to Z")


def check_clue(clue: Any, letters: str) -> None:
    """Raise InputError if the argument is not a clue over the colours with these letters."""
    match clue:
        case Stretches(str(text)):
            if strange := [letter for letter in text if letter not in letters]:
                raise InputError(f"{strange[0]} is not one of the colours", expected=", ".join(letters))
            if twice := [one for one, other in pairwise(text) if one == other]:
                what = f"{quoted(text)} names {twice[0]} twice in a row"
                raise InputError(what, expected="one letter for each stretch of a colour, however long")
            if not text:
                raise InputError("the clue is empty", expected="a letter, or None for no clue")
        case Pattern(str(text)):
            check_expression(text, {letter: i for i, letter in enumerate(letters)})
        case _:
            raise InputError(f"{shown(clue)} is not a clue", expected="Stretches, Pattern or None")


@dataclass(frozen=True, slots=True)
class ColourGrid(Puzzle):
    """A colour grid.

    Parameters
    ----------
    name
        The name of the puzzle.
    colours
        The colours that a cell may have. Their letters differ.
    rows, columns
        The clue of each row and of each column, or None.
    """

    family: ClassVar[str] = "colour-grid"
    published: ClassVar[None] = None
    """None: the file format has no solution."""

    name: str
    colours: tuple[Colour, ...]
    rows: tuple[Clue | None, ...]
    columns: tuple[Clue | None, ...]

    def __post_init__(self) -> None:
        with refused_as_input():
            require_text("a colour grid", "name", self.name)
            set_tuples("a colour grid", self, "colours", "rows", "columns")
            for colour in self.colours:
                _check_colour(colour)
        for line, clue in self.clues():
            try:
                check_clue(clue, self.letters)
            except InputError as error:
                raise InputError(f"{line}: {error.what}", expected=error.expected) from None
        if not self.colours or not self.rows or not self.columns:
            raise InputError("a colour grid needs at least one colour, one row and one column")
        if len({colour.letter for colour in self.colours}) < len(self.colours):
            raise InputError("two colours have the same letter")

    @classmethod
    def from_clues(
        cls, rows: Sequence[str | None], columns: Sequence[str | None], name: str = "puzzle"
    ) -> ColourGrid:
        """Return the grid with these clues, written as in a file; None is not a clue.

        A clue is the colours of the row or column without consecutive repeats, such as ``rgb``, or a regular
        expression between slashes. Raises InputError.
        """
        written = ["-" if clue is None else clue for clue in ("rows", *rows, "columns", *columns)]
        return cls.from_lines(["colour grid", *written], name)

    @property
    def letters(self) -> str:
        """The letters of all colours."""
        return "".join(colour.letter for colour in self.colours)

    def clues(self) -> Iterator[tuple[str, Clue]]:
        """Yield the name of each line that has a clue, such as ``row 2``, and the clue. Rows come first."""
        for what, clues in (("row", self.rows), ("column", self.columns)):
            for number, clue in enumerate(clues, 1):
                if clue is not None:
                    yield f"{what} {number}", clue


def state(puzzle: ColourGrid) -> Problem:
    """Return the puzzle as a problem: a variable per cell, whose value is the index of its colour.

    The only key is ``grid``. Raises InputError for a clue that is not an expression over the colours.
    """
    height, width = len(puzzle.rows), len(puzzle.columns)
    values, budget = tuple(range(len(puzzle.colours))), StepBudget()
    letters = dict(enumerate(puzzle.letters))
    lines = {f"row {r + 1}": tuple(range(r * width, (r + 1) * width)) for r in range(height)}
    lines |= {f"column {c + 1}": tuple(range(c, height * width, width)) for c in range(width)}
    return Problem(
        tuple(Variable(f"r{r + 1}c{c + 1}", values) for r in range(height) for c in range(width)),
        tuple(
            Regular(lines[line], automaton(clue, puzzle.letters, budget), f"{line}: {clue}")
            for line, clue in puzzle.clues()
        ),
        {"grid": tuple(range(height * width))},
        dict.fromkeys(range(height * width), letters),
    )


def automaton(clue: Clue, letters: str, budget: StepBudget) -> Automaton:
    """Return the minimal automaton of a clue; its symbols are positions in ``letters``. Raises InputError."""
    return compile_expression(clue.expression, {letter: i for i, letter in enumerate(letters)}, budget)


def decode(puzzle: ColourGrid, assignment: Assignment) -> Filling:
    """Return the letters of every row."""
    height, width = len(puzzle.rows), len(puzzle.columns)
    shown = "".join(puzzle.letters[assignment[v]] for v in range(height * width))
    return DrawnRows.of(puzzle, (shown[r * width : (r + 1) * width] for r in range(height)))


def encode(puzzle: ColourGrid, solution: Filling) -> dict[int, int]:
    """Return the values of all variables."""
    return dict(enumerate(map(puzzle.letters.index, "".join(solution))))


def plain(puzzle: ColourGrid) -> dict[str, Any]:
    """Return the puzzle as plain data: every clue as a regular expression; see ``Family``."""

    def expressions(clues: tuple[Clue | None, ...]) -> list[str | None]:
        return [None if clue is None else clue.expression for clue in clues]

    return {
        "family": "colour-grid",
        "name": puzzle.name,
        "letters": puzzle.letters,
        "rows": expressions(puzzle.rows),
        "columns": expressions(puzzle.columns),
    }


def check(puzzle: ColourGrid, filling: Filling) -> str | None:
    """Return the first rule that the filling breaks, or None. Uses no automaton."""
    if len(filling) != len(puzzle.rows) or any(len(row) != len(puzzle.columns) for row in filling):
        return f"the filling is not {len(puzzle.rows)} rows of {len(puzzle.columns)} cells"
    for r, row in enumerate(filling, 1):
        for c, letter in enumerate(row, 1):
            if letter not in puzzle.letters:
                return f"r{r}c{c} has the colour {letter}, which is not one of {', '.join(puzzle.letters)}"
    seen = {f"row {number}": row for number, row in enumerate(filling, 1)}
    seen |= {f"column {number}": "".join(cells) for number, cells in enumerate(zip(*filling, strict=True), 1)}
    for line, clue in puzzle.clues():
        if isinstance(clue, Stretches):
            fits = "".join(letter for letter, _ in groupby(seen[line])) == clue.letters
        else:
            fits = matches(clue.expression, seen[line])
        if not fits:
            return f"{line}: {clue}, but its cells show {seen[line]}"
    return None


def matches(expression: str, word: str) -> bool:
    """Return whether the whole word matches the expression, as in ``re.fullmatch``.

    Follows all paths through the expression at once: ``places`` has the lengths of the prefixes of the
    word that the part read so far can match. (``re`` tries one path after another: for ``(r*g*)*b`` it takes
    forever.)
    """
    for sign, repeat in (("*", "{0,}"), ("+", "{1,}"), ("?", "{0,1}")):
        expression = expression.replace(sign, repeat)
    places, _ = _choice(expression, 0, word, {0})
    return len(word) in places


def _choice(text: str, at: int, word: str, places: Set[int]) -> tuple[Set[int], int]:
    """Return the places after ``a|b|c``, which starts at ``at`` in the text, and the position of its end."""
    reached, at = _chain(text, at, word, places)
    while text[at : at + 1] == "|":
        more, at = _chain(text, at + 1, word, places)
        reached = reached | more
    return reached, at


def _chain(text: str, at: int, word: str, places: Set[int]) -> tuple[Set[int], int]:
    while at < len(text) and text[at] not in "|)":
        after, end = _unit(text, at, word, places)
        repeat = _REPETITION.match(text, end)
        least, comma, highest = repeat.groups() if repeat else ("1", "", "")
        low = int(least or 0)
        endless = low + len(word) + 1  # every round but the last reaches a new place
        high = int(highest) if highest else endless if comma else low
        # Apply the part up to ``high`` times, and collect the places after at least ``low`` rounds. Stop when
        # a round reaches no new place.
        reached = places if low == 0 else set()
        for times in range(1, high + 1):
            if times >= low:
                if after <= reached:
                    break
                reached = reached | after
            if times < high:
                after, _ = _unit(text, at, word, after)
        places, at = reached, repeat.end() if repeat else end
    return places, at


def _unit(text: str, at: int, word: str, places: Set[int]) -> tuple[Set[int], int]:
    """Return the places after one letter, set or bracket, and the position of its end in the text."""
    if text[at] == "(":
        reached, end = _choice(text, at + 1, word, places)
        return reached, end + 1
    end = text.index("]", at) if text[at] == "[" else at
    named = text[at : end + 1].strip("[]")
    left_out = named.startswith("^")
    open_places = {place for place in places if place < len(word)}
    fits = {place for place in open_places if named == "." or (word[place] in named) != left_out}
    return {place + 1 for place in fits}, end + 1


def draw(puzzle: ColourGrid, filling: Filling | None) -> Drawing:
    """Return the grid with its clues. A grid without a filling also lists the colours that have names.

    A pattern is drawn part by part between slashes, as in a file.
    """
    fill = fills(puzzle.colours)
    height, width = len(puzzle.rows), len(puzzle.columns)
    letters = filling or (" " * width,) * height
    squares = {
        (r, c): Square(letters[r][c].strip(), fill=fill.get(letters[r][c], ""))
        for r in range(height)
        for c in range(width)
    }
    left, above = (
        {number: _clue_items(clue, fill) for number, clue in enumerate(clues) if clue is not None}
        for clues in (puzzle.rows, puzzle.columns)
    )
    board = Grid(squares, left=left, above=above)
    if filling is not None:
        return Drawing(puzzle.name, board)
    notes = tuple(Note(c.letter, (c.name,), fill[c.letter]) for c in puzzle.colours if c.name)
    return Drawing(puzzle.name, board, notes, places=dict(enumerate(squares)))


def fills(colours: Sequence[Colour]) -> dict[str, str]:
    """Return the ``#rrggbb`` of every letter.

    A letter without a name takes the first named colour with that initial, else a colour of the palette. It
    takes a colour that no other letter has, as long as there is one.
    """
    found = {c.letter: NAMED_COLOURS.get(c.name, c.name) for c in colours if c.name}
    for colour in colours:
        if not colour.name:
            alike = [fill for name, fill in NAMED_COLOURS.items() if name[0] == colour.letter.lower()]
            free = [fill for fill in (*alike, *PALETTE) if fill not in found.values()]
            found[colour.letter] = free[0] if free else PALETTE[len(found) % len(PALETTE)]
    return found


def outline(puzzle: ColourGrid) -> dict[str, Any]:
    """Return ``colours``: the ``#rrggbb`` of every letter."""
    return {"colours": fills(puzzle.colours)}


def _clue_items(clue: Clue, fill: Mapping[str, str]) -> tuple[Square, ...]:
    if isinstance(clue, Stretches):
        return tuple(Square(letter, fill=fill[letter]) for letter in clue.letters)
    parts = ("/", *_PART.findall(clue.expression), "/")
    return tuple(Square(part, fill=fill.get(part[0], "")) for part in parts)
