"""Which column to branch on: pseudo-costs (Bénichou et al. 1971), which trials make reliable.

A pseudo-cost says by how much the bound of a child grew for each unit by which its branch moved a column. A
column that has seen few branches is tried first: both children are solved for a few iterations (Achterberg,
Koch, Martin 2005).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor
from typing import Any, NamedTuple

from milp_pips.engines.highs_lp import LpStatus
from milp_pips.enumeration.safe_bounds import Multipliers
from milp_pips.enumeration.tree_box import Entries, TreeBox
from milp_pips.enumeration.tree_lp import NodeLp
from milp_pips.enumeration.tree_points import TreePoints
from milp_pips.enumeration.tree_pruning import Pruning
from milp_pips.enumeration.whole import WholeModel

RELIABLE = 2
"""A pseudo-cost is believed after so many branches.

After one, 39 tours of 9 towns take as long: fewer trials, but more nodes; misc03 takes twice the nodes.
"""

SMALL = 1e-6
"""The least gain that counts, so that a child without gain does not hide that of the other."""


MOST_TRIALS = 8
"""The most columns that are tried at a node before one is branched on."""

TRIALS_PER_RUN = 0.5
"""The share of trials among the runs of the LP, from which on no more are made."""

FIRST_TRIALS = 100
"""Trials that are made in any case."""

BOX_CLOSED, BOX_TIGHTENED = -2, -3
"""What choosing a column may end with instead: the box is closed, or has become smaller."""


class Branch(NamedTuple):
    """A branch that led to a node: column, direction, how far it moved the vertex, the value before."""

    column: int
    up: bool
    distance: float
    value: float


class PseudoCosts:
    """The mean gain of the bound for each unit of each column, down and up."""

    def __init__(self, columns: int):
        self._sums = ([0.0] * columns, [0.0] * columns)
        self._counts = ([0] * columns, [0] * columns)
        self._all = [0.0, 0.0]
        self._branches = [0, 0]

    def learn(self, branch: Branch, gain: float) -> None:
        """Take note of what a branch gained."""
        up, rate = branch.up, max(gain, 0.0) / branch.distance
        self._sums[up][branch.column] += rate
        self._counts[up][branch.column] += 1
        self._all[up] += rate
        self._branches[up] += 1

    def is_reliable(self, j: int) -> bool:
        """Return whether a column has seen enough branches in both directions."""
        return min(self._counts[0][j], self._counts[1][j]) >= RELIABLE

    def score(self, j: int, value: float) -> float:
        """Return how much a branch on a column, at its value of the vertex, is expected to gain."""
        part = value - floor(value)
        return product_of_gains(self._rate(j, 0) * part, self._rate(j, 1) * (1.0 - part))

    def _rate(self, j: int, up: int) -> float:
        if self._counts[up][j]:
            return self._sums[up][j] / self._counts[up][j]
        return self._all[up] / self._branches[up] if self._branches[up] and self._all[up] else 1.0


def product_of_gains(down: float, up: float) -> float:
    """Return the score of two gains: both children should become easier (Achterberg 2007)."""
    return max(down, SMALL) * max(up, SMALL)


def around(low: int, high: int, value: float) -> list[tuple[int, int]]:
    """Return a whole value as a range of its own, first, and the ranges below and above it."""
    nearest = min(max(round(value), low), high)
    ranges = [(nearest, nearest), (low, nearest - 1), (nearest + 1, high)]
    return [(first, last) for first, last in ranges if first <= last]


def most_promising(candidates: Sequence[int], vertex: Sequence[float], costs: PseudoCosts) -> list[int]:
    """Return the candidates in the order of their scores."""
    return sorted(candidates, key=lambda j: -costs.score(j, vertex[j]))


class Branching:
    """Chooses columns of ``whole``, and their ranges.

    ``priced`` states whether the objective counts: without it no gain is measured.
    """

    def __init__(
        self,
        whole: WholeModel,
        box: TreeBox,
        lp: NodeLp,
        pruning: Pruning,
        points: TreePoints,
        costs: PseudoCosts,
        *,
        priced: bool,
    ):
        self._box, self._lp, self._pruning, self._points, self._priced = box, lp, pruning, points, priced
        self.costs = costs
        alike = (row.terms for row in whole.rows if len({factor for _, factor in row.terms}) == 1)
        self._deciding = {j for terms in alike if len(terms) > 1 for j, _ in terms}

    def halves(self, j: int, value: float) -> list[tuple[int, int]]:
        """Return the ranges of a column below and above a fractional value, the nearer one first.

        Of two values the upper one is first where it decides a row, such as a cover or a sum that is 1: so a
        good point is found sooner. Elsewhere it helps nothing; lot sizes would take a quarter more nodes.
        """
        low: Any = self._box.low[j]
        high: Any = self._box.high[j]
        middle = floor(value)
        below, above = (low, middle), (middle + 1, high)
        is_up = value - middle >= 0.5 or (high - low == 1 and j in self._deciding)
        return [above, below] if is_up else [below, above]

    def without_vertex(self, free: list[int]) -> tuple[int, list[tuple[int, int]]]:
        """Return a column and its ranges where no LP says more: of the tightest row, the upper part first."""
        low, high = self._box.low, self._box.high
        some = set(free)
        tight = [j for j in self._box.tight_columns() if j in some] or free
        j = min(tight, key=lambda j: high[j] - low[j])  # type: ignore[operator]
        middle = (low[j] + high[j]) // 2  # type: ignore[operator]
        return j, [(middle + 1, high[j]), (low[j], middle)]  # type: ignore[list-item]

    def choose(self, candidates: list[int], vertex: list[float], value: float, entries: Entries) -> int:
        """Return the column to branch on, or one of the signs that trials have changed the box."""
        costs, box = self.costs, self._box
        order = most_promising(candidates, vertex, costs)[:MOST_TRIALS]
        if not self._priced or self._lp.trials > FIRST_TRIALS + TRIALS_PER_RUN * self._lp.runs:
            return order[0]
        scores: dict[int, float] = {}
        for j in order:
            if costs.is_reliable(j):
                scores[j] = costs.score(j, vertex[j])
                continue
            gains = [0.0, 0.0]
            for low, high in self.halves(j, vertex[j]):
                up = low > vertex[j]
                mark = box.mark
                box.change(j, low, high)
                gain, closing = self._trial(value)
                box.undo(mark)
                if closing is not None:
                    left = (box.low[j], low - 1) if up else (high + 1, box.high[j])
                    self._pruning.state(closing, entries)
                    entries.append(["r", j, *left])
                    box.change(j, *left)
                    return BOX_TIGHTENED if box.propagate(entries) else BOX_CLOSED
                gains[up] = gain
                costs.learn(Branch(j, up, abs((low if up else high) - vertex[j]), value), gain)
            scores[j] = product_of_gains(*gains)
        return max(order, key=lambda j: scores[j])

    def _trial(self, value: float) -> tuple[float, Multipliers | None]:
        """Return by how much the LP's value grows over the box, and multipliers that close it, if some do."""
        status = self._lp.run_trial()
        if status is LpStatus.INFEASIBLE:
            return 0.0, self._pruning.refutation()
        now = self._lp.value
        if self._points.cut is not None and now > self._points.cut.nearest:
            multipliers = self._pruning.bounds.multipliers(self._lp.duals, priced=True)
            if self._pruning.proves(multipliers):
                return now - value, multipliers
        return max(0.0, now - value) if abs(now) < 1e300 else 0.0, None

    def learn(self, branch: Branch | None, value: float | None) -> None:
        """Take note of the value after a branch; None if its child is closed, as if it were the cutoff."""
        if branch is None or not self._priced:
            return
        if value is None:
            if self._points.cut is None:
                return
            value = self._points.cut.nearest
        self.costs.learn(branch, value - branch.value)
