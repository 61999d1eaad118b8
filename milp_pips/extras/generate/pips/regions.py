"""The regions of a puzzle: the rules that their hidden values obey, and how to tighten or loosen them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias, cast

from milp_pips.problem.rng import RandomGenerator
from milp_pips.puzzles.pips.puzzle import Region, Rule
from milp_pips.render.vocabulary import Place, connected_parts, neighbours

Weights: TypeAlias = Mapping[Rule | None, int]
"""The weight of each rule in random draws; None stands for no rule."""

SHARP_RULES = (Rule.SUM, Rule.EQ)
"""The rules that leave the fewest possibilities."""

MAX_SLACK = 3
"""The most room that a new bound leaves below or above the hidden sum: enough not to give the sum away, while
most values of a few cells still break it."""


class Style(NamedTuple):
    """The distribution of regions: sizes, weights of rules, and values, in increasing order.

    ``size_weights`` holds the weight of each size, ``weights_by_size`` that of each rule on regions of a
    size. Without them every size is equally likely, and each rule has the same weight on every size.
    """

    sizes: tuple[int, ...]
    weights: Weights
    pips: tuple[int, ...]
    size_weights: Mapping[int, int] = {}
    weights_by_size: Mapping[int, Weights] = {}

    def weights_of(self, size: int) -> Weights:
        """Return the weight of each rule on regions of this size."""
        return self.weights_by_size.get(size, self.weights)

    def area(
        self, cells: Sequence[Place], rule: Rule | None, values: Mapping[Place, int], rng: RandomGenerator
    ) -> Area | None:
        """Return the cells under a rule; None if their values break it, or if it excludes nothing."""
        seen = [values[cell] for cell in cells]
        if rule not in self.rules_obeyed(seen):
            return None
        return Area(tuple(cells), rule, self.target(rule, seen, rng.integer_between(1, MAX_SLACK)))

    def drawn_area(
        self, cells: Sequence[Place], values: Mapping[Place, int], rng: RandomGenerator
    ) -> Area | None:
        """Return the cells under a rule that their values obey; None if there is none."""
        seen = [values[cell] for cell in cells]
        fitting = self.rules_obeyed(seen)
        if not fitting:
            return None
        rule = rng.weighted_choice(fitting)
        return Area(tuple(cells), rule, self.target(rule, seen, rng.integer_between(1, MAX_SLACK)))

    def draw_rule(self, size: int, rng: RandomGenerator) -> Rule | None:
        """Return a rule for a region of this size whose values are still open.

        A single cell is neither equal nor different, unless no other rule is wanted.
        """
        weights = dict(self.weights_of(size))
        if size > len(self.pips):
            weights.pop(Rule.NEQ, None)
        return rng.weighted_choice(_applicable_rules(weights, size) or dict(self.weights))

    def rules_obeyed(self, seen: Sequence[int], *, or_none: bool = True) -> dict[Rule | None, int]:
        """Return the weights of the rules that the values of a region obey, with or without "no rule".

        It is empty if no rule with a weight is obeyed. Bounds that no values could break, and equality or
        difference of a single cell, are left out if any other rule remains.
        """
        total, size = sum(seen), len(seen)
        fitting = _obeyed_rules(self.weights_of(size), seen, or_none) or _obeyed_rules(
            self.weights, seen, or_none
        )
        vacuous: tuple[Rule, ...] = ()
        if total >= size * self.pips[-1]:
            vacuous += Rule.LT, Rule.LE
        if total <= size * self.pips[0]:
            vacuous += Rule.GT, Rule.GE
        applicable = _applicable_rules(fitting, size)
        return {rule: weight for rule, weight in applicable.items() if rule not in vacuous} or fitting

    def target(self, rule: Rule | None, seen: Sequence[int], slack: int) -> int | None:
        """Return the target of the rule; for a bound, with room ``slack``, of which 1 is the tightest.

        The room ends before the bound would exclude nothing.
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


def _obeyed_rules(weights: Weights, seen: Sequence[int], or_none: bool) -> dict[Rule | None, int]:
    return {
        rule: weight
        for rule, weight in weights.items()
        if weight
        and (or_none or rule is not None)
        and (rule is not Rule.EQ or len(set(seen)) == 1)
        and (rule is not Rule.NEQ or len(set(seen)) == len(seen))
    }


def _applicable_rules(weights: Weights, size: int) -> dict[Rule | None, int]:
    return {
        rule: weight
        for rule, weight in weights.items()
        if weight and (size > 1 or rule not in (Rule.EQ, Rule.NEQ))
    }


class Area(NamedTuple):
    """Connected cells and the rule on them: a region, or cells without a rule."""

    cells: tuple[Place, ...]
    rule: Rule | None
    target: int | None


def areas_of(regions: Sequence[Region], cells: Sequence[Place], single: bool = False) -> list[Area]:
    """Return as areas the regions, and each connected part, or each ``single`` cell, of the other cells."""
    ruled = [Area(cast("tuple[Place, ...]", r.cells), r.rule, r.target) for r in regions]
    inside = {cell for area in ruled for cell in area.cells}
    free = [cell for cell in cells if cell not in inside]
    parts = [[cell] for cell in free] if single else connected_parts(free)
    return ruled + [Area(tuple(sorted(part)), None, None) for part in parts]


class Reviser:
    """Change the rules of areas such that the hidden values stay a solution, to remove or admit others."""

    def __init__(self, style: Style, values: Mapping[Place, int], rng: RandomGenerator):
        self._style, self._values, self._rng = style, values, rng

    def tighten(self, areas: Sequence[Area], open_counts: Mapping[Place, int]) -> list[Area] | None:
        """Return the areas with one of them tightened, or cut in two; None if nothing can be done.

        ``open_counts`` holds, for each cell, the number of solutions that differ from the hidden one there,
        or 1 if they are not counted. Areas with many are changed first, areas without any stay as they are.
        """
        openness = [sum(open_counts.get(cell, 0) for cell in area.cells) for area in areas]
        order = self._rng.shuffled(range(len(areas)))
        order.sort(key=lambda i: -openness[i])
        open_ones = [i for i in order if openness[i]]
        while open_ones:
            chosen = open_ones.pop(min(self._rng.integer(3), len(open_ones) - 1))
            changed = self._tighten_rule(areas[chosen]) or self._split(areas[chosen])
            if changed:
                return [*areas[:chosen], *changed, *areas[chosen + 1 :]]
        return None

    def loosen(self, areas: Sequence[Area]) -> list[Area] | None:
        """Return the areas with two neighbours merged under a random rule; None if that is impossible."""
        home = {cell: i for i, area in enumerate(areas) for cell in area.cells}
        pairs = dict.fromkeys(
            (min(i, home[other]), max(i, home[other]))
            for cell, i in home.items()
            for other in neighbours(cell)
            if home.get(other, i) != i
        )
        for i, j in self._rng.shuffled(pairs):
            cells = areas[i].cells + areas[j].cells
            if len(cells) not in self._style.sizes or areas[i].rule is None or areas[j].rule is None:
                continue
            one = self._with_rule(cells)
            if one is not None:
                return [one, *(area for k, area in enumerate(areas) if k not in (i, j))]
        return None

    def _tighten_rule(self, area: Area) -> list[Area]:
        """Return the area with a tighter bound, or with a sum instead of a bound."""
        if area.rule is None or not area.rule.has_target or area.rule is Rule.SUM:
            return []
        seen = [self._values[cell] for cell in area.cells]
        tightest = self._style.target(area.rule, seen, 1)
        if area.target != tightest and self._rng.bernoulli(0.5):
            return [area._replace(target=tightest)]
        return [area._replace(rule=Rule.SUM, target=sum(seen))] if self._style.weights.get(Rule.SUM) else []

    def _split(self, area: Area) -> list[Area]:
        """Return two areas in place of one; both have rules, or at least one if the area had none."""
        sizes, total = self._style.sizes, len(area.cells)
        if area.rule is None and total in sizes:
            whole = self._with_rule(area.cells, SHARP_RULES)
            return [] if whole is None else [whole]
        splits = [size for size in sizes if size < total and (area.rule is None or total - size in sizes)]
        for size in self._rng.shuffled(splits):
            part = connected_part(area.cells, size, self._rng)
            rest = tuple(cell for cell in area.cells if cell not in part)
            first = self._with_rule(part, SHARP_RULES)
            if area.rule is None:
                second: Area | None = Area(rest, None, None)
            elif len(connected_parts(rest)) == 1:
                second = self._with_rule(rest, SHARP_RULES)
            else:
                continue
            if first and second:
                return [first, second]
        return []

    def _with_rule(self, cells: Sequence[Place], sharp: Sequence[Rule] = ()) -> Area | None:
        """Return the cells under a rule with a weight, a sharp one if one is obeyed; None if none is."""
        seen = [self._values[cell] for cell in cells]
        fitting = self._style.rules_obeyed(seen, or_none=False)
        if not fitting:
            return None
        sharp_ones: Weights = {rule: n for rule, n in fitting.items() if rule in sharp}
        rule = self._rng.weighted_choice(sharp_ones or fitting)
        return Area(tuple(sorted(cells)), rule, self._style.target(rule, seen, 1))


def connected_part(cells: Sequence[Place], size: int, rng: RandomGenerator) -> list[Place]:
    """Return ``size`` of the connected cells, themselves connected, drawn at random."""
    part = [rng.choice(cells)]
    while len(part) < size:
        rim = [c for c in cells if c not in part and any(other in part for other in neighbours(c))]
        part.append(rng.choice(rim))
    return part
