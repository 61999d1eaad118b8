"""Propagation by kinds of dominoes: the edges where each kind can still lie, called its places.

Cells and kinds are the items of an exact cover, and edges are its options (Knuth 2000). If a kind has as many
places as dominoes, it lies on all of them. If an edge touches so many places of a kind that too few would
remain, it holds no domino. When most pips are known, this decides far more than propagation cell by cell.
"""

from __future__ import annotations

from milp_pips.constraints.domino_cover.board import Edge, Kind
from milp_pips.constraints.domino_cover.propagation import PropagatedCover
from milp_pips.problem.constraint import Domains
from milp_pips.problem.errors import Contradiction

NARROW = 2
"""Mean number of values per cell up to which kinds are propagated (``benchmarks/choice.py reductions``)."""

MAX_SPARE_PLACES = 3
"""Spare places of a kind up to which it is checked which edges leave it too few; with more, hardly any do."""


class PropagatedKinds:
    """The places of each kind of domino, maintained while domains and edges shrink."""

    def __init__(self, cover: PropagatedCover, domains: Domains):
        self._cover, self._domains = cover, domains
        self._times: dict[Kind, int] = {}
        self._near_at_first: list[frozenset[int]] = []
        self._kinds_on: dict[Edge, tuple[Kind, ...]] = {}
        self._places: dict[Kind, frozenset[Edge]] = {}
        self._fitting: dict[tuple[int, int], tuple[Kind, ...]] = {}
        self._waiting: dict[Kind, None] = {}

    def __call__(self) -> None:
        """Lay the kinds that have no spare place, and drop the edges that would leave a kind too few places.

        Does nothing before ``begin``. Raises Contradiction.
        """
        self._update()
        while self._waiting:
            self._propagate_kind(self._waiting.popitem()[0])

    def begin(self) -> None:
        """List the places of the remaining kinds, once, and propagate, if the cells have few values each.

        Otherwise every kind has many places, and listing them would cost more than all other propagation.
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
        self()

    def forget(self) -> None:
        """Clear the queue after backtracking."""
        self._waiting.clear()

    def _are_values_narrow(self) -> bool:
        values, masks = self._cover.cover.values, self._domains.masks
        return sum([masks[v].bit_count() for v in values]) <= NARROW * len(values)

    def _update(self) -> None:
        """Remove the places that kinds have lost since the last call, and queue these kinds."""
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

    def _kinds_fitting(self, i: int, j: int) -> tuple[Kind, ...]:
        """Return the kinds that fit the values of both cells; equal masks return the identical tuple."""
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
        """Lay a domino of the kind on the edge, in both orientations if both are possible."""
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
        """Drop the edges that touch more places of a kind, not counting themselves, than it can spare."""
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
