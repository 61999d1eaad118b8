"""Families from outside that break the contract, each in its own way; ``hostile NAME`` is a puzzle of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from milp_pips.problem.problem import Problem, Variable
from milp_pips.puzzles.family import Family
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.render.vocabulary import Drawing, Grid, Square


@dataclass(frozen=True)
class Bit(Puzzle):
    """One variable with two values."""

    family: ClassVar[str] = ""

    name: str = "bit"
    published: None = None


def _raise(error):
    raise error


def _family(own, **wrong):
    puzzle = type(own, (Bit,), {"family": own.lower()})
    right = {
        "name": own.lower(),
        "examples": (f"hostile {own}",),
        "recognises": lambda text: text.startswith(f"hostile {own}\n"),
        "read": lambda text, file: {"": puzzle()},
        "state": lambda _: Problem((Variable("bit", (0, 1)),), (), {"bit": (0,)}),
        "decode": lambda _, point: point[0],
        "encode": lambda _, solution: {0: solution},
        "check": lambda _, solution: None,
        "draw": lambda puzzle, solution: Drawing(puzzle.name, Grid({(0, 0): Square(str(solution))})),
        "to_json": lambda _, solution: {"grid": [[solution]]},
        "read_solution": lambda _, text, file: int(text),
        "write_solution": lambda _, solution: str(solution),
    }
    return Family(**{**right, **wrong})


ODD = object()
UNSUREFAMILY = _family("UnsureFamily", recognises=lambda text: _raise(KeyError("who knows")))
READER = _family("Reader", read=lambda text, file: _raise(ValueError("first line\nsecond line")))
LEAVER = _family("Leaver", read=lambda text, file: _raise(SystemExit(0)))
STATER = _family("Stater", state=lambda _: None)
PAINTER = _family("Painter", draw=lambda puzzle, solution: _raise(RuntimeError("no colours")))
NOBODY = _family(
    "Nobody", decode=lambda _, point: None, check=lambda _, solution: _raise(TypeError("nobody"))
)
