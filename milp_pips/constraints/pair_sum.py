"""The constraint that bounds a weighted number of facts (variable = value): a linear row over pairs.

Every engine takes it, so any constraint with linear rows can be stated to any engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import inf
from typing import ClassVar, Self

from milp_pips.constraints.linear_sum import SumPaths, sum_as_text
from milp_pips.constraints.weighted_sum import WeightedSumAutomaton
from milp_pips.problem.automaton import Domain
from milp_pips.problem.constraint import Assignment, ClauseBuilder, Constraint, DomainView, Row, RowBuilder
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.fields import MAX_SUM, require_text, rows_of_numbers, set_field, whole_between


@dataclass(frozen=True, slots=True)
class PairSum(Constraint):
    """``low <= Σ coefficient · [variable = value] <= high``, where a bracket is 1 if it holds and else 0.

    Parameters
    ----------
    terms
        Triples ``(variable, value, coefficient)``; each pair (variable, value) occurs once.
    low, high
        The bounds; None for no bound.
    """

    terms: tuple[tuple[int, int, int], ...]
    low: int | None = None
    high: int | None = None
    label: str = ""
    restates_values: ClassVar[bool] = True

    def __post_init__(self) -> None:
        set_field(self, "terms", rows_of_numbers("PairSum", "terms", self.terms, 3))
        if len({(v, value) for v, value, _ in self.terms}) < len(self.terms):
            raise ValueError("PairSum has two terms for one pair (variable, value)")
        for name in ("low", "high"):
            if getattr(self, name) is not None:
                set_field(self, name, whole_between("PairSum", name, getattr(self, name), -MAX_SUM, MAX_SUM))
        require_text("PairSum", "label", self.label)

    @property
    def variables(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys([v for v, _, _ in self.terms]))

    @property
    def weights(self) -> dict[int, dict[int, int]]:
        """The coefficient of each value, by variable; a value without one counts 0."""
        weights: dict[int, dict[int, int]] = {}
        for v, value, coefficient in self.terms:
            weights.setdefault(v, {})[value] = coefficient
        return weights

    def formula(self, names: Sequence[str]) -> str:
        total = sum_as_text((times, f"[{names[v]} = {value}]") for v, value, times in self.terms)
        if self.low is not None and self.low == self.high:
            return f"{total} == {self.low}"
        low = "" if self.low is None else f"{self.low} <= "
        high = "" if self.high is None else f" <= {self.high}"
        return f"{low}{total}{high}"

    def holds(self, assignment: Assignment) -> bool:
        total = sum(coefficient for v, value, coefficient in self.terms if assignment[v] == value)
        return (self.low is None or total >= self.low) and (self.high is None or total <= self.high)

    def renumbered(self, number: Mapping[int, int], values: Mapping[int, Mapping[int, int]] = {}) -> Self:
        terms = [
            (number[v], values[v][value] if v in values else value, times) for v, value, times in self.terms
        ]
        return replace(self, terms=tuple(terms))

    def propagator(self, domains: DomainView) -> Callable[[], None]:
        """Propagate bounds: a value stays if the others can make up for its coefficient."""
        bit, masks, why = domains.bit, domains.masks, self.failure
        terms = [
            (v, [(bit[value], times) for value, times in weights.items() if value in bit])
            for v, weights in self.weights.items()
        ]
        low = -inf if self.low is None else self.low
        high = inf if self.high is None else self.high

        def propagate() -> None:
            able = []
            for v, weights in terms:
                mask = masks[v]
                left = [(b, times) for b, times in weights if mask & b]
                rest = mask & ~sum([b for b, _ in left])  # the values without a coefficient count 0
                able.append((v, [*left, (rest, 0)] if rest else left))
            ends = [(min(times for _, times in left), max(times for _, times in left)) for _, left in able]
            least, most = sum([end for end, _ in ends]), sum([end for _, end in ends])
            if least > high or most < low:
                raise Contradiction(why)
            for (v, left), (bottom, top) in zip(able, ends, strict=True):
                # The others add between least - bottom and most - top.
                cheapest, dearest = low - most + top, high - least + bottom
                if bottom < cheapest or top > dearest:
                    domains.keep(v, sum([b for b, times in left if cheapest <= times <= dearest]), why)

        return propagate

    def is_possible(self, domains: Sequence[tuple[int, ...]]) -> bool:
        least = most = 0
        for weights, domain in zip(self.weights.values(), domains, strict=True):
            added = [weights.get(value, 0) for value in domain]
            least += min(added)
            most += max(added)
        return (self.low is None or most >= self.low) and (self.high is None or least <= self.high)

    def linear_rows(self, builder: RowBuilder) -> Iterator[Row]:
        weights = self.weights
        terms = [
            (item, float(weights[v][a])) for item, v, a in builder.pairs_of(self.variables) if a in weights[v]
        ]
        low = -inf if self.low is None else self.low
        high = inf if self.high is None else self.high
        yield Row("region", (self.label,), low, high, terms)

    def clauses(self, builder: ClauseBuilder) -> bool:
        domains = {v: builder.domain(v) for v in self.variables}
        weights = [{a: added.get(a, 0) for a in domains[v]} for v, added in self.weights.items()]
        bound_sum(builder, builder.choices(self.variables), weights, self.low, self.high)
        return True

    def decision_automaton(self, domains: Sequence[Domain]) -> WeightedSumAutomaton:
        weights = self.weights
        return WeightedSumAutomaton(domains, [weights[v] for v in self.variables], self.low, self.high)

    def simplify(self, domains: Sequence[Domain]) -> Iterator[Constraint]:
        """Yield the sum of the variables on whose values it depends; nothing if it always holds."""
        fixed = least = most = 0
        left: set[int] = set()
        for v, weights in self.weights.items():
            taken = [weights.get(value, 0) for value in domains[v]]
            bottom, top = min(taken), max(taken)
            least, most = least + bottom, most + top
            if bottom < top:
                left.add(v)
            else:
                fixed += bottom
        low, high = self.low, self.high
        self.demand((low is None or low <= most) and (high is None or high >= least))
        if (low is not None and low > least) or (high is not None and high < most):
            yield PairSum(
                tuple([term for term in self.terms if term[0] in left and term[1] in domains[term[0]]]),
                None if low is None else low - fixed,
                None if high is None else high - fixed,
                self.label,
            )


def bound_sum(
    builder: ClauseBuilder,
    choices: Sequence[Mapping[int, int]],
    weights: Sequence[Mapping[int, int]],
    low: int | None,
    high: int | None,
) -> None:
    """Add clauses that bound the sum of the weights of the chosen values; None for no bound.

    ``choices`` has for each place the literal of each value, ``weights`` what the value adds. If every place
    adds either its least weight or the same amount more, a counter of these places is smaller than the paths
    of a sum.
    """
    least = [min(added.values(), default=0) for added in weights]
    most = sum(max(added.values(), default=0) for added in weights)
    if (low is None or low <= sum(least)) and (high is None or high >= most):
        return
    more = {a - base for added, base in zip(weights, least, strict=True) for a in added.values()} - {0}
    if len(more) > 1:
        builder.follow(SumPaths(weights, low, high), choices)
        return
    step, base = max(more, default=1), sum(least)
    adding, idle = list[list[int]](), list[list[int]]()
    for choice, added, lowest in zip(choices, weights, least, strict=True):
        if max(added.values(), default=0) > lowest:
            adding.append([literal for value, literal in choice.items() if added[value] > lowest])
            idle.append([literal for value, literal in choice.items() if added[value] == lowest])
    few = 0 if low is None else max(0, -((base - low) // step))
    many = len(adding) if high is None else min(len(adding), (high - base) // step)
    _count(builder, adding, idle, few, many)


def _count(
    builder: ClauseBuilder, groups: list[list[int]], others: list[list[int]], low: int, high: int
) -> None:
    """Add clauses that require a literal of at least ``low`` and of at most ``high`` of the groups.

    Exactly one literal of a group and its counterpart in ``others`` holds.
    """
    if low > high:
        builder.add()
        return
    if len(groups) - low < high:  # a smaller counter suffices for the groups without a literal that holds
        groups, others, low, high = others, groups, len(groups) - high, len(groups) - low
    if high == 0:
        for literal in chain(*groups):
            builder.add(-literal)
    elif high < len(groups):
        one = [
            -other[0] if len(other) == 1 else builder.any_of(group)
            for group, other in zip(groups, others, strict=True)
        ]
        if low == 0 and high == len(groups) - 1:
            builder.add(*(-literal for literal in one))
        elif high > 1:
            builder.between(one, low, high)
        elif low == 1:
            builder.one_of(one)
        else:
            builder.at_most_one_of(one)
