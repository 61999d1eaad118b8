"""Drafts in a setter's style: regions and rules as often as in published puzzles, and values to match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from milp_pips.extras.generate.pips.local_search import RegionTarget
from milp_pips.extras.generate.pips.regions import Style, Weights
from milp_pips.extras.generate.pips.statistics import FREE_REGION, SUM_CLASSES, Figures
from milp_pips.problem.rng import RandomGenerator
from milp_pips.puzzles.pips.puzzle import Rule
from milp_pips.puzzles.region_partition import Place, near, partition

MAX_REGION_CELLS = 7
"""Cells of a region, at most, unless others are asked for: larger ones are rare curiosities."""

REGION_STARTS = 10
"""Where a region does not fit, how many other places are tried."""


def rules_by_size(figures: Figures) -> dict[int, dict[Rule | None, int]]:
    """Return how often each rule occurs on regions of each size, None on cells without one."""
    found: dict[int, dict[Rule | None, int]] = {}
    for area, count in figures["areas"].items():
        size, name = area.split()
        if int(size) <= MAX_REGION_CELLS:
            found.setdefault(int(size), {})[None if name == FREE_REGION else Rule(name)] = count
    return dict(sorted(found.items()))


def setter_style(
    figures: Figures, sizes: tuple[int, ...] | None, rules: Weights | None, pips: tuple[int, ...]
) -> Style:
    """Return the style of published puzzles, with other sizes or rules where these are named.

    A size that no published region has is as rare as one of them, and has the rules of the next smaller one.
    """
    known = rules_by_size(figures)
    often = {size: max(1, sum(known.get(size, {}).values())) for size in sizes or known}
    if rules is not None:
        return Style(tuple(often), rules, pips, often)
    by_size = {size: known[max(k for k in known if k <= size)] for size in often}
    weights: dict[Rule | None, int] = {}
    for counted in known.values():
        for rule, count in counted.items():
            weights[rule] = weights.get(rule, 0) + count
    return Style(tuple(often), weights, pips, often, by_size)


def draw_regions(cells: Sequence[Place], style: Style, rng: RandomGenerator) -> list[list[Place]] | None:
    """Return connected regions that cover the cells, sizes as often as in the style; None without luck.

    The large ones are placed first. Where they cannot fill the board, the sizes are left to chance.
    """
    sizes = _drawn_sizes(len(cells), style, rng) if style.often else None
    if sizes is None:
        return partition(cells, style.sizes, rng)
    free, waiting = dict.fromkeys(cells, True), rng.shuffled(cells)
    regions = []
    for size in sorted(sizes, reverse=True):
        region = _region_somewhere(size, free, waiting, rng)
        if region is not None:
            for cell in region:
                free[cell] = False
            regions.append(region)
    left = [cell for cell in waiting if free[cell]]
    if left and not _join(left, regions, style, rng):
        return partition(cells, style.sizes, rng)
    return regions


def _join(left: Sequence[Place], regions: list[list[Place]], style: Style, rng: RandomGenerator) -> bool:
    """Add each cell that is left over to a region beside it that may grow, or else make it one; or fail."""
    home = {cell: region for region in regions for cell in region}
    for cell in left:
        beside = [home[other] for other in near(cell) if other in home]
        able = [region for region in beside if len(region) > 1 and len(region) + 1 in style.sizes]
        region = rng.choice(able or [r for r in beside if len(r) + 1 in style.sizes] or [[]])
        if not region and 1 not in style.sizes:
            return False
        if not region:
            regions.append(region)
        region.append(cell)
        home[cell] = region
    return True


def _drawn_sizes(total: int, style: Style, rng: RandomGenerator) -> list[int] | None:
    sizes = []
    while total:
        fitting = {size: often for size, often in style.often.items() if size <= total}
        if not any(fitting.values()):
            return None
        sizes.append(rng.weighted_choice(fitting))
        total -= sizes[-1]
    return sizes


def _region_somewhere(
    size: int, free: Mapping[Place, bool], waiting: list[Place], rng: RandomGenerator
) -> list[Place] | None:
    for _ in range(REGION_STARTS):
        while waiting and not free[waiting[-1]]:
            waiting.pop()
        if not waiting:
            return None
        at = rng.integer(len(waiting))
        if not free[waiting[at]]:
            waiting[at] = waiting[-1]
            waiting.pop()
            continue
        region, rim = [waiting[at]], [waiting[at]]
        while rim and len(region) < size:
            rim = [
                other for cell in region for other in near(cell) if free.get(other) and other not in region
            ]
            if rim:
                region.append(rng.choice(rim))
        if len(region) == size:
            return region
    return None


def wish_for(
    cells: Sequence[Place],
    rule: Rule | None,
    pips: Sequence[int],
    sums: Mapping[str, int],
    rng: RandomGenerator,
) -> RegionTarget:
    """Return what the values of a region are to be: sums of several cells get targets as often as published.

    ``sums`` is the figure of that name.
    """
    low, high = len(cells) * pips[0], len(cells) * pips[-1]
    if rule is not Rule.SUM or len(cells) == 1 or not sums:
        return RegionTarget(tuple(cells), rule, low, high)
    at = list(SUM_CLASSES.values()).index(rng.weighted_choice(sums))
    shares, room = list(SUM_CLASSES), high - low
    first = int(shares[at - 1] * room) + 1 if at else 0
    last = max(first, int(shares[at] * room))
    target = min(high, low + rng.integer_between(first, last))
    return RegionTarget(tuple(cells), rule, target, target)
