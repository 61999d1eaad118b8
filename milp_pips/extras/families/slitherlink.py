"""Slitherlink: one loop along the sides of the cells; a clue counts the sides of its cell on the loop.

The rows of a file have 0 to 4, and a dot for a cell without a clue. In a solution, ``#`` is a cell inside the
loop and ``.`` one outside.

A cell is inside the loop or outside, and the loop runs between the two. There is one loop, which does not
touch itself, if the inside is connected, and so is the outside together with the world around the board. So
four cells around a corner are not inside and outside in turns, which is stated as well, for propagation.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import ClassVar

from milp_pips.constraints import Cardinality, Connected, NoGood, Table
from milp_pips.extras.families.boards import BoardPuzzle, Values, board_family, read_heading, read_rows
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.problem import Problem, Variable
from milp_pips.puzzles.drawn import cell_name
from milp_pips.render.vocabulary import (
    Drawing,
    Grid,
    Line,
    Place,
    Square,
    borders,
    connected_parts,
    neighbours,
)

OUTER, INNER = 0, 1
INSIDE_FILL = "#dfe8f5"
"""The colour of the inside."""


@dataclass(frozen=True)
class Slitherlink(BoardPuzzle):
    """A Slitherlink."""

    family: ClassVar[str] = "slitherlink"
    usual_symbols: ClassVar = {OUTER: ".", INNER: "#"}
    value_names: ClassVar = {OUTER: "outside", INNER: "inside"}

    def shown(self, cell: Place) -> dict[int, str]:
        """Return the texts of the values in the pictures of hints: the symbol and the clue."""
        return {value: f"{symbol}{self.marks.get(cell, '')}" for value, symbol in self.symbols.items()}


def read(text: str, file: str) -> dict[str, Slitherlink]:
    """Return the puzzle in a file. Raises InputError."""
    lines, _ = read_heading(text, file, "slitherlink")
    rows = read_rows(lines, {*"01234."}.__contains__, "0 to 4, or . for no clue")
    if min(len(rows), len(rows[0][1])) < 2:
        raise lines.fault("the board is a single line", "at least 2 rows and 2 columns")
    return {"": Slitherlink("slitherlink", tuple(marks for _, marks in rows))}


def state(puzzle: Slitherlink) -> Problem:
    """Return the problem. The world around the board is one more variable, which is outside."""
    number = {cell: v for v, cell in enumerate(puzzle.cells)}
    world = len(number)
    rules: list[Constraint] = [Cardinality(tuple(number.values()), ((INNER, 1, world),), "there is a loop")]
    for cell, mark in puzzle.marks.items():
        clue = int(mark)
        beside = tuple(number[other] for other in neighbours(cell) if other in number)
        edge = 4 - len(beside)  # sides on the edge of the board
        rows = [
            (own, *others)
            for own, *others in product((OUTER, INNER), repeat=1 + len(beside))
            if sum(other != own for other in others) + edge * (own == INNER) == clue
        ]
        label = f"the clue {clue} in {cell_name(cell)}"
        rules.append(Table((number[cell], *beside), tuple(rows), label))
    for r, c in puzzle.cells:  # it follows from the rest, but from no rule alone
        corner = [(r, c), (r + 1, c + 1), (r, c + 1), (r + 1, c)]
        if corner[1] in number:
            label = f"the loop does not touch itself between {cell_name((r, c))} and {cell_name(corner[1])}"
            four = tuple(number[cell] for cell in corner)
            rules += [NoGood(four, (a, a, b, b), label) for a, b in ((INNER, OUTER), (OUTER, INNER))]
    inner = [
        (number[cell], number[other])
        for cell in number
        for other in neighbours(cell)
        if other in number and cell < other
    ]
    rim = [(number[cell], world) for cell in number if not number.keys() >= set(neighbours(cell))]
    every = tuple(range(world))
    rules.append(Connected(every, tuple(inner), (INNER,), "the inside is connected"))
    rules.append(
        Connected((*every, world), (*inner, *rim), (OUTER,), "the outside is connected around the loop")
    )
    return puzzle.problem(rules, [Variable("around the board", (OUTER,))])


def check(puzzle: Slitherlink, solution: Values) -> str | None:
    """Return the first rule that the solution breaks, or None.

    The loop is drawn on a board of twice the size, where its sides and corners are places.
    """
    inside = {(r, c) for r, row in enumerate(solution) for c, value in enumerate(row) if value}
    loop: set[Place] = set()  # cell r, c reaches from 2r, 2c to 2r + 2, 2c + 2
    for r, c in inside:
        for y, x in neighbours((r, c)):
            if (y, x) not in inside:
                middle = r + y + 1, c + x + 1
                loop |= {middle, *((middle[0] + i * (x - c), middle[1] + i * (y - r)) for i in (-1, 1))}
    for cell, clue in puzzle.marks.items():
        seen = sum((other in inside) != (cell in inside) for other in neighbours(cell))
        if str(seen) != clue:
            return f"{cell_name(cell)} has {seen} sides on the loop, not {clue}"
    if not loop:
        return "there is no loop"
    if any(loop.issuperset(neighbours(corner)) for corner in loop):
        return "the loop touches itself"
    return None if len(connected_parts(loop)) == 1 else "there is more than one loop"


def draw(puzzle: Slitherlink, solution: Values | None) -> Drawing:
    """Return the clues and, around the cells inside, the loop as thick lines."""
    inside = {cell for cell, symbol in puzzle.texts(solution).items() if symbol == "#"}
    squares = {
        cell: Square(puzzle.marks.get(cell, ""), fill=INSIDE_FILL * (cell in inside)) for cell in puzzle.cells
    }
    walls = borders(dict.fromkeys(inside, ""), within=Line.FAINT)
    return puzzle.drawing(Grid(squares, Line.FAINT, walls), {})


FAMILY = board_family(Slitherlink, "slitherlink\n.3..\n2..1", read, state, check, draw)
