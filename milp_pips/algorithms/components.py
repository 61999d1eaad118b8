"""Which choices of a matching, or of a flow, belong to no other: by strong components (Régin 1994, 1996).

An edge that a perfect matching does not use lies in another one exactly if it closes a cycle of edges used
and unused in turn; that is, if two nodes of a directed graph are in one strong component.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from milp_pips.algorithms.matching import Graph, Matching


def two_colouring(near: Graph) -> list[int] | None:
    """Return a colour, 0 or 1, for each cell, not that of a neighbour; None if that is impossible."""
    colour = [-1] * len(near)
    for start in range(len(near)):
        if colour[start] < 0:
            colour[start] = 0
            part = [start]
            for i in part:
                other = 1 - colour[i]
                for j in near[i]:
                    if colour[j] < 0:
                        colour[j] = other
                        part.append(j)
                    elif colour[j] != other:
                        return None
    return colour


def unmatchable_edges(
    near: Graph, colour: Sequence[int], mate: Matching, cells: Iterable[int]
) -> list[tuple[int, int]]:
    """Return the edges that are in no perfect matching, given one of these.

    Looked at are the cells named, which are whole parts of a two-coloured graph.
    """
    dark = [i for i in cells if not colour[i] and len(near[i]) > 1]
    number = {mate[i]: n for n, i in enumerate(dark)}
    following = [[number[j] for j in near[i] if j in number] for i in dark]
    part = strong_components(following)
    return [
        (i, j) for n, i in enumerate(dark) for j in near[i] if j not in number or part[n] != part[number[j]]
    ]


def strong_components(following: Sequence[Iterable[int]]) -> list[int]:
    """Return the number of the strong component of each node of a directed graph (Tarjan 1972)."""
    size, found = len(following), 0
    number, low, part = [0] * size, [0] * size, [-1] * size
    open_nodes: list[int] = []
    for start in range(size):
        if number[start]:
            continue
        found += 1
        number[start] = low[start] = found
        open_nodes.append(start)
        way = [(start, iter(following[start]))]
        while way:
            i, others = way[-1]
            for j in others:
                if not number[j]:
                    found += 1
                    number[j] = low[j] = found
                    open_nodes.append(j)
                    way.append((j, iter(following[j])))
                    break
                if part[j] < 0 and number[j] < low[i]:
                    low[i] = number[j]
            else:
                way.pop()
                if way and low[i] < low[way[-1][0]]:
                    low[way[-1][0]] = low[i]
                if low[i] == number[i]:
                    while part[i] < 0:
                        part[open_nodes.pop()] = i
    return part
