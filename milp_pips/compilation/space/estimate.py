"""Estimate how many solutions there are where their space does not fit: with a 95 % interval, by samples.

What is known exactly is used exactly: the problem is filtered and split, and parts whose space is small are
counted. Each other part is sampled by decision diagrams that are thinned at random (``diagram.thinned``); a
sample of the whole is the product of what its parts say.

A key that does not see all variables counts views and not solutions. A solution drawn by its weight then
counts as 1 / n of a view, where n is the number of solutions that look like it: these add up to 1 for each
view, so the estimate stays unbiased.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, floor, inf, log, sqrt
from random import Random
from statistics import NormalDist, fmean, stdev
from typing import Any, NamedTuple

from milp_pips.compilation.diagram import Budget, DiagramSample, ThinnedDiagram, Unfinished, Unsupported
from milp_pips.compilation.space.divide import compile_space
from milp_pips.compilation.space.split import Part, split
from milp_pips.problem.answer import Stop
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline, EarlierDeadline
from milp_pips.propagation import Contradiction, filter_domains

# A mean of very uneven numbers and where the true one lies, with 95 % confidence.

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


SMALL_BUDGET = Budget(nodes=3_000, view_nodes=3_000)
"""For the space of a part that is counted and not sampled."""

COUNTING_TIME_SHARE = 0.25
"""The part of the time that counting such parts may take, at most."""

SAMPLING = Budget(nodes=2_000_000, view_nodes=0)
"""For one thinned diagram, and for what it rests on."""

SAMPLING_WIDTHS = (100, 400, 1600)
"""Nodes that a layer is left: the first for easy boards, the last for those with many dead ends."""

PILOT, SAMPLES = 12, 200
"""Samples by which a width is chosen, which then count no more; samples of the chosen width."""

EVEN = 0.5
"""The square of the standard deviation over the mean, up to which no wider diagrams are asked for: then twice
the samples are worth as much as twice the width, and show better how far off they are."""

VIEWS = 4
"""Solutions of a thinned diagram that are asked how many others look like them."""


def estimate(
    problem: Problem,
    variables: Iterable[int] | None = None,
    deadline: Deadline | None = None,
    seed: int = 0,
    budget: Budget = SMALL_BUDGET,
    samples: int = SAMPLES,
    widths: Sequence[int] = SAMPLING_WIDTHS,
) -> Estimate | None:
    """Return about how many solutions differ in the variables, None standing for all of them.

    Parameters
    ----------
    problem, variables
        What is to be counted.
    deadline
        When it says stop, the samples so far are used; without a deadline, samples may take minutes.
    seed
        Decides all chance.
    budget
        For each part that is counted and not sampled.
    samples
        How many at most.
    widths
        Nodes that each layer of a thinned diagram is left, from the fewest to the most that may be chosen.

    Returns
    -------
    An estimate; one of no samples is exact. None where nothing can be said honestly: too few samples in time,
    none that has a solution, no decision diagram, or too many solutions that look the same.
    """
    visible = frozenset(range(len(problem.variables)) if variables is None else variables)
    try:
        known, parts = _known_and_sampled(problem, visible, deadline, budget)
        if not parts or not known:
            return Estimate(known, known, known, 0)
        drawn = _sampled(parts, Random(seed), samples, widths)
    except (Unfinished, Unsupported):
        return None
    if len(drawn) < MIN_SAMPLES or not any(drawn):
        return None
    return estimated([known * sample for sample in drawn])


def _known_and_sampled(
    problem: Problem, visible: frozenset[int], deadline: Deadline | None, budget: Budget
) -> tuple[int, list[SampledPart]]:
    """Return the count of what fits the budget, and the parts that do not. Raises Unfinished, Unsupported."""
    try:
        parts = split(Part.whole(problem).with_problem(filter_domains(problem, deadline))).parts
    except Contradiction:
        return 0, []
    known, sampled = 1, list[SampledPart]()
    early = None if deadline is None else EarlierDeadline(deadline, 1 - COUNTING_TIME_SHARE)
    for part in parts:
        seen = frozenset([v for v, whole in enumerate(part.variables) if whole in visible])
        try:
            known *= compile_space(part.problem, seen, budget, early).count
        except Unfinished:
            sampled.append(SampledPart(part.problem, seen, deadline))
    return known, sampled


class SampledPart:
    """A part whose count is sampled, told by the variables that are seen. Raises Unfinished, Unsupported."""

    def __init__(self, problem: Problem, seen: frozenset[int], deadline: Deadline | None):
        self._problem, self._seen, self._deadline = problem, seen, deadline
        self._views = 0 if len(seen) == len(problem.variables) else VIEWS
        self._thinned = ThinnedDiagram(problem, SAMPLING, deadline)

    def sample(self, width: int, rng: Random) -> Fraction:
        """Return an unbiased estimate. Raises Unfinished."""
        draw = self._thinned.draw(width, rng, self._views)
        return draw.estimate * self._share(draw) if draw.solutions else draw.estimate

    def _share(self, draw: DiagramSample) -> Fraction:
        """Return the number of views per solution, as the solutions drawn have it."""
        shares = Fraction(0)
        for solution in draw.solutions:
            alike = self._problem.restricted({v: (value,) for v, value in solution if v in self._seen})
            shares += Fraction(1, compile_space(alike, None, SMALL_BUDGET, self._deadline).count)
        return shares / len(draw.solutions)


class Lap(NamedTuple):
    """Samples of one width, and whether there are as many as were asked for."""

    samples: list[Fraction]
    complete: bool


def _sampled(
    parts: Sequence[SampledPart], rng: Random, samples: int, widths: Sequence[int]
) -> list[Fraction]:
    """Return samples of the narrowest width with which they are ``EVEN``, else those of the widest in time.

    Those by which the width was chosen are left out, for they were chosen for being even. Raises Unfinished.
    """
    best: list[Fraction] = []
    for width in widths:
        pilot, complete = _lap(parts, width, PILOT, rng)
        if len(pilot) >= MIN_SAMPLES and (any(pilot) or not any(best)):
            best = pilot
        if not complete:
            return best
        if _unevenness(pilot) <= EVEN:
            break
    lap, _ = _lap(parts, width, samples, rng)
    return lap if len(lap) >= MIN_SAMPLES and (any(lap) or not any(best)) else best


def _lap(parts: Sequence[SampledPart], width: int, samples: int, rng: Random) -> Lap:
    """Return so many samples, or as many as the deadline leaves time for. Raises Unfinished for the size."""
    drawn: list[Fraction] = []
    try:
        while len(drawn) < samples:
            product = Fraction(1)
            for part in parts:
                product *= part.sample(width, rng)
            drawn.append(product)
    except Unfinished as reason:
        if reason.stop is Stop.MEMORY:
            raise
        return Lap(drawn, False)
    return Lap(drawn, True)


def _unevenness(samples: Sequence[Fraction]) -> float:
    """Return the variance over the squared mean; infinity where all samples are zero."""
    mean = sum(samples, Fraction(0)) / len(samples)
    return fmean([float(sample / mean - 1) ** 2 for sample in samples]) if mean else float("inf")
