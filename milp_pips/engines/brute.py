"""A backtracking solver in plain Python: exact, short, slow, and with nothing to install.

It is an example of a solver plugin, and solves every constraint that has a propagator. An objective
makes it a branch and bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product

from milp_pips.constraints import partners_of
from milp_pips.engines.library import LibrarySolver, Points, Run, answer_of_points, end_of_list
from milp_pips.problem import Answer, Contradiction, Deadline, Problem, Proof, Settings, Stop
from milp_pips.propagation import Fixpoint


class BruteSolver(LibrarySolver):
    """Backtracking: branch on a variable, propagate, and check each full point."""

    name = "brute"
    kind = "search"
    title = "backtracking"
    features = frozenset({"time limit", "enumeration", "objective"})
    proof_family = "filtering"  # the propagators decide what has no solution

    def state(self, problem: Problem, settings: Settings, deadline: Deadline) -> Run:  # noqa: ARG002
        """Return the search for the first point; see ``LibrarySolver``."""
        search = Backtracking(problem, deadline)

        def run() -> Answer:
            found = answer_of_points(search.points(), problem, deadline)
            message = "too large for plain recursion" if found.stop is Stop.ERROR else ""
            return replace(found, message=message, statistics={"nodes": search.nodes})

        return run

    def points(self, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Points:  # noqa: ARG002
        """Yield every point; see ``EnumeratingSolver``."""
        self.check(settings)
        return (yield from Backtracking(problem.with_objective(None), deadline).points())


class Backtracking:
    """A depth-first search through all points of a problem; with an objective, branch and bound.

    ``stopped`` states whether the deadline ended it early; ``nodes`` counts the nodes of the search tree.
    """

    def __init__(self, problem: Problem, deadline: Deadline):
        self.problem = problem
        self.deadline = deadline
        self.nodes = 0
        self.stopped = False
        self._costs = {} if problem.objective is None else problem.objective.costs
        self._least: int | None = None  # the cost of the best point so far
        partners = partners_of(problem.constraints)
        every = range(len(problem.variables))
        self._stages = [v for v in every if v not in partners], sorted(partners)

    def points(self) -> Points:
        """Yield every point once, with an objective only better and better ones; return proof and stop."""
        self.nodes += 1
        try:
            if self.problem.open_values == 0:  # nothing to propagate
                yield from self._leaves(variable.domain for variable in self.problem.variables)
            else:
                with suppress(Contradiction):
                    yield from self._search(Fixpoint(self.problem, self.deadline))
        except RecursionError:
            return Proof.NONE, Stop.ERROR
        return end_of_list(not self.stopped, self.deadline)

    def _search(self, fixpoint: Fixpoint) -> Iterator[tuple[int, ...]]:
        """Propagate, and yield every point that is left. Raises Contradiction if propagation leaves none."""
        fixpoint.reach()
        if self.deadline.stop:  # propagation may have ended early, too
            self.stopped = True
            return
        if not self._can_improve(fixpoint):
            return
        v = self._branching_variable(fixpoint)
        if v is None:
            yield from self._leaves(map(fixpoint.domain, range(len(self.problem.variables))))
            return
        for value in fixpoint.domain(v):
            self.nodes += 1
            try:
                with fixpoint.trying():
                    fixpoint.restrict({v: (value,)})
                    yield from self._search(fixpoint)
            except Contradiction:
                continue
            if self.stopped:
                return

    def _leaves(self, domains: Iterable[Sequence[int]]) -> Iterator[tuple[int, ...]]:
        """Yield the point of the domains, which have one value each or none, if it satisfies the problem."""
        for point in product(*domains):
            if self.problem.violated(point) is None:
                if objective := self.problem.objective:
                    self._least = objective.cost(objective.value(point))
                yield point

    def _can_improve(self, fixpoint: Fixpoint) -> bool:
        """Return whether the domains allow a point that is better than the best one so far."""
        return self._least is None or self._least_cost(fixpoint.domain) < self._least

    def _least_cost(self, domain: Callable[[int], Sequence[int]]) -> int:
        """Return the least cost that the domains allow."""
        return sum(min(of.get(a, 0) for a in domain(v)) for v, of in self._costs.items() if domain(v))

    def _branching_variable(self, fixpoint: Fixpoint) -> int | None:
        """Return the open variable with the fewest values; partners come last. None if all are fixed."""
        for variables in self._stages:
            sizes = [(size, v) for v in variables if (size := len(fixpoint.domain(v))) > 1]
            if sizes:
                return min(sizes)[1]
        return None
