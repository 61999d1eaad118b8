"""From a drawn puzzle to one with as many solutions as wanted: tighten, count, loosen, count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from milp_pips.errors import UsageError
from milp_pips.generation.census import Census, census

if TYPE_CHECKING:
    from milp_pips.chance import Chance
    from milp_pips.problem import Problem
    from milp_pips.puzzles.family import Maker, Puzzle
    from milp_pips.watch import Watch

STEPS = 60
"""How often a puzzle is tightened before another one is drawn."""

REFINEMENTS = 20
"""How often a puzzle is loosened, to see whether it says more than it need."""

FEW_NODES = 1_500
"""Nodes for a loosened puzzle; where that is too few, it is likely to be too loose."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """How many solutions a puzzle is to have: from ``least`` to ``most`` that differ in the key.

    An empty key stands for the first one; with another, ``most`` is 1. Without ``most``, nothing is counted.
    """

    key: str = ""
    least: int = 1
    most: int | None = None

    def fits(self, found: Census, problem: Problem) -> bool:
        """Whether the numbers are those that are wanted."""
        if self.aside(problem):
            return found.decides(problem.keys[self.key])
        return self.least <= found.solutions and (self.most is None or found.solutions <= self.most)

    def aside(self, problem: Problem) -> bool:
        """Whether another key than the first is meant. Raises UsageError for an unknown one."""
        if self.key and self.key not in problem.keys:
            raise UsageError(f"unknown key {self.key!r}; known: {', '.join(problem.keys)}")
        return self.key not in ("", next(iter(problem.keys)))


class Search:
    """Looks for a puzzle with as many solutions as wanted."""

    def __init__(self, maker: Maker[Any], wanted: Wanted, chance: Chance, watch: Watch):
        self._maker, self._wanted, self._chance, self._watch = maker, wanted, chance, watch

    def tightened(self, puzzle: Puzzle[Any]) -> tuple[Puzzle[Any], int] | None:
        """Return a puzzle that is tight enough, and the number of its solutions; None where none came out.

        A step that leaves too few solutions, or more than there were, is taken back. Raises Unfinished.
        """
        problem = puzzle.state()
        if self._hopeless(problem, puzzle.encode(puzzle.published)):
            return None
        now = census(problem, self._watch)
        for _ in range(STEPS):
            if now is not None and (now.solutions < self._wanted.least or self._wanted.fits(now, problem)):
                break
            following = self._maker.tightened(puzzle, now.taken if now else {}, self._chance)
            if following is not None and now is None:  # far too many: a second step before the next count
                following = self._maker.tightened(following, {}, self._chance)
            if following is None:
                break
            then = census(following.state(), self._watch)
            if now is None or (then is not None and self._wanted.least <= then.solutions <= now.solutions):
                puzzle, now = following, then
        return (puzzle, now.solutions) if now is not None and self._wanted.fits(now, problem) else None

    def loosened(self, puzzle: Puzzle[Any], solutions: int) -> tuple[Puzzle[Any], int]:
        """Return a puzzle that says as little as a few trials can make it. Raises Unfinished."""
        for _ in range(REFINEMENTS):
            following = self._maker.loosened(puzzle, self._chance)
            if following is None:
                break
            problem = following.state()
            then = census(problem, self._watch, FEW_NODES)
            if then is not None and self._wanted.fits(then, problem):
                puzzle, solutions = following, then.solutions
        return puzzle, solutions

    def _hopeless(self, problem: Problem, hidden: dict[int, int]) -> bool:
        """Whether there are too many solutions that agree with the hidden one in all keys but the first.

        No rule about what a key shows can tell these apart: dominoes that make the same grid, for one.
        """
        if self._wanted.most is None or self._wanted.aside(problem):
            return False
        shown = {v: (hidden[v],) for key in list(problem.keys)[1:] for v in problem.keys[key]}
        agreeing = census(problem.restricted(shown), self._watch) if shown else None
        return agreeing is not None and agreeing.solutions > self._wanted.most
