"""What follows from the dominoes and the shape of the board, one cell, edge or domino at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations

from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.techniques.knowledge import Deduction, Knowledge
from milp_pips.extras.explain.techniques.table import FactTable, Tray, bits, union


class CoverTechniques:
    """The techniques of one tray.

    ``only`` and ``every`` are the numbers of the items that bound each kind from above and from below.
    """

    def __init__(self, table: FactTable, tray: Tray, only: dict[int, int], every: dict[int, int]):
        self.table, self.tray, self.only, self.every = table, tray, only, every
        self._quiet: dict[tuple[str, int], int] = {}
        self._no_fit: dict[int, tuple[int, Deduction | None]] = {}
        """For each cell what was left around it when "no fit" looked last, and what it found."""
        self._kinds: dict[int, tuple[int, int]] = {}
        self._beside: dict[int, int] = {}
        """What goes beside the places that are left of a kind, if it lies on their edges."""
        self._sole: dict[int, int] = {}
        """For places of a cell that are left the kind of all of them, or -1."""
        self._showing = [
            [(table.value_bit(v, x), places) for x, places in showing.items()]
            for v, showing in zip(tray.values, tray.showing, strict=True)
        ]

    def as_bits(self) -> Iterator[tuple[int, Callable[[int], int | None]]]:
        """Yield the looks at cells, edges and kinds without reasons, each with the bits it depends on."""
        tray, table = self.tray, self.table
        for i, v in enumerate(tray.values):
            yield tray.covering[i] | tray.at_cell[i] | table.all_of(v), partial(self._cell_removes, i)
        for e, places in enumerate(tray.on_edge):
            yield places, partial(self._edge_removes, e)
        for k in self.every:
            yield tray.of_kind[k], partial(self._kind_removes, k)

    def _cell_removes(self, i: int, alive: int) -> int | None:
        """Return what "lone", "no fit", "fits" and "used" remove at one cell; None for a contradiction."""
        tray, table, gone = self.tray, self.table, 0
        around, covering = alive & tray.at_cell[i], alive & tray.covering[i]
        if not around or not covering or not alive & table.all_of(tray.values[i]):
            return None
        if not around & (around - 1):
            gone |= tray.beside(tray.edge_bit.index(around))
        for bit, showing in self._showing[i]:
            if alive & bit and not covering & showing:
                gone |= bit
        k = tray.place(covering.bit_length() - 1).kind
        if tray.times[k] == 1 and k in self.only and not covering & ~tray.of_kind[k]:
            gone |= tray.of_kind[k] & ~covering
        return gone

    def _edge_removes(self, e: int, alive: int) -> int:
        """Return the edge if no domino fits there."""
        return 0 if alive & self.tray.on_edge[e] else self.tray.edge_bit[e]

    def _kind_removes(self, k: int, alive: int) -> int | None:
        """Return what "one place" removes for a kind of one domino; None for a contradiction."""
        tray = self.tray
        left = alive & tray.of_kind[k]
        if not left:
            return None
        e = tray.place(left.bit_length() - 1).edge
        if tray.times[k] > 1 or left & ~tray.on_edge[e]:
            return 0
        i, j = tray.edges[e]
        return tray.beside(e) | (tray.covering[i] | tray.covering[j]) & ~left

    def _is_quiet(self, name: str, number: int, view: int) -> bool:
        """Whether nothing has changed here since this technique looked last; remembers the view."""
        if self._quiet.get((name, number)) == view:
            return True
        self._quiet[name, number] = view
        return False

    def lone(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """A cell has one neighbour left: a domino lies on both, so the neighbour has no other partner."""
        tray, alive = self.tray, knowledge.alive
        for i, around in enumerate(tray.at_cell):
            left = alive & around
            if left & (left - 1):
                continue
            if not left:
                yield Deduction("lone", None, around, (), (tray.values[i],))
                return
            e = tray.edge_bit.index(left)
            if not knowledge.stated & left:
                j = sum(tray.edges[e]) - i
                yield Deduction(
                    "lone",
                    tray.at_cell[j] & ~left & alive,
                    around & ~left,
                    (),
                    (tray.values[i], tray.values[j]),
                    (tray.fact(e),),
                )

    def no_edge(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """No domino fits on an edge."""
        tray, alive = self.tray, knowledge.alive
        view, quiet = alive & (tray.all_places | tray.all_edges), True
        if self._quiet.get(("no edge", 0)) == view:
            return
        for e, places in enumerate(tray.on_edge):
            if alive & tray.edge_bit[e] and not alive & places:
                quiet = False
                yield Deduction("no edge", tray.edge_bit[e], places, (), tray.cells(e))
        if quiet:
            self._quiet["no edge", 0] = view

    def fits(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """Only one domino fits on two cells that certainly share one, and only one way round."""
        tray, table, alive = self.tray, self.table, knowledge.alive
        for e, places in enumerate(tray.on_edge):
            left = alive & places
            if not left or left & (left - 1) or not knowledge.stated & tray.edge_bit[e]:
                continue
            place = tray.place(left.bit_length() - 1)
            gone, facts = 0, []
            for v, value in zip(tray.cells(e), (place.first, place.second), strict=True):
                others = table.all_of(v) & alive & ~table.value_bit(v, value)
                if others:
                    gone |= others
                    facts.append(Fact(v, value, True))
            if gone:
                around = sum(tray.at_cell[i] & ~tray.edge_bit[e] for i in tray.edges[e])
                yield Deduction(
                    "fits",
                    gone,
                    places & ~left | around,
                    (),
                    (tray.cells(e), tray.kinds[place.kind]),
                    tuple(facts),
                )

    def no_fit(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """No domino puts this value on this cell."""
        tray, table, alive = self.tray, self.table, knowledge.alive
        for i, v in enumerate(tray.values):
            view = alive & (table.all_of(v) | tray.covering[i] | tray.at_cell[i])
            if (latest := self._no_fit.get(i)) and latest[0] == view:
                if latest[1]:
                    yield latest[1]
                continue
            gone = premises = 0
            for position in bits(table.mask(alive, v)):
                places = tray.showing[i].get(table.values[position], 0)
                if not alive & places:
                    gone |= 1 << (v * table.width + position)
                    premises |= places
            found: Deduction | None = None
            if gone:
                all_gone = gone == alive & table.all_of(v)
                if all_gone:
                    premises |= table.all_of(v) & table.start & ~gone
                found = Deduction("no fit", None if all_gone else gone, premises, (), self._fitting(i, alive))
            self._no_fit[i] = view, found
            if found:
                yield found

    def _fitting(self, i: int, alive: int) -> tuple[int, int | None, tuple[tuple[int, int], ...]]:
        """Return a cell, the cell that certainly shares its domino, and the kinds that fit on the cell."""
        tray, left = self.tray, alive & self.tray.at_cell[i]
        partner = None
        if left and not left & (left - 1):
            partner = tray.values[sum(tray.edges[tray.edge_bit.index(left)]) - i]
        kinds = {tray.place(position).kind for position in bits(alive & tray.covering[i])}
        return tray.values[i], partner, tuple([tray.kinds[k] for k in sorted(kinds)])

    def used(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """All dominoes of a kind lie on certain cells, so none lies elsewhere."""
        tray, alive = self.tray, knowledge.alive
        view, quiet = alive & (tray.all_places | tray.all_edges), True
        if self._quiet.get(("used", 0)) == view:
            return
        forced: dict[int, list[int]] = {}
        for i, places in enumerate(tray.covering):
            left = alive & places
            if left not in self._sole:
                k = tray.place(left.bit_length() - 1).kind if left else -1
                self._sole[left] = -1 if left & ~tray.of_kind[k] else k
            if (k := self._sole[left]) >= 0:
                forced.setdefault(k, []).append(i)
        for k, cells in forced.items():
            if k not in self.only:
                continue
            apart = self._apart(cells, alive)
            if len(apart) < tray.times[k]:
                continue
            covering = 0
            for i in apart[: tray.times[k]]:
                covering |= tray.covering[i]
            gone = tray.of_kind[k] & ~covering
            contradiction = len(apart) > tray.times[k]
            if gone & alive or contradiction:
                quiet = False
                if contradiction:
                    for i in apart[: tray.times[k] + 1]:
                        covering |= tray.covering[i]
                closed = self._closed_between(apart[: tray.times[k] + contradiction], alive)
                detail = (
                    tray.kinds[k],
                    tuple([tray.values[i] for i in apart[: tray.times[k] + contradiction]]),
                )
                yield Deduction(
                    "used",
                    None if contradiction else gone,
                    covering & ~tray.of_kind[k] | closed,
                    (self.only[k],),
                    detail,
                )
        if quiet:
            self._quiet["used", 0] = view

    def _apart(self, cells: list[int], alive: int) -> list[int]:
        """Return cells of which no two can share a domino."""
        found: list[int] = []
        for i in cells:
            near = {
                j for e in self.tray.edges_at[i] if alive & self.tray.edge_bit[e] for j in self.tray.edges[e]
            }
            if near.isdisjoint(found):
                found.append(i)
        return found

    def _closed_between(self, cells: list[int], alive: int) -> int:
        """Return the bits of the edges between two of the cells, all gone."""
        tray = self.tray
        return sum(
            tray.edge_bit[e]
            for e, (i, j) in enumerate(tray.edges)
            if i in cells and j in cells and not alive & tray.edge_bit[e]
        )

    def one_place(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """The dominoes of a kind have as many edges left as there are of them, and no two of these touch."""
        tray, alive = self.tray, knowledge.alive
        for k, places in enumerate(tray.of_kind):
            left = alive & places
            if k not in self.every or self._is_quiet("one place", k, left):
                continue
            edges, rest = list[int](), left
            while rest and len(edges) <= tray.times[k]:
                edges.append(tray.place(rest.bit_length() - 1).edge)
                rest &= ~tray.on_edge[edges[-1]]
            edges.reverse()
            if len(edges) < tray.times[k]:
                del self._quiet["one place", k]
                yield Deduction("one place", None, places & ~left, (self.every[k],), (tray.kinds[k], ()))
                return
            cells = [i for e in edges for i in tray.edges[e]]
            if len(edges) > tray.times[k] or len(set(cells)) < len(cells):
                continue
            del self._quiet["one place", k]  # what goes is not in the view
            gone = self._gone_beside(k, left, edges)
            if gone & alive:
                facts = tuple(tray.fact(e) for e in edges if not knowledge.stated & tray.edge_bit[e])
                yield Deduction(
                    "one place",
                    gone & alive,
                    places & ~left,
                    (self.every[k],),
                    (tray.kinds[k], tuple(map(tray.cells, edges))),
                    facts,
                )

    def _gone_beside(self, k: int, left: int, edges: Sequence[int]) -> int:
        """Return what goes if the dominoes of a kind lie on these edges, in the places that are left."""
        tray, table, places = self.tray, self.table, self.tray.of_kind[k]
        if left not in self._beside:
            gone = 0
            for e in edges:
                i, j = tray.edges[e]
                gone |= tray.beside(e) | (tray.covering[i] | tray.covering[j]) & ~(places & tray.on_edge[e])
                here = left & tray.on_edge[e]
                for c in (i, j):
                    v = tray.values[c]
                    fitting = sum(bit for bit, shown in self._showing[c] if shown & here)
                    gone |= table.all_of(v) & ~fitting
            self._beside[left] = gone
        return self._beside[left]

    def parity(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """A domino on an edge would cut off an odd number of cells, which dominoes cannot fill."""
        tray, alive = self.tray, knowledge.alive
        if self._is_quiet("parity", 0, alive & tray.all_edges):
            return
        near, every = [0] * len(tray.values), (1 << len(tray.values)) - 1
        for e in tray.edges_in(alive):
            i, j = tray.edges[e]
            near[i] |= 1 << j
            near[j] |= 1 << i
        for e, (i, j) in enumerate(tray.edges):
            bit, pair = tray.edge_bit[e], 1 << i | 1 << j
            if not alive & bit or near[i] | near[j] == pair:
                continue
            for part in _parts(near, every & ~pair):
                if part.bit_count() % 2:
                    around = union(tray.at_cell[c] for c in bits(part))
                    del self._quiet["parity", 0]
                    yield Deduction(
                        "parity",
                        bit,
                        around & ~alive,
                        (),
                        (tray.cells(e), tuple([tray.values[c] for c in bits(part)])),
                    )
                    return

    def _dominoes(self, kinds: int) -> int:
        """Return the number of dominoes of these kinds, which are bits."""
        return sum([self.tray.times[k] for k in bits(kinds)])

    def _left(self, places: int) -> tuple[int, int]:
        """Return the kinds of these places, as bits, and the number of their dominoes."""
        if places not in self._kinds:
            kinds = sum([1 << k for k, of in enumerate(self.tray.of_kind) if of & places])
            self._kinds[places] = kinds, self._dominoes(kinds)
        return self._kinds[places]

    def _sets(self, few: list[tuple[int, int]], size: int) -> Iterator[tuple[tuple[int, ...], int]]:
        """Yield this many cells that have as many dominoes left together, with the kinds of these."""
        sets: list[tuple[tuple[int, ...], int]] = [((), 0)]
        for _ in range(size):
            sets = [
                ((*cells, i), kinds | own)
                for cells, kinds in sets
                for i, own in few
                if (not cells or i > cells[-1]) and (kinds | own).bit_count() <= size
            ]
        for cells, kinds in sets:
            if self._dominoes(kinds) == size:
                yield cells, kinds

    def naked(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """Two or three cells on different dominoes have only as many dominoes left, which lie there."""
        tray, alive = self.tray, knowledge.alive
        if self._is_quiet("naked", 0, alive & (tray.all_places | tray.all_edges)):
            return
        few = list[tuple[int, int]]()
        for i, covering in enumerate(tray.covering):
            kinds, dominoes = self._left(covering & alive)
            if 1 < dominoes <= 3:
                few.append((i, kinds))
        near = {edge for e, edge in enumerate(tray.edges) if alive & tray.edge_bit[e]}
        for size in (2, 3):
            for cells, kinds in self._sets(few, size):
                together = list(bits(kinds))
                if not self.only.keys() >= set(together) or not near.isdisjoint(combinations(cells, 2)):
                    continue
                covering = theirs = 0
                for i in cells:
                    covering |= tray.covering[i]
                for k in together:
                    theirs |= tray.of_kind[k]
                gone = theirs & ~covering
                if gone & alive:
                    del self._quiet["naked", 0]
                    closed = self._closed_between(list(cells), alive)
                    items = tuple(self.only[k] for k in together)
                    yield Deduction(
                        "naked",
                        gone,
                        covering & ~theirs | closed,
                        items,
                        (
                            tuple([tray.values[i] for i in cells]),
                            tuple([tray.kinds[k] for k in together]),
                        ),
                    )
                    return


def _parts(near: Sequence[int], rest: int) -> Iterator[int]:
    """Yield the connected parts of these cells as bits; ``near`` has the neighbours of each cell."""
    while rest:
        part = new = rest & -rest
        while new:
            reached = union(near[c] for c in bits(new))
            new = reached & rest & ~part
            part |= new
        yield part
        rest &= ~part
