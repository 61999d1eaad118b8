"""What a diagram asks of a constraint: an automaton over its variables, decided in any order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from math import log2
from typing import Generic, NamedTuple, TypeAlias, TypeVar

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
