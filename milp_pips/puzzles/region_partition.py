"""Divide a board of rows and columns into connected regions of wanted sizes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from milp_pips.problem.rng import RandomGenerator

Place: TypeAlias = tuple[int, int]
"""A cell of a grid: row and column."""

REPAIRS = 60
"""How often, for each cell left over, the regions around one are drawn anew."""


def near(cell: Place) -> tuple[Place, Place, Place, Place]:
    """Return the four cells that share a side with this one, on the board or not."""
    row, column = cell
    return (row, column + 1), (row + 1, column), (row, column - 1), (row - 1, column)


def divisible(cells: Sequence[Place], sizes: Sequence[int]) -> bool:
    """Whether the number of cells of each connected part is a sum of the sizes."""
    largest = max(sizes)
    for part in connected_parts(cells):
        reached = [True] + [False] * len(part)
        for n in range(1, len(part) + 1):
            reached[n] = any(reached[n - size] for size in sizes if size <= min(n, largest))
        if not reached[-1]:
            return False
    return True


def connected_parts(cells: Iterable[Place]) -> list[list[Place]]:
    """Return the connected parts of the cells, each in the order in which it was walked."""
    left = dict.fromkeys(cells)
    parts = []
    for start in list(left):
        if start not in left:
            continue
        del left[start]
        part = [start]
        for cell in part:  # grows on the way
            for other in near(cell):
                if other in left:
                    del left[other]
                    part.append(other)
        parts.append(part)
    return parts


def partition(cells: Sequence[Place], sizes: Sequence[int], rng: RandomGenerator) -> list[list[Place]] | None:
    """Return connected regions that cover the cells, their sizes among those wanted; None without luck.

    Regions are grown in the order of the cells. Where cells are left over, the regions around them are
    dissolved and grown anew, as long as that leaves fewer cells over or as many.
    """
    division = _Division(cells, sizes, rng)
    left = division.fill(cells)
    for _ in range(REPAIRS * len(left)):
        if not left:
            break
        left = division.repair(left)
    return None if left else list(division.regions.values())


class _Division:
    """Regions by number, the number of each cell's region, and the cells that are free."""

    def __init__(self, cells: Sequence[Place], sizes: Sequence[int], rng: RandomGenerator):
        self._sizes, self._rng = sizes, rng
        self._free = dict.fromkeys(cells, True)
        self._region_of: dict[Place, int] = {}
        self._next = 0
        self.regions: dict[int, list[Place]] = {}

    def fill(self, order: Iterable[Place]) -> list[Place]:
        """Grow regions from these cells on, and return the cells that are left over."""
        left = []
        for start in order:
            if self._free[start]:
                region = self._connected_region(start, self._rng.choice(self._sizes))
                fitting = max((size for size in self._sizes if size <= len(region)), default=0)
                if fitting:
                    self._take(region[:fitting])
                else:
                    left.append(start)
        return [cell for cell in left if self._free[cell]]

    def repair(self, left: list[Place]) -> list[Place]:
        """Dissolve the regions around one of the cells left over, grow others, and return what is left."""
        start = self._rng.choice(left)
        numbers = list(dict.fromkeys(self._region_of[c] for c in near(start) if c in self._region_of))
        if not numbers:
            return left
        old = [self.regions[number] for number in numbers]
        self._dissolve(numbers)
        first_new = self._next
        touched = dict.fromkeys([start, *self._rng.shuffled(cell for cells in old for cell in cells)])
        now = self.fill([*touched, *(cell for cell in left if cell not in touched)])
        if len(now) <= len(left):
            return now
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
        region, seen = [start], {start}
        rim = [other for other in near(start) if self._free.get(other)]
        seen.update(rim)
        while rim and len(region) < size:
            chosen = self._rng.integer(len(rim))
            rim[chosen], rim[-1] = rim[-1], rim[chosen]
            cell = rim.pop()
            region.append(cell)
            fresh = [other for other in near(cell) if self._free.get(other) and other not in seen]
            seen.update(fresh)
            rim += fresh
        return region

    def _take(self, region: list[Place]) -> None:
        for cell in region:
            self._free[cell] = False
            self._region_of[cell] = self._next
        self.regions[self._next] = region
        self._next += 1
