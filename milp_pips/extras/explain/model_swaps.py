"""Make a minimal set of rows smaller: a row from outside may replace two or more of them.

It can only replace rows without which it clashes with the others. So every point that breaks one of these
alone breaks it, too: else this point would obey all that is left. The known points rule out most swaps at
once, and each question that fails yields another point.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

import numpy as np

from milp_pips.extras.explain.model_items import ModelItems
from milp_pips.extras.explain.model_repair import ITEM_NODES, Repair
from milp_pips.extras.explain.model_rotation import Point
from milp_pips.extras.explain.model_trees import nodes_for

SWAPS_WORK = 400_000
"""The most work before swaps, in coefficients of rows at all runs of the LP: a tenth of a second. Where a set
took more, its proof is large, and that of fewer rows is larger still. Swaps take as much again at most."""

POINT_RUNS = 8
"""A point, and those near it, count as so many runs."""

LARGEST_EXACT = 2.0**53
"""Floats are exact for whole numbers up to this one."""

MOST_KNOWN = 10**7
"""The most rows times points of which is known whether they are broken."""


class Swaps:
    """Swaps rows in the set that a repair has left, for some of the items."""

    def __init__(self, items: ModelItems, among: Iterable[int], repair: Repair):
        self._repair, self._columns = repair, range(len(items.model.columns))
        self._most = nodes_for(items.model, SWAPS_WORK)
        rows = [i for i in sorted(among) if items.items[i].kind == "row" and items.whole[i].columns]
        whole = [items.whole[i] for i in rows]
        numbers = [abs(n) for row in whole for n in (*row.factors, row.low, row.high) if n is not None]
        self._largest = max(numbers, default=1) * (len(self._columns) + 1)
        self.rows = np.array(rows if self._largest < LARGEST_EXACT else [], dtype=int)
        self._points = 0
        """How many more points swaps may ask for."""
        self._known = dict[bytes, Any]()
        """Whether each point breaks the rows; as bytes, too, so that none is kept twice."""
        if len(self.rows):
            self._starts = np.cumsum([0, *(len(row.columns) for row in whole[:-1])])
            self._places = np.array([j for row in whole for j in row.columns])
            self._factors = np.array([a for row in whole for a in row.factors], dtype=float)
            self._low = np.array([-np.inf if row.low is None else row.low for row in whole], dtype=float)
            self._high = np.array([np.inf if row.high is None else row.high for row in whole], dtype=float)

    def learn(self, points: Iterable[Point]) -> None:
        """Keep which rows points break, each of which breaks one item alone of the set."""
        self._points -= 1
        if not len(self.rows) or len(self._known) * len(self.rows) > MOST_KNOWN:
            return
        own = set(self.rows.tolist())
        values = [[p.below, *[p.values[j] for j in self._columns]] for p in points if p.broken in own]
        exact = [each for each in values if max(map(abs, each)) * self._largest < LARGEST_EXACT]
        if exact:
            array = np.array(exact, dtype=float)
            below, terms = array[:, :1], array[:, 1:][:, self._places] * self._factors
            sums = np.add.reduceat(terms, self._starts, axis=1)
            for broken in (sums < self._low * below) | (sums > self._high * below):
                self._known[broken.tobytes()] = broken

    def _alone(self) -> tuple[Any, Any, Any]:
        """Return which rows are kept; which points break one of them alone, and which one."""
        kept = np.isin(self.rows, list(self._repair.kept))
        known = np.array([*self._known.values()], dtype=bool).reshape(len(self._known), len(self.rows))
        points = known[(known & kept).sum(1) == 1]
        return kept, points, (points & kept).argmax(1)

    @property
    def needed(self) -> set[int]:
        """The kept rows that some point breaks alone."""
        *_, places = self._alone()
        return set(self.rows[places].tolist())

    @property
    def _is_open(self) -> bool:
        return self._repair.runs < self._repair.most_runs and self._points > 0

    def run(self, judge: Callable[[int, list[float]], None]) -> None:
        """Swap rows as long as the set gets smaller. ``judge`` takes points that obey all but one item."""
        repair, tried = self._repair, set[int]()
        begun, left = repair.runs, repair.most_runs - repair.runs
        if begun > self._most or not len(self.rows):
            return
        repair.most_runs = 2 * begun
        self._points = self._most // POINT_RUNS
        try:
            while self._is_open and (row := self._best(tried)) is not None:
                tried = set() if self._has_swapped(row, judge) else tried | {row}
        finally:
            repair.most_runs = repair.runs + left

    def _best(self, tried: Collection[int]) -> int | None:
        """Return the row that may replace most of the kept rows; None if none may replace two."""
        kept, points, places = self._alone()
        order = places.argsort(kind="stable")
        own, starts = np.unique(places[order], return_index=True)
        if not len(own):
            return None
        counts = np.logical_and.reduceat(points[order], starts).sum(0) + kept.sum() - len(own)
        counts[kept | np.isin(self.rows, list(tried))] = 0
        best = counts.argmax()
        return int(self.rows[best]) if counts[best] > 1 else None

    def _has_swapped(self, row: int, judge: Callable[[int, list[float]], None]) -> bool:
        """Return whether fewer rows clash with another row; else all is as before."""
        repair, own, tried = self._repair, set(self.rows.tolist()), {row}
        state, most = repair.state, len(repair.kept)
        repair.add(row)
        try:
            while self._is_open:
                left = (repair.kept & own) - self.needed - tried
                if not left or len(left) < len(repair.kept) - most + 1:
                    break
                i = min(left, key=repair.order)
                tried.add(i)
                if (point := repair.without(i, ITEM_NODES)) is not None:
                    judge(i, point)
        finally:
            is_smaller = len(repair.kept) < most
            if not is_smaller:
                repair.restore(state)
        return is_smaller
