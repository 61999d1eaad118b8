"""The 0-1 rows of a domino cover, whether it fixes the number of dominoes of each kind or bounds it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Protocol

from milp_pips.constraints.rows import Links, links
from milp_pips.problem.constraint import Row, RowBuilder

LINEARISATIONS = {
    "projected": "milp_pips.formulations.milp.cover:projected",
    "aggregated": "milp_pips.formulations.milp.cover:aggregated",
    "implication": "milp_pips.formulations.milp.cover:implication",
}

LARGE_MODEL_PLACES = 4000
"""Least number of places (edges x orientations of all kinds of dominoes) for the default ``implication``.

From there on it finds a first solution faster, since HiGHS's feasibility jump succeeds on that model alone.
Not chosen by a benchmark: this was observed on large generated boards. Up to 50 dominoes the table by
dominoes in ``benchmarks/README.md`` favours ``projected``."""


class Cover(Protocol):
    """What ``DominoCover`` and ``Tiling`` have in common."""

    @property
    def values(self) -> tuple[int, ...]: ...

    @property
    def partners(self) -> tuple[int, ...]: ...

    @property
    def edges(self) -> tuple[tuple[int, int], ...]: ...

    @property
    def kinds(self) -> Collection[tuple[int, int]]: ...

    @property
    def bounds(self) -> Mapping[tuple[int, int], tuple[int, int]]: ...


def default_linearisation(cover: Cover, *, listing: bool, projecting: bool) -> str:
    """Return the name of the default linearisation; a list by some variables needs columns for them."""
    if projecting:
        return "aggregated"
    places = len(cover.edges) * sum(1 if a == b else 2 for a, b in cover.kinds)
    return "implication" if places >= LARGE_MODEL_PLACES and not listing else "projected"


def cover_rows(builder: RowBuilder, cover: Cover) -> Iterator[Row]:
    """Yield the rows of the linearisation ``aggregated``, see ``milp_pips.formulations.milp.cover``.

    A pair of a partner variable equals the sum of the ``place`` on its edge.
    """
    known = {(v, value) for _, v, value in builder.pairs_of(cover.values + cover.partners)}
    columns: Links = defaultdict(list)
    covering: list[list[tuple[int, float]]] = [[] for _ in cover.values]
    using: dict[tuple[int, int], list[tuple[int, float]]] = {kind: [] for kind in cover.kinds}
    names = [builder.name(v) for v in cover.values]
    for kind in cover.kinds:
        for turned in range(1 if kind[0] == kind[1] else 2):
            for edge in cover.edges:
                i, j = reversed(edge) if turned else edge
                laid = ((cover.values[i], kind[0]), (cover.values[j], kind[1]))
                meaning = (*laid, (cover.partners[i], j), (cover.partners[j], i))
                if not known.issuperset(meaning):
                    continue
                place = builder.add_column("place", (*kind, names[i], names[j]))
                for pair in meaning:
                    columns[pair].append((place, -1.0))
                for terms in (covering[i], covering[j], using[kind]):
                    terms.append((place, 1.0))
    for name, terms in zip(names, covering, strict=True):
        yield Row("cover", (name,), 1.0, 1.0, terms)
    for kind, (low, high) in cover.bounds.items():
        yield Row("use", kind, low, high, using[kind])
    yield from links(builder, cover.values + cover.partners, columns)
