"""Bounds of integer columns that the rows imply only together: the LP finds them, multipliers prove them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import ceil, floor

import numpy as np

from milp_pips.compilation.limits import Unfinished
from milp_pips.engines.highs_lp import LpStatus
from milp_pips.enumeration.exact_lp import exact_lp
from milp_pips.enumeration.safe_bounds import Multipliers
from milp_pips.enumeration.tree_box import Entries, TreeBox
from milp_pips.enumeration.tree_lp import NodeLp
from milp_pips.enumeration.tree_points import TreePoints, TreeQuery
from milp_pips.enumeration.tree_pruning import Pruning
from milp_pips.enumeration.whole import WholeModel, in_whole_numbers
from milp_pips.formulations.model import Model
from milp_pips.problem import Deadline
from milp_pips.problem.errors import visible

MOST_BOUNDING_WORK = 100_000
"""The most integer columns without bounds times coefficients of rows: each bound may need exact equations.
That is 50 dense columns in 3 s, or 100 sparse ones in 6."""

NEARLY_WHOLE = 1e-6
"""How far beyond a whole number the LP's end of a column may be for it to be that number."""


def with_implied_bounds(model: Model, deadline: Deadline) -> Model:
    """Return the model with bounds of all integer columns that its rows imply; the same one if one has none.

    It is also the same one where they are too many. Raises Unfinished when the deadline stops the search.
    """
    endless = [j for j, column in enumerate(model.columns) if column.integer and column.values is None]
    if not endless:
        return model
    whole = in_whole_numbers(model)
    box, points = TreeBox(whole), TreePoints(whole, TreeQuery())
    may_have_point = box.propagate([]) and bounded_by_rows(whole, box, points, lambda: deadline.stop, [])
    if deadline.stop:
        what = f"{visible(model.name)}: it is not known whether its rows bound all integer columns"
        raise Unfinished(what, deadline.stop)
    columns = list(model.columns)
    for j in endless:
        low, high = box.low[j], box.high[j]
        if not may_have_point:  # without a point any bounds within the model's are implied
            end = columns[j].high
            low = high = ceil(columns[j].low or 0) if end is None else floor(end)
        columns[j] = replace(columns[j], low=low, high=high)
    is_bounded = all(columns[j].values is not None for j in endless)
    return replace(model, columns=tuple(columns)) if is_bounded else model


def bounded_by_rows(
    whole: WholeModel, box: TreeBox, points: TreePoints, stop: Callable[[], object | None], entries: Entries
) -> bool:
    """Give integer columns without bounds those that all rows imply; return whether the box may have a point.

    Where one has no end, or no multipliers prove it, or ``stop`` returns anything but None, the columns after
    it are left as they are. So are those that are too many, once two bounds are known: these often imply
    all others.
    """
    size, sought = sum(len(row.terms) for row in whole.rows), 0
    integers = [j for j, integer in enumerate(whole.integer) if integer]
    lp = NodeLp(whole, box, stop, priced=False)
    pruning = Pruning(whole, box, lp, points)
    for j in integers:
        for is_upper in (False, True):
            if (box.high if is_upper else box.low)[j] is not None:
                continue
            endless = sum(None in (box.low[k], box.high[k]) for k in integers)
            if stop() is not None or endless * size > (1 if sought >= 2 else 10) * MOST_BOUNDING_WORK:
                return True
            sought += 1
            lp.set_costs((-1.0 if is_upper else 1.0) * (np.arange(len(box.low)) == j))
            if lp.run() is not LpStatus.OPTIMAL:
                refutation = _refutation(whole, box, pruning)
                return refutation is None or not pruning.closes(refutation, entries)
            value, mark, before = lp.vertex[j], box.mark, (box.low[j], box.high[j])
            end = floor(value + NEARLY_WHOLE) if is_upper else ceil(value - NEARLY_WHOLE)
            box.change(j, *((end + 1, before[1]) if is_upper else (before[0], end - 1)))
            # Where the engine does not know, its basis often refutes all the same.
            beyond = None if lp.run() is LpStatus.OPTIMAL else _refutation(whole, box, pruning)
            box.undo(mark)
            if beyond is None:
                return True
            low, high = (before[0], end) if is_upper else (end, before[1])
            pruning.state(beyond, entries)
            entries.append(["r", j, low, high])
            box.change(j, low, high)
            if not box.propagate(entries):
                return False
    return True


def _refutation(whole: WholeModel, box: TreeBox, pruning: Pruning) -> Multipliers | None:
    """Return multipliers that refute the rows over the box: those of the LP, or else found in fractions.

    Where a column has no end, its engine often stops without a ray, or takes bounds for infinite that
    propagation has moved far away.
    """
    if (found := pruning.refutation()) is not None:
        return found
    exact = exact_lp(whole, box, priced=False)
    if exact is None or exact.point is not None:
        return None
    found = pruning.bounds.exactly(exact.rows, 0)
    return found if pruning.proves(found) else None
