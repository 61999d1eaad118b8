"""Constraints that the package does not know, with nothing but the methods that it needs of one."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from milp_pips.problem.constraint import Constraint, Row
from milp_pips.problem.errors import Contradiction


def by_generation(constraint, domains):
    """Return a propagator that checks the constraint once all variables have a value."""

    def propagate():
        values = {v: domains.taken(v) for v in constraint.variables}
        fixed = all(len(taken) == 1 for taken in values.values())
        if fixed and not constraint.holds({v: taken[0] for v, taken in values.items()}):
            raise Contradiction(constraint.label)

    return propagate


@dataclass(frozen=True, slots=True)
class FarApart(Constraint):
    """Two variables differ by at least ``gap``: a row per pair of values, without columns."""

    variables: tuple[int, int]
    gap: int
    label: str = "far apart"

    def holds(self, assignment):
        x, y = (assignment[v] for v in self.variables)
        return abs(x - y) >= self.gap

    def propagator(self, domains):
        return by_generation(self, domains)

    def linear_rows(self, builder):
        first, second = (builder.pairs_of([v]) for v in self.variables)
        for item, _, x in first:
            for other, _, y in second:
                if abs(x - y) < self.gap:
                    yield Row("far", (x, y), -inf, 1, [(item, 1), (other, 1)])


@dataclass(frozen=True, slots=True)
class EvenSum(Constraint):
    """The sum of the variables is even: a column per variable holds the parity of the sum up to it."""

    variables: tuple[int, ...]
    label: str = "even"

    def holds(self, assignment):
        return sum(assignment[v] for v in self.variables) % 2 == 0

    def propagator(self, domains):
        return by_generation(self, domains)

    def linear_rows(self, builder):
        before = []  # the terms of the parity before a place: none at first, since it is 0
        for place, v in enumerate(self.variables):
            odd = [item for item, _, value in builder.pairs_of([v]) if value % 2]
            after = builder.add_column("parity", (place,))
            for p, q, r, most in ((1, -1, -1, 0), (-1, 1, -1, 0), (1, 1, 1, 2), (-1, -1, 1, 0)):
                terms = [(after, p), *((item, q) for item in before), *((item, r) for item in odd)]
                yield Row("change", (place, p, q), -inf, most, terms)
            before = [after]
        yield Row("even", (), 0, 0, [(item, 1) for item in before])
