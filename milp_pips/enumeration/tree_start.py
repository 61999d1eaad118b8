"""A good first point by the engine's own heuristics: the cutoff that follows from it closes nodes early."""

from __future__ import annotations

from collections.abc import Callable

from milp_pips.engines.highs_lp import LpStatus
from milp_pips.enumeration.tree_box import TreeBox
from milp_pips.enumeration.tree_lp import NodeLp
from milp_pips.enumeration.whole import Box, WholeModel
from milp_pips.enumeration.witness import exact_vertex
from milp_pips.formulations.exact import Number


def good_point(whole: WholeModel, bounds: Box, stop: Callable[[], object | None]) -> list[Number] | None:
    """Return a good point over the bounds, in units of the columns, which the caller judges; None for none.

    The integer columns have the engine's values; the others are exact, and the best for these.
    """
    box = TreeBox(whole, bounds)
    integers = [j for j, integer in enumerate(whole.integer) if integer]
    values = NodeLp(whole, box, stop, priced=True).search(integers)
    if values is None:
        return None
    for j in integers:
        value = min(max(round(values[j]), box.low[j]), box.high[j])  # type: ignore[type-var]
        box.change(j, value, value)
    if len(integers) == len(box.low):
        return list(box.low)  # type: ignore[arg-type]
    lp = NodeLp(whole, box, stop, priced=True)
    return exact_vertex(whole, box, lp.basis) if lp.run() is LpStatus.OPTIMAL else None
