r"""Kakuro: runs of different digits 1 to 9; the cell before a run has its sum, as ``down\across``."""

import re
from dataclasses import dataclass
from typing import ClassVar

from milp_pips.constraints import AllDifferent, LinearSum, Relation
from milp_pips.problem.constraint import Assignment, Constraint
from milp_pips.problem.problem import Problem, Variable
from milp_pips.puzzles.family import Family
from milp_pips.puzzles.located import Line, Lines
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.render.vocabulary import Drawing, Grid, Square

Cell = tuple[int, int]
Digits = dict[Cell, int]


@dataclass(frozen=True)
class Kakuro(Puzzle):
    family: ClassVar[str] = "kakuro"

    name: str
    rows: tuple[tuple[str, ...], ...]  # "." for a cell to fill, "#" for none; clues as 4\10, 4\ or \10
    published: None = None

    def cells(self) -> list[Cell]:
        return [(r, c) for r, row in enumerate(self.rows) for c, word in enumerate(row) if word == "."]


def read(text: str, file: str) -> dict[str, Kakuro]:
    lines = Lines(text, file)
    line = lines.required("kakuro")
    if line.text != "kakuro":
        raise line.fault(f"this is {line.text!r}", "kakuro")
    rows: list[tuple[str, ...]] = []
    for line in lines:
        rows.append(clues(line, len(rows[0]) if rows else 0))
    return {"": Kakuro("kakuro", tuple(rows))}


def clues(line: Line, width: int) -> tuple[str, ...]:
    words = tuple(line.words())
    if width and len(words) != width:
        raise line.fault(f"the row has {len(words)} cells", f"{width}, as in the first row")
    for word in words:
        if not re.fullmatch(r"\.|#|\d{0,2}\\\d{0,2}", word):
            raise line.fault(f"a cell is {word!r}", r". or # or sums down\across: 4\10, 4\, \10")
    return words


def runs(puzzle: Kakuro) -> list[tuple[str, int, list[Cell]]]:
    """Return what each run is called, its sum and its cells."""
    cells, found = set(puzzle.cells()), []
    for r, row in enumerate(puzzle.rows):
        for c, word in enumerate(row):
            down, _, across = word.partition("\\")
            for total, what, (y, x) in ((down, "down", (1, 0)), (across, "across", (0, 1))):
                if total.isdigit():
                    run, here = list[Cell](), (r + y, c + x)
                    while here in cells:
                        run.append(here)
                        here = here[0] + y, here[1] + x
                    found.append((f"{what} from {name((r + y, c + x))}", int(total), run))
    return found


def name(cell: Cell) -> str:
    return f"r{cell[0] + 1}c{cell[1] + 1}"


def state(puzzle: Kakuro) -> Problem:
    number = {cell: v for v, cell in enumerate(puzzle.cells())}
    rules: list[Constraint] = []
    for what, total, run in runs(puzzle):
        variables = tuple(number[cell] for cell in run)
        rules.append(LinearSum(variables, Relation.EQ, total, f"{what}: sum {total}"))
        rules.append(AllDifferent(variables, f"{what}: no digit twice"))
    variables = tuple(Variable(name(cell), tuple(range(1, 10))) for cell in number)
    return Problem(variables, tuple(rules), {"grid": tuple(number.values())})


def decode(puzzle: Kakuro, assignment: Assignment) -> Digits:
    return {cell: assignment[v] for v, cell in enumerate(puzzle.cells())}


def check(puzzle: Kakuro, solution: Digits) -> str | None:
    for what, total, run in runs(puzzle):
        digits = [solution[cell] for cell in run]
        if sum(digits) != total or len(set(digits)) < len(digits):
            return f"{what}: {' + '.join(map(str, digits))} is not {total} of different digits"
    return None


def draw(puzzle: Kakuro, solution: Digits | None) -> Drawing:
    squares = {
        (r, c): Square("" if word == "#" else word, fill="#b8bcc4")
        if word != "."
        else Square(str(solution[r, c]) if solution else "")
        for r, row in enumerate(puzzle.rows)
        for c, word in enumerate(row)
    }
    return Drawing(puzzle.name, Grid(squares), places=dict(enumerate(puzzle.cells())))


def grid(puzzle: Kakuro, solution: Digits) -> list[list[int | None]]:
    return [[solution.get((r, c)) for c in range(len(row))] for r, row in enumerate(puzzle.rows)]


def read_solution(puzzle: Kakuro, text: str, file: str) -> Digits:
    lines, found = Lines(text, file), Digits()
    for r, row in enumerate(puzzle.rows):
        line = lines.required(f"row {r + 1} of {len(puzzle.rows)}")
        words = line.words()
        if len(words) != len(row):
            raise line.fault(f"the row has {len(words)} cells", str(len(row)))
        found |= {
            (r, c): line.integer(words[c], "a digit", 1, 9) for c, word in enumerate(row) if word == "."
        }
    return found


FAMILY = Family(
    name="kakuro",
    examples=("kakuro\n# 4\\ 3\\\n\\4 . .\n\\3 . .\n",),
    recognises=lambda text: text.lstrip().startswith("kakuro"),
    read=read,
    state=state,
    decode=decode,
    encode=lambda puzzle, solution: {v: solution[cell] for v, cell in enumerate(puzzle.cells())},
    check=check,
    draw=draw,
    to_json=lambda puzzle, solution: {"grid": grid(puzzle, solution)},
    read_solution=read_solution,
    write_solution=lambda puzzle, solution: "".join(
        f"{' '.join(str(digit or '#') for digit in row)}\n" for row in grid(puzzle, solution)
    ),
)
