"""Futoshiki: every number once in every row and column, and signs that say which of two cells is less."""

import re
from dataclasses import dataclass
from typing import ClassVar

from milp_pips.drawing import Drawing, Grid, Square, neighbours
from milp_pips.problem import AllDifferent, Assignment, Constraint, Less, Problem, Variable
from milp_pips.puzzles.family import Family, Puzzle
from milp_pips.puzzles.located import Line, Lines

Cell = tuple[int, int]
Numbers = tuple[tuple[int, ...], ...]  # the rows; of givens, 0 for none


@dataclass(frozen=True)
class Futoshiki(Puzzle):
    family: ClassVar[str] = "futoshiki"

    name: str
    givens: Numbers
    less: tuple[tuple[Cell, Cell], ...]  # the lesser cell first
    published: None = None


def read(text: str, file: str) -> dict[str, Futoshiki]:
    lines = Lines(text, file)
    line = lines.required("futoshiki")
    if line.text != "futoshiki":
        raise line.fault(f"this is {line.text!r}", "futoshiki")
    first = lines.required("the first row")
    size = len(first.words())
    rows = [first, *(lines.required(f"row {r} of {size}") for r in range(2, size + 1))]
    givens = tuple(numbers(row, size) for row in rows)
    return {"": Futoshiki("futoshiki", givens, tuple(sign(line, size) for line in lines))}


def numbers(line: Line, size: int) -> tuple[int, ...]:
    words = ["0" if word == "." else word for word in line.words()]
    if len(words) != size:
        raise line.fault(f"the row has {len(words)} cells", f"{size}, as in the first row")
    return tuple(line.integer(word, "a number", 0, size) for word in words)


def sign(line: Line, size: int) -> tuple[Cell, Cell]:
    found = re.fullmatch(r"r(\d)c(\d) *([<>]) *r(\d)c(\d)", line.text)
    if not found:
        raise line.fault(f"this is {line.text!r}", "two cells and which is less: r1c1 < r1c2")
    a, b, how, c, d = found.groups()
    one, other = (int(a) - 1, int(b) - 1), (int(c) - 1, int(d) - 1)
    if other not in neighbours(one) or not all(0 <= i < size for i in one + other):
        raise line.fault("these are not two neighbours on the board")
    return (one, other) if how == "<" else (other, one)


def name(cell: Cell) -> str:
    return f"r{cell[0] + 1}c{cell[1] + 1}"


def state(puzzle: Futoshiki) -> Problem:
    size = len(puzzle.givens)
    variables = tuple(
        Variable(name((r, c)), (given,) if given else tuple(range(1, size + 1)))
        for r, row in enumerate(puzzle.givens)
        for c, given in enumerate(row)
    )
    rules: list[Constraint] = []
    for i in range(size):
        rules.append(AllDifferent(tuple(size * i + j for j in range(size)), f"row {i + 1}"))
        rules.append(AllDifferent(tuple(size * j + i for j in range(size)), f"column {i + 1}"))
    for (a, b), (c, d) in puzzle.less:
        rules.append(Less((size * a + b, size * c + d), label=f"{name((a, b))} < {name((c, d))}"))
    return Problem(variables, tuple(rules), {"grid": tuple(range(size * size))})


def decode(puzzle: Futoshiki, assignment: Assignment) -> Numbers:
    size = len(puzzle.givens)
    return tuple(tuple(assignment[size * r + c] for c in range(size)) for r in range(size))


def check(puzzle: Futoshiki, solution: Numbers) -> str | None:
    for r, row in enumerate(puzzle.givens):
        for c, given in enumerate(row):
            if given not in (0, solution[r][c]):
                return f"{name((r, c))} is {given}"
    for what, lines in (("row", solution), ("column", zip(*solution, strict=True))):
        for i, line in enumerate(lines, 1):
            if sorted(line) != list(range(1, len(line) + 1)):
                return f"{what} {i} has not every number once"
    for (a, b), (c, d) in puzzle.less:
        if not solution[a][b] < solution[c][d]:
            return f"{name((a, b))} is not less than {name((c, d))}"
    return None


def draw(puzzle: Futoshiki, solution: Numbers | None) -> Drawing:
    squares = {
        (r, c): Square(str(number or ""), strong=bool(solution and puzzle.givens[r][c]))
        for r, row in enumerate(solution or puzzle.givens)
        for c, number in enumerate(row)
    }
    signs = {}
    for lesser, greater in puzzle.less:
        signs[min(lesser, greater), max(lesser, greater)] = (
            ("<" if lesser < greater else ">")
            if lesser[0] == greater[0]
            else "^"
            if lesser < greater
            else "v"
        )
    return Drawing(puzzle.name, Grid(squares, signs=signs), places=dict(enumerate(squares)))


def read_solution(puzzle: Futoshiki, text: str, file: str) -> Numbers:
    size = len(puzzle.givens)
    lines = Lines(text, file)
    return tuple(numbers(lines.required(f"row {r} of {size}"), size) for r in range(1, size + 1))


FAMILY = Family(
    name="futoshiki",
    examples=("futoshiki\n. . 3\n. . .\n. . .\nr1c1 < r1c2\n",),
    recognises=lambda text: text.lstrip().startswith("futoshiki"),
    read=read,
    state=state,
    decode=decode,
    encode=lambda _, solution: dict(enumerate(number for row in solution for number in row)),
    check=check,
    draw=draw,
    to_json=lambda _, solution: {"grid": [list(row) for row in solution]},
    read_solution=read_solution,
    write_solution=lambda _, solution: "".join(f"{' '.join(map(str, row))}\n" for row in solution),
)
