"""A family from outside: heads and tails in a row, with the number of heads given."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from milp_pips.drawing import Drawing, Grid, Square
from milp_pips.errors import InputError
from milp_pips.problem import LinearSum, Problem, Relation, Variable

name = "coins"
examples = ("coins",)


class Coins(NamedTuple):
    name: str
    count: int
    heads: int
    published: None = None
    family: ClassVar[str] = "coins"

    def state(self) -> Problem:
        coins = tuple(range(self.count))
        variables = tuple(Variable(f"coin {i + 1}", (0, 1)) for i in coins)
        rule = LinearSum(coins, Relation.EQ, self.heads, f"{self.heads} heads")
        return Problem(variables, (rule,), {"row": coins})

    def decode(self, assignment: Any) -> tuple[int, ...]:
        return tuple(assignment)

    def encode(self, solution: tuple[int, ...]) -> dict[int, int]:
        return dict(enumerate(solution))

    def check(self, solution: tuple[int, ...]) -> str | None:
        return None if sum(solution) == self.heads else f"there are {sum(solution)} heads, not {self.heads}"

    def draw(self, solution: tuple[int, ...] | None = None) -> Drawing:
        texts = ["?"] * self.count if solution is None else ["TH"[face] for face in solution]
        return Drawing(self.name, Grid({(0, i): Square(text) for i, text in enumerate(texts)}))

    def solution_to_json(self, solution: tuple[int, ...]) -> dict[str, Any]:
        return {"grid": [list(solution)]}

    def read_solution(self, text: str, file: str) -> tuple[int, ...]:
        if set(text.strip()) - set("TH") or len(text.strip()) != self.count:
            raise InputError("not a row of coins", file, 1, f"{self.count} letters T or H")
        return tuple("TH".index(face) for face in text.strip())

    def write_solution(self, solution: tuple[int, ...]) -> str:
        return "".join("TH"[face] for face in solution) + "\n"


def recognises(text: str) -> bool:
    return text.startswith("coins ")


def read(text: str, file: str) -> dict[str, Coins]:
    words = text.split()
    if len(words) != 3 or not all(word.isdigit() for word in words[1:]):
        raise InputError("not a coin puzzle", file, 1, "coins COUNT HEADS")
    return {"": Coins("coins", int(words[1]), int(words[2]))}
