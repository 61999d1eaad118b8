"""New colour grids: coloured at random in patches, then changed until the clues tell enough."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from milp_pips.chance import Chance
from milp_pips.errors import UsageError
from milp_pips.puzzles.colour_grid import text
from milp_pips.puzzles.colour_grid.puzzle import Clue, Colour, ColourGrid, Filling, Pattern, Stretches
from milp_pips.puzzles.family import Drawn, Format, Option
from milp_pips.puzzles.located_text import whole_number

PALETTE = (
    Colour("r", "red"),
    Colour("g", "green"),
    Colour("b", "blue"),
    Colour("y", "yellow"),
    Colour("o", "orange"),
    Colour("p", "purple"),
    Colour("k", "black"),
    Colour("w", "white"),
)
USUAL_SIZE, MOST_SIZE = 5, 60
PATCHY = 0.72
"""How often a cell takes the colour of the cell before it or above it."""

STRETCHES, EXPRESSIONS = "stretches", "expressions"
_PART = re.compile(r"([a-z])(?:\{[0-9]+\}|(\+))")


def _size(text: str) -> tuple[int, int]:
    numbers = [whole_number(part) for part in text.split("x")]
    sides = [side for side in numbers if side is not None and 1 <= side <= MOST_SIZE]
    if len(sides) != len(numbers) or len(sides) not in (1, 2):
        raise UsageError(f"--size: {text!r} is neither a number of rows such as 6 nor a size such as 5x8")
    return sides[0], sides[-1]


def _colours(text: str) -> int:
    number = whole_number(text)
    if number is None or not 2 <= number <= len(PALETTE):
        raise UsageError(f"--colours: {text!r} is no whole number from 2 to {len(PALETTE)}")
    return number


def _clues(text: str) -> str:
    if text not in (STRETCHES, EXPRESSIONS):
        raise UsageError(f"--clues: {text!r} is neither {STRETCHES} nor {EXPRESSIONS}")
    return text


options: Sequence[Option] = (
    Option("size", "N", f"number of rows and columns, or 5x8 (default: {USUAL_SIZE})", _size),
    Option("colours", "N", f"how many colours, up to {len(PALETTE)} (default: 3)", _colours),
    Option(
        "clues",
        "KIND",
        "stretches: the colours in turn; expressions: some with lengths (default: stretches)",
        _clues,
    ),
)
formats: Mapping[str, Format] = {"text": Format(".txt", text.write, with_solution=False)}


def maker(wanted: Mapping[str, Any]) -> ColourGridMaker:
    """Return what makes grids of this kind; see ``options``."""
    height, width = wanted.get("size", (USUAL_SIZE, USUAL_SIZE))
    exact = wanted.get("clues", STRETCHES) == EXPRESSIONS
    return ColourGridMaker(height, width, PALETTE[: wanted.get("colours", 3)], exact)


@dataclass(frozen=True, slots=True)
class ColourGridMaker:
    """Makes grids of one size and number of colours; with ``exact``, clues may tell lengths of stretches."""

    height: int
    width: int
    colours: tuple[Colour, ...]
    exact: bool

    def draw(self, name: str, chance: Chance) -> Drawn:
        """Return a new grid; see ``Maker``."""
        letters = [colour.letter for colour in self.colours]
        rows: list[str] = []
        for _ in range(self.height):
            row = ""
            for c in range(self.width):
                before = row[-1:] + (rows[-1][c] if rows else "")
                row += chance.one_of(before if before and chance.happens(PATCHY) else letters)
            rows.append(row)
        return self._grid(name, tuple(rows))

    def tightened(self, drawn: Drawn, taken: Mapping[int, Mapping[int, int]], chance: Chance) -> Drawn | None:
        """Return the grid with another colour in an open cell, or with the length of a stretch told."""
        cells = [v for v in range(self.height * self.width) if not taken or len(taken[v]) > 1]
        if not cells:
            return None
        row, column = divmod(chance.one_of(cells), self.width)
        if self.exact:
            return self._told(drawn, [("row", row), ("column", column)], True, chance)
        rows: list[str] = list(drawn.hidden)
        others = [colour.letter for colour in self.colours if colour.letter != rows[row][column]]
        rows[row] = rows[row][:column] + chance.one_of(others) + rows[row][column + 1 :]
        return self._grid(drawn.puzzle.name, tuple(rows))

    def loosened(self, drawn: Drawn, chance: Chance) -> Drawn | None:
        """Return the grid with the length of a stretch told no more; see ``Maker``."""
        lines = [("row", r) for r in range(self.height)] + [("column", c) for c in range(self.width)]
        return self._told(drawn, lines, False, chance) if self.exact else None

    def _grid(self, name: str, rows: Filling) -> Drawn:
        columns = ("".join(column) for column in zip(*rows, strict=True))
        grid = ColourGrid(name, self.colours, tuple(map(_stretches, rows)), tuple(map(_stretches, columns)))
        return Drawn(grid, rows)

    def _told(
        self, drawn: Drawn, lines: Sequence[tuple[str, int]], tell: bool, chance: Chance
    ) -> Drawn | None:
        """Return the grid with one length told, or not told any more, in one of the lines."""
        puzzle: ColourGrid = drawn.puzzle
        clues: dict[str, list[Clue | None]] = {"row": list(puzzle.rows), "column": list(puzzle.columns)}
        for kind, i in chance.shuffled(lines):
            line = drawn.hidden[i] if kind == "row" else "".join(row[i] for row in drawn.hidden)
            told = _told_lengths(clues[kind][i])
            changing = [j for j, exact in enumerate(told) if exact is not tell]
            if changing:
                chosen = chance.one_of(changing)
                told[chosen] = tell
                clues[kind][i] = _clue(line, told)
                grid = ColourGrid(puzzle.name, puzzle.colours, tuple(clues["row"]), tuple(clues["column"]))
                return Drawn(grid, drawn.hidden)
        return None


def _stretches(line: str) -> Stretches:
    return Stretches("".join(letter for letter, _ in groupby(line)))


def _told_lengths(clue: Clue | None) -> list[bool]:
    """Return for each stretch whether the clue tells its length."""
    if isinstance(clue, Pattern):
        return [not part[2] for part in _PART.finditer(clue.expression)]
    return [False] * len(clue.letters if clue is not None else "")


def _clue(line: str, told: Sequence[bool]) -> Clue:
    if not any(told):
        return _stretches(line)
    parts = [
        f"{letter}{{{len(list(cells))}}}" if exact else f"{letter}+"
        for (letter, cells), exact in zip(groupby(line), told, strict=True)
    ]
    return Pattern("".join(parts))
