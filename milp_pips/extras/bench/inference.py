"""How sure a figure is, and whether two configurations differ: by resampling, and by the order of times."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

RESAMPLES = 2000
"""How many samples are drawn anew: the ends of an interval then move by some hundredths of its width."""

ERROR, POWER = 0.05, 0.8
"""How often a difference may be seen where there is none, and must be where there is one, as is usual."""

MIN_PUZZLES = 6
"""Of fewer puzzles no 95 % interval is given: the sign test gives none either."""

INTERVAL_CONFIDENCE = 0.95
"""How sure an interval is, as is usual."""

NUMBERS_PER_DRAW = 2**20
"""About how many numbers are drawn at once, so that memory stays small."""


class Interval(NamedTuple):
    """A median with the ends of its confidence interval; infinite where a time is not known."""

    median: float
    low: float
    high: float


def bootstrap_interval(
    values: ArrayLike, confidence: float = INTERVAL_CONFIDENCE, resamples: int = RESAMPLES
) -> tuple[float, float]:
    """Return a confidence interval for the mean of the population that the values were drawn from.

    It is the percentile interval of means of samples drawn anew with replacement (Efron 1979), the same each
    time and in whatever order the values come. With fewer than six values nothing is known: the ends are
    infinite.
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

    The interval runs from one value of the sorted sample to another, the innermost pair for which the sign
    test still gives the confidence, whatever the distribution (Conover, Practical Nonparametric Statistics,
    3rd ed. 1999, section 3.2). Only the order of the values counts, so infinity stands for a time that was
    not reached. With too few values for the confidence (fewer than 6 for 95 %), the ends are infinite, and
    zero: nothing is known. Values must not be negative.
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
    """Return how likely so uneven a split is, or a more uneven one, where each side is as likely.

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
    """Return p-values of several tests, each corrected for there being several (Holm 1979).

    Each comes in its place. Those below an error are, together, wrong no more often than that.
    """
    found = [0.0] * len(values)
    worst = 0.0
    for rank, number in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        worst = max(worst, min(1.0, (len(values) - rank) * values[number]))
        found[number] = worst
    return found


def puzzles_needed(quicker: int, slower: int, neither: int = 0) -> float:
    """Return how many puzzles like these a sign test needs to tell the two apart, infinite if none would do.

    That is with an error of 5 % and a power of 80 %, if the share of puzzles on which the one is quicker is
    as seen (Noether, *Sample size determination for some common nonparametric tests*, 1987), and the share
    on which neither is. Not a number where nothing was seen.
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
    """Return the rank of each time in its row, 1 for the least; equal ones share the mean of theirs.

    So infinite times, of what was not solved, share the last ranks.
    """
    columns = [(times < one).sum(axis=1) + ((times == one).sum(axis=1) + 1) / 2 for one in times.T[..., None]]
    return np.array(columns).T


def alike(order: Sequence[int], apart: Collection[frozenset[int]]) -> list[tuple[int, ...]]:
    """Return the longest stretches of a ranking in which no pair is told apart, of two at least.

    They are the bars of a critical-difference diagram (Demšar, *Statistical comparisons of classifiers over
    multiple data sets*, 2006). ``order`` is the ranking, and ``apart`` are the pairs that are told apart.
    """
    starts: list[int | None] = []
    start = 0
    for end, last in enumerate(order):
        while any(frozenset((last, other)) in apart for other in order[start:end]):
            start += 1
        starts.append(start)
    ends = enumerate(zip(starts, [*starts[1:], None], strict=True), 1)
    return [tuple(order[a:end]) for end, (a, following) in ends if a != following and len(order[a:end]) > 1]
