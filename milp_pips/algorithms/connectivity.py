"""Components and cut vertices of a graph, given as the neighbours of each node."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def component_of(start: int, near: Sequence[Sequence[int]], kept: Callable[[int], object]) -> list[int]:
    """Return the nodes that the start reaches over kept nodes, the start first."""
    found, seen = [start], {start}
    for i in found:
        for j in near[i]:
            if j not in seen and kept(j):
                seen.add(j)
                found.append(j)
    return found


def separators(
    root: int, near: Sequence[Sequence[int]], kept: Callable[[int], object], marked: Callable[[int], object]
) -> list[int]:
    """Return the kept nodes that separate the root from a marked node, the root itself left out.

    The nodes are found by one depth-first search (Hopcroft and Tarjan 1973): a node separates a subtree of
    the search from the root if no edge leads from the subtree to above the node. It counts if the subtree has
    a marked node.
    """
    order = {root: 0}
    low, has_marked = {root: 0}, {root: bool(marked(root))}
    found: list[int] = []
    path = [(root, iter(near[root]))]
    while path:
        i, others = path[-1]
        for j in others:
            if j in order:
                low[i] = min(low[i], order[j])
            elif kept(j):
                order[j] = low[j] = len(order)
                has_marked[j] = bool(marked(j))
                path.append((j, iter(near[j])))
                break
        else:
            path.pop()
            if path:
                above = path[-1][0]
                low[above] = min(low[above], low[i])
                has_marked[above] |= has_marked[i]
                if above != root and low[i] >= order[above] and has_marked[i]:
                    found.append(above)
    return list(dict.fromkeys(found))
