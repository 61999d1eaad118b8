"""Linearisations of ``Regular`` and ``Table``, two of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TypeAlias

from milp_pips.constraints import Regular, Table
from milp_pips.formulations.milp.draft import Draft
from milp_pips.formulations.milp.model import Label
from milp_pips.problem.errors import UsageError

Arc: TypeAlias = tuple[int, int, int, int]
"""Layer, state, symbol, next state."""

MOST_STRINGS = 50_000
"""Largest number of strings of one constraint that become columns. For more, ``flow`` is far smaller: it
grows with the automaton and not with the number of strings (``benchmarks/regular.py``)."""


def flow(draft: Draft, regular: Regular) -> None:
    """Add a unit flow through the layered automaton; a variable takes the symbol of the arc with the flow.

    Côté, Gendron and Rousseau (2007), Modeling the Regular Constraint with Integer Programming. Layers are
    pruned forwards and backwards: only states on an accepting path are kept.
    """
    draft.add_indicators(regular.variables)
    arcs = _live_arcs(draft, regular)
    names, written = draft.problem.variables, draft.problem.written
    columns = draft.add_columns(
        "flow",
        len(arcs),
        lambda: [(regular.label, names[regular.variables[t]].name, q, written(a)) for t, q, a, _ in arcs],
    ).tolist()
    # One unit leaves the start; at every inner state the inflow equals the outflow.
    nodes = [(0, regular.automaton.start), *sorted({(t, q) for t, q, _, _ in arcs if t > 0})]
    empty_word = not regular.variables and regular.automaton.accepts(())  # no arc is needed
    supply = [0 if empty_word else 1] + [0] * (len(nodes) - 1)
    rows = draft.add_rows(
        "balance", len(nodes), supply, supply, lambda: [(regular.label, t, q) for t, q in nodes]
    )
    row_of = dict(zip(nodes, rows.tolist(), strict=True))
    draft.add_terms([row_of[t, q] for t, q, _, _ in arcs], columns, 1)
    entering = [(t + 1, target) for t, _, _, target in arcs]
    inner = [(row_of[node], j) for node, j in zip(entering, columns, strict=True) if node in row_of]
    draft.add_terms([row for row, _ in inner], [j for _, j in inner], -1)
    _link(draft, regular, [(t, a, j) for (t, _, a, _), j in zip(arcs, columns, strict=True)])


def strings(draft: Draft, regular: Regular) -> None:
    """Add one binary per accepted string, exactly one of which is chosen (Kalvelagen 2018).

    There are as many columns as accepted strings, so this suits only short sequences with few of them. Raises
    UsageError for more than ``MOST_STRINGS``.
    """
    draft.add_indicators(regular.variables)
    words = _words(draft, regular)
    written = draft.problem.written
    columns = draft.add_columns(
        "string", len(words), lambda: [(regular.label, *map(written, word)) for word in words]
    ).tolist()
    (row,) = draft.add_rows("pick", 1, 1, 1, lambda: [(regular.label,)]).tolist()
    draft.add_terms([row] * len(columns), columns, 1)
    _link(draft, regular, [(t, a, j) for j, w in zip(columns, words, strict=True) for t, a in enumerate(w)])


def _link(draft: Draft, regular: Regular, meanings: Iterable[tuple[int, int, int]]) -> None:
    """Add ``link`` rows: a variable takes a symbol if one of its columns is 1.

    ``meanings`` holds (position, symbol, column).
    """
    names, written = draft.problem.variables, draft.problem.written
    pair_of = {(t, a): pair for t, v in enumerate(regular.variables) for pair, _, a in draft.pairs_of([v])}

    def labels() -> list[Label]:
        return [(regular.label, names[regular.variables[t]].name, written(a)) for t, a in pair_of]

    terms = [(pair_of[t, a], column) for t, a, column in meanings]
    draft.link(list(pair_of.values()), [([pair for pair, _ in terms], [j for _, j in terms])], labels)


def _live_arcs(draft: Draft, regular: Regular) -> list[Arc]:
    """Return the arcs of the layered automaton that lie on an accepting path, in order."""
    step = {(state, symbol): target for state, symbol, target in regular.automaton.arcs}
    layers: list[list[Arc]] = []
    states = {regular.automaton.start}
    for t, v in enumerate(regular.variables):
        domain = draft.problem.variables[v].domain
        layers.append([(t, q, a, step[q, a]) for q in sorted(states) for a in domain if (q, a) in step])
        states = {target for _, _, _, target in layers[-1]}
    alive = states & regular.automaton.accepting
    for layer in reversed(layers):
        layer[:] = [arc for arc in layer if arc[3] in alive]
        alive = {state for _, state, _, _ in layer}
    return [arc for layer in layers for arc in layer]


def _words(draft: Draft, regular: Regular) -> list[tuple[int, ...]]:
    """Return all words over the domains that the automaton accepts. Raises UsageError for too many."""
    arcs = _live_arcs(draft, regular)
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


# Linearisations of ``Table``.


def tuples(draft: Draft, table: Table) -> None:
    """Add one binary per allowed tuple, exactly one of which is chosen; it determines all values.

    The linear relaxation of a single table has only integer vertices.
    """
    draft.add_indicators(table.variables)
    allowed = _allowed(draft, table)
    written = draft.problem.written
    columns = draft.add_columns(
        "tuple", len(allowed), lambda: [(table.label, *map(written, values)) for values in allowed]
    ).tolist()
    (row,) = draft.add_rows("pick", 1, 1, 1, lambda: [(table.label,)]).tolist()
    draft.add_terms([row] * len(columns), columns, 1)
    for place, v in enumerate(table.variables):
        _link_of_table(
            draft, table, v, [(values[place], j) for values, j in zip(allowed, columns, strict=True)]
        )


def tree(draft: Draft, table: Table) -> None:
    """Add a unit flow from the root to a leaf of the tree of all prefixes of allowed tuples.

    Tuples with a common prefix share its columns.
    """
    draft.add_indicators(table.variables)
    allowed = _allowed(draft, table)
    beginnings = sorted({values[:end] for values in allowed for end in range(1, len(values) + 1)})
    written = draft.problem.written
    columns = draft.add_columns(
        "branch", len(beginnings), lambda: [(table.label, *map(written, values)) for values in beginnings]
    ).tolist()
    column_of = dict(zip(beginnings, columns, strict=True))
    inner = [(), *(values for values in beginnings if len(values) < len(table.variables))]
    # One unit leaves the root; at every inner node the inflow equals the outflow.
    supply = [0] * len(inner)
    supply[0] = 0 if not table.variables and allowed else 1
    rows = draft.add_rows(
        "balance", len(inner), supply, supply, lambda: [(table.label, *map(written, node)) for node in inner]
    ).tolist()
    row_of = dict(zip(inner, rows, strict=True))
    draft.add_terms([row_of[values[:-1]] for values in beginnings], columns, 1)
    draft.add_terms(rows[1:], [column_of[node] for node in inner[1:]], -1)
    for place, v in enumerate(table.variables):
        terms = [(values[place], j) for values, j in column_of.items() if len(values) == place + 1]
        _link_of_table(draft, table, v, terms)


def _allowed(draft: Draft, table: Table) -> list[tuple[int, ...]]:
    """Return the rows of the table that the domains allow."""
    return table.within([draft.problem.variables[v].domain for v in table.variables])


def _link_of_table(draft: Draft, table: Table, v: int, terms: list[tuple[int, int]]) -> None:
    """Add ``link`` rows: a variable takes a value if one of its columns is 1, by (value, column)."""
    name, written = draft.problem.variables[v].name, draft.problem.written
    values = draft.problem.variables[v].domain
    pair_of = {value: pair for pair, _, value in draft.pairs_of([v])}
    draft.link(
        list(pair_of.values()),
        [([pair_of[value] for value, _ in terms], [column for _, column in terms])],
        lambda: [(table.label, name, written(value)) for value in values],
    )
