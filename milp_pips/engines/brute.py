"""A backtracking solver in plain Python: exact, short, slow, and with nothing to install.

It is the reference in tests of other engines, and an example of a solver plugin.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from milp_pips.constraints import AllDifferent, AllEqual, Cardinality, DominoCover, Less, LinearSum, Table
from milp_pips.engines.library import LibrarySolver
from milp_pips.problem.answer import Answer, Proof, Settings, Stop
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.errors import UsageError

if TYPE_CHECKING:
    from milp_pips.engines.contract import Points
    from milp_pips.problem.problem import Problem
    from milp_pips.problem.stopping import Deadline


class BruteSolver(LibrarySolver):
    """Backtracking: place one domino after another, assign the other variables, and check each full point."""

    name = "brute"
    kind = "search"
    title = "backtracking"
    features = frozenset({"time limit", "enumeration"})

    def solve(self, problem: Problem, settings: Settings, deadline: Deadline) -> Answer:
        """Return the first point found; see ``Solver``."""
        _check(settings)
        begun = time.perf_counter()
        search = Backtracking(problem, deadline)
        try:
            point = next(search.points(), None)
        except RecursionError:
            return Answer(None, Proof.NONE, Stop.ERROR, message="too large for plain recursion")
        stop = (deadline.stop if search.stopped else None) or Stop.FINISHED
        proof = Proof.FEASIBLE if point is not None else Proof.NONE if search.stopped else Proof.INFEASIBLE
        seconds = {"build": 0.0, "solve": time.perf_counter() - begun}
        return Answer(point, proof, stop, statistics={"nodes": search.nodes}, seconds=seconds)

    def points(self, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Points:  # noqa: ARG002
        """Yield every point; see ``EnumeratingSolver``."""
        _check(settings)
        search = Backtracking(problem, deadline)
        try:
            yield from search.points()
        except RecursionError:
            return Proof.NONE, Stop.ERROR
        if search.stopped:
            return Proof.NONE, deadline.stop or Stop.INTERRUPTED
        return Proof.COMPLETE, Stop.FINISHED


def _check(settings: Settings) -> None:
    """Raise UsageError for settings that this solver does not have."""
    if settings.formulation or settings.options:
        raise UsageError("brute has no formulations and no options")


class Backtracking:
    """A depth-first search through all points of a problem.

    ``stopped`` states whether the deadline ended it early; ``nodes`` counts the choices made.
    """

    def __init__(self, problem: Problem, deadline: Deadline):
        self.problem = problem
        self.deadline = deadline
        self.nodes = 0
        self.stopped = False
        self.value: dict[int, int] = {}
        self._domains = [variable.domain for variable in problem.variables]
        self._speaking: dict[int, list[Constraint]] = {v: [] for v in range(len(problem.variables))}
        for constraint in problem.constraints:
            if not isinstance(constraint, DominoCover):  # placing dominoes ensures these
                for v in constraint.variables:
                    self._speaking[v].append(constraint)

    def points(self) -> Iterator[tuple[int, ...]]:
        """Yield every point once."""
        covers = [c for c in self.problem.constraints if isinstance(c, DominoCover)]
        yield from self._lay(covers, Counter(covers[0].dominoes) if covers else Counter())

    def _lay(self, covers: list[DominoCover], left: Counter[tuple[int, int]]) -> Iterator[tuple[int, ...]]:
        """Cover the first free cell of the first cover in every way; then continue with the next cover.

        ``left`` counts the dominoes of the first cover that are not placed yet, by kind.
        """
        if not covers:
            yield from self._choose(0)
            return
        cover = covers[0]
        free = next((i for i, p in enumerate(cover.partners) if p not in self.value), None)
        if free is None:
            yield from self._lay(covers[1:], Counter(covers[1].dominoes) if covers[1:] else Counter())
            return
        for j in self.problem.variables[cover.partners[free]].domain:
            if cover.partners[j] in self.value:
                continue
            for a, b in [kind for kind, count in left.items() if count]:
                left[a, b] -= 1
                for one, other in {(a, b), (b, a)}:
                    choice = {
                        cover.values[free]: one,
                        cover.values[j]: other,
                        cover.partners[free]: j,
                        cover.partners[j]: free,
                    }
                    if self._take(choice):
                        yield from self._lay(covers, left)
                        self._forget(choice)
                    if self.stopped:
                        return
                left[a, b] += 1

    def _choose(self, v: int) -> Iterator[tuple[int, ...]]:
        """Yield every point that extends the current choices, by branching on the variables from ``v`` on."""
        while v in self.value:
            v += 1
        if v == len(self.problem.variables):
            point = tuple(self.value[u] for u in range(v))
            if self.problem.violated(point) is None:
                yield point
            return
        for value in self.problem.variables[v].domain:
            if self._take({v: value}):
                yield from self._choose(v + 1)
                self._forget({v: value})
            if self.stopped:
                return

    def _take(self, choice: dict[int, int]) -> bool:
        """Assign the values of a choice and return True; undo it and return False if it violates a rule."""
        self.nodes += 1
        if self.nodes % 256 == 0 and self.deadline.stop:
            self.stopped = True
        open_to = not self.stopped and self.value.keys().isdisjoint(choice)
        if not open_to or any(value not in self._domains[v] for v, value in choice.items()):
            return False
        self.value |= choice
        if all(may_hold(c, self.value, self._domains) for v in choice for c in self._speaking[v]):
            return True
        self._forget(choice)
        return False

    def _forget(self, choice: dict[int, int]) -> None:
        """Undo a choice."""
        for v in choice:
            del self.value[v]


def may_hold(constraint: Constraint, value: Mapping[int, int], domains: Sequence[tuple[int, ...]]) -> bool:
    """Return whether a constraint may still hold after a partial assignment.

    The result is exact once all variables of the constraint have a value. Sums and pairs are bounded by the
    domains, which must be in increasing order. A domino cover is only checked once all of its variables have
    a value.
    """
    match constraint:
        case LinearSum():
            least = most = 0
            for times, v in constraint.terms:
                x = value.get(v)
                if x is not None:
                    least += times * x
                    most += times * x
                elif domains[v]:
                    least += times * domains[v][0 if times > 0 else -1]
                    most += times * domains[v][-1 if times > 0 else 0]
            low, high = constraint.bounds
            return (low is None or most >= low) and (high is None or least <= high)
        case Less((less, greater)) if domains[less] and domains[greater]:
            least = value.get(less, domains[less][0])
            return least + constraint.gap <= value.get(greater, domains[greater][-1])
        case Table(variables, rows):
            taken = [value.get(v) for v in variables]
            return any(all(x is None or x == y for x, y in zip(taken, row, strict=True)) for row in rows)
        case AllEqual():
            return len({value[v] for v in constraint.variables if v in value}) <= 1
        case AllDifferent():
            known = [value[v] for v in constraint.variables if v in value]
            return len(set(known)) == len(known)
        case Cardinality():
            known = [value[v] for v in constraint.variables if v in value]
            missing = len(constraint.variables) - len(known)
            return all(low - missing <= known.count(x) <= high for x, low, high in constraint.bounds)
        case _:
            return any(v not in value for v in constraint.variables) or constraint.holds(value)
