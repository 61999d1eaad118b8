"""A family from outside: heads and tails in a row, with the number of heads given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from milp_pips.constraints import LinearSum, Relation
from milp_pips.problem.errors import InputError
from milp_pips.problem.problem import Problem, Variable
from milp_pips.puzzles.family import Family
from milp_pips.puzzles.located import rows_of
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.render.vocabulary import Drawing, Grid, Square

Faces = tuple[int, ...]


@dataclass(frozen=True)
class Coins(Puzzle):
    family: ClassVar[str] = "coins"

    name: str
    count: int
    heads: int
    published: None = None


def read(text: str, file: str) -> dict[str, Coins]:
    words = text.split()
    if len(words) != 3 or not all(word.isdigit() for word in words[1:]):
        raise InputError("not a coin puzzle", file, 1, "coins COUNT HEADS")
    return {"": Coins("coins", int(words[1]), int(words[2]))}


def state(puzzle: Coins) -> Problem:
    coins = tuple(range(puzzle.count))
    variables = tuple(Variable(f"coin {i + 1}", (0, 1)) for i in coins)
    rule = LinearSum(coins, Relation.EQ, puzzle.heads, f"{puzzle.heads} heads")
    return Problem(variables, (rule,), {"row": coins})


def decode(puzzle: Coins, assignment: Sequence[int] | Mapping[int, int]) -> Faces:
    return tuple(assignment[i] for i in range(puzzle.count))


def check(puzzle: Coins, solution: Faces) -> str | None:
    return None if sum(solution) == puzzle.heads else f"there are {sum(solution)} heads, not {puzzle.heads}"


def draw(puzzle: Coins, solution: Faces | None) -> Drawing:
    texts = ["?"] * puzzle.count if solution is None else ["TH"[face] for face in solution]
    return Drawing(puzzle.name, Grid({(0, i): Square(text) for i, text in enumerate(texts)}))


def read_solution(puzzle: Coins, text: str, file: str) -> Faces:
    row = "".join("TH"[face == "1"] if face in "01" else face for face in "".join(rows_of(text, file)))
    if set(row) - set("TH") or len(row) != puzzle.count:
        raise InputError("not a row of coins", file, 1, f"{puzzle.count} letters T or H")
    return tuple("TH".index(face) for face in row)


FAMILY = Family(
    name="coins",
    examples=("coins 5 2",),
    recognises=lambda text: text.startswith("coins "),
    read=read,
    state=state,
    decode=decode,
    encode=lambda _, solution: dict(enumerate(solution)),
    check=check,
    draw=draw,
    to_json=lambda _, solution: {"grid": [list(solution)]},
    read_solution=read_solution,
    write_solution=lambda _, solution: "".join("TH"[face] for face in solution) + "\n",
)
