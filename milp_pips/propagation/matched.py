"""What perfect matchings take from a board: the edges that are in none of them (Régin 1994).

A matching is kept and repaired where it has lost an edge, and only the parts of the board around lost edges
are looked at again: what a search tries changes little, and what it takes back makes no matching wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from milp_pips.algorithms.components import two_colouring, unmatchable_edges
from milp_pips.algorithms.matching import Barrier, connected_part, perfect_matching
from milp_pips.propagation.domains import Contradiction

if TYPE_CHECKING:
    from milp_pips.propagation.cover import PropagatedCover


class PropagatedMatching:
    """A perfect matching of a cover's cells, kept up while the edges shrink.

    On a board that cannot be coloured like a chessboard no edge is dropped; only whether there is a perfect
    matching is looked at.
    """

    def __init__(self, cover: PropagatedCover):
        self._cover = cover
        self._mate = [-1] * len(cover.near)
        self._colour: list[int] | None = None
        self._begun = False

    def propagate(self) -> None:
        """Drop the edges that are in no perfect matching. Raises Contradiction if there is none."""
        cover = self._cover
        near, lost = cover.near, cover.unmatched
        if not self._begun:
            self._colour = two_colouring(near)
            lost.update(range(len(near)))
        free = [i for i in lost if self._mate[i] not in near[i]]
        if free:
            mate = self._mate.copy()
            for i in free:
                mate[i] = -1
            matching = perfect_matching(near, mate=mate if self._begun else None)
            if isinstance(matching, Barrier):
                reason = matching.proof(near, cover.names)
                if reason:
                    raise Contradiction(reason)
                return
            if matching is not None:
                self._mate = matching
        self._begun = True
        around: set[int] = set()
        for i in lost if self._colour is not None else ():
            if i not in around and len(near[i]) > 1:
                around.update(connected_part(near, i))
        lost.clear()
        if self._colour is not None and around:
            for i, j in unmatchable_edges(near, self._colour, self._mate, around):
                cover.drop(i, j)
            lost.clear()  # what was dropped lies in no matching, so that nothing else hangs on it
