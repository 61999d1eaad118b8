"""What is asked of a tree, the points that it found, and the cutoff that follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, inf
from typing import NamedTuple

from milp_pips.enumeration.whole import WholeModel
from milp_pips.formulations.exact import Number, size

Key = tuple[Number, ...]
"""The values of the chosen columns."""


@dataclass(frozen=True, slots=True)
class TreeQuery:
    """What is asked of a tree.

    Parameters
    ----------
    chosen
        The integer columns in which solutions differ; None for all integer columns.
    within
        How far from the optimum a solution may be, in units of the objective; None for all solutions.
    within_relative
        The same as a share of the optimum's absolute value; both together add up.
    best
        The number of best solutions that are asked for; None for all.
    """

    chosen: tuple[int, ...] | None = None
    within: Number | None = None
    within_relative: Number | None = None
    best: int | None = None

    @property
    def has_cutoff(self) -> bool:
        """Whether the objective excludes solutions."""
        return self.is_near or self.best is not None

    @property
    def is_near(self) -> bool:
        """Whether solutions are wanted within a distance of the optimum."""
        return self.within is not None or self.within_relative is not None


class Point(NamedTuple):
    """An exactly judged point: the values of all columns, the value of the objective, and its number."""

    values: tuple[Number, ...]
    value: Number
    number: int


def nearest_float(number: Number) -> float:
    """Return the nearest float, infinite for what is beyond all of them."""
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


class Cutoff(NamedTuple):
    """The sum of costs ``over / under`` above which nothing is wanted; if ``closed``, from which on."""

    over: int
    under: int
    closed: bool

    @property
    def nearest(self) -> float:
        """The nearest float of the cutoff."""
        return nearest_float(Fraction(self.over, self.under))

    @property
    def most(self) -> int:
        """The least whole number that no wanted sum of costs exceeds."""
        return -(-self.over // self.under)

    def excludes(self, cost: Number) -> bool:
        """Return whether a sum of costs is not wanted."""
        return cost * self.under + self.closed > self.over if cost.denominator == 1 else self._excludes(cost)

    def _excludes(self, cost: Number) -> bool:
        limit = Fraction(self.over, self.under)
        return cost >= limit if self.closed else cost > limit

    def excludes_bound(self, bound: int, scale: int) -> bool:
        """Return whether all that is at least ``bound / scale`` is not wanted."""
        return bound * self.under + self.closed > scale * self.over


class Limit(NamedTuple):
    """A cutoff, and the least sum of costs of a point."""

    cut: Cutoff | None = None
    best: Number | None = None


NO_LIMIT = Limit()


class TreePoints:
    """The points that count, and the cutoff. A better point lowers it, and excludes others.

    ``cut`` is None as long as nothing is excluded, ``best`` the least sum of costs of a point. ``kept`` has
    the points that count, by their chosen columns; ``count`` is the number of the next one. A part of a tree
    begins with the cutoff of the whole.
    """

    def __init__(self, whole: WholeModel, query: TreeQuery, limit: Limit = NO_LIMIT):
        self.whole, self._query = whole, query
        integers = [j for j, integer in enumerate(whole.integer) if integer]
        self.chosen: Sequence[int] = integers if query.chosen is None else list(query.chosen)
        self.cut, self.best = limit
        self.count = 0
        self.kept: dict[Key, Point] = {}
        self._found: dict[Key, tuple[Number, int]] = {}
        self._near: Cutoff | None = None

    def known(self, values: Sequence[Number]) -> tuple[Number, int] | None:
        """Return cost and number of the best known point with these chosen columns; None if there is none."""
        return self._found.get(self.key_of(values))

    def is_new(self, values: Sequence[Number], cost: Number) -> bool:
        """Return whether a point is wanted and new, or better than the known one with its chosen columns."""
        if self.cut is not None and self.cut.excludes(cost):
            return False
        known = self.known(values)
        return known is None or (self._query.has_cutoff and cost < known[0])

    @property
    def limit(self) -> Limit:
        """The cutoff, and the least sum of costs."""
        return Limit(self.cut, self.best)

    def key_of(self, values: Sequence[Number]) -> Key:
        """Return the values of the chosen columns."""
        return tuple([values[j] for j in self.chosen])

    def take_stated(self, values: Sequence[Number]) -> Point | None:
        """Take a point as it is stated, the next one; return None if it is not wanted, or not new."""
        scaled = [value * unit for value, unit in zip(values, self.whole.unit, strict=True)]
        cost = self.whole.cost_at(scaled)
        if self.is_new(scaled, cost):
            return self.take(scaled, cost)
        self.count += 1
        return None

    def take(self, values: Sequence[Number], cost: Number) -> Point:
        """Take a new point, in units of the columns, and lower the cutoff."""
        whole, key, number = self.whole, self.key_of(values), self.count
        self.count += 1
        exact = [v if unit == 1 else Fraction(v) / unit for v, unit in zip(values, whole.unit, strict=True)]
        self._found[key] = cost, number
        self.kept[key] = point = Point(tuple(exact), whole.value_of(cost), number)
        if self._query.has_cutoff:
            self._lower(cost)
        return point

    def _lower(self, cost: Number) -> None:
        query, found = self._query, self._found
        if self.best is None or cost < self.best:
            self.best = cost
            if query.is_near:
                share = size(self.whole.value_of(cost)) * Fraction(query.within_relative or 0)
                limit = Fraction(cost) + (Fraction(query.within or 0) + share) / self.whole.price
                self.cut = self._near = near = self._cutoff(limit, closed=False)
                self.kept = {key: p for key, p in self.kept.items() if not near.excludes(found[key][0])}
        if query.best is not None:
            order = sorted(self.kept, key=lambda key: Fraction(found[key][0]))
            for key in order[query.best :]:  # of equals, the last go
                del self.kept[key]
            if len(order) >= query.best:
                self.cut = self._cutoff(found[order[query.best - 1]][0], closed=True)

    def _cutoff(self, limit: Number, *, closed: bool) -> Cutoff:
        """Return the cutoff at a sum of costs, rounded if all such sums are whole."""
        limit = Fraction(limit)
        if self.whole.has_whole_values:
            return Cutoff(ceil(limit) - 1 if closed else floor(limit), 1, closed=False)
        return Cutoff(limit.numerator, limit.denominator, closed)
