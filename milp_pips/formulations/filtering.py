"""Bounds of the rows' activities: they refute boxes of integer columns, and give columns bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor, inf

from milp_pips.formulations.exact import TOLERANCE, Number
from milp_pips.formulations.model import Model
from milp_pips.formulations.rows import Row, limits

GREATEST_BOUND = 10**15
"""The greatest bound that rows give a column: floats represent all whole numbers up to nine times as many."""

ROUNDS = 10
"""How often all rows are tried for bounds: a bound that follows from another's takes a further round."""


class Filtering:
    """Propagates bounds over the rows of a model, within the tolerance of engines."""

    def __init__(self, model: Model):
        self._bounds = [limits(column) for column in model.columns]
        self._integer = [column.integer for column in model.columns]
        self._rows = [([(j, float(a)) for j, a in row.terms.items()], *limits(row)) for row in model.rows]
        self._rows_of: list[list[int]] = [[] for _ in model.columns]
        for i, row in enumerate(model.rows):
            for j in row.terms:
                self._rows_of[j].append(i)

    def bounds_of(self, j: int) -> tuple[int, int]:
        """Return the whole bounds of a column with finite ones."""
        low, high = self._bounds[j]
        return ceil(low), floor(high)

    def allows(self, box: Mapping[int, tuple[int, int]]) -> bool:
        """Return False if the rows refute the box."""
        return self.tightened(box, {i for j in box for i in self._rows_of[j]}) is not None

    def tightened(
        self, box: Mapping[int, tuple[int, int]], rows: set[int] | None = None
    ) -> dict[int, tuple[float, float]] | None:
        """Return the bounds within the box that rows tighten, by column; None if the rows refute the box.

        Bounds of integer columns are propagated, and bounds of others that have none. ``rows`` are those to
        begin with, all of them by default.
        """
        bounds: dict[int, tuple[float, float]] = {j: (float(a), float(b)) for j, (a, b) in box.items()}
        waiting = set(range(len(self._rows))) if rows is None else rows
        # A limit, since two rows may narrow each other's bounds by 1 at a time, for as long as the domains
        # are wide.
        for _ in range(10 * len(self._rows)):
            if not waiting:
                break
            changed = self._tighten(waiting.pop(), bounds)
            if changed is None:
                return None
            waiting |= {i for j in changed for i in self._rows_of[j]}
        return bounds

    def _tighten(self, i: int, bounds: dict[int, tuple[float, float]]) -> list[int] | None:
        """Tighten the bounds of the columns of a row; return those that change, or None if it cannot hold."""
        terms, low, high = self._rows[i]
        ends = [bounds.get(j, self._bounds[j]) for j, _ in terms]
        spans = [
            (a * e[0], a * e[1]) if a > 0 else (a * e[1], a * e[0])
            for (_, a), e in zip(terms, ends, strict=True)
        ]
        finite = [[x for x in each if abs(x) < inf] for each in zip(*spans, strict=True)] or [[], []]
        least, most = (sum(each) for each in finite)
        open_low, open_high = (len(terms) - len(each) for each in finite)
        slack = float(TOLERANCE) * (1 + max((abs(x) for each in finite for x in each), default=0))
        if (not open_low and least > high + slack) or (not open_high and most < low - slack):
            return None
        changed = []
        for (j, a), (first, last), (below, above) in zip(terms, ends, spans, strict=True):
            if first == last or not (self._integer[j] or last - first == inf):
                continue
            upper, lower = inf, -inf
            # The rest must have a finite end: no other column of the row may lack one.
            if high < inf and open_low == (below == -inf):
                upper = (high - least + (below if open_low == 0 else 0) + slack) / abs(a)
            if low > -inf and open_high == (above == inf):
                lower = (low - most + (above if open_high == 0 else 0) - slack) / abs(a)
            if a < 0:
                upper, lower = -lower, -upper
            if self._integer[j]:
                lower = ceil(lower) if lower > -inf else lower
                upper = floor(upper) if upper < inf else upper
            new = max(first, lower), min(last, upper)
            if new[0] > new[1] + (0 if self._integer[j] else slack):
                return None
            if new != (first, last):
                bounds[j] = new
                changed.append(j)
        return changed


def with_bounds_of_rows(model: Model) -> Model:
    """Return the model with bounds for integer columns that have none, where its rows give some, exactly."""
    if not any(column.integer and column.values is None for column in model.columns):
        return model
    ends = [[column.low, column.high] for column in model.columns]
    for _ in range(ROUNDS):
        changed = [_tighten_ends(model, row, ends) for row in model.rows]
        if not any(changed):
            break
    columns = [
        replace(column, low=low, high=high) if column.integer and column.values is None else column
        for column, (low, high) in zip(model.columns, ends, strict=True)
    ]
    return replace(model, columns=tuple(columns))


def _tighten_ends(model: Model, row: Row, ends: list[list[Number | None]]) -> bool:
    """Give columns without bounds those that follow from a row; return whether there were any."""
    found = False
    for sign, side in ((1, row.high), (-1, row.low)):
        if side is None:
            continue
        # sign · Σ a x <= sign · side: each term is at most the rest of that after the least of the others.
        terms = [(j, sign * a) for j, a in row.terms.items() if a]
        least = {j: ends[j][0 if a > 0 else 1] for j, a in terms}
        endless = {j for j in least if least[j] is None}
        total = sum([a * (least[j] or 0) for j, a in terms])
        for j, a in terms:
            place = 1 if a > 0 else 0
            if ends[j][place] is not None or endless - {j}:
                continue
            bound = Fraction(sign * side - total + a * (least[j] or 0)) / Fraction(a)
            if model.columns[j].integer:
                bound = Fraction(floor(bound) if place else ceil(bound))
            if abs(bound) <= GREATEST_BOUND:
                ends[j][place], found = bound, True
    return found
