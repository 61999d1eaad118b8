"""A mean of very uneven numbers and where the true one lies, with 95 % confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, floor, inf, log, sqrt
from statistics import NormalDist, fmean, stdev
from typing import Any

ESTIMATE_CONFIDENCE = 0.95

MIN_SAMPLES = 8
"""Fewer samples than that say too little about how uneven they are."""

UNKNOWN_LOG_FACTOR = 600.0
"""The logarithm of a factor that says that nothing is known."""

IN_FULL = 10**6
"""Numbers below are written in full."""

SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number that was estimated by random samples, and the ends of its interval of 95 % confidence.

    With no samples, the number is exact: chance had no part in it.
    """

    value: int
    low: int
    high: int
    samples: int

    def at_least(self, bound: int) -> Estimate:
        """Return what is left of the estimate when the number is proved to be no less than the bound."""
        return Estimate(max(self.value, bound), max(self.low, bound), max(self.high, bound), self.samples)

    def to_json(self) -> dict[str, Any]:
        """Return the estimate as JSON-ready data."""
        return {"value": self.value, "low": self.low, "high": self.high, "samples": self.samples}

    def __str__(self) -> str:
        if not self.samples:
            return f"exactly {self.value:,}"
        low, high = written(self.low), written(self.high)
        shared = high[high.index(" × ") :] if " × " in high else ""
        between = f"{low.removesuffix(shared)} to {high}"
        return f"about {written(self.value)} (95 %: {between}, {self.samples} samples)"


def written(number: int) -> str:
    """Return a number that is not negative with two digits and a power of ten; a small one in full."""
    if number < IN_FULL:
        return f"{number:,}"
    exponent = len(str(number)) - 1
    tenths = (number + 10 ** (exponent - 1) // 2) // 10 ** (exponent - 1)
    if tenths == 100:
        tenths, exponent = 10, exponent + 1
    return f"{tenths // 10}.{tenths % 10} × 10{str(exponent).translate(SUPERSCRIPT)}"


def estimated(samples: Sequence[Fraction]) -> Estimate:
    """Return the mean of independent samples, not all of them zero, with its interval of confidence.

    The interval holds two others: that of the mean by Student's t on a logarithmic scale, and that of a
    lognormal variable of which some samples are zero, after Cox (Land 1972) with Student's t (Olsson 2005).
    Where samples are skewed, the mean of a few is too small most of the time and the first interval with it;
    where they are not, the second need not hold the mean. ``benchmarks/estimating.py`` says how often both
    together hold the truth. Raises ValueError for fewer than two samples, or none that is positive.
    """
    count, mean = len(samples), sum(samples, Fraction(0)) / len(samples)
    if count < 2 or not mean:
        raise ValueError("too few samples")
    ratios = [float(sample / mean) for sample in samples]
    half = student(count - 1) * stdev(ratios) / sqrt(count)
    low, high = -half, half
    logarithms = [log(ratio) for ratio in ratios if ratio]
    positive = len(logarithms)
    if positive > 1:
        variance = stdev(logarithms) ** 2
        centre = fmean(logarithms) + variance / 2 + log(positive / count)
        error = variance / positive + variance**2 / (2 * (positive - 1)) + (1 - positive / count) / positive
        half = student(positive - 1) * sqrt(error)
        low, high = min(low, centre - half), max(high, centre + half)
    else:
        low, high = -inf, UNKNOWN_LOG_FACTOR
    return Estimate(
        round(mean),
        floor(mean * Fraction(exp(max(low, -UNKNOWN_LOG_FACTOR)))),
        ceil(mean * Fraction(exp(min(high, UNKNOWN_LOG_FACTOR)))),
        count,
    )


def student(degrees: int) -> float:
    """Return how many standard errors Student's t stays within with 95 % confidence.

    By the expansion around the normal distribution (Fisher 1926), 3 % short at 2 degrees of freedom and less
    than 0.1 % at 7.
    """
    z = NormalDist().inv_cdf((1 + ESTIMATE_CONFIDENCE) / 2)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + sum([term / float(degrees**power) for power, term in enumerate(terms, 1)])
