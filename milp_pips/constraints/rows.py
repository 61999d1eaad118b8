"""Pieces of 0-1 rows that several constraints share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from milp_pips.problem.constraint import Row, RowBuilder

Node = TypeVar("Node", bound=Hashable)

Links: TypeAlias = defaultdict[tuple[int, int], list[tuple[int, float]]]
"""The columns of each pair (variable, value), with their coefficient -1 in the row that links them."""


def items_by_value(builder: RowBuilder, variables: Sequence[int]) -> dict[int, dict[int, int]]:
    """Return, by value in increasing order, the pairs (variable = value), by variable."""
    found: dict[int, dict[int, int]] = {}
    for item, v, value in builder.pairs_of(variables):
        found.setdefault(value, {})[v] = item
    return dict(sorted(found.items()))


def unit_flow(
    source: Node, flow: Mapping[Node, list[tuple[int, float]]], label: Callable[[Node], tuple[Any, ...]]
) -> Iterator[Row]:
    """Yield rows ``balance``: one unit leaves the source; in all other nodes inflow equals outflow.

    ``flow`` has the columns of each node but the sinks: those of arcs that leave it count 1, others -1.
    """
    for node, terms in flow.items():
        supply = 1.0 if node == source else 0.0
        yield Row("balance", label(node), supply, supply, terms)


def links(
    builder: RowBuilder, variables: Iterable[int], columns: Links, prefix: tuple[Any, ...] = ()
) -> Iterator[Row]:
    """Yield rows ``link``: each pair equals the sum of its columns."""
    for v in variables:
        name = builder.name(v)
        for item, _, value in builder.pairs_of((v,)):
            terms = [(item, 1.0), *columns[v, value]]
            yield Row("link", (*prefix, name, builder.written(value, v)), 0.0, 0.0, terms)


def one_of(
    builder: RowBuilder, family: str, label: str, variables: Sequence[int], words: Iterable[tuple[int, ...]]
) -> Iterator[Row]:
    """Yield the rows of one column per word, exactly one of which is chosen; it determines all values."""
    chosen: list[tuple[int, float]] = []
    columns: Links = defaultdict(list)
    for word in words:
        column = builder.add_column(family, (label, *map(builder.written, word, variables)))
        chosen.append((column, 1.0))
        for pair in zip(variables, word, strict=True):
            columns[pair].append((column, -1.0))
    yield Row("pick", (label,), 1.0, 1.0, chosen)
    yield from links(builder, variables, columns, (label,))
