"""The constraint that all variables take the same value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from milp_pips.constraints.rows import items_by_value
from milp_pips.problem.constraint import Assignment, ClauseBuilder, Constraint, DomainView, Row, RowBuilder
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

    def linear_rows(self, builder: RowBuilder) -> Iterator[Row]:
        """``[u = a] = [v = a]`` for neighbours u, v in the list and every value a."""
        for value, item in items_by_value(builder, self.variables).items():
            for u, v in pairwise(self.variables):
                terms = [(item[w], sign) for w, sign in ((u, 1.0), (v, -1.0)) if w in item]
                if terms:
                    yield Row("region", (self.label, builder.name(u), builder.name(v), value), 0, 0, terms)

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


# @@automaton


# @@simplify
