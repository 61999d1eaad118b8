"""The steps from a board to what follows from it, each with the arguments that a person needs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from milp_pips.constraints.domino_cover.tiling import PARTS
from milp_pips.extras.explain.facts import Exclusion, Fact, Reason, Step
from milp_pips.extras.explain.groups import ConstraintGroup, GroupedProblem
from milp_pips.extras.explain.techniques.chains import Chain, Chains, TooLong
from milp_pips.extras.explain.techniques.joining import merged_one_by_one
from milp_pips.extras.explain.techniques.knowledge import (
    FOLDED,
    Deduction,
    Knowledge,
    Proof,
    without_needless,
)
from milp_pips.extras.explain.techniques.latin import LATIN_PRICES
from milp_pips.extras.explain.techniques.search import Techniques
from milp_pips.extras.explain.techniques.table import FactTable, bits, union

LOOK, COUNT, SUPPOSE, PER_LINK = 1.0, 2.0, 4.0, 0.5
"""The prices of a step by one look, by counting, and by a chain of looks, and of each link of a chain."""

THINNING_WORK, THINNING_SHARE = 9_000, 8
"""The deductions in chains that may be derived anew to thin the steps of one story, a tenth of a millisecond
each, and the part of those left that one step may take: so the worst story of 70 days of Pips takes 3 s."""

FEW_LIMITS = 6
"""The number of limits on dominoes up to which a step is tried without each: a count needs all of many."""

GAP = 12.0
"""The price of a step for which only a search through all rules was found."""

COUNTING = ("parity", "needs", "total", "combination", "cage", "pair", "pair sum", "naked")
PRICES = {**dict.fromkeys(COUNTING, COUNT), **LATIN_PRICES}
"""The prices of the techniques that cost more than a look, beside chains."""


class Story:
    """The steps that follow from known facts.

    Parameters
    ----------
    grouped
        The problem as a set of items.
    known
        The facts on the board.
    numbers
        The items that may be used; None for all.
    gap
        Returns a step where the techniques end, from all facts concluded so far; None if nothing more
        follows.
    """

    def __init__(
        self,
        grouped: GroupedProblem,
        known: Iterable[Fact],
        numbers: Collection[int] | None = None,
        gap: Callable[[Sequence[Fact]], Step | None] = lambda _facts: None,
        stop: Callable[[], object] = lambda: None,
        is_possible: Callable[[Fact], bool] = lambda _fact: False,
        *,
        chains: bool = True,
    ):
        self.grouped, self._gap, self._stop = grouped, gap, stop
        self.techniques = Techniques(grouped, numbers, stop)
        self.chains = Chains(self.techniques, stop, is_possible) if chains else None
        self.table, self._work = self.techniques.table, THINNING_WORK
        self._number = {id(item): n for n, item in enumerate(grouped.items)}
        self.knowledge = Knowledge(self.table)
        self.knowledge.assume(known)
        self.knowledge.assume(
            item.fact
            for number, item in enumerate(grouped.items)
            if item.is_value and (numbers is None or number in numbers)
        )

    def steps(self) -> Iterator[Step]:
        """Yield the steps, the easiest next; a last step without conclusions is a contradiction."""
        while True:
            for step in self.plain_steps():
                yield step
                if not step.conclusions:
                    return
            deduction = self.chains.shortest(self.knowledge) if self.chains else None
            if deduction is not None:
                yield self._apply(deduction)
                if deduction.gone is None:
                    return
                continue
            # The techniques end: only a search through all rules goes on.
            found = self._gap(self.all_facts())
            if found is None:
                return
            facts = tuple(fact for fact in found.conclusions if fact.holds)
            gone = self._bits_against(found.conclusions)
            self.knowledge.apply(Deduction("gap", gone, 0, (), None, facts))
            yield found
            if not found.conclusions:
                return

    def plain_steps(self) -> Iterator[Step]:
        """Yield the next steps until one takes a chain or a search, or is a contradiction."""
        while True:
            self._stop()
            deduction = self.techniques.next_step(self.knowledge)
            if deduction is None:
                return
            yield self._apply(deduction)
            if deduction.gone is None:
                return

    def narrowest(self) -> tuple[int, tuple[int, ...]] | None:
        """Return the open cell with the fewest values left, and these; None if no open cell has lost one."""
        table, alive = self.table, self.knowledge.alive
        masks = ((v, table.mask(alive, v)) for v in table.shown)
        narrow = [
            (mask.bit_count(), v, mask)
            for v, mask in masks
            if mask & (mask - 1) and mask != table.mask(table.start, v)
        ]
        if not narrow:
            return None
        _, v, mask = min(narrow)
        return v, tuple(table.values[x] for x in bits(mask))

    def _apply(self, deduction: Deduction) -> Step:
        """Apply a deduction, and return its step, whose premises are what was known before."""
        step = self._step(deduction, self.knowledge)
        if deduction.gone is not None:
            self.knowledge.apply(deduction)
        return step

    def _bits_against(self, facts: Iterable[Fact]) -> int:
        """Return the bits that go if all the facts hold."""
        return union(map(self.table.bits_against, facts))

    def all_facts(self) -> list[Fact]:
        """Return everything that is known as facts: values, dominoes, and all exclusions."""
        table, alive = self.table, self.knowledge.alive
        stated = self.knowledge.stated
        laid = (tray.fact(e) for tray in table.trays for e in tray.edges_in(stated))
        facts = sorted([*laid, *(Fact(v, x, True) for v, x in table.pairs_in(stated))])
        facts += [Fact(v, x, False) for v, x in table.pairs_in(table.start & ~alive & table.visible)]
        for tray in table.trays:
            facts += [tray.fact(e, holds=False) for e in tray.edges_in(~alive)]
        return facts

    def _conclusions(self, deduction: Deduction) -> tuple[Fact, ...]:
        """Return what a deduction concludes, without the exclusions that a value or a domino implies."""
        table, facts, gone = self.table, list(deduction.facts), deduction.gone or 0
        decided = {fact.variable for fact in facts if fact.holds}
        facts += [Fact(v, x, False) for v, x in table.pairs_in(gone & table.visible) if v not in decided]
        laid = [at for fact in deduction.facts if (at := table.edge_of(fact))]
        for tray in table.trays:
            covered = {i for its, e in laid if its is tray for i in tray.edges[e]}
            closed = (e for e in tray.edges_in(gone) if covered.isdisjoint(tray.edges[e]))
            facts += [tray.fact(e, holds=False) for e in closed]
        return tuple(sorted(facts))

    def thinned(self, step: Step) -> Step:
        """Return the step with no fact or rule that its techniques do not need; a gap or a clash as it is.

        A long chain may keep some of them: each is found by deriving the chain anew, and all chains together
        may take ``THINNING_WORK``.
        """
        if step.technique == "gap" or not step.conclusions:
            return step
        lying = list[tuple[int, int]]()
        for reason in step.reasons:
            lying += (*reason.detail, ())[2] if reason.technique == "used" else ()
        is_chain, begun = step.technique == "chain" and self.chains is not None, self._derived
        until, needed_items = begun + self._work // THINNING_SHARE, list[set[int]]()

        def without(step: Step, items: Iterable[set[int]]) -> Step:
            for spare in items if len(step.reasons) > 1 or step.seen or is_chain else ():
                numbers = {self._number[id(item)] for item in step.premises[0]}
                if not spare <= numbers or spare in needed_items or self._derived > until:
                    continue
                others = self._seen(numbers - spare)
                with suppress(TooLong):
                    found = self._again(step, others, step.premises[1])
                    step = found or step
                    needed_items.extend(() if found else (spare,))
            return step

        # Whole rules before single facts: without a rule, the facts that only it used are not needed either.
        step = without(step, self._rules(step))
        # After each success the facts are those of the new step: it may rest on fewer than were offered. What
        # does not follow without a fact does not follow from even less. What follows by more deductions may
        # follow by few after a success, but seldom: these facts are tried again after all others.
        seen, indispensable = self.seen(step.premises[0]), set[Fact]()
        waiting, late = [*step.premises[1]], set[Fact]()
        while waiting and self._derived <= until:
            fact, facts = waiting.pop(), step.premises[1]
            # What was stated of a domino that lies on the board is one fact.
            of = next((cells for cells in lying if set(self._ends(fact)) <= set(cells)), ())
            rest = [each for each in facts if each != fact and not set(self._ends(each)) <= set(of)]
            try:
                found = self._again(step, seen, rest)
            except TooLong:
                late.add(fact)
                continue
            if found is None:
                indispensable.add(fact)
            else:
                step = found
                waiting = [each for each in step.premises[1] if each not in indispensable]
                waiting.sort(key=lambda fact: fact not in late)
        # With fewer facts a chain may be as short without a rule, too.
        step = without(step, [*self._rules(step), *self._limits(step)])
        self._work -= self._derived - begun
        return step

    @property
    def _derived(self) -> int:
        """The work of the chains that were derived anew."""
        return self.chains.derived if self.chains else 0

    def seen(self, items: Iterable[ConstraintGroup]) -> Knowledge:
        """Return what is seen at once on the empty board by these items."""
        return self._seen(self._number[id(item)] for item in items)

    def _seen(self, numbers: Iterable[int]) -> Knowledge:
        knowledge = Knowledge(self.table, frozenset(numbers))
        self.techniques.see(knowledge)
        return knowledge

    def _rules(self, step: Step) -> Iterator[set[int]]:
        """Yield the numbers of the items of each rule that a step uses."""
        items = [item for item in step.premises[0] if item.kind == "rule"]
        for rule in {item.rule for item in items}:
            yield {self._number[id(item)] for item in items if item.rule == rule}

    def _limits(self, step: Step) -> Iterator[set[int]]:
        """Yield the numbers of all limits on dominoes of one kind, and each by itself if there are few."""
        dominoes = [item for item in step.premises[0] if item.kind == "dominoes"]
        for part in PARTS.values():
            limits = [self._number[id(item)] for item in dominoes if item.part == part]
            if limits:
                yield {*limits}
            if 1 < len(limits) <= FEW_LIMITS:
                yield from ({number} for number in limits)

    def _ends(self, fact: Fact) -> tuple[int, ...]:
        """Return the cells that a fact is about: one, or the two of a domino."""
        at = self.table.edge_of(fact)
        return (fact.variable,) if at is None else at[0].cells(at[1])

    def again(self, step: Step, seen: Knowledge, facts: Iterable[Fact]) -> Step | None:
        """Return the step from these facts and what was seen, by its techniques and with no more deductions.

        Return None if it does not follow, or by a chain that derives what the step knows.
        """
        try:
            return self._again(step, seen, facts)
        except TooLong:
            return None

    def _again(self, step: Step, seen: Knowledge, facts: Iterable[Fact]) -> Step | None:
        """Return the step from these facts and what was seen; None if it does not follow.

        Raises TooLong if it follows by more deductions, or by a chain that derives what the step knows.
        """
        techniques, knowledge = self.techniques, seen.copy()
        knowledge.assume(facts)
        items, wanted = knowledge.allowed or frozenset(), self._bits_against(step.conclusions)
        found, (*folded, own) = None, step.reasons
        if own.technique == "chain" and self.chains and techniques.see(knowledge) is None:
            supposed, links = own.detail
            names = {link.technique for link in links}
            found = self.chains.again(knowledge, wanted, supposed, names, items, len(links))
        by_looks = own.technique != "chain"
        looks = techniques.of({own.technique}, items) if by_looks else []
        folds = techniques.of({reason.technique for reason in folded}, items) if by_looks else []
        # As when the step was first found: what is seen at once, then its own technique, and only where that
        # gives nothing the next deduction that is folded into it.
        while by_looks and found is None and techniques.see(knowledge) is None:
            each = (
                techniques.restricted(knowledge, look, wanted, step.conclusions)
                for look in techniques.every(knowledge, looks)
            )
            found = next(filter(None, each), None)
            fold = None if found else techniques.first(knowledge, folds)
            if fold is None or not fold.gone or not (fold.technique in FOLDED or techniques.is_hidden(fold)):
                break
            knowledge.apply(fold)
        if found is None or not knowledge.allows(found):
            return None
        again = replace(self._step(found, knowledge), cost=step.cost, open=step.open)
        links = again.reasons[-1].detail[1] if own.technique == "chain" else ()
        repeated = {fact for link in links for fact in link.conclusions if fact.holds}
        # Fewer facts are no gain if they are derived anew, or if a chain shows what a player already has.
        if _deductions(again) > _deductions(step) or not repeated.isdisjoint(step.premises[1]):
            raise TooLong
        return again

    def _step(self, deduction: Deduction, knowledge: Knowledge) -> Step:
        """Return the step of a deduction that is about to be applied."""
        table = self.table
        chain = deduction.detail if isinstance(deduction.detail, Chain) else None
        proof = Proof((), chain.facts) if chain else knowledge.proof(deduction.premises)
        numbered = [(n, knowledge.deductions[n]) for n in proof.parts]
        numbered.append((len(knowledge.deductions), deduction))
        parts = [part for _, part in numbered]
        reasons = list(self._reasons(numbered, proof.facts, knowledge))
        plain = [part for part in parts if part.technique != "sight"]
        sights = tuple(self._exclusion(part) for part in parts if part.technique == "sight")
        # A fact behind an exclusion at sight is a premise of the step only if a deduction uses it as well.
        shown = {fact for each in sights for fact in each.shown}
        facts = {fact for fact in proof.facts if fact not in shown}
        facts.update(fact for reason in reasons for fact in reason.facts)
        used = union(part.premises for part in plain)
        excluded = {fact for each in sights for fact in each.excluded}
        facts.update(fact for fact in excluded if table.all_bits_against(fact) & used)
        items = sorted({i for part in plain for i in part.items})
        every = self.grouped.items
        return Step(
            tuple(every[i] for i in items),
            tuple(sorted(facts)),
            () if deduction.gone is None else self._conclusions(deduction),
            self._price(deduction, parts),
            self.techniques.open,
            sights,
            deduction.technique,
            tuple(reasons),
        )

    def _price(self, deduction: Deduction, parts: Iterable[Deduction]) -> float:
        if deduction.technique == "chain":
            return float(SUPPOSE + PER_LINK * deduction.detail.links)
        return max(PRICES.get(part.technique, LOOK) for part in parts)

    def _exclusion(self, part: Deduction) -> Exclusion:
        v, value = part.detail
        excluded = tuple(Fact(cell, value, False) for cell, _ in self.table.pairs_in(part.gone or 0))
        return Exclusion(self.grouped.items[part.items[0]], (Fact(v, value, True),), excluded)

    def _reasons(
        self, parts: Sequence[tuple[int, Deduction]], facts: Iterable[Fact], knowledge: Knowledge
    ) -> Iterator[Reason]:
        """Yield the deductions for the sentence, each with the facts that no folded deduction gives."""
        # ``given`` are the bits for which no fact has to be named: a folded deduction said before why they
        # are gone. What a deduction that is not folded concludes is a fact for the later ones instead.
        table, given, known = self.table, 0, list(facts)
        for number, part in parts:
            if part.technique != "sight":
                facts = _cover(table, part.premises & ~given, known)
                yield self._reason(part, number, facts, known, knowledge)
            if part.gone:
                noted = 0 if part.technique in FOLDED else part.gone & table.visible
                given |= table.with_places(part.gone & ~noted)
                known += self._conclusions(part) if noted else ()

    def _reason(
        self,
        part: Deduction,
        number: int,
        facts: Iterable[Fact],
        known: Collection[Fact],
        knowledge: Knowledge,
    ) -> Reason:
        detail = part.detail
        if isinstance(detail, Chain):
            known = *detail.facts, detail.supposed
            links = self._reasons(self._late(detail.deductions), known, detail.knowledge)
            detail = detail.supposed, tuple(links)
        elif part.technique == "used" and number < len(knowledge.deductions):
            laid = knowledge.laid(number)
            is_stated = all(fact in known for facts in laid.values() for fact in facts)
            detail = (*detail, tuple(laid) if is_stated else ())
        elif part.technique == "rule":
            detail = tuple(self.table.pairs_in(part.premises))
        items = tuple(self.grouped.items[i] for i in part.items)
        conclusions = () if part.gone is None else self._conclusions(part)
        if part.technique == "chain":  # its links name the facts
            facts = ()
        return Reason(
            part.technique, items, tuple(f for f in facts if f not in conclusions), conclusions, detail
        )

    def _late(self, deductions: Sequence[tuple[int, Deduction]]) -> list[tuple[int, Deduction]]:
        """Return the deductions of a chain, each folded one as late as the others allow."""
        # Take the next deduction that is not folded, then go back from it: a folded one stands before it only
        # if it gives a premise of what is taken already. The last deduction takes all that are left.
        found, waiting = list[tuple[int, Deduction]](), list(deductions)
        while waiting:
            at = next((n for n, (_, each) in enumerate(waiting) if each.technique not in FOLDED), -1)
            wanted, needed_now = waiting[at][1].premises, [waiting[at]]
            for earlier in reversed(waiting[:at]):
                gives = self.table.with_places(earlier[1].gone or 0) & wanted
                if len(waiting) == at + 1 or at < 0 or gives:
                    needed_now.insert(0, earlier)
                    wanted |= earlier[1].premises
            found += needed_now
            waiting = [each for each in waiting if each not in needed_now]
        return found


def _deductions(step: Step) -> tuple[int, int]:
    """Return the number of deductions of a step or its chain, and of those that are not folded."""
    own = step.reasons[-1]
    every = own.detail[1] if own.technique == "chain" else step.reasons
    return len(every), sum(each.technique not in FOLDED for each in every)


def _cover(table: FactTable, gone: int, facts: Iterable[Fact]) -> list[Fact]:
    """Return facts that explain as many of the bits as all facts do; none can be left out."""
    bits_of = {fact: own for fact in facts if (own := table.all_bits_against(fact) & gone)}
    every = union(bits_of.values())
    # Exclusions first: a sentence with values and dominoes is shorter.
    order = {fact: bits_of[fact] for fact in sorted(bits_of, key=lambda fact: fact.holds)}
    left = without_needless(order, lambda some: some == every)
    return [fact for fact in bits_of if fact in left]


def needed(steps: Sequence[Step], thinned: Callable[[Step], Step] | None = None) -> list[Step]:
    """Return the steps that fill in a value or a domino, that others need, or that end in a contradiction.

    What ``thinned`` leaves out of a step need not be concluded before.
    """
    wanted, kept = set[Fact](), list[Step]()
    # From the end: what a step needs is known once all steps after it are decided.
    for step in reversed(steps):
        if not step.conclusions or any(fact.holds or fact in wanted for fact in step.conclusions):
            kept.append(thinned(step) if thinned else step)
            wanted.update(kept[-1].premises[1])
    return kept[::-1]


def refutation(
    grouped: GroupedProblem, numbers: Collection[int], stop: Callable[[], object] = lambda: None
) -> tuple[Step, ...]:
    """Return the steps from these items to a contradiction; the last step concludes nothing.

    The result is empty if no contradiction is reached without chains: where nothing is possible, chains
    refute everything, and do not explain anything. It is empty, too, if a domain is empty.
    """
    if not all(variable.domain for variable in grouped.variables):
        return ()
    story = Story(grouped, (), numbers, stop=stop, chains=False)
    steps = list(story.steps())
    if not steps or steps[-1].conclusions:
        return ()
    return tuple(merged_one_by_one(needed(steps, story.thinned)))


def hardest_technique(step: Step) -> str:
    """Return the technique that makes a step as hard as it is: its own, or a count that is folded into it."""
    alike = (each.technique for each in step.reasons if PRICES.get(each.technique) == step.cost)
    return next(alike, step.technique)
