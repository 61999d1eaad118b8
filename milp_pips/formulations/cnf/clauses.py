"""A formula in conjunctive normal form, with the encodings that rules are built from.

The encodings are "at most one", counters (totalizers) and paths through the states of a sum or an automaton.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

from milp_pips.problem.constraint import Transitions

State = TypeVar("State", bound=Hashable)

MAX_PAIRWISE_LITERALS = 10
"""Literals up to which "at most one" is encoded pairwise; beyond, a counter takes fewer clauses."""

NUMBERS_PER_CHECK = 16
"""Numbers of a group between two checks for interruption: most groups are smaller."""


class Clauses:
    """Clauses over the variables 1, 2, …; a literal is a variable or its negative.

    ``true`` is a literal that always holds. Clauses added inside ``given`` hold only if its literals hold.
    ``interrupted`` is called regularly during encoding; once it returns True, the remaining clauses are
    left out.
    """

    def __init__(self, interrupted: Callable[[], object] = bool) -> None:
        self.interrupted = interrupted
        self.clauses: list[tuple[int, ...]] = []
        self.variables = 0
        self._unless: list[int] = []
        self.true = self.new()
        self.add(self.true)

    def new(self) -> int:
        """Return the positive literal of a new variable."""
        self.variables += 1
        return self.variables

    def add(self, *literals: int) -> None:
        """Add the clause of these literals; without literals, the clause that negates the ``given`` ones."""
        self.clauses.append((*self._unless, *literals) or (-self.true,))

    @contextmanager
    def given(self, *literals: int) -> Iterator[None]:
        """Make the clauses added inside conditional: they hold only if all these literals hold."""
        before = self._unless
        self._unless = [*before, *(-literal for literal in literals)]
        try:
            yield
        finally:
            self._unless = before

    @contextmanager
    def always(self) -> Iterator[None]:
        """Make the clauses added inside unconditional, since they define new literals."""
        before, self._unless = self._unless, []
        try:
            yield
        finally:
            self._unless = before

    def one_of(self, literals: Sequence[int]) -> None:
        """Add clauses that require exactly one of the literals."""
        self.add(*literals)
        self.at_most_one_of(literals)

    def at_most_one_of(self, literals: Sequence[int]) -> None:
        """Add clauses that forbid any two of the literals."""
        if len(literals) > MAX_PAIRWISE_LITERALS:
            self.add(-self.at_least(literals, 2)[2])
            return
        for i, literal in enumerate(literals):
            for other in literals[:i]:
                self.add(-other, -literal)

    def between(self, literals: Sequence[int], low: int, high: int) -> None:
        """Add clauses that require at least ``low`` and at most ``high`` of the literals."""
        count = self.at_least(literals, high + 1 if high < len(literals) else low)
        if low > 0:
            self.add(*count[low : low + 1])
        if high < len(literals):
            self.add(*([-count[high + 1]] if high >= 0 else []))

    def at_least(self, literals: Sequence[int], most: int) -> list[int]:
        """Return literals for "at least k of these hold", for k = 0, 1, … up to ``most`` or to all.

        The encoding is a totalizer (Bailleux and Boufkhad 2003) that counts up to ``most``. It has both
        directions of every definition, so unit propagation finds all consequences of a bound on either side.
        """
        counts = [[self.true, literal][: max(0, most) + 1] for literal in literals]
        with self.always():
            while len(counts) > 1:
                if self.interrupted():
                    return [self.true] * (min(len(literals), max(0, most)) + 1)
                pairs = zip(counts[::2], counts[1::2], strict=False)
                counts = [self._sum(one, other, most) for one, other in pairs] + counts[len(counts) & ~1 :]
        return counts[0] if counts else [self.true]

    def _sum(self, one: Sequence[int], other: Sequence[int], most: int) -> list[int]:
        """Return the counter of two groups, given the counter of each; see ``at_least``."""
        count = [self.true, *(self.new() for _ in range(min(len(one) + len(other) - 2, most)))]
        add = self.clauses.append
        for k in range(2, len(count)):
            add((-count[k], count[k - 1]))
        for i, left in enumerate(one):
            if i % NUMBERS_PER_CHECK == NUMBERS_PER_CHECK - 1 and self.interrupted():
                break
            reached, beyond = (-left,) if i else (), tuple(one[i + 1 : i + 2])
            for j, right in enumerate(other[: len(count) - i]):
                if i + j:  # at least i of one and j of the other: at least i + j in all
                    add((*reached, -right, count[i + j]) if j else (*reached, count[i]))
                if i + j + 1 < len(count):  # at most i of one and j of the other: at most i + j in all
                    add((*beyond, *other[j + 1 : j + 2], -count[i + j + 1]))
        return count

    def follow(self, paths: Transitions[State], choices: Sequence[Mapping[int, int]]) -> None:
        """Add clauses that require the chosen values to form a path.

        ``choices[place]`` has the literal of each value. There is a literal for each state at each place and
        for each step between states, which holds if the path goes through it. The encoding is complete for
        unit propagation (Abío, Gange, Mayer-Eichberger and Stuckey 2016).
        """
        nodes: dict[State, int] = {paths.start: self.true}
        last = len(choices) - 1
        for place, values in enumerate(choices):
            entering: dict[State, list[int]] = {}
            supports: dict[int, list[int]] = {value: [] for value in values}
            for state, node in nodes.items():
                if self.interrupted():
                    return
                leaving = []
                for value, literal in values.items():
                    after = paths.step(place, state, value)
                    if after is not None:
                        arc = self._both(node, literal)
                        leaving.append(arc)
                        supports[value].append(arc)
                        entering.setdefault(after, []).append(arc)
                self.add(-node, *leaving)
            for value, arcs in supports.items():
                if values[value] not in arcs:
                    self.add(-values[value], *arcs)
            nodes = {state: self.any_of(arcs) for state, arcs in entering.items()} if place < last else {}

    def _both(self, one: int, other: int) -> int:
        """Return a literal that implies both; the caller adds clauses by which one such literal must hold."""
        if one == self.true or other == self.true:
            return other if one == self.true else one
        both = self.new()
        self.add(-both, one)
        self.add(-both, other)
        return both

    def any_of(self, literals: Sequence[int]) -> int:
        """Return a literal that is equivalent to the disjunction of these."""
        if len(literals) == 1:
            return literals[0]
        one = self.new()
        self.add(-one, *literals)
        for literal in literals:
            self.add(-literal, one)
        return one
