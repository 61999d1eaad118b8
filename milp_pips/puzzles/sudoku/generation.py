"""New Sudokus, ordinary and jigsaw: a random filling, and givens taken away while logic still solves it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from milp_pips.chance import Chance
from milp_pips.errors import UsageError
from milp_pips.puzzles.family import Drawn, Format, Option
from milp_pips.puzzles.located_text import whole_number
from milp_pips.puzzles.partition import partition
from milp_pips.puzzles.sudoku.puzzle import Place, Region, Rows, Sudoku, boxes, usual_boxes
from milp_pips.puzzles.sudoku.singles import Board
from milp_pips.puzzles.sudoku.symbols import usual_symbols
from milp_pips.puzzles.sudoku.writing import write

USUAL_SIZE, LEAST_SIZE, MOST_SIZE = 9, 2, 16
MOST_JIGSAW = 10
"""Pieces of more rows than that can hardly ever be filled."""
BOXES, JIGSAW = "boxes", "jigsaw"


def _number(name: str, low: int, high: int, text: str) -> int:
    number = whole_number(text)
    if number is None or not low <= number <= high:
        raise UsageError(f"--{name}: {text!r} is no whole number from {low} to {high}")
    return number


def _regions(text: str) -> str:
    if text not in (BOXES, JIGSAW):
        raise UsageError(f"--regions: {text!r} is neither {BOXES} nor {JIGSAW}")
    return text


options: Sequence[Option] = (
    Option(
        "size",
        "N",
        f"rows, columns and symbols, {LEAST_SIZE} to {MOST_SIZE} (default: {USUAL_SIZE})",
        lambda text: _number("size", LEAST_SIZE, MOST_SIZE, text),
    ),
    Option("regions", "KIND", "boxes or jigsaw (default: boxes)", _regions),
    Option(
        "givens",
        "N",
        "at least so many symbols are given (default: as few as it goes)",
        lambda text: _number("givens", 0, MOST_SIZE**2, text),
    ),
)
formats: Mapping[str, Format] = {"text": Format(".txt", write, with_solution=True)}


def maker(wanted: Mapping[str, Any]) -> SudokuMaker:
    """Return what makes Sudokus of this kind; see ``options``. Raises UsageError where none can be."""
    size, givens = wanted.get("size", USUAL_SIZE), wanted.get("givens", 0)
    if givens > size**2:
        raise UsageError(f"{givens} givens, but the board has {size**2} cells")
    jigsaw = wanted.get("regions", BOXES) == JIGSAW
    if jigsaw and size > MOST_JIGSAW:
        raise UsageError(f"--size: a jigsaw Sudoku is made with at most {MOST_JIGSAW} rows, not {size}")
    return SudokuMaker(size, jigsaw, givens)


@dataclass(frozen=True, slots=True)
class SudokuMaker:
    """Makes Sudokus of one size, of boxes or of jigsaw regions, with at least so many givens."""

    size: int
    jigsaw: bool
    givens: int

    def draw(self, name: str, chance: Chance) -> Drawn | None:
        """Return a Sudoku that is solved without guessing, and so has one solution; see ``Maker``."""
        regions = self._regions(chance)
        if regions is None:
            return None
        cells = [(r, c) for r in range(self.size) for c in range(self.size)]
        board = Board(self.size, cells, [region.cells for region in regions])
        filling = board.filled(chance)
        if filling is None:
            return None
        given = dict(filling)
        for cell in chance.shuffled(cells):
            if len(given) == self.givens:
                break
            kept = given.pop(cell)
            if not board.solved_by_singles(given):
                given[cell] = kept
        hidden = self._rows(filling)
        holds = usual_symbols(self.size)
        return Drawn(Sudoku(name, holds, self._rows(given), regions, published=hidden), hidden)

    def tightened(self, drawn: Drawn, taken: Mapping[int, Mapping[int, int]], chance: Chance) -> Drawn | None:
        """Return the Sudoku with one more symbol given, in an open cell; see ``Maker``."""
        puzzle: Sudoku = drawn.puzzle
        closed = {cell for i, cell in enumerate(puzzle.cells) if taken and len(taken[i]) == 1}
        cells = [cell for cell in puzzle.cells if not puzzle.givens[cell[0]][cell[1]] and cell not in closed]
        if not cells:
            return None
        row, column = chance.one_of(cells)
        return _with_given(drawn, (row, column), drawn.hidden[row][column])

    def loosened(self, drawn: Drawn, chance: Chance) -> Drawn | None:
        """Return the Sudoku with a symbol less given; see ``Maker``."""
        puzzle: Sudoku = drawn.puzzle
        given = [cell for cell in puzzle.cells if puzzle.givens[cell[0]][cell[1]]]
        return _with_given(drawn, chance.one_of(given), "") if len(given) > self.givens else None

    def _regions(self, chance: Chance) -> tuple[Region, ...] | None:
        if not self.jigsaw:
            return boxes(self.size, *usual_boxes(self.size))
        cells = [(r, c) for r in range(self.size) for c in range(self.size)]
        pieces = partition(cells, (self.size,), chance)
        if pieces is None:
            return None
        ordered = sorted(sorted(piece) for piece in pieces)
        names = (f"region {letter}" for letter in ascii_uppercase)
        return tuple(Region(name, tuple(piece)) for name, piece in zip(names, ordered, strict=False))

    def _rows(self, shown: Mapping[Place, int]) -> Rows:
        symbols = usual_symbols(self.size)
        return tuple(
            tuple(symbols[shown[r, c]] if (r, c) in shown else "" for c in range(self.size))
            for r in range(self.size)
        )


def _with_given(drawn: Drawn, cell: Place, symbol: str) -> Drawn:
    puzzle: Sudoku = drawn.puzzle
    rows = [list(row) for row in puzzle.givens]
    rows[cell[0]][cell[1]] = symbol
    givens = tuple(map(tuple, rows))
    changed = Sudoku(puzzle.name, puzzle.holds, givens, puzzle.regions, published=drawn.hidden)
    return Drawn(changed, drawn.hidden)
