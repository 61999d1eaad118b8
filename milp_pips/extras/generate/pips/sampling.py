"""Sample drafts in the setter style, with regions and rules as in published puzzles; read the options."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from milp_pips.extras.generate.partition import partition
from milp_pips.extras.generate.pips.boards import random_tiling
from milp_pips.extras.generate.pips.local_search import RegionTarget
from milp_pips.extras.generate.pips.regions import Area, Style, Weights
from milp_pips.extras.generate.pips.statistics import FREE_REGION, SUM_CLASSES, Figures
from milp_pips.problem.errors import InputError, UsageError
from milp_pips.problem.rng import RandomGenerator
from milp_pips.puzzles.located import Lines, whole_number
from milp_pips.puzzles.pips.puzzle import LAST_INDEX, MOST_CELLS, MOST_PIPS, Rule
from milp_pips.puzzles.pips.text import NO_REGION, read_outline
from milp_pips.render.vocabulary import Place, connected_parts, neighbours

MAX_REGION_CELLS = 7
"""The default for the most cells of a region: larger regions are rare."""

REGION_STARTS = 10
"""The number of other places tried if a region does not fit."""


def rules_by_size(figures: Figures) -> dict[int, dict[Rule | None, int]]:
    """Return the number of occurrences of each rule on regions of each size; None for cells without one."""
    found: dict[int, dict[Rule | None, int]] = {}
    for area, count in figures["areas"].items():
        size, name = area.split()
        if int(size) <= MAX_REGION_CELLS:
            found.setdefault(int(size), {})[None if name == FREE_REGION else Rule(name)] = count
    return dict(sorted(found.items()))


def setter_style(
    figures: Figures, sizes: tuple[int, ...] | None, rules: Weights | None, pips: tuple[int, ...]
) -> Style:
    """Return the style of published puzzles, with other sizes or rules if these are named.

    A size that no published region has counts as one occurrence, and has the rules of the next smaller size.
    """
    known = rules_by_size(figures)
    size_weights = {size: max(1, sum(known.get(size, {}).values())) for size in sizes or known}
    if rules is not None:
        return Style(tuple(size_weights), rules, pips, size_weights)
    by_size = {size: known[max(k for k in known if k <= size)] for size in size_weights}
    weights: dict[Rule | None, int] = {}
    for counted in known.values():
        for rule, count in counted.items():
            weights[rule] = weights.get(rule, 0) + count
    return Style(tuple(size_weights), weights, pips, size_weights, by_size)


def draw_regions(cells: Sequence[Place], style: Style, rng: RandomGenerator) -> list[list[Place]] | None:
    """Return connected regions that cover the cells, with sizes drawn by the style; None if that failed.

    The large ones are placed first. If they cannot fill the board, the sizes are left to chance.
    """
    sizes = _drawn_sizes(len(cells), style, rng) if style.size_weights else None
    if sizes is None:
        return partition(cells, style.sizes, rng)
    free, waiting = dict.fromkeys(cells, True), rng.shuffled(cells)
    regions = []
    for size in sorted(sizes, reverse=True):
        region = _try_region(size, free, waiting, rng)
        if region is not None:
            for cell in region:
                free[cell] = False
            regions.append(region)
    leftover = [cell for cell in waiting if free[cell]]
    if leftover and not _assign_leftover(leftover, regions, style, rng):
        return partition(cells, style.sizes, rng)
    return regions


def _assign_leftover(
    leftover: Sequence[Place], regions: list[list[Place]], style: Style, rng: RandomGenerator
) -> bool:
    """Add each remaining cell to a neighbouring region, or make it one; False if neither works."""
    home = {cell: region for region in regions for cell in region}
    for cell in leftover:
        beside = [home[other] for other in neighbours(cell) if other in home]
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
        fitting = {size: weight for size, weight in style.size_weights.items() if size <= total}
        if not any(fitting.values()):
            return None
        sizes.append(rng.weighted_choice(fitting))
        total -= sizes[-1]
    return sizes


def _try_region(
    size: int, free: Mapping[Place, bool], waiting: list[Place], rng: RandomGenerator
) -> list[Place] | None:
    """Return connected free cells, grown at random from a random cell; None if no trial has room for so many.

    ``waiting`` holds every free cell, and perhaps others, which are dropped when they are drawn.
    """
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
                other
                for cell in region
                for other in neighbours(cell)
                if free.get(other) and other not in region
            ]
            if rim:
                region.append(rng.choice(rim))
        if len(region) == size:
            return region
    return None


def target_for(
    cells: Sequence[Place],
    rule: Rule | None,
    pips: Sequence[int],
    sums: Mapping[str, int],
    rng: RandomGenerator,
) -> RegionTarget:
    """Return the target for the values of a region; sums are distributed as in published puzzles.

    ``sums`` holds the statistics of that name.
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


# Read the options of new Pips puzzles: sizes, sets, rules, shares.

UNLIMITED_DOMINOES = -1
"""Stands for the highest pip of a set: any domino, any number of times."""

SETS = {"six": 6, "nine": 9, "twelve": 12, "fifteen": 15, "eighteen": 18}
"""Standard domino sets by name."""


def read_sizes(text: str) -> tuple[int, ...]:
    """Return the sizes in text such as ``2..5`` or ``1,2,4``, in increasing order. Raises UsageError."""
    low, dots, high = text.partition("..")
    numbers = [whole_number(part.strip()) for part in ((low, high) if dots else text.split(","))]
    sizes = [size for size in numbers if size is not None and 1 <= size <= MOST_CELLS]
    if len(sizes) < len(numbers) or (dots and sizes[0] > sizes[1]):
        raise UsageError(f"--region-sizes: {text!r} is neither a range such as 2..5 nor sizes such as 1,2,4")
    return tuple(range(sizes[0], sizes[1] + 1)) if dots else tuple(sorted(set(sizes)))


def read_set(text: str) -> int:
    """Return the highest pip of a set such as ``double-six`` or ``double-7``. Raises UsageError."""
    if text == "free":
        return UNLIMITED_DOMINOES
    word = text.removeprefix("double-")
    highest = SETS.get(word, whole_number(word))
    if word == text or highest is None or not 0 <= highest <= MOST_PIPS:
        raise UsageError(
            f"--set: {text!r} is no set of dominoes; known: free, double-six, double-nine, double-N"
        )
    return highest


def read_rules(text: str) -> Weights:
    """Return the weights in text such as ``SUM=3,EQ,none=2``; a rule without a number has the weight 1.

    Raises UsageError.
    """
    weights: dict[Rule | None, int] = {}
    for part in text.split(","):
        name, equals, number = (piece.strip() for piece in part.partition("="))
        known = {rule.value: rule for rule in Rule}
        if name.upper() not in known and name.lower() != "none":
            raise UsageError(f"--rules: {name!r} is no rule; known: {', '.join(known)}, none")
        if equals and not (number.isascii() and number.isdigit() and len(number) < 7):
            raise UsageError(f"--rules: the weight of {name} is {number!r}, not a whole number from 0 on")
        rule = known.get(name.upper())
        if rule in weights:
            raise UsageError(f"--rules: {name} is named twice")
        weights[rule] = int(number) if equals else 1
    return weights


def read_share(text: str) -> int:
    """Return the share of the cells, in percent, in text such as ``all`` or ``60%``. Raises UsageError."""
    share = 100 if text == "all" else whole_number(text.removesuffix("%")) if text.endswith("%") else None
    if share is None or not 0 <= share <= 100:
        raise UsageError(f"--given: {text!r} is neither all nor a share of the cells such as 60%")
    return share


# A board drawn in a file, with those regions and rules that new puzzles are to keep.


class Outline(NamedTuple):
    """Cells, the regions drawn among them, and the rules stated for some of these; all else is open."""

    cells: tuple[Place, ...] = ()
    regions: tuple[tuple[Place, ...], ...] = ()
    ruled: tuple[Area, ...] = ()

    @property
    def open_cells(self) -> list[Place]:
        """The cells in no region."""
        inside = {cell for region in self.regions for cell in region}
        return [cell for cell in self.cells if cell not in inside]

    def rule_of(self, region: Collection[Place]) -> Area | None:
        """Return the region with the rule that is stated for it, None if there is none."""
        return next((area for area in self.ruled if set(area.cells) == set(region)), None)


EMPTY_OUTLINE = Outline()


def read_board(text: str, file: str) -> Outline:
    """Return the board that a file draws: ``.`` is no cell, ``#`` an open cell, equal labels are a region.

    Rules may follow as in a puzzle. Raises InputError, also if dominoes cannot cover the board.
    """
    board, rules = read_outline(text, file)
    cells = tuple(sorted(board))
    if max(max(cell) for cell in cells) > LAST_INDEX:
        raise InputError(
            "the board is too large", file, expected=f"at most {LAST_INDEX + 1} rows and columns"
        )
    if len(cells) % 2:
        expected = "an even number, two for each domino"
        raise Lines(text, file).fault(f"the board has {len(cells)} cells", expected)
    if random_tiling(cells, RandomGenerator("")) is None:
        raise InputError("dominoes cannot cover this board", file)
    by_label: dict[str, list[Place]] = {}
    for cell in cells:
        if board[cell] != NO_REGION:
            by_label.setdefault(board[cell], []).append(cell)
    for label, region in by_label.items():
        if len(connected_parts(region)) > 1:
            raise InputError(f"region {label} is not connected", file, expected="cells that share sides")
    ruled = tuple(Area(tuple(by_label[label]), *rule) for label, rule in rules.items())
    return Outline(cells, tuple(map(tuple, by_label.values())), ruled)


def stated_target(area: Area, highest: int) -> RegionTarget:
    """Return the target for the values of a region with a stated rule; ``highest`` is the most pips."""
    target, most = area.target or 0, highest * len(area.cells)
    match area.rule:
        case Rule.SUM:
            return RegionTarget(area.cells, area.rule, target, target)
        case Rule.LT | Rule.LE:
            return RegionTarget(area.cells, area.rule, 0, target - (area.rule is Rule.LT))
        case Rule.GT | Rule.GE:
            return RegionTarget(area.cells, area.rule, target + (area.rule is Rule.GT), most)
        case _:
            return RegionTarget(area.cells, area.rule, 0, most)
