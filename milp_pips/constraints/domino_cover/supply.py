"""Propagation by several constraints together: the halves of a cover's dominoes, shared out among its cells.

There are two techniques: the number of times that each value is shown, and sums of the halves that are left.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from math import inf
from typing import TypeAlias

from milp_pips.constraints.domino_cover import DominoCover
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.domains import Domains
from milp_pips.problem.errors import Contradiction

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


def propagate_counts(supply: ValueSupply) -> None:
    """Bound the number of cells that show each value by its number of halves. Raises Contradiction.

    For each group, ``few`` and ``many`` bound the number of its cells with the value, and ``able`` counts the
    cells that can have it. The halves that the other groups leave over bound this number for the group from
    both sides, which may fix or remove the value in its cells.
    """
    domains, masks, keep = supply.domains, supply.domains.masks, supply.domains.keep
    supply.settle()
    groups = supply.groups
    for value, bit in domains.bit.items():
        halves = supply.halves[bit]
        why = f"the cells cannot show {value} as often as the dominoes do"
        undecided = []
        least = most = 0
        for variables, rule in groups:
            few = many = 0
            for v in variables:
                if (mask := masks[v]) & bit:
                    many += 1
                    few += mask == bit
            if not many:
                continue
            able = many
            if few < many > 1 and rule is not None:
                many = rule.most_taking(value, domains, few, many)
            least += few
            most += many
            if few < able:
                undecided.append((rule, variables, few, many, able))
        if not least <= halves <= most:
            raise Contradiction(why)
        for rule, variables, few, many, able in undecided:
            # the halves left for this group if the others take as few, or as many, as they can
            high, low = halves - least + few, halves - most + many
            equal = rule is not None and rule.all_equal
            refused = few == high or (equal and able > high)
            if refused or low == able or (equal and low > 0):
                for v in variables:
                    if masks[v] & bit and masks[v] != bit:
                        keep(v, ~bit if refused else bit, why)


def propagate_sums(supply: ValueSupply) -> None:
    """Bound the cells of a sum by the least and greatest sums of the remaining halves.

    Raises Contradiction.
    """
    domains, masks = supply.domains, supply.domains.masks
    left = dict(supply.halves)
    for variables, _ in supply.groups:
        for v in variables:
            if masks[v] in left:
                left[masks[v]] -= 1
    rising = [value for value, bit in domains.bit.items() for _ in range(left[bit])]
    cheapest, dearest = [0, *accumulate(rising)], [0, *accumulate(rising[::-1])]
    for variables, rule in supply.groups:
        cells = [v for v in variables if masks[v] not in left]
        total = rule.bounded_sum if rule is not None and len(cells) > 1 else None
        if rule is None or total is None:
            continue
        why = f"{rule.failure} with the dominoes that are left"
        decided = sum(domains.least_of([v for v in variables if masks[v] in left]))
        others = min(len(cells) - 1, len(rising))
        if total.low is not None:
            most = domains.most_of(cells)
            wanted, whole = total.low - decided, sum(most)
            for v, own in zip(cells, most, strict=True):
                domains.keep_between(v, wanted - min(dearest[others], whole - own), inf, why)
        if total.high is not None:
            least = domains.least_of(cells)
            spare, whole = total.high - decided, sum(least)
            for v, own in zip(cells, least, strict=True):
                domains.keep_between(v, -inf, spare - max(cheapest[others], whole - own), why)
