"""The constraint that no two variables take the same value."""

from __future__ import annotations

from dataclasses import dataclass

from milp_pips.problem.constraint import Assignment, Constraint
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

    # @clauses

    # @automaton

    # @simplify


# @@propagator


# @@rows


# @@clauses


# @@automaton


# @@simplify
