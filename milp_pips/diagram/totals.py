"""The accumulators of ``LinearSum`` and ``Cardinality``: what is still to come."""

from __future__ import annotations

from collections.abc import Sequence
from math import erf, log2, sqrt
from typing import TypeAlias

from milp_pips.diagram.accumulator import Accumulator, Domain, Outlook, places

Bounds: TypeAlias = tuple[int | None, int | None]
"""A least and a greatest number; None where there is no such bound."""


class SumAccumulator(Accumulator[Bounds]):
    """LinearSum: the bounds on the sum of the open variables, without those that bind no more."""

    def __init__(self, domains: Sequence[Domain], bounds: Bounds):
        super().__init__(domains)
        self.start = bounds

    def step(self, state: Bounds, rest: int, place: int, value: int) -> Bounds | None:  # noqa: ARG002
        low, high = state
        loose = self.loose(rest)
        if low is not None:
            low -= value
            if low > loose.most:
                return None
            if low <= loose.least:
                low = None
        if high is not None:
            high -= value
            if high < loose.least:
                return None
            if high >= loose.most:
                high = None
        return low, high

    def outlook(self, state: Bounds, rest: int) -> Outlook:
        low, high = state
        loose = self.loose(rest)
        least = loose.least if low is None else max(low, loose.least)
        most = loose.most if high is None else min(high, loose.most)
        # k variables that take v lift the least sum by k (v - bottom) or more, and lower the greatest alike
        bottom = max(self.domains[place][0] for place in places(rest))
        top = min(self.domains[place][-1] for place in places(rest))
        counts = {}
        for value, (few, many) in loose.counts.items():
            if value > bottom:
                many = min(many, (most - loose.least) // (value - bottom))
            if value < top:
                many = min(many, (loose.most - least) // (top - value))
            counts[value] = few, many
        return Outlook(counts, least, most)

    def spread(self, decided: int) -> float:
        least, most = self._window(decided)
        return log2(max(1.0, most - least + 1))

    def loss(self, decided: int) -> float:
        # the sum of variables that are uniform on their domains is about normal
        least, most = self._window(decided)
        share = decided / len(self.domains)
        mean = share * sum(domain[0] + domain[-1] for domain in self.domains) / 2
        variance = share * sum((domain[-1] - domain[0] + 1) ** 2 - 1 for domain in self.domains) / 12
        scale = sqrt(2 * max(variance, 0.01))
        chance = (erf((most + 0.5 - mean) / scale) - erf((least - 0.5 - mean) / scale)) / 2
        return min(self.choice(decided), -log2(max(chance, 1e-12)))

    def _window(self, decided: int) -> tuple[float, float]:
        """Return between which sums of so many variables the bounds can still be met."""
        share = decided / len(self.domains)
        loose = self.loose((1 << len(self.domains)) - 1)
        low, high = self.start
        least, most = loose.least * share, loose.most * share
        if low is not None:
            least = max(least, low - loose.most * (1 - share))
        if high is not None:
            most = min(most, high - loose.least * (1 - share))
        return least, most


class CardinalityAccumulator(Accumulator[tuple[tuple[int, int], ...]]):
    """Cardinality: for each bounded value, how often the open variables still must and may take it."""

    def __init__(self, domains: Sequence[Domain], bounds: Sequence[tuple[int, int, int]]):
        super().__init__(domains)
        tightest: dict[int, tuple[int, int]] = {}
        for value, low, high in bounds:
            least, most = tightest.get(value, (low, high))
            tightest[value] = max(low, least), min(high, most)
        self._bounded = tuple(tightest)
        self.start = tuple(tightest.values())

    def step(
        self,
        state: tuple[tuple[int, int], ...],
        rest: int,
        place: int,  # noqa: ARG002
        value: int,
    ) -> tuple[tuple[int, int], ...] | None:
        counts, must, may = self.loose(rest).counts, 0, 0
        following = []
        for bounded, (low, high) in zip(self._bounded, state, strict=True):
            few, many = counts.get(bounded, (0, 0))
            low, high = max(0, low - (bounded == value)), min(high - (bounded == value), many)
            if low > high or few > high:
                return None
            following.append((low, high))
            must, may = must + low, may + high
        may += sum(many for other, (_, many) in counts.items() if other not in self._bounded)
        return tuple(following) if must <= rest.bit_count() <= may else None

    def outlook(self, state: tuple[tuple[int, int], ...], rest: int) -> Outlook:
        loose = self.loose(rest)
        counts = dict(loose.counts)
        for bounded, (low, high) in zip(self._bounded, state, strict=True):
            few, many = counts.get(bounded, (0, 0))
            counts[bounded] = max(few, low), min(many, high)
        return Outlook(counts, loose.least, loose.most)

    def spread(self, decided: int) -> float:
        return sum(log2(min(decided, high) + 1) for _, high in self.start if high > 0)
