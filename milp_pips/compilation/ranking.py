"""The cheapest solutions of a solution set: shortest paths of its diagrams, and combinations of them.

The k cheapest solutions of a node follow from those of the nodes below, so each node is visited once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heappop, heappush, merge
from itertools import islice
from operator import itemgetter
from typing import Any, TypeAlias

from milp_pips.compilation.decision_diagram import Diagram
from milp_pips.compilation.limits import Allowance
from milp_pips.compilation.nodes import Fragment, Node, Product

Ranked: TypeAlias = tuple[int, tuple[Any, ...]]
"""The cost of a solution, and its fragments nested in pairs and triples, which ``joined`` flattens."""

Ranking: TypeAlias = list[Ranked]
"""Solutions of a node, the cheapest first."""


def cheapest(
    nodes: Sequence[Node], k: int, costs: Mapping[int, Mapping[int, int]], allowance: Allowance
) -> Ranking:
    """Return the k cheapest solutions of the first node, or all if there are fewer.

    Parameters
    ----------
    nodes
        Nodes, each before those below it.
    k
        The number of solutions.
    costs
        The cost of each value by variable; a value without one costs 0.
    allowance
        Raises Unfinished when it is spent.
    """
    nothing: Mapping[int, int] = {}

    def cost(fragment: Fragment) -> int:
        return sum([costs.get(v, nothing).get(value, 0) for v, value in fragment])

    found: dict[Node, Ranking] = {}
    for node in reversed(nodes):
        allowance.spend()
        below = [found[other] for other in node.below]
        if isinstance(node, Diagram):
            found[node] = _paths(node, k, cost, allowance)
        elif isinstance(node, Product):
            ranking: Ranking = [(cost(node.fixed), (node.fixed,))]
            for factor in below:
                ranking = _pairs(ranking, factor, k, allowance)
            found[node] = ranking
        else:
            found[node] = list(islice(merge(*below, key=itemgetter(0)), k))
    return found[nodes[0]]


def _paths(diagram: Diagram, k: int, cost: Callable[[Fragment], int], allowance: Allowance) -> Ranking:
    """Return the k shortest paths of a diagram."""
    length = [cost(fragment) for fragment in diagram.fragments]
    rankings: list[Ranking] = [[(0, ())]]

    def through(label: int, child: int) -> Iterator[Ranked]:
        fragment, added = diagram.fragments[label], length[label]
        return ((added + cost, (fragment, path)) for cost, path in rankings[child])

    for node in range(1, diagram.size):
        allowance.spend()
        ways = [through(label, child) for label, child in diagram.arcs(node)]
        rankings.append(list(islice(merge(*ways, key=itemgetter(0)), k)))
    return rankings[-1]


def _pairs(first: Ranking, second: Ranking, k: int, allowance: Allowance) -> Ranking:
    """Return the k cheapest combinations of a solution of each of two rankings.

    The combination (i, j) follows (i, j - 1), and (i, 0) follows (i - 1, 0), so a heap has at most one open
    combination for each i (Lawler 1972).
    """
    found: Ranking = []
    heap = [(first[0][0] + second[0][0], 0, 0)]
    while heap and len(found) < k:
        allowance.spend()
        cost, i, j = heappop(heap)
        found.append((cost, (first[i][1], second[j][1])))
        if j + 1 < len(second):
            heappush(heap, (first[i][0] + second[j + 1][0], i, j + 1))
        if j == 0 and i + 1 < len(first):
            heappush(heap, (first[i + 1][0] + second[0][0], i + 1, 0))
    return found


def joined(nested: tuple[Any, ...]) -> Iterator[tuple[int, int]]:
    """Yield the pairs (variable, value) of a solution of a ``Ranking``."""
    waiting: list[Any] = [nested]
    while waiting:
        part = waiting.pop()
        if len(part) == 2 and isinstance(part[0], int):
            yield part
        else:
            waiting += part
