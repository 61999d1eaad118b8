"""Points that break one item alone of a set, by an LP of continuous columns around a known point.

Continuous columns of flows and stocks move together, so no change of one of them leads from a point to
another. An LP moves all at once: integer columns stay as they are, one item is left out, and the item that
the known point breaks has to hold. The multipliers of the LP with all items say which may help.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from fractions import Fraction
from math import inf

import numpy as np

from milp_pips.engines.highs_lp import LoadedLp, LpRows, LpStatus
from milp_pips.extras.explain.model_items import ModelItem, ModelItems, Values
from milp_pips.formulations.exact import Number

TOLERANCE = 1e-9
"""A multiplier up to this size is 0."""

MOST_FAILURES = 12
"""The most LPs, one after another, that lead to no such point."""

LARGEST_DENOMINATOR = 10**6
"""Values of a point are the nearest fractions with such a denominator at most; then they are judged."""


class Shaking:
    """Moves the continuous columns of a point that breaks one item alone of those kept."""

    def __init__(self, items: ModelItems, values: Values, kept: Collection[int]):
        self._items, self._values, self._kept = items, values, kept
        self._moving = {
            j
            for j in range(len(items.model.columns))
            if items.number_of.get(ModelItem("integer", j)) not in kept
        }

    def points(self, known: Collection[int]) -> Iterator[dict[int, Number]]:
        """Yield points that break one item alone, another than those known when it is their turn."""
        broken = self._items.broken(self._values, self._kept)
        if len(broken) != 1 or not self._moving:
            return
        (aim,) = broken
        lp = self._load(aim)
        if lp.run() is not LpStatus.OPTIMAL:
            return
        failures = 0
        for i in self._helpful(lp):
            if failures == MOST_FAILURES:
                return
            if i in known or i == aim:
                continue
            self._let(lp, i)
            point = self._point(lp) if lp.run() in (LpStatus.OPTIMAL, LpStatus.UNBOUNDED) else None
            if point is not None and self._items.broken(point, self._kept) == {i}:
                failures = 0
                yield point
            else:
                failures += 1
            self._take_in(lp, i)

    def _load(self, aim: int) -> LoadedLp:
        """Return an LP that least breaks the aim; each kept row is a column, too."""
        items = self._items
        self._rows = [i for i in sorted(self._kept) if items.items[i].kind == "row" and i != aim]
        first = len(items.model.columns)
        self._bounds = {j: [-inf, inf] for j in range(first)}
        for i in self._kept:
            kind, j = items.items[i]
            if kind in ("low", "fixed") and i != aim:
                self._bounds[j][0] = float(items.model.columns[j].low or 0)
            if kind in ("high", "fixed") and i != aim:
                self._bounds[j][1] = float(items.model.columns[j].high or 0)
        for j in range(first):
            if j not in self._moving:
                self._bounds[j] = [float(self._values[j])] * 2
        entries: list[int] = []
        factors: list[float] = []
        starts = [0]
        for k, i in enumerate(self._rows):
            row = items.whole[i]
            largest = max(map(abs, row.factors), default=1)
            entries += [*row.columns, first + k]
            factors += [*(a / largest for a in row.factors), -1.0]
            starts.append(len(entries))
            self._bounds[first + k] = [
                -inf if row.low is None else row.low / largest,
                inf if row.high is None else row.high / largest,
            ]
        count = len(self._rows)
        rows = LpRows(
            np.zeros(count),
            np.zeros(count),
            np.array(starts, dtype=np.int32),
            np.array(entries, dtype=np.int32),
            np.array(factors),
        )
        low, high = (np.array([self._bounds[k][side] for k in range(first + count)]) for side in (0, 1))
        costs = np.zeros(first + count)
        row = items.whole[aim]
        sign = 1 if items.needed(aim, self._values) < 0 else -1
        largest = max(map(abs, row.factors), default=1)
        for j, a in zip(row.columns, row.factors, strict=True):
            costs[j] = sign * a / largest
        return LoadedLp(costs, low, high, rows)

    def _helpful(self, lp: LoadedLp) -> list[int]:
        """Return the items that the optimum of the LP rests on."""
        prices, first = lp.reduced_costs, len(self._items.model.columns)
        found = [i for k, i in enumerate(self._rows) if abs(prices[first + k]) > TOLERANCE]
        for i in sorted(self._kept):
            kind, j = self._items.items[i]
            if kind != "row" and abs(prices[j]) > TOLERANCE:
                found.append(i)
        return found

    def _let(self, lp: LoadedLp, i: int) -> None:
        """Leave out an item."""
        kind, j = self._items.items[i]
        if kind == "row":
            k = len(self._items.model.columns) + self._rows.index(i)
            lp.bounds([k], [-inf], [inf])
            return
        low, high = self._bounds[j]
        if j in self._moving:
            low = -inf if kind in ("low", "fixed") else low
            high = inf if kind in ("high", "fixed") else high
        elif kind == "integer":
            column = self._items.model.columns[j]
            low = -inf if column.low is None else float(column.low)
            high = inf if column.high is None else float(column.high)
        else:  # an integer column
            step = -1.0 if kind == "low" else 1.0
            low, high = low + step, high + step
        lp.bounds([j], [low], [high])

    def _take_in(self, lp: LoadedLp, i: int) -> None:
        """Take an item in again."""
        kind, j = self._items.items[i]
        k = len(self._items.model.columns) + self._rows.index(i) if kind == "row" else j
        lp.bounds([k], [self._bounds[k][0]], [self._bounds[k][1]])

    def _point(self, lp: LoadedLp) -> dict[int, Number]:
        found = dict[int, Number]()
        for j, value in zip(range(len(self._items.model.columns)), lp.vertex, strict=False):
            fraction = Fraction(value).limit_denominator(LARGEST_DENOMINATOR)
            found[j] = fraction.numerator if fraction.denominator == 1 else fraction
        return found
