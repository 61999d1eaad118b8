"""Two linearisations from the literature, for comparison with those of the package."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import inf
from typing import TYPE_CHECKING

from milp_pips.constraints import AllDifferent, DominoCover
from milp_pips.constraints.domino_cover.tiling import Tiling
from milp_pips.constraints.rows import items_by_value
from milp_pips.formulations.milp import Linearisation
from milp_pips.problem.constraint import Row, RowBuilder

if TYPE_CHECKING:
    from milp_pips.formulations.milp.draft import Draft
    from milp_pips.formulations.milp.model import Label


def by_kind(draft: Draft, cover: DominoCover | Tiling) -> None:
    """Add ``Σ place <= value``: the places of one kind that put one pip on one cell imply it together.

    The rows are stronger than ``place <= value`` for each place, since a cell has at most one place.
    """
    import numpy as np

    from milp_pips.formulations.milp.cover import add_places

    draft.add_indicators(cover.values)
    places, pairs = add_places(draft, cover), len(draft.pair_values)
    halves = np.concatenate([places.one_pair, places.other_pair])
    groups, group = np.unique(np.tile(places.kind, 2) * pairs + halves, return_inverse=True)
    kind, pair = np.divmod(groups, pairs)

    def labels() -> list[Label]:
        kinds = list(cover.kinds)
        return [(*kinds[k], *fact) for k, fact in zip(kind.tolist(), draft.label_pairs(pair), strict=True)]

    rows = draft.add_rows("link", len(groups), -np.inf, 0, labels)
    draft.add_terms(rows[group], np.tile(places.columns, 2), 1)
    draft.add_pair_terms(rows, pair, -1)


def pairwise(builder: RowBuilder, different: AllDifferent) -> Iterator[Row]:
    """Yield ``[u = a] + [v = a] <= 1`` for every pair of variables and every value a of both."""
    for value, item in items_by_value(builder, different.variables).items():
        for u, v in combinations(item, 2):
            label = (different.label, builder.name(u), builder.name(v), value)
            yield Row("region", label, -inf, 1.0, [(item[u], 1.0), (item[v], 1.0)])


BY_KIND = Linearisation((DominoCover, Tiling), by_kind)
PAIRWISE = Linearisation((AllDifferent,), pairwise)
