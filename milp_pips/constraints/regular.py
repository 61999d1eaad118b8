"""The constraint that an automaton accepts the sequence of values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from milp_pips.problem.constraint import Assignment, ClauseBuilder, Constraint
from milp_pips.problem.fields import (
    MAX_NUMBER,
    check_scope,
    rows_of_numbers,
    set_field,
    shown,
    whole_between,
    whole_numbers,
)


@dataclass(frozen=True, slots=True)
class Automaton:
    """A deterministic finite automaton (DFA) over integer symbols.

    ``arcs`` holds triples ``(state, symbol, next state)``; a missing arc rejects.
    """

    start: int
    accepting: frozenset[int]
    arcs: tuple[tuple[int, int, int], ...]

    def __post_init__(self) -> None:
        accepting: object = self.accepting
        set_field(self, "start", whole_between("Automaton", "start", self.start, -MAX_NUMBER, MAX_NUMBER))
        if not isinstance(accepting, Set | Sequence) or isinstance(accepting, str):
            raise TypeError(f"the accepting states of Automaton must be a set, not {shown(accepting)}")
        states = frozenset(whole_numbers("Automaton", "accepting states", tuple(accepting)))
        set_field(self, "accepting", states)
        set_field(self, "arcs", rows_of_numbers("Automaton", "arcs", self.arcs, 3))
        if len({(state, symbol) for state, symbol, _ in self.arcs}) != len(self.arcs):
            raise ValueError(
                "two arcs leave one state with the same symbol: the automaton is not deterministic"
            )

    def accepts(self, word: Iterable[int]) -> bool:
        """Return whether the automaton accepts the word."""
        step = {(state, symbol): target for state, symbol, target in self.arcs}
        state: int | None = self.start
        for symbol in word:
            state = step.get((state, symbol)) if state is not None else None
        return state in self.accepting


@dataclass(frozen=True, slots=True)
class Regular(Constraint):
    """The sequence of values is a word that the automaton accepts (Pesant 2004)."""

    variables: tuple[int, ...]
    automaton: Automaton
    label: str = ""

    def __post_init__(self) -> None:
        check_scope(self)
        if not isinstance(self.automaton, Automaton):
            raise TypeError(f"Regular takes an Automaton, not {shown(self.automaton)}")

    def holds(self, assignment: Assignment) -> bool:
        return self.automaton.accepts(assignment[v] for v in self.variables)

    # @propagator

    # @rows

    def clauses(self, builder: ClauseBuilder) -> bool:
        domains = [builder.domain(v) for v in self.variables]
        builder.follow(WordPaths(domains, self.automaton), builder.choices(self.variables))
        return True

    # @automaton

    # @simplify


# @@propagator


# @@rows


class WordPaths:
    """Paths of a finite automaton, restricted to states from which the open letters can reach acceptance.

    The decision diagrams have an automaton of their own for the same constraint, written independently, so
    that each confirms the other.
    """

    def __init__(self, domains: Sequence[tuple[int, ...]], automaton: Automaton):
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


# @@automaton


# @@simplify
