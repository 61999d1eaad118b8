"""The regions of a puzzle: which rules their hidden values obey, and how to ask for more, or for less."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias, cast

from milp_pips.problem.rng import RandomGenerator
from milp_pips.puzzles.pips.puzzle import Region, Rule
from milp_pips.puzzles.region_partition import Place, connected_parts, near

Weights: TypeAlias = Mapping[Rule | None, int]
"""How often each rule is to be drawn, None standing for no rule."""

SHARPEST = (Rule.SUM, Rule.EQ)
"""The rules that leave the fewest ways."""


MOST_SLACK = 3
"""A new bound on a sum leaves at most this much room below or above the hidden sum: enough not to give the
sum away, and still most values of a few cells break it."""


class Style(NamedTuple):
    """What regions may be like: how many cells, how often each rule, which values; in increasing order.

    ``often`` says how often each size occurs, and ``by_size`` how often each rule does on regions of a size.
    Without these every size is as likely as another, and so is each rule on every size.
    """

    sizes: tuple[int, ...]
    weights: Weights
    pips: tuple[int, ...]
    often: Mapping[int, int] = {}
    by_size: Mapping[int, Weights] = {}

    def weights_of(self, size: int) -> Weights:
        """Return how often each rule occurs on regions of this size."""
        return self.by_size.get(size, self.weights)

    def area(
        self, cells: Sequence[Place], rule: Rule | None, values: Mapping[Place, int], rng: RandomGenerator
    ) -> Area | None:
        """Return the cells under a rule; None where their values do not obey it, or where it says nothing."""
        seen = [values[cell] for cell in cells]
        if rule not in self.rules_obeyed(seen):
            return None
        return Area(tuple(cells), rule, self.target(rule, seen, rng.integer_between(1, MOST_SLACK)))

    def drawn_area(
        self, cells: Sequence[Place], values: Mapping[Place, int], rng: RandomGenerator
    ) -> Area | None:
        """Return the cells under a rule that their values obey; None where there is none."""
        seen = [values[cell] for cell in cells]
        fitting = self.rules_obeyed(seen)
        if not fitting:
            return None
        rule = rng.weighted_choice(fitting)
        return Area(tuple(cells), rule, self.target(rule, seen, rng.integer_between(1, MOST_SLACK)))

    def draw_rule(self, size: int, rng: RandomGenerator) -> Rule | None:
        """Return a rule for a region of this size whose values are still open.

        A single cell is neither equal nor different, unless nothing else is wanted.
        """
        weights = dict(self.weights_of(size))
        if size > len(self.pips):
            weights.pop(Rule.NEQ, None)
        return rng.weighted_choice(_speaking(weights, size) or dict(self.weights))

    def rules_obeyed(self, seen: Sequence[int], *, or_none: bool = True) -> dict[Rule | None, int]:
        """Return the weights of the rules that the values of a region obey, no rule among them or not.

        Empty if no rule with a weight does. A bound that no values could break, and a single cell that is
        equal or different, are left out wherever something else is there.
        """
        total, size = sum(seen), len(seen)
        fitting = _obeyed(self.weights_of(size), seen, or_none) or _obeyed(self.weights, seen, or_none)
        silent: tuple[Rule, ...] = ()
        if total >= size * self.pips[-1]:
            silent += Rule.LT, Rule.LE
        if total <= size * self.pips[0]:
            silent += Rule.GT, Rule.GE
        telling = {rule: weight for rule, weight in _speaking(fitting, size).items() if rule not in silent}
        return telling or fitting

    def target(self, rule: Rule | None, seen: Sequence[int], slack: int) -> int | None:
        """Return the target of the rule, a bound with as much room as ``slack`` says; 1 is the tightest.

        The room ends where the bound would say nothing.
        """
        total, lowest, highest = sum(seen), len(seen) * self.pips[0], len(seen) * self.pips[-1]
        match rule:
            case Rule.SUM:
                return total
            case Rule.LT:
                return max(total + 1, min(total + slack, highest))
            case Rule.GT:
                return min(total - 1, max(total - slack, lowest))
            case Rule.LE:
                return max(total, min(total + slack - 1, highest - 1))
            case Rule.GE:
                return min(total, max(total - slack + 1, lowest + 1))
            case _:
                return None


def _obeyed(weights: Weights, seen: Sequence[int], or_none: bool) -> dict[Rule | None, int]:
    return {
        rule: weight
        for rule, weight in weights.items()
        if weight
        and (or_none or rule is not None)
        and (rule is not Rule.EQ or len(set(seen)) == 1)
        and (rule is not Rule.NEQ or len(set(seen)) == len(seen))
    }


def _speaking(weights: Weights, size: int) -> dict[Rule | None, int]:
    return {
        rule: weight
        for rule, weight in weights.items()
        if weight and (size > 1 or rule not in (Rule.EQ, Rule.NEQ))
    }


class Area(NamedTuple):
    """Connected cells and what is asked of them: a region, or cells without a rule."""

    cells: tuple[Place, ...]
    rule: Rule | None
    target: int | None


def areas_of(regions: Sequence[Region], cells: Sequence[Place], single: bool = False) -> list[Area]:
    """Return the regions, and each connected part of the cells in none, or each ``single`` one, as areas."""
    ruled = [Area(cast("tuple[Place, ...]", r.cells), r.rule, r.target) for r in regions]
    inside = {cell for area in ruled for cell in area.cells}
    free = [cell for cell in cells if cell not in inside]
    parts = [[cell] for cell in free] if single else connected_parts(free)
    return ruled + [Area(tuple(sorted(part)), None, None) for part in parts]


class Reviser:
    """Changes what is asked of areas so that the hidden values stay a solution, and others go or come."""

    def __init__(self, style: Style, values: Mapping[Place, int], rng: RandomGenerator):
        self._style, self._values, self._rng = style, values, rng

    def tighten(self, areas: Sequence[Area], often: Mapping[Place, int]) -> list[Area] | None:
        """Return the areas with one of them asked for more, or cut in two; None where nothing can be done.

        ``often`` tells how open each cell is: the more solutions differ from the hidden one there, the
        greater; cells that are not open are left out. Open areas are changed first.
        """
        openness = [sum(often.get(cell, 0) for cell in area.cells) for area in areas]
        order = self._rng.shuffled(range(len(areas)))
        order.sort(key=lambda i: -openness[i])
        open_ones = [i for i in order if openness[i]]
        while open_ones:
            chosen = open_ones.pop(min(self._rng.integer(3), len(open_ones) - 1))
            changed = self._ask_for_more(areas[chosen]) or self._cut(areas[chosen])
            if changed:
                return [*areas[:chosen], *changed, *areas[chosen + 1 :]]
        return None

    def loosen(self, areas: Sequence[Area]) -> list[Area] | None:
        """Return the areas with two neighbours made one, its rule by weight; None where that cannot be."""
        home = {cell: i for i, area in enumerate(areas) for cell in area.cells}
        pairs = dict.fromkeys(
            (min(i, home[other]), max(i, home[other]))
            for cell, i in home.items()
            for other in near(cell)
            if home.get(other, i) != i
        )
        for i, j in self._rng.shuffled(pairs):
            cells = areas[i].cells + areas[j].cells
            if len(cells) not in self._style.sizes or areas[i].rule is None or areas[j].rule is None:
                continue
            one = self._under_a_rule(cells)
            if one is not None:
                return [one, *(area for k, area in enumerate(areas) if k not in (i, j))]
        return None

    def _ask_for_more(self, area: Area) -> list[Area]:
        """Return the area with a tighter bound, or with a sum in place of a bound."""
        if area.rule is None or not area.rule.has_target or area.rule is Rule.SUM:
            return []
        seen = [self._values[cell] for cell in area.cells]
        tightest = self._style.target(area.rule, seen, 1)
        if area.target != tightest and self._rng.bernoulli(0.5):
            return [area._replace(target=tightest)]
        return [area._replace(rule=Rule.SUM, target=sum(seen))] if self._style.weights.get(Rule.SUM) else []

    def _cut(self, area: Area) -> list[Area]:
        """Return two areas under rules in place of one; at least one of an area without a rule."""
        sizes, total = self._style.sizes, len(area.cells)
        if area.rule is None and total in sizes:
            whole = self._under_a_rule(area.cells, SHARPEST)
            return [] if whole is None else [whole]
        splits = [size for size in sizes if size < total and (area.rule is None or total - size in sizes)]
        for size in self._rng.shuffled(splits):
            part = self._connected_part(area.cells, size)
            rest = tuple(cell for cell in area.cells if cell not in part)
            first = self._under_a_rule(part, SHARPEST)
            if area.rule is None:
                second: Area | None = Area(rest, None, None)
            elif len(connected_parts(rest)) == 1:
                second = self._under_a_rule(rest, SHARPEST)
            else:
                continue
            if first and second:
                return [first, second]
        return []

    def _under_a_rule(self, cells: Sequence[Place], sharp: Sequence[Rule] = ()) -> Area | None:
        """Return the cells under a rule with a weight, a sharp one if one is obeyed; None if none is."""
        seen = [self._values[cell] for cell in cells]
        fitting = self._style.rules_obeyed(seen, or_none=False)
        if not fitting:
            return None
        sharp_ones: Weights = {rule: n for rule, n in fitting.items() if rule in sharp}
        rule = self._rng.weighted_choice(sharp_ones or fitting)
        return Area(tuple(sorted(cells)), rule, self._style.target(rule, seen, 1))

    def _connected_part(self, cells: Sequence[Place], size: int) -> list[Place]:
        part = [self._rng.choice(cells)]
        while len(part) < size:
            rim = [cell for cell in cells if cell not in part and any(other in part for other in near(cell))]
            part.append(self._rng.choice(rim))
        return part
