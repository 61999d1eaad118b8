"""Compute what a few facts leave open: the values of cells and the positions of dominoes.

A sentence must not reveal more than its step knows, so this module uses only the facts of the step and what
always holds.
"""

from __future__ import annotations

from collections.abc import Iterable

from milp_pips.algorithms.matching import Barrier, perfect_matching
from milp_pips.constraints import Fixed
from milp_pips.constraints.domino_cover.tiling import Tiling
from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.groups import ConstraintGroup, GroupedProblem


class Scene:
    """The board as restricted by facts.

    Parameters
    ----------
    grouped
        The problem as a set of items.
    facts, items
        The known facts, and the items, whose givens and moves count as known too.
    cells
        Cells, by their value variables, that are examined closely: they keep only partners with which
        dominoes can cover the board.

    Attributes
    ----------
    shown
        The values that the facts leave to each variable.
    left
        Those of them that remain when dominoes must cover the board.
    """

    def __init__(
        self,
        grouped: GroupedProblem,
        facts: Iterable[Fact] = (),
        items: Iterable[ConstraintGroup] = (),
        cells: Iterable[int] = (),
    ):
        self.shown = [set(variable.domain) for variable in grouped.variables]
        self.tilings = [c for c in grouped.hard if isinstance(c, Tiling)]
        of = {v: tiling for tiling in self.tilings for v in tiling.partners}
        for v, value, holds in facts:
            self._restrict(v, value, holds)
            if v in of:
                partners = of[v].partners
                self._restrict(partners[value], partners.index(v), holds)
        for item in items:
            if isinstance(item.piece, Fixed):
                self._restrict(item.piece.variable, item.piece.value, True)
        self.left = [set(domain) for domain in self.shown]
        for tiling in self.tilings:
            self._propagate(tiling)
            for v in cells:
                if v in tiling.values and self._look_closely(tiling, tiling.values.index(v)):
                    self._propagate(tiling)

    def _restrict(self, v: int, value: int, holds: bool) -> None:
        self.shown[v] = self.shown[v] & {value} if holds else self.shown[v] - {value}

    def fitting(self, tiling: Tiling, i: int, j: int) -> set[tuple[int, int]]:
        """Return the ordered pairs of values that a domino on cells ``i`` and ``j`` can show."""
        if j not in self.left[tiling.partners[i]] or i not in self.left[tiling.partners[j]]:
            return set()
        one, other = self.left[tiling.values[i]], self.left[tiling.values[j]]
        both = {*tiling.kinds, *((b, a) for a, b in tiling.kinds)}
        return {(a, b) for a, b in both if a in one and b in other}

    def places(self, tiling: Tiling, kind: tuple[int, int]) -> list[tuple[int, int]]:
        """Return the edges on which a domino of the kind can lie."""
        return [edge for edge in tiling.edges if {kind, kind[::-1]} & self.fitting(tiling, *edge)]

    def lies(self, tiling: Tiling, i: int) -> int | None:
        """Return the cell that shares the domino of cell ``i``, if there is only one candidate."""
        near = self.left[tiling.partners[i]]
        return next(iter(near)) if len(near) == 1 else None

    def _propagate(self, tiling: Tiling) -> None:
        """Remove values and partners that no domino allows, until nothing changes."""
        while True:
            before = sum(map(len, self.left))
            shown = [set[int]() for _ in tiling.values]
            near = [set[int]() for _ in tiling.values]
            for i, j in tiling.edges:
                if fitting := self.fitting(tiling, i, j):
                    near[i].add(j)
                    near[j].add(i)
                    shown[i] |= {a for a, _ in fitting}
                    shown[j] |= {b for _, b in fitting}
            for i, js in enumerate(near):
                if len(js) == 1:
                    (j,) = js
                    near[j] &= {i}
            for i, v in enumerate(tiling.values):
                self.left[v] &= shown[i]
                self.left[tiling.partners[i]] &= near[i]
            if sum(map(len, self.left)) == before:
                return

    def _look_closely(self, tiling: Tiling, i: int) -> bool:
        """Remove a cell's partners with which dominoes cannot cover the board; return whether any were."""
        near = self.left[tiling.partners[i]]
        kept = {j for j in near if len(near) > 1 and self._is_coverable(tiling, {i, j})} or set(near)
        self.left[tiling.partners[i]] = kept
        return len(kept) < len(near)

    def _is_coverable(self, tiling: Tiling, without: set[int]) -> bool:
        """Whether dominoes can cover the board without these cells."""
        cells = [i for i in range(len(tiling.values)) if i not in without]
        number = {i: k for k, i in enumerate(cells)}
        near = [[number[j] for j in self.left[tiling.partners[i]] if j in number] for i in cells]
        graph = [[j for j in js if i in near[j]] for i, js in enumerate(near)]
        return not isinstance(perfect_matching(graph), Barrier)
