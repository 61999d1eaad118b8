"""Constraints on facts, each of which is a variable, a value, and whether the variable has it.

A fixed value, a disjunction and an excluded solution all state that at least some number of facts hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import ClassVar, Self, TypeAlias

from milp_pips.problem.automaton import Domain
from milp_pips.problem.constraint import Assignment, ClauseBuilder, Constraint, Domains, Row, RowBuilder
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.fields import MAX_NUMBER, check_scope, set_field, whole_between, whole_numbers

Facts: TypeAlias = tuple[tuple[int, int, bool], ...]
"""Facts: a variable, a value, and whether the variable has this value."""


class FactRule(Constraint):
    """At least ``least`` of the ``facts`` hold; if ``least`` is over 1, no two facts are on one variable."""

    __slots__ = ()

    restates_values: ClassVar[bool] = True
    facts: Facts
    least: int = 1

    def with_facts(self, facts: Facts, least: int) -> Self:
        """Return the constraint of the same class and label on other facts."""
        raise NotImplementedError

    def holds(self, assignment: Assignment) -> bool:
        return sum((assignment[v] == value) is holds for v, value, holds in self.facts) >= self.least

    def propagator(self, domains: Domains) -> Callable[[], None]:
        """Once only as many variables as needed can make a fact true, each of them does."""
        least, masks, why = self.least, domains.masks, self.failure
        every = (1 << len(domains.values)) - 1
        true_in: dict[int, int] = {}  # the values of each variable that make a fact true
        for v, value, holds in self.facts:
            bit = domains.bit.get(value, 0)
            true_in[v] = true_in.get(v, 0) | (bit if holds else every & ~bit)

        def propagate() -> None:
            able = []
            for v, mask in true_in.items():
                if masks[v] & mask:
                    able.append((v, mask))
                    if len(able) > least:
                        return
            if len(able) < least:
                raise Contradiction(why)
            for v, mask in able:
                domains.keep(v, mask, why)

        return propagate

    def linear_rows(self, builder: RowBuilder) -> Iterator[Row]:
        """``Σ [v = a] - Σ [w = b] <= n - least`` for n facts ``v != a`` and some facts ``w = b``."""
        signs = Counter[tuple[int, int]]()
        for v, value, holds in self.facts:
            signs[v, value] += -1 if holds else 1
        terms = [(item, float(signs[v, a])) for item, v, a in builder.pairs_of(self.variables) if signs[v, a]]
        negative = sum(not holds for _, _, holds in self.facts)
        yield Row("region", (self.label,), -inf, negative - self.least, terms)

    def clauses(self, builder: ClauseBuilder) -> bool:
        if self.least == 1:
            builder.add(*(builder.literal(v, a) * (1 if holds else -1) for v, a, holds in self.facts))
        return self.least == 1

    def simplify(self, domains: Sequence[Domain]) -> Iterator[Constraint]:
        """Yield the constraint on the facts that are open; nothing if enough of them certainly hold."""
        left, least = [], self.least
        for v, value, holds in self.facts:
            if value in domains[v] and len(domains[v]) > 1:
                left.append((v, value, holds))
            else:
                least -= (value in domains[v]) is holds
        self.demand(least <= len(left))
        if least > 0:
            yield self.with_facts(tuple(left), least)

    def renumbered(self, number: Mapping[int, int], values: Mapping[int, Mapping[int, int]] = {}) -> Self:
        facts = [
            (number[v], values[v][value] if v in values else value, holds) for v, value, holds in self.facts
        ]
        return self.with_facts(tuple(facts), self.least)


@dataclass(frozen=True, slots=True)
class Fixed(FactRule):
    """The variable has this value, as a given of the puzzle or a move of the player."""

    variable: int
    value: int
    label: str = ""

    @property
    def variables(self) -> tuple[int, ...]:
        return (self.variable,)

    @property
    def facts(self) -> Facts:  # type: ignore[override]
        return ((self.variable, self.value, True),)

    def with_facts(self, facts: Facts, least: int) -> Self:  # noqa: ARG002
        ((v, value, _),) = facts
        return type(self)(v, value, self.label)


@dataclass(frozen=True, slots=True)
class AnyOf(FactRule):
    """At least one fact holds. A fact is a variable, a value and whether it has that value."""

    facts: Facts
    label: str = ""

    @property
    def variables(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(v for v, _, _ in self.facts))

    def with_facts(self, facts: Facts, least: int) -> Self:  # noqa: ARG002
        return type(self)(facts, self.label)


@dataclass(frozen=True, slots=True)
class NoGood(FactRule):
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

    @property
    def facts(self) -> Facts:  # type: ignore[override]
        return tuple([(v, value, False) for v, value in zip(self.variables, self.values, strict=True)])

    def with_facts(self, facts: Facts, least: int) -> Self:
        variables, values = (tuple([fact[i] for fact in facts]) for i in (0, 1))
        return type(self)(variables, values, self.label, least=least)
