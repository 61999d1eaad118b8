"""Futoshiki: every number once in every row and column, and signs that say which of two cells is less."""

import re
from dataclasses import dataclass
from typing import ClassVar

from milp_pips import AllDifferent, InputError, Less, Problem, Puzzle, Variable
from milp_pips.problem.constraint import Constraint
from milp_pips.puzzles.family import Family
from milp_pips.puzzles.located import Line, Lines, rows_of
from milp_pips.render.vocabulary import Drawing, Grid, Square, fill_in

Numbers = tuple[int, ...]  # of all cells, row by row; 0 for an open one


@dataclass(frozen=True)
class Futoshiki(Puzzle):
    family: ClassVar[str] = "futoshiki"

    name: str
    size: int
    givens: Numbers
    less: tuple[tuple[int, int], ...]  # pairs of cells, the lesser first
    published: None = None  # the solution printed with the puzzle: files have none


def read(text: str, file: str) -> dict[str, Futoshiki]:
    lines = Lines(text, file)
    if (line := lines.required("futoshiki")).text != "futoshiki":
        raise line.fault(f"this is {line.text!r}", "futoshiki")
    givens: list[int] = []
    less: list[tuple[int, int]] = []
    size = 1
    for line in lines:
        parts = re.split(r"\s*([<>])\s*|\s+", line.text)  # a row, ". < . 3 .": cells, and signs between them
        below = bool({"^", "v"} & set(line.text))  # or signs below a row, "^ . v .": one for each column
        size = size if givens else len(parts[::2])
        if size > 25 or len(givens) == size**2:
            raise line.fault("the board goes on", "as many rows as columns, at most 25")
        signs = line.words() if below else [*parts[1::2], ""]
        if len(signs) != size or (below and not (givens and set(signs) <= {*"^v."})):
            raise line.fault(f"this is not a row of {size} cells", "one, or ^, v and . below one")
        first, step = (len(givens) - size, size) if below else (len(givens), 1)
        pairs = [(cell, cell + step, sign) for cell, sign in enumerate(signs, first)]
        less += [(b, a) if sign in (">", "v") else (a, b) for a, b, sign in pairs if sign and sign != "."]
        givens += [] if below else numbers(line, parts[::2], size)
    if len(givens) < size**2:
        raise lines.fault(f"there is no row {len(givens) // size + 1}", "as many rows as columns")
    return {"": Futoshiki("futoshiki", size, tuple(givens), tuple(less))}


def numbers(line: Line, words: list[str], size: int) -> list[int]:
    expected = f"a number from 1 to {size}, or . for an open one"
    return [0 if word == "." else line.integer(word, "a cell", 1, size, expected) for word in words]


def state(puzzle: Futoshiki) -> Problem:
    size, cells = puzzle.size, tuple(range(puzzle.size**2))
    domains = [(given,) if given else range(1, size + 1) for given in puzzle.givens]
    rules: list[Constraint] = []
    for i in range(size):
        rules.append(AllDifferent(cells[size * i : size * (i + 1)], f"row {i + 1}"))
        rules.append(AllDifferent(cells[i::size], f"column {i + 1}"))
    rules += [Less(pair, label=" < ".join(place(puzzle, cell) for cell in pair)) for pair in puzzle.less]
    variables = tuple(Variable(place(puzzle, cell), tuple(domains[cell])) for cell in cells)
    return Problem(variables, tuple(rules), {"grid": cells})


def place(puzzle: Futoshiki, cell: int) -> str:
    return f"r{cell // puzzle.size + 1}c{cell % puzzle.size + 1}"


def rows(puzzle: Futoshiki, solution: Numbers) -> list[list[int]]:
    return [list(solution[start : start + puzzle.size]) for start in range(0, len(solution), puzzle.size)]


def check(puzzle: Futoshiki, solution: Numbers) -> str | None:
    for cell, given in enumerate(puzzle.givens):
        if given not in (0, solution[cell]):
            return f"{place(puzzle, cell)} is {given}"
    across = rows(puzzle, solution)
    for line in (*across, *zip(*across, strict=True)):
        if sorted(line) != list(range(1, puzzle.size + 1)):
            return f"a row or column is {', '.join(map(str, line))}, not every number once"
    for a, b in puzzle.less:
        if not solution[a] < solution[b]:
            return f"{place(puzzle, a)} is not less than {place(puzzle, b)}"
    return None


def draw(puzzle: Futoshiki, solution: Numbers | None) -> Drawing:
    at = {cell: divmod(cell, puzzle.size) for cell in range(puzzle.size**2)}
    squares = {at[c]: Square(str(n or ""), strong=bool(n and solution)) for c, n in enumerate(puzzle.givens)}
    walls = {(at[min(a, b)], at[max(a, b)]): (a, b) for a, b in puzzle.less}
    signs = {wall: ("<>" if abs(a - b) == 1 else "^v")[a > b] for wall, (a, b) in walls.items()}
    drawing = Drawing(puzzle.name, Grid(squares, signs=signs), places=at)
    return fill_in(drawing, {at[cell]: str(n) for cell, n in enumerate(solution or ())})


def read_solution(puzzle: Futoshiki, text: str, file: str) -> Numbers:
    lines = [Line(i, row, file) for i, row in enumerate(rows_of(text, file, between=" "), 1)]
    if [len(line.words()) for line in lines] != [puzzle.size] * puzzle.size:
        raise InputError("not a board of this size", file, 1, f"{puzzle.size} rows of {puzzle.size} numbers")
    return tuple(n for line in lines for n in numbers(line, line.words(), puzzle.size))


FAMILY = Family(
    name="futoshiki",
    examples=("futoshiki\n. < . 3\n^ . v\n. . .\n. . > .\n",),
    recognises=lambda text: text.lstrip().startswith("futoshiki"),
    read=read,
    state=state,
    decode=lambda puzzle, assignment: tuple(assignment[cell] for cell in range(puzzle.size**2)),
    encode=lambda _, solution: dict(enumerate(solution)),
    check=check,
    draw=draw,
    to_json=lambda puzzle, found: {"grid": rows(puzzle, found)},
    read_solution=read_solution,
    write_solution=lambda puzzle, found: "".join(f"{' '.join(map(str, r))}\n" for r in rows(puzzle, found)),
)
