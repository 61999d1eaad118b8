"""The constraint that all variables take the same value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from milp_pips.problem.constraint import Assignment, ClauseBuilder, Constraint, DomainView
from milp_pips.problem.fields import check_scope


@dataclass(frozen=True, slots=True)
class AllEqual(Constraint):
    """All variables take the same value."""

    variables: tuple[int, ...]
    label: str = ""

    def __post_init__(self) -> None:
        check_scope(self)

    def holds(self, assignment: Assignment) -> bool:
        return len({assignment[v] for v in self.variables}) <= 1

    all_equal = True

    def propagator(self, domains: DomainView) -> Callable[[], None]:
        return partial(_propagate, self.variables, domains, self.failure)

    def is_possible(self, domains: Sequence[tuple[int, ...]]) -> bool:
        return not domains or bool(set(domains[0]).intersection(*domains))

    # @rows

    def clauses(self, builder: ClauseBuilder) -> bool:
        for u, v in pairwise(self.variables):
            for value in sorted({*builder.domain(u), *builder.domain(v)}):
                builder.add(-builder.literal(u, value), builder.literal(v, value))
                builder.add(builder.literal(u, value), -builder.literal(v, value))
        return True

    # @automaton

    # @simplify


def _propagate(variables: tuple[int, ...], domains: DomainView, why: str) -> None:
    """Keep the values that all variables have in common."""
    common = -1
    for v in variables:
        common &= domains.masks[v]
    for v in variables:
        domains.keep(v, common, why)


# @@rows


# @@automaton


# @@simplify
