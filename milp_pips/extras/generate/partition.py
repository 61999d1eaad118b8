"""Divide a board of rows and columns into connected regions of given sizes, at random."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from milp_pips.render.vocabulary import Place, connected_parts, neighbours

if TYPE_CHECKING:
    from milp_pips.problem.rng import RandomGenerator

REDRAWS_PER_CELL = 60
"""The number of repair rounds for each cell that is left over; a round redraws the regions around a cell."""


def divisible(cells: Sequence[Place], sizes: Sequence[int]) -> bool:
    """Return whether the size of every connected part is a sum of the given sizes."""
    largest = max(sizes)
    for part in connected_parts(cells):
        reached = [True] + [False] * len(part)
        for n in range(1, len(part) + 1):
            reached[n] = any(reached[n - size] for size in sizes if size <= min(n, largest))
        if not reached[-1]:
            return False
    return True


def partition(
    cells: Sequence[Place], sizes: Sequence[int] | Mapping[int, int], rng: RandomGenerator
) -> list[list[Place]] | None:
    """Return connected regions of the given sizes that cover the cells, or None if none were found.

    Sizes may have weights, by which they are drawn; otherwise all are equally likely.

    Regions are grown in the order of the cells. If cells are left over, the regions around one of them are
    dissolved and regrown. The change is kept if it leaves no more cells over than before.
    """
    division = _Division(cells, sizes if isinstance(sizes, Mapping) else dict.fromkeys(sizes, 1), rng)
    left = division.fill(cells)
    for _ in range(REDRAWS_PER_CELL * len(left)):
        if not left:
            break
        left = division.repair(left)
    return None if left else list(division.regions.values())


class _Division:
    """A division in progress: regions by number, the region number of each cell, and the free cells."""

    def __init__(self, cells: Sequence[Place], sizes: Mapping[int, int], rng: RandomGenerator):
        self._sizes, self._rng = sizes, rng
        self._free = dict.fromkeys(cells, True)
        self._region_of: dict[Place, int] = {}
        self._next = 0
        self.regions: dict[int, list[Place]] = {}

    def fill(self, order: Iterable[Place]) -> list[Place]:
        """Grow regions from these cells in order, and return the cells that are left over."""
        left = []
        for start in order:
            if self._free[start]:
                region = self._connected_region(start, self._rng.weighted_choice(self._sizes))
                fitting = max((size for size in self._sizes if size <= len(region)), default=0)
                if fitting:
                    self._take(region[:fitting])
                else:
                    left.append(start)
        return [cell for cell in left if self._free[cell]]

    def repair(self, left: list[Place]) -> list[Place]:
        """Dissolve the regions around one leftover cell, grow new ones, and return the leftover cells."""
        start = self._rng.choice(left)
        beside = [cell for cell in neighbours(start) if cell in self._region_of]
        numbers = list(dict.fromkeys(self._region_of[cell] for cell in beside))
        if not numbers:
            return left
        old = [self.regions[number] for number in numbers]
        self._dissolve(numbers)
        first_new = self._next
        # Grow from the leftover cell first, then from the dissolved cells in random order.
        touched = dict.fromkeys([start, *self._rng.shuffled(cell for cells in old for cell in cells)])
        now = self.fill([*touched, *(cell for cell in left if cell not in touched)])
        if len(now) <= len(left):
            return now
        # More cells are left over than before: restore the old regions.
        self._dissolve(range(first_new, self._next))
        for region in old:
            self._take(region)
        return left

    def _dissolve(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            for cell in self.regions.pop(number):
                del self._region_of[cell]
                self._free[cell] = True

    def _connected_region(self, start: Place, size: int) -> list[Place]:
        """Return a random connected region of free cells, smaller than ``size`` only if it cannot grow."""
        region, seen = [start], {start}
        rim = [other for other in neighbours(start) if self._free.get(other)]
        seen.update(rim)
        while rim and len(region) < size:
            chosen = self._rng.integer(len(rim))
            rim[chosen], rim[-1] = rim[-1], rim[chosen]
            cell = rim.pop()
            region.append(cell)
            fresh = [other for other in neighbours(cell) if self._free.get(other) and other not in seen]
            seen.update(fresh)
            rim += fresh
        return region

    def _take(self, region: list[Place]) -> None:
        for cell in region:
            self._free[cell] = False
            self._region_of[cell] = self._next
        self.regions[self._next] = region
        self._next += 1
