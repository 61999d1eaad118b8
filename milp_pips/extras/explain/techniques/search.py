"""Search for the next step: techniques of one look, then those that count, then chains of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.groups import GroupedProblem
from milp_pips.extras.explain.techniques.blocks import PairSums
from milp_pips.extras.explain.techniques.counts import Combinations, Counts
from milp_pips.extras.explain.techniques.cover import CoverTechniques
from milp_pips.extras.explain.techniques.knowledge import FOLDED, Deduction, Knowledge
from milp_pips.extras.explain.techniques.rules import Cage, PairsInside, PropagatedRule
from milp_pips.extras.explain.techniques.table import FactTable, bits

CLOSE_LOOKS = 6
"""The number of steps of one look among which the easiest is chosen."""

MOST_LINKS = 6
"""The number of links of a chain of looks above which a shorter one that counts is sought."""

FEW_ROUNDS = 1
"""The number of rounds to a contradiction for which no shorter chain is sought."""

FURTHER_SUPPOSITIONS, MOST_TOLD = 60, 12
"""The number of suppositions that are tried after the first that fails, and of chains that are compared."""

LONGEST_CHAIN = 25
"""The number of rounds after which a supposition is given up: the chains that people read are shorter."""

Technique = Callable[[Knowledge], Iterator[Deduction]]


class Chain(NamedTuple):
    """A supposed fact and the deductions from it to a contradiction.

    ``links`` counts the deductions that are told; ``knowledge`` is what is known at the end; ``facts`` are
    those on which the chain rests, beside the supposed one.
    """

    supposed: Fact
    deductions: tuple[tuple[int, Deduction], ...]
    links: int
    knowledge: Knowledge
    facts: tuple[Fact, ...]


class Techniques:
    """The techniques for one problem.

    Parameters
    ----------
    grouped
        The problem as a set of items.
    numbers
        The items that may be used; None for all.
    stop
        Called now and then; it may raise an exception to end a long search.
    is_possible
        Whether some solution is known to have a fact. Chains do not try to refute it.
    chains
        Whether to look for chains.
    """

    def __init__(
        self,
        grouped: GroupedProblem,
        numbers: Collection[int] | None = None,
        stop: Callable[[], object] = lambda: None,
        is_possible: Callable[[Fact], bool] = lambda _fact: False,
        *,
        chains: bool = True,
    ):
        self._stop, self._is_possible, self._chains = stop, is_possible, chains
        self.open = 1
        """The number of steps of one look that were available when the last step was found."""
        self.table = table = FactTable(grouped, stop)
        used = [(n, item) for n, item in enumerate(grouped.items) if numbers is None or n in numbers]
        by_scope: dict[tuple[int, tuple[int, ...]], list[int]] = {}
        for n, item in used:
            scope = item.piece.variables
            is_simple = scope and len(set(scope)) == len(scope) and table.partners.isdisjoint(scope)
            if item.kind == "rule" and is_simple:
                by_scope.setdefault((item.rule, scope), []).append(n)
        rules, whole = list[PropagatedRule](), list[PropagatedRule]()
        for (_, scope), together in by_scope.items():  # for one cell both halves of a sum are one look
            alone = [together] if len(scope) == 1 else [[n] for n in together]
            parts = [PropagatedRule(table, part) for part in alone]
            rules += parts
            whole.append(parts[0] if len(parts) == 1 else PropagatedRule(table, together, parts))
        items: dict[int, tuple[int, ...]] = {}
        for n, item in used:
            if item.kind == "rule":
                items[item.rule] = (*items.get(item.rule, ()), n)
        longer = [rule for rule in rules if len(rule.variables) > 1]
        covers, counts = list[CoverTechniques](), list[Counts]()
        for tray in table.trays:
            halves: dict[str, dict[int, int]] = {"only": {}, "all": {}}
            for n, item in used:
                if item.kind == "dominoes" and item.rule == tray.number:
                    halves[item.part][tray.kinds.index(item.usage.kind)] = n
            covers.append(CoverTechniques(table, tray, halves["only"], halves["all"]))
            counts.append(Counts(table, tray, items, halves["only"], halves["all"]))
        cages = [
            Cage(total, different)
            for total in longer
            if (bounded := total.piece.bounded_sum) is not None and not bounded.coefficients
            for different in longer
            if different.piece.all_different and set(total.variables) <= set(different.variables)
        ]
        pairs = [PairsInside(rule, tray) for rule in longer for tray in table.trays]
        self._at_once: list[Technique] = [
            *(pair.at_once for pair in pairs),
            *(rule.at_sight for rule in longer),
            *(cover.used for cover in covers),
            *(cover.no_edge for cover in covers),
        ]
        by_cell: list[Technique] = [
            self._only_value,
            *(cover.lone for cover in covers),
            *(cover.fits for cover in covers),
            *(cover.no_fit for cover in covers),
            *(cover.one_place for cover in covers),
        ]
        self.looks: list[Technique] = [*(rule.deductions for rule in rules), *by_cell]
        self._links: list[Technique] = [*(rule.deductions for rule in whole), *by_cell]
        """The looks of chains, where both halves of a sum are one."""
        self.folded_counts: list[Technique] = [
            *(pair.by_values for pair in pairs),
            *(PairSums(rule, tray).deductions for rule in longer for tray in table.trays),
            *(cover.naked for cover in covers),
        ]
        self.counts: list[Technique] = [
            *(cage.deductions for cage in cages),
            *(cover.parity for cover in covers),
            *(count.needs for count in counts),
            *(count.sums for count in counts),
            *(count.shares for count in counts),
            *(Combinations(count, n).deductions for count in counts for n in range(len(count.groups))),
        ]

    def _only_value(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """A cell has one value left after what is seen at once, or none."""
        table = self.table
        for v in table.shown:
            gone = table.all_of(v) & table.start & ~knowledge.alive
            if gone and not table.mask(knowledge.alive, v):
                yield Deduction("only value", None, gone, (), v)
            value = knowledge.value_of(v)
            if value is not None and len(table.variables[v].domain) > 1:
                fact = Fact(v, value, True)
                if fact not in knowledge.told:
                    yield Deduction("only value", 0, gone, (), v, (fact,))

    def see(self, knowledge: Knowledge) -> Deduction | None:
        """Apply all folded deductions of one look; return a contradiction if there is one."""
        again = True
        while again:
            again = False
            for technique in self._at_once:
                self._stop()
                for deduction in technique(knowledge):
                    if deduction.gone is None:
                        return deduction
                    if deduction.gone & knowledge.alive:
                        knowledge.apply(deduction)
                        again = True
        return None

    def first(self, knowledge: Knowledge, techniques: Iterable[Technique]) -> Deduction | None:
        """Return the first deduction of the techniques; None if there is none."""
        for technique in techniques:
            self._stop()
            for deduction in technique(knowledge):
                return self._completed(knowledge, deduction)
        return None

    def every(self, knowledge: Knowledge, techniques: Iterable[Technique]) -> Iterator[Deduction]:
        """Yield all deductions of the techniques."""
        for technique in techniques:
            for deduction in technique(knowledge):
                self._stop()
                yield self._completed(knowledge, deduction)

    def _completed(self, knowledge: Knowledge, deduction: Deduction) -> Deduction:
        """Return the deduction with thin premises, and with the values that become certain as facts."""
        if isinstance(deduction.detail, PropagatedRule):
            deduction = deduction.detail.thinned(deduction)
        return self._with_values(deduction, knowledge.alive)

    def _with_values(self, deduction: Deduction, alive: int) -> Deduction:
        """Return the deduction with the values that become certain as facts."""
        if not deduction.gone or deduction.technique in FOLDED:
            return deduction
        table, left = self.table, alive & ~deduction.gone
        facts, premises = list(deduction.facts), deduction.premises
        for v in {position // table.width for position in bits(deduction.gone & table.all_values)}:
            mask = table.mask(left, v)
            if mask and not mask & (mask - 1) and v in table.shown_set:
                facts.append(Fact(v, table.values[mask.bit_length() - 1], True))
                premises |= self._others_gone(deduction, v, alive)
        return deduction._replace(premises=premises, facts=tuple(dict.fromkeys(facts)))

    def _others_gone(self, deduction: Deduction, v: int, alive: int) -> int:
        """Return premises for all values of a variable that were gone before a deduction that leaves one."""
        table, rule = self.table, deduction.detail
        before = table.all_of(v) & table.start & ~alive
        if isinstance(rule, PropagatedRule):
            left = table.start & ~deduction.premises
            return before & ~(rule.removes(left) or 0)
        if deduction.technique in ("fits", "one place"):
            return 0  # the domino has this value, whatever was gone before
        tray, i = table.tray_of(v)
        if tray is None or deduction.technique != "no fit":
            return before
        places = 0
        for position in bits(before >> (v * table.width)):
            places |= tray.showing[i].get(table.values[position], 0)
        return places

    def next_step(self, knowledge: Knowledge) -> Deduction | None:
        """Apply what is seen at once, and return the next step, not yet applied; None if the techniques end.

        The step of one look that lays a domino or shows a value with the fewest premises comes first.
        """
        contradiction = self.see(knowledge)
        if contradiction is not None:
            return contradiction
        candidates = list(self.every(knowledge, self.looks))
        hidden = [
            each for each in candidates if each.gone and not each.facts and not each.gone & self.table.visible
        ]
        if hidden:  # places of dominoes, or auxiliary variables: nothing that a player could note down
            for each in hidden:
                knowledge.apply(each)
            return self.next_step(knowledge)
        self.open = max(1, len(candidates))
        if candidates:
            candidates.sort(key=lambda each: (each.gone is not None, not each.facts))
            best = [each for each in candidates if bool(each.facts) is bool(candidates[0].facts)]
            return min(best[:CLOSE_LOOKS], key=lambda each: self._effort(knowledge, each))
        folded = self.first(knowledge, self.folded_counts)
        if folded is not None:
            if folded.gone is None:
                return folded
            knowledge.apply(folded)
            return self.next_step(knowledge)
        found = self.first(knowledge, self.counts)
        return self.chain(knowledge) if found is None and self._chains else found

    def _effort(self, knowledge: Knowledge, deduction: Deduction) -> tuple[bool, bool, int, int]:
        self._stop()
        folded, seen = knowledge.needed(deduction.premises)
        items = {i for n in folded for i in knowledge.deductions[n].items}.union(deduction.items)
        cells = len({position // self.table.width for position in bits(seen & self.table.all_values)})
        return deduction.gone is not None, not deduction.facts, len(items) + cells, len(folded)

    def chain(self, knowledge: Knowledge) -> Deduction | None:
        """Return the shortest of the chains tried, from a supposition to a contradiction; None without one.

        The chains of looks come first. If these have more than ``MOST_LINKS`` links, chains that count are
        tried, too.
        """
        found = list[Deduction]()
        for further in ((), (*self.folded_counts, *self.counts)):
            for tried, (rounds, bit, fact) in enumerate(self._refutable(knowledge, further)):
                fewest = min((each.detail.links for each in found), default=LONGEST_CHAIN)
                if rounds >= fewest or (tried >= MOST_TOLD and fewest <= MOST_LINKS):
                    break
                chain = self.refute(knowledge, bit, fact, further)
                found += [chain] if chain else []
            found.sort(key=lambda each: each.detail.links)
            if found and found[0].detail.links <= MOST_LINKS:
                return found[0]
        for chain in found[:MOST_TOLD]:
            if (shorter := self._shortened(knowledge, chain, further)).detail.links <= MOST_LINKS:
                return shorter
        return found[0] if found else None

    def _shortened(self, knowledge: Knowledge, chain: Deduction, further: Sequence[Technique]) -> Deduction:
        """Return a chain from the same supposition that is found without some of the links."""
        assert chain.gone is not None
        again = True
        while again and chain.detail.links > MOST_LINKS:
            again = False
            for _, link in chain.detail.deductions[:-1]:
                if link.technique not in FOLDED and link.gone:
                    other = self._chain(
                        knowledge, chain.gone, chain.detail.supposed, further, at_once=True, without=link.gone
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
        known.apply(Deduction("suppose", self.table.bits_against(fact), 0, (), None, (fact,)))
        for rounds in range(1, LONGEST_CHAIN + 1):
            if self.see(known) is not None:
                return rounds
            links = [link for technique in (*self._links, *further) for link in technique(known)]
            if any(link.gone is None for link in links):
                return rounds
            if not links:
                return None
            for link in links:
                known.apply(self._with_values(link, known.alive))
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

    def refute(
        self, knowledge: Knowledge, bit: int, fact: Fact, further: Sequence[Technique]
    ) -> Deduction | None:
        """Return the deduction that a supposed fact leads to a contradiction; None if it is not found.

        Looks are made one after another, with ``further`` techniques where they end, and then all that are
        available at once; the shorter chain counts.
        """
        both = (self._chain(knowledge, bit, fact, further, at_once=at_once) for at_once in (False, True))
        return min(filter(None, both), key=lambda found: found.detail.links, default=None)

    def _chain(
        self,
        knowledge: Knowledge,
        bit: int,
        fact: Fact,
        further: Sequence[Technique],
        *,
        at_once: bool,
        without: int = 0,
    ) -> Deduction | None:
        """Return a chain; no link concludes that bits ``without`` are gone."""
        known, since = knowledge.copy(), len(knowledge.deductions)
        known.apply(Deduction("suppose", self.table.bits_against(fact), 0, (), None, (fact,)))
        for _ in range(LONGEST_CHAIN):
            seen = self.see(known)
            looks = (link for technique in self._links for link in technique(known) if seen is None)
            links = [self._with_values(each, known.alive) for each in islice(looks, None if at_once else 1)]
            if at_once and seen is None:
                links += self.every(known, further)
            links = [link for link in links if not (link.gone or 0) & without]
            if not links and (link := seen or self.first(known, () if without else further)) is not None:
                links = [link]
            ends = [each for each in links if each.gone is None]
            end = min(ends, key=lambda each: each.technique != "only value", default=None)
            if end is not None or not links:
                break
            for link in links:
                known.apply(link)
        if end is None:
            return None
        self._stop()
        end = self._completed(known, end)
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
        told = 1 + sum(each.technique not in FOLDED for _, each in deductions[:-1])
        premises = 0
        for each in proof.facts:
            premises |= self.table.bits_against(each)
        chain = Chain(fact, tuple(deductions), told, known, proof.facts)
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
            if n in parts and isinstance(each.detail, PropagatedRule) and each.gone:
                gone = 0
                for position in bits(each.gone):
                    own = 1 << position
                    gone |= own if (own | table.follow(own)) & wanted else 0
                after = alive[n] & ~each.gone
                for v in {position // table.width for position in bits(gone & table.all_values)}:
                    if each.detail.leaves_one(each.premises, after, v):
                        own = table.all_of(v) & table.start & ~after
                        gone |= own
                        each = each._replace(gone=each.gone | own, premises=each.premises & ~table.all_of(v))
                each = each.detail.thinned_to(each._replace(facts=()), gone)
                each = self._with_values(each, alive[n])
                known.deductions[n] = each
            wanted |= each.premises
            seen, more = known.direct(each.premises, n, others, waiting, since)
            others |= seen
            waiting |= more
