"""Points that break one item alone of a set, near a point that does.

Such a point shows that the set needs this item, if the set clashes. A small change of it often breaks another
item in its place (recursive model rotation: Belov and Marques-Silva 2011). Changes also pass through points
that show nothing new, so many times at most: a budget, for example, holds again with one column less, and
then any row may be the one that this column alone was for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator
from math import gcd, lcm
from typing import NamedTuple

from milp_pips.extras.explain.model_items import ModelItem, ModelItems, Values

MOST_CHECKS = 5_000
"""The most checks of an item after a change, beside those that led to a new item: a few milliseconds."""

LARGEST_VALUE = 10**30
"""Changes that need a greater common denominator are left out."""


class Point(NamedTuple):
    """A point that breaks one item: whole numbers over a common denominator; the left side of each item."""

    below: int
    values: dict[int, int]
    sums: dict[int, int]
    broken: int


class _Entry(NamedTuple):
    """An item in which a column occurs, its factor, and the sides of the item."""

    item: int
    factor: int
    low: int | None
    high: int | None
    is_integer: bool


class Rotation:
    """Finds points near others. ``look`` is called now and then, and may raise an error."""

    def __init__(self, items: ModelItems, look: Callable[[], None]):
        self._items, self._look, self._left = items, look, 0
        self.points = list[Point]()
        """The last points: each breaks one item alone."""

    def broken_alone(self, values: Values, kept: Collection[int], known: Collection[int]) -> set[int]:
        """Return items that this point, or points near it, break alone of those kept.

        Those that are ``known`` are not wanted.
        """
        self.points = []
        broken = self._items.broken(values, kept)
        if len(broken) != 1:
            return set()
        self._kept = set(kept)
        self._entries: dict[int, list[_Entry]] = {}
        self._left = MOST_CHECKS
        found, seen = set[int](), set[tuple[int, ...]]()
        self.points.append(self._first(values, *broken))
        waiting = deque(self.points)
        while waiting and self._left > 0:
            self._look()
            point, before = waiting.popleft(), self._left
            if point.broken not in found and point.broken not in known:
                found.add(point.broken)
            for moved in self._moved(point):
                key = (moved.below, *moved.values.values())
                if key not in seen:
                    seen.add(key)
                    self.points.append(moved)
                    is_new = moved.broken not in found and moved.broken not in known
                    (waiting.appendleft if is_new else waiting.append)(moved)
                    if is_new:
                        self._left = before
        return found

    def _first(self, values: Values, broken: int) -> Point:
        below = lcm(*[value.denominator for value in values.values()])
        whole = {j: value.numerator * (below // value.denominator) for j, value in values.items()}
        sums = {}
        for i in self._kept:
            row = self._items.whole[i]
            sums[i] = sum([a * whole[j] for j, a in zip(row.columns, row.factors, strict=True)])
        return Point(below, whole, sums, broken)

    def _moved(self, point: Point) -> Iterator[Point]:
        """Yield points that obey the item which only this one breaks, and break another one alone."""
        row = self._items.whole[point.broken]
        for j, factor in zip(row.columns, row.factors, strict=True):
            for step, times in self._steps(point, j, factor):
                broken = self._broken_by(point, j, step, times)
                if broken is None:
                    continue
                below, values, sums = point.below, point.values, point.sums
                if times > 1:
                    below *= times
                    values = {k: times * value for k, value in values.items()}
                    sums = {k: times * total for k, total in sums.items()}
                else:
                    values, sums = dict(values), dict(sums)
                values[j] += step
                for entry in self._of(j):
                    sums[entry.item] += entry.factor * step
                yield Point(below, values, sums, broken)

    def _steps(self, point: Point, j: int, factor: int) -> Iterator[tuple[int, int]]:
        """Yield steps of a column by which the broken item holds, and by what all has to be multiplied."""
        below, i = point.below, point.broken
        if self._items.items[i].kind == "integer":
            down = point.values[j] % below
            yield from ((-down, 1), (below - down, 1))
            return
        if not factor:
            return
        row, total = self._items.whole[i], point.sums[i]
        by = row.low * below - total if row.low is not None else 0
        if by <= 0 and row.high is not None:
            by = min(0, row.high * below - total)
        is_integer = self._items.number_of.get(ModelItem("integer", j)) in self._kept
        size = abs(factor) * below
        if is_integer:
            steps = -(-abs(by) // size) * below  # away from zero: more than enough
            yield (steps if (by > 0) == (factor > 0) else -steps), 1
        times = abs(factor) // gcd(by, factor)  # just enough: if that is not whole, integrality is broken
        if (by % size or not is_integer) and below * times < LARGEST_VALUE:
            yield by * times // factor, times

    def _broken_by(self, point: Point, j: int, step: int, times: int) -> int | None:
        """Return the only item that does not hold after a step of a column; None if there is no such item."""
        found, sums, below = None, point.sums, point.below * times
        entries = self._of(j)
        self._left -= len(entries)
        for item, factor, low, high, is_integer in entries:
            if is_integer:
                is_broken = (point.values[j] * times + step) % below != 0
            else:
                total = sums[item] * times + factor * step
                is_broken = (low is not None and total < low * below) or (
                    high is not None and total > high * below
                )
            if is_broken:
                if found is not None:
                    return None
                found = item
        return found

    def _of(self, j: int) -> list[_Entry]:
        """Return the kept items in which a column occurs."""
        if j not in self._entries:
            found = []
            for i in self._items.of_column[j]:
                if i in self._kept:
                    row, kind = self._items.whole[i], self._items.items[i].kind
                    factor = row.factors[row.columns.index(j)]
                    found.append(_Entry(i, factor, row.low, row.high, kind == "integer"))
            self._entries[j] = found
        return self._entries[j]
