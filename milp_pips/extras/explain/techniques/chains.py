"""Chains: a supposed fact, and the deductions from it to a contradiction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.techniques.knowledge import FOLDED, Deduction, Knowledge, Unexplained
from milp_pips.extras.explain.techniques.propagation import Technique
from milp_pips.extras.explain.techniques.rules import PropagatedRule
from milp_pips.extras.explain.techniques.search import Techniques
from milp_pips.extras.explain.techniques.table import bits, union

MOST_LINKS = 6
"""The number of links of a chain of looks above which a shorter one that counts is sought."""

FEW_LINKS = 2
"""The number of links for which no shorter chain is sought."""

MOST_FAILING, MOST_CHAINS = 16, 3
"""The number of suppositions that fail among which the shortest chains are sought, and of chains compared."""

LONGEST_CHAIN = 25
"""The number of rounds after which a supposition is given up: the chains that people read are shorter."""


SPARE_LINKS = 1
"""The number of deductions of a chain that may turn out to be spare once its links conclude less. On two hard
days of Pips with many chains it was one at most where the chain became short enough."""


TRIAL = 10
"""The work of finding out whether a chain can end at all, as a number of deductions: both take about 1 ms."""


class TooLong(Exception):
    """A step follows, but only by more deductions than before."""


class Chain(NamedTuple):
    """A supposed fact and the deductions from it to a contradiction.

    ``links`` counts the deductions that a story shows; ``knowledge`` is what is known at the end; ``facts``
    are those on which the chain rests, beside the supposed one.
    """

    supposed: Fact
    deductions: tuple[tuple[int, Deduction], ...]
    links: int
    knowledge: Knowledge
    facts: tuple[Fact, ...]


class Chains:
    """The search for chains of the techniques for one problem.

    Parameters
    ----------
    techniques
        The techniques.
    stop
        Called now and then; it may raise an exception to end a long search.
    is_possible
        Whether some solution is known to have a fact. Chains do not try to refute it.
    """

    def __init__(
        self, techniques: Techniques, stop: Callable[[], object], is_possible: Callable[[Fact], bool]
    ):
        self._techniques, self.table = techniques, techniques.table
        self._stop, self._is_possible = stop, is_possible
        self.derived = 0
        """The work of ``again``: the deductions that it has made, and ``TRIAL`` for each call."""
        self._made = 0
        self._ends: tuple[dict[Fact, int], dict[Fact, int]] = {}, {}
        """The bits left after each supposition that does not fail, by looks and by all techniques."""
        self._failed: tuple[dict[Fact, tuple[int, int]], dict[Fact, tuple[int, int]]] = {}, {}
        """About how many links it takes until a supposition fails, and its bit, likewise."""

    def shortest(self, knowledge: Knowledge) -> Deduction | None:
        """Return the shortest of the chains tried, from a supposition to a contradiction; None without one.

        The chains of looks come first. If these have more than ``MOST_LINKS`` links, chains that count are
        tried, too.
        """
        found = list[Deduction]()
        for further in dict.fromkeys(((), tuple(self._techniques.further))):
            for tried, (links, bit, fact) in enumerate(self._failing(knowledge, further)):
                fewest = min((each.detail.links for each in found), default=LONGEST_CHAIN)
                if found and (links >= fewest or tried >= MOST_CHAINS):
                    break
                chain = self.refute(knowledge, bit, fact, further)
                found += [chain] if chain else []
            found.sort(key=lambda each: each.detail.links)
            if found and found[0].detail.links <= MOST_LINKS:
                return found[0]
        return found[0] if found else None

    def _failing(self, knowledge: Knowledge, further: Sequence[Technique]) -> list[tuple[int, int, Fact]]:
        """Return suppositions that lead to a contradiction, each with about its number of links and its bit.

        Those with the fewest links come first.
        """
        fails, alive, against = self._techniques.propagation.fails, knowledge.alive, self.table.bits_against
        ends, failed = self._ends[bool(further)], self._failed[bool(further)]
        found = [(links, bit, fact) for fact, (links, bit) in failed.items() if alive & bit]
        for bit, fact in self._suppositions(knowledge):
            self._stop()
            if len(found) >= MOST_FAILING:
                break
            if self._is_possible(fact) or (fact in failed and alive & failed[fact][1]):
                continue
            # Where a supposition led before, it leads again; only what has gone since can lead further.
            end = ends.get(fact)
            start = end or self._ends[0].get(fact)
            gone = ~alive if start else against(fact)
            start = start or alive
            if end and not gone & end:
                continue
            links, left = fails(start, gone & start, further, self._stop)
            if not links:
                ends[fact] = left
                continue
            if start != alive:
                links, _ = fails(alive, against(fact) & alive, further, self._stop)
            failed[fact] = links, bit
            found.append((links, bit, fact))
            if links <= FEW_LINKS:
                break
        return sorted(found, key=lambda each: each[0])

    def _suppositions(self, knowledge: Knowledge) -> Iterator[tuple[int, Fact]]:
        """Yield each open value and each edge where a domino may lie, with the fact to suppose.

        Cells with few values come first.
        """
        table, alive = self.table, knowledge.alive
        masks = [(v, table.mask(alive, v)) for v in table.shown]
        for v, mask in sorted(masks, key=lambda each: each[1].bit_count()):
            if mask & (mask - 1):
                for x in bits(mask):
                    yield 1 << (v * table.width + x), Fact(v, table.values[x], True)
        for tray in table.trays:
            laid = set(tray.laid(alive))
            for e, bit in enumerate(tray.edge_bit):
                if alive & bit and e not in laid:
                    yield bit, tray.fact(e)

    def again(
        self,
        knowledge: Knowledge,
        bit: int,
        fact: Fact,
        names: Collection[str],
        items: Collection[int],
        most: int,
    ) -> Deduction | None:
        """Return the deduction that a supposed fact is refuted by techniques with these names and items.

        Raises TooLong if it takes more than ``most`` deductions.
        """
        of = self._techniques.of(names, items)
        further = [each for each in of if each in self._techniques.further]
        looks = [each for each in of if each not in further]
        self.derived += TRIAL
        if self._cannot_fail(knowledge, fact, further, items):
            return None
        try:
            return self.refute(knowledge, bit, fact, further, looks, most)
        finally:
            self.derived += self._made

    def _cannot_fail(
        self, knowledge: Knowledge, fact: Fact, further: Sequence[Technique], items: Collection[int]
    ) -> bool:
        """Whether a supposed fact leads nowhere, found without reasons."""
        propagation, start = self._techniques.propagation, self.table.start
        if not propagation.is_complete:
            return False
        # From the start: unlike where chains are sought, the looks have not used yet what is known.
        gone = start & ~knowledge.alive | self.table.bits_against(fact)
        looks = propagation.looks_of(self._techniques.rules_of(items))
        return not propagation.fails(start, gone, further, self._stop, looks)[0]

    def refute(
        self,
        knowledge: Knowledge,
        bit: int,
        fact: Fact,
        further: Sequence[Technique],
        looks: Sequence[Technique] | None = None,
        most: int | None = None,
    ) -> Deduction | None:
        """Return the deduction that a supposed fact leads to a contradiction; None if it is not found.

        Each round makes all the ``looks`` (None: all) and ``further`` techniques that are available. Raises
        TooLong if the chain has more than ``most`` deductions.
        """
        techniques = self._techniques
        looks = techniques.looks if looks is None else looks
        known, since = knowledge.copy(), len(knowledge.deductions)
        known.suppose(fact)
        self._made = 0
        for _ in range(LONGEST_CHAIN):
            if (seen := techniques.see(known)) is not None:
                links = [seen]
            else:
                links = [*techniques.every(known, (*looks, *further))]
            ends = [each for each in links if each.gone is None]
            end = min(ends, key=lambda each: each.technique != "only value", default=None)
            if end is not None or not links:
                break
            alive = known.alive
            self._made += len(links)
            for link in links:
                known.apply(techniques.with_values(link, alive))
        if end is None:
            return None
        try:
            return self._explained(known, techniques.completed(known, end), since, knowledge, bit, fact, most)
        except Unexplained:
            return None

    def _explained(
        self,
        known: Knowledge,
        end: Deduction,
        since: int,
        knowledge: Knowledge,
        bit: int,
        fact: Fact,
        most: int | None,
    ) -> Deduction:
        """Return the chain that ends with a deduction, each link concluding only what later ones use.

        Raises Unexplained, and TooLong if it takes more than ``most`` deductions.
        """
        self._stop()
        self._tighten(known, end, since, range(since, len(known.deductions)))
        parts = known.proof(end.premises, knowledge).parts
        if most is not None and 1 + _count(known.deductions[n] for n in parts) > most + SPARE_LINKS:
            raise TooLong
        self._stop()
        self._tighten(known, end, since, parts)
        self._stop()
        proof = known.proof(end.premises, knowledge)
        self._stop()
        deductions = [(n, known.deductions[n]) for n in proof.parts if n != since]
        deductions.append((len(known.deductions), end))
        if most is not None and _count(each for _, each in deductions) > most:
            raise TooLong
        items = sorted({i for _, each in deductions for i in each.items})
        links = 1 + sum(each.technique not in FOLDED for _, each in deductions[:-1])
        premises = 0
        for each in proof.facts:
            premises |= self.table.bits_against(each)
        chain = Chain(fact, tuple(deductions), links, known, proof.facts)
        return Deduction("chain", bit, premises, tuple(items), chain)

    def _tighten(self, known: Knowledge, end: Deduction, since: int, parts: Collection[int]) -> None:
        """Let each part that is one rule conclude what later parts use, from the premises that this needs.

        The parts are deductions from number ``since`` on; the others are not used.
        """
        table, alive = self.table, dict[int, int]()
        left = known.alive | union(known.removed[since:])
        for n in range(since, len(known.deductions)):
            alive[n] = left
            left &= ~(known.deductions[n].gone or 0)
        wanted = end.premises
        others, waiting = known.direct(wanted, len(known.deductions))
        while waiting:
            self._stop()
            n = max(waiting)
            waiting.remove(n)
            each = known.deductions[n]
            source = each.source
            if n in parts and n in alive and source is not None and each.gone:
                gone = each.gone & wanted
                for position in bits(each.gone & ~wanted if table.following else 0):
                    own = 1 << position
                    gone |= own if table.follow(own) & wanted else 0
                after = alive[n] & ~each.gone
                for v in {position // table.width for position in bits(gone & table.all_values)}:
                    if isinstance(source, PropagatedRule) and source.leaves_one(each.premises, after, v):
                        own = table.all_of(v) & table.start & ~after
                        gone |= own
                        each = each._replace(gone=each.gone | own, premises=each.premises & ~table.all_of(v))
                each = source.thinned_to(each._replace(facts=()), gone)
                each = self._techniques.with_values(each, alive[n])
                known.replace(n, each)
            wanted |= each.premises
            seen, more = known.direct(each.premises, n, others, waiting)
            others |= seen
            waiting |= more


def _count(deductions: Iterable[Deduction]) -> int:
    """Return the number of deductions that a story tells, without the supposition and what is seen."""
    return sum(each.technique not in ("suppose", "sight") for each in deductions)
