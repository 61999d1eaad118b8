"""Constraints on single facts: a fixed value, and a disjunction of facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import ClassVar, Self

from milp_pips.constraints.weighted_sum import WeightedSumAutomaton
from milp_pips.problem.automaton import Domain
from milp_pips.problem.constraint import Assignment, ClauseBuilder, Constraint, DomainView, Row, RowBuilder
from milp_pips.problem.errors import Contradiction


@dataclass(frozen=True, slots=True)
class Fixed(Constraint):
    """A constraint: the variable has this value, as a given of the puzzle or a move of the player."""

    variable: int
    value: int
    label: str = ""
    restates_values: ClassVar[bool] = True

    @property
    def variables(self) -> tuple[int, ...]:
        return (self.variable,)

    def formula(self, names: Sequence[str]) -> str:
        return f"{names[self.variable]} = {self.value}"

    def holds(self, assignment: Assignment) -> bool:
        return assignment[self.variable] == self.value

    def propagator(self, domains: DomainView) -> Callable[[], None]:
        bit = domains.bit.get(self.value, 0)
        return lambda: domains.keep(self.variable, bit, self.failure)

    def linear_rows(self, builder: RowBuilder) -> Iterator[Row]:
        """``[v = a] = 1``."""
        terms = [(item, 1.0) for item, _, a in builder.pairs_of(self.variables) if a == self.value]
        yield Row("region", (self.label, builder.name(self.variable), self.value), 1.0, 1.0, terms)

    def clauses(self, builder: ClauseBuilder) -> bool:
        builder.add(builder.literal(self.variable, self.value))
        return True

    def decision_automaton(self, domains: Sequence[Domain]) -> WeightedSumAutomaton:
        return WeightedSumAutomaton(domains, [{self.value: 1}], 1, None)

    def simplify(self, domains: Sequence[Domain]) -> Iterator[Constraint]:
        domain = domains[self.variable]
        self.demand(self.value in domain)
        if len(domain) > 1:
            yield self

    def renumbered(self, number: Mapping[int, int], values: Mapping[int, Mapping[int, int]] = {}) -> Self:
        v, value = self.variable, self.value
        return replace(self, variable=number[v], value=values[v][value] if v in values else value)


@dataclass(frozen=True, slots=True)
class AnyOf(Constraint):
    """A constraint: at least one fact holds. A fact is a variable, a value and whether it has that value."""

    facts: tuple[tuple[int, int, bool], ...]
    label: str = ""
    restates_values: ClassVar[bool] = True

    @property
    def variables(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(v for v, _, _ in self.facts))

    def formula(self, names: Sequence[str]) -> str:
        return " or ".join(f"{names[v]} {'=' if holds else '!='} {value}" for v, value, holds in self.facts)

    def holds(self, assignment: Assignment) -> bool:
        return any((assignment[v] == value) is holds for v, value, holds in self.facts)

    def propagator(self, domains: DomainView) -> Callable[[], None]:
        """Remove values once all facts that can still hold are about one variable: one of these holds."""
        masks, why = domains.masks, self.failure
        every = (1 << len(domains.values)) - 1
        bits = [(v, domains.bit.get(value, 0), holds) for v, value, holds in self.facts]
        facts = [(v, bit if holds else every & ~bit) for v, bit, holds in bits]

        def propagate() -> None:
            last, allowed = -1, 0
            for v, mask in facts:
                if masks[v] & mask:
                    if v != last and last >= 0:
                        return
                    last, allowed = v, allowed | mask
            if last < 0:
                raise Contradiction(why)
            domains.keep(last, allowed, why)

        return propagate

    def linear_rows(self, builder: RowBuilder) -> Iterator[Row]:
        """``Σ [v = a] - Σ [w = b] >= 1 - the number of the latter``, which are the negated facts."""
        if any(
            (v, a, True) in self.facts or a not in builder.domain(v)
            for v, a, holds in self.facts
            if not holds
        ):
            return  # one of the facts certainly holds
        sign_of = {(v, a): 1.0 if holds else -1.0 for v, a, holds in self.facts}
        pairs = builder.pairs_of(self.variables)
        terms = [(item, sign_of[v, a]) for item, v, a in pairs if (v, a) in sign_of]
        negative = sum(sign < 0 for _, sign in terms)
        yield Row("region", (self.label,), 1.0 - negative, inf, terms)

    def clauses(self, builder: ClauseBuilder) -> bool:
        builder.add(*(builder.literal(v, a) * (1 if holds else -1) for v, a, holds in self.facts))
        return True

    def decision_automaton(self, domains: Sequence[Domain]) -> WeightedSumAutomaton:
        """Return the automaton of a sum: a negative fact holds unless it takes 1 from their number."""
        weights: dict[int, dict[int, int]] = {v: {} for v in self.variables}
        for v, value, holds in self.facts:
            weights[v][value] = weights[v].get(value, 0) + (1 if holds else -1)
        negative = sum([not holds for _, _, holds in self.facts])
        return WeightedSumAutomaton(domains, list(weights.values()), 1 - negative, None)

    def simplify(self, domains: Sequence[Domain]) -> Iterator[Constraint]:
        left = []
        for v, value, holds in self.facts:
            if value in domains[v] and len(domains[v]) > 1:
                left.append((v, value, holds))
            elif (value in domains[v]) is holds:
                return
        self.demand(bool(left))
        yield AnyOf(tuple(left), self.label)

    def renumbered(self, number: Mapping[int, int], values: Mapping[int, Mapping[int, int]] = {}) -> Self:
        facts = [
            (number[v], values[v][value] if v in values else value, holds) for v, value, holds in self.facts
        ]
        return replace(self, facts=tuple(facts))
