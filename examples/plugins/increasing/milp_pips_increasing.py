"""A constraint from another package: values that increase along a path, as on a thermometer in a Sudoku.

It has the three methods that every constraint needs, and no others. So every engine solves it, lists it and
counts it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from milp_pips.problem.constraint import Assignment, Constraint, Domains, Row, RowBuilder


@dataclass(frozen=True, slots=True)
class Increasing(Constraint):
    """Each variable is less than the next one."""

    variables: tuple[int, ...]
    label: str = ""

    def holds(self, assignment: Assignment) -> bool:
        return all(assignment[u] < assignment[v] for u, v in pairwise(self.variables))

    def propagator(self, domains: Domains) -> Callable[[], None]:
        """Return a propagator that is complete: it bounds the values from below and from above."""
        why = self.failure

        def propagate() -> None:
            low, high = -inf, inf
            for v in self.variables:
                domains.keep_between(v, low, inf, why)
                low = domains.least(v) + 1
            for v in reversed(self.variables):
                domains.keep_between(v, -inf, high, why)
                high = domains.most(v) - 1

        return propagate

    def linear_rows(self, builder: RowBuilder) -> Iterator[Row]:
        """Yield Σ [u = b, b >= a] <= Σ [v = b, b > a] for neighbours u, v and every value a of u."""
        for u, v in pairwise(self.variables):
            less, greater = builder.pairs_of([u]), builder.pairs_of([v])
            for _, _, a in less:
                terms = [(pair, 1.0) for pair, _, b in less if b >= a]
                terms += [(pair, -1.0) for pair, _, b in greater if b > a]
                yield Row("region", (self.label, builder.name(u), builder.name(v), a), -inf, 0.0, terms)
