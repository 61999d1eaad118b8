"""Thin a decision diagram at random, for an unbiased estimate of the number of solutions.

If a layer has too many nodes, some of them are drawn. The paths to a node that is kept with probability p
weigh 1 / p times as much as before. So the expected total weight of the remaining solutions is the number of
solutions, for any probabilities. (Knuth 1975 keeps one node; Chen 1992 keeps one node of each kind;
Grassberger 2002 keeps the winners.) The probabilities determine the error of one draw. Paths that meet share
a node, so a draw contains far more solutions than nodes.

The choice of nodes follows Fearnhead and Clifford (2003): a node is kept with the probability
min(1, priority / c), with c such that ``width`` nodes are expected. The draw is systematic along the order of
the states, so that similar nodes represent one another.
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
"""A first draw by weight alone keeps this many times the width, because the room of a state is expensive."""

SLACK_EXPONENT = 0.5
"""The influence of a state's room on its priority: the exponent of the product of its slacks, each plus one.

``benchmarks/estimating.py --guides`` compares it with others.
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
    """Draw estimates for a problem; the order and the layers are computed once.

    Raises Unsupported if no decision diagram of the problem can be made. Raises Unfinished if the deadline
    expires before the layers are known, or if they do not fit the budget.
    """

    def __init__(self, problem: Problem, budget: Budget = DEFAULT_BUDGET, deadline: Deadline | None = None):
        self._budget, self._deadline = budget, deadline
        self._transitions = Transitions.of(FrontierBoard(problem, Allowance(0, deadline)))
        if self._transitions is not None:
            board, allowance = self._transitions.board, Allowance(budget.nodes, deadline, budget.memory)
            self._order = promising_orders(board, allowance)[0]
            self._layers = frontiers(board.sites, self._order, allowance)

    def draw(self, width: int, rng: Random, solutions: int = 0) -> DiagramSample:
        """Return an estimate from about ``width`` nodes per layer, and some solutions. Raises Unfinished."""
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
