"""Every value must be shown as often as the dominoes have it."""

from __future__ import annotations

from milp_pips.problem.errors import Contradiction
from milp_pips.propagation.joint import ValueSupply


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
                if masks[v] & bit:
                    many += 1
                    few += masks[v] == bit
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
