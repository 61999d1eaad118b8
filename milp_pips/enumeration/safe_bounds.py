"""Lower bounds of the objective over a box, exact in whole numbers (Neumaier and Shcherbina 2004).

For *any* multipliers ``y`` of the rows, every point of the box that obeys the rows has

    scale · Σ cost · x >= Σ y · side + Σ over columns of the least of (scale · cost - Σ y · factor) · x

where ``side`` is the lower side of a row for a positive multiplier and the upper side for a negative one.
So the multipliers of an LP in floating point, rounded to short whole numbers, give a bound that is exactly
true. With ``scale = 0`` a positive bound says that no point of the box obeys the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp, inf, ldexp
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milp_pips.enumeration.tree_box import FITS_64_BITS, TreeBox
from milp_pips.enumeration.whole import End, WholeModel

BITS = 24
"""The bits of a multiplier: enough for all but a few leaves of MIPLIB's small models."""

MOST_BITS = 44
"""The bits of a multiplier where fewer miss narrowly."""

LARGEST_SCALE = 60
"""The most bits of a scale times the greatest cost."""

HALF = 2**31
"""Sums of bounds and of sides up to here are multiplied in halves of 31 bits."""

DENSE = 100_000
"""The most entries, with zeros, of a matrix that is kept dense: a product then takes less time."""


@dataclass(frozen=True, slots=True, eq=False)
class Multipliers:
    """Whole multipliers of rows, and the reduced cost of each column that follows from them.

    ``of_rows`` has the multiplier of each row, or those that are not 0 with their rows. ``base`` is the
    part of the bound that no column changes. ``reduced`` is an array of 64 bits, or a list; its products
    with the box leave 62 bits unless they are computed ``in_halves``.
    """

    scale: int
    of_rows: Any
    reduced: Any
    base: int
    in_halves: bool = False

    @property
    def rows(self) -> list[tuple[int, int]]:
        """The rows with a multiplier, and it."""
        if isinstance(self.of_rows, list):
            return self.of_rows
        used = np.flatnonzero(self.of_rows)
        return list(zip(used.tolist(), self.of_rows[used].tolist(), strict=True))


class SafeBounds:
    """Exact bounds over a box; in arrays of 64 bits where no sum can overflow, else in whole numbers."""

    def __init__(self, whole: WholeModel, box: TreeBox):
        self._whole, self._box = whole, box
        count = len(whole.rows)
        has_low = np.array([row.low is not None for row in whole.rows], dtype=bool)
        has_high = np.array([row.high is not None for row in whole.rows], dtype=bool)
        self._least = np.where(has_high, -np.inf, 0.0)
        self._most = np.where(has_low, np.inf, 0.0)
        self._measure()
        if not self._is_finite:
            return
        n = len(whole.low)
        self._low_sides = np.array([row.low or 0 for row in whole.rows], dtype=np.int64)
        self._high_sides = np.array([row.high or 0 for row in whole.rows], dtype=np.int64)
        self._costs = np.array(whole.cost, dtype=np.int64)
        self._matrix: NDArray[np.float64] | None = None
        if count * n <= DENSE:
            self._matrix = np.zeros((count, n))
            for i, row in enumerate(whole.rows):
                for j, factor in row.terms:
                    self._matrix[i, j] = factor
            self._whole_matrix = self._matrix.astype(np.int64)
        entries = [(i, factor) for terms in whole.column_terms for i, factor in terms]
        self._entry_rows = np.array([i for i, _ in entries], dtype=np.int64)
        self._factors = np.array([factor for _, factor in entries], dtype=np.int64)
        starts = np.cumsum([0, *(len(terms) for terms in whole.column_terms)])[:-1]
        self._used = np.array([bool(terms) for terms in whole.column_terms], dtype=bool)
        self._starts = starts[self._used]

    def _measure(self) -> None:
        """Find out how large sums over columns, rows and the box can be, so that none overflows."""
        whole, box = self._whole, self._box
        self._reach = list[int]()
        self._greatest_cost = max(map(abs, whole.cost), default=0)
        self._greatest_sum = max((sum(abs(a) for _, a in terms) for terms in whole.column_terms), default=0)
        self._sides = 1 + sum(max(abs(row.low or 0), abs(row.high or 0)) for row in whole.rows)
        for low, high in zip(box.low, box.high, strict=True):
            if low is not None and high is not None:
                self._reach.append(max(abs(low), abs(high)) + 1)
        self._is_finite = len(self._reach) == len(box.low)
        self._all_reach = 1 + sum(self._reach)
        fits = max(self._all_reach, self._sides, self._greatest_cost, self._greatest_sum) < HALF**2
        self._is_finite = self._is_finite and fits

    def multipliers(self, y: Any, *, priced: bool, bits: int = BITS) -> Multipliers:
        """Return the multipliers of an LP of the whole rows as short whole numbers.

        ``priced`` states whether the costs count; without them the multipliers are a ray.
        """
        # A multiplier with the wrong sign for the only side of its row would need an infinite side, so it
        # becomes 0. Any multipliers give a bound that holds: these only make it weaker.
        clipped = np.minimum(np.maximum(y, self._least), self._most)
        greatest = float(np.maximum.reduce(np.abs(clipped), initial=0.0))
        if not 0 < greatest < inf:
            return self.exactly([], int(priced))
        power = bits - frexp(greatest)[1]
        if priced:  # a scale is a whole number, and noise is no multiplier
            power = max(0, min(power, LARGEST_SCALE - self._greatest_cost.bit_length()))
        scale = 2**power if priced else 0
        most = int(ldexp(greatest, power)) + 2 if power + frexp(greatest)[1] < 1000 else FITS_64_BITS
        size = scale * self._greatest_cost + most * self._greatest_sum  # of a reduced cost
        # Whether a sum fits is decided before it is computed: numpy does not tell that one has overflowed.
        in_halves = size * self._all_reach >= FITS_64_BITS
        if not self._is_finite or size >= FITS_64_BITS or (in_halves and self._all_reach >= HALF):
            rows = [(int(i), round(_times(clipped[i], power))) for i in np.flatnonzero(clipped)]
            return self.exactly([(i, v) for i, v in rows if v], scale)
        rounded = np.rint(np.ldexp(clipped, power))
        whole = rounded.astype(np.int64)
        if self._matrix is not None:
            # Products of floats use the BLAS, those of whole numbers do not; they are exact up to 53 bits.
            in_floats = size < 2**53
            total = (rounded @ self._matrix).astype(np.int64) if in_floats else whole @ self._whole_matrix
        else:
            total = np.zeros(len(self._costs), dtype=np.int64)
            if len(self._starts):
                total[self._used] = np.add.reduceat(self._factors * whole[self._entry_rows], self._starts)
        reduced = scale * self._costs - total
        sides = np.where(whole > 0, self._low_sides, self._high_sides)
        short = most * self._sides < FITS_64_BITS
        base = int(whole @ sides) if short else sum(map(mul, whole.tolist(), sides.tolist()))
        return Multipliers(scale, whole, reduced, base, in_halves)

    def exactly(self, rows: list[tuple[int, int]], scale: int) -> Multipliers:
        """Return whole multipliers of any size; those that no side allows are left out."""
        sides = self._whole.rows
        rows = [(i, v) for i, v in rows if (sides[i].low if v > 0 else sides[i].high) is not None]
        reduced = [scale * cost for cost in self._whole.cost]
        base = 0
        for i, v in rows:
            row = sides[i]
            base += v * (row.low if v > 0 else row.high)  # type: ignore[operator]
            for j, factor in row.terms:
                reduced[j] -= v * factor
        sizes = [abs(r) for r in reduced]
        if self._is_finite and self._fits(sizes, base):
            return Multipliers(scale, rows, np.array(reduced, dtype=np.int64), base)
        return Multipliers(scale, rows, reduced, base)

    def _fits(self, sizes: list[int], base: int) -> bool:
        reach: int = sum(map(mul, sizes, self._reach))
        return abs(base) + reach < FITS_64_BITS

    def bound(self, multipliers: Multipliers) -> int | None:
        """Return the bound over the box; None if an infinite end is needed."""
        reduced, box = multipliers.reduced, self._box
        if not isinstance(reduced, list):
            ends = np.where(reduced > 0, box.lows, box.highs)
            return multipliers.base + _product(reduced, ends, in_halves=multipliers.in_halves)
        total, lows, highs = multipliers.base, box.low, box.high
        for j, times in enumerate(reduced):
            if times:
                end: End = lows[j] if times > 0 else highs[j]
                if end is None:
                    return None
                total += times * end
        return total


def _product(times: NDArray[np.int64], ends: NDArray[np.int64], *, in_halves: bool) -> int:
    """Return the sum of products; in halves, ``times`` may have 62 bits, if the ends sum to 31."""
    if not in_halves:
        return int(times @ ends)
    return (int((times >> 31) @ ends) << 31) + int((times & (HALF - 1)) @ ends)


def _times(number: float, power: int) -> float | int:
    """Return ``number · 2**power`` without overflow, as a whole number where it is large."""
    mantissa, exponent = frexp(number)
    exponent += power - 53
    whole = int(mantissa * 2**53)
    return whole << exponent if exponent >= 0 else whole / 2**-exponent if exponent > -1100 else 0
