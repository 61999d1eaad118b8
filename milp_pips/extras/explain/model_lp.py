"""Small clashes of the relaxation of a linear model, by an LP over the multipliers of its rows and bounds.

A sum of rows and bounds, each times a number, proves that a relaxation has no point (Farkas 1902). The
corners of the polyhedron of such multipliers are the minimal clashes (Gleeson and Ryan 1990). So an LP finds
one, and costs that fall where a multiplier is large lead to corners with few rows (Candès, Wakin and Boyd
2008). Its floats only propose rows and bounds: ``multipliers`` proves in fractions that they clash and are
minimal.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from milp_pips.engines.highs_lp import LoadedLp, LpRows, LpStatus
from milp_pips.extras.explain.model_items import ModelItems
from milp_pips.extras.explain.model_proofs import multipliers
from milp_pips.problem import Deadline

ROUNDS = 4
"""The most LPs in search of fewer rows."""

PRICE_OF_BOUND = 0.01
"""What a bound costs if a row costs 1: rows are what a reader looks at."""

ZERO = 1e-9
"""Multipliers up to this share of the greatest count as 0."""

SECONDS = 0.2
"""The most processor seconds in search of a clash with fewer rows."""

SLICE = 0.5
"""Seconds after which a run of the LP looks at the deadline."""


class SumSearch:
    """Looks for small clashes of a relaxation: an LP over the multipliers of its rows and bounds."""

    def __init__(self, items: ModelItems, deadline: Deadline):
        self._items, self._deadline = items, deadline
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
        ends[n] = 1.0
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
        """Return a minimal clash of few rows and bounds, in increasing order; None if none is found.

        Costs fall where multipliers are large; then rows are left out one by one as long as what clashes
        without them has fewer rows.
        """
        best: list[int] | None = None
        for _ in range(ROUNDS):
            values = self._run()
            if values is None:
                break
            found = self._used(values)
            if self._is_better(found, best):
                best = found
            largest = values.max()
            self._lp.set_costs(self._costs * largest / (values + largest / 1000) / 1000)
        if best is not None:
            self._lp.set_costs(self._costs)
            best = self._with_fewer_rows(best)
        return best

    def _with_fewer_rows(self, best: list[int]) -> list[int]:
        """Return a clash with fewer rows, or the same: without one of its rows, as long as there is time."""
        until, tried = time.process_time() + SECONDS, set[int]()
        while left := [i for i in best if i not in tried and self._is_row(i)]:
            i = left[0]
            tried.add(i)
            self._let(i, 0.0)
            values = self._run()
            if values is not None and self._is_better(found := self._used(values), best):
                best = found
            else:
                self._let(i, inf)
            if time.process_time() > until or self._length(best)[0] <= 2:
                break
        return best

    def _let(self, i: int, most: float) -> None:
        """Let the multipliers of an item be so large at most."""
        own = [k for k, (item, _) in enumerate(self._sides) if item == i]
        self._lp.bounds(own, [0.0] * len(own), [most] * len(own))

    def _used(self, values: Any) -> list[int]:
        """Return the items that have a multiplier."""
        return sorted({self._sides[k][0] for k in np.flatnonzero(values > ZERO * values.max()).tolist()})

    def _is_better(self, clash: Sequence[int], best: Sequence[int] | None) -> bool:
        """Return whether a clash has fewer rows, and is a minimal one."""
        is_shorter = best is None or self._length(clash) < self._length(best)
        return is_shorter and multipliers(self._items, clash) is not None

    def _is_row(self, i: int) -> bool:
        return self._items.items[i].kind == "row"

    def _run(self) -> Any:
        while (status := self._lp.run(SLICE)) is LpStatus.TIME and not self._deadline.stop:
            pass
        return np.array(self._lp.vertex) if status is LpStatus.OPTIMAL else None

    def _length(self, clash: Sequence[int]) -> tuple[int, int]:
        return sum(map(self._is_row, clash)), len(clash)
