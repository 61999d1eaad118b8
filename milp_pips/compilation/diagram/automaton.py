"""The automata of sums. A state is the bounds on the sum of the open variables."""

from __future__ import annotations

from collections.abc import Sequence
from math import erf, log2, sqrt

from milp_pips.constraints import LinearSum
from milp_pips.problem.automaton import ConstraintAutomaton, Domain, Outlook, outlook_of, places


class SumAutomaton(ConstraintAutomaton[tuple[int, int]]):
    """LinearSum: the bounds on the sum of the open variables, never looser than those of their domains."""

    def __init__(self, domains: Sequence[Domain], constraint: LinearSum):
        super().__init__(domains)
        _, least, most = self._all = self.unruled((1 << len(domains)) - 1)
        low, high = constraint.bounds
        self.start = least if low is None else max(low, least), most if high is None else min(high, most)

    def step(self, state: tuple[int, int], rest: int, place: int, value: int) -> tuple[int, int] | None:  # noqa: ARG002
        _, least, most = self.unruled(rest)
        low, high = max(state[0] - value, least), min(state[1] - value, most)
        return (low, high) if low <= high else None

    def outlook(self, state: tuple[int, int], rest: int) -> Outlook:
        low, high = state
        unruled, least, most = self.unruled(rest)
        # k variables with the value v raise the least sum by at least k (v - bottom), and lower the greatest
        # sum by at least k (top - v)
        bottom = max(self.domains[place][0] for place in places(rest))
        top = min(self.domains[place][-1] for place in places(rest))
        counts = {}
        for value, (few, many) in unruled.items():
            if value > bottom:
                many = min(many, (high - least) // (value - bottom))
            if value < top:
                many = min(many, (most - low) // (top - value))
            counts[value] = few, many
        return Outlook(counts, low, high)

    def state_bits(self, decided: int) -> float:
        least, most = self._window(decided)
        return log2(max(1.0, most - least + 1))

    def lost_bits(self, decided: int) -> float:
        # the sum of variables that are uniform on their domains is approximately normal
        least, most = self._window(decided)
        share = decided / len(self.domains)
        mean = share * sum(domain[0] + domain[-1] for domain in self.domains) / 2
        variance = share * sum((domain[-1] - domain[0] + 1) ** 2 - 1 for domain in self.domains) / 12
        scale = sqrt(2 * max(variance, 0.01))
        rng = (erf((most + 0.5 - mean) / scale) - erf((least - 0.5 - mean) / scale)) / 2
        return min(self.choice_bits(decided), -log2(max(rng, 1e-12)))

    def _window(self, decided: int) -> tuple[float, float]:
        """Return the range of sums of ``decided`` variables with which the bounds can still be met."""
        share, (_, least, most) = decided / len(self.domains), self._all
        low, high = self.start
        return max(least * share, low - most * (1 - share)), min(most * share, high - least * (1 - share))


class WeightedSumAutomaton(ConstraintAutomaton[tuple[int, int]]):
    """LinearSum with coefficients: the bounds on the weighted sum of the open variables."""

    symmetric = False

    def __init__(self, domains: Sequence[Domain], constraint: LinearSum):
        super().__init__(domains)
        self._times = [times for times, _ in constraint.terms]
        # the least and the greatest term of each variable, by place
        self._ends = [
            (min(times * domain[0], times * domain[-1]), max(times * domain[0], times * domain[-1]))
            for times, domain in zip(self._times, domains, strict=True)
        ]
        self._ranges: dict[int, tuple[int, int]] = {}
        low, high = constraint.bounds
        least, most = self._range((1 << len(domains)) - 1)
        self.start = least if low is None else max(low, least), most if high is None else min(high, most)

    def step(self, state: tuple[int, int], rest: int, place: int, value: int) -> tuple[int, int] | None:
        added = self._times[place] * value
        least, most = self._range(rest)
        low, high = max(state[0] - added, least), min(state[1] - added, most)
        return (low, high) if low <= high else None

    def outlook(self, state: tuple[int, int], rest: int) -> Outlook:
        low, high = state
        least, most = self._range(rest)
        # a value is possible only if the other open variables can still bring the sum within the bounds
        left = []
        for place in places(rest):
            times, (bottom, top) = self._times[place], self._ends[place]
            fall, rise = low - most + top, high - least + bottom
            left.append(tuple([value for value in self.domains[place] if fall <= times * value <= rise]))
        return outlook_of(left) if all(left) else self.unruled(rest)

    def state_bits(self, decided: int) -> float:
        share, (least, most) = decided / len(self.domains), self._range((1 << len(self.domains)) - 1)
        low, high = self.start
        begin = max(least * share, low - most * (1 - share))
        end = min(most * share, high - least * (1 - share))
        return min(self.choice_bits(decided), log2(max(1.0, end - begin + 1)))

    def _range(self, rest: int) -> tuple[int, int]:
        """Return the least and the greatest weighted sum of the open variables."""
        found = self._ranges.get(rest)
        if found is None:
            ends = [self._ends[place] for place in places(rest)]
            found = self._ranges[rest] = sum(least for least, _ in ends), sum(most for _, most in ends)
        return found
