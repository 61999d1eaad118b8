"""From a drawn puzzle to one with as many solutions as wanted: tighten, count, loosen, count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from milp_pips.errors import UsageError
from milp_pips.generation.census import NODES, Census, census

if TYPE_CHECKING:
    from milp_pips.chance import Chance
    from milp_pips.problem import Problem
    from milp_pips.puzzles.family import Drawn, Maker
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
    """Looks for a puzzle with as many solutions as wanted; ``counted`` tells how often they were counted."""

    def __init__(self, maker: Maker, wanted: Wanted, chance: Chance, watch: Watch):
        self._maker, self._wanted, self._chance, self._watch = maker, wanted, chance, watch
        self.counted = 0

    def tightened(self, drawn: Drawn) -> tuple[Drawn, int] | None:
        """Return a puzzle that is tight enough, and the number of its solutions; None where none came out.

        A step that leaves too few solutions, or more than there were, is taken back. Raises Unfinished.
        """
        problem = drawn.puzzle.state()
        if self._hopeless(problem, drawn.puzzle.encode(drawn.hidden)):
            return None
        now = self._census(problem)
        for _ in range(STEPS):
            if now is not None and self._wanted.fits(now, problem):
                return drawn, now.solutions
            following = self._step(drawn, now)
            if following is None:
                return None
            then = self._census(following.puzzle.state())
            if now is None or (then is not None and self._nearer(then.solutions, now.solutions)):
                drawn, now = following, then
        return None

    def _step(self, drawn: Drawn, now: Census | None) -> Drawn | None:
        if now is None:  # far too many: two steps before the next count
            following = self._maker.tightened(drawn, {}, self._chance)
            return following and self._maker.tightened(following, {}, self._chance)
        if now.solutions < self._wanted.least:
            return self._maker.loosened(drawn, self._chance)
        return self._maker.tightened(drawn, now.taken, self._chance)

    def _nearer(self, then: int, now: int) -> bool:
        """Whether so many solutions are not farther from what is wanted, and on the same side or right."""
        least, most = self._wanted.least, self._wanted.most
        if now < least:
            return now <= then and (most is None or then <= most)
        return least <= then <= now

    def _census(self, problem: Problem, nodes: int = NODES) -> Census | None:
        self.counted += 1
        return census(problem, self._watch, nodes)

    def loosened(self, drawn: Drawn, solutions: int) -> tuple[Drawn, int]:
        """Return a puzzle that says as little as a few trials can make it. Raises Unfinished.

        Where several solutions are wanted, the puzzle stays: nothing about it is superfluous.
        """
        for _ in range(REFINEMENTS if self._wanted.most == 1 else 0):
            following = self._maker.loosened(drawn, self._chance)
            if following is None:
                break
            problem = following.puzzle.state()
            then = self._census(problem, FEW_NODES)
            if then is not None and self._wanted.fits(then, problem):
                drawn, solutions = following, then.solutions
        return drawn, solutions

    def _hopeless(self, problem: Problem, hidden: dict[int, int]) -> bool:
        """Whether there are too many solutions that agree with the hidden one in all keys but the first.

        No rule about what a key shows can tell these apart: dominoes that make the same grid, for one. Where
        even they are too many to count, all solutions are.
        """
        if self._wanted.most is None or self._wanted.aside(problem):
            return False
        shown = {v: (hidden[v],) for key in list(problem.keys)[1:] for v in problem.keys[key]}
        if not shown:
            return False
        agreeing = census(problem.restricted(shown), self._watch)
        return agreeing is None or agreeing.solutions > self._wanted.most
