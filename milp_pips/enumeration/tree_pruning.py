"""Close boxes, and parts of them, by multipliers: above the cutoff, or refuted. The log has what decides."""

from __future__ import annotations

from typing import Any

import numpy as np

from milp_pips.enumeration.safe_bounds import BITS, MOST_BITS, Multipliers, SafeBounds
from milp_pips.enumeration.tree_box import Entries, TreeBox
from milp_pips.enumeration.tree_lp import NodeLp
from milp_pips.enumeration.tree_points import TreePoints, nearest_float
from milp_pips.enumeration.whole import WholeModel
from milp_pips.enumeration.witness import exact_duals, exact_rays
from milp_pips.formulations.exact import Number


class Pruning:
    """Decides by exact bounds over a box. ``in_force`` are the multipliers that the log has stated last.

    ``costs_alone`` are those without a row: the bound is the least sum of costs over the box.
    """

    def __init__(self, whole: WholeModel, box: TreeBox, lp: NodeLp, points: TreePoints):
        self._whole, self._box, self._lp, self._points = whole, box, lp, points
        self._integers = [j for j, integer in enumerate(whole.integer) if integer]
        self._integer = np.array(whole.integer, dtype=bool)
        self.bounds = SafeBounds(whole, box)
        self.costs_alone = self.bounds.exactly([], 1)
        self.in_force: Multipliers | None = None

    def priced(self, entries: Entries) -> Multipliers | None:
        """Return the LP's multipliers after they have tightened the box; None if they close it."""
        duals = self._lp.duals
        multipliers = self.bounds.multipliers(duals, priced=True)
        # A column without end, which no array has, needs a reduced cost of exactly zero.
        if isinstance(multipliers.reduced, list) and self.bounds.bound(multipliers) is None:
            exact = exact_duals(self._whole, self._lp.basis)
            multipliers = multipliers if exact is None else self.bounds.exactly(*exact)
        if not self.tighten(multipliers, entries):
            return None
        # It may look closed, though the bound does not say so: more bits.
        if self._points.cut is not None and self._lp.value > self._points.cut.nearest:
            more = self.bounds.multipliers(duals, priced=True, bits=MOST_BITS)
            if self.closes(more, entries):
                return None
        return multipliers

    def proves(self, multipliers: Multipliers) -> bool:
        """Return whether multipliers put the box above the cutoff, or refute it."""
        bound = self.bounds.bound(multipliers)
        if bound is None:
            return False
        if not multipliers.scale:
            return bound > 0
        return self._points.cut is not None and self._points.cut.excludes_bound(bound, multipliers.scale)

    def closes(self, multipliers: Multipliers, entries: Entries) -> bool:
        """Return whether multipliers close the box; if so, write it."""
        if not self.proves(multipliers):
            return False
        self.state(multipliers, entries)
        entries.append(["a"] if multipliers.scale else ["f"])
        return True

    def refute(self, entries: Entries) -> bool:
        """Return whether a ray of the LP refutes the rows over the box; if so, write it."""
        refutation = self.refutation()
        return refutation is not None and self.closes(refutation, entries)

    def refutation(self) -> Multipliers | None:
        """Return multipliers that refute the rows over the box, out of the LP that was found infeasible."""
        ray, bounds = self._lp.ray, self.bounds
        if ray is not None:
            for bits in (BITS, MOST_BITS):
                for sign in (1.0, -1.0):
                    multipliers = bounds.multipliers(sign * ray, priced=False, bits=bits)
                    if self.proves(multipliers):
                        return multipliers
        for exact in exact_rays(self._whole, self._box, self._lp.basis):
            for sign in (1, -1):
                multipliers = bounds.exactly([(i, sign * v) for i, v in exact], 0)
                if self.proves(multipliers):
                    return multipliers
        return None

    def state(self, multipliers: Multipliers, entries: Entries) -> None:
        """Write multipliers, unless they are those that the log has stated last."""
        if multipliers is not self.in_force:
            entries.append(
                ["y", multipliers.scale, *(number for pair in multipliers.rows for number in pair)]
            )
            self.in_force = multipliers

    def tighten(self, multipliers: Multipliers, entries: Entries) -> bool:
        """Remove the parts of the box that multipliers put above the cutoff; return whether any is left."""
        cut, box = self._points.cut, self._box
        if cut is None:
            return True
        while True:
            bound = self.bounds.bound(multipliers)
            if bound is None:
                return True
            room = multipliers.scale * cut.over - bound * cut.under - cut.closed
            if room < 0:
                self.state(multipliers, entries)
                entries.append(["a"])
                return False
            removed = self._removed(multipliers, room)
            if not removed:
                return True
            self.state(multipliers, entries)
            entry: list[Any] = ["r"]
            for j, low, high in removed:
                entry += [j, low, high]
                box.change(j, low, high)
            entries.append(entry)
            before = box.mark
            if not box.propagate(entries):
                return False
            if box.mark == before:
                return True

    def _removed(self, multipliers: Multipliers, room: int) -> list[tuple[int, int, int]]:
        """Return the columns of which a part is above the cutoff, and the bounds that are left."""
        cut, box, reduced = self._points.cut, self._box, multipliers.reduced
        assert cut is not None
        if not isinstance(reduced, list):
            reach = np.abs(reduced.astype(float)) * (box.highs - box.lows)  # floats choose whom to ask
            enough = nearest_float(room // cut.under) * (1 - 1e-9)
            candidates = ((reach >= enough) & self._integer & (reduced != 0)).nonzero()[0].tolist()
        else:
            candidates = [j for j in self._integers if reduced[j]]
        removed = []
        for j in candidates:
            low, high, price = box.low[j], box.high[j], int(reduced[j])
            assert low is not None
            assert high is not None
            steps = room // (abs(price) * cut.under)  # the part beyond so many steps is above the cutoff
            if steps < high - low:
                removed.append((j, low, low + steps) if price > 0 else (j, high - steps, high))
        return removed

    def is_at_least(self, cost: Number, multipliers: Multipliers) -> bool:
        """Return whether no point of the box costs less."""
        bound = self.bounds.bound(multipliers)
        if bound is None or not multipliers.scale:
            return False
        if self._whole.has_whole_values:
            return bound > multipliers.scale * (cost - 1)
        return bound >= multipliers.scale * cost
