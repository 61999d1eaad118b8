"""Spaces of solutions that can be searched in parts: a live model, or a problem stated anew each time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, cast

from milp_pips.answer import Proof, Settings, Stop
from milp_pips.engines import ask, available
from milp_pips.problem import NoGood, Problem
from milp_pips.solvers.contract import Found, LiveModel

if TYPE_CHECKING:
    from milp_pips.solvers.contract import LiveSolver
    from milp_pips.watch import Watch


def space(solver: str, problem: Problem, key: str, settings: Settings) -> LiveModel:
    """Return the space of the problem's solutions for a solver: live where the solver can."""
    engine = available(solver)
    if "cuts" in engine.features:
        return cast("LiveSolver", engine).live(problem, key, settings)
    return RebuiltSpace(solver, problem, key, settings)


class RebuiltSpace:
    """A space for any solver: the problem is restricted, extended and stated anew for every question.

    A choice is the number of a pair (variable of the key, value).
    """

    def __init__(self, solver: str, problem: Problem, key: str, settings: Settings):
        self._solver, self._problem, self._key, self._settings = solver, problem, key, settings
        self._variables = problem.keys[key]
        domains = [problem.variables[v].domain for v in self._variables]
        firsts = [0, *accumulate(map(len, domains))]
        self._pairs = [(v, a) for v, domain in zip(self._variables, domains, strict=True) for a in domain]
        self._first = dict(zip(self._variables, firsts, strict=False))
        self._least = problem.least_difference(key)

    def solve(self, chosen: Sequence[int], refused: Sequence[int], watch: Watch) -> Found:
        """Ask the solver about the problem with its domains restricted; see ``LiveModel``."""
        if watch.stop:  # an engine that answers before it looks at the clock would go on and on
            return Found(None, (), Proof.NONE, watch.stop)
        domains: dict[int, set[int]] = {}
        for v, a in (self._pairs[c] for c in chosen):
            domains[v] = {a}
        for v, a in (self._pairs[c] for c in refused):
            domains.setdefault(v, set(self._problem.variables[v].domain)).discard(a)
        if not all(domains.values()):
            return Found(None, (), Proof.INFEASIBLE, Stop.FINISHED)
        answer = ask(self._solver, self._problem.restricted(domains), self._settings, watch)
        if answer.point is None:
            return Found(None, (), answer.proof, answer.stop, answer.message)
        return Found(answer.point, self.choices(answer.point), answer.proof, answer.stop, answer.message)

    def choices(self, point: Sequence[int]) -> tuple[int, ...]:
        """Return the pairs of the key that the point takes; see ``LiveModel``."""
        variables = self._problem.variables
        return tuple(self._first[v] + variables[v].domain.index(point[v]) for v in self._variables)

    def exclude(self, choices: Sequence[int]) -> None:
        """Add a no-good to the problem; see ``LiveModel``."""
        values = tuple(self._pairs[c][1] for c in choices)
        self._problem = self._problem.with_constraints([NoGood(self._variables, values, self._least)])
