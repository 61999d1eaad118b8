"""Star Battle: so many stars in every row, column and region, and no two that touch, not even at a corner."""

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from milp_pips.constraints import LinearSum, Relation
from milp_pips.problem.constraint import Assignment, Constraint
from milp_pips.problem.problem import Problem, Variable
from milp_pips.puzzles.family import Family
from milp_pips.puzzles.located import Lines
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.render.vocabulary import Drawing, Grid, Square, borders

Cell = tuple[int, int]
Stars = frozenset[Cell]


@dataclass(frozen=True)
class StarBattle(Puzzle):
    family: ClassVar[str] = "star-battle"

    name: str
    stars: int
    regions: tuple[str, ...]  # the rows, a letter for each cell
    published: None = None

    def groups(self) -> dict[str, list[Cell]]:
        """Return the cells of every row, column and region by what it is called."""
        found: dict[str, list[Cell]] = {}
        for r, row in enumerate(self.regions):
            for c, letter in enumerate(row):
                for group in (f"row {r + 1}", f"column {c + 1}", f"region {letter}"):
                    found.setdefault(group, []).append((r, c))
        return found


def read(text: str, file: str) -> dict[str, StarBattle]:
    lines = Lines(text, file)
    line = lines.required("star battle")
    words = line.words()
    if words[:-1] != ["star", "battle"]:
        raise line.fault(f"this is {line.text!r}", "star battle and the number of stars: star battle 2")
    rows = []
    for row in lines:
        rows.append(row.text)
        if len(row.text) != len(rows[0]):
            raise row.fault(f"the row has {len(row.text)} cells", f"{len(rows[0])}, as in the first row")
    if not rows or not len(rows) == len(rows[0]) == len(set("".join(rows))):
        raise lines.fault("the board does not fit", "as many rows, columns and regions as one another")
    return {"": StarBattle("star battle", line.integer(words[-1], "the number of stars", 1, 9), tuple(rows))}


def state(puzzle: StarBattle) -> Problem:
    cells = [(r, c) for r, row in enumerate(puzzle.regions) for c in range(len(row))]
    number = {cell: v for v, cell in enumerate(cells)}
    rules: list[Constraint] = [
        LinearSum(tuple(number[cell] for cell in group), Relation.EQ, puzzle.stars, f"{name}: {puzzle.stars}")
        for name, group in puzzle.groups().items()
    ]
    for r, c in cells:
        square = [number[cell] for cell in ((r, c), (r, c + 1), (r + 1, c), (r + 1, c + 1)) if cell in number]
        if len(square) == 4:
            rules.append(LinearSum(tuple(square), Relation.LE, 1, f"at r{r + 1}c{c + 1}: stars that touch"))
    variables = tuple(Variable(f"r{r + 1}c{c + 1}", (0, 1)) for r, c in cells)
    return Problem(variables, tuple(rules), {"grid": tuple(number.values())})


def decode(puzzle: StarBattle, assignment: Assignment) -> Stars:
    size = len(puzzle.regions)
    return frozenset((r, c) for r in range(size) for c in range(size) if assignment[size * r + c])


def check(puzzle: StarBattle, solution: Stars) -> str | None:
    for (a, b), (c, d) in combinations(sorted(solution), 2):
        if abs(a - c) <= 1 and abs(b - d) <= 1:
            return f"the stars in r{a + 1}c{b + 1} and r{c + 1}c{d + 1} touch"
    for name, group in puzzle.groups().items():
        stars = len(solution.intersection(group))
        if stars != puzzle.stars:
            return f"{name} has {stars} stars, not {puzzle.stars}"
    return None


def draw(puzzle: StarBattle, solution: Stars | None) -> Drawing:
    region = {(r, c): letter for r, row in enumerate(puzzle.regions) for c, letter in enumerate(row)}
    squares = {cell: Square("*" if solution and cell in solution else "") for cell in region}
    return Drawing(puzzle.name, Grid(squares, walls=borders(region)), places=dict(enumerate(squares)))


def picture(puzzle: StarBattle, solution: Stars) -> list[str]:
    numbers = range(len(puzzle.regions))
    return ["".join("*" if (r, c) in solution else "." for c in numbers) for r in numbers]


def read_solution(puzzle: StarBattle, text: str, file: str) -> Stars:
    lines, size, found = Lines(text, file), len(puzzle.regions), set[Cell]()
    for r in range(size):
        line = lines.required(f"row {r + 1} of {size}")
        if len(line.text) != size or set(line.text) - {"*", "."}:
            raise line.fault("not a row of the board", f"{size} of * and .")
        found |= {(r, c) for c, cell in enumerate(line.text) if cell == "*"}
    return frozenset(found)


FAMILY = Family(
    name="star-battle",
    examples=("star battle 1\nAABB\nACCB\nDCCB\nDDDD\n",),
    recognises=lambda text: text.lstrip().startswith("star battle"),
    read=read,
    state=state,
    decode=decode,
    encode=lambda puzzle, solution: {
        len(puzzle.regions) * r + c: int((r, c) in solution)
        for r in range(len(puzzle.regions))
        for c in range(len(puzzle.regions))
    },
    check=check,
    draw=draw,
    to_json=lambda puzzle, solution: {"grid": [list(row) for row in picture(puzzle, solution)]},
    read_solution=read_solution,
    write_solution=lambda puzzle, solution: "".join(f"{row}\n" for row in picture(puzzle, solution)),
)
