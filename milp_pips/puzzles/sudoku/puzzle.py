"""Sudoku: fill the board so that every row, column and region holds the same symbols."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

from milp_pips.errors import InputError
from milp_pips.puzzles.sudoku.symbols import codes, number_of, unwritable

if TYPE_CHECKING:
    from milp_pips.drawing import Drawing
    from milp_pips.problem import Assignment, Problem

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
class Sudoku:
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

    def state(self) -> Problem:
        """State the puzzle: a variable per cell in reading order, whose value is the code of its symbol.

        Its only key is ``grid``: all cells.
        """
        from milp_pips.puzzles.sudoku.statement import state

        return state(self)

    def decode(self, assignment: Assignment) -> Rows:
        """Return the symbols of the board; an empty text where the assignment has no code of one."""
        n = self.size
        symbol = {value: word for word, value in codes(self.holds).items()}
        return tuple(tuple(symbol.get(assignment[n * r + c], "") for c in range(n)) for r in range(n))

    def encode(self, solution: Rows) -> dict[int, int]:
        """Return the values of all variables."""
        code = codes(self.holds)
        return dict(enumerate(code[symbol] for row in solution for symbol in row))

    def check(self, solution: Rows) -> str | None:
        """Return the first rule of the game that the solution breaks, or None."""
        from milp_pips.puzzles.sudoku.rules import broken

        return broken(self, solution)

    def draw(self, solution: Rows | None = None) -> Drawing:
        """Return the board with its givens, or with the solution, the givens marked."""
        from milp_pips.puzzles.sudoku.picture import draw

        return draw(self, solution)

    def _repr_svg_(self) -> str:
        from milp_pips.drawing import to_svg

        return to_svg(self.draw())

    def solution_to_json(self, solution: Rows) -> dict[str, Any]:
        """Return ``grid``: rows of numbers, and of texts for symbols that are none."""
        from milp_pips.puzzles.sudoku.solution_files import to_json

        return to_json(solution)

    def read_solution(self, text: str, file: str = "") -> Rows:
        """Read a solution file, text or JSON. Raises InputError."""
        from milp_pips.puzzles.sudoku.solution_files import read

        return read(self, text, file)

    def write_solution(self, solution: Rows) -> str:
        """Return the text of a solution file: rows of symbols."""
        from milp_pips.puzzles.sudoku.solution_files import write

        return write(solution)


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
