"""Colour grids: the colours of every row and column follow one another as its clue says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

from milp_pips.errors import InputError
from milp_pips.problem import Assignment, Automaton, Problem, Regular, Variable
from milp_pips.puzzles.regular_expressions import compile_expression

if TYPE_CHECKING:
    from milp_pips.drawing import Drawing

Filling: TypeAlias = tuple[str, ...]
"""A solution: the letters of every row."""


class Colour(NamedTuple):
    """A colour: the letter that stands for it and, where it has one, its name or its ``#rrggbb``."""

    letter: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Stretches:
    """A clue: the colours of the line without consecutive repeats, one letter for each stretch."""

    letters: str

    @property
    def expression(self) -> str:
        """The regular expression that says the same."""
        return "".join(f"{letter}+" for letter in self.letters)

    def __str__(self) -> str:
        return self.letters


@dataclass(frozen=True, slots=True)
class Pattern:
    """A clue: a regular expression that the whole line matches."""

    expression: str

    def __str__(self) -> str:
        return f"/{self.expression}/"


Clue: TypeAlias = Stretches | Pattern


@dataclass(frozen=True, slots=True)
class ColourGrid:
    """A colour grid.

    Parameters
    ----------
    name
        What to call it.
    colours
        The colours that a cell may have, each letter once.
    rows, columns
        The clue of each row and of each column; None where there is none.
    """

    family: ClassVar[str] = "colour-grid"

    name: str
    colours: tuple[Colour, ...]
    rows: tuple[Clue | None, ...]
    columns: tuple[Clue | None, ...]

    def __post_init__(self) -> None:
        if not self.colours or not self.rows or not self.columns:
            raise InputError("a colour grid needs at least one colour, one row and one column")
        if len({colour.letter for colour in self.colours}) < len(self.colours):
            raise InputError("two colours have one letter")

    @property
    def published(self) -> Filling | None:
        """None: the format holds no solution."""
        return None

    @property
    def letters(self) -> str:
        """The letters of all colours."""
        return "".join(colour.letter for colour in self.colours)

    def clues(self) -> Iterator[tuple[str, Clue]]:
        """Yield every clue under the name of its line, such as ``row 2``, rows first."""
        for what, clues in (("row", self.rows), ("column", self.columns)):
            for number, clue in enumerate(clues, 1):
                if clue is not None:
                    yield f"{what} {number}", clue

    def state(self) -> Problem:
        """State the puzzle: a variable per cell, whose value is the position of its colour in ``colours``.

        The only key is ``grid``. Raises InputError for a clue that is no expression over the colours.
        """
        height, width = len(self.rows), len(self.columns)
        lines = {f"row {r + 1}": tuple(range(r * width, (r + 1) * width)) for r in range(height)}
        lines |= {f"column {c + 1}": tuple(range(c, height * width, width)) for c in range(width)}
        return Problem(
            tuple(
                Variable(f"r{r + 1}c{c + 1}", tuple(range(len(self.colours))))
                for r in range(height)
                for c in range(width)
            ),
            tuple(
                Regular(lines[line], automaton(clue, self.letters), f"{line}: {clue}")
                for line, clue in self.clues()
            ),
            {"grid": tuple(range(height * width))},
            dict(enumerate(self.letters)),
        )

    def decode(self, assignment: Assignment) -> Filling:
        """Return the letters of every row."""
        height, width = len(self.rows), len(self.columns)
        letters = self.letters
        shown = [letters[assignment[v]] for v in range(height * width)]
        return tuple("".join(shown[r * width : (r + 1) * width]) for r in range(height))

    def encode(self, solution: Filling) -> dict[int, int]:
        """Return the values of all variables."""
        return dict(enumerate(map(self.letters.index, "".join(solution))))

    def check(self, solution: Filling) -> str | None:
        """Return the first clue that the filling breaks, or None."""
        from milp_pips.puzzles.colour_grid.rules import broken

        return broken(self, solution)

    def draw(self, solution: Filling | None = None) -> Drawing:
        """Return the grid with its clues, empty or filled."""
        from milp_pips.puzzles.colour_grid.picture import draw

        return draw(self, solution)

    def _repr_svg_(self) -> str:
        from milp_pips.drawing import to_svg

        return to_svg(self.draw())

    def solution_to_json(self, solution: Filling) -> dict[str, Any]:
        """Return ``grid``, the letters of every row."""
        return {"grid": [list(row) for row in solution]}

    def read_solution(self, text: str, file: str = "") -> Filling:
        """Read a solution file, text or JSON. Raises InputError."""
        from milp_pips.puzzles.colour_grid.solution_files import read

        return read(self, text, file)

    def write_solution(self, solution: Filling) -> str:
        """Return the text of a solution file: a line of letters for each row."""
        return "".join(f"{row}\n" for row in solution)


def automaton(clue: Clue, letters: str) -> Automaton:
    """Return the minimal automaton of a clue; its symbols are positions in ``letters``. Raises InputError."""
    return compile_expression(clue.expression, {letter: i for i, letter in enumerate(letters)})
