"""The constraint that bounds a weighted number of facts (variable = value): a linear row over pairs.

Every engine takes it, so any constraint with linear rows can be stated to any engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from milp_pips.constraints.sums import WeightedSum
from milp_pips.problem.automaton import Domain
from milp_pips.problem.constraint import Assignment, Constraint, Domains
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.fields import MAX_SUM, require_text, rows_of_numbers, set_field, whole_between


@dataclass(frozen=True, slots=True)
class PairSum(WeightedSum):
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

    @property
    def bounds(self) -> tuple[int | None, int | None]:
        return self.low, self.high

    def weights_of(self, domains: Sequence[Domain]) -> list[dict[int, int]]:
        return [
            {value: weights.get(value, 0) for value in domain}
            for weights, domain in zip(self.weights.values(), domains, strict=True)
        ]

    @property
    def is_weighted(self) -> bool:
        return True

    def holds(self, assignment: Assignment) -> bool:
        total = sum(coefficient for v, value, coefficient in self.terms if assignment[v] == value)
        low, high = self.limits
        return low <= total <= high

    def renumbered(self, number: Mapping[int, int], values: Mapping[int, Mapping[int, int]] = {}) -> Self:
        terms = [
            (number[v], values[v][value] if v in values else value, times) for v, value, times in self.terms
        ]
        return replace(self, terms=tuple(terms))

    def propagator(self, domains: Domains) -> Callable[[], None]:
        """Propagate bounds: a value stays if the others can make up for its coefficient."""
        bit, masks, why = domains.bit, domains.masks, self.failure
        terms = [
            (v, [(bit[value], times) for value, times in weights.items() if value in bit])
            for v, weights in self.weights.items()
        ]
        low, high = self.limits

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

    def simplify(self, domains: Sequence[Domain]) -> Iterator[Constraint]:
        """Yield the sum of the variables on whose values it depends; nothing if it always holds."""
        weights = self.weights_of([domains[v] for v in self.variables])
        ends = {v: (min(w.values()), max(w.values())) for v, w in zip(self.variables, weights, strict=True)}
        least, most = sum([bottom for bottom, _ in ends.values()]), sum([top for _, top in ends.values()])
        low, high = self.limits
        self.demand(low <= most and high >= least)
        if low > least or high < most:
            left = {v for v, (bottom, top) in ends.items() if bottom < top}
            fixed = sum([bottom for v, (bottom, _) in ends.items() if v not in left])
            yield PairSum(
                tuple([term for term in self.terms if term[0] in left and term[1] in domains[term[0]]]),
                None if self.low is None else self.low - fixed,
                None if self.high is None else self.high - fixed,
                self.label,
            )
