"""What the kinds of dominoes take from a board: where each can still lie, and whom that leaves no room.

Cells and kinds are the items of an exact cover, edges its options (Knuth 2000). A kind with as many places as
it has dominoes lies on all of them; an edge that touches so many places of a kind that too few would be left
holds no domino. Where pips are mostly known this decides far more than the cells by themselves do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from milp_pips.propagation.domains import Contradiction, Domains

if TYPE_CHECKING:
    from milp_pips.propagation.cover import PropagatedCover

Edge: TypeAlias = tuple[int, int]
"""Two cells that a domino can cover, the lower number first."""

Kind: TypeAlias = tuple[int, int]
"""A kind of domino, the lower pip first."""

NARROW = 2
"""Values that a cell can take on average, up to which kinds are looked at (``benchmarks/filtering.py``)."""

MAX_SPARE_PLACES = 3
"""Places beyond its dominoes up to which a kind is asked whom it leaves no room; beyond, hardly anybody."""


class PropagatedKinds:
    """The edges on which each kind of domino can still lie, kept up while domains and edges shrink."""

    def __init__(self, cover: PropagatedCover, domains: Domains):
        self._cover, self._domains = cover, domains
        self._times: dict[Kind, int] = {}
        self._near_at_first: list[frozenset[int]] = []
        self._kinds_on: dict[Edge, tuple[Kind, ...]] = {}
        self._places: dict[Kind, frozenset[Edge]] = {}
        self._fitting: dict[tuple[int, int], tuple[Kind, ...]] = {}
        self._waiting: dict[Kind, None] = {}
        self._waiting_cells: set[int] = set()

    def propagate(self) -> None:
        """Lay the kinds that fit nowhere else, and drop the edges that would leave one no room.

        Does nothing before ``begin``. Raises Contradiction.
        """
        self._update()
        while self._waiting:
            self._propagate_kind(self._waiting.popitem()[0])
        while self._waiting_cells:
            self._propagate_cell(self._waiting_cells.pop())

    def begin(self) -> None:
        """List the places of the kinds that are left, once, and propagate, if the cells have few values each.

        Else every kind has many places, and listing them would cost more than all the rest.
        """
        if self._places or not self._are_values_narrow():
            return
        near = self._cover.near
        if max(map(len, near), default=1) == 1:
            return
        self._cover.touched.clear()
        self._near_at_first = list(near)
        laid, self._times = self._cover.laid, {kind: n for kind, n in self._cover.left.items() if n}
        places: dict[Kind, list[Edge]] = {kind: [] for kind in self._times}
        for i, cells in enumerate(near):
            for j in cells if not laid[i] else ():
                if i < j:
                    kinds = self._kinds_on[i, j] = self._kinds_fitting(i, j)
                    for kind in kinds:
                        places[kind].append((i, j))
        self._places = {kind: frozenset(edges) for kind, edges in places.items()}
        self._waiting = dict.fromkeys(self._times)
        self._waiting_cells.update([i for i, cells in enumerate(near) if len(cells) > 1])
        self.propagate()

    def forget(self) -> None:
        """Wait for nothing."""
        self._waiting.clear()
        self._waiting_cells.clear()

    def _are_values_narrow(self) -> bool:
        values, masks = self._cover.cover.values, self._domains.masks
        return sum([masks[v].bit_count() for v in values]) <= NARROW * len(values)

    def _update(self) -> None:
        """Take the places that kinds have lost since the last time, and let those kinds wait."""
        if not self._places:
            return
        near, touched, kinds_on = self._cover.near, self._cover.touched, self._kinds_on
        places, trail = self._places, self._domains.trail
        while touched:
            i = touched.pop()
            for j in self._near_at_first[i]:
                edge = (i, j) if i < j else (j, i)
                before = kinds_on.get(edge, ())
                if not before:
                    continue
                after = self._kinds_fitting(*edge) if j in near[i] else ()
                if after is not before:
                    trail.write(kinds_on, edge, after)
                    for kind in before:
                        if kind not in after:
                            trail.write(places, kind, places[kind] - {edge})
                            self._waiting[kind] = None
                    self._waiting_cells.update(edge)

    def _kinds_fitting(self, i: int, j: int) -> tuple[Kind, ...]:
        """Return the kinds that fit on the cells by their values; the very same tuple for the same values."""
        u, v = self._cover.cover.values[i], self._cover.cover.values[j]
        masks = self._domains.masks[u], self._domains.masks[v]
        known = self._fitting.get(masks)
        if known is None:
            first, second = self._domains.taken(u), self._domains.taken(v)
            pairs = {(a, b) if a <= b else (b, a): None for a in first for b in second}
            known = self._fitting[masks] = tuple([kind for kind in pairs if kind in self._times])
        return known

    def _propagate_kind(self, kind: Kind) -> None:
        places, times = self._places[kind], self._times[kind]
        spare = len(places) - times
        if not places:
            raise Contradiction(f"domino {kind[0]}-{kind[1]} has no place left")
        if spare < 0:
            raise Contradiction(
                f"there are places for {len(places)} of {times} dominoes {kind[0]}-{kind[1]} only"
            )
        if spare == 0:
            for i, j in places:
                self._lay(kind, i, j)
        elif spare <= MAX_SPARE_PLACES:
            touching: dict[int, int] = {}
            for place in places:
                for i in place:
                    touching[i] = touching.get(i, 0) + 1
            if 2 * max(touching.values()) > spare:
                self._leave_room(places, touching, spare)

    def _lay(self, kind: Kind, i: int, j: int) -> None:
        """Let a domino of the kind lie on the edge, either way round if both are open."""
        cover, domains = self._cover, self._domains
        a, b = domains.bit[kind[0]], domains.bit[kind[1]]
        u, v = cover.cover.values[i], cover.cover.values[j]
        first, second, masks = 0, 0, domains.masks
        if masks[u] & a and masks[v] & b:
            first, second = a, b
        if masks[u] & b and masks[v] & a:
            first, second = first | b, second | a
        why = f"domino {kind[0]}-{kind[1]} has no place left"
        domains.keep(u, first, why)
        domains.keep(v, second, why)
        cover.match(i, j)

    def _leave_room(self, places: frozenset[Edge], touching: dict[int, int], spare: int) -> None:
        """Drop the edges that touch more places of a kind, themselves apart, than it can spare."""
        near = self._cover.near
        crowded = []
        for i, times in touching.items():
            for j in near[i]:
                other = touching.get(j, 0)
                if times + other > spare and (i < j or not other):
                    edge = (i, j) if i < j else (j, i)
                    if edge not in places or times + other - 2 > spare:
                        crowded.append(edge)
        for i, j in crowded:
            self._cover.drop(i, j)

    def _propagate_cell(self, i: int) -> None:
        """Drop the edges that conflict with both edges on which the cell can still be covered.

        Where three and more are left, next to none conflicts with all of them.
        """
        near = self._cover.near
        if len(near[i]) == 2:
            one, other = near[i]
            for j, k in self._conflicting(i, one) & self._conflicting(i, other):
                self._cover.drop(j, k)

    def _conflicting(self, i: int, j: int) -> set[Edge]:
        """Return the edges, none at the first cell, that hold none if a domino lies on these two cells."""
        found = {(j, k) if j < k else (k, j) for k in self._cover.near[j] if k != i}
        kinds = self._kinds_on[(i, j) if i < j else (j, i)]
        if len(kinds) == 1 and self._times[kinds[0]] == 1:
            found |= {
                place
                for place in self._places[kinds[0]]
                if i not in place and len(self._kinds_on[place]) == 1
            }
        return found
