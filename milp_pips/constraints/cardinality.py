"""The constraint that bounds how often each value occurs (global cardinality)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from milp_pips.constraints.rows import items_by_value
from milp_pips.constraints.value_flow import ValueBounds, propagate_by_flow
from milp_pips.problem.constraint import Assignment, ClauseBuilder, Constraint, DomainView, Row, RowBuilder
from milp_pips.problem.errors import Contradiction
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

    def propagator(self, domains: DomainView) -> Callable[[], None]:
        """Propagate the bounds of each value on the same masks; a change wakes the constraint again."""
        variables, why = self.variables, self.failure
        bounds = [(domains.bit.get(value, 0), low, high) for value, low, high in self.bounds]

        def propagate() -> None:
            masks = [domains.masks[v] for v in variables]
            undecided = [mask for mask in masks if mask & (mask - 1)]
            for bit, low, high in bounds:
                does = masks.count(bit)
                may = sum([1 for mask in undecided if mask & bit])
                if does > high or does + may < low:
                    raise Contradiction(why)
                if may and (does == high or does + may == low):
                    for v in variables:
                        mask = domains.masks[v]
                        if mask & bit and mask != bit:
                            domains.keep(v, ~bit if does == high else bit, why)

        return propagate

    def thorough_propagator(self, domains: DomainView) -> Callable[[], None]:
        bounds = ValueBounds({}, {})
        for value, low, high in self.bounds:
            bit = domains.bit.get(value, 0)
            if bit:
                bounds.least[bit] = max(low, bounds.least.get(bit, 0))
                bounds.most[bit] = min(high, bounds.most.get(bit, high))
            elif low > 0:
                raise Contradiction(self.failure)
        return lambda: propagate_by_flow(self.variables, bounds, domains, self.failure)

    def is_possible(self, domains: Sequence[tuple[int, ...]]) -> bool:
        can = Counter(value for domain in domains for value in domain)
        must = Counter(domain[0] for domain in domains if len(domain) == 1)
        return all(low <= can[value] and must[value] <= high for value, low, high in self.bounds)

    def linear_rows(self, builder: RowBuilder) -> Iterator[Row]:
        """``low <= Σ [v = a] <= high`` for every value a that has bounds."""
        by_value = items_by_value(builder, self.variables)
        for value, low, high in self.bounds:
            terms = [(item, 1.0) for item in by_value.get(value, {}).values()]
            yield Row("region", (self.label, value), low, high, terms)

    def clauses(self, builder: ClauseBuilder) -> bool:
        for value, low, high in self.bounds:
            builder.between([builder.literal(v, value) for v in self.variables], low, high)
        return True

    # @automaton

    # @simplify


# @@automaton


# @@simplify
