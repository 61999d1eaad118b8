"""Nonograms: fill cells so that every row and column has runs of the given lengths, in this order."""

from dataclasses import dataclass
from itertools import groupby
from typing import Any, ClassVar

from milp_pips.drawing import Drawing, Grid, Square
from milp_pips.errors import InputError
from milp_pips.problem import Assignment, Problem, Regular, Variable
from milp_pips.puzzles.located_text import Line, Lines
from milp_pips.puzzles.regular_expressions import compile_expression

name = "nonogram"
examples = ("nonogram\nrows\n1 1\n3\ncolumns\n…",)

Runs = tuple[int, ...]
Picture = tuple[str, ...]  # the rows, "#" for a full cell and "." for an empty one


@dataclass(frozen=True)
class Nonogram:
    family: ClassVar[str] = "nonogram"

    name: str
    rows: tuple[Runs, ...]
    columns: tuple[Runs, ...]
    published: None = None  # the solution printed with the puzzle: files have none

    def state(self) -> Problem:
        width = len(self.columns)
        cells = [tuple(range(r * width, (r + 1) * width)) for r in range(len(self.rows))]
        rules = []
        for what, lines, clues in (
            ("row", cells, self.rows),
            ("column", zip(*cells, strict=True), self.columns),
        ):
            for number, (line, runs) in enumerate(zip(lines, clues, strict=True), 1):
                label = f"{what} {number}: {shown(runs)}"
                full = "e+".join(f"f{{{length}}}" for length in runs)
                rules.append(Regular(line, compile_expression(f"e*{full}e*", {"e": 0, "f": 1}), label))
        names = [f"r{r + 1}c{c + 1}" for r in range(len(self.rows)) for c in range(width)]
        variables = tuple(Variable(cell, (0, 1)) for cell in names)
        return Problem(variables, tuple(rules), {"grid": tuple(range(len(names)))})

    def decode(self, assignment: Assignment) -> Picture:
        width = len(self.columns)
        return tuple(
            "".join(".#"[assignment[r * width + c]] for c in range(width)) for r in range(len(self.rows))
        )

    def encode(self, solution: Picture) -> dict[int, int]:
        return dict(enumerate(map(".#".index, "".join(solution))))

    def check(self, solution: Picture) -> str | None:
        columns = ["".join(cells) for cells in zip(*solution, strict=True)]
        for what, lines, clues in (("row", solution, self.rows), ("column", columns, self.columns)):
            for number, (line, runs) in enumerate(zip(lines, clues, strict=True), 1):
                seen = tuple(len(list(run)) for cell, run in groupby(line) if cell == "#")
                if seen != runs:
                    return f"{what} {number}: {shown(runs)}, but its cells show {shown(seen)}"
        return None

    def draw(self, solution: Picture | None = None) -> Drawing:
        rows = solution or ("." * len(self.columns),) * len(self.rows)
        look = {".": Square(), "#": Square("#", fill="#33363d")}
        squares = {(r, c): look[cell] for r, row in enumerate(rows) for c, cell in enumerate(row)}
        left, above = (
            {i: tuple(Square(str(length)) for length in runs) for i, runs in enumerate(clues)}
            for clues in (self.rows, self.columns)
        )
        return Drawing(self.name, Grid(squares, left=left, above=above))

    def solution_to_json(self, solution: Picture) -> dict[str, Any]:
        return {"grid": [list(row) for row in solution]}

    def read_solution(self, text: str, file: str) -> Picture:
        rows = tuple(line.text for line in Lines(text, file))
        if len(rows) != len(self.rows) or any(len(row) != len(self.columns) for row in rows):
            raise InputError("not a picture of this size", file, 1, f"{len(self.rows)} rows of # and .")
        return rows

    def write_solution(self, solution: Picture) -> str:
        return "".join(f"{row}\n" for row in solution)


def shown(runs: Runs) -> str:
    return " ".join(map(str, runs)) or "0"


def recognises(text: str) -> bool:
    return text.lstrip().startswith("nonogram")


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
