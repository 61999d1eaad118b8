"""The accumulators of ``AllEqual``, ``AllDifferent`` and ``NoGood``."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, log2, perm

from milp_pips.diagram.accumulator import Accumulator, Domain, Outlook, places


class EqualAccumulator(Accumulator[Domain]):
    """AllEqual: the values that all variables can take."""

    def __init__(self, domains: Sequence[Domain]):
        super().__init__(domains)
        self.start = tuple(sorted(set(domains[0]).intersection(*domains)))

    def step(self, state: Domain, rest: int, place: int, value: int) -> Domain | None:  # noqa: ARG002
        return (value,) if value in state else None

    def outlook(self, state: Domain, rest: int) -> Outlook:
        if not state:
            return self.loose(rest)
        count = rest.bit_count()
        few = count if len(state) == 1 else 0
        return Outlook(dict.fromkeys(state, (few, count)), count * state[0], count * state[-1])

    def spread(self, decided: int) -> float:  # noqa: ARG002
        return log2(max(1, len(self.start)))

    def loss(self, decided: int) -> float:
        return self.choice(decided) - self.spread(decided)


class DifferentAccumulator(Accumulator[int]):
    """AllDifferent: a bit mask of the values taken, without those that no open variable could take."""

    start = 0

    def __init__(self, domains: Sequence[Domain]):
        super().__init__(domains)
        values = sorted(set().union(*domains))
        self._bit = {value: 1 << i for i, value in enumerate(values)}
        self._wanted = [sum(self._bit[value] for value in domain) for domain in domains]

    def step(self, state: int, rest: int, place: int, value: int) -> int | None:  # noqa: ARG002
        if state & self._bit[value]:
            return None
        taken, wanted = state | self._bit[value], 0
        for other in places(rest):
            if not self._wanted[other] & ~taken:
                return None
            wanted |= self._wanted[other]
        return taken & wanted if (wanted & ~taken).bit_count() >= rest.bit_count() else None

    def outlook(self, state: int, rest: int) -> Outlook:
        loose, count = self.loose(rest), rest.bit_count()
        counts = {
            value: (min(few, 1), 1)
            for value, (few, _) in loose.counts.items()
            if not state & self._bit[value]
        }
        free = sorted(counts)
        least, most = sum(free[:count]), sum(free[::-1][:count])
        return Outlook(counts, max(loose.least, least), min(loose.most, most))

    def spread(self, decided: int) -> float:
        return log2(max(1, comb(len(self._bit), decided)))

    def loss(self, decided: int) -> float:
        return decided * log2(len(self._bit)) - log2(max(1, perm(len(self._bit), decided)))


class NoGoodAccumulator(Accumulator[int]):
    """NoGood: how many variables must still differ from their values."""

    symmetric = False

    def __init__(self, domains: Sequence[Domain], values: Sequence[int], least: int):
        super().__init__(domains)
        self._values, self.start = tuple(values), max(0, least)

    def step(self, state: int, rest: int, place: int, value: int) -> int | None:
        wanted = max(0, state - (value != self._values[place]))
        return wanted if wanted <= rest.bit_count() else None

    def spread(self, decided: int) -> float:
        return log2(1 + min(self.start, decided))
