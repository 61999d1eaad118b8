"""Perfect matchings of a board, where dominoes could lie whatever they show, or the proof that it has none.

Edmonds' algorithm (1965): grow a tree of alternating paths from a free cell, contract the odd cycles
(blossoms) it meets, and turn round the first path that ends in another free cell. On a grid, which is
bipartite, no blossom ever appears. A greedy start that serves cells with one choice first (Karp, Sipser 1981)
leaves few cells free, so the whole is quick however large the board. Where a tree ends without such a path,
its odd cells are a barrier: without them the board falls into more parts of odd size than they can serve.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from random import Random
from typing import NamedTuple, TypeAlias

Matching: TypeAlias = list[int]
"""The partner of each cell; -1 for a free one."""

Graph: TypeAlias = Sequence[Collection[int]]
"""The neighbours of each cell."""


class Barrier(NamedTuple):
    """Cells without which the graph falls into more parts of odd size than they are (Tutte 1947, Berge 1958).

    Each such part needs one of the cells, so there is no perfect matching.
    """

    cells: frozenset[int]

    def proof(self, near: Graph, names: Sequence[str]) -> str | None:
        """Return the proof in a sentence, worked out from the graph alone; None if the cells prove nothing.

        Where enough parts are single cells, these have fewer neighbours than they are (Hall 1935).
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
    """Return a perfect matching of the graph, or why there is none; None if stopped.

    Parameters
    ----------
    near
        The neighbours of each cell.
    rng
        Decides which matching; matchings are not equally likely. Without it always the same.
    stop
        Called before each search; a true value stops.
    mate
        A matching to begin with, which is changed; without it a greedy one.
    """
    if mate is None:
        mate = _greedy_matching(near, rng)
    for root in range(len(near)):
        if mate[root] < 0:
            if stop is not None and stop():
                return None
            barrier = _augment(near, mate, root)
            if barrier is not None:  # a cell that no path frees stays free in some maximum matching
                return Barrier(barrier)
    return mate


def _greedy_matching(near: Graph, rng: Random | None) -> Matching:
    """Match cells that have one free neighbour as soon as they appear, else any cell with any neighbour."""
    mate = [-1] * len(near)
    choices = [len(cells) for cells in near]
    order = list(range(len(near)))
    if rng is not None:
        rng.shuffle(order)
    single = [i for i in order if choices[i] == 1]
    while order:
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
    """Turn round an alternating path from the free cell ``root`` to another one; a barrier if there is none.

    Only cells that the tree reaches are touched.
    """
    parent: dict[int, int] = {}  # of an odd cell: the even cell it was reached from
    base: dict[int, int] = {root: root}  # of an even cell: a step towards the base of its blossom
    queue = deque([root])

    def find(i: int) -> int:
        while base.get(i, i) != i:
            base[i] = base.get(base[i], base[i])
            i = base[i]
        return i

    def common_base(i: int, j: int) -> int:
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
        """Return the cells from ``i`` up to ``top``, whose parents now lead round by way of ``other``."""
        way = []
        while find(i) != top:
            parent[i] = other
            other = mate[i]
            way += [i, other]
            i = parent[other]
        return way

    def contract(cells: list[int], top: int) -> None:
        """Make all cells of a cycle even ones of the blossom."""
        for cell in cells:
            if cell not in base:
                queue.append(cell)
            base[find(cell)] = top

    while queue:
        i = queue.popleft()
        for j in near[i]:
            if j in base and find(j) != find(i):  # both even: an odd cycle
                top = common_base(i, j)
                contract(way_to(top, i, j) + way_to(top, j, i), top)
            elif j not in base and j not in parent:
                parent[j] = i
                if mate[j] < 0:
                    _exchange(mate, parent, j)
                    return None
                base[mate[j]] = mate[j]
                queue.append(mate[j])
    return frozenset(j for j in parent if j not in base)


def _exchange(mate: Matching, parent: dict[int, int], end: int) -> None:
    """Exchange matched and unmatched edges on the path that ends in the free cell ``end``."""
    while end >= 0:
        before = parent[end]
        following = mate[before]
        mate[end], mate[before] = before, end
        end = following


def _parts(near: Graph, removed: Collection[int]) -> list[list[int]]:
    """Return the connected parts of the graph without the cells that are removed."""
    seen, parts = set(removed), []
    for start in range(len(near)):
        if start not in seen:
            parts.append(connected_part(near, start, removed))
            seen.update(parts[-1])
    return parts


def connected_part(near: Graph, start: int, removed: Collection[int] = ()) -> list[int]:
    """Return the cells that ways lead to from a cell, itself among them; not by way of those removed."""
    seen, part = {start, *removed}, [start]
    for i in part:
        for j in near[i]:
            if j not in seen:
                seen.add(j)
                part.append(j)
    return part


def _cells(cells: Collection[int], names: Sequence[str]) -> str:
    """Return how many cells they are, and the name of one; there is at least one."""
    name = names[min(cells)]
    return name if len(cells) == 1 else f"{len(cells)} cells, {name} among them,"


# Which choices of a matching, or of a flow, belong to no other: by strong components (Régin 1994, 1996).
#
# An edge that a perfect matching does not use lies in another one exactly if it closes a cycle of edges
# used and unused in turn; that is, if two nodes of a directed graph are in one strong component.


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


# Disjoint sets of numbers.


class Groups:
    """Disjoint sets of the numbers 0, 1, …, at first each alone (Galler and Fischer 1964)."""

    def __init__(self, size: int):
        self._parents = list(range(size))

    def add(self) -> int:
        """Return a further number, alone in its set."""
        self._parents.append(len(self._parents))
        return len(self._parents) - 1

    def of(self, number: int) -> int:
        """Return the number that stands for the set of this one."""
        parents = self._parents
        while parents[number] != number:
            parents[number] = number = parents[parents[number]]
        return number

    def join(self, numbers: Iterable[int]) -> None:
        """Make one set of the sets of these numbers."""
        first = -1
        for number in numbers:
            root = self.of(number)
            if first < 0:
                first = root
            self._parents[root] = first

    def sets(self, numbers: Iterable[int]) -> list[list[int]]:
        """Return these numbers, those of each set together, in the order in which the sets are met."""
        sets: dict[int, list[int]] = {}
        for number in numbers:
            sets.setdefault(self.of(number), []).append(number)
        return list(sets.values())
