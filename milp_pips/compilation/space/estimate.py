"""Estimate the number of solutions by samples, with a 95 % interval, if their space is too large.

The estimate uses exact counts where it can: it filters and splits the problem, and counts the parts whose
space is small. It samples every other part by decision diagrams that are thinned at random
(``diagram.thinned``). A sample of the whole is the product of the samples of its parts.

A key without some of the variables counts views, not solutions. A solution that is drawn by its weight then
counts as 1 / n of a view, where n is the number of solutions with the same view. These shares add up to 1
for each view, so the estimate stays unbiased.
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
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline, EarlierDeadline
from milp_pips.propagation import filter_domains

# The mean of very uneven samples, and its confidence interval of 95 %.

ESTIMATE_CONFIDENCE = 0.95

MIN_SAMPLES = 8
"""With fewer samples, their spread is too uncertain."""

UNKNOWN_LOG_FACTOR = 600.0
"""The logarithm of a factor so large that it stands for an unknown bound."""

IN_FULL = 10**6
"""Numbers below this are written in full."""

SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number estimated from random samples, with the bounds of its 95 % confidence interval.

    With no samples, the number is exact.
    """

    value: int
    low: int
    high: int
    samples: int

    def at_least(self, bound: int) -> Estimate:
        """Return the estimate, raised to a proved lower bound."""
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
    """Return a non-negative number with two digits and a power of ten, or in full if it is small."""
    if number < IN_FULL:
        return f"{number:,}"
    exponent = len(str(number)) - 1
    tenths = (number + 10 ** (exponent - 1) // 2) // 10 ** (exponent - 1)
    if tenths == 100:
        tenths, exponent = 10, exponent + 1
    return f"{tenths // 10}.{tenths % 10} × 10{str(exponent).translate(SUPERSCRIPT)}"


def estimated(samples: Sequence[Fraction]) -> Estimate:
    """Return the mean of independent samples, not all of them zero, with its confidence interval.

    The interval is the union of two others. The first is Student's t interval of the mean on a logarithmic
    scale. The second is the interval of a lognormal variable of which some samples are zero, after Cox
    (Land 1972) with Student's t (Olsson 2005). If the samples are skewed, the mean of a few samples is
    usually too small, and so is the first interval. If they are not, the second may not contain the mean.
    ``benchmarks/estimating.py`` measures how often the union contains the true number. Raises ValueError
    for fewer than two samples, or if none is positive.
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
    """Return the two-sided 95 % quantile of Student's t distribution, in standard errors.

    It uses the expansion around the normal distribution (Fisher 1926), which is 3 % too small at 2 degrees of
    freedom and less than 0.1 % at 7.
    """
    z = NormalDist().inv_cdf((1 + ESTIMATE_CONFIDENCE) / 2)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + sum([term / float(degrees**power) for power, term in enumerate(terms, 1)])


SMALL_BUDGET = Budget(nodes=3_000, view_nodes=3_000)
"""The budget for the space of a part that is counted and not sampled."""

COUNTING_TIME_SHARE = 0.25
"""The greatest share of the time that counting such parts may take."""

SAMPLING = Budget(nodes=2_000_000, view_nodes=0)
"""The budget for one thinned diagram, and for its orders and layers."""

SAMPLING_WIDTHS = (100, 400, 1600)
"""Nodes to keep in a layer: the first for easy boards, the last for boards with many dead ends."""

PILOT, SAMPLES = 12, 200
"""The number of samples that choose a width, and do not count later; the number of samples of that width."""

EVEN = 0.5
"""The square of standard deviation over mean, up to which no wider diagrams are tried: then doubling the
samples is worth as much as doubling the width, and shows the error better."""

VIEWS = 4
"""Solutions of a thinned diagram for which the solutions with the same view are counted."""


def estimate(
    problem: Problem,
    variables: Iterable[int] | None = None,
    deadline: Deadline | None = None,
    seed: int = 0,
    budget: Budget = SMALL_BUDGET,
    samples: int = SAMPLES,
    widths: Sequence[int] = SAMPLING_WIDTHS,
) -> Estimate | None:
    """Return an estimate of the number of solutions that differ in the variables.

    Parameters
    ----------
    problem, variables
        The problem, and the variables in which solutions must differ; None stands for all variables.
    deadline
        When it expires, the samples so far are used; without a deadline, samples may take minutes.
    seed
        The seed of the random generator.
    budget
        The budget of each part that is counted and not sampled.
    samples
        The greatest number of samples.
    widths
        Nodes to keep in each layer of a thinned diagram, from the least to the greatest choice.

    Returns
    -------
    An estimate; one without samples is exact. None if no honest estimate is possible: too few samples in
    time, no sample with a solution, no decision diagram, or too many solutions with the same view.
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
    """Return the product of the counts of the parts that fit the budget, and the other parts.

    Raises Unfinished and Unsupported.
    """
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
    """A part whose number of views in the ``seen`` variables is sampled. Raises Unfinished, Unsupported."""

    def __init__(self, problem: Problem, seen: frozenset[int], deadline: Deadline | None):
        self._problem, self._seen, self._deadline = problem, seen, deadline
        self._views = 0 if len(seen) == len(problem.variables) else VIEWS
        self._thinned = ThinnedDiagram(problem, SAMPLING, deadline)

    def sample(self, width: int, rng: Random) -> Fraction:
        """Return an unbiased estimate. Raises Unfinished."""
        draw = self._thinned.draw(width, rng, self._views)
        return draw.estimate * self._share(draw) if draw.solutions else draw.estimate

    def _share(self, draw: DiagramSample) -> Fraction:
        """Return the mean number of views per solution over the drawn solutions."""
        shares = Fraction(0)
        for solution in draw.solutions:
            alike = self._problem.restricted({v: (value,) for v, value in solution if v in self._seen})
            shares += Fraction(1, compile_space(alike, None, SMALL_BUDGET, self._deadline).count)
        return shares / len(draw.solutions)


class Lap(NamedTuple):
    """Samples of one width, and whether they are as many as requested."""

    samples: list[Fraction]
    complete: bool


def _sampled(
    parts: Sequence[SampledPart], rng: Random, samples: int, widths: Sequence[int]
) -> list[Fraction]:
    """Return samples of the least width that gives ``EVEN`` samples, else of the greatest width in time.

    The pilot samples that chose the width do not count, as they were chosen for being even. Raises
    Unfinished.
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
    """Return the given number of samples, or as many as the deadline allows.

    Raises Unfinished if a diagram grows too large.
    """
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
    """Return the variance over the squared mean; infinity if all samples are zero."""
    mean = sum(samples, Fraction(0)) / len(samples)
    return fmean([float(sample / mean - 1) ** 2 for sample in samples]) if mean else float("inf")
