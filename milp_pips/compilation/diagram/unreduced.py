"""Make the layers of a decision diagram from the root down, with all reached nodes, then reduce it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from random import Random
from typing import TypeAlias

from milp_pips.compilation.diagram.budget import Allowance
from milp_pips.compilation.diagram.diagram import NODE_CHECK_MASK, Diagram, Fragment
from milp_pips.compilation.diagram.frontier import Choice, frontiers
from milp_pips.compilation.diagram.states import Transitions

Layer: TypeAlias = dict[int, dict[int, int]]
"""The nodes by their states, for each bit mask of decided sites."""


def compile_layers(
    transitions: Transitions, order: Sequence[int], allowance: Allowance, width: int | None = None
) -> Diagram:
    """Return the decision diagram of the board whose sites are decided in this order.

    It is exact, or restricted to ``width`` states for each set of decided sites. Raises Unfinished.
    """
    layers = frontiers(transitions.board.sites, order, allowance)
    unreduced = UnreducedDiagram(transitions, order)
    unreduced.reach(layers, allowance, None if width is None else Widest(width))
    return unreduced.reduced(allowance)


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
        variables = [v for site in self._order for v in self._transitions.board.sites[site].variables]
        if number[0] < 0:
            return Diagram.without_paths(variables)
        labels_of, children_of = zip(*known, strict=True)
        pieces = [self._transitions.fragments[i] for i in label]
        return Diagram(variables, pieces, labels_of, children_of).counted(allowance)

    def path(self, weights: Mapping[int, int], rng: Random) -> Fragment:
        """Return the assignment of a random path to a solved node, drawn in proportion to the weights."""
        pairs: Fragment = ()
        node = self.solved[_place(self.solved, weights, rng)]
        while node:
            arcs = list(_occurrences(self.children, node))
            parents = [self.nodes[bisect_right(self.ends, arc) - 1] for arc in arcs]
            taken = _place(parents, weights, rng)
            node = parents[taken]
            pairs += self._transitions.fragments[self.fragments[arcs[taken]]]
        return pairs


def _place(nodes: Sequence[int], weights: Mapping[int, int], rng: Random) -> int:
    """Return the position of a random node, drawn in proportion to the weights."""
    left = rng.randrange(sum([weights[node] for node in nodes]))
    for place, node in enumerate(nodes):
        left -= weights[node]
        if left < 0:
            return place
    raise ValueError("no weight is positive")


def _occurrences(numbers: array[int], number: int) -> Iterator[int]:
    """Yield the positions of a number in an array."""
    place = -1
    with suppress(ValueError):
        while True:
            place = numbers.index(number, place + 1)
            yield place
