"""Skyscrapers: the heights 1 to n once in every row and column; a clue counts the towers seen from its side.

A higher tower hides the lower ones behind it. The file shows the board with the clues around it, ``.`` for no
clue and an open cell, and ``#`` in the corners. The line ``diagonals`` above it makes lines of the two
diagonals; ``heights 4`` bounds the heights, and the other cells of each line stay empty: ``-``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import ClassVar, NamedTuple

from milp_pips.constraints import AllDifferent, Automaton, Cardinality, Regular
from milp_pips.extras.families.boards import (
    BoardPuzzle,
    Values,
    board_family,
    read_heading,
    read_rows,
    read_variants,
)
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.problem import Problem
from milp_pips.puzzles.drawn import cell_name
from milp_pips.render.vocabulary import Drawing, Grid, Place, Square

MOST_TOWERS = 20
"""The most towers of a row."""
NO_TOWER = "-"
DIAGONALS, HEIGHTS = "diagonals", "heights 4"


class Clue(NamedTuple):
    """A clue: its name, the number of towers seen, and the cells from its side on."""

    side: str
    seen: int
    cells: list[Place]


@dataclass(frozen=True)
class Skyscrapers(BoardPuzzle):
    """A Skyscrapers puzzle.

    ``rows`` has the frame of clues, too. ``tallest`` is the greatest height, 0 for the length of a row.
    """

    family: ClassVar[str] = "skyscrapers"
    has_givens: ClassVar = True

    diagonals: bool = False
    tallest: int = 0

    @property
    def variants(self) -> tuple[str, ...]:
        """The lines of variants in its file."""
        return (DIAGONALS,) * self.diagonals + (f"heights {self.tallest}",) * (self.tallest > 0)

    @property
    def size(self) -> tuple[int, int]:
        """The numbers of rows and columns, without the clues."""
        return len(self.rows) - 2, len(self.rows) - 2

    @property
    def highest(self) -> int:
        """The greatest height."""
        return self.tallest or self.size[0]

    @property
    def symbols(self) -> dict[int, str]:
        """The heights, and the mark of a cell without a tower if there are any."""
        heights = {height: str(height) for height in range(1, self.highest + 1)}
        return heights if self.highest == self.size[0] else {0: NO_TOWER, **heights}

    def clues(self) -> list[Clue]:
        """Return the clues."""
        n = self.size[0]
        found = list[Clue]()
        for i in range(n):
            across, down = [(i, k) for k in range(n)], [(k, i) for k in range(n)]
            for side, cells, mark in (
                (f"row {i + 1} from the left", across, self.rows[i + 1][0]),
                (f"row {i + 1} from the right", across[::-1], self.rows[i + 1][-1]),
                (f"column {i + 1} from above", down, self.rows[0][i + 1]),
                (f"column {i + 1} from below", down[::-1], self.rows[-1][i + 1]),
            ):
                if mark != ".":
                    found.append(Clue(side, int(mark), cells))
        return found


def read(text: str, file: str) -> dict[str, Skyscrapers]:
    """Return the puzzle in a file. Raises InputError."""
    lines, _ = read_heading(text, file, "skyscrapers")
    variants = read_variants(lines, DIAGONALS, HEIGHTS)
    known = "number, . or, in a corner, #" if HEIGHTS not in variants else "number, -, . or, in a corner, #"
    rows = read_rows(lines, lambda mark: mark in known[8:] or mark.isdecimal(), f"a {known}")
    n = len(rows) - 2
    if not 1 <= n <= MOST_TOWERS or len(rows[0][1]) != n + 2:
        what = f"there are {len(rows)} rows of {len(rows[0][1])} marks"
        raise lines.fault(what, f"a square of up to {MOST_TOWERS} rows, with clues on all sides")
    for r, (line, marks) in enumerate(rows):
        for c, mark in enumerate(marks):
            in_corner = r in (0, n + 1) and c in (0, n + 1)
            if in_corner != (mark == "#"):
                raise line.fault(f'mark {c + 1} is "{mark}"', "# in the four corners and nowhere else")
            if mark not in (".", "#", NO_TOWER):
                line.integer(mark, "a mark", 1, n)
            if mark == NO_TOWER and {r, c} & {0, n + 1}:
                raise line.fault(f'mark {c + 1} is "{mark}"', "a number or . around the board")
    heights = variants.get(HEIGHTS)
    tallest = 0 if heights is None else heights.integer(heights.words()[1], "the greatest height", 1, n)
    board = tuple(marks for _, marks in rows)
    puzzle = Skyscrapers("skyscrapers", board, diagonals=DIAGONALS in variants, tallest=tallest)
    for (r, c), mark in puzzle.marks.items():
        if mark not in puzzle.symbols.values():
            raise rows[r + 1][0].fault(f"{cell_name((r, c))} is {mark}", f"at most {puzzle.highest}")
    return {"": puzzle}


@cache
def sight(n: int, seen: int) -> Automaton:
    """Return the automaton for rows of heights up to n, and of 0, that show this number of towers.

    A state is the highest tower so far and the number of towers seen: ``height * (n + 1) + count``.
    """
    arcs = [
        (top * (n + 1) + count, height, max(top, height) * (n + 1) + count + (height > top))
        for top in range(n + 1)
        for count in range(min(top, seen) + 1)
        for height in range(n + 1)
        if height <= top or count < seen
    ]
    return Automaton(0, frozenset({n * (n + 1) + seen}), tuple(arcs))


def state(puzzle: Skyscrapers) -> Problem:
    """Return the problem: a row is a word of the automaton of each of its clues."""
    n, number = puzzle.size[0], {cell: v for v, cell in enumerate(puzzle.cells)}
    lines = dict[str, tuple[int, ...]]()
    for i in range(n):
        lines[f"row {i + 1}"] = tuple(range(i * n, (i + 1) * n))
        lines[f"column {i + 1}"] = tuple(range(i, n * n, n))
    if puzzle.diagonals and n > 1:
        lines["the diagonal from the top left"] = tuple(range(0, n * n, n + 1))
        lines["the diagonal from the top right"] = tuple(range(n - 1, n * n - 1, n - 1))
    often = tuple(
        (height, 1, 1) if height else (0, n - puzzle.highest, n - puzzle.highest) for height in puzzle.symbols
    )
    rules: list[Constraint] = [
        AllDifferent(line, name) if puzzle.highest == n else Cardinality(line, often, name)
        for name, line in lines.items()
    ]
    for side, seen, cells in puzzle.clues():
        label = f"{side}: {seen} tower{'s' * (seen > 1)} seen"
        rules.append(Regular(tuple(number[cell] for cell in cells), sight(puzzle.highest, seen), label))
    return puzzle.problem(rules)


def check(puzzle: Skyscrapers, solution: Values) -> str | None:
    """Return the first rule that the solution breaks, or None."""
    if fault := puzzle.changed_given(solution):
        return fault
    lines = [(f"row {r}", list(row)) for r, row in enumerate(solution, 1)]
    lines += [(f"column {c}", list(column)) for c, column in enumerate(zip(*solution, strict=True), 1)]
    if puzzle.diagonals:
        lines.append(("the diagonal from the top left", [row[i] for i, row in enumerate(solution)]))
        lines.append(("the diagonal from the top right", [row[-1 - i] for i, row in enumerate(solution)]))
    for name, line in lines:
        towers = [height for height in line if height]
        if len(set(towers)) < len(towers):
            return f"a height occurs twice in {name}"
        if len(towers) != puzzle.highest:
            return f"{name} has {len(towers)} towers, not {puzzle.highest}"
    for side, seen, cells in puzzle.clues():
        visible = {top for top in accumulate((solution[r][c] or 0 for r, c in cells), max) if top}
        if len(visible) != seen:
            return f"{side}: {len(visible)} towers are seen, not {seen}"
    return None


def draw(puzzle: Skyscrapers, solution: Values | None) -> Drawing:
    """Return the board with its givens and with the clues on its sides."""
    n = puzzle.size[0]
    squares = puzzle.given_squares(solution)
    columns = list(zip(*puzzle.rows, strict=True))
    sides = (columns[0], columns[-1], puzzle.rows[0], puzzle.rows[-1])
    left, right, above, below = (
        {i: (Square(side[i + 1]),) for i in range(n) if side[i + 1] != "."} for side in sides
    )
    grid = Grid(squares, left=left, right=right, above=above, below=below)
    return puzzle.drawing(grid, puzzle.texts(solution))


FAMILY = board_family(
    Skyscrapers, "skyscrapers\n# . 3 . #\n2 . . . .", read, state, check, draw, (DIAGONALS, HEIGHTS)
)
