r"""Kakuro: runs of different digits 1 to 9. The place before a run has its sum, as ``down\across``.

The rows of a file have ``.`` for a cell to fill, ``#`` for none, and sums: ``4\10``, ``4\`` or ``\10``. A sum
that is not printed is ``-``, ``?`` or nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from milp_pips.constraints import AllDifferent, LinearSum, Relation
from milp_pips.extras.families.boards import BoardPuzzle, Values, at, board_family, read_heading, read_rows
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.problem import Problem
from milp_pips.puzzles.drawn import cell_name
from milp_pips.render.vocabulary import Drawing, Grid, Place, Square

SUMS = re.compile(r"[.#]|(\d{1,2}|[-?])?\\(\d{1,2}|[-?])?", re.ASCII)
SUMS_FILL = "#5b616e"


class CellRun(NamedTuple):
    """The name, the sum and the cells of a run."""

    name: str
    total: int | None
    cells: list[Place]


@dataclass(frozen=True)
class Kakuro(BoardPuzzle):
    """A Kakuro."""

    family: ClassVar[str] = "kakuro"

    @property
    def cells(self) -> tuple[Place, ...]:
        """The cells to fill, in reading order."""
        return tuple((r, c) for r, row in enumerate(self.rows) for c, mark in enumerate(row) if mark == ".")

    def sums(self, place: Place) -> tuple[int | None, int | None]:
        """Return the sum of the run below this place and of the run to its right; None for no sum."""
        down, _, across = self.rows[place[0]][place[1]].partition("\\")
        return int(down) if down.isdigit() else None, int(across) if across.isdigit() else None

    def runs(self) -> list[CellRun]:
        """Return the runs; one off the edge of the board has no sum."""
        cells, found = set(self.cells), list[CellRun]()
        for r, c in self.cells:
            for i, (y, x) in enumerate(((1, 0), (0, 1))):
                before = r - y, c - x
                if before not in cells:
                    run = [(r, c)]
                    while (following := (run[-1][0] + y, run[-1][1] + x)) in cells:
                        run.append(following)
                    total = self.sums(before)[i] if min(before) >= 0 else None
                    found.append(
                        CellRun(f"the run {('down', 'across')[i]} from {cell_name((r, c))}", total, run)
                    )
        return found


def read(text: str, file: str) -> dict[str, Kakuro]:
    """Return the puzzle in a file. Raises InputError."""
    lines, _ = read_heading(text, file, "kakuro")
    rows = read_rows(lines, SUMS.fullmatch, r". or # or sums down\across: 4\10, 4\, \10")
    puzzle = Kakuro("kakuro", tuple(marks for _, marks in rows))
    cells = set(puzzle.cells)
    if not cells:
        raise lines.fault("there is no cell to fill", "a . for each")
    for r, (line, marks) in enumerate(rows):
        for c, mark in enumerate(marks):
            for total, what, first in zip(
                puzzle.sums((r, c)), ("below", "to the right of"), ((r + 1, c), (r, c + 1)), strict=True
            ):
                if total is not None and first not in cells:
                    raise line.fault(f'no cell to fill is {what} "{mark}"', "a run for each sum")
    for what, _, run in puzzle.runs():
        if len(run) > 9:
            raise rows[run[0][0]][0].fault(f"{what} has {len(run)} cells", "at most 9")
    return {"": puzzle}


def state(puzzle: Kakuro) -> Problem:
    """Return the problem: a run of cells with different values and a sum."""
    number = {cell: v for v, cell in enumerate(puzzle.cells)}
    rules: list[Constraint] = []
    for name, total, run in puzzle.runs():
        variables = tuple(number[cell] for cell in run)
        if total is not None:
            rules.append(LinearSum(variables, Relation.EQ, total, f"{name}: sum {total}"))
        if len(run) > 1:
            rules.append(AllDifferent(variables, f"{name}: no digit twice"))
    return puzzle.problem(rules)


def check(puzzle: Kakuro, solution: Values) -> str | None:
    """Return the first rule that the solution breaks, or None."""
    for name, total, run in puzzle.runs():
        digits = [at(solution, cell) for cell in run]
        if len(set(digits)) < len(digits):
            return f"{name} has a digit twice: {', '.join(map(str, digits))}"
        if total not in (None, sum(digits)):
            return f"{name}: {' + '.join(map(str, digits))} is {sum(digits)}, not {total}"
    return None


def draw(puzzle: Kakuro, solution: Values | None) -> Drawing:
    """Return the board; the places with sums are dark."""
    squares = {
        (r, c): Square() if mark == "." else Square(mark.strip("#"), fill=SUMS_FILL)
        for r, row in enumerate(puzzle.rows)
        for c, mark in enumerate(row)
    }
    return puzzle.drawing(Grid(squares), puzzle.texts(solution))


FAMILY = board_family(Kakuro, "kakuro\n# 4\\ 6\\\n\\3 . .\n\\7 . .", read, state, check, draw)
