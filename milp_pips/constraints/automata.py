"""Automata on words, and how propagation, clauses, diagrams and simplification read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from math import log2
from typing import TypeAlias

from milp_pips.problem.automaton import ConstraintAutomaton, Domain
from milp_pips.problem.fields import (
    MAX_NUMBER,
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


REMEMBERED = 10_000
"""Steps of an automaton that are cached: a search repeats most of them many times."""


class Steps:
    """The arcs of an automaton, grouped by letter and by shift, the difference of the two states' numbers.

    All arcs of a group are followed by one shift of a bit mask of states.
    """

    def __init__(self, automaton: Automaton, bit: Mapping[int, int]):
        states = {state for q, _, r in automaton.arcs for state in (q, r)} | {automaton.start}
        number = {state: i for i, state in enumerate(sorted(states))}
        moves: dict[int, dict[int, int]] = {}
        for state, letter, after in automaton.arcs:
            if letter in bit:
                shifts = moves.setdefault(bit[letter], {})
                shift = number[after] - number[state]
                shifts[shift] = shifts.get(shift, 0) | 1 << number[state]
        self._moves = [(letter, list(shifts.items())) for letter, shifts in moves.items()]
        self._after: dict[tuple[int, int], int] = {}
        self._before: dict[tuple[int, int, int], tuple[int, int]] = {}
        self.start = 1 << number[automaton.start]
        self.accepting = sum([1 << number[state] for state in automaton.accepting if state in number])

    def after(self, states: int, letters: int) -> int:
        """Return the states that can be reached from one of ``states`` by one of the letters."""
        following = self._after.get((states, letters))
        if following is None:
            following = 0
            for letter, shifts in self._moves:
                if letter & letters:
                    for shift, movable in shifts:
                        moved = states & movable
                        following |= moved << shift if shift >= 0 else moved >> -shift
            if len(self._after) >= REMEMBERED:
                self._after.clear()
            self._after[states, letters] = following
        return following

    def before(self, states: int, among: int, letters: int) -> tuple[int, int]:
        """Return the states ``among`` from which a letter leads to one of ``states``, and these letters."""
        known = self._before.get((states, among, letters))
        if known is None:
            leading = leads = 0
            for letter, shifts in self._moves:
                if letter & letters:
                    sources = 0
                    for shift, movable in shifts:
                        sources |= (states >> shift if shift >= 0 else states << -shift) & movable
                    if sources & among:
                        leading |= sources & among
                        leads |= letter
            if len(self._before) >= REMEMBERED:
                self._before.clear()
            known = self._before[states, among, letters] = leading, leads
        return known


class WordPaths:
    """The accepting paths of a word's automaton.

    The decision diagrams have an automaton of their own for the same constraint, written independently, so
    that each confirms the other.
    """

    def __init__(self, domains: Sequence[tuple[int, ...]], automaton: Automaton):
        self.start = automaton.start
        layers = Word(automaton, domains).layers
        self._after = [{(state, letter): after for state, letter, after in layer} for layer in layers]

    def step(self, place: int, state: int, value: int) -> int | None:
        return self._after[place].get((state, value))


Run: TypeAlias = tuple[tuple[int, int], ...]
"""The effect of some letters on the automaton of a word: pairs (state before them, state after them)."""


class WordAutomaton(ConstraintAutomaton[tuple[Run, ...]]):
    """A state is the run of each maximal stretch of decided letters, in the order of the word.

    Letters may be decided in any order. A run keeps only the states on some path that can still be accepted,
    so a word that is decided from left to right has no more states than its automaton.
    """

    start: tuple[Run, ...] = ()
    symmetric = False

    def __init__(self, domains: Sequence[Domain], automaton: Automaton):
        super().__init__(domains)
        self._automaton = automaton
        self._arcs: dict[int, dict[int, int]] = {}
        for before, letter, after in automaton.arcs:
            self._arcs.setdefault(letter, {})[before] = after
        # the run of an open letter is the union of the runs of its values
        self._open: list[Run] = [
            tuple({arc for letter in domain for arc in self._arcs.get(letter, {}).items()})
            for domain in domains
        ]

    def step(self, state: tuple[Run, ...], rest: int, place: int, value: int) -> tuple[Run, ...] | None:
        # Forward: keep the pairs that the start reaches. Backward: keep those that reach acceptance.
        runs = self._joined(state, rest, place, tuple(self._arcs.get(value, {}).items()))
        reached = {self._automaton.start}
        forwards = []
        for run, is_open in runs:
            passable = [(before, after) for before, after in run if before in reached]
            forwards.append((passable, is_open))
            reached = {after for _, after in passable}
        wanted: set[int] = set(self._automaton.accepting)
        following = []
        for passable, is_open in reversed(forwards):
            kept = [(before, after) for before, after in passable if after in wanted]
            if not kept:
                return None
            wanted = {before for before, _ in kept}
            if not is_open:
                following.append(tuple(sorted(kept)))
        return tuple(reversed(following))

    def state_bits(self, decided: int) -> float:  # noqa: ARG002
        return log2(1 + len({before for before, _, _ in self._automaton.arcs}))

    def _joined(self, state: tuple[Run, ...], rest: int, place: int, letter: Run) -> list[tuple[Run, bool]]:
        """Return the runs of the word from left to right, and whether each is an open letter.

        The letter's run is inserted at its place and joined with the stretches beside it.
        """
        stretches = iter(state)
        runs: list[tuple[Run, bool]] = []
        for i, anything in enumerate(self._open):
            if rest >> i & 1:
                runs.append((anything, True))
                continue
            if i == place:
                run = letter
            elif i and not rest >> i - 1 & 1 and i - 1 != place:
                continue
            else:
                run = next(stretches)
            if runs and not runs[-1][1]:
                then = dict(run)
                run = tuple((before, then[after]) for before, after in runs.pop()[0] if after in then)
            runs.append((run, False))
        return runs


class Word:
    """The arcs of a word's automaton that lie on an accepting path: a list for each letter, in order."""

    def __init__(self, automaton: Automaton, domains: Sequence[Domain]):
        # A forward pass keeps the arcs that the start reaches, a backward pass those that reach acceptance.
        self._domains = domains
        leaving: dict[int, list[tuple[int, int, int]]] = {}
        for arc in sorted(automaton.arcs):
            leaving.setdefault(arc[0], []).append(arc)
        reached, layers = {automaton.start}, []
        for domain in domains:
            arcs = chain.from_iterable([leaving.get(state, ()) for state in sorted(reached)])
            layers.append([arc for arc in arcs if arc[1] in domain])
            reached = {after for _, _, after in layers[-1]}
        self._states = [reached.intersection(automaton.accepting)]
        for i in reversed(range(len(layers))):
            layers[i] = [arc for arc in layers[i] if arc[2] in self._states[0]]
            self._states.insert(0, {state for state, _, _ in layers[i]})
        self.layers = layers

    @property
    def is_possible(self) -> bool:
        """Whether there is an accepting path."""
        return bool(self._states[-1])

    def pieces(self) -> Iterator[tuple[int, int]]:
        """Yield the begin and end of each independent piece; pieces end where only one state is possible."""
        begin = 0
        for end in range(1, len(self.layers) + 1):
            if len(self._states[end]) == 1 or end == len(self.layers):
                yield begin, end
                begin = end

    def is_free(self, i: int) -> bool:
        """Return whether every value of the letter's domain is allowed in every state before it."""
        return len(self.layers[i]) == len(self._states[i]) * len(self._domains[i])

    def automaton(self, begin: int, end: int, letters: Sequence[int]) -> Automaton:
        """Return the automaton of the open letters of a piece; its states also count the letters read."""
        step = [{state: after for state, _, after in layer} for layer in self.layers[begin:end]]
        numbers: dict[tuple[int, int], int] = {}

        def number(i: int, state: int) -> int:
            while i < end and len(self._domains[i]) == 1:
                state, i = step[i - begin][state], i + 1
            return numbers.setdefault((i, state), len(numbers))

        start = number(begin, next(iter(self._states[begin])))
        arcs = tuple(
            [(number(i, q), letter, number(i + 1, r)) for i in letters for q, letter, r in self.layers[i]]
        )
        return Automaton(start, frozenset([number(end, state) for state in self._states[end]]), arcs)
