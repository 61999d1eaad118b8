"""The constraint that an automaton accepts the sequence of values."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from milp_pips.constraints.automata import Automaton, Steps, Word, WordAutomaton, WordPaths
from milp_pips.constraints.rows import Links, links, one_of, unit_flow
from milp_pips.problem.automaton import Domain
from milp_pips.problem.constraint import Assignment, ClauseBuilder, Constraint, Domains, Row, RowBuilder
from milp_pips.problem.deduction import Argument, PlayersWords, RuleDeduction
from milp_pips.problem.errors import UsageError
from milp_pips.problem.fields import check_scope, shown


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

    def say(self, deduction: RuleDeduction, words: PlayersWords) -> Argument:
        known, so = words.known(deduction.facts), words.conclusion(deduction)
        since = f"{deduction.title}: {f'since {known}, ' if known else ''}"
        if not deduction.conclusions:
            return Argument(f"{since}there is no way to fill it", "")
        return Argument(f"{since}in every way to fill it", so, f"{since}in every way to fill it, {so}")

    def propagator(self, domains: Domains) -> Callable[[], None]:
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

    def obstruction(self, domains: Sequence[tuple[int, ...]]) -> str | None:
        if self.is_possible(domains):
            return None
        return f"'{self.label}' cannot be obeyed on {len(domains)} cells"

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

    def decision_automaton(self, domains: Sequence[Domain]) -> WordAutomaton:
        return WordAutomaton(domains, self.automaton)

    def simplify(self, domains: Sequence[Domain]) -> Iterator[Constraint]:
        """Yield one Regular for each piece of the word; fixed letters are read in advance.

        The word splits wherever its automaton can be in only one state. The automaton of each piece is the
        whole automaton, unrolled: its states also count the letters read so far.
        """
        variables = self.variables
        if not variables:
            self.demand(self.automaton.accepts(()))
            return
        word = Word(self.automaton, [domains[v] for v in variables])
        self.demand(word.is_possible)
        for begin, end in word.pieces():
            letters = [i for i in range(begin, end) if len(domains[variables[i]]) > 1]
            if all(word.is_free(i) for i in letters):
                continue
            if len(letters) == len(variables):
                yield self
            else:
                taken = tuple([variables[i] for i in letters])
                yield Regular(taken, word.automaton(begin, end, letters), self.label)


MOST_STRINGS = 50_000
"""Largest number of strings of one constraint that become columns. For more, ``flow`` is far smaller: it
grows with the automaton and not with the number of strings.
``compare --run highs/flow --run highs/strings`` measures both."""

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
    balance: dict[tuple[int, int], list[tuple[int, float]]] = {start: []}
    columns: Links = defaultdict(list)
    for t, q, _, _ in live:  # in the order of t and q
        balance.setdefault((t, q), [])
    for t, q, a, target in live:
        column = builder.add_column("flow", (label, names[t], q, builder.written(a, variables[t])))
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
    word = Word(regular.automaton, [builder.domain(v) for v in regular.variables])
    return [(t, *arc) for t, layer in enumerate(word.layers) for arc in layer]


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
