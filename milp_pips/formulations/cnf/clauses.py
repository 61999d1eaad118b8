"""A formula in conjunctive normal form, and the small encodings that the rules are built of."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import Protocol, TypeAlias, TypeVar

from milp_pips.problem.problem import Automaton, LinearSum

# Sums and words as paths: where one can be after the first variables, and where a value leads from there.
#
# The decision diagrams have automata for the same rules; these are written apart from them, so that one is
# a second opinion on the other.

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


MAX_PAIRWISE_LITERALS = 10
"""Literals up to which "at most one" is said pair by pair; beyond, a counter takes fewer clauses."""

NUMBERS_PER_CHECK = 16
"""Numbers of a group between two looks at whether to go on: most groups are smaller."""


class Clauses:
    """Clauses over the variables 1, 2, …; a literal is a variable or its negative.

    ``true`` is a literal that always holds. What is added inside ``given`` holds only if those literals do.
    ``interrupted`` is called now and then while clauses are made; once it returns True, the rest is left out.
    """

    def __init__(self, interrupted: Callable[[], object] = bool) -> None:
        self._interrupted = interrupted
        self.clauses: list[tuple[int, ...]] = []
        self.variables = 0
        self._unless: list[int] = []
        self.true = self.new()
        self.add(self.true)

    def new(self) -> int:
        """Return a new literal."""
        self.variables += 1
        return self.variables

    def add(self, *literals: int) -> None:
        """Add the clause that one of the literals holds; without any, that what is given does not."""
        self.clauses.append((*self._unless, *literals) or (-self.true,))

    @contextmanager
    def given(self, *literals: int) -> Iterator[None]:
        """Let the clauses that are added inside hold only if all these literals do."""
        before = self._unless
        self._unless = [*before, *(-literal for literal in literals)]
        try:
            yield
        finally:
            self._unless = before

    @contextmanager
    def always(self) -> Iterator[None]:
        """Let the clauses that are added inside hold in any case: they say what new literals mean."""
        before, self._unless = self._unless, []
        try:
            yield
        finally:
            self._unless = before

    def one_of(self, literals: Sequence[int]) -> None:
        """Add that exactly one of the literals holds."""
        self.add(*literals)
        self.at_most_one_of(literals)

    def at_most_one_of(self, literals: Sequence[int]) -> None:
        """Add that no two of the literals hold."""
        if len(literals) > MAX_PAIRWISE_LITERALS:
            self.add(-self.at_least(literals, 2)[2])
            return
        for i, literal in enumerate(literals):
            for other in literals[:i]:
                self.add(-other, -literal)

    def between(self, literals: Sequence[int], low: int, high: int) -> None:
        """Add that at least ``low`` and at most ``high`` of the literals hold."""
        count = self.at_least(literals, high + 1 if high < len(literals) else low)
        if low > 0:
            self.add(*count[low : low + 1])
        if high < len(literals):
            self.add(*([-count[high + 1]] if high >= 0 else []))

    def at_least(self, literals: Sequence[int], most: int) -> list[int]:
        """Return literals that say "at least k of these hold", for k = 0, 1, … up to ``most`` or to all.

        A totalizer (Bailleux and Boufkhad 2003) that counts no further than ``most``, with both directions of
        every definition, so that unit propagation finds all that follows from a bound on either side.
        """
        counts = [[self.true, literal][: max(0, most) + 1] for literal in literals]
        with self.always():
            while len(counts) > 1:
                if self._interrupted():
                    return [self.true] * (min(len(literals), max(0, most)) + 1)
                pairs = zip(counts[::2], counts[1::2], strict=False)
                counts = [self._sum(one, other, most) for one, other in pairs] + counts[len(counts) & ~1 :]
        return counts[0] if counts else [self.true]

    def _sum(self, one: Sequence[int], other: Sequence[int], most: int) -> list[int]:
        """Return how many of two groups hold, of each of which it is known; see ``at_least``."""
        count = [self.true, *(self.new() for _ in range(min(len(one) + len(other) - 2, most)))]
        add = self.clauses.append
        for k in range(2, len(count)):
            add((-count[k], count[k - 1]))
        for i, left in enumerate(one):
            if i % NUMBERS_PER_CHECK == NUMBERS_PER_CHECK - 1 and self._interrupted():
                break
            here, beyond = (-left,) if i else (), tuple(one[i + 1 : i + 2])
            for j, right in enumerate(other[: len(count) - i]):
                if i + j:  # i and j of them: i + j in all
                    add((*here, -right, count[i + j]) if j else (*here, count[i]))
                if i + j + 1 < len(count):  # no more than i and j of them: no more than i + j in all
                    add((*beyond, *other[j + 1 : j + 2], -count[i + j + 1]))
        return count

    def follow(self, paths: Paths[State], choices: Sequence[Mapping[int, int]]) -> None:
        """Add that what is chosen is a path: ``choices[place]`` has the literal of each value.

        A literal for every state at every place, and for every step between them, says that the path goes
        there; complete for unit propagation (Abío, Gange, Mayer-Eichberger and Stuckey 2016).
        """
        nodes: dict[State, int] = {paths.start: self.true}
        last = len(choices) - 1
        for place, values in enumerate(choices):
            entering: dict[State, list[int]] = {}
            saying: dict[int, list[int]] = {value: [] for value in values}
            for state, node in nodes.items():
                if self._interrupted():
                    return
                leaving = []
                for value, literal in values.items():
                    after = paths.step(place, state, value)
                    if after is not None:
                        arc = self._both(node, literal)
                        leaving.append(arc)
                        saying[value].append(arc)
                        entering.setdefault(after, []).append(arc)
                self.add(-node, *leaving)
            for value, arcs in saying.items():
                if values[value] not in arcs:
                    self.add(-values[value], *arcs)
            nodes = {state: self._any(arcs) for state, arcs in entering.items()} if place < last else {}

    def _both(self, one: int, other: int) -> int:
        """Return a literal from which both follow, and which must be among the reasons for each."""
        if one == self.true or other == self.true:
            return other if one == self.true else one
        both = self.new()
        self.add(-both, one)
        self.add(-both, other)
        return both

    def _any(self, literals: Sequence[int]) -> int:
        """Return a literal that holds if and only if one of these does."""
        if len(literals) == 1:
            return literals[0]
        one = self.new()
        self.add(-one, *literals)
        for literal in literals:
            self.add(-literal, one)
        return one
