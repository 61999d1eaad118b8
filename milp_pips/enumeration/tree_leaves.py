"""The exact point of a box, and the proof that no other point with its chosen columns is better."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from milp_pips.engines.highs_lp import Basis
from milp_pips.enumeration.exact_lp import ExactLp, exact_lp, exact_lp_of_one
from milp_pips.enumeration.safe_bounds import Multipliers
from milp_pips.enumeration.tree_box import Entries, TreeBox
from milp_pips.enumeration.tree_lp import NodeLp
from milp_pips.enumeration.tree_points import TreePoints
from milp_pips.enumeration.tree_pruning import Pruning
from milp_pips.enumeration.whole import WholeModel
from milp_pips.enumeration.witness import exact_duals, exact_vertex
from milp_pips.formulations.exact import Number
from milp_pips.problem import UsageError


class Witness(NamedTuple):
    """A point in units of the columns, and the basis whose vertex it is, if that has continuous columns."""

    values: list[Number]
    basis: Basis | None


class Leaves:
    """Finds exact points of boxes of ``whole``, each judged by the model that was ``stated``.

    ``priced`` states whether the objective counts.
    """

    def __init__(
        self,
        whole: WholeModel,
        box: TreeBox,
        lp: NodeLp,
        pruning: Pruning,
        points: TreePoints,
        *,
        priced: bool,
    ):
        self._whole, self._stated, self._box, self._lp = whole, points.whole, box, lp
        self._pruning, self._points, self._priced = pruning, points, priced
        self._integers = [j for j, integer in enumerate(whole.integer) if integer]
        self._pure = len(self._integers) == len(whole.low)
        chosen = set(points.chosen)
        self._priced_by_chosen = all(j in chosen for j, cost in enumerate(whole.cost) if cost)

    def at_vertex(self, vertex: list[float]) -> Witness | None:
        """Return the exact point at a vertex with integral integer columns; None if there is none."""
        box, wholes = self._box, list[Number]()
        for j in self._integers:
            low, high = box.low[j], box.high[j]
            wholes.append(min(max(round(vertex[j]), low), high))  # type: ignore[type-var, arg-type]
        if self._pure:
            return Witness(wholes, None) if self._stated.holds(wholes) else None
        basis = self._lp.basis
        point = exact_vertex(self._whole, box, basis)
        return Witness(point, basis) if point is not None and self._stated.holds(point) else None

    def at_corner(self) -> Witness | None:
        """Return the only point of a box of which all columns are fixed, if it obeys the rows."""
        corner: list[Number] = list(self._box.low)  # type: ignore[arg-type]
        return Witness(corner, None) if self._box.broken_row() is None else None  # its sums are exact

    def without_lp(self) -> tuple[Witness, Multipliers] | None:
        """Return the best point of a box with fixed integer columns, and its proof, if rows alone tell."""
        low, high = self._box.low, self._box.high
        if self._pure or any(low[j] != high[j] for j in self._integers):
            return None
        one = exact_lp_of_one(self._whole, self._box, priced=self._priced)
        if one is None or one.point is None or not self._stated.holds(one.point):
            return None
        return Witness(one.point, None), self._pruning.bounds.exactly(one.rows, one.scale)

    def is_best(self, witness: Witness, multipliers: Multipliers | None, entries: Entries) -> bool:
        """Return whether no point of the box is better than the known one with its chosen columns.

        If so, write the multipliers that say it. ``multipliers`` are tried first, the exact ones, which
        take longest, last.
        """
        known = self._points.known(witness.values)
        if known is None:
            return False
        if not self._priced or self._priced_by_chosen:
            return True
        for each in self._bounds(witness, multipliers):
            if self._pruning.is_at_least(known[0], each):
                self._pruning.state(each, entries)
                return True
        return False

    def _bounds(self, witness: Witness, multipliers: Multipliers | None) -> Iterator[Multipliers]:
        if multipliers is not None:
            yield multipliers
        yield self._pruning.costs_alone
        duals = None if witness.basis is None else exact_duals(self._whole, witness.basis)
        if duals is not None:
            yield self._pruning.bounds.exactly(*duals)

    def solve(self) -> ExactLp | None:
        """Return the exact LP of a box with fixed integer columns; None if it takes too long.

        Its point is None if it misses something.

        Raises
        ------
        UsageError
            For an objective without an end.
        """
        exact = exact_lp(self._whole, self._box, priced=self._priced)
        if exact is None:
            return None
        if exact.is_unbounded:
            what = "the objective is unbounded, even with all integer columns fixed"
            raise UsageError(f"{what}; bound the continuous columns that have costs")
        is_point = exact.point is not None and self._stated.holds(exact.point)
        return exact if is_point else exact._replace(point=None)
