"""The constraint that an automaton accepts the sequence of values."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from milp_pips.constraints.rows import Links, links, one_of, unit_flow
from milp_pips.problem.constraint import Assignment, ClauseBuilder, Constraint, DomainView, Row, RowBuilder
from milp_pips.problem.errors import UsageError
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

    def propagator(self, domains: DomainView) -> Callable[[], None]:
        """Keep the letters on accepting paths of the layered automaton, by a forward and a backward pass.

        The propagator is that of Pesant (2004). Sets of states are bit masks; one shift moves all states
        whose arcs for a letter are equally long.
        """
        variables, why = self.variables, self.failure
        key = Steps, id(self.automaton)  # rows of a puzzle share automata
        steps: Steps | None = domains.memory.get(key)
        if steps is None:
            steps = domains.memory[key] = Steps(self.automaton, domains.bit)
        after, before = steps.after, steps.before

        def propagate() -> None:
            reached, layers, masks = steps.start, [], domains.masks
            for v in variables:
                layers.append(reached)
                reached = after(reached, masks[v])
            wanted = steps.accepting
            for v, states in zip(variables[::-1], layers[::-1], strict=True):
                wanted, letters = before(wanted, states, masks[v])
                domains.keep(v, letters, why)

        return propagate

    def is_possible(self, domains: Sequence[tuple[int, ...]]) -> bool:
        following = {(state, letter): after for state, letter, after in self.automaton.arcs}
        states = {self.automaton.start}
        for domain in domains:
            states = {following[q, a] for q in states for a in domain if (q, a) in following}
        return not states.isdisjoint(self.automaton.accepting)

    linearisations: ClassVar[Mapping[str, str]] = {
        "flow": "milp_pips.constraints.regular:flow",
        "strings": "milp_pips.constraints.regular:strings",
    }

    def linear_rows(self, builder: RowBuilder) -> Iterator[Row]:
        return flow(builder, self)

    def clauses(self, builder: ClauseBuilder) -> bool:
        domains = [builder.domain(v) for v in self.variables]
        builder.follow(WordPaths(domains, self.automaton), builder.choices(self.variables))
        return True

    # @automaton

    # @simplify


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


MOST_STRINGS = 50_000
"""Largest number of strings of one constraint that become columns. For more, ``flow`` is far smaller: it
grows with the automaton and not with the number of strings (``benchmarks/regular.py``)."""

Arc: TypeAlias = tuple[int, int, int, int]
"""Layer, state, symbol, next state."""


def flow(builder: RowBuilder, regular: Regular) -> Iterator[Row]:
    """Yield a unit flow through the layered automaton; a variable takes the symbol of the arc with the flow.

    Côté, Gendron and Rousseau (2007), Modeling the Regular Constraint with Integer Programming. Layers are
    pruned forwards and backwards: only states on an accepting path are kept.
    """
    label, variables, start = regular.label, regular.variables, (0, regular.automaton.start)
    if not variables and regular.automaton.accepts(()):
        return
    live = _live_arcs(builder, regular)
    names = [builder.name(v) for v in variables]
    written = {a: builder.written(a) for a in {a for _, _, a, _ in live}}
    balance: dict[tuple[int, int], list[tuple[int, float]]] = {start: []}
    columns: Links = defaultdict(list)
    for t, q, _, _ in live:  # in the order of t and q
        balance.setdefault((t, q), [])
    for t, q, a, target in live:
        column = builder.add_column("flow", (label, names[t], q, written[a]))
        entering = (column, -1.0)
        balance[t, q].append((column, 1.0))
        columns[variables[t], a].append(entering)
        if t + 1 < len(variables):
            balance[t + 1, target].append(entering)
    yield from unit_flow(start, balance, lambda node: (label, *node))
    yield from links(builder, variables, columns, (label,))


def strings(builder: RowBuilder, regular: Regular) -> Iterator[Row]:
    """Yield the rows of one binary per accepted string, exactly one of which is chosen (Kalvelagen 2018).

    There are as many columns as accepted strings, so this suits only short sequences with few of them. Raises
    UsageError for more than ``MOST_STRINGS``.
    """
    return one_of(builder, "string", regular.label, regular.variables, _words(builder, regular))


def _live_arcs(builder: RowBuilder, regular: Regular) -> list[Arc]:
    """Return the arcs of the layered automaton that lie on an accepting path, in order."""
    step: dict[int, dict[int, int]] = {}
    for state, symbol, target in regular.automaton.arcs:
        step.setdefault(state, {})[symbol] = target
    layers: list[list[Arc]] = []
    states = {regular.automaton.start}
    for t, v in enumerate(regular.variables):
        domain, leaving = builder.domain(v), [(q, step[q]) for q in sorted(states) if q in step]
        layers.append([(t, q, a, targets[a]) for q, targets in leaving for a in domain if a in targets])
        states = {target for _, _, _, target in layers[-1]}
    alive = states & regular.automaton.accepting
    for layer in reversed(layers):
        layer[:] = [arc for arc in layer if arc[3] in alive]
        alive = {state for _, state, _, _ in layer}
    return [arc for layer in layers for arc in layer]


def _words(builder: RowBuilder, regular: Regular) -> list[tuple[int, ...]]:
    """Return all words over the domains that the automaton accepts. Raises UsageError for too many."""
    arcs = _live_arcs(builder, regular)
    start, length = (0, regular.automaton.start), len(regular.variables)
    ways = Counter({start: 1})  # words that lead to each state of each layer
    leaving: dict[tuple[int, int], list[Arc]] = {}
    for t, q, a, target in arcs:
        ways[t + 1, target] += ways[t, q]
        leaving.setdefault((t, q), []).append((t, q, a, target))
    count = sum(n for (t, q), n in ways.items() if t == length and q in regular.automaton.accepting)
    if count > MOST_STRINGS:
        what = f"strings: {regular.label!r} allows {count:,} strings, more than {MOST_STRINGS:,}"
        raise UsageError(f"{what}; use --formulation flow")
    partial: list[tuple[tuple[int, ...], int]] = [((), regular.automaton.start)]
    for t in range(length):
        partial = [((*word, a), end) for word, q in partial for _, _, a, end in leaving.get((t, q), [])]
    return [word for word, q in partial if q in regular.automaton.accepting]


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
