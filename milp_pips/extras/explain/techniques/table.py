"""The facts of a problem as bits: values of cells, edges of a board, and places of its dominoes.

A bit stands for something that is still possible: a variable has a value, a domino lies on an edge, or a
domino of one kind lies on an edge this way round. What is known is the set of bits that are gone. Everything
that a technique uses is therefore a set of bits that are gone, and everything that it concludes is a set of
bits that go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from operator import or_
from typing import NamedTuple, TypeAlias

from milp_pips.constraints import covers_of
from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.groups import GroupedProblem
from milp_pips.problem.constraint import Domains

MOST_REMEMBERED = 10_000
"""The most results that are remembered of one kind: suppositions change few cells, and boards are alike."""


def bits(mask: int) -> Iterator[int]:
    """Yield the positions of the bits of a mask, the lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def union(masks: Iterable[int]) -> int:
    """Return the bits that occur in any of the masks."""
    return reduce(or_, masks, 0)


Way: TypeAlias = tuple[int, int, tuple[str, int], int]
"""The position of a value or edge, its bit, the cell or edge to look at, and the places that go with it."""


class Place(NamedTuple):
    """A place of a domino: it lies on ``edge``, and its halves show ``first`` and ``second``.

    ``kind`` is the number of its kind in the tray, and the halves belong to the edge's cells in their order.
    """

    kind: int
    edge: int
    first: int
    second: int


class Tray:
    """The cells, edges, dominoes and places of one domino cover, each with its bits.

    Parameters
    ----------
    cover
        The number of the cover in the problem.
    """

    def __init__(self, table: FactTable, number: int):
        cover = covers_of(table.grouped.problem.constraints)[number]
        self.number = table.grouped.problem.constraints.index(cover)
        self.cover = cover
        self.kinds, self.times = tuple(cover.kinds), tuple(cover.kinds.values())
        self.values, self.edges = cover.values, cover.edges
        size, table.size = table.size, table.size + len(cover.edges)
        self.edge_bit = [1 << (size + e) for e in range(len(cover.edges))]
        self.all_edges = sum(self.edge_bit)
        self._facts = [[Fact(cover.partners[i], j, holds) for i, j in cover.edges] for holds in (False, True)]
        cells = range(len(cover.values))
        self._cell = {v: i for i, v in enumerate(cover.values)}
        self.edges_at: list[list[int]] = [[] for _ in cells]
        self.at_cell = [0] * len(cover.values)
        """For each cell the bits of its edges."""
        for e, edge in enumerate(cover.edges):
            for i in edge:
                self.edges_at[i].append(e)
                self.at_cell[i] |= self.edge_bit[e]
        self.places: list[Place] = []
        self.first_place = table.size
        self.on_edge, self.of_kind = [0] * len(cover.edges), [0] * len(self.kinds)
        self.covering = [0] * len(cover.values)
        self.showing: list[dict[int, int]] = [{} for _ in cells]
        """For each cell and value the bits of the places that show it there."""
        self.with_pair: list[dict[tuple[int, int], int]] = [{} for _ in cover.edges]
        for e, (i, j) in enumerate(cover.edges):
            one, other = (set(table.variables[self.values[c]].domain) for c in (i, j))
            for k, kind in enumerate(self.kinds):
                for a, b in dict.fromkeys((kind, kind[::-1])):
                    if a in one and b in other:
                        bit = 1 << (self.first_place + len(self.places))
                        self.places.append(Place(k, e, a, b))
                        self.on_edge[e] |= bit
                        self.of_kind[k] |= bit
                        self.with_pair[e][a, b] = bit
                        for c, x in ((i, a), (j, b)):
                            self.covering[c] |= bit
                            self.showing[c][x] = self.showing[c].get(x, 0) | bit
        table.size += len(self.places)
        self.all_places = ((1 << len(self.places)) - 1) << self.first_place

    def place(self, bit: int) -> Place:
        """Return the place at this bit position."""
        return self.places[bit - self.first_place]

    def fact(self, e: int, *, holds: bool = True) -> Fact:
        """Return the fact that a domino lies on an edge, or does not."""
        return self._facts[holds][e]

    def beside(self, e: int) -> int:
        """Return the bits of the other edges at the two cells of an edge."""
        i, j = self.edges[e]
        return (self.at_cell[i] | self.at_cell[j]) & ~self.edge_bit[e]

    def edges_of(self, variables: Iterable[int]) -> list[int]:
        """Return the edges at the cells with these value variables, in order."""
        cells = (self._cell[v] for v in variables if v in self._cell)
        return sorted({e for i in cells for e in self.edges_at[i]})

    def cells(self, e: int) -> tuple[int, int]:
        """Return the value variables of the two cells of an edge."""
        i, j = self.edges[e]
        return self.values[i], self.values[j]

    def edges_in(self, mask: int) -> Iterator[int]:
        """Yield the edges whose bits are in a mask, in order."""
        for position in bits(mask & self.all_edges):
            yield self.edge_bit.index(1 << position)

    def laid(self, alive: int) -> Iterator[int]:
        """Yield the edges on which a domino certainly lies."""
        for e, (i, j) in enumerate(self.edges):
            bit = self.edge_bit[e]
            if alive & self.at_cell[i] == bit or alive & self.at_cell[j] == bit:
                yield e


class FactTable:
    """The bits of all facts of a problem.

    The values of variable ``v`` have the bits from ``v * width`` on, in the order of ``domains.values``;
    those of partner variables stay empty. Then come, for each cover, its edges and its places.
    """

    def __init__(self, grouped: GroupedProblem, stop: Callable[[], object] = lambda: None):
        self.grouped, self.variables = grouped, grouped.variables
        self.stop = stop
        """Called in long loops; it may raise an exception."""
        problem = grouped.problem
        covers = covers_of(problem.constraints)
        self.partners = {v for cover in covers for v in cover.partners}
        self.domains = Domains(self.variables, self.partners)
        self.values = self.domains.values
        self.width = len(self.values)
        self.full = (1 << self.width) - 1
        self.shown = [
            v for v in range(len(self.variables)) if v not in self.partners and v not in problem.auxiliary
        ]
        self.shown_set = frozenset(self.shown)
        self.size = self.width * len(self.variables)
        self.all_values = (1 << self.size) - 1
        self.start = sum(mask << (v * self.width) for v, mask in enumerate(self.domains.masks))
        self.trays = [Tray(self, number) for number in range(len(covers))]
        for tray in self.trays:
            self.start |= tray.all_edges | tray.all_places
        hidden = sum(self.full << (v * self.width) for v in problem.auxiliary)
        self.visible = (self.all_values & ~hidden) | sum(tray.all_edges for tray in self.trays)
        """The bits that a player sees; what is concluded about others is part of a later step."""
        self.following: dict[int, int] = {}
        """For the position of a value of a cell, or of an edge, the bits of the places that go with it."""
        self.ways: list[tuple[int, list[Way]]] = []
        """For each cell, and for each edge, the places there, and the ways in which some of them go."""
        for tray in self.trays:
            for v, covering, showing in zip(tray.values, tray.covering, tray.showing, strict=True):
                bit_of = ((self.value_bit(v, x), places) for x, places in showing.items())
                here = [(bit.bit_length() - 1, bit, ("cell", v), places) for bit, places in bit_of]
                self.ways.append((covering, here))
            for bit, places in zip(tray.edge_bit, tray.on_edge, strict=True):
                position = bit.bit_length() - 1
                self.ways.append((places, [(position, bit, ("edge", position), places)]))
        self.following.update((way, places) for _, of in self.ways for way, _, _, places in of)
        self._ways_to: dict[int, list[Way]] = {}
        self._against: dict[Fact, int] = {}
        self._with_places: dict[int, int] = {}
        self._edge_at = {
            (tray.cover.partners[i], j): (tray, e)
            for tray in self.trays
            for e, edge in enumerate(tray.edges)
            for i, j in (edge, edge[::-1])
        }

    def mask(self, alive: int, v: int) -> int:
        """Return the values that the variable can still take, as a mask of ``domains``."""
        return alive >> (v * self.width) & self.full

    def all_of(self, v: int) -> int:
        """Return the bits of all values of the variable."""
        return self.full << (v * self.width)

    def only_value(self, alive: int, v: int) -> int | None:
        """Return the one value left for the variable; None if there are several, or none."""
        mask = self.mask(alive, v)
        return None if mask & (mask - 1) or not mask else self.values[mask.bit_length() - 1]

    def pairs_in(self, mask: int) -> Iterator[tuple[int, int]]:
        """Yield the variables and values whose bits are in a mask, in order."""
        for position in bits(mask & self.all_values):
            v, x = divmod(position, self.width)
            yield v, self.values[x]

    def variables_in(self, mask: int) -> set[int]:
        """Return the variables of which a mask has values."""
        found, mask = set[int](), mask & self.all_values
        while mask:
            v = ((mask & -mask).bit_length() - 1) // self.width
            found.add(v)
            mask &= ~(self.full << v * self.width)
        return found

    def value_bit(self, v: int, value: int) -> int:
        """Return the bit of (variable = value)."""
        return self.domains.bit[value] << (v * self.width)

    def follow(self, gone: int) -> int:
        """Return the bits of places that go with these bits: of a value at its cell, of an edge."""
        positions = bits(gone & self.visible) if self.following else ()
        return union(self.following.get(position, 0) for position in positions)

    def ways_to(self, hidden: int) -> list[Way]:
        """Return the ways in which hidden bits go, each with its places that are among them."""
        if hidden not in self._ways_to:
            if len(self._ways_to) > MOST_REMEMBERED:
                self._ways_to.clear()
            self._ways_to[hidden] = [
                (way, bit, key, places & hidden)
                for here, ways in self.ways
                if here & hidden
                for way, bit, key, places in ways
                if places & hidden
            ]
        return self._ways_to[hidden]

    def with_places(self, gone: int) -> int:
        """Return these bits and those of the places that go with them."""
        found = self._with_places.get(gone)
        if found is None:
            if len(self._with_places) > MOST_REMEMBERED:
                self._with_places.clear()
            found = self._with_places[gone] = gone | self.follow(gone)
        return found

    def edge_of(self, fact: Fact) -> tuple[Tray, int] | None:
        """Return the tray and the edge of a fact about a domino; None for a fact about a value."""
        return self._edge_at[fact[:2]] if fact.variable in self.partners else None

    def bit_of(self, fact: Fact) -> int:
        """Return the bit of a value or a domino that a fact is about."""
        at = self.edge_of(fact)
        return self.value_bit(fact.variable, fact.value) if at is None else at[0].edge_bit[at[1]]

    def all_bits_against(self, fact: Fact) -> int:
        """Return the bits that go if the fact holds, with the places that go with them."""
        if fact not in self._against:
            self._against[fact] = self.with_places(self.bits_against(fact))
        return self._against[fact]

    def bits_against(self, fact: Fact) -> int:
        """Return the bits that go if the fact holds."""
        if at := self.edge_of(fact):
            tray, e = at
            return tray.beside(e) if fact.holds else tray.edge_bit[e]
        bit = self.bit_of(fact)
        return self.all_of(fact.variable) & self.start & ~bit if fact.holds else bit
