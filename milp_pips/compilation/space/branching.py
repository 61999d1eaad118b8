"""What to branch on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from heapq import nsmallest
from itertools import product
from typing import NamedTuple, TypeAlias

from milp_pips.compilation.space.split import Part
from milp_pips.problem.problem import DominoCover, Problem
from milp_pips.propagation import Contradiction, Fixpoint

Restriction: TypeAlias = dict[int, tuple[int, ...]]
"""The domains that a branch leaves to some variables."""


class Branches(NamedTuple):
    """Restrictions that share out a part's solutions; the variables of the whole that tell them apart."""

    told_by: frozenset[int]
    domains: list[Restriction]


def candidates(part: Part, visible: frozenset[int], most: int) -> list[Branches]:
    """Return what may be branched on, the best first: ``most`` variables, or dominoes there is one of.

    There is a branch per value of a variable, or per way to lay a domino. The fewest branches are the best;
    of as many, a variable comes before a domino, and of variables the one that most constraints speak of.
    Then the first: a board is filled from its first cells on, which splits it sooner than if it is filled
    here and there. Partners come last: who shares a domino says little to the rules as long as values are
    open (``benchmarks/exact.py --row hundred``). What is branched on is visible, as long as anything open is.
    """
    problem = part.problem
    seen = [v for v, variable in enumerate(problem.variables) if len(variable.domain) > 1]
    seen = [v for v in seen if part.variables[v] in visible] or seen
    speaking = Counter(v for constraint in problem.constraints for v in constraint.variables)
    partners = {v for c in problem.constraints if isinstance(c, DominoCover) for v in c.partners}
    seen = [v for v in seen if v not in partners] or seen
    best = nsmallest(most, seen, key=lambda v: (len(problem.variables[v].domain), -speaking[v]))
    found = [
        Branches(frozenset({part.variables[v]}), [{v: (value,)} for value in problem.variables[v].domain])
        for v in best
    ]
    for cover in problem.constraints:
        if isinstance(cover, DominoCover) and len(found[0].domains) > 2:
            left = [v for v in cover.variables if len(problem.variables[v].domain) > 1]
            told_by = frozenset([part.variables[v] for v in left])
            if told_by <= visible or told_by.isdisjoint(visible):
                found += [Branches(told_by, ways) for ways in ways_to_lay(problem, cover)]
    return nsmallest(most, found, key=lambda branches: len(branches.domains))


def ways_to_lay(problem: Problem, cover: DominoCover) -> list[list[Restriction]]:
    """Return, for each domino that there is one of, what domains each way to lay it leaves to two cells.

    Dominoes with one way, or laid already, are left out.
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
    return [of for of in ways.values() if len(of) != 1 and not any(_is_gone(problem, way) for way in of)]


def _is_gone(problem: Problem, way: Restriction) -> bool:
    """Return whether nothing else is open to these variables."""
    return all(problem.variables[v].domain == values for v, values in way.items())


# How far a search has come.


class Progress:
    """How much of a search tree is done, if all branches of a node are equally large (Knuth 1975)."""

    def __init__(self) -> None:
        self.done, self.depth = 0.0, 0
        self._share = 1.0

    def add(self) -> None:
        """Note that what is being searched is done."""
        self.done += self._share

    @contextmanager
    def among(self, size: int) -> Iterator[None]:
        """Search so many things that are together what is being searched."""
        share, self._share, self.depth = self._share, self._share / max(1, size), self.depth + 1
        try:
            yield
        finally:
            self._share, self.depth = share, self.depth - 1


# Which way to branch leaves least: each is tried on the same domains and taken back.
#
# A branch that leads to a contradiction needs not be made: what the others leave is kept at once (failed
# literals, Freeman 1995), and the part goes on with less.

AHEAD, WIDE = 8, 60
"""How many ways to branch are tried, in parts of more variables than that. On the boards with every pip given
of ``benchmarks/exact.py``, up to double-eighteen, 24 ways in place of 8 took twice the time in all."""

TRY, CHANGES = 2, 8
"""What a try costs, in nodes of diagrams that race; how many changes of a domain cost as much as one node."""


class Probing:
    """A part of a problem, filtered, and the branches that it may be given.

    ``spend`` is told what the work costs, in nodes of decision diagrams, and may raise Unfinished. Raises
    Contradiction, as all methods do, if the part has no solution.
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
        """Return the problem with what is left of its domains."""
        return self._fixpoint.problem()

    def best_branches(self) -> Branches | None:
        """Return the branches that leave the fewest values open; None once the part itself has lost some."""
        best: tuple[int, Branches] | None = None
        for branches in candidates(
            self._part, self._visible, AHEAD if len(self._part.variables) > WIDE else 1
        ):
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
        """Return how many values a branch leaves open, None for a contradiction."""
        with self._fixpoint.trying():
            return self._fixpoint.open_values if self._reaches(restriction) else None

    def _reaches(self, restriction: Restriction) -> bool:
        """Restrict and filter; return whether that is possible."""
        before = self._fixpoint.changes
        try:
            self._fixpoint.restrict(restriction)
            self._fixpoint.reach()
        except Contradiction:
            return False
        finally:
            self._spend(TRY + (self._fixpoint.changes - before) // CHANGES)
        return True

    def _keep(self, possible: list[Restriction]) -> None:
        """Restrict the part to what one of these restrictions, of the same variables, allows."""
        if not possible:
            raise Contradiction("no branch has a solution")
        shared = set.intersection(*map(set, possible))
        self._fixpoint.restrict({v: [value for r in possible for value in r[v]] for v in shared})
        self._fixpoint.reach()
