"""Statistical inference: confidence intervals, sign tests, ranks, and how many puzzles a test needs."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

RESAMPLES = 2000
"""The number of bootstrap samples: the ends of an interval then vary by a few hundredths of its width."""

ERROR, POWER = 0.05, 0.8
"""The conventional error of the first kind, and the conventional power of a test."""

MIN_PUZZLES = 6
"""The least number of puzzles for a 95 % interval: the sign test gives none for fewer either."""

INTERVAL_CONFIDENCE = 0.95
"""The conventional confidence of an interval."""

NUMBERS_PER_DRAW = 2**20
"""Roughly how many numbers are drawn at once, which bounds the memory."""


class Interval(NamedTuple):
    """A median with the ends of its confidence interval; infinite if a time is unknown."""

    median: float
    low: float
    high: float


def bootstrap_interval(
    values: ArrayLike, confidence: float = INTERVAL_CONFIDENCE, resamples: int = RESAMPLES
) -> tuple[float, float]:
    """Return a confidence interval for the mean of the population from which the values were drawn.

    It is the percentile interval of the means of bootstrap samples (Efron 1979). The result is reproducible
    and independent of the order of the values. With fewer than six values the ends are infinite.
    """
    ordered = np.sort(np.asarray(values, dtype=float))
    if len(ordered) < MIN_PUZZLES:
        return -math.inf, math.inf
    rng = np.random.default_rng(0)
    count = len(ordered)
    step = max(1, NUMBERS_PER_DRAW // count)
    sizes = [min(step, resamples - done) for done in range(0, resamples, step)]
    means = [ordered[rng.integers(count, size=(size, count))].mean(axis=1) for size in sizes]
    low, high = np.quantile(np.concatenate(means), [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def median_interval(values: ArrayLike, confidence: float = INTERVAL_CONFIDENCE) -> Interval:
    """Return the median and a confidence interval for it.

    The interval runs from one value of the sorted sample to another: the innermost pair for which the sign
    test still gives the confidence, whatever the distribution (Conover, Practical Nonparametric Statistics,
    3rd ed. 1999, section 3.2). Only the order of the values counts, so infinity can stand for a time that was
    not reached. With too few values for the confidence (fewer than 6 for 95 %), the ends are zero and
    infinity. Values must not be negative.
    """
    ordered = np.sort(np.asarray(values, dtype=float))
    count = len(ordered)
    if not count:
        return Interval(math.nan, 0.0, math.inf)
    # The largest rank r with P(Binomial(count, 1/2) < r) <= (1 - confidence) / 2; 0 for none.
    allowed, tail, rank = (1 - confidence) / 2, 0.0, -1
    while tail <= allowed:
        rank += 1
        logarithm = math.lgamma(count + 1) - math.lgamma(rank + 1) - math.lgamma(count - rank + 1)
        tail += math.exp(logarithm - count * math.log(2))
    median = float(np.median(ordered))
    if rank == 0:
        return Interval(median, 0.0, math.inf)
    return Interval(median, float(ordered[rank - 1]), float(ordered[count - rank]))


def sign_test(quicker: int, slower: int) -> float:
    """Return the probability of a split at least this uneven if both sides are equally likely.

    It is the two-sided p-value of the sign test (Arbuthnott 1710; Conover 1999, section 3.4): exact, and
    without an assumption on times. Ties are left out; without any pair it is 1.
    """
    count, fewer = quicker + slower, min(quicker, slower)
    tail = 0.0
    for rank in range(fewer + 1):
        ways = math.lgamma(count + 1) - math.lgamma(rank + 1) - math.lgamma(count - rank + 1)
        tail += math.exp(ways - count * math.log(2))
    return min(1.0, 2 * tail)


def holm(values: Sequence[float]) -> list[float]:
    """Return p-values of several tests, each corrected for multiple testing (Holm 1979).

    Each keeps its place. Together, those below an error are wrong no more often than that error.
    """
    found = [0.0] * len(values)
    worst = 0.0
    for rank, number in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        worst = max(worst, min(1.0, (len(values) - rank) * values[number]))
        found[number] = worst
    return found


def puzzles_needed(quicker: int, slower: int, neither: int = 0) -> float:
    """Return how many similar puzzles a sign test needs to distinguish the two; infinite if none are enough.

    This holds for an error of 5 % and a power of 80 %, if the share of puzzles on which one is quicker is as
    observed (Noether, *Sample size determination for some common nonparametric tests*, 1987), and so is the
    share on which neither is. It is nan if nothing was observed.
    """
    decided = quicker + slower
    if not decided:
        return math.nan
    uneven = abs(quicker / decided - 0.5)
    if not uneven:
        return math.inf
    normal = NormalDist()
    quantiles = normal.inv_cdf(1 - ERROR / 2) + normal.inv_cdf(POWER)
    return math.ceil(quantiles**2 / (4 * uneven**2) * (decided + neither) / decided)


def ranks(times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rank of each time in its row, 1 for the least; equal times share the mean of their ranks.

    Infinite times of unsolved instances therefore share the last ranks.
    """
    columns = [(times < one).sum(axis=1) + ((times == one).sum(axis=1) + 1) / 2 for one in times.T[..., None]]
    return np.array(columns).T


def similar_groups(order: Sequence[int], apart: Collection[frozenset[int]]) -> list[tuple[int, ...]]:
    """Return the longest runs of a ranking, of two at least, in which no pair differs significantly.

    They are the bars of a critical-difference diagram (Demšar, *Statistical comparisons of classifiers over
    multiple data sets*, 2006). ``order`` is the ranking, and ``apart`` holds the pairs that differ.
    """
    starts: list[int | None] = []
    start = 0
    for end, last in enumerate(order):
        while any(frozenset((last, other)) in apart for other in order[start:end]):
            start += 1
        starts.append(start)
    ends = enumerate(zip(starts, [*starts[1:], None], strict=True), 1)
    return [tuple(order[a:end]) for end, (a, following) in ends if a != following and len(order[a:end]) > 1]
