"""Chains: a supposed fact, and the deductions from it to a contradiction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.techniques.knowledge import FOLDED, Deduction, Knowledge, Unexplained
from milp_pips.extras.explain.techniques.rules import PropagatedRule
from milp_pips.extras.explain.techniques.search import Technique, Techniques
from milp_pips.extras.explain.techniques.table import bits

MOST_LINKS = 6
"""The number of links of a chain of looks above which a shorter one that counts is sought."""

FEW_ROUNDS = 1
"""The number of rounds to a contradiction for which no shorter chain is sought."""

FURTHER_SUPPOSITIONS, MOST_CHAINS = 60, 12
"""The number of suppositions that are tried after the first that fails, and of chains that are compared."""

LONGEST_CHAIN = 25
"""The number of rounds after which a supposition is given up: the chains that people read are shorter."""


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

    def shortest(self, knowledge: Knowledge) -> Deduction | None:
        """Return the shortest of the chains tried, from a supposition to a contradiction; None without one.

        The chains of looks come first. If these have more than ``MOST_LINKS`` links, chains that count are
        tried, too.
        """
        found = list[Deduction]()
        for further in ((), self._techniques.further):
            for tried, (rounds, bit, fact) in enumerate(self._refutable(knowledge, further)):
                fewest = min((each.detail.links for each in found), default=LONGEST_CHAIN)
                if rounds >= fewest or (tried >= MOST_CHAINS and fewest <= MOST_LINKS):
                    break
                chain = self.refute(knowledge, bit, fact, further)
                found += [chain] if chain else []
            found.sort(key=lambda each: each.detail.links)
            if found and found[0].detail.links <= MOST_LINKS:
                return found[0]
        for chain in found[:MOST_CHAINS]:
            if (shorter := self._shortened(knowledge, chain)).detail.links <= MOST_LINKS:
                return shorter
        return found[0] if found else None

    def _shortened(self, knowledge: Knowledge, chain: Deduction) -> Deduction:
        """Return a chain from the same supposition that is found without some of the links."""
        assert chain.gone is not None
        again = True
        while again and chain.detail.links > MOST_LINKS:
            again = False
            for _, link in chain.detail.deductions[:-1]:
                if link.technique not in FOLDED and link.gone:
                    other = self._chain(
                        knowledge,
                        chain.gone,
                        chain.detail.supposed,
                        self._techniques.looks,
                        self._techniques.further,
                        at_once=True,
                        without=link.gone,
                    )
                    if other is not None and other.detail.links < chain.detail.links:
                        chain, again = other, True
                        break
        return chain

    def _refutable(self, knowledge: Knowledge, further: Sequence[Technique]) -> list[tuple[int, int, Fact]]:
        """Return suppositions that lead to a contradiction, each with its number of rounds and its bit.

        Those with the fewest rounds come first: no chain has fewer links. Once one is found, some more
        suppositions are tried.
        """
        found, more = list[tuple[int, int, Fact]](), FURTHER_SUPPOSITIONS
        for bit, fact in self._suppositions(knowledge):
            self._stop()
            if self._is_possible(fact):
                continue
            more -= bool(found)
            rounds = self._rounds(knowledge, fact, further)
            if rounds is not None:
                found.append((rounds, bit, fact))
                if rounds <= FEW_ROUNDS:
                    break
            if not more:
                break
        return sorted(found, key=lambda each: each[0])

    def _rounds(self, knowledge: Knowledge, fact: Fact, further: Sequence[Technique]) -> int | None:
        """Return the number of rounds from a supposed fact to a contradiction; None if there is none.

        A round makes all deductions that are available.
        """
        known = knowledge.copy()
        known.suppose(fact)
        for rounds in range(1, LONGEST_CHAIN + 1):
            if self._techniques.see(known) is not None:
                return rounds
            links = [*self._techniques.every(known, (*self._techniques.looks, *further))]
            if any(link.gone is None for link in links):
                return rounds
            if not links:
                return None
            for link in links:
                known.apply(self._techniques.with_values(link, known.alive))
        return None

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
        self, knowledge: Knowledge, bit: int, fact: Fact, names: Collection[str], items: Collection[int]
    ) -> Deduction | None:
        """Return the deduction that a supposed fact is refuted by techniques with these names and items."""
        of = self._techniques.of(names, items)
        further = [each for each in of if each in self._techniques.further]
        return self.refute(knowledge, bit, fact, further, [each for each in of if each not in further])

    def refute(
        self,
        knowledge: Knowledge,
        bit: int,
        fact: Fact,
        further: Sequence[Technique],
        looks: Sequence[Technique] | None = None,
    ) -> Deduction | None:
        """Return the deduction that a supposed fact leads to a contradiction; None if it is not found.

        The ``looks`` (None: all) are made one after another, with ``further`` techniques where they end, and
        then all that are available at once; the shorter chain counts.
        """
        links = self._techniques.looks if looks is None else looks
        both = (
            self._chain(knowledge, bit, fact, links, further, at_once=at_once) for at_once in (False, True)
        )
        return min(filter(None, both), key=_length, default=None)

    def _chain(
        self,
        knowledge: Knowledge,
        bit: int,
        fact: Fact,
        looks: Sequence[Technique],
        further: Sequence[Technique],
        *,
        at_once: bool,
        without: int = 0,
    ) -> Deduction | None:
        """Return a chain whose links do not conclude that bits ``without`` are gone, or None."""
        techniques = self._techniques
        known, since = knowledge.copy(), len(knowledge.deductions)
        known.suppose(fact)
        for _ in range(LONGEST_CHAIN):
            seen = techniques.see(known)
            found = techniques.every(known, looks if seen is None else ())
            links = [*islice(found, None if at_once else 1)] if seen is None else [seen]
            if at_once and seen is None:
                links += techniques.every(known, further)
            links = [link for link in links if not (link.gone or 0) & without]
            if not links and not at_once:
                links = [*islice(techniques.every(known, further), 1)]
            ends = [each for each in links if each.gone is None]
            end = min(ends, key=lambda each: each.technique != "only value", default=None)
            if end is not None or not links:
                break
            alive = known.alive
            for link in links:
                known.apply(techniques.with_values(link, alive))
        if end is None:
            return None
        try:
            return self._explained(known, techniques.completed(known, end), since, knowledge, bit, fact)
        except Unexplained:
            return None

    def _explained(
        self, known: Knowledge, end: Deduction, since: int, knowledge: Knowledge, bit: int, fact: Fact
    ) -> Deduction:
        """Return the chain that ends with a deduction, each link concluding only what later ones use.

        Raises Unexplained.
        """
        self._stop()
        self._tighten(known, end, since, range(since, len(known.deductions)))
        parts = known.proof(end.premises, since, knowledge).parts
        self._stop()
        self._tighten(known, end, since, parts)
        self._stop()
        proof = known.proof(end.premises, since, knowledge)
        self._stop()
        deductions = [(n, known.deductions[n]) for n in proof.parts if n != since]
        deductions.append((len(known.deductions), end))
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
        left = known.alive
        for position, cause in known.cause.items():
            left |= 1 << position if cause >= since else 0
        for n in range(since, len(known.deductions)):
            alive[n] = left
            left &= ~(known.deductions[n].gone or 0)
        wanted = end.premises
        others, waiting = known.direct(wanted, len(known.deductions), since=since)
        while waiting:
            self._stop()
            n = max(waiting)
            waiting.remove(n)
            each = known.deductions[n]
            source = each.source
            if n in parts and n in alive and source is not None and each.gone:
                gone = 0
                for position in bits(each.gone):
                    own = 1 << position
                    gone |= own if (own | table.follow(own)) & wanted else 0
                after = alive[n] & ~each.gone
                for v in {position // table.width for position in bits(gone & table.all_values)}:
                    if isinstance(source, PropagatedRule) and source.leaves_one(each.premises, after, v):
                        own = table.all_of(v) & table.start & ~after
                        gone |= own
                        each = each._replace(gone=each.gone | own, premises=each.premises & ~table.all_of(v))
                each = source.thinned_to(each._replace(facts=()), gone)
                each = self._techniques.with_values(each, alive[n])
                known.deductions[n] = each
            wanted |= each.premises
            seen, more = known.direct(each.premises, n, others, waiting, since)
            others |= seen
            waiting |= more


def _length(chain: Deduction) -> tuple[int, int]:
    """Return the number of links of a chain, and of all its deductions."""
    return chain.detail.links, len(chain.detail.deductions)
