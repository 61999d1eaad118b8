"""What a diagram asks of a constraint: an automaton over its variables, decided in any order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from math import erf, log2, sqrt
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from milp_pips.problem.problem import LinearSum

State = TypeVar("State", bound=Hashable)

Domain: TypeAlias = tuple[int, ...]
"""The values of a variable, at least one, in increasing order."""


class Outlook(NamedTuple):
    """What open variables can still hold, in bounds that may be loose but never wrong.

    ``counts`` holds the least and the greatest number of times that each value can occur among them; a
    value without an entry cannot. ``least`` and ``most`` bound their sum.
    """

    counts: Mapping[int, tuple[int, int]]
    least: int
    most: int


def outlook_of(domains: Sequence[Domain]) -> Outlook:
    """Return what open variables with these domains can hold where no rule holds them back."""
    counts: dict[int, tuple[int, int]] = {}
    for domain in domains:
        for value in domain:
            few, many = counts.get(value, (0, 0))
            counts[value] = few + (len(domain) == 1), many + 1
    return Outlook(counts, sum(domain[0] for domain in domains), sum(domain[-1] for domain in domains))


class ConstraintAutomaton(ABC, Generic[State]):
    """The states of a constraint whose variables are decided one by one.

    Variables are known by their places 0, 1, … in the constraint; ``rest`` is a bit mask of the open places.
    Two histories with the same state and the same rest allow exactly the same futures: that is what lets a
    diagram merge them. A state forgets what no longer matters, so that as many as possible merge.
    """

    start: State
    """The state before any variable is decided."""

    symmetric = True
    """Whether variables with the same domain may change places."""

    def __init__(self, domains: Sequence[Domain]):
        self.domains = domains
        self._outlooks: dict[int, Outlook] = {}

    @abstractmethod
    def step(self, state: State, rest: int, place: int, value: int) -> State | None:
        """Return the state after the variable at ``place`` took ``value``; None where no future is left.

        ``rest`` no longer has ``place``. With nothing left open, any state says that the constraint holds.
        """

    @abstractmethod
    def state_bits(self, decided: int) -> float:
        """Return about how many bits tell the states apart while so many variables are decided."""

    def lost_bits(self, decided: int) -> float:  # noqa: ARG002
        """Return about how many bits of choice the constraint takes from so many variables."""
        return 0.0

    def outlook(self, state: State, rest: int) -> Outlook:  # noqa: ARG002
        """Return what the open variables can still hold; there is at least one."""
        return self.unruled(rest)

    def unruled(self, rest: int) -> Outlook:
        """Return what the open variables can hold by their domains alone."""
        outlook = self._outlooks.get(rest)
        if outlook is None:
            outlook = outlook_of([self.domains[place] for place in places(rest)])
            self._outlooks[rest] = outlook
        return outlook

    def choice_bits(self, decided: int) -> float:
        """Return about how many bits of choice the domains give to so many variables."""
        return decided / len(self.domains) * sum(log2(len(domain)) for domain in self.domains)


def places(rest: int) -> Iterator[int]:
    """Return the places in a bit mask."""
    while rest:
        bit = rest & -rest
        yield bit.bit_length() - 1
        rest ^= bit


# The automata of sums, plain and with coefficients: between which bounds the open variables must come.


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
        # k variables that take v lift the least sum by k (v - bottom) or more, and lower the greatest alike
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
        # the sum of variables that are uniform on their domains is about normal
        least, most = self._window(decided)
        share = decided / len(self.domains)
        mean = share * sum(domain[0] + domain[-1] for domain in self.domains) / 2
        variance = share * sum((domain[-1] - domain[0] + 1) ** 2 - 1 for domain in self.domains) / 12
        scale = sqrt(2 * max(variance, 0.01))
        rng = (erf((most + 0.5 - mean) / scale) - erf((least - 0.5 - mean) / scale)) / 2
        return min(self.choice_bits(decided), -log2(max(rng, 1e-12)))

    def _window(self, decided: int) -> tuple[float, float]:
        """Return between which sums of so many variables the bounds can still be met."""
        share, (_, least, most) = decided / len(self.domains), self._all
        low, high = self.start
        return max(least * share, low - most * (1 - share)), min(most * share, high - least * (1 - share))


class WeightedSumAutomaton(ConstraintAutomaton[tuple[int, int]]):
    """LinearSum with coefficients: the bounds on what the open variables add, as for a plain sum."""

    symmetric = False

    def __init__(self, domains: Sequence[Domain], constraint: LinearSum):
        super().__init__(domains)
        self._times = [times for times, _ in constraint.terms]
        # what a variable adds lies between these; the sum of variables in the order of their places, too
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
        # a value must leave the others able to make up for it
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
        """Return the least and the greatest that the open variables can add."""
        found = self._ranges.get(rest)
        if found is None:
            ends = [self._ends[place] for place in places(rest)]
            found = self._ranges[rest] = sum(least for least, _ in ends), sum(most for _, most in ends)
        return found
