"""Sudoku: fill the board so that every row, column and region holds the same symbols."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import ClassVar, NamedTuple, TypeAlias

from milp_pips.errors import InputError
from milp_pips.puzzles.family import Puzzle
from milp_pips.puzzles.located_text import quoted, whole_number

EMPTY = "."
"""An empty cell of a file, and one that is in no region, cage or group."""
COMMENT = "#"
KEYWORDS = ("boxes", "regions", "symbols", "givens", "cages", "groups", "solution")
"""The words that a section of a file begins with."""
LONGEST_WORD = 20
"""Characters of a symbol or a label: beyond it, a file is noise or a mistake."""

Place: TypeAlias = tuple[int, int]
"""A cell: (row, column), counted from 0."""

Rows: TypeAlias = tuple[tuple[str, ...], ...]
"""The symbols of a board, row by row; an empty text where there is none. Without gaps it is a solution."""


class Region(NamedTuple):
    """Cells that hold the same symbols as a row. Its name is what a player calls it, such as ``box 3``."""

    name: str
    cells: tuple[Place, ...]


class Cage(NamedTuple):
    """Cells whose numbers add up to the total."""

    label: str
    cells: tuple[Place, ...]
    total: int

    @property
    def name(self) -> str:
        """What a player calls it."""
        return f"cage {self.label}"

    def __str__(self) -> str:
        return f"{self.name}: sum {self.total}"


class Group(NamedTuple):
    """Further cells that belong together.

    They hold exactly the symbols in ``holds``, each as often as it is named there; where that is None, no
    symbol more often than a row does.
    """

    label: str
    cells: tuple[Place, ...]
    holds: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        """What a player calls it."""
        return f"group {self.label}"


@dataclass(frozen=True, slots=True)
class Sudoku(Puzzle):
    """A Sudoku on a square board.

    Parameters
    ----------
    name
        What to call it.
    holds
        The symbols that every row, column and region holds, each as often as it occurs there. There are as
        many of them as the board has rows.
    givens
        The symbols that are printed on the board.
    regions
        Boxes or jigsaw pieces, each with as many cells as a row.
    cages
        Cages of a killer Sudoku; no cell is in two.
    repeats
        Whether a number may occur twice in a cage.
    groups
        Further groups of cells, such as diagonals; they may overlap.
    published
        The solution printed with it, if any.
    """

    family: ClassVar[str] = "sudoku"

    name: str
    holds: tuple[str, ...]
    givens: Rows
    regions: tuple[Region, ...] = ()
    cages: tuple[Cage, ...] = ()
    repeats: bool = False
    groups: tuple[Group, ...] = ()
    published: Rows | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        n, board = self.size, set(self.cells)
        if len(self.givens) != n or any(len(row) != n for row in self.givens):
            raise InputError(f"the board is not {n} rows of {n} cells, as many as a row holds symbols")
        shown = [given for row in self.givens for given in row if given]
        labels = [cage.label for cage in self.cages] + [group.label for group in self.groups]
        for word in (*self.holds, *labels):
            if reason := unwritable(word):
                raise InputError(reason)
        for word in (*shown, *(symbol for group in self.groups for symbol in group.holds or ())):
            if word not in self.holds:
                raise InputError(f"{word} is no symbol of this puzzle")
        areas: list[Region | Cage | Group] = [*self.regions, *self.cages, *self.groups]
        if twice := [name for name, times in Counter(area.name for area in areas).items() if times > 1]:
            raise InputError(f"there are two of the name {twice[0]}")
        for area in areas:
            if not area.cells or len(set(area.cells)) != len(area.cells) or not board.issuperset(area.cells):
                raise InputError(f"{area.name} has no cell, or one that is not on the board or named twice")
        for region in self.regions:
            if len(region.cells) != n:
                raise InputError(f"{region.name} has {len(region.cells)} cells, a row has {n}")
        for group in self.groups:
            if group.holds is not None and len(group.cells) != len(group.holds):
                raise InputError(f"{group.name} holds {len(group.holds)} symbols in {len(group.cells)} cells")
        for kind in (self.regions, self.cages):
            if any(times > 1 for times in Counter(cell for area in kind for cell in area.cells).values()):
                raise InputError("a cell is in two regions, or in two cages")
        words = [symbol for symbol in self.holds if number_of(symbol) is None]
        if self.cages and words:
            raise InputError(f"cages add up numbers, but the symbol {words[0]} is none")

    @property
    def size(self) -> int:
        """The number of rows, of columns, and of cells in each of them."""
        return len(self.holds)

    @property
    def cells(self) -> tuple[Place, ...]:
        """All cells in reading order."""
        return tuple((r, c) for r in range(self.size) for c in range(self.size))


def boxes(size: int, height: int, width: int) -> tuple[Region, ...]:
    """Return the boxes of so many rows and columns, numbered in reading order.

    There are none where a box would be a row or a column, which are groups by themselves.
    """
    if 1 in (height, width):
        return ()
    corners = ((top, left) for top in range(0, size, height) for left in range(0, size, width))
    return tuple(
        Region(
            f"box {number}",
            tuple((top + r, left + c) for r in range(height) for c in range(width)),
        )
        for number, (top, left) in enumerate(corners, 1)
    )


def usual_boxes(size: int) -> tuple[int, int]:
    """Return height and width of the boxes of a board of this size, unless told otherwise.

    They are as near to a square as may be and rather wide than high: 3 × 3 of 9, 2 × 3 of 6.
    """
    height = max(h for h in range(1, size + 1) if size % h == 0 and h * h <= size)
    return height, size // height


def cell_name(place: Place) -> str:
    """Return a cell's name for people: ``r1c2``, counted from 1."""
    return f"r{place[0] + 1}c{place[1] + 1}"


def number_of(symbol: str) -> int | None:
    """Return the number that the symbol is, written as usual; else None."""
    number = whole_number(symbol)
    return number if str(number) == symbol else None


def codes(symbols: Iterable[str]) -> dict[str, int]:
    """Return the code of each symbol, in the order in which they come first.

    Numbers stand for themselves; the other symbols are numbered on after the largest number.
    """
    found = {symbol: number_of(symbol) for symbol in symbols}
    fresh = count(1 + max((number for number in found.values() if number is not None), default=0))
    return {symbol: next(fresh) if number is None else number for symbol, number in found.items()}


def usual_symbols(size: int) -> tuple[str, ...]:
    """Return the symbols of a board of this size, unless told otherwise: 1, 2, 3 and so on."""
    return tuple(map(str, range(1, size + 1)))


def unwritable(word: str) -> str:
    """Return why the word cannot be a symbol or a label, or nothing.

    Words that a file could not tell from its other parts cannot, nor those that could not be seen.
    """
    if not word or not word.isprintable() or len(word.split()) != 1 or len(word) > LONGEST_WORD:
        reason = f"these have 1 to {LONGEST_WORD} visible characters"
    elif word == EMPTY or "…" in word:
        reason = "a dot marks an empty place"
    elif word.startswith(COMMENT):
        reason = f"'{COMMENT}' begins a comment"
    elif word.lower() in KEYWORDS:
        reason = "it begins a section"
    else:
        return ""
    return f"{quoted(word)} cannot be a symbol or a label: {reason}"


def listing(symbols: Sequence[str]) -> str:
    """Return the symbols as an error names them: ``1 to 9``, or ``1, 2, 3 or π``."""
    different = list(dict.fromkeys(symbols))
    if len(different) > 2 and different == list(usual_symbols(len(different))):
        return f"1 to {len(different)}"
    if len(different) > 20:
        different[19:-1] = ["…"]
    return " or ".join(filter(None, [", ".join(different[:-1]), different[-1]]))
