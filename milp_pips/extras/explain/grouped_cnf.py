"""The CNF formula of a grouped problem, with a selector literal per item."""

from __future__ import annotations

from collections.abc import Callable

from milp_pips.constraints import Relation
from milp_pips.constraints.domino_cover.tiling import Tiling
from milp_pips.extras.explain.groups import GroupedProblem
from milp_pips.formulations.cnf import Clauses, CnfEncoding


class GroupedCnf(CnfEncoding):
    """The formula of a grouped problem: ``selectors`` has a literal per item, an assumption that enables it.

    Some sets of items are also encoded together as one constraint: the two halves of a sum, and all dominoes
    with a value, which bound the number of cells that show it. So unit propagation finds what a person would.
    ``interrupted`` is as for a ``CnfEncoding``.
    """

    def __init__(self, grouped: GroupedProblem, interrupted: Callable[[], object] = bool):
        Clauses.__init__(self, interrupted)
        self.grouped = grouped
        self._begin(grouped.variables, grouped.hard)
        self.selectors: list[int] = []
        halves: dict[int, list[int]] = {}
        for item in grouped.items:
            if interrupted():
                return
            selector = self.new()
            self.selectors.append(selector)
            with self.given(selector):
                self.state(item.piece)
            if item.kind == "rule" and item.part:
                halves.setdefault(item.rule, []).append(selector)
        for rule, selectors in halves.items():
            if len(selectors) == 2:
                with self.given(*selectors):
                    self.state(grouped.problem.constraints[rule])
        for tiling in grouped.tilings:
            self._supply(tiling)

    def _supply(self, tiling: Tiling) -> None:
        """Encode how many cells show each value, given the items on all dominoes that have it.

        Also encode the total number of dominoes. If the upper bounds of all kinds add up to no more dominoes
        than there are places, then these items together imply all lower bounds; and likewise the lower bounds
        imply the upper ones if they add up to no fewer.
        """
        usages = [
            (selector, item.usage)
            for selector, item in zip(self.selectors, self.grouped.items, strict=True)
            if item.kind == "dominoes" and item.usage.tiling == tiling
        ]
        for relation in (Relation.LE, Relation.GE):
            dominoes = sum(usage.times for _, usage in usages if usage.relation is relation)
            spare = dominoes - len(tiling.values) // 2
            if spare > 0 if relation is Relation.LE else spare < 0:
                continue
            with self.given(*(selector for selector, usage in usages if usage.relation is relation)):
                for _, usage in usages:
                    if self.interrupted():
                        return
                    if usage.relation is not relation:
                        self.state(usage)
        selectors_of: dict[tuple[int, Relation], list[int]] = {}
        shown: dict[tuple[int, Relation], int] = {}
        for selector, usage in usages:
            for value in usage.kind:
                key = value, usage.relation
                selectors_of.setdefault(key, []).append(selector)
                shown[key] = shown.get(key, 0) + usage.times
        for value in sorted({value for value, _ in selectors_of}):
            if self.interrupted():
                return
            cells = [self.literal(v, value) for v in tiling.values if value in self._domains[v]]
            count = self.at_least(cells, shown[value, Relation.LE] + 1)
            for relation, bound in ((Relation.LE, 1), (Relation.GE, 0)):
                with self.given(*dict.fromkeys(selectors_of[value, relation])):
                    times = shown[value, relation] + bound
                    if relation is Relation.GE:
                        self.add(*([count[times]] if times < len(count) else []))
                    elif times < len(count):
                        self.add(-count[times])
