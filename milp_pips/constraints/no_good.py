"""The constraint that excludes a known solution."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import inf

from milp_pips.problem.constraint import Assignment, ClauseBuilder, Constraint, DomainView, Row, RowBuilder
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.fields import MAX_NUMBER, check_scope, set_field, whole_between, whole_numbers


@dataclass(frozen=True, slots=True)
class NoGood(Constraint):
    """At least ``least`` of the variables differ from the given values, which excludes a known solution."""

    variables: tuple[int, ...]
    values: tuple[int, ...]
    label: str = "not a solution that is known"
    least: int = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        check_scope(self)
        set_field(self, "values", whole_numbers("NoGood", "values", self.values))
        set_field(self, "least", whole_between("NoGood", "least", self.least, -MAX_NUMBER, MAX_NUMBER))
        if len(self.values) != len(self.variables):
            count = f"{len(self.values)} values for {len(self.variables)} variables"
            raise ValueError(f"NoGood has one value per variable; got {count}")

    def holds(self, assignment: Assignment) -> bool:
        differ = sum(assignment[v] != a for v, a in zip(self.variables, self.values, strict=True))
        return differ >= self.least

    def propagator(self, domains: DomainView) -> Callable[[], None]:
        """If only ``least`` variables can differ from their values, all of these differ."""
        least, masks, why = self.least, domains.masks, self.failure
        bits = [(v, domains.bit.get(value, 0)) for v, value in zip(self.variables, self.values, strict=True)]

        def propagate() -> None:
            able = []
            for v, bit in bits:
                if masks[v] & ~bit:
                    able.append((v, bit))
                    if len(able) > least:
                        return
            if len(able) < least:
                raise Contradiction(why)
            for v, bit in able:
                domains.keep(v, ~bit, why)

        return propagate

    def linear_rows(self, builder: RowBuilder) -> Iterator[Row]:
        """``Σ [v = its value] <= number of variables - least``."""
        value_of = dict(zip(self.variables, self.values, strict=True))
        terms = [(item, 1.0) for item, v, a in builder.pairs_of(self.variables) if value_of[v] == a]
        yield Row("region", (self.label,), -inf, len(self.variables) - self.least, terms)

    def clauses(self, builder: ClauseBuilder) -> bool:
        differ = [-builder.literal(v, a) for v, a in zip(self.variables, self.values, strict=True)]
        if self.least == 1:
            builder.add(*differ)
        elif self.least > 1:
            builder.add(*builder.at_least(differ, self.least)[self.least : self.least + 1])
        return True

    # @automaton

    # @simplify


# @@automaton


# @@simplify
