"""Which column to branch on: pseudo-costs (Bénichou et al. 1971), which trials make reliable.

A pseudo-cost says by how much the bound of a child grew for each unit by which its branch moved a column. A
column that has seen few branches is tried first: both children are solved for a few iterations (Achterberg,
Koch, Martin 2005).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor
from typing import NamedTuple

RELIABLE = 2
"""A pseudo-cost is believed after so many branches."""

SMALL = 1e-6
"""The least gain that counts, so that a child without gain does not hide that of the other."""


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


def halves(low: int, high: int, value: float) -> list[tuple[int, int]]:
    """Return the ranges below and above a fractional value, the nearer one first."""
    middle = floor(value)
    below, above = (low, middle), (middle + 1, high)
    return [below, above] if value - middle < 0.5 else [above, below]


def around(low: int, high: int, value: float) -> list[tuple[int, int]]:
    """Return a whole value as a range of its own, first, and the ranges below and above it."""
    nearest = min(max(round(value), low), high)
    ranges = [(nearest, nearest), (low, nearest - 1), (nearest + 1, high)]
    return [(first, last) for first, last in ranges if first <= last]


def most_promising(candidates: Sequence[int], vertex: Sequence[float], costs: PseudoCosts) -> list[int]:
    """Return the candidates in the order of their scores."""
    return sorted(candidates, key=lambda j: -costs.score(j, vertex[j]))
