"""Nonograms: fill cells so that every row and column has runs of the given lengths, in this order."""

from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar

from milp_pips import InputError, Problem, Puzzle, Regular, Variable
from milp_pips.problem.constraint import Assignment
from milp_pips.puzzles.family import Family
from milp_pips.puzzles.located import Line, Lines, rows_of
from milp_pips.puzzles.regular_expressions import compile_expression
from milp_pips.render.vocabulary import Drawing, Grid, Square

Runs = tuple[int, ...]
Picture = tuple[str, ...]  # the rows, "#" for a full cell and "." for an empty one


@dataclass(frozen=True)
class Nonogram(Puzzle):
    family: ClassVar[str] = "nonogram"

    name: str
    rows: tuple[Runs, ...]
    columns: tuple[Runs, ...]
    published: None = None  # the solution printed with the puzzle: files have none


def read(text: str, file: str) -> dict[str, Nonogram]:
    lines = Lines(text, file)
    for heading in ("nonogram", "rows"):
        line = lines.required(heading)
        if line.text != heading:
            raise line.fault(f"this is {line.text!r}", heading)
    clues: list[list[Runs]] = [[]]
    for line in lines:
        if line.text == "columns":
            clues.append([])
        else:
            clues[-1].append(runs_of(line))
    if len(clues) != 2 or not all(clues):
        raise lines.fault("the clues are not complete", "those of the rows, columns, those of the columns")
    return {"": Nonogram("nonogram", tuple(clues[0]), tuple(clues[1]))}


def runs_of(line: Line) -> Runs:
    runs = tuple(line.integer(word, "the length of a run", 0, 100) for word in line.words())
    if 0 in runs and runs != (0,):
        raise line.fault("a run has no cell", "0 alone, for a line without runs")
    return tuple(length for length in runs if length)


def state(puzzle: Nonogram) -> Problem:
    width = len(puzzle.columns)
    cells = [tuple(range(r * width, (r + 1) * width)) for r in range(len(puzzle.rows))]
    rules = []
    columns = zip(*cells, strict=True)
    for what, lines, clues in (("row", cells, puzzle.rows), ("column", columns, puzzle.columns)):
        for number, (line, runs) in enumerate(zip(lines, clues, strict=True), 1):
            label = f"{what} {number}: {shown(runs)}"
            full = "e+".join(f"f{{{length}}}" for length in runs)
            rules.append(Regular(line, compile_expression(f"e*{full}e*", {"e": 0, "f": 1}), label))
    names = [f"r{r + 1}c{c + 1}" for r in range(len(puzzle.rows)) for c in range(width)]
    variables = tuple(Variable(cell, (0, 1)) for cell in names)
    return Problem(variables, tuple(rules), {"grid": tuple(range(len(names)))})


def decode(puzzle: Nonogram, assignment: Assignment) -> Picture:
    width = len(puzzle.columns)
    return tuple(
        "".join(".#"[assignment[r * width + c]] for c in range(width)) for r in range(len(puzzle.rows))
    )


def check(puzzle: Nonogram, solution: Picture) -> str | None:
    columns = ["".join(cells) for cells in zip(*solution, strict=True)]
    for what, lines, clues in (("row", solution, puzzle.rows), ("column", columns, puzzle.columns)):
        for number, (line, runs) in enumerate(zip(lines, clues, strict=True), 1):
            seen = tuple(len(list(run)) for cell, run in groupby(line) if cell == "#")
            if seen != runs:
                return f"{what} {number}: {shown(runs)}, but its cells show {shown(seen)}"
    return None


def draw(puzzle: Nonogram, solution: Picture | None) -> Drawing:
    rows = solution or ("." * len(puzzle.columns),) * len(puzzle.rows)
    look = {".": Square(), "#": Square("#", fill="#33363d")}
    squares = {(r, c): look[cell] for r, row in enumerate(rows) for c, cell in enumerate(row)}
    left, above = (
        {i: tuple(Square(str(length)) for length in runs) for i, runs in enumerate(clues)}
        for clues in (puzzle.rows, puzzle.columns)
    )
    places = dict(enumerate(squares))
    return Drawing(puzzle.name, Grid(squares, left=left, above=above), places=places)


def read_solution(puzzle: Nonogram, text: str, file: str) -> Picture:
    rows = rows_of(text, file)
    if [len(row) for row in rows] != [len(puzzle.columns)] * len(puzzle.rows) or set("".join(rows)) - {*".#"}:
        raise InputError("not a picture of this size", file, 1, f"{len(puzzle.rows)} rows of # and .")
    return rows


def shown(runs: Runs) -> str:
    return " ".join(map(str, runs)) or "0"


FAMILY = Family(
    name="nonogram",
    examples=("nonogram\nrows\n1 1\n3\ncolumns\n…",),
    recognises=lambda text: text.lstrip().startswith("nonogram"),
    read=read,
    state=state,
    decode=decode,
    encode=lambda _, solution: dict(enumerate(map(".#".index, "".join(solution)))),
    check=check,
    draw=draw,
    to_json=lambda _, solution: {"grid": [list(row) for row in solution]},
    read_solution=read_solution,
    write_solution=lambda _, solution: "".join(f"{row}\n" for row in solution),
)
