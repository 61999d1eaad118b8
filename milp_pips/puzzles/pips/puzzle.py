"""Pips: lay the dominoes on the board so that every region obeys its rule."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count, product
from typing import ClassVar, NamedTuple, TypeAlias, TypeVar, cast

from milp_pips.errors import InputError
from milp_pips.puzzles.family import Puzzle

T = TypeVar("T")

Cell: TypeAlias = Hashable
"""Any hashable name; on a grid the pair (row, column), counted from 0."""

# What a file may ask for; beyond it, a file is noise or a mistake.
MOST_ROWS = 10_000
"""Rows, and columns, of a board."""
MOST_CELLS = 200_000
MOST_PIPS = 99
"""On half a domino."""
LARGEST_TARGET = 999_999_999
LAST_INDEX = 999
"""The last row and column where cells are listed, not drawn: one stray index makes a board of that size."""


class Rule(StrEnum):
    """The rules a region may have, by their names in the text format."""

    EQ = "EQ"
    NEQ = "NEQ"
    SUM = "SUM"
    LT = "LT"
    GT = "GT"
    LE = "LE"
    GE = "GE"

    @property
    def has_target(self) -> bool:
        """Whether the rule compares the region's sum with a number."""
        return self not in (Rule.EQ, Rule.NEQ)


SIGNS = {Rule.EQ: "=", Rule.NEQ: "≠", Rule.SUM: "", Rule.LT: "<", Rule.GT: ">", Rule.LE: "≤", Rule.GE: "≥"}
"""How each rule is drawn, before its number."""


class Region(NamedTuple):
    """Cells under one rule. ``target`` is the number a sum is compared with, None for EQ, NEQ and no rule."""

    label: str
    cells: tuple[Cell, ...]
    rule: Rule | None = None
    target: int | None = None

    @property
    def sign(self) -> str:
        """The rule as it is drawn: ``=``, ``≠``, ``11``, ``<5``, ``>5``; empty without a rule."""
        if self.rule is None:
            return ""
        return SIGNS[self.rule] + ("" if self.target is None else str(self.target))

    def __str__(self) -> str:
        words = {Rule.EQ: "all equal", Rule.NEQ: "all different", Rule.SUM: "sum", None: "no rule"}
        rule = words.get(self.rule) or f"sum {SIGNS[self.rule]}"  # type: ignore[index]
        return f"region {self.label}: {rule}" + ("" if self.target is None else f" {self.target}")


class Laid(NamedTuple):
    """A domino on the board: ``pips[0]`` lies on ``cells[0]``, ``pips[1]`` on ``cells[1]``."""

    pips: tuple[int, int]
    cells: tuple[Cell, Cell]


class Layout(NamedTuple):
    """A solution: the pips in every cell and, where they are known, the dominoes that put them there."""

    values: Mapping[Cell, int]
    dominoes: tuple[Laid, ...] = ()


@dataclass(frozen=True, slots=True)
class Pips(Puzzle):
    """A Pips puzzle on a graph of cells.

    Parameters
    ----------
    name
        What to call it.
    cells
        The cells of the board, in reading order.
    edges
        The pairs of cells that a domino can cover.
    regions
        The regions; a cell in none has no rule.
    dominoes
        The dominoes, as the puzzle lists them; the same domino may come several times.
    published
        The solution printed with it, if any.
    """

    family: ClassVar[str] = "pips"

    name: str
    cells: tuple[Cell, ...]
    edges: tuple[tuple[Cell, Cell], ...]
    regions: tuple[Region, ...]
    dominoes: tuple[tuple[int, int], ...]
    published: Layout | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        board = set(self.cells)
        if len(board) != len(self.cells):
            raise InputError("a cell is named twice")
        if len(self.cells) != 2 * len(self.dominoes):
            raise InputError(f"{len(self.cells)} cells cannot be covered by {len(self.dominoes)} dominoes")
        named = {cell for cells in (*self.edges, *(r.cells for r in self.regions)) for cell in cells}
        if not named <= board:
            raise InputError(f"{cell_name(next(iter(named - board)))} is not on the board")

    @classmethod
    def on_grid(
        cls,
        name: str,
        cells: Iterable[tuple[int, int]],
        regions: Iterable[Region],
        dominoes: Iterable[tuple[int, int]],
        published: Layout | None = None,
    ) -> Pips:
        """Return the puzzle on cells (row, column) where dominoes lie on cells that share a side."""
        ordered = tuple(sorted(cells))
        board = set(ordered)
        edges = tuple(
            ((r, c), other) for r, c in ordered for other in ((r, c + 1), (r + 1, c)) if other in board
        )
        return cls(name, ordered, edges, tuple(regions), tuple(dominoes), published)

    @property
    def is_grid(self) -> bool:
        """Whether the cells are (row, column) pairs."""
        return all(_is_place(cell) for cell in self.cells)

    @property
    def extent(self) -> tuple[int, int]:
        """The numbers of rows and of columns of a grid, both counted from 0."""
        cells = cast("tuple[tuple[int, int], ...]", self.cells)
        return 1 + max((r for r, _ in cells), default=-1), 1 + max((c for _, c in cells), default=-1)

    def rows(self, shown: Mapping[Cell, T], blank: T) -> list[list[T]]:
        """Return what is shown at every place of every row of a grid, ``blank`` where nothing is."""
        height, width = self.extent
        return [[shown.get((row, column), blank) for column in range(width)] for row in range(height)]


def cell_name(cell: Cell) -> str:
    """Return a cell's name for people: ``r1c2`` on a grid (counted from 1), else its own name."""
    if _is_place(cell):
        row, column = cast("tuple[int, int]", cell)
        return f"r{row + 1}c{column + 1}"
    return str(cell)


def region_labels() -> Iterator[str]:
    """Yield A, B, … Z, AA, AB, … without end: labels for regions that have none of their own."""
    for length in count(1):
        for letters in product("ABCDEFGHIJKLMNOPQRSTUVWXYZ", repeat=length):
            yield "".join(letters)


def _is_place(cell: Cell) -> bool:
    return isinstance(cell, tuple) and len(cell) == 2 and all(isinstance(part, int) for part in cell)
