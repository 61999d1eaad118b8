"""The board of a puzzle on a grid, row by row, from row 0 and column 0 to its last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar, cast

from milp_pips.puzzles.pips.puzzle import Cell, Pips

T = TypeVar("T")


def extent(puzzle: Pips) -> tuple[int, int]:
    """Return the numbers of rows and of columns."""
    cells = cast("tuple[tuple[int, int], ...]", puzzle.cells)
    return 1 + max((row for row, _ in cells), default=-1), 1 + max(
        (column for _, column in cells), default=-1
    )


def rows(puzzle: Pips, shown: Mapping[Cell, T], blank: T) -> list[list[T]]:
    """Return what is shown at every place of every row, ``blank`` where nothing is."""
    height, width = extent(puzzle)
    return [[shown.get((row, column), blank) for column in range(width)] for row in range(height)]
