"""Propagation by several constraints together: the halves of a cover's dominoes, shared out among its cells.

One file per technique: the number of times that each value is shown, and sums of the halves that are left.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from milp_pips.constraints import DominoCover
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.errors import Contradiction
from milp_pips.propagation.domains import Domains

Group: TypeAlias = tuple[tuple[int, ...], Constraint | None]
"""The cells of one rule, and the rule; or a single cell, without a rule."""


class ValueSupply:
    """The number of domino halves of each value, by its bit, and the groups of cells that share them.

    Every cell belongs to exactly one group. Rules form groups in their order, if something is known of how
    often they take each value, all their variables are cells, and none belongs to a group yet; each remaining
    cell is a group. A group whose values are all known subtracts its halves and is closed. Neither the cover
    nor a rule may name a variable twice. Raises Contradiction if no cell can show a value of the dominoes.
    """

    def __init__(self, cover: DominoCover, rules: Iterable[Constraint], domains: Domains):
        self.domains = domains
        halves = self.halves = dict.fromkeys(domains.bit.values(), 0)
        for domino in cover.dominoes:
            for value in domino:
                if value not in domains.bit:
                    raise Contradiction(f"no cell can show {value}")
                halves[domains.bit[value]] += 1
        uncounted = set(cover.values)
        groups: list[Group] = []
        for rule in rules:
            total = rule.bounded_sum
            counted = rule.all_equal or rule.all_different or (total is not None and not total.coefficients)
            if counted and uncounted.issuperset(rule.variables):
                groups.append((rule.variables, rule))
                uncounted.difference_update(rule.variables)
        groups += [((v,), None) for v in cover.values if v in uncounted]
        self._open = [groups]

    @property
    def groups(self) -> list[Group]:
        """The open groups."""
        return self._open[0]

    def settle(self) -> None:
        """Subtract the halves shown by groups whose values are all known, and close these groups."""
        masks, halves, still = self.domains.masks, self.halves, []
        trail, groups = self.domains.trail, self._open[0]
        for group in groups:
            shown = [masks[v] for v in group[0]]
            if all(mask in halves for mask in shown):
                for mask in shown:
                    trail.write(halves, mask, halves[mask] - 1)
            else:
                still.append(group)
        if len(still) < len(groups):
            trail.write(self._open, 0, still)
