"""Rows with smaller coefficients that say the same about whole numbers, for a tighter LP.

In ``x <= 120 y`` with ``y`` of 0 or 1, 120 may become 9 if ``x`` is at most 9: the LP can no longer buy a
little of ``x`` by a little of ``y`` (coefficient tightening: Savelsbergh 1994). The log has each step, and
its checker compares the two rows for both values of the column.
"""

from __future__ import annotations

from dataclasses import replace

from milp_pips.enumeration.tree_box import Entries, TreeBox
from milp_pips.enumeration.whole import WholeModel, WholeRow


def strengthened(whole: WholeModel, box: TreeBox, entries: Entries) -> WholeModel:
    """Return the model with tightened rows, over the box; adds an entry ``t`` for each step."""
    rows = list(whole.rows)
    for i, row in enumerate(rows):
        if (row.low is None) != (row.high is None):
            rows[i] = _tightened(i, row, whole, box, entries)
    return whole if rows == list(whole.rows) else replace(whole, rows=tuple(rows))


def _tightened(i: int, row: WholeRow, whole: WholeModel, box: TreeBox, entries: Entries) -> WholeRow:
    sign = 1 if row.low is None else -1  # as ``sum <= side``
    side = row.high if row.low is None else -(row.low or 0)
    assert side is not None
    factors = {j: sign * factor for j, factor in row.terms}
    greatest = 0
    for j, factor in factors.items():
        end = box.high[j] if factor > 0 else box.low[j]
        if end is None:
            return row
        greatest += factor * end
    if greatest <= side:  # the row holds everywhere in the box
        return row
    for j, factor in sorted(factors.items(), key=lambda term: -abs(term[1])):
        low, high = box.low[j], box.high[j]
        if not whole.integer[j] or low is None or high is None or high - low != 1:
            continue
        rest = greatest - factor * (high if factor > 0 else low)
        loose, tight = (low, high) if factor > 0 else (high, low)  # where the row may be redundant
        spare = side - factor * loose - rest
        if spare <= 0 or rest < side - factor * tight:
            continue
        new = factor - spare if factor > 0 else factor + spare
        side += (new - factor) * tight
        factors[j] = new
        greatest = rest + new * (high if new > 0 else low)
        ends = [None, side] if sign > 0 else [-side, None]
        entries.append(["t", i, j, sign * new, *ends])
    terms = tuple((j, sign * factor) for j, factor in factors.items() if factor)
    return WholeRow(terms, *((None, side) if sign > 0 else (-side, None)))
