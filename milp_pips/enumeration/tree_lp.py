"""The LP of a node: a whole model and its box in floats, and what comes back; which nodes go without."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from milp_pips.engines.highs_lp import Basis, LoadedLp, LpRows, LpStatus
from milp_pips.enumeration.tree_box import TreeBox
from milp_pips.enumeration.tree_points import nearest_float
from milp_pips.enumeration.whole import End, WholeModel, WholeRow

SIGNIFICANT = 20
"""Numbers of a row of the LP have at most so many bits before the point: engines refuse greater ones."""

LARGEST_SHIFT = 900
"""Numbers that need more remain too great for floats."""

SLICE = 0.5
"""Seconds after which a run of the LP looks at the stopping criterion."""

SEARCH = 1.0
"""Seconds of a search for a good point."""

TRIAL_ITERATIONS = 50
"""The most iterations of a trial."""

MOST_SKIPPED = 64
"""The most nodes without an LP, one after another: 92 lists of 8 queens take half the time."""

LEAST_USE = 0.08
"""The share of LPs that close or tighten a box, below which nodes go without, also with a cutoff.

A makespan of 12 jobs, one continuous column that is the objective, takes a third of the time. From 0.2 on
tours of 9 towns take a fifth more nodes (``benchmarks/any_model.py``).
"""

LATEST = 0.05
"""How much the latest LP counts in that share."""


class LpPace:
    """Decides which nodes go without LP.

    Where no cutoff excludes anything, or the LP was of no use for a while, rows alone often say as much. Then
    it is asked after a number of nodes that doubles each time it closes none, and halves when it closes one.
    """

    def __init__(self, *, has_cutoff: bool):
        self._has_cutoff = has_cutoff
        self._interval, self._without, self._use = 1, 0, 1.0

    def skips(self) -> bool:
        """Return whether the next node goes without."""
        if self._has_cutoff and self._use > LEAST_USE:
            return False
        self._without += 1
        if self._without < self._interval:
            return True
        self._without = 0
        return False

    def begin(self) -> None:
        """Take note of a run, of whose use the next calls tell."""
        self._use *= 1 - LATEST

    def tightened(self) -> None:
        """Take note that it made the box smaller."""
        self._use += LATEST

    def closed(self) -> None:
        """Take note that it closed the box."""
        self._use += LATEST
        self._interval = max(1, self._interval // 2)

    def left_open(self) -> None:
        """Take note that the LP itself has not closed the box."""
        self._interval = min(MOST_SKIPPED, 2 * self._interval)


class NodeLp:
    """The live LP over a box.

    ``stop`` ends a long run by anything but None. ``runs`` counts the runs, ``trials`` those of trials.
    """

    def __init__(self, whole: WholeModel, box: TreeBox, stop: Callable[[], object | None], *, priced: bool):
        self._box, self._stop, self.runs, self.trials = box, stop, 0, 0
        shifts = [_shift(max((abs(a) for _, a in row.terms), default=1)) for row in whole.rows]
        shift = _shift(max(map(abs, whole.cost), default=1))
        scaled = list(zip(whole.rows, shifts, strict=True))
        rows = LpRows(
            np.array([_float(row.low, s, -1) for row, s in scaled]),
            np.array([_float(row.high, s, 1) for row, s in scaled]),
            np.cumsum([0, *(len(row.terms) for row in whole.rows)]).astype(np.int32),
            np.array([j for row in whole.rows for j, _ in row.terms], dtype=np.int32),
            np.array([_float(a, s, 1) for row, s in scaled for _, a in row.terms]),
        )
        self._ray_times = np.ldexp(1.0, -np.array(shifts, dtype=np.int64)) if shifts else np.zeros(0)
        self._dual_times = np.ldexp(self._ray_times, shift)
        self._price = 2.0**shift
        costs = np.array([_float(cost, shift, 1) if priced else 0.0 for cost in whole.cost])
        low = np.array([_float(end, 0, -1) for end in box.low])
        high = np.array([_float(end, 0, 1) for end in box.high])
        self._lp = LoadedLp(costs, low, high, rows)
        box.take_changed()

    def set_costs(self, costs: NDArray[np.float64]) -> None:
        """Set the costs of all columns."""
        self._lp.set_costs(costs)

    def run(self) -> LpStatus:
        """Solve over the box."""
        box = self._box
        if changed := box.take_changed():
            if box.all_fit:
                columns = np.array(changed, dtype=np.int32)
                self._lp.bounds(columns, box.lows[columns], box.highs[columns])
            else:
                low = [_float(box.low[j], 0, -1) for j in changed]
                high = [_float(box.high[j], 0, 1) for j in changed]
                self._lp.bounds(changed, low, high)
        self.runs += 1
        while True:
            status = self._lp.run(SLICE)
            if status is not LpStatus.TIME or self._stop() is not None:
                return status

    def search(self, integers: Sequence[int]) -> list[float] | None:
        """Return a good point over the box with integral columns; this is the last run of the LP."""
        return self._lp.search(integers, SEARCH)

    def add(self, rows: Iterable[WholeRow]) -> None:
        """Add rows, which count for the value and the vertex; multipliers are those of the model's rows."""
        for row in rows:
            columns, factors = zip(*row.terms, strict=True) if row.terms else ((), ())
            shift = _shift(max(map(abs, factors), default=1))
            low, high = _float(row.low, shift, -1), _float(row.high, shift, 1)
            self._lp.add_row(low, high, columns, [_float(factor, shift, 1) for factor in factors])

    @property
    def added_in_use(self) -> list[bool]:
        """Whether each row that was added has a multiplier other than 0."""
        return [dual != 0 for dual in self._lp.row_duals[len(self._dual_times) :]]

    def run_trial(self) -> LpStatus:
        """Solve over the box for a few iterations.

        The next run goes on from there: nothing is gained by going back to the basis before.
        """
        self.trials += 1
        self._lp.limit_iterations(TRIAL_ITERATIONS)
        status = self.run()
        self._lp.limit_iterations(2**31 - 1)
        return status

    @property
    def value(self) -> float:
        """The sum of costs of the last run."""
        return self._lp.value * self._price

    @property
    def vertex(self) -> list[float]:
        """The value of each column, in its units."""
        return self._lp.vertex

    @property
    def basis(self) -> Basis:
        """The basis of the last run."""
        return self._lp.basis

    @property
    def duals(self) -> NDArray[np.float64]:
        """The multipliers of the whole rows."""
        return np.array(self._lp.row_duals) * self._dual_times

    @property
    def ray(self) -> NDArray[np.float64] | None:
        """Multipliers of the whole rows that refute them, up to the sign; None if there are none."""
        ray = self._lp.dual_ray
        return None if ray is None else ray * self._ray_times


def _shift(greatest: int) -> int:
    """Return the power of two by which numbers are divided to fit an LP in floats."""
    return min(max(0, greatest.bit_length() - SIGNIFICANT), LARGEST_SHIFT)


def _float(end: End, shift: int, sign: int) -> float:
    if end is None:
        return sign * float("inf")
    return nearest_float(Fraction(end, 2**shift) if shift else end)
