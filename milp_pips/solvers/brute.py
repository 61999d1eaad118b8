"""Plain backtracking in plain Python: exact, tiny, nothing to install, and slow.

It is the reference that other engines are tested against, and an example of a solver plugin.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from milp_pips.answer import Answer, Proof, Settings, Stop
from milp_pips.errors import UsageError
from milp_pips.problem import AllDifferent, Cardinality, Constraint, DominoCover, LinearSum
from milp_pips.solvers.library import LibrarySolver

if TYPE_CHECKING:
    from milp_pips.problem import Problem
    from milp_pips.solvers.contract import Points
    from milp_pips.watch import Watch


class BruteSolver(LibrarySolver):
    """Backtracking: lay one domino after another, then choose the other values; check what is complete."""

    name = "brute"
    kind = "search"
    title = "backtracking"
    requires = ()
    distribution = "milp-pips"
    features = frozenset({"time limit", "enumeration"})
    formulations = ("",)

    def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
        """Return the first point found; see ``Solver``."""
        _check(settings)
        begun = time.perf_counter()
        search = Search(problem, watch)
        try:
            point = next(search.points(), None)
        except RecursionError:
            return Answer(None, Proof.NONE, Stop.ERROR, message="too large for plain recursion")
        stop = (watch.stop if search.stopped else None) or Stop.FINISHED
        proof = Proof.FEASIBLE if point is not None else Proof.NONE if search.stopped else Proof.INFEASIBLE
        seconds = {"build": 0.0, "solve": time.perf_counter() - begun}
        return Answer(point, proof, stop, statistics={"nodes": search.nodes}, seconds=seconds)

    def points(self, problem: Problem, key: str, settings: Settings, watch: Watch) -> Points:  # noqa: ARG002
        """Yield every point; see ``EnumeratingSolver``."""
        _check(settings)
        search = Search(problem, watch)
        try:
            yield from search.points()
        except RecursionError:
            return Proof.NONE, Stop.ERROR
        if search.stopped:
            return Proof.NONE, watch.stop or Stop.INTERRUPTED
        return Proof.COMPLETE, Stop.FINISHED


def _check(settings: Settings) -> None:
    """Raise UsageError for anything that cannot be set here."""
    if settings.formulation or settings.options:
        raise UsageError("brute has no formulations and no options")


class Search:
    """A depth-first search through all points of a problem.

    ``stopped`` tells whether the watch cut it short; ``nodes`` counts the choices made.
    """

    def __init__(self, problem: Problem, watch: Watch):
        self.problem = problem
        self.watch = watch
        self.nodes = 0
        self.stopped = False
        self.value: dict[int, int] = {}
        self._speaking: dict[int, list[Constraint]] = {v: [] for v in range(len(problem.variables))}
        for constraint in problem.constraints:
            for v in constraint.variables:
                self._speaking[v].append(constraint)

    def points(self) -> Iterator[tuple[int, ...]]:
        """Yield every point once."""
        covers = [c for c in self.problem.constraints if isinstance(c, DominoCover)]
        yield from self._lay(covers, Counter(covers[0].dominoes) if covers else Counter())

    def _lay(self, covers: list[DominoCover], left: Counter[tuple[int, int]]) -> Iterator[tuple[int, ...]]:
        """Cover the first free cell of the first cover in every way; then go on with the next cover."""
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
        """Give every variable from ``v`` on that has no value yet each value of its domain."""
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
        """Make a choice and return True; leave everything as it was if it breaks something."""
        self.nodes += 1
        if self.nodes % 256 == 0 and self.watch.stop:
            self.stopped = True
        variables = self.problem.variables
        fits = not self.stopped and all(
            self.value.get(v, value) == value and value in variables[v].domain for v, value in choice.items()
        )
        if not fits or any(v in self.value for v in choice):
            return False
        self.value |= choice
        if all(self._possible(c) for v in choice for c in self._speaking[v]):
            return True
        self._forget(choice)
        return False

    def _forget(self, choice: dict[int, int]) -> None:
        for v in choice:
            del self.value[v]

    def _possible(self, constraint: Constraint) -> bool:
        """Whether the constraint may still hold: exact once its variables have values."""
        if isinstance(constraint, DominoCover):
            return True  # laid as it should be
        open_variables = [v for v in constraint.variables if v not in self.value]
        if open_variables and isinstance(constraint, LinearSum):
            low, high = constraint.bounds
            domains = [self.problem.variables[v].domain for v in open_variables]
            sure = sum(self.value[v] for v in constraint.variables if v in self.value)
            most = sum(max(domain, default=0) for domain in domains)
            least = sum(min(domain, default=0) for domain in domains)
            return (low is None or sure + most >= low) and (high is None or sure + least <= high)
        if open_variables and isinstance(constraint, AllDifferent):
            seen = [self.value[v] for v in constraint.variables if v in self.value]
            return len(set(seen)) == len(seen)
        if open_variables and isinstance(constraint, Cardinality):
            occurs = Counter(self.value[v] for v in constraint.variables if v in self.value)
            return all(
                occurs[value] <= high and occurs[value] + len(open_variables) >= low
                for value, low, high in constraint.bounds
            )
        if open_variables:
            return True
        return constraint.holds(self.value)
