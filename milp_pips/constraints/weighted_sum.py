"""The automaton of a sum in which each value of each variable has a weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2

from milp_pips.problem.automaton import ConstraintAutomaton, Domain, Outlook, outlook_of, places


class WeightedSumAutomaton(ConstraintAutomaton[tuple[int, int]]):
    """A state is the bounds on the sum of the open variables' weights, never looser than the domains' own.

    ``weights`` has the weight of each value, by place; a value without one weighs 0; None is no bound.
    """

    symmetric = False

    def __init__(
        self,
        domains: Sequence[Domain],
        weights: Sequence[Mapping[int, int]],
        low: int | None,
        high: int | None,
    ):
        super().__init__(domains)
        self._weights = [
            {value: weight.get(value, 0) for value in domain}
            for domain, weight in zip(domains, weights, strict=True)
        ]
        self._ends = [(min(weight.values()), max(weight.values())) for weight in self._weights]
        self._ranges: dict[int, tuple[int, int]] = {}
        self.range = least, most = self._range((1 << len(domains)) - 1)
        self.start = least if low is None else max(low, least), most if high is None else min(high, most)

    def step(self, state: tuple[int, int], rest: int, place: int, value: int) -> tuple[int, int] | None:
        added = self._weights[place][value]
        least, most = self._range(rest)
        low, high = max(state[0] - added, least), min(state[1] - added, most)
        return (low, high) if low <= high else None

    def outlook(self, state: tuple[int, int], rest: int) -> Outlook:
        low, high = state
        least, most = self._range(rest)
        # a value is possible only if the other open variables can still bring the sum within the bounds
        left = []
        for place in places(rest):
            bottom, top = self._ends[place]
            fall, rise = low - most + top, high - least + bottom
            left.append(tuple([x for x, weight in self._weights[place].items() if fall <= weight <= rise]))
        return outlook_of(left) if all(left) else self.unruled(rest)

    def state_bits(self, decided: int) -> float:
        least, most = self.window(decided)
        return min(self.choice_bits(decided), log2(max(1.0, most - least + 1)))

    def window(self, decided: int) -> tuple[float, float]:
        """Return the range of sums of ``decided`` variables with which the bounds can still be met."""
        share, (least, most), (low, high) = decided / len(self.domains), self.range, self.start
        return max(least * share, low - most * (1 - share)), min(most * share, high - least * (1 - share))

    def _range(self, rest: int) -> tuple[int, int]:
        """Return the least and the greatest sum of the open variables' weights."""
        found = self._ranges.get(rest)
        if found is None:
            ends = [self._ends[place] for place in places(rest)]
            found = self._ranges[rest] = sum(least for least, _ in ends), sum(most for _, most in ends)
        return found
