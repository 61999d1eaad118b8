"""How often each value is shown: the halves of all dominoes against what the rules ask for and allow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from milp_pips.presolve.domains import Contradiction, Domains
from milp_pips.problem import AllDifferent, AllEqual, Constraint, DominoCover, LinearSum


class Group(NamedTuple):
    """Cells under one rule, or a cell under none."""

    rule: Constraint | None
    variables: tuple[int, ...]


class Supply:
    """The halves of a cover's dominoes, and the groups of cells that share them out.

    Each cell counts in one group: that of the first rule that speaks of cells alone, none counted yet.

    Parameters
    ----------
    cover
        The cover; its variables are different ones.
    rules
        Rules that name no variable twice.
    domains
        The domains of the value variables.

    Raises
    ------
    Contradiction
        If no cell can show a value that the dominoes have.
    """

    def __init__(self, cover: DominoCover, rules: Iterable[Constraint], domains: Domains):
        self._domains = domains
        self._halves = dict.fromkeys(domains.values, 0)
        for domino in cover.dominoes:
            for value in domino:
                if value not in self._halves:
                    raise Contradiction(f"no cell can show {value}")
                self._halves[value] += 1
        uncounted = dict.fromkeys(cover.values)
        self._groups: list[Group] = []
        for rule in rules:
            if isinstance(rule, AllEqual | AllDifferent | LinearSum) and uncounted.keys() >= {
                *rule.variables
            }:
                self._groups.append(Group(rule, rule.variables))
                for v in rule.variables:
                    del uncounted[v]
        self._groups += [Group(None, (v,)) for v in uncounted]

    def look_at_values(self) -> None:
        """Keep the values with which every value can be shown as often as it must. Raises Contradiction."""
        masks, keep = self._domains.masks, self._domains.keep
        for value, bit in self._domains.bit.items():
            halves = self._halves[value]
            why = f"the cells cannot show {value} as often as the dominoes do"
            open_groups = []
            least = most = 0
            for group in self._groups:
                few = many = 0
                for v in group.variables:
                    if masks[v] & bit:
                        many += 1
                        few += masks[v] == bit
                able = many
                if few < many > 1:
                    many = self._most(group, value, bit, few, many)
                least += few
                most += many
                if few < able:
                    open_groups.append((group, few, many, able))
            if not least <= halves <= most:
                raise Contradiction(why)
            for group, few, many, able in open_groups:
                # what is left to this group if the others take as few, or as many, as they can
                high, low = halves - least + few, halves - most + many
                equal = isinstance(group.rule, AllEqual)
                refused = few == high or (equal and able > high)
                if refused or low == able or (equal and low > 0):
                    for v in group.variables:
                        if masks[v] & bit and masks[v] != bit:
                            keep(v, ~bit if refused else bit, why)

    def look_at_sums(self) -> None:
        """Keep, in the cells of a sum, what the halves left can make up for. Raises Contradiction."""
        domains, masks = self._domains, self._domains.masks
        left = {bit: self._halves[value] for value, bit in domains.bit.items()}
        for group in self._groups:
            for v in group.variables:
                if masks[v] in left:
                    left[masks[v]] -= 1
        rising = [(value, max(0, left[bit])) for value, bit in domains.bit.items()]
        for rule, variables in self._groups:
            cells = [v for v in variables if masks[v] not in left]
            if not isinstance(rule, LinearSum) or len(cells) < 2:
                continue
            why = f"{rule.label or 'a rule'} cannot be met with the dominoes that are left"
            decided = sum([domains.least(v) for v in variables if masks[v] in left])
            low, high = rule.bounds
            if low is not None:
                top = [domains.most(v) for v in cells]
                dearest = _sum_of_first(rising[::-1], len(cells) - 1)
                for v, own in zip(cells, top, strict=True):
                    domains.keep_between(v, low - decided - min(dearest, sum(top) - own), None, why)
            if high is not None:
                bottom = [domains.least(v) for v in cells]
                cheapest = _sum_of_first(rising, len(cells) - 1)
                for v, own in zip(cells, bottom, strict=True):
                    domains.keep_between(v, None, high - decided - max(cheapest, sum(bottom) - own), why)

    def _most(self, group: Group, value: int, bit: int, few: int, many: int) -> int:
        """Return how often the group can show the value at most, where so many of its cells can."""
        domains = self._domains
        match group.rule:
            case AllDifferent():
                return max(1, few)
            case LinearSum() as rule:
                low, high = rule.bounds
                able = [v for v in group.variables if domains.masks[v] & bit]
                if high is not None:
                    spare = high - sum([domains.least(v) for v in group.variables])
                    many = min(many, _how_many([value - domains.least(v) for v in able], spare))
                if low is not None:
                    spare = sum([domains.most(v) for v in group.variables]) - low
                    many = min(many, _how_many([domains.most(v) - value for v in able], spare))
        return many


def _how_many(costs: list[int], spare: int) -> int:
    """Return how many of the costs can be borne together at most."""
    for count, cost in enumerate(sorted(costs)):
        spare -= cost
        if spare < 0:
            return count
    return len(costs)


def _sum_of_first(values: list[tuple[int, int]], count: int) -> int:
    """Return the sum of the first so many values, each as often as it comes."""
    total = 0
    for value, times in values:
        taken = min(times, count)
        total += taken * value
        count -= taken
    return total
