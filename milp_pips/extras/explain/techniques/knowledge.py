"""What is known about a board: the facts that are gone, and the deduction that removed each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from heapq import heapify, heapreplace
from itertools import accumulate, chain
from operator import or_
from typing import Any, NamedTuple, TypeAlias

from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.techniques.table import FactTable, bits, union

FOLDED = frozenset({"sight", "inside", "used", "no edge", "pair", "pair sum", "naked"})
"""Techniques whose conclusions a player does not note down: they stand in the step that needs them."""


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
    source
        What it was drawn from, if its premises are all that is known and may be thinned.
    """

    technique: str
    gone: int | None
    premises: int
    items: tuple[int, ...] = ()
    detail: Any = None
    facts: tuple[Fact, ...] = ()
    source: Source | None = None


Memory: TypeAlias = dict[tuple[Hashable, int | None], list[tuple[int, int]]]
"""What was left of which premises, by the argument and the bits that it makes go."""


class Source(ABC):
    """An argument that can be repeated from any premises; a story repeats it from those that it needs."""

    table: FactTable
    scopes: Sequence[int] = ()
    """Sets of bits that may be left out of the premises together, tried in this order."""

    def __init__(self, table: FactTable, memory: Memory | None = None):
        self.table = table
        self._memory: Memory = {} if memory is None else memory

    @property
    def key(self) -> Hashable:
        """Distinguishes the arguments that share a memory."""
        return None

    @abstractmethod
    def removes(self, known: int) -> int | None:
        """Return the bits that go, or are gone, if these are; None for a contradiction."""

    def follows(self, gone: int | None, known: int) -> bool:
        """Whether these bits go, or for None a contradiction follows, if the ``known`` ones are gone."""
        removed = self.removes(known)
        return removed is None or (gone is not None and not gone & ~(removed | known))

    def thinned(self, deduction: Deduction) -> Deduction:
        """Return the deduction as a story shows it."""
        return self.thinned_to(deduction, deduction.gone)

    def thinned_to(self, deduction: Deduction, gone: int | None) -> Deduction:
        """Return the deduction of these bits, or of a contradiction, with no more premises than needed.

        What else the deduction concludes stays if it follows from the same premises.
        """
        premises = self._thinned(deduction.premises, gone)
        if gone is not None:
            gone |= (self.removes(premises) or 0) & (deduction.gone or 0)
        return deduction._replace(gone=gone, premises=premises)

    def _thinned(self, premises: int, gone: int | None) -> int:
        """Return the premises that are needed for these bits, or for a contradiction."""
        # More premises never conclude less. So what is left of some premises is also left of fewer, if these
        # have all of it: nothing that was left out is needed, and nothing else can be left out.
        known = self._memory.setdefault((self.key, gone), [])
        for before, left in known:
            if not left & ~premises and not premises & ~before:
                return left
        scopes = sorted(self.scopes, key=lambda scope: not scope & (gone or 0))  # first what it is about
        left = thin(premises, scopes, lambda left: self.follows(gone, left), self.table.stop)
        known.append((premises, left))
        return left


class Proof(NamedTuple):
    """Why bits are gone: the numbers of the deductions of a step, and what a player knows beside them."""

    parts: tuple[int, ...]
    facts: tuple[Fact, ...]


def thin(
    premises: int,
    scopes: Iterable[int],
    follows: Callable[[int], bool],
    stop: Callable[[], object] = lambda: None,
) -> int:
    """Return the premises without those that a conclusion does not need: whole scopes, then single bits."""
    # Whole scopes first: a sentence gets shorter by a cell, not by a value, and this saves most calls.
    for scope in scopes:
        stop()
        if premises & scope and follows(premises & ~scope):
            premises &= ~scope
    stop()
    for position in bits(premises):
        if follows(premises & ~(1 << position)):
            premises &= ~(1 << position)
    return premises


def without_needless(bits_of: Mapping[Fact, int], is_enough: Callable[[int], bool]) -> dict[Fact, int]:
    """Return the facts without those that are not needed, the first left out first."""
    # For each fact the bits of those after it; for the first one they are on top.
    later = [*accumulate(reversed([*bits_of.values()][1:]), or_, initial=0)]
    kept, found = 0, dict[Fact, int]()
    for fact, own in bits_of.items():
        if not is_enough(kept | later.pop()):
            found[fact] = own
            kept |= own
    return found


class Unexplained(Exception):
    """A bit has no reason that is older than the deduction that needs it."""


class Knowledge:
    """The bits that are left, and why each other bit is gone."""

    def __init__(self, table: FactTable, allowed: frozenset[int] | None = None):
        self.table, self.allowed = table, allowed
        """``allowed`` are the numbers of the items that may be used; None for all."""
        self.alive = table.start
        self.deductions: list[Deduction] = []
        self.removed: list[int] = []
        """For each deduction the bits that were left before it and that it removed itself."""
        self._places: list[tuple[int, int]] = []
        """The numbers of the deductions that removed places themselves, and these places."""
        self._cause: dict[int, int] = {}
        """For each position of a bit in ``_of_parts`` that a player sees, the deduction that removed it."""
        self.stated = 0
        """The bits of the values and dominoes that are certain and were stated."""
        self.since: int | None = None
        """The number of the supposition; a chain shows all deductions from that number on."""
        self._of_parts = 0
        """The bits that deductions removed that stand in the step that needs them."""
        self._needed: dict[int, tuple[list[int], int]] = {}
        """What was needed for which premises since the latest change."""

    def copy(self) -> Knowledge:
        """Return knowledge that can be extended independently."""
        other = copy(self)
        other.deductions, other.removed = self.deductions.copy(), self.removed.copy()
        other._places, other._cause, other._needed = self._places.copy(), self._cause.copy(), {}
        return other

    def allows(self, deduction: Deduction) -> bool:
        """Whether a deduction uses only items that may be used."""
        return self.allowed is None or self.allowed.issuperset(deduction.items)

    def assume(self, facts: Iterable[Fact]) -> None:
        """Add facts that are on the board."""
        self._needed = {}
        for fact in facts:
            self.alive &= ~self.table.all_bits_against(fact)
            if fact.holds:
                self.stated |= self.table.bit_of(fact)

    def suppose(self, fact: Fact) -> None:
        """Add a supposed fact; what was known before, and it implies, follows from it."""
        number, gone = len(self.deductions), self.table.bits_against(fact)
        self.since = number
        self.deductions.append(Deduction("suppose", gone, 0, (), None, (fact,)))
        # Bits that were gone before get the supposition as their cause: a chain then needs no fact for them.
        self._remove(gone, gone, number)
        self.stated |= self.table.bit_of(fact)

    def apply(self, deduction: Deduction) -> None:
        """Remove the bits of a deduction, and the places that go with them."""
        assert deduction.gone is not None
        number = len(self.deductions)
        new = self.alive | ~self.table.visible  # a place may be gone for several reasons
        self.deductions.append(deduction._replace(gone=deduction.gone & new))
        self._remove(deduction.gone, deduction.gone & self.alive, number)
        for fact in deduction.facts:
            if fact.holds:
                self.stated |= self.table.bit_of(fact)

    def replace(self, number: int, deduction: Deduction) -> None:
        """Let a deduction be another one, with the same conclusions as far as others need them."""
        self.deductions[number], self._needed = deduction, {}

    def _remove(self, gone: int, new: int, number: int) -> None:
        self._needed = {}
        self.alive &= ~self.table.with_places(gone)
        self.removed.append(new)
        if places := new & ~self.table.visible:
            self._places.append((number, places))
        if self._is_part(number):
            self._of_parts |= new
            self._cause.update(dict.fromkeys(bits(new & self.table.visible), number))

    def proof(self, premises: int, before: Knowledge | None = None) -> Proof:
        """Return the deductions of a step with these premises and the facts behind it; all are needed.

        What was stated of a domino that lies on the board counts as one fact. See ``needed`` for the
        deductions; ``before`` is what was known before the supposition.
        """
        since = self.since
        found, seen = self.needed(premises)
        table = self.table
        bits_of = {fact: table.all_bits_against(fact) for fact in (before or self).facts_of(seen)}
        laid = {n: list(chain.from_iterable(self.laid(n).values())) for n in found if since is None}
        # What the dominoes behind each deduction remove, and what it removes itself.
        given = {n: union(map(table.all_bits_against, laid.get(n, ()))) for n in found}
        taken = {n: table.with_places(self.deductions[n].gone or 0) for n in found}

        before_each, gone = list[int](), union(bits_of.values())
        for number in found:  # the oldest first: each may rest on those before it, never on a later one
            before_each.append(gone)
            gone |= given[number]
            gone |= 0 if self.deductions[number].premises & ~gone else taken[number]
        # Deductions are left out before facts, because they cost a reader more. The latest is tried first:
        # once it is gone, nothing else needs those that only it rested on. All that stay are needed, so
        # ``wanted`` has to be gone before them: what they rest on and do not give each other.
        parts, wanted = list[int](), premises
        for number, gone in reversed([*zip(found, before_each, strict=True)]):
            if number == since or wanted & ~gone:
                parts.insert(0, number)
                wanted = (wanted & ~taken[number] | self.deductions[number].premises) & ~given[number]
        # Exclusions are left out before values and dominoes, and facts that explain little before the others.
        order = sorted(bits_of, key=lambda fact: (fact.holds, (bits_of[fact] & premises).bit_count()))
        chosen = without_needless({fact: bits_of[fact] for fact in order}, lambda gone: not wanted & ~gone)
        known = {*chosen, *(fact for number in parts for fact in laid.get(number, ()))}
        return Proof(tuple(parts), tuple(sorted(known)))

    def facts_of(self, gone: int) -> list[Fact]:
        """Return visible bits that are gone as facts: what was stated, else exclusions.

        Of dominoes that were laid, all that close an edge are among them.
        """
        table, facts = self.table, dict[Fact, None]()
        for v, excluded in table.pairs_in(gone):
            stated = table.only_value(self.alive, v)
            if stated is None or not self.stated & table.value_bit(v, stated):
                facts[Fact(v, excluded, False)] = None
            else:
                facts[Fact(v, stated, True)] = None
        for tray in table.trays:
            if not gone & tray.all_edges:
                continue
            laid = list(tray.edges_in(self.stated))
            for closed in tray.edges_in(gone):
                over = [e for e in laid if not set(tray.edges[closed]).isdisjoint(tray.edges[e])]
                # All dominoes that close the edge: a proof then leaves out those that explain little.
                closing = map(tray.fact, over) if over else [tray.fact(closed, holds=False)]
                facts.update(dict.fromkeys(closing))
        return list(facts)

    def needed(self, premises: int) -> tuple[list[int], int]:
        """Return the deductions that belong to a step with these premises, and the other bits behind it.

        These are the folded deductions and, after a supposition, all from that on. The other bits are what a
        player knows: visible bits that are gone. A place that is gone may have several reasons; as few cells,
        dominoes and deductions as possible are chosen (greedily, as for a set cover).
        """
        *_, last = self.needing(premises)
        return last

    def needing(self, premises: int) -> Iterator[tuple[list[int], int]]:
        """Yield what is ``needed`` as far as it is known, each time at least as much."""
        if premises in self._needed:
            yield self._needed[premises]
            return
        found, others = set[int](), 0
        # Each entry goes with the number of the deduction that needs it: a reason must be older, or a proof
        # could rest on itself.
        waiting = [(premises, len(self.deductions))]
        while waiting:
            seen, parts = self.direct(*waiting.pop(), others, found)
            others |= seen
            for number in sorted(parts - found):
                # A domino that lies on the board needs no further argument: a player sees it there.
                is_used = self.since is None and self.deductions[number].technique == "used"
                known = self._as_laid(number) if is_used else None
                if known is None:
                    waiting.append((self.deductions[number].premises, number))
                else:
                    others |= known
            found |= parts
            yield sorted(found), others
        self._needed[premises] = sorted(found), others

    def direct(
        self, premises: int, before: int, others: int = 0, found: Collection[int] = ()
    ) -> tuple[int, set[int]]:
        """Return the bits that a player knows and the deductions of the step that give the premises at once.

        The deductions are older than number ``before``; ``others`` and ``found`` are used anyway.
        """
        # Visible bits first, since each has one cause. What they use then decides for the hidden ones, which
        # may have several reasons: one that is used anyway costs a reader nothing.
        visible = premises & self.table.visible
        seen, cause = self.plain(visible), self._cause
        parts = {cause[position] for position in bits(visible & self._of_parts)}
        hidden = premises & ~visible
        if hidden:
            more, further = self._reasons_for(hidden, others | seen, parts.union(found), before)
            return seen | more, parts | further
        return seen, parts

    def plain(self, premises: int) -> int:
        """Return those of the bits that a player knows without a deduction of the step."""
        return premises & self.table.visible & ~self._of_parts

    def laid(self, number: int) -> dict[tuple[int, int], list[Fact]]:
        """Return the dominoes that a deduction "used" is about, if they lie on the board with both values.

        For the two cells of each domino the result has the facts that were stated of it.
        """
        deduction, found = self.deductions[number], dict[tuple[int, int], list[Fact]]()
        if deduction.technique != "used":
            return found
        table = self.table
        for tray in table.trays:
            for e in tray.edges_of(deduction.detail[1]):
                if not self.stated & tray.edge_bit[e]:
                    continue
                cells = tray.cells(e)
                values = [Fact(v, x, True) for v in cells if (x := self.value_of(v)) is not None]
                # One domino that is not complete spoils all: the sentence says that the kind is used up.
                if len(values) < 2 or union(map(table.bit_of, values)) & ~self.stated:
                    return {}
                found[cells] = [tray.fact(e), *values]
        return found if len(found) == len(deduction.detail[1]) else {}

    def _as_laid(self, number: int) -> int | None:
        """Return the bits behind dominoes that lie on the board, see ``laid``; None if they do not yet."""
        facts = chain.from_iterable(self.laid(number).values())
        return union(map(self.table.bits_against, facts)) or None

    def _is_part(self, number: int) -> bool:
        """Whether a deduction stands in the step that needs it."""
        return (self.since is not None and number >= self.since) or (
            self.deductions[number].technique in FOLDED
        )

    def _reasons_for(
        self, hidden: int, others: int, found: Collection[int], before: int
    ) -> tuple[int, set[int]]:
        """Return visible bits and deductions, older than ``before``, that explain why hidden bits are gone.

        ``others`` and ``found`` are bits and deductions that are used anyway. Raises Unexplained.
        """
        # For each reason the hidden bits that it explains, and the visible bits that it stands for.
        covers: dict[tuple[str, int], int] = {}
        behind: dict[tuple[str, int], int] = {}
        left, every, of_parts, cause = hidden, 0, self._of_parts, self._cause
        removed = [(places & hidden, number) for number, places in self._places if number < before]
        for places, number in sorted(removed, key=lambda each: each[0] & -each[0]):
            if places:
                covers["part", number] = places
                every |= places
        # A place is also gone if its edge or one of its two values is, whatever removed it first.
        there = self.alive | union(self.removed[before:])
        for way, bit, key, places in self.table.ways_to(hidden):
            if there & bit:
                continue
            every |= places
            if bit & of_parts:
                key = "part", cause[way]
            elif bit & others:
                left &= ~places
            else:
                behind[key] = behind.get(key, 0) | bit
            covers[key] = covers.get(key, 0) | places
        if hidden & ~every:
            raise Unexplained
        for number in found:
            left &= ~covers.get(("part", number), 0)
        chosen, parts = 0, set[int]()
        weighted = [(key, of, self._weight(key)) for key, of in covers.items() if of & left]
        # The gains only shrink: what still has its gain when it comes first has the greatest.
        gains = [(-(of & left).bit_count() / weight, n) for n, (_, of, weight) in enumerate(weighted)]
        heapify(gains)
        while left:
            gain, n = gains[0]
            key, of, weight = weighted[n]
            now = -(of & left).bit_count() / weight
            if now > gain:
                heapreplace(gains, (now, n))
                continue
            left &= ~of
            if key[0] == "part":
                parts.add(key[1])
            else:
                chosen |= behind.get(key, 0)
        return chosen, parts

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
        return self.table.only_value(self.alive, v)
