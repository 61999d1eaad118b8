"""Generate colour grids: colour them at random in patches, then change them until the clues suffice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from milp_pips.extras.generate.contract import Candidate
from milp_pips.problem.parameters import Parameter, one_of, text_form, whole
from milp_pips.problem.rng import RandomGenerator
from milp_pips.puzzles.colour_grid.puzzle import Clue, Colour, ColourGrid, Filling, Pattern, Stretches

COLOUR_NAMES = ("red", "green", "blue", "yellow", "orange", "purple", "black", "white")
GENERATED_COLOURS = tuple(Colour("k" if name == "black" else name[0], name) for name in COLOUR_NAMES)
DEFAULT_COLOUR_GRID_SIZE, MAX_COLOUR_GRID_SIZE = 5, 60
COPY_PROBABILITY = 0.72
"""The probability that a cell takes the colour of the cell before it or above it."""

STRETCHES, EXPRESSIONS = "stretches", "expressions"
_LENGTH = re.compile(r"\{[0-9]+\}|\+")


def _size(text: str) -> tuple[int, int]:
    sides = [int(part) for part in text.split("x")]
    if len(sides) > 2 or not all(1 <= side <= MAX_COLOUR_GRID_SIZE for side in sides):
        raise ValueError
    return sides[0], sides[-1]


options: Sequence[Parameter] = (
    Parameter(
        "--size N",
        f"number of rows and columns, or 5x8 (default: {DEFAULT_COLOUR_GRID_SIZE})",
        text_form(f"a number of rows up to {MAX_COLOUR_GRID_SIZE} such as 6, nor a size such as 5x8", _size),
    ),
    Parameter(
        "--colours N",
        f"how many colours, up to {len(GENERATED_COLOURS)} (default: 3)",
        whole(2, len(GENERATED_COLOURS)),
    ),
    Parameter(
        "--clues KIND",
        "stretches: the colours in turn; expressions: some with lengths (default: stretches)",
        one_of((STRETCHES, EXPRESSIONS)),
    ),
)
of_grade: Mapping[str, Mapping[str, Any]] = {}


def maker(wanted: Mapping[str, Any]) -> ColourGridMaker:
    """Return the maker of grids with these options; see ``options``."""
    height, width = wanted.get("size", (DEFAULT_COLOUR_GRID_SIZE, DEFAULT_COLOUR_GRID_SIZE))
    exact = wanted.get("clues", STRETCHES) == EXPRESSIONS
    return ColourGridMaker(height, width, GENERATED_COLOURS[: wanted.get("colours", 3)], exact)


@dataclass(frozen=True, slots=True)
class ColourGridMaker:
    """Make grids of one size and number of colours; with ``exact``, clues may state lengths of stretches."""

    height: int
    width: int
    colours: tuple[Colour, ...]
    exact: bool

    @property
    def kind(self) -> str:
        """A description of the grids."""
        return f"colour grid of {self.height} rows and {self.width} columns"

    @property
    def advice(self) -> str:
        """What to request instead if no grid was found."""
        return "ask for more colours, another size or --clues expressions"

    def repairer(self, candidate: Candidate, rng: RandomGenerator) -> None:
        """Return None: puzzles are tightened, not repaired; see ``Maker``."""

    def make(self, name: str, rng: RandomGenerator) -> Candidate:
        """Return a new grid; see ``Maker``."""
        letters = [colour.letter for colour in self.colours]
        rows: list[str] = []
        for _ in range(self.height):
            row = ""
            for c in range(self.width):
                before = row[-1:] + (rows[-1][c] if rows else "")
                row += rng.choice(before if before and rng.bernoulli(COPY_PROBABILITY) else letters)
            rows.append(row)
        return self._candidate(name, tuple(rows))

    def tighten(
        self, candidate: Candidate, taken: Mapping[int, Mapping[int, int]], rng: RandomGenerator
    ) -> Candidate | None:
        """Return the grid with another colour in an open cell, or with one more length in a clue."""
        cells = [v for v in range(self.height * self.width) if not taken or len(taken[v]) > 1]
        if not cells:
            return None
        row, column = divmod(rng.choice(cells), self.width)
        if self.exact:
            return self._change_length(candidate, (row, self.height + column), True, rng)
        rows: list[str] = list(candidate.hidden)
        others = [colour.letter for colour in self.colours if colour.letter != rows[row][column]]
        rows[row] = rows[row][:column] + rng.choice(others) + rows[row][column + 1 :]
        return self._candidate(candidate.puzzle.name, tuple(rows))

    def loosen(self, candidate: Candidate, rng: RandomGenerator) -> Candidate | None:
        """Return the grid with the length of a stretch removed from a clue; see ``Maker``."""
        every = range(self.height + self.width)
        return self._change_length(candidate, every, False, rng) if self.exact else None

    def _candidate(self, name: str, rows: Filling, clues: Sequence[Clue | None] = ()) -> Candidate:
        """Return the grid with these clues, or with clues that state no length."""
        clues = tuple(clues or map(_clue, _lines(rows)))
        return Candidate(ColourGrid(name, self.colours, clues[: self.height], clues[self.height :]), rows)

    def _change_length(
        self, candidate: Candidate, lines: Iterable[int], add: bool, rng: RandomGenerator
    ) -> Candidate | None:
        """Return the grid with one length added to, or removed from, one of the clues."""
        puzzle: ColourGrid = candidate.puzzle
        clues = [clue for _, clue in puzzle.clues()]  # every line has one
        for i in rng.shuffled(lines):
            exact = [length != "+" for length in _LENGTH.findall(clues[i].expression)]
            changing = [j for j, is_exact in enumerate(exact) if is_exact is not add]
            if changing:
                exact[rng.choice(changing)] = add
                clues[i] = _clue(_lines(candidate.hidden)[i], exact)
                return self._candidate(puzzle.name, candidate.hidden, clues)
        return None


def _lines(rows: Filling) -> list[str]:
    """Return the letters of the rows, then those of the columns."""
    return [*rows, *("".join(column) for column in zip(*rows, strict=True))]


def _clue(line: str, exact: Sequence[bool] = ()) -> Clue:
    """Return the clue of a line; ``exact`` marks the stretches whose lengths it states."""
    stretches = [(letter, len(list(cells))) for letter, cells in groupby(line)]
    if not any(exact):
        return Stretches("".join(letter for letter, _ in stretches))
    parts = [
        f"{letter}{{{length}}}" if is_exact else f"{letter}+"
        for (letter, length), is_exact in zip(stretches, exact, strict=True)
    ]
    return Pattern("".join(parts))
