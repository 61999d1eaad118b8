"""How a long reason comes to its contradiction: steps, of which the last one finds that nothing is left."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations
from math import comb

from milp_pips.extras.explain.costs import cost_of_item, cost_of_step
from milp_pips.extras.explain.facts import Clash, Step
from milp_pips.extras.explain.reasoner import Reasoner
from milp_pips.extras.explain.steps import Trace
from milp_pips.problem.groups import Tiling

MAX_RULE_SETS = 300
"""Sets of so many rules are looked at: all pairs of 24, all triples of 13; all dominoes count as one."""

LOOKING = 3_000
"""Questions to the engine after which no more is looked for than unit propagation sees."""


def refutation(reasoner: Reasoner, clash: Clash) -> tuple[Step, ...]:
    """Return the steps from the empty board to the contradiction; the last one concludes nothing.

    Only items of the clash are used, and no step that the contradiction can do without. Raises OutOfTime.
    """
    among = set(clash.items)
    numbers = [i for i, item in enumerate(reasoner.grouped.items) if item in among]
    trace = _Refutation(reasoner, numbers)
    return tuple(trace.needed(list(trace.steps())))


class _Refutation(Trace):
    """Steps that lead to no solution: what follows is looked for until something contradicts itself."""

    def __init__(self, reasoner: Reasoner, items: Sequence[int]):
        super().__init__(reasoner, [], set, items)
        self._items, self._ended = items, False
        self._looked_at: dict[tuple[int, ...], int] = {}

    def next_step(self) -> Step | None:
        """Return the contradiction, if it can be seen, or the cheapest step that is found, and learn it."""
        if self._ended:
            return None
        self._basis = self._told_facts()
        groups = [*map(tuple, self._rules), tuple(self._dominoes)]
        for size in range(len(groups)):
            if comb(len(groups), size) > MAX_RULE_SETS:
                continue
            some = [tuple(chain(*parts)) for parts in combinations(groups, size)]
            step = (
                self._contradiction(some, thoroughly=False)
                or self._cheapest({items: new for items in some if (new := self._new(items))})
                or self._contradiction(some, thoroughly=True)
                or self._cheapest(self._following(some))
            )
            if step:
                return step
        singles = self._single_rules(self._unknown())
        return self._cheapest(singles) or self._contradiction([tuple(self._items)], thoroughly=True)

    def _following(self, groups: Sequence[tuple[int, ...]]) -> dict[tuple[int, ...], set[int]]:
        """Return what follows for the cells of the first of the groups, of those for which anything does.

        That may take more than unit propagation. A group is looked at again once more is known of its cells.
        """
        fact = self._reasoner.fact
        for items in groups:
            cells = self._cells_of(items)
            unknown = {a for a in self._unknown() if fact(a).variable in cells}
            if self._looked_at.get(items) == len(unknown) or self._ahead.questions > LOOKING:
                continue
            self._looked_at[items] = len(unknown)
            new = self._ahead.consequences(items, (), unknown)
            if new and new != unknown:  # all of it: a contradiction, which is found otherwise
                return {items: new}
        return {}

    def _cells_of(self, items: Sequence[int]) -> set[int]:
        """Return the variables of the rules among the items, and the partners of these; else all."""
        pieces = [self._reasoner.grouped.items[i].piece for i in items if i not in self._dominoes]
        cells = {v for piece in pieces for v in piece.variables}
        if not cells:
            return set(range(len(self._reasoner.grouped.variables)))
        tilings = [c for c in self._reasoner.grouped.hard if isinstance(c, Tiling)]
        return cells | {
            partner
            for tiling in tilings
            for v, partner in zip(tiling.values, tiling.partners, strict=True)
            if v in cells
        }

    def _unknown(self) -> set[int]:
        return {a for a in self._reasoner.literals if a not in self.known and -a not in self.known}

    def _cheapest(self, found: dict[tuple[int, ...], set[int]]) -> Step | None:
        if not found:
            return None
        items = min(found, key=lambda items: self._estimate(items, found[items]))
        step = self._worked_out(items, found[items], len(found))
        self._learn([self._reasoner.literal(fact) for fact in step.conclusions])
        return step

    def _contradiction(self, groups: Sequence[tuple[int, ...]], thoroughly: bool) -> Step | None:
        """Return the last step, if the items of one of the groups contradict what is known."""
        for group in groups:
            if thoroughly:
                consistent = self._reasoner.solve(group, self._basis)
            else:
                consistent = self._reasoner.propagate(group, self._basis) is not None
            if not consistent:
                self._ended = True
                return self._last(group)
        return None

    def _last(self, group: tuple[int, ...]) -> Step:
        reasoner = self._reasoner
        dear = sorted(group, key=lambda i: -cost_of_item(reasoner.grouped.items[i]))
        used, needed = reasoner.shrink(dear, self._basis)
        items = tuple(reasoner.grouped.items[i] for i in sorted(used))
        facts = tuple(sorted(map(reasoner.fact, needed)))
        cost = cost_of_step(items, len(facts), (), self._domains)
        return Step(items, facts, (), cost, seen=self._seen_among(facts, used))
