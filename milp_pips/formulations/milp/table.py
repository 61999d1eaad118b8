"""``Table`` as 0-1 rows, in two ways."""

from __future__ import annotations

from milp_pips.formulations.milp.draft import Draft
from milp_pips.problem.problem import Table


def tuples(draft: Draft, table: Table) -> None:
    """One binary per allowed tuple, exactly one of which is chosen; a value is chosen where its tuple is.

    The rows of one table by itself have integer corners only.
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
        _link(draft, table, v, [(values[place], j) for values, j in zip(allowed, columns, strict=True)])


def tree(draft: Draft, table: Table) -> None:
    """One unit flows from the root of the tree of all beginnings of allowed tuples to one of its leaves.

    Tuples that begin alike share columns; each node passes on what it gets.
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
    # What leaves the root is one unit; what enters an inner node leaves it.
    supply = [0] * len(inner)
    supply[0] = 0 if not table.variables and allowed else 1
    rows = draft.add_rows(
        "balance", len(inner), supply, supply, lambda: [(table.label, *map(written, node)) for node in inner]
    ).tolist()
    row_of = dict(zip(inner, rows, strict=True))
    draft.add_terms([row_of[values[:-1]] for values in beginnings], columns, 1)
    draft.add_terms(rows[1:], [column_of[node] for node in inner[1:]], -1)
    for place, v in enumerate(table.variables):
        here = [(values[place], j) for values, j in column_of.items() if len(values) == place + 1]
        _link(draft, table, v, here)


def _allowed(draft: Draft, table: Table) -> list[tuple[int, ...]]:
    """Return the rows that the domains allow."""
    return table.within([draft.problem.variables[v].domain for v in table.variables])


def _link(draft: Draft, table: Table, v: int, saying: list[tuple[int, int]]) -> None:
    """Add ``link`` rows: a variable takes a value where one of its columns says so, by (value, column)."""
    name, written = draft.problem.variables[v].name, draft.problem.written
    values = draft.problem.variables[v].domain
    pair_of = {value: pair for pair, _, value in draft.pairs_of([v])}
    draft.link(
        list(pair_of.values()),
        [([pair_of[value] for value, _ in saying], [column for _, column in saying])],
        lambda: [(table.label, name, written(value)) for value in values],
    )
