"""Binairo or Takuzu: as many 0s as 1s in every line, no three alike in a row, and no two lines alike.

The rows of a file have 0, 1, and a dot for an open cell. The line ``equal lines`` above them drops the last
rule, as in Unruly and in many printed puzzles.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from milp_pips.constraints import LinearSum, Regular, Relation
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
from milp_pips.puzzles.regular_expressions import compile_expression
from milp_pips.render.vocabulary import Drawing, Grid

LINES_DIFFER = compile_expression("(00|11)*(01|10).*", {"0": 0, "1": 1})
"""Accepts two different lines: a cell of the one, a cell of the other, and so on."""
EQUAL_LINES = "equal lines"


@dataclass(frozen=True)
class Binairo(BoardPuzzle):
    """A Binairo; ``may_repeat`` is whether lines may be equal."""

    family: ClassVar[str] = "binairo"
    usual_symbols: ClassVar = {0: "0", 1: "1"}
    has_givens: ClassVar = True

    may_repeat: bool = False

    @property
    def variants(self) -> tuple[str, ...]:
        """The lines of variants in its file."""
        return (EQUAL_LINES,) * self.may_repeat


def read(text: str, file: str) -> dict[str, Binairo]:
    """Return the puzzle in a file. Raises InputError."""
    lines, _ = read_heading(text, file, "binairo")
    variants = read_variants(lines, EQUAL_LINES)
    rows = tuple(marks for _, marks in read_rows(lines, {*"01."}.__contains__, "0, 1, or . for an open cell"))
    if len(rows) % 2 or len(rows[0]) % 2:
        what = f"the board has {len(rows)} rows of {len(rows[0])} cells"
        raise lines.fault(what, "even numbers of rows and of columns")
    return {"": Binairo("binairo", rows, may_repeat=EQUAL_LINES in variants)}


def state(puzzle: Binairo) -> Problem:
    """Return the problem. That two lines differ is a word of their cells in turn."""
    height, width = puzzle.size
    rows = [tuple(range(r * width, (r + 1) * width)) for r in range(height)]
    rules: list[Constraint] = []
    for what, lines in (("row", rows), ("column", list(zip(*rows, strict=True)))):
        for number, line in enumerate(lines, 1):
            half = len(line) // 2
            rules.append(LinearSum(line, Relation.EQ, half, f"{what} {number}: as many 0s as 1s"))
            for i in range(len(line) - 2):
                three = line[i : i + 3]
                first, _, last = (cell_name(puzzle.cells[v]) for v in three)
                label = f"the triple {first} to {last}: at most two"
                rules.append(LinearSum(three, Relation.GE, 1, f"{label} 0s"))
                rules.append(LinearSum(three, Relation.LE, 2, f"{label} 1s"))
        for (i, one), (j, other) in () if puzzle.may_repeat else combinations(enumerate(lines, 1), 2):
            turns = tuple(v for pair in zip(one, other, strict=True) for v in pair)
            rules.append(Regular(turns, LINES_DIFFER, f"the pair of {what}s {i} and {j}: different"))
    return puzzle.problem(rules)


def check(puzzle: Binairo, solution: Values) -> str | None:
    """Return the first rule that the solution breaks, or None."""
    if fault := puzzle.changed_given(solution):
        return fault
    for what, lines in (("row", solution), ("column", list(zip(*solution, strict=True)))):
        for number, line in enumerate(lines, 1):
            text = "".join(map(str, line))
            if text.count("0") != text.count("1"):
                return f"{what} {number} has {text.count('0')} 0s and {text.count('1')} 1s"
            if "000" in text or "111" in text:
                return f"{what} {number} has three equal cells in a row"
        for (i, one), (j, other) in combinations(enumerate(lines, 1), 2):
            if one == other and not puzzle.may_repeat:
                return f"{what}s {i} and {j} are equal"
    return None


def draw(puzzle: Binairo, solution: Values | None) -> Drawing:
    """Return the board with its givens, which stand out in a solution."""
    return puzzle.drawing(Grid(puzzle.given_squares(solution)), puzzle.texts(solution))


FAMILY = board_family(Binairo, "binairo\n.1..\n..0.", read, state, check, draw, (EQUAL_LINES,))
