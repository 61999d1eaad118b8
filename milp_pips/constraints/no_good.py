"""The constraint that excludes a known solution."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, log2
from typing import ClassVar, Self

from milp_pips.problem.automaton import ConstraintAutomaton, Domain
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
    restates_values: ClassVar[bool] = True

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

    def decision_automaton(self, domains: Sequence[Domain]) -> NoGoodAutomaton:
        return NoGoodAutomaton(domains, self)

    def simplify(self, domains: Sequence[Domain]) -> Iterator[Constraint]:
        pairs = list(zip(self.variables, self.values, strict=True))
        least = self.least - sum([value not in domains[v] for v, value in pairs])
        left = [(v, value) for v, value in pairs if value in domains[v] and len(domains[v]) > 1]
        self.demand(least <= len(left))
        if least > 0:
            variables, values = zip(*left, strict=True)
            yield NoGood(variables, values, self.label, least=least)

    def renumbered(self, number: Mapping[int, int], values: Mapping[int, Mapping[int, int]] = {}) -> Self:
        refused = [
            values[v][value] if v in values else value
            for v, value in zip(self.variables, self.values, strict=True)
        ]
        variables = tuple([number[v] for v in self.variables])
        return replace(self, variables=variables, values=tuple(refused))


class NoGoodAutomaton(ConstraintAutomaton[int]):
    """A state is how many variables must still differ from their values."""

    symmetric = False

    def __init__(self, domains: Sequence[Domain], constraint: NoGood):
        super().__init__(domains)
        self._values, self.start = constraint.values, max(0, constraint.least)

    def step(self, state: int, rest: int, place: int, value: int) -> int | None:
        wanted = max(0, state - (value != self._values[place]))
        return wanted if wanted <= rest.bit_count() else None

    def state_bits(self, decided: int) -> float:
        return log2(1 + min(self.start, decided))
