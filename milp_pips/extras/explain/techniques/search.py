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

SHORT_CHAIN = 2
"""The number of links of a chain for which no shorter one is sought."""

EASY_CHAIN = 6
"""The most links of a chain that people can follow; for a longer one, a shorter one is sought everywhere."""

SHORTENED = 12
"""The number of chains, the shortest first, that are shortened if people can follow none of those found."""

FURTHER_SUPPOSITIONS = 60
"""The number of suppositions that are tried for a chain shorter than one that people can follow."""

LONGEST_CHAIN = 25
"""The number of deductions after which a supposition is given up: the chains that people read are shorter."""

Technique = Callable[[Knowledge], Iterator[Deduction]]


class Chain(NamedTuple):
    """A supposed fact and the deductions from it to a contradiction.

    ``links`` counts the deductions that a player notes down, and the contradiction; ``knowledge`` is what is
    known at the end; ``facts`` are those on which the chain rests, beside the supposed one.
    """

    supposed: Fact
    deductions: tuple[tuple[int, Deduction], ...]
    links: int
    knowledge: Knowledge
    facts: tuple[Fact, ...]

    @property
    def length(self) -> tuple[int, int]:
        """The number of links, and of all deductions: of two chains, the one with less is shorter."""
        return self.links, len(self.deductions)


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
        return self._with_values(knowledge, deduction)

    def _with_values(self, knowledge: Knowledge, deduction: Deduction) -> Deduction:
        """Return the deduction with the values that become certain as facts."""
        if not deduction.gone or deduction.technique in FOLDED:
            return deduction
        table, left = self.table, knowledge.alive & ~deduction.gone
        facts, premises = list(deduction.facts), deduction.premises
        for v in {position // table.width for position in bits(deduction.gone & table.all_values)}:
            mask = table.mask(left, v)
            if mask and not mask & (mask - 1) and v in table.shown_set:
                facts.append(Fact(v, table.values[mask.bit_length() - 1], True))
                premises |= self._others_gone(deduction, v, knowledge.alive)
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
        """Return a short chain of deductions from a supposition to a contradiction; None if there is none.

        Chains of looks come first, and then those that count, too, unless a chain that people can follow is
        found. Once there is one, some more suppositions are tried for a shorter one.
        """
        long = list[tuple[Deduction, tuple[Technique, ...]]]()
        for further in ((), (*self.folded_counts, *self.counts)):
            best: Deduction | None = None
            more = FURTHER_SUPPOSITIONS
            for bit, fact in self._suppositions(knowledge):
                self._stop()
                if self._is_possible(fact):
                    continue
                more -= best is not None
                if more < 0 or (best is not None and best.detail.links <= SHORT_CHAIN):
                    break
                if self._contradicts(knowledge, fact, further):
                    found = self.refute(knowledge, bit, fact, further)
                    if found is not None and found.detail.links > EASY_CHAIN:
                        long.append((found, further))
                    elif found is not None and (best is None or found.detail.length < best.detail.length):
                        best = found
            if best is not None:
                return best
        best = None
        for found, further in sorted(long, key=lambda each: each[0].detail.length)[:SHORTENED]:
            shorter = self._shortened(knowledge, found, further, ())
            if best is None or shorter.detail.length < best.detail.length:
                best = shorter
            if best.detail.links <= EASY_CHAIN:
                break
        return best

    def _contradicts(self, knowledge: Knowledge, fact: Fact, further: Sequence[Technique]) -> bool:
        """Whether a supposed fact leads to a contradiction; as ``refute``, but without reasons."""
        known = knowledge.copy()
        known.apply(Deduction("suppose", self.table.bits_against(fact), 0, (), None, (fact,)))
        for _ in range(LONGEST_CHAIN):
            if self.see(known) is not None:
                return True
            link = next((each for technique in (*self._links, *further) for each in technique(known)), None)
            if link is None:
                return False
            if link.gone is None:
                return True
            known.apply(self._with_values(known, link))
        return False

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

        Looks are made one after another, and then all that are available at once; the shorter chain counts.
        The ``further`` techniques are tried where looks end.
        """
        both = (self._chain(knowledge, bit, fact, further, at_once) for at_once in (False, True))
        return min(filter(None, both), key=lambda found: found.detail.length, default=None)

    def _shortened(
        self,
        knowledge: Knowledge,
        found: Deduction,
        further: Sequence[Technique],
        without: tuple[Deduction, ...],
    ) -> Deduction:
        """Return a chain of few links, found without some links of a longer one; else the longer one."""
        chain = found.detail
        links = [link for _, link in chain.deductions[:-1] if link.technique not in FOLDED]
        for link in links if chain.links > EASY_CHAIN else ():
            for at_once in (False, True):
                unused = (*without, link)
                other = self._chain(knowledge, found.gone or 0, chain.supposed, further, at_once, unused)
                if other is not None and other.detail.length < chain.length:
                    return self._shortened(knowledge, other, further, unused)
        return found

    def _chain(
        self,
        knowledge: Knowledge,
        bit: int,
        fact: Fact,
        further: Sequence[Technique],
        at_once: bool,
        without: Sequence[Deduction] = (),
    ) -> Deduction | None:
        unused = {(link.technique, link.items, link.gone) for link in without}
        known, since = knowledge.copy(), len(knowledge.deductions)
        known.apply(Deduction("suppose", self.table.bits_against(fact), 0, (), None, (fact,)))
        for _ in range(LONGEST_CHAIN):
            seen = self.see(known)
            looks: Iterable[Deduction] = self.every(known, self._links if seen is None else ())
            if unused:
                looks = (each for each in looks if (each.technique, each.items, each.gone) not in unused)
            links = list(looks if at_once else islice(looks, 1))
            if not links and (link := seen or self.first(known, further)) is not None:
                links = [link]
            end = next((each for each in links if each.gone is None), None)
            if end is not None or not links:
                break
            for link in links:
                known.apply(link)
        if end is None:
            return None
        proof = known.proof(end.premises, since, knowledge)
        parts = [(n, known.deductions[n]) for n in proof.parts if n != since]
        parts.append((len(known.deductions), end))
        items = sorted({i for _, each in parts for i in each.items})
        told = 1 + sum(each.technique not in FOLDED for _, each in parts[:-1])
        premises = 0
        for each in proof.facts:
            premises |= self.table.bits_against(each)
        return Deduction(
            "chain", bit, premises, tuple(items), Chain(fact, tuple(parts), told, known, proof.facts)
        )
