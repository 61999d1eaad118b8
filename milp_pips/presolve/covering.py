"""What a ``DominoCover`` takes from the cells: values no domino can put there, edges no domino can lie on.

Stronger reasoning was measured and left out, for it hardly took anything that the rest does not: edges in no
perfect matching of the board (Régin 1994), and dominoes that fit on a single edge.
"""

from __future__ import annotations

from milp_pips.presolve.domains import Contradiction, Domains
from milp_pips.problem import DominoCover, Problem


class Covering:
    """A domino cover while its domains and its edges shrink.

    ``near`` has, for each cell, the cells that may still share its domino; ``waiting`` the cells around which
    something has changed.

    Parameters
    ----------
    problem, cover
        The problem and the cover in it; its variables are different ones.
    domains
        The domains of the value variables.

    Raises
    ------
    Contradiction
        If there are too many or too few dominoes.
    """

    def __init__(self, problem: Problem, cover: DominoCover, domains: Domains):
        cells, dominoes = len(cover.values), len(cover.dominoes)
        if cells != 2 * dominoes:
            raise Contradiction(f"{cells} cells cannot be covered by {dominoes} dominoes")
        self.cover, self._domains = cover, domains
        self.near: list[set[int]] = [set() for _ in range(cells)]
        partners = [problem.variables[v].domain for v in cover.partners]
        for i, j in cover.edges:
            if j in partners[i] and i in partners[j]:
                self.near[i].add(j)
                self.near[j].add(i)
        self.waiting = list(range(cells))
        self._names = [problem.variables[v].name for v in cover.values]
        self._cell = {v: i for i, v in enumerate(cover.values)}
        self._left = cover.kinds
        self._laid: set[int] = set()
        self._beside_value: dict[int, int] = {}
        self._beside: dict[int, int] = {}
        self._take_stock()
        self._used_up = False

    def notice(self, v: int) -> None:
        """Wait to look around the cell of a variable that has changed, if it is one."""
        i = self._cell.get(v)
        if i is not None:
            self.waiting.append(i)
            self.waiting += self.near[i]

    def look_at_cells(self) -> None:
        """Keep, around waiting cells, the values and edges that have a domino. Raises Contradiction."""
        values, masks, known = self.cover.values, self._domains.masks, self._beside
        waiting = self.waiting
        while waiting:
            i = waiting.pop()
            if i in self._laid:
                continue
            mask, supported, useless = masks[values[i]], 0, []
            for j in self.near[i]:
                other = masks[values[j]]
                beside = known.get(other)
                if beside is None:
                    beside = self._work_out_beside(other)
                if mask & beside:
                    supported |= beside
                else:
                    useless.append(j)
            for j in useless:
                self._drop(i, j)
            if mask & ~supported or not supported:
                self._domains.keep(values[i], supported, f"no domino fits on {self._names[i]}")
            if len(self.near[i]) == 1:
                (j,) = self.near[i]
                self._pair(i, j)

    def look_at_stock(self) -> None:
        """Look at all cells again if a kind of domino has been used up."""
        if self._used_up:
            self._used_up = False
            self._take_stock()
            self.waiting += [i for i in range(len(self.near)) if i not in self._laid]

    def _take_stock(self) -> None:
        """Note which values the dominoes that are left put beside which."""
        bit, beside = self._domains.bit, self._beside_value
        beside.clear()
        self._beside.clear()
        for (a, b), times in self._left.items():
            if times and a in bit and b in bit:
                beside[bit[a]] = beside.get(bit[a], 0) | bit[b]
                beside[bit[b]] = beside.get(bit[b], 0) | bit[a]

    def _work_out_beside(self, mask: int) -> int:
        """Return, and know from now on, the values that can lie beside one of the mask."""
        beside = 0
        for bit, others in self._beside_value.items():
            if mask & bit:
                beside |= others
        self._beside[mask] = beside
        return beside

    def _drop(self, i: int, j: int) -> None:
        self.near[i].discard(j)
        self.near[j].discard(i)
        self.waiting += (i, j)

    def _pair(self, i: int, j: int) -> None:
        """Let the cells share a domino; note which one if it is known."""
        for k in self.near[j] - {i}:
            self._drop(j, k)
        a, b, masks = self.cover.values[i], self.cover.values[j], self._domains.masks
        if masks[a].bit_count() == masks[b].bit_count() == 1:
            low, high = sorted((self._domains.least(a), self._domains.least(b)))
            self._laid |= {i, j}
            self._left[low, high] -= 1
            if self._left[low, high] < 0:
                raise Contradiction(f"domino {low}-{high} is needed more often than it is there")
            self._used_up |= not self._left[low, high]
