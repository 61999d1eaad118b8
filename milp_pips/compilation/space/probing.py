"""Which way to branch leaves least: each is tried on the same domains and taken back.

A branch that leads to a contradiction needs not be made: what the others leave is kept at once (failed
literals, Freeman 1995), and the part goes on with less.
"""

from __future__ import annotations

from collections.abc import Callable

from milp_pips.compilation.space.branching import Branches, Restriction, candidates
from milp_pips.compilation.space.split import Part
from milp_pips.problem.problem import Problem
from milp_pips.propagation import Contradiction, Fixpoint

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
