"""Search for the next step: techniques of one look, then those that count."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain

from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.groups import GroupedProblem
from milp_pips.extras.explain.techniques.combinations import CellSum, Combinations
from milp_pips.extras.explain.techniques.counts import Counts
from milp_pips.extras.explain.techniques.cover import CoverTechniques
from milp_pips.extras.explain.techniques.knowledge import FOLDED, Deduction, Knowledge
from milp_pips.extras.explain.techniques.latin import LatinTechniques
from milp_pips.extras.explain.techniques.propagation import Propagation, Technique
from milp_pips.extras.explain.techniques.rules import PairsInside, PairSums, PropagatedRule
from milp_pips.extras.explain.techniques.table import FactTable
from milp_pips.problem.constraint import Constraint

CLOSE_LOOKS = 6
"""The number of steps of one look among which the easiest is chosen."""


LOOKS_BETWEEN_STOPS = 16
"""The number of techniques tried between two looks at the deadline; long loops look at it themselves."""


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
    """

    def __init__(
        self,
        grouped: GroupedProblem,
        numbers: Collection[int] | None = None,
        stop: Callable[[], object] = lambda: None,
    ):
        self._stop, self._looks_until_stop = stop, 0
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
        stated = _stated(grouped, [n for n, _ in used])
        longer = [rule for rule in rules if len(rule.variables) > 1]
        covers, counts, sums = list[CoverTechniques](), list[Counts](), _cages(table, longer, stated)
        for tray in table.trays:
            halves: dict[str, dict[int, int]] = {"only": {}, "all": {}}
            for n, item in used:
                if item.kind == "dominoes" and item.rule == tray.number:
                    halves[item.part][tray.kinds.index(item.usage.kind)] = n
            covers.append(CoverTechniques(table, tray, halves["only"], halves["all"]))
            counts.append(Counts(table, tray, stated, halves["only"], halves["all"]))
            sums += counts[-1].combinations()
        pairs = [PairsInside(rule, tray) for rule in longer for tray in table.trays]
        pair_sums = [PairSums(rule, tray) for rule in longer for tray in table.trays]
        self._inside = [inside for pair in pairs if (inside := pair.at_once).gone]
        self._at_once: list[Technique] = [
            self._forbidden_inside,
            *(rule.at_sight for rule in longer if rule.piece.all_different),
            *(cover.used for cover in covers),
            *(cover.no_edge for cover in covers),
        ]
        by_cell: dict[str, Sequence[Technique]] = {
            "only value": [self._only_value],
            "lone": [cover.lone for cover in covers],
            "fits": [cover.fits for cover in covers],
            "no fit": [cover.no_fit for cover in covers],
            "one place": [cover.one_place for cover in covers],
        }
        self._rules = {rule: rule.deductions for rule in (*rules, *whole)}
        self._folded: dict[str, Sequence[Technique]] = {
            "pair": [pair.by_values for pair in pairs],
            "pair sum": [each.deductions for each in pair_sums],
            "naked": [cover.naked for cover in covers],
        }
        self._counts: dict[str, Sequence[Technique]] = {
            "cage": [each.deductions for each in sums if each.name == "cage"],
            "parity": [cover.parity for cover in covers],
            "needs": [count.needs for count in counts],
            "total": [count.sums for count in counts],
            "combination": [each.deductions for each in sums if each.name == "combination"],
        }
        latin = LatinTechniques(table, rules).named if any(rule.is_different for rule in longer) else {}
        self.propagation = Propagation(table, whole, covers)
        self.further = [*chain(*self._folded.values(), *self._counts.values())]
        """The techniques that count, also in chains."""
        self._counts.update((name, [technique]) for name, technique in latin.items())
        self._named = {**by_cell, **self._folded, **self._counts}
        self.looks = [*(rule.deductions for rule in whole), *chain(*by_cell.values())]

    def rules_of(self, items: Collection[int]) -> list[PropagatedRule]:
        """Return the rules of these items alone."""
        allowed = frozenset(items)
        return [rule for rule in self._rules if allowed.issuperset(rule.numbers)]

    def of(self, names: Collection[str], items: Collection[int]) -> list[Technique]:
        """Return the techniques with these names; those that use one rule only for rules of these items."""
        return [
            *(map(self._rules.__getitem__, self.rules_of(items)) if "rule" in names else ()),
            *chain(*(of for name, of in self._named.items() if name in names)),
        ]

    def _forbidden_inside(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """Some places go whatever other cells show: a rule forbids them."""
        for inside in self._inside:
            if (inside.gone or 0) & knowledge.alive:
                yield inside

    def _only_value(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """A cell has one value left after what is seen at once, or none."""
        table = self.table
        for v in table.shown:
            mask = table.mask(knowledge.alive, v)
            if mask & (mask - 1):
                continue
            gone = table.all_of(v) & table.start & ~knowledge.alive
            if gone and not mask:
                yield Deduction("only value", None, gone, (), v)
            elif mask and len(table.variables[v].domain) > 1:
                value = table.values[mask.bit_length() - 1]
                if not knowledge.stated & table.value_bit(v, value):
                    yield Deduction("only value", 0, gone, (), v, (Fact(v, value, True),))

    def see(self, knowledge: Knowledge) -> Deduction | None:
        """Apply all folded deductions of one look; return a contradiction if there is one."""
        again = True
        while again:
            again = False
            self._stop()
            for technique in self._at_once:
                for deduction in filter(knowledge.allows, technique(knowledge)):
                    if deduction.gone is None:
                        return deduction
                    if deduction.gone & knowledge.alive:
                        knowledge.apply(deduction)
                        again = True
        return None

    def first(self, knowledge: Knowledge, techniques: Iterable[Technique]) -> Deduction | None:
        """Return the first deduction of the techniques; None if there is none."""
        return next((self.completed(knowledge, each) for each in self.every(knowledge, techniques)), None)

    def every(self, knowledge: Knowledge, techniques: Iterable[Technique]) -> Iterator[Deduction]:
        """Yield all deductions of the techniques, not yet completed."""
        for technique in techniques:
            self._looks_until_stop -= 1
            if self._looks_until_stop < 0:
                self._looks_until_stop = LOOKS_BETWEEN_STOPS
                self._stop()
            yield from filter(knowledge.allows, technique(knowledge))

    def completed(self, knowledge: Knowledge, deduction: Deduction) -> Deduction:
        """Return the deduction with thin premises, and with the values that become certain as facts."""
        if deduction.source is not None:
            deduction = deduction.source.thinned(deduction)
        return self.with_values(deduction, knowledge.alive)

    def restricted(
        self, knowledge: Knowledge, deduction: Deduction, wanted: int, conclusions: Collection[Fact]
    ) -> Deduction | None:
        """Return the deduction of these conclusions alone, which make the ``wanted`` bits go.

        Return None if it does not conclude all of them, or none that is new.
        """
        gone = (deduction.gone or 0) & wanted
        if deduction.gone is None or wanted & knowledge.alive & ~gone:
            return None
        if (source := deduction.source) is not None:
            own = sum(self.table.all_of(fact.variable) for fact in conclusions if fact.holds)
            if own and source.follows(wanted, deduction.premises & ~own):
                gone, deduction = wanted, deduction._replace(premises=deduction.premises & ~own)
            deduction = source.thinned_to(deduction, gone)
        elif deduction.technique == "no fit":
            deduction = deduction._replace(premises=self.table.follow(gone))
        deduction = self.with_values(deduction._replace(gone=gone), knowledge.alive)
        facts = tuple(fact for fact in conclusions if fact.holds)
        is_whole = set(facts) <= set(deduction.facts) and bool(gone or facts)
        return deduction._replace(facts=facts) if is_whole else None

    def with_values(self, deduction: Deduction, alive: int) -> Deduction:
        """Return the deduction with the values that become certain as facts."""
        facts, premises = [*self._values(deduction, alive)], deduction.premises
        if not facts:
            return deduction
        for fact in facts:
            premises |= self._others_gone(deduction, fact.variable, alive)
        return deduction._replace(premises=premises, facts=tuple(dict.fromkeys((*deduction.facts, *facts))))

    def _values(self, deduction: Deduction, alive: int) -> Iterator[Fact]:
        """Yield the values that become certain by a deduction that a player notes down."""
        if not deduction.gone or deduction.technique in FOLDED:
            return
        table, left = self.table, alive & ~deduction.gone
        for v in table.variables_in(deduction.gone) & table.shown_set:
            if (value := table.only_value(left, v)) is not None:
                yield Fact(v, value, True)

    def _others_gone(self, deduction: Deduction, v: int, alive: int) -> int:
        """Return premises for all values of a variable that were gone before a deduction that leaves one."""
        table = self.table
        before = table.all_of(v) & table.start & ~alive
        if deduction.source is not None:
            return before & ~(deduction.source.removes(deduction.premises) or 0)
        if deduction.technique in ("fits", "one place"):
            return 0  # the domino has this value, whatever was gone before
        return table.follow(before) if deduction.technique == "no fit" else before

    def next_step(self, knowledge: Knowledge) -> Deduction | None:
        """Apply what is seen at once, and return the next step, not yet applied; None if the techniques end.

        The step of one look that lays a domino or shows a value with the fewest premises comes first.
        """
        while True:
            contradiction = self.see(knowledge)
            if contradiction is not None:
                return contradiction
            looks = [*self.every(knowledge, self.looks)]
            hidden = [each for each in looks if self.is_hidden(each)]
            if hidden:
                for each in hidden:
                    knowledge.apply(self.completed(knowledge, each))
                continue
            self.open = max(1, len(looks))
            if looks:
                return self._easiest(knowledge, looks)
            folded = self.first(knowledge, chain(*self._folded.values()))
            if folded is None or folded.gone is None:
                return folded or self.first(knowledge, chain(*self._counts.values()))
            knowledge.apply(folded)

    def is_hidden(self, deduction: Deduction) -> bool:
        """Whether a player could not note a deduction down: it is about places, or auxiliary variables."""
        return bool(deduction.gone) and not deduction.facts and not (deduction.gone or 0) & self.table.visible

    def _easiest(self, knowledge: Knowledge, looks: Sequence[Deduction]) -> Deduction:
        """Return a contradiction, or a look that shows a value or lays a domino, with the fewest premises."""
        ranks = [
            (each.gone is not None, not each.facts and not any(self._values(each, knowledge.alive)))
            for each in looks
        ]
        best = [each for each, rank in zip(looks, ranks, strict=True) if rank == min(ranks)]
        completed = [self.completed(knowledge, each) for each in best[:CLOSE_LOOKS]]
        if len(completed) == 1:
            return completed[0]
        self._stop()
        # The cheapest at first glance comes first: most of the others are then ruled out at a glance.
        glances = [self._least_effort(knowledge, each) for each in completed]
        easiest: tuple[tuple[int, int], int] | None = None
        for n in sorted(range(len(completed)), key=lambda n: (glances[n], n)):
            if easiest is None or ((glances[n], 0), n) < easiest:
                most = easiest[0][0] if easiest else None
                effort = self._effort(knowledge, completed[n], most), n
                easiest = min(easiest or effort, effort)
        assert easiest is not None
        return completed[easiest[1]]

    def _least_effort(self, knowledge: Knowledge, deduction: Deduction) -> int:
        """Return the number of items and cells that a deduction uses at least."""
        return len(deduction.items) + len(self.table.variables_in(knowledge.plain(deduction.premises)))

    def _effort(self, knowledge: Knowledge, deduction: Deduction, most: int | None) -> tuple[int, int]:
        """Return the number of items and cells that a deduction uses, and of folded deductions.

        Items and cells are counted until they are more than ``most``.
        """
        effort = 0, 0
        for folded, seen in knowledge.needing(deduction.premises):
            items = {i for n in folded for i in knowledge.deductions[n].items}.union(deduction.items)
            effort = len(items) + len(self.table.variables_in(seen)), len(folded)
            if most is not None and effort[0] > most:
                break
        return effort


def _stated(grouped: GroupedProblem, numbers: Sequence[int]) -> list[tuple[Constraint, tuple[int, ...]]]:
    """Return each rule of which all items, or one, may be used, with the numbers of these items."""
    every: dict[int, list[int]] = {}
    for n, item in enumerate(grouped.items):
        if item.kind == "rule":
            every.setdefault(item.rule, []).append(n)
    found, usable = [], set(numbers)
    for rule, of in every.items():
        some = tuple(n for n in of if n in usable)
        if len(some) == len(of):
            found.append((grouped.problem.constraints[rule], some))
        elif len(some) == 1:
            found.append((grouped.items[some[0]].piece, some))
    return found


def _cages(
    table: FactTable, rules: Sequence[PropagatedRule], stated: Sequence[tuple[Constraint, tuple[int, ...]]]
) -> list[Combinations]:
    """Return the sums of cells that are also all different."""
    once = dict.fromkeys(table.values, 1)
    return [
        Combinations(table, "cage", CellSum(rule.variables, total, items), different.numbers, once)
        for rule, items in stated
        if len(rule.variables) > 1 and (total := rule.bounded_sum) and not total.coefficients
        for different in rules
        if different.piece.all_different and set(rule.variables) <= set(different.variables)
    ]
