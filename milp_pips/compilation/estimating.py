"""Estimate the number of solutions by samples, with a 95 % interval, if their set is too large.

The estimate uses exact counts where it can: it filters and splits the problem, and counts the parts whose
set of solutions is small. It samples every other part by decision diagrams that are thinned at random. A
sample of the whole is the product of the samples of its parts.

A key without some of the variables counts views, not solutions. A solution that is drawn by its weight then
counts as 1 / n of a view, where n is the number of solutions with the same view. These shares add up to 1
for each view, so the estimate stays unbiased.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import ceil, exp, floor, inf, log, sqrt
from random import Random
from statistics import NormalDist, fmean, stdev
from typing import NamedTuple

from milp_pips.compilation.layers import Layer, Narrowing, UnreducedDiagram
from milp_pips.compilation.limits import Allowance, Budget, Unfinished, Unsupported
from milp_pips.compilation.nodes import Fragment
from milp_pips.compilation.orders import promising_orders
from milp_pips.compilation.parts import Part, split
from milp_pips.compilation.sites import FrontierBoard, frontiers
from milp_pips.compilation.solution_set import Key, compile_problem, variables_of
from milp_pips.compilation.states import Transitions
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.fields import require_problem
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
    """A number estimated from random samples, with its 95 % confidence interval; exact without samples."""

    value: int
    """The estimate."""
    low: int
    """The lower end of the 95 % interval."""
    high: int
    """The upper end of the 95 % interval."""
    samples: int
    """Number of random samples."""

    def at_least(self, bound: int) -> Estimate:
        """Return the estimate, raised to a proved lower bound."""
        return Estimate(max(self.value, bound), max(self.low, bound), max(self.high, bound), self.samples)

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
    ``benchmarks/counting.py --estimates`` measures how often the union contains the true number.
    Raises ValueError for fewer than two samples, or if none is positive.
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


# The estimate: parts that are small are counted, the others sampled.

SMALL_BUDGET = Budget(nodes=3_000)
"""The budget for the solutions of a part that are counted and not sampled."""

COUNTING_TIME_SHARE = 0.25
"""The greatest share of the time that counting such parts may take."""

SAMPLING_WIDTHS = (100, 400, 1600)
"""Nodes to keep in a layer: the first for easy boards, the last for boards with many dead ends."""

PILOT, SAMPLES = 12, 200
"""The number of samples that choose a width, and do not count later; the number of samples of that width."""

EVEN = 0.5
"""The square of standard deviation over mean, up to which no wider diagrams are tried: then doubling the
samples is worth as much as doubling the width, and shows the error better."""


def estimate(
    problem: Problem,
    key: Key = None,
    deadline: Deadline | None = None,
    seed: int = 0,
    budget: Budget = SMALL_BUDGET,
    samples: int = SAMPLES,
    widths: Sequence[int] = SAMPLING_WIDTHS,
) -> Estimate | None:
    """Return an estimate of the number of solutions that differ in a key.

    Parameters
    ----------
    problem, key
        The problem, and what makes two solutions different: the name of a key, variables, or None for all.
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
    require_problem("estimate", problem)
    visible, rng = variables_of(problem, key), Random(seed)
    known, parts = 1, list[ThinnedDiagram]()
    deadline = deadline or Deadline()
    early = EarlierDeadline(deadline, 1 - COUNTING_TIME_SHARE)
    try:
        for part in split(Part.whole(filter_domains(problem, deadline))).parts:
            seen = frozenset([v for v, whole in enumerate(part.variables) if whole in visible])
            try:
                known *= compile_problem(part.problem, seen, budget, early).count
            except Unfinished:
                parts.append(ThinnedDiagram(part.problem, seen, deadline))
        if not parts or not known:
            return Estimate(known, known, known, 0)
        drawn = _sampled(parts, rng, samples, widths)
    except Contradiction:
        return Estimate(0, 0, 0, 0)
    except (Unfinished, Unsupported):
        return None
    if len(drawn) < MIN_SAMPLES or not any(drawn):
        return None
    return estimated([known * sample for sample in drawn])


def _sampled(
    parts: Sequence[ThinnedDiagram], rng: Random, samples: int, widths: Sequence[int]
) -> list[Fraction]:
    """Return samples of the least width that gives ``EVEN`` samples, else of the greatest width in time.

    The pilot samples that chose the width do not count, as they were chosen for being even. Raises
    Unfinished.
    """
    best: list[Fraction] = []
    for width in widths:
        pilot = _lap(parts, width, PILOT, rng)
        if len(pilot) >= MIN_SAMPLES and (any(pilot) or not any(best)):
            best = pilot
        if len(pilot) < PILOT:
            return best
        mean = sum(pilot, Fraction(0)) / PILOT
        if mean and fmean([float(sample / mean - 1) ** 2 for sample in pilot]) <= EVEN:
            break
    lap = _lap(parts, width, samples, rng)
    return lap if len(lap) >= MIN_SAMPLES and (any(lap) or not any(best)) else best


def _lap(parts: Sequence[ThinnedDiagram], width: int, samples: int, rng: Random) -> list[Fraction]:
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
    return drawn


# Thin a decision diagram at random.
#
# If a layer has too many nodes, some of them are drawn. The paths to a node that is kept with probability p
# weigh 1 / p times as much as before. So the expected total weight of the remaining solutions is the number
# of solutions, for any probabilities. (Knuth 1975 keeps one node; Chen 1992 keeps one node of each kind;
# Grassberger 2002 keeps the winners.) The probabilities determine the error of one draw. Paths that meet
# share a node, so a draw contains far more solutions than nodes.
#
# The choice of nodes follows Fearnhead and Clifford (2003): a node is kept with the probability
# min(1, priority / c), with c such that ``width`` nodes are expected. The draw is systematic along the order
# of the states, so that similar nodes represent one another.

SAMPLING = Budget(nodes=2_000_000)
"""The budget for one thinned diagram, and for its orders and layers."""

VIEWS = 4
"""Solutions of a thinned diagram for which the solutions with the same view are counted."""

ROUGH = 4
"""A first draw by weight alone keeps this many times the width, because the room of a state is expensive."""

SLACK_EXPONENT = 0.5
"""The influence of a state's room on its priority: the exponent of the product of its slacks, each plus one.

``benchmarks/counting.py --guides`` compares it with others.
"""

FINE = 64
"""Binary digits of a weight after the point."""

MIN_LOG_PRIORITY = -700.0
"""The logarithm of the least priority relative to the greatest, so that no node has probability 0."""


class DiagramSample(NamedTuple):
    """The result of one thinned diagram: an unbiased estimate of the count, and some of its solutions.

    The solutions are drawn in proportion to their weights: for any function of a solution, ``estimate`` times
    its mean over them is an unbiased estimate of its sum over all solutions.
    """

    estimate: Fraction
    solutions: Sequence[Fragment]


class ThinnedDiagram:
    """Draws estimates of the number of views of a problem in the ``seen`` variables.

    The order and the layers are computed once. All methods raise Unfinished. The constructor also raises
    Unsupported if no decision diagram of the problem can be made, and Contradiction if it is obvious that
    there is no solution.
    """

    def __init__(self, problem: Problem, seen: frozenset[int], deadline: Deadline):
        self._problem, self._seen, self._deadline = problem, seen, deadline
        self._transitions = Transitions(FrontierBoard(problem, self._allowance()))
        self._order = promising_orders(self._transitions.board, self._allowance())[0]
        self._layers = frontiers(self._transitions.board.sites, self._order, self._allowance())

    def sample(self, width: int, rng: Random) -> Fraction:
        """Return an unbiased estimate from about ``width`` nodes per layer."""
        draw = self.draw(width, rng, 0 if len(self._seen) == len(self._problem.variables) else VIEWS)
        if not draw.solutions:
            return draw.estimate
        shares = Fraction(0)
        for solution in draw.solutions:
            alike = self._problem.restricted({v: (value,) for v, value in solution if v in self._seen})
            shares += Fraction(1, compile_problem(alike, None, SMALL_BUDGET, self._deadline).count)
        return draw.estimate * shares / len(draw.solutions)

    def draw(self, width: int, rng: Random, solutions: int = 0) -> DiagramSample:
        """Return an estimate of the number of solutions, and some of them."""
        unreduced = UnreducedDiagram(self._transitions, self._order)
        thinning = Thinning(self._transitions, width, rng)
        unreduced.reach(self._layers, self._allowance(), thinning)
        whole = sum([thinning.weights[node] for node in unreduced.solved])
        drawn = [self._path(unreduced, thinning.weights, rng) for _ in range(solutions if whole else 0)]
        return DiagramSample(Fraction(whole, 1 << FINE), drawn)

    def _allowance(self) -> Allowance:
        return Allowance(SAMPLING.nodes, self._deadline)

    def _path(self, unreduced: UnreducedDiagram, weights: Mapping[int, int], rng: Random) -> Fragment:
        """Return the assignment of a random path to a solved node, drawn in proportion to the weights."""
        pairs: Fragment = ()
        node = unreduced.solved[_place(unreduced.solved, weights, rng)]
        while node:
            arcs, arc = list[int](), -1
            with suppress(ValueError):  # no further arc leads to the node
                while True:
                    arc = unreduced.children.index(node, arc + 1)
                    arcs.append(arc)
            parents = [unreduced.nodes[bisect_right(unreduced.ends, arc) - 1] for arc in arcs]
            taken = _place(parents, weights, rng)
            node = parents[taken]
            pairs += self._transitions.fragments[unreduced.fragments[arcs[taken]]]
        return pairs


def _place(nodes: Sequence[int], weights: Mapping[int, int], rng: Random) -> int:
    """Return the position of a random node, drawn in proportion to the weights."""
    sums = list(accumulate([weights[node] for node in nodes]))
    return bisect_right(sums, rng.randrange(sums[-1]))


class Thinning(Narrowing):
    """Keep about ``width`` nodes of each layer, drawn by the weight of their paths and by their room."""

    def __init__(self, transitions: Transitions, width: int, rng: Random):
        super().__init__(1 << FINE)
        self._transitions, self._width, self._rng = transitions, width, rng

    def kept(self, layer: Layer) -> Layer:
        nodes = {node: state for reached in layer.values() for state, node in reached.items()}
        if len(nodes) <= self._width:
            return layer
        chosen = sorted(nodes, key=nodes.__getitem__)
        chosen = self._drawn(chosen, [log(self.weights[node]) for node in chosen], ROUGH * self._width)
        rooms = [SLACK_EXPONENT * log(self._transitions.room(nodes[node])) for node in chosen]
        priorities = [log(self.weights[node]) + room for node, room in zip(chosen, rooms, strict=True)]
        kept = set(self._drawn(chosen, priorities, self._width))
        return {
            decided: {state: node for state, node in reached.items() if node in kept}
            for decided, reached in layer.items()
        }

    def _drawn(self, nodes: list[int], priorities: list[float], size: int) -> list[int]:
        """Draw about ``size`` nodes, raise their weights, and return them; priorities are logarithms."""
        if len(nodes) <= size:
            return nodes
        # Systematic sampling: nodes with a priority of at least ``certain`` stay. The priorities of the other
        # nodes add up, and the node at which the sum passes ``certain`` is drawn.
        most = max(priorities)
        sizes = [exp(max(MIN_LOG_PRIORITY, priority - most)) for priority in priorities]
        certain = threshold(sizes, size)
        met, drawn = self._rng.random() * certain, list[int]()
        for node, priority in zip(nodes, sizes, strict=True):
            if priority < certain:
                met += priority
                if met < certain:
                    continue
                met -= certain
                self.weights[node] = self.weights[node] * int((1 << FINE) * (certain / priority)) >> FINE
            drawn.append(node)
        return drawn


def threshold(sizes: Sequence[float], expected: int) -> float:
    """Return c such that the probabilities min(1, size / c) sum to the expected number.

    The expected number must be less than the number of sizes.
    """
    left, rest = sum(sizes), expected
    for size in sorted(sizes, reverse=True):
        if size * rest < left:
            break
        left, rest = left - size, rest - 1
    return left / rest
