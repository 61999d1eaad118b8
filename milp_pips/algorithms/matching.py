"""Perfect matchings with proofs that there is none, and the edges that are in none.

A perfect matching of a board tells where dominoes could lie, whatever they show. It is found by Edmonds'
algorithm (1965): grow a tree of alternating paths from a free cell, contract the odd cycles (blossoms) that
the tree meets, and augment the matching along the first path that ends in another free cell. On a grid, which
is bipartite, no blossom ever appears. A greedy start that first serves cells with one choice (Karp, Sipser
1981) leaves few cells free, so the search is fast even on large boards. If a tree stops growing without such
a path, its odd cells form a barrier: removing them splits the board into more parts of odd size than there
are cells in the barrier.

The edges that belong to no perfect matching follow from one matching by strong components (Régin 1994, 1996).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from random import Random
from typing import NamedTuple, TypeAlias

from milp_pips.algorithms.connectivity import component_of, strong_components

Matching: TypeAlias = list[int]
"""The partner of each cell; -1 for a free cell."""

Graph: TypeAlias = Sequence[Collection[int]]
"""The neighbours of each cell."""


class Barrier(NamedTuple):
    """Cells whose removal leaves more parts of odd size than there are such cells (Tutte 1947, Berge 1958).

    Each part of odd size needs one of the cells, so there is no perfect matching.
    """

    cells: frozenset[int]

    def proof(self, near: Graph, names: Sequence[str]) -> str | None:
        """Return the proof in one sentence, derived from the graph alone; None if the cells prove nothing.

        If enough parts are single cells, these cells have fewer neighbours than their number (Hall 1935).
        """
        odd = [part for part in _parts(near, self.cells) if len(part) % 2]
        alone = [part[0] for part in odd if len(part) == 1]
        if len(alone) > len(self.cells):
            others = {0: "no other", 1: "only 1 other"}.get(len(self.cells), f"only {len(self.cells)} others")
            return f"dominoes cannot cover the board: {_cells(alone, names)} can share dominoes with {others}"
        if len(odd) > len(self.cells):
            where = f"without {_cells(self.cells, names)} it falls" if self.cells else "it falls"
            parts = f"{len(odd)} parts of odd size" if len(odd) > 1 else "a part of odd size"
            return f"dominoes cannot cover the board: {where} into {parts}, one with {names[odd[0][0]]}"
        return None


def perfect_matching(
    near: Graph,
    rng: Random | None = None,
    stop: Callable[[], object] | None = None,
    mate: Matching | None = None,
) -> Matching | Barrier | None:
    """Return a perfect matching of the graph, or a barrier that proves there is none; None if stopped.

    Parameters
    ----------
    near
        The neighbours of each cell.
    rng
        Makes the matching random, though not uniformly so; None for a deterministic matching.
    stop
        Called before each search for a path; a true result stops the algorithm.
    mate
        The matching to start from, which is changed in place; None for a greedy one.
    """
    if mate is None:
        mate = _greedy_matching(near, rng)
    for root in range(len(near)):  # invariant: mate is a matching, and cells once matched stay matched
        if mate[root] < 0:
            if stop is not None and stop():
                return None
            barrier = _augment(near, mate, root)
            if barrier is not None:  # without an augmenting path, root stays free in some maximum matching
                return Barrier(barrier)
    return mate


def _greedy_matching(near: Graph, rng: Random | None) -> Matching:
    """Return a maximal matching; a cell with only one free neighbour is matched before any other cell."""
    mate = [-1] * len(near)
    choices = [len(cells) for cells in near]
    order = list(range(len(near)))
    if rng is not None:
        rng.shuffle(order)
    single = [i for i in order if choices[i] == 1]
    while order:  # choices counts the free neighbours of each cell
        i = single.pop() if single else order.pop()
        free = [j for j in near[i] if mate[j] < 0] if mate[i] < 0 else []
        if not free:
            continue
        j = free[0] if rng is None else rng.choice(free)
        mate[i], mate[j] = j, i
        for end in (i, j):
            for k in near[end]:
                choices[k] -= 1
                if choices[k] == 1 and mate[k] < 0:
                    single.append(k)
    return mate


def _augment(near: Graph, mate: Matching, root: int) -> frozenset[int] | None:
    """Augment the matching along a path from the free cell ``root``; return a barrier if there is no path.

    The search visits only cells that its tree reaches. A cell is even if an alternating path of even length
    leads to it from the root, and odd if only paths of odd length are known.
    """
    parent: dict[int, int] = {}  # for an odd cell: the even cell from which it was reached
    base: dict[int, int] = {root: root}  # for an even cell: the next cell on the way to its blossom's base
    queue = deque([root])

    def find(i: int) -> int:
        """Return the base of the blossom that contains a cell; any other cell is its own base."""
        while base.get(i, i) != i:
            base[i] = base.get(base[i], base[i])
            i = base[i]
        return i

    def common_base(i: int, j: int) -> int:
        """Return the base of the blossom: the first cell that the ways of both cells to the root share."""
        passed = set()
        while True:
            i = find(i)
            passed.add(i)
            if mate[i] < 0:
                break
            i = parent[mate[i]]
        while True:
            j = find(j)
            if j in passed:
                return j
            j = parent[mate[j]]

    def way_to(top: int, i: int, other: int) -> list[int]:
        """Return the cells from ``i`` up to ``top``, and let their parents lead through ``other``."""
        way = []
        while find(i) != top:
            parent[i] = other
            other = mate[i]
            way += [i, other]
            i = parent[other]
        return way

    def contract(cells: list[int], top: int) -> None:
        """Contract a cycle: all its cells become even and join the blossom with the base ``top``."""
        for cell in cells:
            if cell not in base:
                queue.append(cell)
            base[find(cell)] = top

    while queue:  # the queue holds even cells whose neighbours have not been visited
        i = queue.popleft()
        for j in near[i]:
            if j in base and find(j) != find(i):  # both cells are even: the edge closes an odd cycle
                top = common_base(i, j)
                contract(way_to(top, i, j) + way_to(top, j, i), top)
            elif j not in base and j not in parent:  # a new cell: it becomes odd, and its partner even
                parent[j] = i
                if mate[j] < 0:
                    _exchange(mate, parent, j)
                    return None
                base[mate[j]] = mate[j]
                queue.append(mate[j])
    return frozenset(j for j in parent if j not in base)  # the odd cells


def _exchange(mate: Matching, parent: dict[int, int], end: int) -> None:
    """Exchange the matched and unmatched edges of the path from the root to the free cell ``end``."""
    while end >= 0:
        before = parent[end]
        following = mate[before]
        mate[end], mate[before] = before, end
        end = following


def _parts(near: Graph, removed: Collection[int]) -> list[list[int]]:
    """Return the connected components of the graph without the removed cells."""
    seen, parts = set(removed), []
    for start in range(len(near)):
        if start not in seen:
            parts.append(component_of(start, near, lambda i: i not in removed))
            seen.update(parts[-1])
    return parts


def _cells(cells: Collection[int], names: Sequence[str]) -> str:
    """Return the number of cells and the name of one of them as text; there must be at least one cell."""
    name = names[min(cells)]
    return name if len(cells) == 1 else f"{len(cells)} cells, {name} among them,"


# Edges that belong to no perfect matching, by strong components (Régin 1994, 1996): an edge outside a given
# perfect matching belongs to another one if and only if it lies on an alternating cycle, that is, if its two
# nodes of a directed graph are in the same strong component.


def two_colouring(near: Graph) -> list[int] | None:
    """Return a colour, 0 or 1, for each cell, so that neighbours differ; None if it is not bipartite."""
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
    """Return the edges at ``cells`` that belong to no perfect matching, given the perfect matching ``mate``.

    The graph is bipartite with the colouring ``colour``, and ``cells`` is a union of connected components.
    Edges of the matching whose cell of colour 0 has no other neighbour are skipped.
    """
    dark = [i for i in cells if not colour[i] and len(near[i]) > 1]
    number = {mate[i]: n for n, i in enumerate(dark)}
    following = [[number[j] for j in near[i] if j in number] for i in dark]
    part = strong_components(following)
    return [
        (i, j) for n, i in enumerate(dark) for j in near[i] if j not in number or part[n] != part[number[j]]
    ]
