"""Several configurations at once: average ranks, and which of them the puzzles tell apart (Demšar 2006)."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from milp_pips.compare.inference import ERROR


class Ranking(NamedTuple):
    """Average ranks over puzzles, one for each configuration, and what they say.

    ``p`` is that of the Friedman test: how likely so different ranks are where all are alike. Two whose
    ranks are at least the ``difference`` apart differ; the ``groups`` are the largest sets, each with the
    best rank first, in which no two do. Where the test finds nothing, all are one group. Ranks are nan
    without a puzzle.
    """

    ranks: NDArray[np.float64]
    p: float
    difference: float
    groups: tuple[tuple[int, ...], ...]


def ranking(times: NDArray[np.float64]) -> Ranking:
    """Return the average ranks of the columns over the rows, of which infinite ones share the last ranks.

    This is what a critical-difference diagram shows (Demšar, *Statistical comparisons of classifiers over
    multiple data sets*, 2006): the Friedman test, with its correction for ties, then the Nemenyi test.
    """
    count, several = times.shape
    if not count:
        return Ranking(np.full(several, math.nan), 1.0, math.inf, ())
    table = ranks(times)
    found = table.mean(axis=0)
    p = friedman(table)
    difference = critical_difference(several, count)
    order = np.argsort(found, kind="stable")
    if p >= ERROR:
        groups = [tuple(order.tolist())]
    else:
        ends = np.searchsorted(found[order], found[order] + difference)
        groups = [
            tuple(order[start:end].tolist())
            for start, end in enumerate(ends)
            if not start or end > ends[start - 1]
        ]
    return Ranking(found, p, difference, tuple(group for group in groups if len(group) > 1))


def ranks(times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rank of each time in its row, 1 for the least; equal ones share the mean of theirs."""
    columns = [(times < one).sum(axis=1) + ((times == one).sum(axis=1) + 1) / 2 for one in times.T[..., None]]
    return np.array(columns).T


def friedman(table: NDArray[np.float64]) -> float:
    """Return the p-value of the Friedman test from the ranks of each row (Conover 1999, section 5.8).

    It is by the chi-squared distribution, which is near enough from about ten rows on. Where all are tied it
    is 1.
    """
    several = table.shape[1]
    off = table - (several + 1) / 2
    spread = float((off**2).sum())
    if not spread:
        return 1.0
    return _chi_squared_beyond((several - 1) * float((off.sum(axis=0) ** 2).sum()) / spread, several - 1)


def _chi_squared_beyond(value: float, freedom: int) -> float:
    """Return the chance of a greater value (Abramowitz and Stegun 1964, 26.4.4 and 26.4.5)."""
    half = value / 2
    if not half:
        return 1.0
    powers = [n / 2 for n in range(freedom - 2, -1, -2)]
    terms = (math.exp(power * math.log(half) - half - math.lgamma(power + 1)) for power in powers)
    return min(1.0, sum(terms) + (math.erfc(math.sqrt(half)) if freedom % 2 else 0.0))


def critical_difference(several: int, count: int) -> float:
    """Return how far apart average ranks must be to differ, by the Nemenyi test with an error of 5 %.

    There are so many configurations, and so many puzzles.
    """
    studentised = _range_quantile(several, 1 - ERROR) if several > 1 else 0.0
    return studentised / math.sqrt(2) * math.sqrt(several * (several + 1) / (6 * count))


@cache
def _range_quantile(several: int, share: float) -> float:
    """Return what the range of so many standard normal values stays below in this share of cases.

    It is the quantile of the studentised range with infinite degrees of freedom: the least value lies at some
    z, the others within the range above it; the integral over z is summed on a grid.
    """
    normal, grid = NormalDist(), np.linspace(-9, 9, 3601)
    density, below = (np.array([of(z) for z in grid.tolist()]) for of in (normal.pdf, normal.cdf))
    low, high = 0.0, 18.0
    for _ in range(40):
        middle = (low + high) / 2
        within = np.interp(grid + middle, grid, below, right=1.0) - below
        reached = several * float((density * within ** (several - 1)).sum()) * (grid[1] - grid[0])
        low, high = (middle, high) if reached < share else (low, middle)
    return low
