"""Colour grids: the colours of every row and column follow one another as its clue says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, TypeAlias

from milp_pips.errors import InputError
from milp_pips.puzzles.family import Puzzle

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
class ColourGrid(Puzzle):
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
    published: ClassVar[None] = None
    """The format holds no solution."""

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
    def letters(self) -> str:
        """The letters of all colours."""
        return "".join(colour.letter for colour in self.colours)

    def clues(self) -> Iterator[tuple[str, Clue]]:
        """Yield every clue under the name of its line, such as ``row 2``, rows first."""
        for what, clues in (("row", self.rows), ("column", self.columns)):
            for number, clue in enumerate(clues, 1):
                if clue is not None:
                    yield f"{what} {number}", clue
