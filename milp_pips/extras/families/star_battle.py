"""Star Battle: every row, column and region has the same number of stars, and no two stars touch.

Stars touch at corners, too. The heading has the number of stars, and each row a letter for each cell: its
region.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from milp_pips.constraints import LinearSum, Relation
from milp_pips.extras.families.boards import BoardPuzzle, Values, board_family, read_heading, read_rows
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.problem import Problem
from milp_pips.puzzles.drawn import cell_name, warn_of_separate_areas
from milp_pips.render.vocabulary import Drawing, Grid, Place, Square, borders


@dataclass(frozen=True)
class StarBattle(BoardPuzzle):
    """A Star Battle; ``rows`` has the letter of each cell's region."""

    family: ClassVar[str] = "star-battle"
    usual_symbols: ClassVar = {0: ".", 1: "*"}
    value_names: ClassVar = {0: "empty", 1: "starred"}

    stars: int = 1

    @property
    def heading(self) -> str:
        """The first line of its file."""
        return f"{self.family} {self.stars}"

    def shown(self, cell: Place) -> dict[int, str]:  # noqa: ARG002
        """Return the texts of the values in the pictures of hints."""
        return {0: "·", 1: "★"}

    @property
    def regions(self) -> dict[Place, str]:
        """The letter of each cell's region."""
        return {(r, c): self.rows[r][c] for r, c in self.cells}

    def groups(self) -> dict[str, list[Place]]:
        """Return the cells of each row, column and region, by its name."""
        found: dict[str, list[Place]] = {}
        for (r, c), letter in self.regions.items():
            for name in (f"row {r + 1}", f"column {c + 1}", f"region {letter}"):
                found.setdefault(name, []).append((r, c))
        return found


def read(text: str, file: str) -> dict[str, StarBattle]:
    """Return the puzzle in a file. Raises InputError."""
    lines, line = read_heading(text, file, "star-battle 2")
    stars = line.integer(line.words()[1], "the number of stars", 1, 9)
    drawn = read_rows(lines, str.isalnum, "a letter for its region")
    rows = tuple(marks for _, marks in drawn)
    regions = len({mark for row in rows for mark in row})
    if not len(rows) == len(rows[0]) == regions:
        what = f"the board has {len(rows)} rows, {len(rows[0])} columns and {regions} regions"
        raise lines.fault(what, "as many rows as columns and as regions")
    puzzle = StarBattle("star-battle", rows, stars=stars)
    areas: dict[str, list[Place]] = {}
    for cell, letter in puzzle.regions.items():
        areas.setdefault(letter, []).append(cell)
    warn_of_separate_areas(areas, {r: line for r, (line, _) in enumerate(drawn)}, "region")
    return {"": puzzle}


def state(puzzle: StarBattle) -> Problem:
    """Return the problem: 1 is a star. Of four cells around a corner, at most one has a star."""
    number = {cell: v for v, cell in enumerate(puzzle.cells)}
    says = f"{puzzle.stars} star{'s' * (puzzle.stars > 1)}"
    rules: list[Constraint] = [
        LinearSum(tuple(number[cell] for cell in group), Relation.EQ, puzzle.stars, f"{name}: {says}")
        for name, group in puzzle.groups().items()
    ]
    for r, c in puzzle.cells:
        if (r + 1, c + 1) in number:
            square = [number[cell] for cell in ((r, c), (r, c + 1), (r + 1, c), (r + 1, c + 1))]
            label = f"the square at {cell_name((r, c))}: at most 1 star"
            rules.append(LinearSum(tuple(square), Relation.LE, 1, label))
    return puzzle.problem(rules)


def check(puzzle: StarBattle, solution: Values) -> str | None:
    """Return the first rule that the solution breaks, or None."""
    stars = [(r, c) for r, row in enumerate(solution) for c, value in enumerate(row) if value]
    for (a, b), (c, d) in combinations(stars, 2):
        if abs(a - c) <= 1 and abs(b - d) <= 1:
            return f"the stars in {cell_name((a, b))} and {cell_name((c, d))} touch"
    for name, group in puzzle.groups().items():
        if (found := len(set(group).intersection(stars))) != puzzle.stars:
            return f"{name} has {found} stars, not {puzzle.stars}"
    return None


def draw(puzzle: StarBattle, solution: Values | None) -> Drawing:
    """Return the regions with thick borders, and the stars."""
    squares = dict.fromkeys(puzzle.cells, Square())
    stars = {cell: "★" if symbol == "*" else "" for cell, symbol in puzzle.texts(solution).items()}
    return puzzle.drawing(Grid(squares, walls=borders(puzzle.regions)), stars)


FAMILY = board_family(StarBattle, "star-battle 1\nAABB\nACCB", read, state, check, draw)
