"""Propagation of a domino cover of a large board by perfect matchings, which rest on alternating paths."""

from __future__ import annotations

from milp_pips.algorithms.connectivity import component_of
from milp_pips.algorithms.matching import (
    Barrier,
    perfect_matching,
    two_colouring,
    unmatchable_edges,
)
from milp_pips.constraints.domino_cover.propagation import PropagatedCover
from milp_pips.problem.errors import Contradiction


class PropagatedMatching:
    """A perfect matching of a cover's cells, and with it the edges that are in none (Régin 1994).

    The propagator repairs the matching after edges were lost, and revisits only the components with lost
    edges: a search changes little at a time, and backtracking only adds edges, so the matching stays valid.
    If the board is not bipartite, no edge is dropped; the propagator only checks that there is a perfect
    matching.
    """

    def __init__(self, cover: PropagatedCover):
        self._cover = cover
        self._mate = [-1] * len(cover.near)
        self._colour: list[int] | None = None
        self._begun = False

    def __call__(self) -> None:
        """Drop the edges that are in no perfect matching. Raises Contradiction if there is no matching."""
        cover = self._cover
        near, lost = cover.near, cover.unmatched
        if not self._begun:
            self._colour = two_colouring(near)
            lost.update(range(len(near)))
        free = [i for i in lost if self._mate[i] not in near[i]]
        if free:  # repair the matching, or find the barrier that proves there is none
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
                around.update(component_of(i, near))
        lost.clear()
        if self._colour is not None and around:
            for i, j in unmatchable_edges(near, self._colour, self._mate, around):
                cover.drop(i, j)
            lost.clear()  # the dropped edges were in no matching, so no other edge depends on them
