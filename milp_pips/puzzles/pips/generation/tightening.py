"""Change the rules of a puzzle so that its hidden solution stays, and others go or come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

from milp_pips.chance import Chance
from milp_pips.puzzles.partition import Place, connected_parts, near
from milp_pips.puzzles.pips.generation.rules import Weights, rules_obeyed, target_of
from milp_pips.puzzles.pips.puzzle import Region, Rule

SHARPEST = (Rule.SUM, Rule.EQ)
"""The rules that leave the fewest ways."""


class Area(NamedTuple):
    """Connected cells and what is asked of them: a region, or cells without a rule."""

    cells: tuple[Place, ...]
    rule: Rule | None
    target: int | None

    def region(self, label: str) -> Region:
        """Return it as a region with this label."""
        return Region(label, self.cells, self.rule, self.target)


def tightened(
    areas: Sequence[Area],
    values: Mapping[Place, int],
    often: Mapping[Place, int],
    sizes: Sequence[int],
    weights: Weights,
    pips: Sequence[int],
    chance: Chance,
) -> list[Area] | None:
    """Return the areas with one of them asked for more, or cut in two; None where nothing can be done.

    Parameters
    ----------
    areas
        What is asked now.
    values
        The hidden solution.
    often
        How open each cell is: the more solutions differ from the hidden one there, the greater; cells that
        are not open are left out. Open areas are changed first.
    sizes, weights, pips
        What regions may be like.
    """
    openness = [sum(often.get(cell, 0) for cell in area.cells) for area in areas]
    order = chance.shuffled(range(len(areas)))
    order.sort(key=lambda i: -openness[i])
    open_ones = [i for i in order if openness[i]]
    while open_ones:
        chosen = open_ones.pop(min(chance.below(3), len(open_ones) - 1))
        changed = _asked_for_more(areas[chosen], values, weights, pips, chance) or _cut(
            areas[chosen], values, sizes, weights, pips, chance
        )
        if changed:
            return [*areas[:chosen], *changed, *areas[chosen + 1 :]]
    return None


def _asked_for_more(
    area: Area, values: Mapping[Place, int], weights: Weights, pips: Sequence[int], chance: Chance
) -> list[Area]:
    """Return the area with a tighter bound, or with a sum in place of a bound."""
    if area.rule is None or not area.rule.has_target or area.rule is Rule.SUM:
        return []
    seen = [values[cell] for cell in area.cells]
    tightest = target_of(area.rule, sum(seen), 1, len(seen), pips)
    if area.target != tightest and chance.happens(0.5):
        return [area._replace(target=tightest)]
    return [area._replace(rule=Rule.SUM, target=sum(seen))] if weights.get(Rule.SUM) else []


def _ruled(
    cells: Sequence[Place], values: Mapping[Place, int], weights: Weights, pips: Sequence[int], chance: Chance
) -> Area | None:
    """Return the cells under a rule that leaves few ways; None where no rule with a weight is obeyed."""
    seen = [values[cell] for cell in cells]
    fitting = rules_obeyed({rule: n for rule, n in weights.items() if rule is not None}, seen, pips)
    if not fitting:
        return None
    sharp: Weights = {rule: n for rule, n in fitting.items() if rule in SHARPEST}
    rule = chance.weighed(sharp or fitting)
    return Area(tuple(sorted(cells)), rule, target_of(rule, sum(seen), 1, len(seen), pips))


def _cut(
    area: Area,
    values: Mapping[Place, int],
    sizes: Sequence[int],
    weights: Weights,
    pips: Sequence[int],
    chance: Chance,
) -> list[Area]:
    """Return two areas under rules in place of one; of an area without a rule, at least one that has one."""
    total = len(area.cells)
    if area.rule is None and total in sizes:
        whole = _ruled(area.cells, values, weights, pips, chance)
        return [] if whole is None else [whole]
    splits = [size for size in sizes if size < total and (area.rule is None or total - size in sizes)]
    for size in chance.shuffled(splits):
        grown = _grown(area.cells, size, chance)
        rest = tuple(cell for cell in area.cells if cell not in grown)
        first = _ruled(grown, values, weights, pips, chance)
        if area.rule is None:
            second: Area | None = Area(rest, None, None)
        elif len(connected_parts(rest)) == 1:
            second = _ruled(rest, values, weights, pips, chance)
        else:
            continue
        if first and second:
            return [first, second]
    return []


def _grown(cells: Sequence[Place], size: int, chance: Chance) -> list[Place]:
    """Return a connected part of a connected area."""
    grown = [chance.one_of(cells)]
    while len(grown) < size:
        rim = [cell for cell in cells if cell not in grown and any(other in grown for other in near(cell))]
        grown.append(chance.one_of(rim))
    return grown


def loosened(
    areas: Sequence[Area],
    values: Mapping[Place, int],
    sizes: Sequence[int],
    weights: Weights,
    pips: Sequence[int],
    chance: Chance,
) -> list[Area] | None:
    """Return the areas with two neighbours made one, its rule drawn by weight; None where that cannot be."""
    home = {cell: i for i, area in enumerate(areas) for cell in area.cells}
    pairs = dict.fromkeys(
        (min(i, home[other]), max(i, home[other]))
        for cell, i in home.items()
        for other in near(cell)
        if home.get(other, i) != i
    )
    for i, j in chance.shuffled(pairs):
        cells = tuple(sorted(areas[i].cells + areas[j].cells))
        if len(cells) not in sizes or areas[i].rule is None or areas[j].rule is None:
            continue
        seen = [values[cell] for cell in cells]
        fitting = rules_obeyed({rule: n for rule, n in weights.items() if rule is not None}, seen, pips)
        if fitting:
            rule = chance.weighed(fitting)
            one = Area(cells, rule, target_of(rule, sum(seen), 1, len(cells), pips))
            return [one, *(area for k, area in enumerate(areas) if k not in (i, j))]
    return None


def areas_of(regions: Sequence[Region], cells: Sequence[Place]) -> list[Area]:
    """Return the regions, and each connected part of the cells in none, as areas."""
    ruled = [Area(cast("tuple[Place, ...]", r.cells), r.rule, r.target) for r in regions]
    inside = {cell for area in ruled for cell in area.cells}
    parts = connected_parts(cell for cell in cells if cell not in inside)
    return ruled + [Area(tuple(sorted(part)), None, None) for part in parts]
