"""The constraint that lists the allowed rows of values."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from operator import contains

from milp_pips.problem.constraint import Assignment, Constraint
from milp_pips.problem.fields import check_scope, rows_of_numbers, set_field


@dataclass(frozen=True, slots=True)
class Table(Constraint):
    """The values of the variables, in this order, are one of the rows."""

    variables: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]
    label: str = ""

    def __post_init__(self) -> None:
        check_scope(self)
        set_field(self, "rows", rows_of_numbers("Table", "rows", self.rows, len(self.variables)))

    def holds(self, assignment: Assignment) -> bool:
        return tuple(assignment[v] for v in self.variables) in self.rows

    def within(self, domains: Sequence[Container[int]]) -> list[tuple[int, ...]]:
        """Return the distinct rows that the domains allow; ``domains`` are in the order of the variables."""
        return [row for row in dict.fromkeys(self.rows) if all(map(contains, domains, row))]

    # @propagator

    # @rows

    # @clauses

    # @automaton

    # @simplify


# @@propagator


# @@rows


# @@clauses


# @@automaton


# @@simplify
