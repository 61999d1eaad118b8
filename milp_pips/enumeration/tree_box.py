"""The box of a node: bounds of all columns in whole numbers, and what the rows imply about them.

Each side of a row keeps its room: how far the sum of the row may move away from its end over the box before
it is broken. So a changed bound costs as many steps as there are sides that it makes tighter. ``propagate``
tightens bounds until no row does (bounds of continuous columns are rounded outwards, and only tightened if
that removes a share of their range). A trail undoes all of it. The cutoff is a row, too, the last one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
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

CUTOFF_ROW = -1
"""The number of the cutoff among the rows, as the log has it."""

Entries = list[list[Any]]
"""What happened at a node, as the log has it."""


class TreeBox:
    """The bounds of all columns, with a trail.

    ``low`` and ``high`` are lists of whole numbers or None. ``lows`` and ``highs`` have the same numbers as
    arrays, with 0 where there is none or it is too large.
    """

    def __init__(self, whole: WholeModel, bounds: Box | None = None):
        self._integer = whole.integer
        low, high = bounds or (whole.low, whole.high)
        self.low, self.high = list(low), list(high)
        self._lows: NDArray[np.int64] = np.array([_small(end) for end in self.low], dtype=np.int64)
        self._highs: NDArray[np.int64] = np.array([_small(end) for end in self.high], dtype=np.int64)
        # Bounds only become tighter: what fits at the root fits everywhere.
        self._all_fit: bool = self._lows.tolist() == self.low and self._highs.tolist() == self.high
        self._moved, self._changed = list[int](), set[int]()
        self._trail: list[tuple[int, End, End]] = []
        self._terms = [row.terms for row in whole.rows]
        self._terms.append(tuple([(j, cost) for j, cost in enumerate(whole.cost) if cost]))
        self._sides: list[tuple[End, End]] = [(row.low, row.high) for row in whole.rows]
        self._sides.append((None, 0))
        self._gaps = [
            (i, upper - lower)
            for i, (lower, upper) in enumerate(self._sides)
            if lower is not None and upper is not None
        ]
        self._one_sided = [i for i, sides in enumerate(self._sides[:-1]) if None in sides]
        self._count = count = len(self._terms)
        self._has_cutoff = False
        # Side ``i`` is the upper one of row ``i``, side ``count + i`` the lower one. Which sides a raised
        # lower bound makes tighter, and a lowered upper bound, by how much for each step.
        self._by_low: list[list[tuple[int, int]]] = [[] for _ in self.low]
        self._by_high: list[list[tuple[int, int]]] = [[] for _ in self.low]
        self._room: list[int | float] = [inf] * (2 * count)
        for i, (terms, (lower, upper)) in enumerate(zip(self._terms, self._sides, strict=True)):
            if upper is not None:
                self._room[i] = upper
                for j, factor in terms:
                    (self._by_low if factor > 0 else self._by_high)[j].append((i, abs(factor)))
            if lower is not None:
                self._room[count + i] = -lower
                for j, factor in terms:
                    (self._by_high if factor > 0 else self._by_low)[j].append((count + i, abs(factor)))
        self._touched = set(range(count - 1))
        self._tighter_by_low = [self._rows_of(sides) for sides in self._by_low]
        self._tighter_by_high = [self._rows_of(sides) for sides in self._by_high]
        self._endless_side = [0] * (2 * count)
        """How many columns lack the end that a side needs; its room is that of the others."""
        self._endless = [0] * count
        """How many columns of a row lack an end."""
        for j in range(len(self.low)):
            self._measure(j, 1)
        self._spread = [self._spread_of(i) for i in range(count)]

    def _rows_of(self, sides: list[tuple[int, int]]) -> tuple[int, ...]:
        """Return the rows of these sides that are in force."""
        rows = [side % self._count for side, _ in sides]
        return tuple([i for i in rows if i < self._count - 1 or self._has_cutoff])

    def _spread_of(self, i: int) -> int | float:
        """Return the most that one column moves the sum of a row."""
        if self._endless[i]:
            return inf
        if self._room[i] == self._room[self._count + i] == inf:
            return 0
        low, high = self.low, self.high
        return max([abs(a) * (high[j] - low[j]) for j, a in self._terms[i]], default=0)  # type: ignore[operator]

    def _measure(self, j: int, times: int) -> None:
        """Take the bounds of a column into account in all sides, or no longer."""
        low, high, room, endless = self.low[j], self.high[j], self._room, self._endless_side
        for side, size in self._by_low[j]:
            if low is None:
                endless[side] += times
            else:
                room[side] -= times * size * low
        for side, size in self._by_high[j]:
            if high is None:
                endless[side] += times
            else:
                room[side] += times * size * high
        if low is None or high is None:
            for i in {side % self._count for side, _ in (*self._by_low[j], *self._by_high[j])}:
                self._endless[i] += times

    def limit(self, most: int) -> None:
        """Let the sum of costs be at most this over every box from now on."""
        last = self._count - 1
        self._room[last] += most - self._sides[last][1]  # type: ignore[operator]
        self._sides[last] = None, most
        if not self._has_cutoff:
            self._has_cutoff = True
            self._tighter_by_low = [self._rows_of(sides) for sides in self._by_low]
            self._tighter_by_high = [self._rows_of(sides) for sides in self._by_high]

    @property
    def lows(self) -> NDArray[np.int64]:
        """The lower bounds as an array, brought up to date."""
        if self._moved:
            self._refresh()
        return self._lows

    @property
    def highs(self) -> NDArray[np.int64]:
        """The upper bounds as an array, brought up to date."""
        if self._moved:
            self._refresh()
        return self._highs

    def take_changed(self) -> list[int]:
        """Return the columns whose bounds changed since the last call."""
        if self._moved:
            self._refresh()
        changed = list(self._changed)
        self._changed.clear()
        return changed

    def _refresh(self) -> None:
        moved = set(self._moved)
        self._moved.clear()
        self._changed |= moved
        columns: Any = list(moved)
        lows: Any = self.low
        highs: Any = self.high
        if self._all_fit:
            self._lows[columns] = [lows[j] for j in columns]
            self._highs[columns] = [highs[j] for j in columns]
        else:
            self._lows[columns] = [_small(lows[j]) for j in columns]
            self._highs[columns] = [_small(highs[j]) for j in columns]

    @property
    def all_fit(self) -> bool:
        """Whether the arrays have all bounds."""
        return self._all_fit

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
        trail, lows, highs, room = self._trail, self.low, self.high, self._room
        while len(trail) > mark:
            j, low, high = trail.pop()
            now_low, now_high = lows[j], highs[j]
            self._moved.append(j)
            if low is None or high is None or now_low is None or now_high is None:
                self._set(j, low, high)
                continue
            if low != now_low:
                by = now_low - low
                for side, size in self._by_low[j]:
                    room[side] += size * by
                lows[j] = low
            if high != now_high:
                by = high - now_high
                for side, size in self._by_high[j]:
                    room[side] += size * by
                highs[j] = high
        self._touched.clear()
        if self._has_cutoff:  # it may have changed since then
            self._touched.add(self._count - 1)

    def change(self, j: int, low: End, high: End) -> None:
        """Set the bounds of a column."""
        before_low, before_high = self.low[j], self.high[j]
        self._trail.append((j, before_low, before_high))
        self._moved.append(j)
        if low != before_low:
            self._touched.update(self._tighter_by_low[j])
        if high != before_high:
            self._touched.update(self._tighter_by_high[j])
        if low is None or high is None or before_low is None or before_high is None:
            self._set(j, low, high)
            return
        room = self._room
        if low != before_low:
            by = low - before_low
            for side, size in self._by_low[j]:
                room[side] -= size * by
            self.low[j] = low
        if high != before_high:
            by = before_high - high
            for side, size in self._by_high[j]:
                room[side] -= size * by
            self.high[j] = high

    def _set(self, j: int, low: End, high: End) -> None:
        self._measure(j, -1)
        self.low[j], self.high[j] = low, high
        self._measure(j, 1)

    def tight_columns(self) -> list[int]:
        """Return the free columns of a row that is not settled yet, one with few; none if all are settled.

        Rows come first of which neither side holds all over the box, such as equations.
        """
        low, high, room, count = self.low, self.high, self._room, self._count
        found, best = list[int](), (3, 0)
        for i, gap in self._gaps:
            sides = 2 if self._endless[i] else (room[i] > gap) + (room[count + i] > gap)
            if sides and (2 - sides) <= best[0]:
                free = [j for j, _ in self._terms[i] if low[j] != high[j]]
                if free and (2 - sides, len(free)) < best:
                    best, found = (2 - sides, len(free)), free
                    if best <= (0, 2):
                        return found  # no row is tighter: a single free column would be fixed by its equation
        if best[0] == 0:
            return found
        for i in self._one_sided:
            terms = [(j, factor) for j, factor in self._terms[i] if low[j] != high[j]]
            if terms and (1, len(terms)) < best:
                reach: int | float = inf
                if not self._endless[i]:
                    reach = sum([abs(a) * (high[j] - low[j]) for j, a in terms])  # type: ignore[operator, misc]
                if reach > min(room[i], room[count + i]):
                    best, found = (1, len(terms)), [j for j, _ in terms]
        return found

    def broken_row(self) -> int | None:
        """Return a row that the least or the greatest sum over the box breaks."""
        endless, count = self._endless_side, self._count
        for side, room in enumerate(self._room):
            if room < 0 and not endless[side] and (side != count - 1 or self._has_cutoff):
                return self._stated(side % count)
        return None

    def _stated(self, i: int) -> int:
        """Return the number of a row in the log."""
        return CUTOFF_ROW if i == self._count - 1 else i

    def propagate(self, entries: Entries) -> bool:
        """Tighten bounds by the rows that changes have touched; return whether the box may have a point.

        Adds to the entries: ``i`` with a row and the bounds that it implies, ``v`` with a row that no point
        of the box obeys, ``e`` with a column whose bounds cross.
        """
        touched, visits, count = self._touched, VISITS * self._count, self._count
        room, spread, endless = self._room, self._spread, self._endless
        while touched and visits:
            visits -= 1
            i = touched.pop()
            changes: list[tuple[int, End, End]] | None
            if endless[i]:
                changes = self._implied_beside_endless(i)
            else:
                below, above, reach = room[i], room[count + i], spread[i]
                if below >= reach and above >= reach:
                    continue
                changes = None if below < 0 or above < 0 else self._implied(i, below, above)
            if changes is None:
                touched.clear()
                entries.append(["v", self._stated(i)])
                return False
            if changes:
                entry: list[Any] = ["i", self._stated(i)]
                crossed = -1
                for change in changes:
                    entry += change
                    j, low, high = change
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

    def _implied(self, i: int, below: int | float, above: int | float) -> list[tuple[int, End, End]]:
        """Return the columns that a row tightens, with their bounds; all its columns have both ends."""
        changes: list[tuple[int, End, End]] = []
        lows, highs, integer = self.low, self.high, self._integer
        low: Any  # whole numbers
        high: Any
        for j, factor in self._terms[i]:
            low, high = lows[j], highs[j]
            if low == high:
                continue
            if factor > 0:
                size, up, down = factor, below, above
            else:
                size, up, down = -factor, above, below
            reach = size * (high - low)
            if up >= reach and down >= reach:
                continue
            if integer[j]:
                new_high = low + up // size if up < reach else high
                new_low = high - down // size if down < reach else low
                changes.append((j, new_low, new_high))
                continue
            new_high = low - -up // size if up < reach else high
            new_low = high + -down // size if down < reach else low
            if (new_high - new_low) * LEAST_SHARE <= (high - low) * (LEAST_SHARE - 1):
                changes.append((j, new_low, new_high))
        return changes

    def _implied_beside_endless(self, i: int) -> list[tuple[int, End, End]] | None:
        """Do the same for a row of which a column has an infinite end, by the sums of all others."""
        below, above = self._room[i], self._room[self._count + i]
        no_least, no_most = self._endless_side[i], self._endless_side[self._count + i]
        lower, upper = self._sides[i]
        has_crossed = lower is not None and upper is not None and lower > upper  # between two whole numbers
        if has_crossed or (below < 0 and not no_least) or (above < 0 and not no_most):
            return None
        changes: list[tuple[int, End, End]] = []
        for j, factor in self._terms[i]:
            low, high = self.low[j], self.high[j]
            first, last = (low, high) if factor > 0 else (high, low)
            new: list[Any] = [None, None]  # of factor * column: at most, at least
            if below != inf and no_least - (first is None) == 0:
                new[0] = below if first is None else below + factor * first
            if above != inf and no_most - (last is None) == 0:
                new[1] = -above if last is None else factor * last - above
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
