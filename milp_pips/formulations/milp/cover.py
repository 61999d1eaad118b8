"""Three linearisations of boards of dominoes, with numpy.

All three share the binaries ``place[a, b, from, to]``: a domino ``a|b`` lies with its first pip on ``from``
and its second on ``to``. Equal dominoes are one kind with a multiplicity, and a double has one orientation,
so each placement is exactly one 0-1 vector. All three share these rows:

- ``cover[cell]``: exactly one ``place`` covers the cell,
- ``use[a, b]``: the number of ``place`` of a kind is its number of dominoes, or within a ``Tiling``'s limits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from milp_pips.constraints.domino_cover.board import Board
from milp_pips.formulations.milp.draft import Draft
from milp_pips.formulations.milp.model import Ints, Label

if TYPE_CHECKING:
    import numpy.typing as npt


class Places(NamedTuple):
    """The ``place`` columns of a cover; all arrays have the shape (places,).

    ``kind`` has the numbers of the kinds; ``one_pair`` and ``other_pair`` are the pairs (cell = pip) at the
    lower and the higher cell of the edge; ``turned`` is True if the first pip is at the higher cell.
    """

    labels: Callable[[], list[Label]]
    columns: Ints
    kind: Ints
    one_pair: Ints
    other_pair: Ints
    turned: npt.NDArray[np.bool_]


def implication(draft: Draft, cover: Board) -> None:
    """Add the textbook model: ``place <= value`` for both halves, and one value per cell."""
    draft.add_indicators(cover.values)
    places = add_places(draft, cover)
    count = len(places.columns)

    def labels() -> list[Label]:
        labelled = list(zip(places.labels(), places.turned.tolist(), strict=True))
        return [
            (*label, "second" if turned == at_lower else "first")
            for at_lower in (True, False)
            for label, turned in labelled
        ]

    rows = draft.add_rows("link", 2 * count, -np.inf, 0, labels)
    draft.add_terms(rows, np.tile(places.columns, 2), 1)
    draft.add_pair_terms(rows, np.concatenate([places.one_pair, places.other_pair]), -1)


def aggregated(draft: Draft, cover: Board) -> None:
    """Add the model in which ``value[cell, pip]`` is the sum of all ``place`` with this pip on this cell."""
    draft.add_indicators(cover.values, one_hot=False)
    _link_sums(draft, cover, add_places(draft, cover))


def projected(draft: Draft, cover: Board) -> None:
    """Add the model without ``value`` columns: each is replaced by the sum of its ``place``.

    If another constraint has already defined the values, the sums are linked to them instead.
    """
    taken = draft.is_defined(cover.values)
    places = add_places(draft, cover)
    if taken:  # another constraint has defined these variables
        _link_sums(draft, cover, places)
        return
    draft.define(places.one_pair, places.columns)
    draft.define(places.other_pair, places.columns)
    draft.mark_defined(cover.values)


def _link_sums(draft: Draft, cover: Board, places: Places) -> None:
    """Add ``link`` rows: each pair (cell = pip) equals the sum of the places with this pip on this cell."""
    pairs = np.flatnonzero(np.isin(draft.pair_variables, cover.values))
    meanings = [(half, places.columns) for half in (places.one_pair, places.other_pair)]
    draft.link(pairs, meanings, lambda: draft.label_pairs(pairs))


def add_places(draft: Draft, cover: Board) -> Places:
    """Add the ``place`` columns that the domains allow, and the rows ``cover`` and ``use``."""
    kinds = list(cover.kinds)
    # A way is a kind with an orientation; the arrays hold the kind, first pip and second pip of each way.
    ways = [(k, a, b) for k, (a, b) in enumerate(kinds)]
    ways += [(k, b, a) for k, (a, b) in enumerate(kinds) if a != b]
    way_kind, way_first, way_second = np.array(ways, dtype=np.int64).reshape(-1, 3).T
    ends = np.array(cover.edges, dtype=np.int64).reshape(-1, 2)
    least_pip, most_pips = min((a for a, _ in kinds), default=0), max((b for _, b in kinds), default=0)
    value_pair = draft.pair_table(cover.values, least_pip, most_pips)
    partner_pair = draft.pair_table(cover.partners, 0, len(cover.partners) - 1)
    linked = (partner_pair[ends[:, 0], ends[:, 1]] >= 0) & (partner_pair[ends[:, 1], ends[:, 0]] >= 0)
    ends = ends[linked]
    # shape (ways, edges)
    one_pair = value_pair[ends[:, 0][None, :], way_first[:, None] - least_pip]
    other_pair = value_pair[ends[:, 1][None, :], way_second[:, None] - least_pip]
    way, edge = np.nonzero((one_pair >= 0) & (other_pair >= 0))
    one_pair, other_pair = one_pair[way, edge], other_pair[way, edge]
    one, other = ends[edge, 0], ends[edge, 1]

    # The label names the cell of the kind's first (lower) pip first.
    turned = way >= len(kinds)
    low, high = np.where(turned, other, one), np.where(turned, one, other)

    def labels() -> list[Label]:
        cells = [draft.problem.variables[v].name for v in cover.values]
        triples = zip(way_kind[way].tolist(), low.tolist(), high.tolist(), strict=True)
        return [(*kinds[k], cells[i], cells[j]) for k, i, j in triples]

    columns = draft.add_columns("place", len(way), labels)
    draft.define(partner_pair[one, other], columns)
    draft.define(partner_pair[other, one], columns)
    draft.mark_defined(cover.partners)

    names = draft.problem.variables
    rows = draft.add_rows("cover", len(cover.values), 1, 1, lambda: [(names[v].name,) for v in cover.values])
    draft.add_terms(rows[one], columns, 1)
    draft.add_terms(rows[other], columns, 1)
    least, most = np.array(list(cover.bounds.values()), dtype=np.float64).reshape(-1, 2).T
    rows = draft.add_rows("use", len(kinds), least, most, lambda: kinds)
    draft.add_terms(rows[way_kind[way]], columns, 1)
    return Places(labels, columns, way_kind[way], one_pair, other_pair, turned)
