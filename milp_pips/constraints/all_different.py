"""The constraint that no two variables take the same value."""

from __future__ import annotations

from dataclasses import dataclass

from milp_pips.problem.constraint import Assignment, ClauseBuilder, Constraint
from milp_pips.problem.fields import check_scope


@dataclass(frozen=True, slots=True)
class AllDifferent(Constraint):
    """No two variables take the same value."""

    variables: tuple[int, ...]
    label: str = ""

    def __post_init__(self) -> None:
        check_scope(self)

    def holds(self, assignment: Assignment) -> bool:
        return len({assignment[v] for v in self.variables}) == len(self.variables)

    # @propagator

    # @rows

    def clauses(self, builder: ClauseBuilder) -> bool:
        """Add that all values differ and, if there are as many values as variables, that each is taken."""
        domains = [builder.domain(v) for v in self.variables]
        values = sorted({value for domain in domains for value in domain})
        for value in values:
            pairs = zip(self.variables, domains, strict=True)
            literals = [builder.literal(v, value) for v, domain in pairs if value in domain]
            if len(values) == len(self.variables):
                builder.add(*literals)
            builder.at_most_one_of(literals)
        return True

    # @automaton

    # @simplify


# @@propagator


# @@rows


# @@automaton


# @@simplify
