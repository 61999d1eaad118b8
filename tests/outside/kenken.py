"""KenKen: every number once in every row and column, and cages whose numbers come to a result."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import ClassVar

from milp_pips.constraints import AllDifferent, LinearSum, Relation, Table
from milp_pips.problem.constraint import Assignment, Constraint
from milp_pips.problem.problem import Problem, Variable
from milp_pips.puzzles.family import Family
from milp_pips.puzzles.located import Line, Lines
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.render.vocabulary import Drawing, Grid, Square

Cell = tuple[int, int]
Numbers = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Cage:
    name: str
    result: int
    sign: str  # "+", "-", "x" or "/"; the latter for two cells, in either order
    cells: tuple[Cell, ...]

    def __str__(self) -> str:
        return f"{self.result}{self.sign}"

    def comes_to_it(self, numbers: Sequence[int]) -> bool:
        match self.sign:
            case "+":
                return sum(numbers) == self.result
            case "x":
                return prod(numbers) == self.result
            case "-":
                return max(numbers) - min(numbers) == self.result
        return max(numbers) == self.result * min(numbers)


@dataclass(frozen=True)
class KenKen(Puzzle):
    family: ClassVar[str] = "kenken"

    name: str
    size: int
    cages: tuple[Cage, ...]
    published: None = None


def read(text: str, file: str) -> dict[str, KenKen]:
    lines = Lines(text, file)
    line = lines.required("kenken")
    if line.text != "kenken":
        raise line.fault(f"this is {line.text!r}", "kenken")
    first = lines.required("the first row")
    size = len(first.words())
    cells: dict[str, list[Cell]] = {}
    for r, line in enumerate([first, *(lines.required(f"row {r} of {size}") for r in range(2, size + 1))]):
        if len(line.words()) != size:
            raise line.fault(f"the row has {len(line.words())} cells", f"{size}, as in the first row")
        for c, letter in enumerate(line.words()):
            cells.setdefault(letter, []).append((r, c))
    cages = [cage(line, cells) for line in lines]
    if missing := cells.keys() - {cage.name for cage in cages}:
        raise lines.fault(f"there is no result for cage {min(missing)}", f"a line like {min(missing)} 6x")
    return {"": KenKen("kenken", size, tuple(cages))}


def cage(line: Line, cells: dict[str, list[Cell]]) -> Cage:
    found = re.fullmatch(r"(\S+) +(\d{1,9})([-+x/]?)", line.text)
    if not found or found[1] not in cells:
        raise line.fault(f"this is {line.text!r}", "a cage and its result: A 6x")
    inside = tuple(cells[found[1]])
    if found[3] in ("-", "/") and len(inside) != 2:
        raise line.fault(f"cage {found[1]} has {len(inside)} cells", f"two, for {found[3]}")
    return Cage(found[1], int(found[2]), found[3] or "+", inside)


def state(puzzle: KenKen) -> Problem:
    size, numbers = puzzle.size, range(1, puzzle.size + 1)
    rules: list[Constraint] = []
    for i in range(size):
        rules.append(AllDifferent(tuple(size * i + j for j in range(size)), f"row {i + 1}"))
        rules.append(AllDifferent(tuple(size * j + i for j in range(size)), f"column {i + 1}"))
    for cage in puzzle.cages:
        variables, label = tuple(size * r + c for r, c in cage.cells), f"cage {cage.name}: {cage}"
        if cage.sign == "+":
            rules.append(LinearSum(variables, Relation.EQ, cage.result, label))
        else:
            ways = filter(cage.comes_to_it, product(numbers, repeat=len(variables)))
            rules.append(Table(variables, tuple(ways), label))
    cells = [f"r{r}c{c}" for r in numbers for c in numbers]
    variables = tuple(Variable(name, tuple(numbers)) for name in cells)
    return Problem(variables, tuple(rules), {"grid": tuple(range(len(cells)))})


def decode(puzzle: KenKen, assignment: Assignment) -> Numbers:
    size = puzzle.size
    return tuple(tuple(assignment[size * r + c] for c in range(size)) for r in range(size))


def check(puzzle: KenKen, solution: Numbers) -> str | None:
    for what, lines in (("row", solution), ("column", zip(*solution, strict=True))):
        for i, line in enumerate(lines, 1):
            if sorted(line) != list(range(1, puzzle.size + 1)):
                return f"{what} {i} has not every number once"
    for cage in puzzle.cages:
        numbers = sorted((solution[r][c] for r, c in cage.cells), reverse=True)
        value = numbers[0]
        for number in numbers[1:]:
            value = {"+": value + number, "-": value - number, "x": value * number, "/": value / number}[
                cage.sign
            ]
        if value != cage.result:
            return f"cage {cage.name}: {cage}, but it holds {' '.join(map(str, numbers))}"
    return None


def draw(puzzle: KenKen, solution: Numbers | None) -> Drawing:
    corner = {min(cage.cells): str(cage) for cage in puzzle.cages}
    numbers = range(puzzle.size)
    squares = {
        (r, c): Square(str(solution[r][c]) if solution else "", corner.get((r, c), ""))
        for r in numbers
        for c in numbers
    }
    cages = tuple(cage.cells for cage in puzzle.cages)
    return Drawing(puzzle.name, Grid(squares, cages=cages), places=dict(enumerate(squares)))


def read_solution(puzzle: KenKen, text: str, file: str) -> Numbers:
    lines, rows = Lines(text, file), []
    for r in range(puzzle.size):
        line = lines.required(f"row {r + 1} of {puzzle.size}")
        rows.append(tuple(line.integer(word, "a number", 1, puzzle.size) for word in line.words()))
        if len(rows[-1]) != puzzle.size:
            raise line.fault(f"the row has {len(rows[-1])} cells", str(puzzle.size))
    return tuple(rows)


FAMILY = Family(
    name="kenken",
    examples=("kenken\nA A\nB C\nA 2x\nB 2\nC 1\n",),
    recognises=lambda text: text.lstrip().startswith("kenken"),
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
