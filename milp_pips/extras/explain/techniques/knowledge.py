"""What is known about a board: the facts that are gone, and the deduction that removed each."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.techniques.table import FactTable, bits

FOLDED = frozenset({"sight", "inside", "used", "no edge", "pair", "pair sum", "naked"})
"""Techniques whose conclusions a player does not note down: they are told with the step that needs them."""


class Deduction(NamedTuple):
    """What a technique concludes.

    Parameters
    ----------
    technique
        The name of the technique.
    gone
        The bits that go; None for a contradiction. 0 states what has become certain in another way: the
        ``facts``.
    premises
        Bits that are gone already, on which the conclusion rests.
    items
        The numbers of the items on which it rests.
    detail
        What the sentence of the technique needs.
    facts
        Facts that hold once the bits are gone, beside what the bits say.
    """

    technique: str
    gone: int | None
    premises: int
    items: tuple[int, ...] = ()
    detail: Any = None
    facts: tuple[Fact, ...] = ()


class Knowledge:
    """The bits that are left, and why each other bit is gone."""

    def __init__(self, table: FactTable):
        self.table = table
        self.alive = table.start
        self.deductions: list[Deduction] = []
        self.cause: dict[int, int] = {}
        """For each position of a bit that is gone the number of the deduction that removed it, or -1 - p if
        it is a place that went with the bit at position p. A bit that was gone at the start has no entry."""
        self.told: set[Fact] = set()
        """The values and dominoes that are certain and were stated."""

    def copy(self) -> Knowledge:
        """Return knowledge that can be extended independently."""
        other = Knowledge(self.table)
        other.alive, other.deductions, other.cause = self.alive, self.deductions.copy(), self.cause.copy()
        other.told = self.told.copy()
        return other

    def assume(self, facts: Iterable[Fact]) -> None:
        """Add facts that are on the board."""
        for fact in facts:
            self._remove(self.table.bits_against(fact), None)
            if fact.holds:
                self.told.add(fact)

    def apply(self, deduction: Deduction) -> None:
        """Remove the bits of a deduction, and the places that go with them."""
        assert deduction.gone is not None
        number = len(self.deductions)
        self.deductions.append(deduction._replace(gone=deduction.gone & self.alive))
        self._remove(deduction.gone, number)
        self.told.update(fact for fact in deduction.facts if fact.holds)

    def _remove(self, gone: int, number: int | None) -> None:
        new = gone & self.alive
        self.alive &= ~new
        for position in bits(new):
            if number is not None:
                self.cause[position] = number
            if new & self.table.visible:
                for place in bits(self.table.follow(1 << position) & self.alive):
                    self.cause[place] = -1 - position
                    self.alive &= ~(1 << place)

    def needed(self, premises: int, since: int | None = None) -> tuple[list[int], int]:
        """Return the deductions that belong to a step with these premises, and the other bits behind it.

        These are the folded deductions and, if ``since`` is given, all from that number on. The other bits
        are what a player knows: visible bits that are gone. A place that is gone may have several reasons; as
        few cells, dominoes and deductions as possible are chosen (greedily, as for a set cover).
        """
        found, others = set[int](), 0
        waiting = [(premises, len(self.deductions))]
        while waiting:
            seen, parts = self.direct(*waiting.pop(), others, found, since)
            others |= seen
            for number in sorted(parts - found):
                known = self._as_laid(number) if since is None else None
                if known is None:
                    waiting.append((self.deductions[number].premises, number))
                else:
                    others |= known
            found |= parts
        return sorted(found), others

    def direct(
        self,
        premises: int,
        before: int,
        others: int = 0,
        found: Collection[int] = (),
        since: int | None = None,
    ) -> tuple[int, set[int]]:
        """Return the bits that a player knows and the deductions of the step that give the premises at once.

        The deductions are older than number ``before``; ``others`` and ``found`` are used anyway.
        """
        seen, parts = 0, set[int]()
        for position in bits(premises & self.table.visible):
            number = self.cause.get(position)
            if number is None or not self._is_part(number, since):
                seen |= 1 << position
            else:
                parts.add(number)
        hidden = premises & ~self.table.visible
        if hidden:
            more, further = self._reasons_for(hidden, others | seen, parts.union(found), before, since)
            return seen | more, parts | further
        return seen, parts

    def laid(self, number: int) -> tuple[tuple[int, int], ...] | None:
        """Return the cells of the dominoes that a deduction "used" is about, if they lie on the board."""
        deduction = self.deductions[number]
        if deduction.technique != "used":
            return None
        found = []
        for tray in self.table.trays:
            for e in range(len(tray.edges)):
                cells = tray.cells(e)
                if set(cells).isdisjoint(deduction.detail[1]) or tray.fact(e) not in self.told:
                    continue
                values = [self.value_of(v) for v in cells]
                if any(
                    x is None or Fact(v, x, True) not in self.told for v, x in zip(cells, values, strict=True)
                ):
                    return None
                found.append(cells)
        return tuple(found) if len(found) == len(deduction.detail[1]) else None

    def _as_laid(self, number: int) -> int | None:
        """Return the bits behind dominoes that lie on the board, see ``laid``; None if they do not yet."""
        cells = self.laid(number)
        if cells is None:
            return None
        seen = 0
        for tray in self.table.trays:
            for e in range(len(tray.edges)):
                if tray.cells(e) in cells:
                    i, j = tray.edges[e]
                    seen |= (tray.at_cell[i] | tray.at_cell[j]) & ~tray.edge_bit[e]
                    seen |= self.table.all_of(tray.values[i]) | self.table.all_of(tray.values[j])
        return seen & self.table.start & ~self.alive

    def _is_part(self, number: int, since: int | None) -> bool:
        """Whether a deduction is told with the step that needs it."""
        return (since is not None and number >= since) or self.deductions[number].technique in FOLDED

    def _reasons_for(
        self, hidden: int, others: int, found: Collection[int], before: int, since: int | None
    ) -> tuple[int, set[int]]:
        """Return visible bits and deductions, older than ``before``, that explain why hidden bits are gone.

        ``others`` and ``found`` are bits and deductions that are used anyway.
        """
        covers: dict[tuple[str, int], int] = {}
        behind: dict[tuple[str, int], int] = {}
        left = 0
        for position in bits(hidden):
            options = self._options(position, before, since)
            if any(bit & others or key in (("part", number) for number in found) for key, bit in options):
                continue
            left |= 1 << position
            for key, bit in options:
                covers[key] = covers.get(key, 0) | 1 << position
                behind[key] = behind.get(key, 0) | bit
        chosen, parts = 0, set[int]()
        while left:
            key = max(covers, key=lambda key: (covers[key] & left).bit_count() / self._weight(key))
            left &= ~covers.pop(key)
            if key[0] == "part":
                parts.add(key[1])
            else:
                chosen |= behind[key]
        return chosen, parts

    def _options(self, position: int, before: int, since: int | None) -> list[tuple[tuple[str, int], int]]:
        """Return the reasons for which a hidden bit is gone: a value of a cell, an edge, or a deduction."""
        table, options = self.table, list[tuple[tuple[str, int], int]]()
        tray = table.tray_of_place(position)
        cause = self.cause.get(position)
        if tray is None or (cause is not None and 0 <= cause < before):
            options.append((("part", cause if cause is not None else -1), 0))
        if tray is None:
            return options
        place = tray.place(position)
        i, j = tray.edges[place.edge]
        ways = [("edge", place.edge, tray.edge_bit[place.edge])]
        for c, value in ((i, place.first), (j, place.second)):
            ways.append(("cell", tray.values[c], table.value_bit(tray.values[c], value)))
        for kind, name, bit in ways:
            if self.alive & bit or not table.start & bit:
                continue
            number = self.cause.get(bit.bit_length() - 1)
            if number is None or number < before:
                if number is not None and self._is_part(number, since):
                    options.append((("part", number), 0))
                else:
                    options.append(((kind, name), bit))
        return options

    def _weight(self, key: tuple[str, int]) -> float:
        """Return the effort of one reason: a cell with a known value is easier than a deduction."""
        kind, name = key
        if kind == "cell":
            return 0.8 if self.value_of(name) is not None else 1.0
        if kind == "edge":
            return 0.7
        return 1.3 if self.deductions[name].technique in ("inside", "used") else 3.0

    def value_of(self, v: int) -> int | None:
        """Return the only value left for a variable; None if there are several."""
        mask = self.table.mask(self.alive, v)
        return None if mask & (mask - 1) or not mask else self.table.values[mask.bit_length() - 1]
