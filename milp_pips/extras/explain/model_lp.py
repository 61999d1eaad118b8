"""Small clashes of the relaxation of a linear model, by an LP over the multipliers of its rows and bounds.

A sum of rows and bounds, each times a number, proves that a relaxation has no point (Farkas 1902). The
corners of the polyhedron of such multipliers are the minimal clashes (Gleeson and Ryan 1990). So an LP finds
one, and costs that fall where a multiplier is large lead to corners with few rows (Candès, Wakin and Boyd
2008). Its floats only propose rows and bounds: ``multipliers`` proves in fractions that they clash and are
minimal.
"""

from __future__ import annotations

from collections.abc import Collection
from math import inf
from typing import Any

import numpy as np

from milp_pips.engines.highs_lp import LoadedLp, LpRows, LpStatus
from milp_pips.extras.explain.model_items import ModelItems
from milp_pips.extras.explain.model_proofs import multipliers
from milp_pips.problem import Deadline

LP_ROUNDS = 3
"""The most LPs with other costs."""

PRICE_OF_BOUND = 0.01
"""What a bound costs if a row costs 1: rows are what a reader looks at."""

WIDEST_GAP = 1e6
"""By how much the sides of the sum exceed its left side: multipliers are then great beside tolerances."""

ZEROS = (1e-7, 1e-9, 1e-11, 0.0)
"""Multipliers up to this share of the greatest are 0: at first most, since fewer equations are quicker."""

FEWER_ROWS_WORK = 3_000_000
"""The most work in search of a clash with fewer rows from one start: half a second. An iteration of the LP
takes as much as it has rows, and a proof the square of its items."""

FEWEST_TO_RESTART = 4
"""A clash with fewer rows is small enough: the search does not begin again elsewhere."""

MOST_RESTARTS = 8
"""The most searches that begin at another corner. Costs lead there that random numbers multiply."""

MOST_STARTS = 2
"""The most of these from which rows are left out: those with the fewest."""

SPREAD = 2.0
"""By what power of e these numbers differ from 1 at most."""

RESTART_SHARE = 2
"""How much work all these may take in comparison to the search before."""

RESTART_WORK = 8_000_000
"""The most work of all these. Together they save 4 of 51 rows in netlib's refinery, and 7 of 85 in qual."""

LP_SLICE = 0.25
"""Seconds after which a run of the LP looks at the deadline."""


class SumSearch:
    """Looks for small clashes of a relaxation: an LP over the multipliers of its rows and bounds."""

    def __init__(self, items: ModelItems, deadline: Deadline):
        self._items, self._deadline, self._left = items, deadline, FEWER_ROWS_WORK
        self._sides: list[tuple[int, int]] = []
        """The item of each multiplier, and its sign."""
        entries: list[tuple[int, int, float]] = []
        goal: list[float] = []
        self._prices: list[float] = []
        for i, (low, high, columns, factors) in enumerate(items.whole):
            if items.items[i].kind == "integer":
                continue
            largest = max(map(abs, factors), default=1)
            for sign, side in ((1, low), (-1, high)):
                if side is not None:
                    k = len(self._sides)
                    self._sides.append((i, sign))
                    entries += [(j, k, sign * a / largest) for j, a in zip(columns, factors, strict=True)]
                    goal.append(sign * side / largest)
                    self._prices.append(1.0 if items.items[i].kind == "row" else PRICE_OF_BOUND)
        count, n = len(self._sides), len(items.model.columns)
        entries += [(n, k, value) for k, value in enumerate(goal) if value]
        entries.sort()
        starts = np.searchsorted([j for j, *_ in entries], np.arange(n + 2)).astype(np.int32)
        ends = np.zeros(n + 1)
        ends[n] = WIDEST_GAP
        rows = LpRows(
            ends,
            ends,
            starts,
            np.array([k for _, k, _ in entries], dtype=np.int32),
            np.array([a for *_, a in entries], dtype=float),
        )
        self._costs = np.array(self._prices)
        self._lp = LoadedLp(self._costs, np.zeros(count), np.full(count, inf), rows)

    def clash(self) -> list[int] | None:
        """Return a minimal clash of few rows and bounds, in increasing order; None if none is found."""
        first, best = self._reweighted(self._costs)
        if best and self._is_over:  # one run takes as long as all that follows may take
            return best
        starts = [first] if best is first else [first, best]
        work, found = FEWER_ROWS_WORK - self._left, None
        for clash in starts:
            if clash:
                found = min(filter(None, [found, self._without_some(clash)]), key=self._length)
                work += FEWER_ROWS_WORK - self._left
        if found is None or self._length(found)[0] < FEWEST_TO_RESTART:
            return found
        others = list[list[int]]()
        left, random = min(RESTART_WORK, RESTART_SHARE * work), np.random.default_rng(0)
        while left > 0 and len(others) < MOST_RESTARTS and not self._deadline.stop:
            costs = self._costs * np.exp(random.uniform(-SPREAD, SPREAD, len(self._costs)))
            _, other = self._reweighted(costs)
            left -= FEWER_ROWS_WORK - self._left
            others += [other] if other else []
        for other in sorted(others, key=self._length)[:MOST_STARTS]:
            if left > 0 and not self._deadline.stop:
                found = min(found, self._without_some(other), key=self._length)
                left -= FEWER_ROWS_WORK - self._left
        return found

    def _reweighted(self, costs: Any) -> tuple[list[int] | None, list[int] | None]:
        """Return the clash at a corner of least costs, and the smallest of those that follow from it."""
        self._lp.set_costs(costs)
        values = self._run()
        self._left = FEWER_ROWS_WORK
        best = first = self._better(values, None)
        for _ in range(LP_ROUNDS):
            if values is None or (self._is_over and best):
                break
            largest = values.max()  # costs that fall where multipliers are large
            self._lp.set_costs(costs * largest / (values + largest / 1000) / 1000)
            values = self._run()
            best = self._better(values, best)
        self._lp.set_costs(self._costs)
        return first, best

    def _without_some(self, clash: list[int]) -> list[int]:
        """Return a clash with fewer rows: leave out one by one as long as others clash, which are fewer."""
        self._left = FEWER_ROWS_WORK
        tried, left_out, best = set[int](), list[int](), clash
        while left := [i for i in clash if i not in tried and self._items.items[i].kind == "row"]:
            i = left[0]
            if self._is_over or len(left) + len(tried) < 3:
                break
            tried.add(i)
            self._let(i, 0.0)
            found = self._better(self._run(), clash, is_equal_enough=True)
            if found is None or found is clash:
                self._let(i, inf)
            else:
                clash, left_out = found, [*left_out, i]
                best = min(best, clash, key=self._length)
        for i in left_out:
            self._let(i, inf)
        return best

    @property
    def _is_over(self) -> bool:
        return self._left < 0 or bool(self._deadline.stop)

    def _let(self, i: int, most: float) -> None:
        """Let the multipliers of an item be so large at most."""
        own = [k for k, (item, _) in enumerate(self._sides) if item == i]
        self._lp.bounds(own, [0.0] * len(own), [most] * len(own))

    def _better(
        self, values: Any, best: list[int] | None, *, is_equal_enough: bool = False
    ) -> list[int] | None:
        """Return the minimal clash at a corner if it has fewer rows than the best one; else the best one.

        As many rows may be enough: that helps where something must be left out.
        """
        most = None if best is None else self._length(best)
        if most and is_equal_enough:
            most = most[0], len(self._sides)
        if values is None:
            return best
        basic = self._lp.basis.columns
        order = [k for k in np.argsort(-values).tolist() if values[k] > 0 and basic[k] == 0]
        for zero in ZEROS:
            used = dict.fromkeys(self._sides[k][0] for k in order if values[k] > zero * values.max())
            if most is not None and self._length(used) >= most:
                break
            self._left -= len(used) ** 2
            if (found := multipliers(self._items, used)) is not None:
                clash = sorted(found)
                return clash if most is None or self._length(clash) < most else best
        return best

    def _run(self) -> Any:
        """Return the multipliers at a corner of least costs; None if there are none."""
        status, work = LpStatus.TIME, len(self._items.model.columns)
        while status is LpStatus.TIME and not self._deadline.stop:
            status = self._lp.run(LP_SLICE)
            self._left -= (min(max(0, self._lp.iterations), 100_000) + 1) * work
        return np.array(self._lp.vertex) if status is LpStatus.OPTIMAL else None

    def _length(self, clash: Collection[int]) -> tuple[int, int]:
        return sum(self._items.items[i].kind == "row" for i in clash), len(clash)
