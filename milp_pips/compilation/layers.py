"""Make the layers of a decision diagram from the root down, with all reached nodes, then reduce it.

The compilation is exact and top-down, layer by layer. It merges equal states and cuts off dead ends, after
Bergman, Ciré, van Hoeve and Hooker, *Decision Diagrams for Optimization* (2016), chapter 4. The module
``states`` describes the states.
"""

from __future__ import annotations

import gc
from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterator, Sequence
from functools import partial
from math import inf
from typing import TypeAlias

from milp_pips.compilation.decision_diagram import NODE_CHECK_MASK, Diagram
from milp_pips.compilation.limits import Allowance, Budget, Unfinished
from milp_pips.compilation.orders import BIT, expected_states, given_orders, promising_orders, quick_order
from milp_pips.compilation.sites import Choice, FrontierBoard, frontiers
from milp_pips.compilation.states import Transitions
from milp_pips.problem.answer import Stop
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline

Layer: TypeAlias = dict[int, dict[int, int]]
"""The nodes by their states, for each bit mask of decided sites."""


class Narrowing(ABC):
    """Choose the nodes of a layer to keep, by the weights of the paths to them.

    ``weights`` has, for each node reached so far, the weight of all paths to it; the root weighs ``whole``.
    """

    def __init__(self, whole: int = 1):
        self.weights = {0: whole}
        self._weighed = 0

    @abstractmethod
    def kept(self, layer: Layer) -> Layer:
        """Return the nodes to keep."""

    def weigh(self, unreduced: UnreducedDiagram) -> None:
        """Add the weights of the nodes expanded since the last call to the weights of their children."""
        weights, nodes, ends = self.weights, unreduced.nodes, unreduced.ends
        for i in range(self._weighed, len(nodes)):
            weight = weights[nodes[i]]
            for child in unreduced.children[ends[i] : ends[i + 1]]:
                weights[child] = weights.get(child, 0) + weight
        self._weighed = len(nodes)


class Widest(Narrowing):
    """Keep, of the nodes with the same decided sites, the ``width`` nodes with the most paths to them.

    ``narrowed`` is True once a node was dropped.
    """

    def __init__(self, width: int):
        super().__init__()
        self._width = width
        self.narrowed = False

    def kept(self, layer: Layer) -> Layer:
        return {decided: self._widest(reached) for decided, reached in layer.items()}

    def _widest(self, reached: dict[int, int]) -> dict[int, int]:
        if len(reached) <= self._width:
            return reached
        self.narrowed = True
        best = sorted(reached.items(), key=lambda pair: -self.weights[pair[1]])
        return dict(best[: self._width])


class UnreducedDiagram:
    """All reached nodes, dead ends included, parents before children; node 0 is the root.

    The arcs of ``nodes[i]`` run from ``ends[i]`` up to ``ends[i + 1]``. ``fragments`` has the number of the
    fragment that each arc decides, and ``children`` the arc's child. These are arrays, because there are
    millions of arcs. In the ``solved`` nodes everything is decided. ``made`` is the number of nodes.
    """

    def __init__(self, transitions: Transitions, order: Sequence[int]) -> None:
        self._transitions, self._order = transitions, order
        self.nodes, self.ends = array("q"), array("q", [0])
        self.fragments, self.children = array("q"), array("q")
        self.made, self.solved = 1, list[int]()

    def reach(
        self,
        layers: Sequence[dict[int, list[Choice]]],
        allowance: Allowance,
        narrowing: Narrowing | None = None,
    ) -> None:
        """Make all nodes layer by layer, or only the children of the nodes that are kept. Raises Unfinished.

        Invariant: before a layer, ``nodes_at`` has all nodes that earlier layers reach and that are not yet
        expanded, by their decided sites.
        """
        transitions, missed = self._transitions, self._transitions.missed
        nodes_at: Layer = {0: {transitions.start: 0}}
        fragments, children = self.fragments, self.children
        made, spent = 1, 0
        for layer in layers[:-1]:
            current = {decided: nodes_at.pop(decided) for decided in layer if nodes_at.get(decided)}
            if narrowing is not None:
                narrowing.weigh(self)
                current = narrowing.kept(current)
            for decided in list(current):
                reached = current.pop(decided)
                options = []  # for each choice of sites: its moves, and the nodes that they lead to
                for sites, after in layer[decided]:
                    table = transitions.table(sites, decided)
                    options.append((table, table.bits, table.known, nodes_at.setdefault(after, {})))
                for state, node in reached.items():
                    for table, bits, known, following in options:
                        moves = known.get(state & bits)
                        for mask, change, fragment in table.moves(state) if moves is None else moves:
                            if state & mask:  # the domino is left
                                after = state + change
                                if not after & missed:  # no slack is negative
                                    child = following.setdefault(after, made)
                                    if child == made:
                                        made += 1
                                    fragments.append(fragment)
                                    children.append(child)
                    self.nodes.append(node)
                    self.ends.append(len(children))
                    # The allowance looks at the clock and the memory, so it is asked once for 32 nodes.
                    if not len(self.nodes) & 31:
                        allowance.spend(made - spent)
                        spent = made
            allowance.spend(made - spent)
            spent = made
        self.made = made
        self.solved = list(nodes_at.get(sum(1 << site for site in self._order), {}).values())
        if narrowing is not None:
            narrowing.weigh(self)

    def reduced(self, allowance: Allowance) -> Diagram:
        """Return the diagram without dead ends, with equal nodes merged (Bryant 1986). Raises Unfinished.

        It goes through the nodes from the last to the first, so that the children of a node are done.
        """
        number = array("q", [-1]) * self.made
        for node in self.solved:
            number[node] = 0
        label: dict[int, int] = {}
        known: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {((), ()): 0}
        for i in reversed(range(len(self.nodes))):
            if not i & NODE_CHECK_MASK:
                allowance.spend()
            labels, children = [], []
            for arc in range(self.ends[i], self.ends[i + 1]):
                child = number[self.children[arc]]
                if child >= 0:
                    labels.append(label.setdefault(self.fragments[arc], len(label)))
                    children.append(child)
            if children:
                number[self.nodes[i]] = known.setdefault((tuple(labels), tuple(children)), len(known))
        # The root is the last node of this loop. Without a number it has no path to a solution.
        if number[0] < 0:
            return Diagram.without_paths()
        variables = [v for site in self._order for v in self._transitions.board.sites[site].variables]
        labels_of, children_of = zip(*known, strict=True)
        pieces = [self._transitions.fragments[i] for i in label]
        return Diagram(variables, pieces, labels_of, children_of, allowance)


FIRST_ORDER_NODES, ORDER_NODES_FACTOR = 300, 4
"""The nodes that each order may make in the first lap of the race, and the factor for each further lap.

By ``benchmarks/counting.py``: with a first lap of 100 nodes, or a factor of 2, counting takes a seventh to a
quarter longer; with 1000 nodes, a tenth less. But the puzzles that seeds generate depend on these numbers.
"""


class DiagramCompiler:
    """Compiles decision diagrams of one problem, in any order of its sites.

    The constructor raises Unsupported if no decision diagram of the problem can be made, and Contradiction if
    it is obvious that there is no solution. All methods raise Unfinished: if no order finishes within the
    budget, dead ends included, or if the deadline expires. ``expected_nodes`` is the number of nodes expected
    under the best order, infinite until the race has ordered the sites.
    """

    def __init__(self, problem: Problem, budget: Budget, deadline: Deadline):
        self._budget, self._deadline = budget, deadline
        self._transitions = Transitions(FrontierBoard(problem, self._allowance(0)))
        self._too_large, self._is_full = "", False
        self._orders, self._allowed = given_orders(self._transitions.board), 0
        self.expected_nodes = inf

    def exact(self, nodes: int | None = None) -> Diagram:
        """Return the diagram of all solutions, under the best of several orders.

        The orders race: each gets a few nodes, then several times as many, until one finishes or each has had
        that many ``nodes``, or those of the budget. A later call with more nodes continues the race.
        """
        most = self._budget.nodes if nodes is None else min(nodes, self._budget.nodes)
        while self._allowed < most and self._orders:
            # Small problems end in the first lap, with the orders that cost nothing. Only then is it worth
            # the time to look for promising ones.
            if self._allowed == FIRST_ORDER_NODES:
                self._orders = self._promising_orders()
                self.expected_nodes = expected_states(self._transitions.board, self._orders[0]) / BIT
            self._allowed = min(max(ORDER_NODES_FACTOR * self._allowed, FIRST_ORDER_NODES), most)
            text = partial("decision diagrams of up to {:,} nodes".format, self._allowed)
            self._deadline.progress.report_sometimes(text)
            # All orders get this lap before any gets the next: a bad order can be worse by a factor that no
            # measure foretells.
            for order in list(self._orders):
                diagram = self._in_order(order, self._allowed)
                if diagram is not None:
                    return diagram
                if self._is_full:
                    self._orders.remove(order)
        raise Unfinished(self._too_large, Stop.MEMORY)

    def narrowed(self, width: int) -> tuple[Diagram, bool]:
        """Return a diagram that is restricted only where it grows wide, and whether it has all solutions.

        It tries one order that is cheap to make.
        """
        allowance, widest = self._allowance(self._budget.nodes), Widest(width)
        order = quick_order(self._transitions.board, allowance)
        return self._compile(order, allowance, widest), not widest.narrowed

    def quick(self, widths: Sequence[int]) -> Diagram | None:
        """Return the first restricted diagram that has a path; None if none has.

        It tries one width after another with the orders that cost nothing to make, and skips a diagram that
        exceeds the budget.
        """
        for width in widths:
            for order in given_orders(self._transitions.board):
                diagram = self._in_order(order, self._budget.nodes, width)
                if diagram is not None and diagram.count:
                    return diagram
        return None

    def wider(self, widths: Sequence[int]) -> Iterator[Diagram]:
        """Yield restricted diagrams that have a path: a quick one, then one for each of the widths.

        The widths increase; the first that does not fit the budget ends the series.
        """
        # The quick one comes before the search for a good order, which takes longer.
        quick = self.quick(widths[:1])
        if quick is not None:
            yield quick
        best = self._promising_orders()[0]
        for width in widths:
            diagram = self._in_order(best, self._budget.nodes, width)
            if diagram is None:
                return
            if diagram.count:
                yield diagram

    def _promising_orders(self) -> list[list[int]]:
        return promising_orders(self._transitions.board, self._allowance(self._budget.nodes))

    def _allowance(self, nodes: int) -> Allowance:
        return Allowance(nodes, self._deadline, self._budget.memory)

    def _in_order(self, order: Sequence[int], nodes: int, width: int | None = None) -> Diagram | None:
        """Return the diagram whose sites are decided in this order; None if it grows too large.

        It is exact, or restricted to ``width`` states for each set of decided sites (Bergman, Ciré, van Hoeve
        and Hooker 2016, chapter 4). ``_is_full`` then states whether it has filled the memory.
        """
        allowance = self._allowance(nodes)
        try:
            return self._compile(order, allowance, None if width is None else Widest(width))
        except Unfinished as reason:
            if reason.stop is not Stop.MEMORY:
                raise
            self._too_large = str(reason)  # the exception itself would keep the whole diagram alive
        self._is_full = allowance.full
        if allowance.full:
            self._transitions = Transitions(self._transitions.board)
            gc.collect()  # the cached moves refer to one another
        return None

    def _compile(self, order: Sequence[int], allowance: Allowance, narrowing: Narrowing | None) -> Diagram:
        layers = frontiers(self._transitions.board.sites, order, allowance)
        unreduced = UnreducedDiagram(self._transitions, order)
        unreduced.reach(layers, allowance, narrowing)
        return unreduced.reduced(allowance)
