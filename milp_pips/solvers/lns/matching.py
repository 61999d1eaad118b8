"""Perfect matchings of a board: where dominoes could lie, whatever they show.

Edmonds' algorithm (1965): grow a tree of alternating paths from a free cell, contract the odd cycles
(blossoms) it meets, and turn round the first path that ends in another free cell. On a grid, which is
bipartite, no blossom ever appears. A greedy start that serves cells with one choice first (Karp, Sipser 1981)
leaves few cells free, so the whole is quick however large the board.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from milp_pips.watch import Watch

Matching = list[int]
"""The partner of each cell; -1 for a free one."""


def perfect_matching(near: Sequence[Sequence[int]], chance: Random, watch: Watch) -> Matching | None:
    """Return a random perfect matching of the graph; None where there is none, or if the watch says stop.

    Parameters
    ----------
    near
        The neighbours of each cell.
    chance
        Decides which one; matchings are not equally likely.
    watch
        Says when to stop.
    """
    mate = _greedy_matching(near, chance)
    for root in range(len(near)):
        if mate[root] < 0 and (watch.stop or not _augment(near, mate, root)):
            return None  # a cell that no path frees stays free in some maximum matching
    return mate


def _greedy_matching(near: Sequence[Sequence[int]], chance: Random) -> Matching:
    """Match cells that have one free neighbour as soon as they appear, else any cell with any neighbour."""
    mate = [-1] * len(near)
    choices = [len(cells) for cells in near]
    order = list(range(len(near)))
    chance.shuffle(order)
    single = [i for i in order if choices[i] == 1]
    while order:
        i = single.pop() if single else order.pop()
        free = [j for j in near[i] if mate[j] < 0] if mate[i] < 0 else []
        if not free:
            continue
        j = chance.choice(free)
        mate[i], mate[j] = j, i
        for end in (i, j):
            for k in near[end]:
                choices[k] -= 1
                if choices[k] == 1 and mate[k] < 0:
                    single.append(k)
    return mate


def _augment(near: Sequence[Sequence[int]], mate: Matching, root: int) -> bool:
    """Turn round an alternating path from the free cell ``root`` to another one; False if there is none.

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

    def contract(i: int, other: int, top: int) -> None:
        """Make every cell on the way from ``i`` up to ``top`` an even cell of the blossom."""
        while find(i) != top:
            parent[i] = other
            other = mate[i]
            for cell in (i, other):
                if cell not in base:
                    queue.append(cell)
                base[find(cell)] = top
                base[cell] = top
            i = parent[other]

    while queue:
        i = queue.popleft()
        for j in near[i]:
            if j in base and find(j) != find(i):  # both even: an odd cycle
                top = common_base(i, j)
                contract(i, j, top)
                contract(j, i, top)
            elif j not in base and j not in parent:
                parent[j] = i
                if mate[j] < 0:
                    _exchange(mate, parent, j)
                    return True
                base[mate[j]] = mate[j]
                queue.append(mate[j])
    return False


def _exchange(mate: Matching, parent: dict[int, int], end: int) -> None:
    """Exchange matched and unmatched edges on the path that ends in the free cell ``end``."""
    while end >= 0:
        before = parent[end]
        following = mate[before]
        mate[end], mate[before] = before, end
        end = following
