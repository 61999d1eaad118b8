"""``Regular`` as 0-1 rows, in two ways."""

from __future__ import annotations

from collections import Counter

from milp_pips.errors import UsageError
from milp_pips.milp.draft import Draft
from milp_pips.milp.model import Label
from milp_pips.problem import Automaton, Regular

Arc = tuple[int, int, int, int]
"""Layer, state, symbol, next state."""

MOST_STRINGS = 50_000
"""Strings of one constraint that are written out as columns."""


def flow(draft: Draft, regular: Regular) -> None:
    """One unit flows through the layered automaton; a value is chosen where the flow takes its symbol.

    Côté, Gendron and Rousseau (2007), Modeling the Regular Constraint with Integer Programming. Layers are
    pruned forwards and backwards: only states on an accepting path are kept.
    """
    draft.add_indicators(regular.variables)
    arcs = _live_arcs(regular, [draft.problem.variables[v].domain for v in regular.variables])
    names, written = draft.problem.variables, draft.problem.written
    columns = draft.add_columns(
        "flow",
        len(arcs),
        lambda: [(regular.label, names[regular.variables[t]].name, q, written(a)) for t, q, a, _ in arcs],
    ).tolist()
    leaving: dict[tuple[int, int], list[int]] = {}
    entering: dict[tuple[int, int], list[int]] = {}
    for column, (t, q, _, target) in zip(columns, arcs, strict=True):
        leaving.setdefault((t, q), []).append(column)
        entering.setdefault((t + 1, target), []).append(column)
    # What leaves the start is one unit; what enters an inner state leaves it.
    nodes = [(0, regular.automaton.start), *sorted(key for key in leaving if key[0] > 0)]
    supply = [1.0 if t == 0 else 0.0 for t, _ in nodes]
    rows = draft.add_rows(
        "balance", supply, supply, lambda: [(regular.label, t, q) for t, q in nodes]
    ).tolist()
    for sign, ends in ((1.0, leaving), (-1.0, entering)):
        terms = [(row, j) for row, node in zip(rows, nodes, strict=True) for j in ends.get(node, [])]
        draft.add_terms([row for row, _ in terms], [j for _, j in terms], [sign] * len(terms))
    symbols: dict[tuple[int, int], list[int]] = {(t, a): [] for t, _, a, _ in arcs}
    for column, (t, _, a, _) in zip(columns, arcs, strict=True):
        symbols[t, a].append(column)
    _link(draft, regular, symbols)


def strings(draft: Draft, regular: Regular) -> None:
    """One binary per accepted string, exactly one of which is chosen (Kalvelagen 2018).

    As many columns as accepted strings: for short sequences with few of them only. Raises UsageError for
    more than ``MOST_STRINGS``.
    """
    draft.add_indicators(regular.variables)
    words = _words(regular, [draft.problem.variables[v].domain for v in regular.variables])
    written = draft.problem.written
    columns = draft.add_columns(
        "string", len(words), lambda: [(regular.label, *map(written, word)) for word in words]
    ).tolist()
    (row,) = draft.add_rows("pick", [1.0], [1.0], lambda: [(regular.label,)]).tolist()
    draft.add_terms([row] * len(columns), columns, [1.0] * len(columns))
    symbols: dict[tuple[int, int], list[int]] = {}
    for column, word in zip(columns, words, strict=True):
        for t, a in enumerate(word):
            symbols.setdefault((t, a), []).append(column)
    _link(draft, regular, symbols)


def _link(draft: Draft, regular: Regular, symbols: dict[tuple[int, int], list[int]]) -> None:
    """Add ``link`` rows: each pair (variable = symbol) equals the sum of the columns that say so."""
    names, written = draft.problem.variables, draft.problem.written
    pairs = [(pair, t, a) for t, v in enumerate(regular.variables) for pair, _, a in draft.pairs_of([v])]
    zeros = [0.0] * len(pairs)

    def labels() -> list[Label]:
        return [(regular.label, names[regular.variables[t]].name, written(a)) for _, t, a in pairs]

    rows = draft.add_rows("link", zeros, zeros, labels).tolist()
    draft.add_pair_terms(rows, [pair for pair, _, _ in pairs], [1.0] * len(pairs))
    terms = [(row, j) for row, (_, t, a) in zip(rows, pairs, strict=True) for j in symbols.get((t, a), [])]
    draft.add_terms([row for row, _ in terms], [j for _, j in terms], [-1.0] * len(terms))


def _live_arcs(regular: Regular, domains: list[tuple[int, ...]]) -> list[Arc]:
    """Return the arcs of the layered automaton that lie on an accepting path, in order."""
    step = _step(regular.automaton)
    forward: list[list[Arc]] = []
    states = {regular.automaton.start}
    for t, domain in enumerate(domains):
        layer = [(t, q, a, step[q, a]) for q in sorted(states) for a in domain if (q, a) in step]
        forward.append(layer)
        states = {arc[3] for arc in layer}
    alive = states & regular.automaton.accepting
    for layer in reversed(forward):
        layer[:] = [arc for arc in layer if arc[3] in alive]
        alive = {arc[1] for arc in layer}
    return [arc for layer in forward for arc in layer]


def _words(regular: Regular, domains: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return all words over the domains that the automaton accepts. Raises UsageError for too many."""
    live = _live_arcs(regular, domains)
    ways = Counter({(0, regular.automaton.start): 1})  # words that lead to each state of each layer
    for t, q, _, target in live:
        ways[t + 1, target] += ways[t, q]
    count = sum(n for (t, q), n in ways.items() if t == len(domains) and q in regular.automaton.accepting)
    if count > MOST_STRINGS:
        what = f"strings: {regular.label!r} allows {count:,} strings, more than {MOST_STRINGS:,}"
        raise UsageError(f"{what}; use --formulation flow")
    arcs: dict[tuple[int, int], list[Arc]] = {}
    for arc in live:
        arcs.setdefault(arc[:2], []).append(arc)
    partial: list[tuple[tuple[int, ...], int]] = [((), regular.automaton.start)]
    for t in range(len(domains)):
        partial = [((*word, a), target) for word, q in partial for _, _, a, target in arcs.get((t, q), [])]
    return [word for word, q in partial if q in regular.automaton.accepting]


def _step(automaton: Automaton) -> dict[tuple[int, int], int]:
    return {(state, symbol): target for state, symbol, target in automaton.arcs}
