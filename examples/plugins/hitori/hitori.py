"""Hitori: shade cells so that no number repeats in a row or column, and the other cells stay connected."""

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from milp_pips import Connected, InputError, LinearSum, Problem, Puzzle, Relation, Variable
from milp_pips.constraints import Constraint
from milp_pips.problem.constraint import Assignment
from milp_pips.puzzles.family import Family
from milp_pips.puzzles.located import Lines, rows_of
from milp_pips.render.vocabulary import Drawing, Grid, Square

Shading = tuple[str, ...]  # the rows, "#" for a shaded cell and "." for an open one
OPEN, SHADED = 0, 1


@dataclass(frozen=True)
class Hitori(Puzzle):
    family: ClassVar[str] = "hitori"

    name: str
    rows: tuple[tuple[int, ...], ...]
    published: None = None  # the solution printed with the puzzle: files have none


def read(text: str, file: str) -> dict[str, Hitori]:
    lines = Lines(text, file)
    if (line := lines.required("hitori")).text != "hitori":
        raise line.fault(f"this is {line.text!r}", "hitori")
    rows: list[tuple[int, ...]] = []
    for line in lines:
        rows.append(tuple(line.integer(word, "a number", 1, 99) for word in line.words()))
        if len(rows[-1]) != len(rows[0]) or len(rows) > 50:
            raise line.fault(
                f"row {len(rows)} has {len(rows[-1])} numbers", f"{len(rows[0])}, in 50 rows at most"
            )
    if not rows:
        raise lines.fault("there is no row", "the numbers of each row, separated by blanks")
    return {"": Hitori("hitori", tuple(rows))}


def state(puzzle: Hitori) -> Problem:
    width, height = len(puzzle.rows[0]), len(puzzle.rows)
    cells = [tuple(range(r * width, (r + 1) * width)) for r in range(height)]
    numbers = [number for row in puzzle.rows for number in row]
    rules: list[Constraint] = []
    for what, lines in (("row", cells), ("column", list(zip(*cells, strict=True)))):
        for place, line in enumerate(lines, 1):
            for a, b in combinations(line, 2):
                if numbers[a] == numbers[b]:  # one of the two is shaded
                    label = f"{what} {place}: one {numbers[a]}"
                    rules.append(LinearSum((a, b), Relation.GE, 1, label))
    edges = [(i, i + 1) for row in cells for i in row[:-1]]
    edges += [(i, i + width) for row in cells[:-1] for i in row]
    rules += [LinearSum(edge, Relation.LE, 1, "no two shaded cells touch") for edge in edges]
    every = tuple(range(width * height))
    rules.append(Connected(every, tuple(edges), (OPEN,), "the open cells are connected"))
    variables = tuple(Variable(f"r{i // width + 1}c{i % width + 1}", (OPEN, SHADED)) for i in every)
    return Problem(variables, tuple(rules), {"shading": every})


def decode(puzzle: Hitori, assignment: Assignment) -> Shading:
    width = len(puzzle.rows[0])
    starts = range(0, width * len(puzzle.rows), width)
    return tuple("".join(".#"[assignment[i]] for i in range(start, start + width)) for start in starts)


def check(puzzle: Hitori, solution: Shading) -> str | None:
    shaded = {(r, c) for r, row in enumerate(solution) for c, cell in enumerate(row) if cell == "#"}
    cells = {(r, c): number for r, row in enumerate(puzzle.rows) for c, number in enumerate(row)}
    opened = cells.keys() - shaded
    for axis, what in enumerate(("row", "column")):
        seen = [(place[axis], cells[place]) for place in opened]
        if len(set(seen)) < len(seen):
            return f"a number repeats in a {what}"
    if any((r + 1, c) in shaded or (r, c + 1) in shaded for r, c in shaded):
        return "two shaded cells touch"
    reached = list(opened)[:1]
    for r, c in reached:
        beside = {(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)} & opened
        reached += beside.difference(reached)
    return "the open cells are not connected" if len(reached) < len(opened) else None


def draw(puzzle: Hitori, solution: Shading | None) -> Drawing:
    width = len(puzzle.rows[0])
    squares = {
        (r, c): Square(str(number), fill="#888888" if solution and solution[r][c] == "#" else "")
        for r, row in enumerate(puzzle.rows)
        for c, number in enumerate(row)
    }
    return Drawing(puzzle.name, Grid(squares), places={r * width + c: (r, c) for r, c in squares})


def read_solution(puzzle: Hitori, text: str, file: str) -> Shading:
    rows = rows_of(text, file)
    size = len(puzzle.rows), len(puzzle.rows[0])
    if (len(rows), *{len(row) for row in rows}) != size:
        raise InputError("not a board of this size", file, 1, f"{size[0]} rows of {size[1]} cells")
    for number, row in enumerate(rows, 1):
        if set(row) - {".", "#"}:
            raise InputError(f"this is {row!r}", file, number, "# for a shaded cell and . for an open one")
    return tuple(rows)


FAMILY = Family(
    name="hitori",
    examples=("hitori\n1 1 2\n3 2 1\n2 3 3\n",),
    recognises=lambda text: text.lstrip().startswith("hitori"),
    read=read,
    state=state,
    decode=decode,
    encode=lambda _, solution: {i: ".#".index(cell) for i, cell in enumerate("".join(solution))},
    check=check,
    draw=draw,
    to_json=lambda _, solution: {"grid": [list(row) for row in solution]},
    read_solution=read_solution,
    write_solution=lambda _, solution: "".join(f"{row}\n" for row in solution),
)
