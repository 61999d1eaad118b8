"""Propagation of a domino cover, cell by cell: which values and neighbours some remaining domino supports.

On large boards two more propagators run: perfect matchings (``matchings.py``) and kinds of dominoes
(``kinds.py``). Measurements on puzzles made by people left them out for small boards, since they remove next
to nothing there beyond the rest. If pips are given they remove many of the open values, most by alternating.
"""

from __future__ import annotations

from milp_pips.constraints.domino_cover.board import Board, adjacency_lists
from milp_pips.problem.constraint import Domains
from milp_pips.problem.errors import Contradiction


class PropagatedCover:
    """The state of a domino cover while its domains and edges shrink; its variables must be distinct.

    ``near`` has, for each cell, the cells that may still share its domino. ``laid`` tells whether the domino
    of a cell is known, and ``left`` how many dominoes of each kind remain for the other cells. ``waiting``
    lists the cells to propagate, because something near them has changed. ``touched`` has the cells that have
    changed themselves or lost an edge, and ``unmatched`` both ends of lost edges; other propagators read and
    clear these two sets. ``near`` takes the place of the masks of the partners, which are neither read nor
    changed. Raises Contradiction if there are too many or too few dominoes.
    """

    def __init__(self, cover: Board, domains: Domains):
        self.left = {kind: most for kind, (_, most) in cover.bounds.items()}
        cells, dominoes = len(cover.values), sum(self.left.values())
        if cells != 2 * dominoes:
            raise Contradiction(f"{cells} cells cannot be covered by {dominoes} dominoes")
        self.cover, self._domains, self._trail = cover, domains, domains.trail
        self.near = list(map(frozenset, adjacency_lists(cells, cover.open_edges(domains.domain))))
        self.touched: set[int] = set()
        self.unmatched: set[int] = set()
        self.waiting = list(range(cells))
        self.names = [domains.name(v) for v in cover.values]
        self._cell = {v: i for i, v in enumerate(cover.values)}
        self.laid = [False] * cells
        self._beside_value: dict[int, int] = {}
        self._beside: dict[int, int] = {}
        self._pair_values()
        self._used_up: list[tuple[int, int]] = []

    def wake(self, v: int) -> None:
        """Queue the cell of a changed variable and its neighbours; do nothing if no cell has the variable."""
        i = self._cell.get(v)
        if i is not None:
            self.touched.add(i)
            self.waiting.append(i)
            self.waiting += self.near[i]

    def wake_if_used_up(self) -> None:
        """Queue the cells that could show a kind of domino of which the last one has been laid."""
        if self._used_up:
            beside, masks, shown = self._beside_value, self._domains.masks, 0
            for one, other in self._used_up:
                shown |= one | other
                self._trail.write(beside, one, beside[one] & ~other)
                self._trail.write(beside, other, beside[other] & ~one)
            self._used_up.clear()
            self._beside.clear()
            values, laid = self.cover.values, self.laid
            self.waiting += [i for i, v in enumerate(values) if masks[v] & shown and not laid[i]]

    def forget(self) -> None:
        """Clear all queues and caches after backtracking, since dominoes may be available again."""
        self.waiting.clear()
        self.touched.clear()
        self.unmatched.clear()
        self._beside.clear()
        self._used_up.clear()

    def __call__(self) -> None:
        """Keep, at the queued cells, the values and edges that a domino supports. Raises Contradiction."""
        values, masks, known = self.cover.values, self._domains.masks, self._beside
        waiting, laid, near = self.waiting, self.laid, self.near
        while waiting:
            i = waiting.pop()
            if laid[i]:
                continue
            mask, supported, useless = masks[values[i]], 0, []
            for j in near[i]:
                other = masks[values[j]]
                beside = known.get(other)
                if beside is None:
                    beside = known[other] = self._values_beside(other)
                if mask & beside:
                    supported |= beside
                else:
                    useless.append(j)
            for j in useless:
                self.drop(i, j)
            if mask & ~supported or not supported:
                self._domains.keep(values[i], supported, f"no domino fits on {self.names[i]}")
            if len(near[i]) == 1:
                (j,) = near[i]
                if len(near[j]) > 1:
                    self.match(i, j)
                one, other = masks[values[i]], masks[values[j]]
                if not one & (one - 1) and not other & (other - 1):
                    self._lay(i, j)

    def _pair_values(self) -> None:
        """Compute, for each value, the values beside it on the remaining dominoes."""
        bit, beside = self._domains.bit, self._beside_value
        for (a, b), times in self.left.items():
            if times and a in bit and b in bit:
                beside[bit[a]] = beside.get(bit[a], 0) | bit[b]
                beside[bit[b]] = beside.get(bit[b], 0) | bit[a]

    def _values_beside(self, mask: int) -> int:
        """Return the mask of values that can lie beside a value of ``mask``."""
        beside = 0
        for bit, others in self._beside_value.items():
            if mask & bit:
                beside |= others
        return beside

    def drop(self, i: int, j: int) -> None:
        """Remove the edge between these cells, if it still exists."""
        near = self.near
        if j in near[i]:
            self._trail.write(near, i, near[i] - {j})
            self._trail.write(near, j, near[j] - {i})
            self.touched.add(i)
            self.unmatched.update((i, j))
            self.waiting += (i, j)

    def match(self, i: int, j: int) -> None:
        """Make the cells partners: drop all other edges of both."""
        for end, other in ((i, j), (j, i)):
            for k in self.near[end] - {other}:
                self.drop(end, k)

    def _lay(self, i: int, j: int) -> None:
        """Count the domino on two cells, whose values are known. Raises Contradiction if none remains."""
        a, b, masks = self.cover.values[i], self.cover.values[j], self._domains.masks
        low, high = sorted((self._domains.least(a), self._domains.least(b)))
        times = self.left.get((low, high), 0) - 1
        if times < 0:
            raise Contradiction(f"more dominoes {low}-{high} are needed than there are")
        self._trail.write(self.laid, i, True)
        self._trail.write(self.laid, j, True)
        self._trail.write(self.left, (low, high), times)
        if not times:
            self._used_up.append((masks[a], masks[b]))
