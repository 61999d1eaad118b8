"""The constraint that bounds how often each value occurs (global cardinality)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from milp_pips.problem.constraint import Assignment, ClauseBuilder, Constraint
from milp_pips.problem.fields import check_scope, rows_of_numbers, set_field


@dataclass(frozen=True, slots=True)
class Cardinality(Constraint):
    """Global cardinality: value ``v`` occurs at least ``low`` and at most ``high`` times.

    ``bounds`` holds one triple ``(v, low, high)`` per value; a value without a triple is free.
    """

    variables: tuple[int, ...]
    bounds: tuple[tuple[int, int, int], ...]
    label: str = ""

    def __post_init__(self) -> None:
        check_scope(self)
        set_field(self, "bounds", rows_of_numbers("Cardinality", "bounds", self.bounds, 3))

    def holds(self, assignment: Assignment) -> bool:
        occurs = Counter(assignment[v] for v in self.variables)
        return all(low <= occurs[value] <= high for value, low, high in self.bounds)

    def parts(self) -> Iterator[tuple[str, Constraint]]:
        for triple in self.bounds:
            yield "", replace(self, bounds=(triple,))

    # @propagator

    # @rows

    def clauses(self, builder: ClauseBuilder) -> bool:
        for value, low, high in self.bounds:
            builder.between([builder.literal(v, value) for v in self.variables], low, high)
        return True

    # @automaton

    # @simplify


# @@propagator


# @@rows


# @@automaton


# @@simplify
