"""The regions of new puzzles: the weights that draw them, and the rules that their hidden values obey."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from tomllib import loads
from typing import NamedTuple, TypeAlias, cast

from milp_pips.extras.generate.contract import Candidate
from milp_pips.problem.rng import RandomGenerator
from milp_pips.puzzles.pips.puzzle import Layout, Pips, Region, region_labels
from milp_pips.puzzles.pips.rules import RULES, Rule
from milp_pips.render.vocabulary import Place, connected_parts, neighbours

Weights: TypeAlias = Mapping[Rule | None, int]
"""The weight of each rule in random draws; None stands for no rule."""

Table: TypeAlias = Mapping[str, Mapping[str, int]]
"""For each figure of puzzles, the number of occurrences of each of its cases; ``styles.toml`` says which."""

STYLES: Mapping[str, Table] = loads((files(__package__) / "styles.toml").read_text(encoding="utf-8"))
"""The table of the plain style, and one for each level of published puzzles."""

LEVEL_OF_DOMINOES = {5: "easy", 8: "medium"}
"""The most dominoes of most published puzzles of a level; larger puzzles are hard."""

SETTER_STYLE, PLAIN_STYLE = "setter", "plain"
"""The styles: as in published puzzles, or every size equally often."""

FREE_REGION = "free"
"""The name for "no rule" in the tables."""

MAX_REGION_CELLS = 7
"""The default for the most cells of a region: larger regions are rare."""

EXACT_RULES = [rule for rule in Rule if RULES[rule].is_exact]
SHARP_RULES = [*EXACT_RULES, *(rule for rule in Rule if RULES[rule].is_rare)]
"""The rules that leave the fewest possibilities."""

RELAX_PROBABILITY = 0.2
"""The probability that a sum gets another rule when a puzzle is loosened, instead of two areas that merge."""

MAX_SLACK = 3
"""The most room that a new bound leaves below or above the hidden sum: enough not to give the sum away, while
most values of a few cells still break it."""


def level_of(dominoes: int) -> str:
    """Return the level of most published puzzles with about this many dominoes."""
    return next((level for most, level in LEVEL_OF_DOMINOES.items() if dominoes <= most), "hard")


class Area(NamedTuple):
    """Connected cells and the rule on them: a region, or cells without a rule."""

    cells: tuple[Place, ...]
    rule: Rule | None
    target: int | None


@dataclass(frozen=True, slots=True)
class Style:
    """The weights by which puzzles are drawn.

    Parameters
    ----------
    table
        The figures of boards and sums, and whether dominoes are repeated.
    sizes
        The weight of each size of a region.
    rules
        The weights of the rules for regions of each of these sizes.
    every_rule
        The weights for regions of other sizes, and for those whose values obey no rule of their size.
    pips
        The values, in increasing order.
    """

    table: Table
    sizes: Mapping[int, int]
    rules: Mapping[int, Weights]
    every_rule: Weights
    pips: tuple[int, ...]

    @classmethod
    def of(
        cls,
        name: str,
        dominoes: int,
        sizes: Sequence[int] | None,
        rules: Weights | None,
        pips: tuple[int, ...],
    ) -> Style:
        """Return a style for puzzles of this many dominoes, with other sizes or rules if these are named.

        A size that the table does not have is as frequent as the rarest that it has, and has the rules of the
        next smaller size.
        """
        table = STYLES[level_of(dominoes) if name == SETTER_STYLE else name]
        areas = cast("Mapping[str, Mapping[str, int]]", table["areas"])
        known: dict[int, Weights] = {
            int(size): {None if rule == FREE_REGION else Rule(rule): n for rule, n in weights.items()}
            for size, weights in areas.items()
            if int(size) <= MAX_REGION_CELLS
        }
        often = {size: sum(weights.values()) for size, weights in known.items()}
        drawn = {size: often.get(size, min(often.values())) for size in sizes or known}
        if rules is not None:
            return cls(table, drawn, dict.fromkeys(drawn, rules), rules, pips)
        total = Counter[Rule | None]()
        for weights in known.values():
            total.update(weights)
        by_size = {size: known[max(k for k in known if k <= size)] for size in drawn}
        return cls(table, drawn, by_size, total, pips)

    def draw_rule(self, size: int, rng: RandomGenerator) -> Rule | None:
        """Return a rule for a region of this size whose values are still open.

        A single cell is neither equal nor different, unless no other rule is wanted.
        """
        weights = self.rules.get(size, self.every_rule)
        return rng.weighted_choice(self._suitable(weights, size) or dict(self.every_rule))

    def area(
        self,
        cells: Sequence[Place],
        values: Mapping[Place, int],
        rng: RandomGenerator,
        wanted: Sequence[Rule | None] = (None, *Rule),
        slack: int = 0,
    ) -> Area | None:
        """Return the cells under one of the wanted rules that their values obey; None if there is none.

        A bound leaves room ``slack``, of which 1 is the tightest; 0 stands for a random one.
        """
        seen = [values[cell] for cell in cells]
        fitting = {rule: n for rule, n in self._rules_obeyed(seen).items() if rule in wanted}
        if not fitting:
            return None
        rule = rng.weighted_choice(fitting) if len(fitting) > 1 else next(iter(fitting))
        slack = slack or (rng.integer_between(1, MAX_SLACK) if RULES[rule].has_target else 1)
        return Area(tuple(sorted(cells)), rule, self.target(rule, seen, slack))

    def _rules_obeyed(self, seen: Sequence[int]) -> dict[Rule | None, int]:
        """Return the weights of the rules that the values of a region obey.

        It is empty if no rule with a weight is obeyed. Bounds that no values could break, and equality or
        difference of a single cell, are left out if any other rule remains.
        """
        weights = self.rules.get(len(seen), self.every_rule)
        fitting = _obeyed_rules(weights, seen) or _obeyed_rules(self.every_rule, seen)
        suitable = self._suitable(fitting, len(seen))
        return {rule: n for rule, n in suitable.items() if not self._is_vacuous(rule, seen)} or fitting

    def _is_vacuous(self, rule: Rule | None, seen: Sequence[int]) -> bool:
        """Return whether the rule is a bound that would exclude nothing at its tightest."""
        (low, high), kind = self.reach(len(seen)), RULES[rule]
        return kind.is_bound and len(kind.sums(self.target(rule, seen, 1), low, high)) > high - low

    def target(self, rule: Rule | None, seen: Sequence[int], slack: int) -> int | None:
        """Return the target of the rule; a bound leaves room ``slack``, of which 1 is the tightest."""
        return RULES[rule].target(seen, slack, *self.reach(len(seen)))

    def reach(self, size: int) -> tuple[int, int]:
        """Return the least and the greatest sum of so many cells."""
        return size * self.pips[0], size * self.pips[-1]

    def _suitable(self, weights: Weights, size: int) -> dict[Rule | None, int]:
        """Return the weights of the rules that say something about a region of this size."""
        return {rule: n for rule, n in weights.items() if n and RULES[rule].suits(size, self.pips)}


def _obeyed_rules(weights: Weights, seen: Sequence[int]) -> dict[Rule | None, int]:
    """Return the weights of the rules that these values obey, with some target if the rule has one."""
    kinds = ((rule, n, RULES[rule]) for rule, n in weights.items() if n)
    return {rule: n for rule, n, kind in kinds if kind.has_target or kind.obeys(seen, None)}


def candidate_of(name: str, cells: Sequence[Place], areas: Sequence[Area], hidden: Layout) -> Candidate:
    """Return the puzzle with its regions labelled in reading order; areas without a rule are not regions."""
    ruled = sorted(area for area in areas if area.rule is not None)
    regions = [Region(label, *area) for label, area in zip(region_labels(), ruled, strict=False)]
    puzzle = Pips.on_grid(name, cells, regions, [laid.pips for laid in hidden.dominoes], hidden)
    return Candidate(puzzle, hidden)


def areas_of(puzzle: Pips, single: bool) -> list[Area]:
    """Return as areas the regions, and each connected part, or each ``single`` cell, of the other cells."""
    ruled = [Area(cast("tuple[Place, ...]", r.cells), r.rule, r.target) for r in puzzle.regions]
    inside = {cell for area in ruled for cell in area.cells}
    free = [cell for cell in cast("tuple[Place, ...]", puzzle.cells) if cell not in inside]
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
            changed = self.sharpened(areas[chosen])
            if changed:
                return [*areas[:chosen], *changed, *areas[chosen + 1 :]]
        return None

    def loosen(self, areas: Sequence[Area]) -> list[Area] | None:
        """Return the areas with two neighbours merged under a random rule; None if that is impossible.

        Single cells with a sum, which give their value away, are merged first. Equal cells stay equal: they
        are the rule that other changes lose most often.
        """
        home = {cell: i for i, area in enumerate(areas) for cell in area.cells if area.rule is not None}
        pairs = dict.fromkeys(
            (min(i, home[other]), max(i, home[other]))
            for cell, i in home.items()
            for other in neighbours(cell)
            if home.get(other, i) != i
        )
        order, likeness = self._rng.shuffled(pairs), bool(self._style.table["sums"])
        if likeness and self._rng.bernoulli(RELAX_PROBABILITY):
            return self._relax(areas)
        if likeness:
            given = {i for i, area in enumerate(areas) if RULES[area.rule].is_exact and len(area.cells) == 1}
            order.sort(key=given.isdisjoint)
        for i, j in order:
            cells = areas[i].cells + areas[j].cells
            rare = [area.rule for area in (areas[i], areas[j]) if likeness and RULES[area.rule].is_rare]
            if len(cells) in self._style.sizes and (one := self._ruled(cells, rare or tuple(Rule))):
                return [one, *(area for k, area in enumerate(areas) if k not in (i, j))]
        return None

    def _relax(self, areas: Sequence[Area]) -> list[Area] | None:
        """Return the areas with another rule instead of a sum, or none; None if that is impossible."""
        summed = [i for i, area in enumerate(areas) if RULES[area.rule].is_exact]
        others = (None, *(rule for rule in Rule if rule not in EXACT_RULES))
        for i in self._rng.shuffled(summed):
            cells = areas[i].cells
            one = self._ruled(cells, others if len(cells) == 1 else others[1:])
            if one:
                return [*areas[:i], one, *areas[i + 1 :]]
        return None

    def sharpened(self, area: Area) -> list[Area]:
        """Return the area with a tighter rule, or cut in two; empty if nothing can be done."""
        return self._tighten_rule(area) or self._split(area)

    def _tighten_rule(self, area: Area) -> list[Area]:
        """Return the area with a tighter bound, or with a sum instead of a bound."""
        if not RULES[area.rule].is_bound:
            return []
        tightest = self._style.target(area.rule, [self._values[cell] for cell in area.cells], 1)
        if area.target != tightest and self._rng.bernoulli(0.5):
            return [area._replace(target=tightest)]
        summed = self._ruled(area.cells, EXACT_RULES)
        return [summed] if summed else []

    def _split(self, area: Area) -> list[Area]:
        """Return two areas in place of one; both have rules, or at least one if the area had none."""
        sizes, total = self._style.sizes, len(area.cells)
        if area.rule is None and total in sizes:
            whole = self._sharp(area.cells)
            return [whole] if whole else []
        splits = [size for size in sizes if size < total and (area.rule is None or total - size in sizes)]
        for size in self._rng.shuffled(splits):
            part = connected_part(area.cells, size, self._rng)
            rest = tuple(cell for cell in area.cells if cell not in part)
            if area.rule is None:
                second: Area | None = Area(rest, None, None)
            else:
                second = self._sharp(rest) if len(connected_parts(rest)) == 1 else None
            if second and (first := self._sharp(part)):
                return [first, second]
        return []

    def _sharp(self, cells: Sequence[Place]) -> Area | None:
        """Return the cells under a sharp rule that is obeyed, else under another; None if there is none."""
        return self._ruled(cells, SHARP_RULES) or self._ruled(cells, tuple(Rule))

    def _ruled(self, cells: Sequence[Place], rules: Sequence[Rule | None]) -> Area | None:
        return self._style.area(cells, self._values, self._rng, rules, slack=1)


def connected_part(cells: Sequence[Place], size: int, rng: RandomGenerator) -> list[Place]:
    """Return ``size`` of the connected cells, themselves connected, drawn at random."""
    part = [rng.choice(cells)]
    while len(part) < size:
        rim = [c for c in cells if c not in part and any(other in part for other in neighbours(c))]
        part.append(rng.choice(rim))
    return part
