"""A decision diagram thinned at random: what is left of it estimates the number of solutions without bias.

Wherever a layer has more nodes than can be gone on with, some are drawn, and the paths that lead to one kept
with probability p weigh 1 / p times as much as before. So the weights of all solutions that are left add up,
on average, to the number of solutions, whatever the probabilities (Knuth 1975, who goes on with one node;
Chen 1992, with one of each kind; Grassberger 2002, with the winners). The probabilities decide how far off
one draw is. Paths that meet are one node, so that a draw sees far more solutions than it keeps nodes.

Who is kept is decided as by Fearnhead and Clifford (2003): with the probability min(1, priority / c), c such
that ``width`` nodes are expected, systematically along the order of the states, so that similar nodes stand
for one another.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import exp, log
from random import Random
from typing import NamedTuple

from milp_pips.compilation.diagram.budget import DEFAULT_BUDGET, Allowance, Budget
from milp_pips.compilation.diagram.diagram import Fragment
from milp_pips.compilation.diagram.frontier import FrontierBoard, frontiers
from milp_pips.compilation.diagram.order import promising_orders
from milp_pips.compilation.diagram.states import Transitions
from milp_pips.compilation.diagram.unreduced import Layer, Narrowing, UnreducedDiagram
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline

ROUGH = 4
"""Times the width that are kept by weight alone before the room of the states is looked at, which is dear."""

SLACK_EXPONENT = 0.5
"""How much the room that a state leaves counts: the exponent of the product of its slacks, each plus one.

``benchmarks/estimating.py --guides`` compares it with others.
"""

FINE = 64
"""Bits after the point of a weight."""

FAINT = -700.0
"""The logarithm of the least priority in comparison with the greatest: no node is kept with probability 0."""


class DiagramSample(NamedTuple):
    """What one thinned diagram says: an unbiased estimate of the count, and some of its solutions.

    The solutions are drawn in proportion to their weights: for any function of a solution, ``estimate`` times
    its mean over them is an unbiased estimate of its sum over all solutions.
    """

    estimate: Fraction
    solutions: Sequence[Fragment]


class ThinnedDiagram:
    """Draws estimates for a problem; order and layers are worked out once.

    Raises Unsupported for a problem that no decision diagram can be made of; Unfinished when the deadline
    says stop before the layers are known, and when these do not fit the budget.
    """

    def __init__(self, problem: Problem, budget: Budget = DEFAULT_BUDGET, deadline: Deadline | None = None):
        self._budget, self._deadline = budget, deadline
        self._transitions = Transitions.of(FrontierBoard(problem, Allowance(0, deadline)))
        if self._transitions is not None:
            board, allowance = self._transitions.board, Allowance(budget.nodes, deadline, budget.memory)
            self._order = promising_orders(board, allowance)[0]
            self._layers = frontiers(board.sites, self._order, allowance)

    def draw(self, width: int, rng: Random, solutions: int = 0) -> DiagramSample:
        """Return an estimate by about so many nodes a layer, and some solutions. Raises Unfinished."""
        if self._transitions is None:
            return DiagramSample(Fraction(0), ())
        allowance = Allowance(self._budget.nodes, self._deadline, self._budget.memory)
        unreduced = UnreducedDiagram(self._transitions, self._order)
        thinning = Thinning(self._transitions, width, rng)
        unreduced.reach(self._layers, allowance, thinning)
        whole = sum([thinning.weights[node] for node in unreduced.solved])
        drawn = [unreduced.path(thinning.weights, rng) for _ in range(solutions if whole else 0)]
        return DiagramSample(Fraction(whole, 1 << FINE), drawn)


class Thinning(Narrowing):
    """Keeps about ``width`` nodes of each layer, drawn by the paths to them and the room that they leave."""

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
        """Return about so many of the nodes, their weights raised; priorities are logarithms."""
        if len(nodes) <= size:
            return nodes
        most = max(priorities)
        sizes = [exp(max(FAINT, priority - most)) for priority in priorities]
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
    """Return c such that the probabilities min(1, size / c) add up to the expected number, less than all."""
    left, rest = sum(sizes), expected
    for size in sorted(sizes, reverse=True):
        if size * rest < left:
            break
        left, rest = left - size, rest - 1
    return left / rest
