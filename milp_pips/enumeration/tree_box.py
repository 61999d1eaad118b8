"""The box of a node: bounds of all columns in whole numbers, and what the rows imply about them.

Each row keeps its least and its greatest sum over the box, so a changed bound costs as many steps as the
column has entries. ``propagate`` tightens bounds until no row does (bounds of continuous columns are rounded
outwards, and only tightened if that removes a share of their range). A trail undoes all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milp_pips.enumeration.whole import Box, End, WholeModel

FITS_64_BITS = 2**62
"""Numbers from here on are not kept in arrays of 64 bits."""

LEAST_SHARE = 8
"""A bound of a continuous column is tightened if that removes at least one part in so many of its range."""

VISITS = 20
"""The most visits of all rows in one propagation, in the mean: bounds can creep for ever."""

Entries = list[list[Any]]
"""What happened at a node, as the log has it."""


class TreeBox:
    """The bounds of all columns, with a trail.

    ``low`` and ``high`` are lists of whole numbers or None. ``lows`` and ``highs`` have the same numbers as
    arrays, with 0 where there is none or it is too large. ``changed`` has the columns whose bounds changed
    since the caller emptied it.
    """

    def __init__(self, whole: WholeModel, bounds: Box | None = None):
        self._integer = whole.integer
        low, high = bounds or (whole.low, whole.high)
        self.low, self.high = list(low), list(high)
        self._lows: NDArray[np.int64] = np.array([_small(end) for end in self.low], dtype=np.int64)
        self._highs: NDArray[np.int64] = np.array([_small(end) for end in self.high], dtype=np.int64)
        self.changed, self._stale = set[int](), set[int]()
        self._trail: list[tuple[int, End, End]] = []
        self._terms = [row.terms for row in whole.rows]
        self._sides = [(row.low, row.high) for row in whole.rows]
        self._of_column = whole.column_terms
        # Which rows a raised lower bound makes tighter, and a lowered upper bound.
        sides = [(row.low is not None, row.high is not None) for row in whole.rows]
        self._tighter = [
            tuple(
                tuple(i for i, factor in terms if sides[i][(factor > 0) == is_low])
                for is_low in (True, False)
            )
            for terms in whole.column_terms
        ]
        count = len(whole.rows)
        self._touched = set(range(count))
        self._least, self._most = [0] * count, [0] * count
        self._unbounded_below, self._unbounded_above = [0] * count, [0] * count
        for i, row in enumerate(whole.rows):
            for j, factor in row.terms:
                self._add(i, factor, self.low[j], self.high[j], 1)
        self._spread = [self._spread_of(i) for i in range(count)]

    def _spread_of(self, i: int) -> int | None:
        """Return the most that one column moves the sum of a row; None if that is unbounded."""
        most = 0
        for j, factor in self._terms[i]:
            low, high = self.low[j], self.high[j]
            if low is None or high is None:
                return None
            most = max(most, abs(factor) * (high - low))
        return most

    def _add(self, i: int, factor: int, low: End, high: End, times: int) -> None:
        """Add the least and greatest value of one term to the sums of its row, or subtract them."""
        if factor < 0:
            low, high = high, low
        if low is None:
            self._unbounded_below[i] += times
        else:
            self._least[i] += times * factor * low
        if high is None:
            self._unbounded_above[i] += times
        else:
            self._most[i] += times * factor * high

    @property
    def lows(self) -> NDArray[np.int64]:
        """The lower bounds as an array, brought up to date."""
        self._refresh()
        return self._lows

    @property
    def highs(self) -> NDArray[np.int64]:
        """The upper bounds as an array, brought up to date."""
        self._refresh()
        return self._highs

    def _refresh(self) -> None:
        if self._stale:
            columns = list(self._stale)
            self._lows[columns] = [_small(self.low[j]) for j in columns]
            self._highs[columns] = [_small(self.high[j]) for j in columns]
            self._stale.clear()

    @property
    def mark(self) -> int:
        """The length of the trail, for ``undo``."""
        return len(self._trail)

    @property
    def trail(self) -> Sequence[tuple[int, End, End]]:
        """The columns that changed, with their bounds before."""
        return self._trail

    def undo(self, mark: int) -> None:
        """Undo all changes after the mark."""
        trail = self._trail
        while len(trail) > mark:
            self._set(*trail.pop())
        self._touched.clear()

    def change(self, j: int, low: End, high: End) -> None:
        """Set the bounds of a column."""
        before_low, before_high = self.low[j], self.high[j]
        self._trail.append((j, before_low, before_high))
        self._set(j, low, high)
        if low != before_low:
            self._touched.update(self._tighter[j][0])
        if high != before_high:
            self._touched.update(self._tighter[j][1])

    def _set(self, j: int, low: End, high: End) -> None:
        before_low, before_high = self.low[j], self.high[j]
        self.low[j], self.high[j] = low, high
        self.changed.add(j)
        self._stale.add(j)
        if before_low is None or before_high is None or low is None or high is None:
            for i, factor in self._of_column[j]:
                self._add(i, factor, before_low, before_high, -1)
                self._add(i, factor, low, high, 1)
            return
        least, most = self._least, self._most
        if low != before_low:
            by = low - before_low
            for i, factor in self._of_column[j]:
                if factor > 0:
                    least[i] += factor * by
                else:
                    most[i] += factor * by
        if high != before_high:
            by = high - before_high
            for i, factor in self._of_column[j]:
                if factor > 0:
                    most[i] += factor * by
                else:
                    least[i] += factor * by

    def tight_columns(self) -> list[int]:
        """Return the free columns of a row that is not settled yet, one with few; none if all are settled.

        Rows come first of which neither side holds all over the box, such as equations.
        """
        low, high, least, most = self.low, self.high, self._least, self._most
        found, best = list[int](), (3, 0)
        for i, (side_low, side_high) in enumerate(self._sides):
            sides = (side_low is not None and (least[i] < side_low or self._unbounded_below[i] > 0)) + (
                side_high is not None and (most[i] > side_high or self._unbounded_above[i] > 0)
            )
            if sides and (2 - sides) <= best[0]:
                free = [j for j, _ in self._terms[i] if low[j] != high[j]]
                if free and (2 - sides, len(free)) < best:
                    best, found = (2 - sides, len(free)), free
                    if best <= (0, 2):
                        break  # no row is tighter: a single free column would be fixed by its equation
        return found

    def broken_row(self) -> int | None:
        """Return a row that the least or the greatest sum over the box breaks."""
        for i, (low, high) in enumerate(self._sides):
            if (high is not None and not self._unbounded_below[i] and self._least[i] > high) or (
                low is not None and not self._unbounded_above[i] and self._most[i] < low
            ):
                return i
        return None

    def propagate(self, entries: Entries) -> bool:
        """Tighten bounds by the rows that changes have touched; return whether the box may have a point.

        Adds to the entries: ``i`` with a row and the bounds that it implies, ``v`` with a row that no point
        of the box obeys, ``e`` with a column whose bounds cross.
        """
        touched, visits = self._touched, VISITS * (len(self._terms) + 1)
        while touched and visits:
            visits -= 1
            i = touched.pop()
            changes = self._implied(i)
            if changes is None:
                touched.clear()
                entries.append(["v", i])
                return False
            if changes:
                entry: list[Any] = ["i", i]
                crossed = -1
                for j, low, high in changes:
                    entry += [j, low, high]
                    if low is not None and high is not None and low > high:
                        crossed = j
                entries.append(entry)
                if crossed >= 0:
                    touched.clear()
                    entries.append(["e", crossed])
                    return False
                for j, low, high in changes:
                    self.change(j, low, high)
        touched.clear()
        return True

    def _implied(self, i: int) -> list[tuple[int, End, End]] | None:
        """Return the columns that a row tightens, with their bounds; None if no point obeys it."""
        side_low, side_high = self._sides[i]
        if self._unbounded_below[i] or self._unbounded_above[i]:
            return self._implied_beside_unbounded(i)
        below = (
            None if side_high is None else side_high - self._least[i]
        )  # how much the sum may grow from there
        above = None if side_low is None else self._most[i] - side_low
        if (below is not None and below < 0) or (above is not None and above < 0):
            return None
        spread = self._spread[i]
        if spread is not None and (below is None or below >= spread) and (above is None or above >= spread):
            return []
        changes: list[tuple[int, End, End]] = []
        lows, highs, integer = self.low, self.high, self._integer
        for j, factor in self._terms[i]:
            low, high = lows[j], highs[j]
            width = high - low  # type: ignore[operator]
            if not width:
                continue
            size = factor if factor > 0 else -factor
            reach = size * width
            from_low, from_high = (below, above) if factor > 0 else (above, below)
            new_low, new_high = low, high
            if from_low is not None and from_low < reach:
                steps = from_low // size if integer[j] else -(-from_low // size)
                new_high = low + steps  # type: ignore[operator]
            if from_high is not None and from_high < reach:
                steps = from_high // size if integer[j] else -(-from_high // size)
                new_low = high - steps  # type: ignore[operator]
            if (new_low != low or new_high != high) and (
                integer[j] or (new_high - new_low) * LEAST_SHARE <= width * (LEAST_SHARE - 1)  # type: ignore[operator]
            ):
                changes.append((j, new_low, new_high))
        return changes

    def _implied_beside_unbounded(self, i: int) -> list[tuple[int, End, End]] | None:
        """Do the same for a row of which a column has an infinite end, by the sums of all others."""
        side_low, side_high = self._sides[i]
        least, most = self._least[i], self._most[i]
        no_least, no_most = self._unbounded_below[i], self._unbounded_above[i]
        if side_high is not None and not no_least and least > side_high:
            return None
        if side_low is not None and not no_most and most < side_low:
            return None
        changes: list[tuple[int, End, End]] = []
        for j, factor in self._terms[i]:
            low, high = self.low[j], self.high[j]
            first, last = (low, high) if factor > 0 else (high, low)
            new: list[End] = [None, None]  # of factor * column: at most, at least
            if side_high is not None and no_least - (first is None) == 0:
                new[0] = side_high - (least if first is None else least - factor * first)
            if side_low is not None and no_most - (last is None) == 0:
                new[1] = side_low - (most if last is None else most - factor * last)
            at_most, at_least = new if factor > 0 else (new[1], new[0])
            new_low = None if at_least is None else _ceil(at_least, factor, whole=self._integer[j])
            new_high = None if at_most is None else _floor(at_most, factor, whole=self._integer[j])
            is_new_low = new_low is not None and (low is None or new_low > low)
            is_new_high = new_high is not None and (high is None or new_high < high)
            if not self._integer[j]:  # only ends where there were none: two rows can move others for ever
                is_new_low, is_new_high = is_new_low and low is None, is_new_high and high is None
            if is_new_low or is_new_high:
                changes.append((j, new_low if is_new_low else low, new_high if is_new_high else high))
        return changes


def _ceil(number: int, factor: int, *, whole: bool) -> int:
    """Return the least whole number at or above ``number / factor``; at or below if not whole."""
    return -(number // -factor) if whole else number // factor


def _floor(number: int, factor: int, *, whole: bool) -> int:
    """Return the greatest whole number at or below ``number / factor``; at or above if not whole."""
    return number // factor if whole else -(number // -factor)


def _small(end: End) -> int:
    return 0 if end is None or not -FITS_64_BITS < end < FITS_64_BITS else end
