"""Choose what to branch on, probe branches, and measure the progress of the search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from heapq import nsmallest
from itertools import product
from typing import NamedTuple, TypeAlias, TypeVar

from milp_pips.compilation.parts import Part
from milp_pips.constraints import DominoCover, covers_of, partners_of
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.problem import Problem
from milp_pips.propagation import Fixpoint

Restriction: TypeAlias = dict[int, tuple[int, ...]]
"""The domains to which a branch restricts some variables."""


class Branches(NamedTuple):
    """Restrictions that divide a part's solutions, and the variables of the whole in which they differ."""

    differ_in: frozenset[int]
    domains: list[Restriction]


def candidates(part: Part, visible: frozenset[int], most: int) -> list[Branches]:
    """Return up to ``most`` ways to branch, best first, on variables or on dominoes that occur only once.

    There is one branch for each value of a variable, or for each way to lay a domino. Fewer branches are
    better. Ties prefer a variable over a domino, then the variable in the most constraints, then the first
    variable: a board that is filled from its first cells on splits sooner than one filled in random places.
    Partners come last: which cells share a domino hardly affects the rules as long as values are open
    (``benchmarks/exact.py --row hundred``). Branching prefers visible variables as long as one is open.
    """
    problem = part.problem
    seen = [v for v, variable in enumerate(problem.variables) if len(variable.domain) > 1]
    seen = [v for v in seen if part.variables[v] in visible] or seen
    constraints_on = Counter(v for constraint in problem.constraints for v in constraint.variables)
    partners = partners_of(problem.constraints)
    seen = [v for v in seen if v not in partners] or seen
    best = nsmallest(most, seen, key=lambda v: (len(problem.variables[v].domain), -constraints_on[v]))
    found = [
        Branches(frozenset({part.variables[v]}), [{v: (value,)} for value in problem.variables[v].domain])
        for v in best
    ]
    for cover in covers_of(problem.constraints):
        if len(found[0].domains) > 2:
            left = [v for v in cover.variables if len(problem.variables[v].domain) > 1]
            differ_in = frozenset([part.variables[v] for v in left])
            if differ_in <= visible or differ_in.isdisjoint(visible):
                found += [Branches(differ_in, ways) for ways in ways_to_lay(problem, cover)]
    return nsmallest(most, found, key=lambda branches: len(branches.domains))


def ways_to_lay(problem: Problem, cover: DominoCover) -> list[list[Restriction]]:
    """Return for each domino that occurs once the restrictions of two cells, one for each way to lay it.

    Dominoes with only one way, or already laid, are left out.
    """
    ways: dict[tuple[int, int], list[Restriction]] = {
        kind: [] for kind, times in cover.kinds.items() if times == 1
    }
    values = [problem.variables[v].domain for v in cover.values]
    for i, j in cover.edges:
        matched = {cover.partners[i]: (j,), cover.partners[j]: (i,)}
        for a, b in product(values[i], values[j]):
            kind = min(a, b), max(a, b)
            if kind in ways:
                ways[kind].append({cover.values[i]: (a,), cover.values[j]: (b,), **matched})
    return [
        each for each in ways.values() if len(each) != 1 and not any(_is_laid(problem, way) for way in each)
    ]


def _is_laid(problem: Problem, way: Restriction) -> bool:
    """Return whether the variables already have exactly these domains, so that the domino lies there."""
    return all(problem.variables[v].domain == values for v, values in way.items())


# The progress of a search.

Branch = TypeVar("Branch")


class SearchProgress:
    """The finished share of a search tree, as if all branches of a node were equally large (Knuth 1975)."""

    def __init__(self) -> None:
        self.done, self.depth = 0.0, 0
        self._share = 1.0

    def among(self, branches: Sequence[Branch]) -> Iterator[Branch]:
        """Yield the branches of the current node; each is done when the next one is requested."""
        begun, share = self.done, self._share
        self._share, self.depth = share / max(1, len(branches)), self.depth + 1
        try:
            for number, branch in enumerate(branches, 1):
                yield branch
                self.done = begun + number * share / len(branches)
        finally:
            self._share, self.depth = share, self.depth - 1


# Probing: try each way to branch on the same domains, undo it, and choose the one that leaves the least open.
# If a branch leads to a contradiction, the part keeps only the values of the other branches (failed literals,
# Freeman 1995).

AHEAD, WIDE = 8, 60
"""How many ways to branch are tried in parts with more than ``WIDE`` variables. On the boards with every pip
given of ``benchmarks/exact.py``, up to double-eighteen, 24 ways instead of 8 took twice the time in all."""

TRIAL_COST, CHANGES_PER_NODE = 2, 8
"""The cost of a try in nodes of a competing diagram; how many changes of a domain cost as much as a node."""


class Probing:
    """A filtered part of a problem, and a search for its best branches.

    ``spend`` gets the cost of the work in nodes of decision diagrams, and may raise Unfinished. The
    constructor and all methods raise Contradiction if the part has no solution.
    """

    def __init__(self, part: Part, visible: frozenset[int], spend: Callable[[int], None]):
        self._part, self._visible, self._spend = part, visible, spend
        self._fixpoint = Fixpoint(part.problem)
        self._fixpoint.reach()

    @property
    def reduced(self) -> bool:
        """Whether the part has lost values."""
        return self._fixpoint.open_values < self._part.problem.open_values

    def problem(self) -> Problem:
        """Return the problem with its current domains."""
        return self._fixpoint.problem()

    def best_branches(self) -> Branches | None:
        """Return the branches that leave the fewest values open; None if the part itself has lost values."""
        best: tuple[int, Branches] | None = None
        ways = candidates(self._part, self._visible, AHEAD if len(self._part.variables) > WIDE else 1)
        if len(ways) == 1 and not self.reduced:
            return ways[0]  # the branches are filtered soon: to try them first takes as long again
        for branches in ways:
            sizes = [self._open_after(restriction) for restriction in branches.domains]
            possible = [r for r, size in zip(branches.domains, sizes, strict=True) if size is not None]
            if len(possible) < len(sizes):
                self._keep(possible)
            left = sum([size for size in sizes if size is not None])
            if best is None or left < best[0]:
                best = left, branches
        return None if self.reduced or best is None else best[1]

    def branch(self, restriction: Restriction) -> Problem | None:
        """Return the problem of a branch, filtered; None if it has no solution."""
        with self._fixpoint.trying():
            return self._fixpoint.problem() if self._reaches(restriction) else None

    def _open_after(self, restriction: Restriction) -> int | None:
        """Return how many values a branch leaves open; None if it leads to a contradiction."""
        with self._fixpoint.trying():
            return self._fixpoint.open_values if self._reaches(restriction) else None

    def _reaches(self, restriction: Restriction) -> bool:
        """Restrict and filter the domains; return False at a contradiction. Spends the cost."""
        before = self._fixpoint.changes
        try:
            self._fixpoint.restrict(restriction)
            self._fixpoint.reach()
        except Contradiction:
            return False
        finally:
            self._spend(TRIAL_COST + (self._fixpoint.changes - before) // CHANGES_PER_NODE)
        return True

    def _keep(self, possible: list[Restriction]) -> None:
        """Restrict the part to the values that at least one of these restrictions allows."""
        if not possible:
            raise Contradiction("no branch has a solution")
        shared = set.intersection(*map(set, possible))
        self._fixpoint.restrict({v: [value for r in possible for value in r[v]] for v in shared})
        self._fixpoint.reach()
