"""Confidence intervals that assume nothing about how times are distributed, nor that all are known."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from milp_pips.reporting.profiles import SHORTEST


class Interval(NamedTuple):
    """A median with the ends of its confidence interval; infinite where a time is not known."""

    median: float
    low: float
    high: float


class Comparison(NamedTuple):
    """How many times as long the first takes as the second, over the same instances.

    ``ratio`` is the median of the ratios with its interval. ``first`` and ``second`` count the instances on
    which the one or the other was quicker, ``neither`` those that neither solved: they say nothing, and are
    in no ratio.
    """

    ratio: Interval
    first: int
    second: int
    neither: int


def median_interval(values: ArrayLike, confidence: float = 0.95) -> Interval:
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
    rank = _outer_rank(count, confidence)
    median = float(np.median(ordered))
    if rank == 0:
        return Interval(median, 0.0, math.inf)
    return Interval(median, float(ordered[rank - 1]), float(ordered[count - rank]))


def _outer_rank(count: int, confidence: float) -> int:
    """Return the largest r with P(Binomial(count, 1/2) < r) <= (1 - confidence) / 2; 0 for none."""
    allowed, tail = (1 - confidence) / 2, 0.0
    for rank in range(count // 2 + 1):
        logarithm = math.lgamma(count + 1) - math.lgamma(rank + 1) - math.lgamma(count - rank + 1)
        tail += math.exp(logarithm - count * math.log(2))
        if tail > allowed:
            return rank
    return count // 2


def compare_times(first: ArrayLike, second: ArrayLike, confidence: float = 0.95) -> Comparison:
    """Compare two columns of times of the same instances by the median of their ratios.

    Infinity is a time that was not reached: the ratio is then infinite or zero, which is beyond every known
    ratio whatever the limit was. Times of zero count as one microsecond.
    """
    a = np.maximum(np.asarray(first, dtype=float), SHORTEST)
    b = np.maximum(np.asarray(second, dtype=float), SHORTEST)
    known = np.isfinite(a) | np.isfinite(b)
    a, b = a[known], b[known]
    ratios = np.divide(a, b, out=np.zeros_like(a), where=np.isfinite(b))
    return Comparison(
        median_interval(ratios, confidence), int((a < b).sum()), int((b < a).sum()), int((~known).sum())
    )
