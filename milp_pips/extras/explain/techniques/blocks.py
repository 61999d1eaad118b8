"""What follows from a sum when dominoes inside it are counted as pairs."""

from __future__ import annotations

from collections.abc import Iterator

from milp_pips.extras.explain.techniques.knowledge import Deduction, Knowledge
from milp_pips.extras.explain.techniques.rules import PropagatedRule
from milp_pips.extras.explain.techniques.table import Tray, bits


class PairSums:
    """A bounded sum of cells; the dominoes that lie inside are pairs with a least and a greatest sum."""

    def __init__(self, rule: PropagatedRule, tray: Tray):
        self.rule, self.tray, self.table = rule, tray, rule.table
        total = rule.piece.bounded_sum
        cells = {tray.values.index(v) for v in rule.variables if v in tray.values}
        self.cells = sorted(cells) if len(cells) == len(rule.variables) > 2 else []
        self.bounds = None if total is None or total.coefficients else (total.low, total.high)
        self.edges = (
            [e for e, (i, j) in enumerate(tray.edges) if i in cells and j in cells] if self.bounds else []
        )
        self._quiet = -1

    def deductions(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """Yield the values and places with which the sum is out of reach."""
        if not self.edges or not self.cells:
            return
        tray, table, alive = self.tray, self.table, knowledge.alive
        view = alive & (self.rule.scope | sum(tray.on_edge[e] | tray.edge_bit[e] for e in self.edges))
        if view == self._quiet:
            return
        self._quiet = view
        laid = [e for e in self.edges if tray.fact(e) in knowledge.told]
        covered = {i for e in laid for i in tray.edges[e]}
        ranges: list[tuple[int, int, int]] = []  # the bits that take part, and the least and greatest sum
        for e in laid:
            sums = [a + b for (a, b), bit in tray.with_pair[e].items() if alive & bit]
            if not sums:
                return
            ranges.append((e, min(sums), max(sums)))
        single = {
            i: [table.values[x] for x in bits(table.mask(alive, tray.values[i]))]
            for i in self.cells
            if i not in covered
        }
        if not laid or not all(single.values()):
            return
        least = sum(low for _, low, _ in ranges) + sum(domain[0] for domain in single.values())
        most = sum(high for _, _, high in ranges) + sum(domain[-1] for domain in single.values())
        low, high = self.bounds or (None, None)
        gone = 0
        for i, domain in single.items():
            for x in domain:
                if (high is not None and least - domain[0] + x > high) or (
                    low is not None and most - domain[-1] + x < low
                ):
                    gone |= table.value_bit(tray.values[i], x)
        for e, bottom, top in ranges:
            for (a, b), bit in tray.with_pair[e].items():
                if alive & bit and (
                    (high is not None and least - bottom + a + b > high)
                    or (low is not None and most - top + a + b < low)
                ):
                    gone |= bit
        for e in self.edges:
            i, j = tray.edges[e]
            if i in single and j in single and alive & tray.edge_bit[e]:
                under, over = least - single[i][0] - single[j][0], most - single[i][-1] - single[j][-1]
                for (a, b), bit in tray.with_pair[e].items():
                    if alive & bit and (
                        (high is not None and under + a + b > high)
                        or (low is not None and over + a + b < low)
                    ):
                        gone |= bit
        if gone:
            premises = self.rule.scope | sum(tray.on_edge[e] for e in laid)
            for e in laid:
                i, j = tray.edges[e]
                premises |= (tray.at_cell[i] | tray.at_cell[j]) & ~tray.edge_bit[e]
            self._quiet = -1
            yield Deduction(
                "pair sum",
                gone,
                premises & table.start & ~alive,
                self.rule.numbers,
                tuple(tray.cells(e) for e in laid),
            )
