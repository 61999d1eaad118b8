"""The constraint that all variables take the same value."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from milp_pips.problem.constraint import Assignment, ClauseBuilder, Constraint
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

    # @propagator

    # @rows

    def clauses(self, builder: ClauseBuilder) -> bool:
        for u, v in pairwise(self.variables):
            for value in sorted({*builder.domain(u), *builder.domain(v)}):
                builder.add(-builder.literal(u, value), builder.literal(v, value))
                builder.add(builder.literal(u, value), -builder.literal(v, value))
        return True

    # @automaton

    # @simplify


# @@propagator


# @@rows


# @@automaton


# @@simplify
