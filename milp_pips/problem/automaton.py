"""The contract of a constraint in a decision diagram: an automaton that reads variables in any order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from math import log2
from typing import Generic, NamedTuple, TypeAlias, TypeVar

__all__ = ["ConstraintAutomaton", "Domain", "Outlook", "outlook_of", "places"]

State = TypeVar("State", bound=Hashable)

Domain: TypeAlias = tuple[int, ...]
"""The values of a variable, at least one, in increasing order."""


class Outlook(NamedTuple):
    """Valid bounds on the values of open variables; the bounds need not be tight.

    ``counts`` has the least and the greatest number of times that each value can occur among them; a value
    without an entry cannot occur. ``least`` and ``most`` bound their sum.
    """

    counts: Mapping[int, tuple[int, int]]
    least: int
    most: int


def outlook_of(domains: Sequence[Domain]) -> Outlook:
    """Return the outlook of open variables with these domains and no rule."""
    counts: dict[int, tuple[int, int]] = {}
    for domain in domains:
        for value in domain:
            few, many = counts.get(value, (0, 0))
            counts[value] = few + (len(domain) == 1), many + 1
    return Outlook(counts, sum(domain[0] for domain in domains), sum(domain[-1] for domain in domains))


class ConstraintAutomaton(ABC, Generic[State]):
    """The states of a constraint whose variables are decided one by one.

    Variables are identified by their places 0, 1, … in the constraint; ``rest`` is a bit mask of the open
    places. Two histories with the same state and the same rest allow exactly the same futures, so a diagram
    may merge them. A state drops information that no longer matters, so that as many as possible merge.
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
        """Return the state after the variable at ``place`` took ``value``; None if no future is left.

        ``rest`` no longer has ``place``. If no place is open, any state means that the constraint holds.
        """

    @abstractmethod
    def state_bits(self, decided: int) -> float:
        """Return an estimate of the bits that distinguish the states after ``decided`` decisions."""

    def lost_bits(self, decided: int) -> float:  # noqa: ARG002
        """Return an estimate of the bits of choice that the constraint takes from ``decided`` variables."""
        return 0.0

    def outlook(self, state: State, rest: int) -> Outlook:  # noqa: ARG002
        """Return the outlook of the open variables; at least one place is open."""
        return self.unruled(rest)

    def unruled(self, rest: int) -> Outlook:
        """Return the outlook of the open variables from their domains alone."""
        outlook = self._outlooks.get(rest)
        if outlook is None:
            outlook = outlook_of([self.domains[place] for place in places(rest)])
            self._outlooks[rest] = outlook
        return outlook

    def choice_bits(self, decided: int) -> float:
        """Return an estimate of the bits of choice that the domains give to ``decided`` variables."""
        return decided / len(self.domains) * sum(log2(len(domain)) for domain in self.domains)


def places(rest: int) -> Iterator[int]:
    """Yield the places in a bit mask."""
    while rest:
        bit = rest & -rest
        yield bit.bit_length() - 1
        rest ^= bit
