"""Sums must be made of the halves that are left."""

from __future__ import annotations

from itertools import accumulate
from math import inf

from milp_pips.propagation.joint import ValueSupply


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
        decided = sum([domains.least(v) for v in variables if masks[v] in left])
        others = min(len(cells) - 1, len(rising))
        if total.low is not None:
            most = [domains.most(v) for v in cells]
            wanted, whole = total.low - decided, sum(most)
            for v, own in zip(cells, most, strict=True):
                domains.keep_between(v, wanted - min(dearest[others], whole - own), inf, why)
        if total.high is not None:
            least = [domains.least(v) for v in cells]
            spare, whole = total.high - decided, sum(least)
            for v, own in zip(cells, least, strict=True):
                domains.keep_between(v, -inf, spare - max(cheapest[others], whole - own), why)
