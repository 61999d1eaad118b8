"""Sums and words as paths: where one can be after the first variables, and where a value leads from there.

The decision diagrams have automata for the same rules; these are written apart from them, so that one is a
second opinion on the other.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import accumulate
from typing import Protocol, TypeAlias, TypeVar

from milp_pips.problem.problem import Automaton, LinearSum

State = TypeVar("State", bound=Hashable)

Domains: TypeAlias = Sequence[tuple[int, ...]]


class Paths(Protocol[State]):
    """A path takes a value of one variable after another; every whole path is a way to obey the rule."""

    start: State
    """The state before the first value."""

    def step(self, place: int, state: State, value: int) -> State | None:
        """Return the state after the variable at ``place`` took the value; None where no path goes on."""


class SumPaths:
    """The bounds on what the open variables must sum to, as far as their domains do not keep to them."""

    def __init__(self, domains: Domains, constraint: LinearSum):
        self._times = [times for times, _ in constraint.terms]
        ends = [(min(domain, default=0), max(domain, default=0)) for domain in domains]
        added = [sorted((c * a, c * b)) for c, (a, b) in zip(self._times, ends, strict=True)]
        self._least = _sums_from([least for least, _ in added])
        self._most = _sums_from([most for _, most in added])
        low, high = constraint.bounds
        least, most = self._least[0], self._most[0]
        self.start = least if low is None else max(low, least), most if high is None else min(high, most)

    def step(self, place: int, state: tuple[int, int], value: int) -> tuple[int, int] | None:
        value *= self._times[place]
        low, high = state[0] - value, state[1] - value
        least, most = self._least[place + 1], self._most[place + 1]
        low, high = low if low > least else least, high if high < most else most
        return (low, high) if low <= high else None


def _sums_from(values: Sequence[int]) -> list[int]:
    """Return for each place the sum of the values from there on; 0 behind the last."""
    return list(accumulate(reversed(values), initial=0))[::-1]


class WordPaths:
    """The states of a finite automaton from which the open letters can still be accepted."""

    def __init__(self, domains: Domains, automaton: Automaton):
        self.start = automaton.start
        self._arcs = {(state, letter): after for state, letter, after in automaton.arcs}
        alive: set[int] = set(automaton.accepting)
        self._alive = [alive]
        for domain in reversed(domains):
            letters = set(domain)
            alive = {s for s, letter, after in automaton.arcs if letter in letters and after in alive}
            self._alive.append(alive)
        self._alive.reverse()

    def step(self, place: int, state: int, value: int) -> int | None:
        after = self._arcs.get((state, value))
        return after if after in self._alive[place + 1] else None
