"""Cut random boards from a rectangle, and lay random dominoes on boards."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations_with_replacement
from math import isqrt
from typing import TypeAlias

from milp_pips.problem.rng import RandomGenerator
from milp_pips.puzzles.pips.puzzle import Rule
from milp_pips.render.vocabulary import Place, connected_parts, neighbours

Partners: TypeAlias = dict[Place, Place]
"""For each cell, the cell that shares its domino."""

SWEEPS = 8
"""The average number of times that each block of 2 × 2 cells is tried for a turn."""

MAX_EXTRA_CELLS = 0.3
"""The board first has up to this share of additional cells, which are then cut off from its rim."""

RIM_SAMPLES = 3
"""The number of dominoes on the rim that are sampled before the most exposed one is cut off."""


def cut_rectangle(count: int, rows: int, columns: int, rng: RandomGenerator) -> Partners | None:
    """Return a connected board without holes, covered by ``count`` dominoes, within rows and columns.

    A number of rows or columns that is 0 is chosen at random. None if no board was found.
    """
    height, width = _sides(count, rows, columns, rng)
    cells = [(row, column) for row in range(height) for column in range(width)]
    if len(cells) % 2:
        cells.remove(rng.choice([(0, 0), (0, width - 1), (height - 1, 0), (height - 1, width - 1)]))
    partners = random_tiling(cells, rng)
    if partners is None or not _cut_off(partners, len(cells) // 2 - count, rng):
        return None
    top, left = min(row for row, _ in partners), min(column for _, column in partners)
    return {(r - top, c - left): (s - top, d - left) for (r, c), (s, d) in partners.items()}


def _sides(count: int, rows: int, columns: int, rng: RandomGenerator) -> tuple[int, int]:
    if rows and columns:
        return rows, columns
    area = 2 * count + rng.integer_between(0, int(MAX_EXTRA_CELLS * 2 * count))
    if rows or columns:
        other = -(-area // (rows or columns))
        return (rows, other) if rows else (other, columns)
    side = isqrt(area)
    short = rng.integer_between(-(-3 * side // 4), side)
    long = -(-area // short)
    return (short, long) if rng.bernoulli(0.6) else (long, short)


def _cut_off(partners: Partners, count: int, rng: RandomGenerator) -> bool:
    """Remove dominoes from the rim one by one until ``count`` are left; False if none can be removed."""
    # ``rim`` holds every domino with an open side, and perhaps some that are already gone.
    rim = [pair for pair in dominoes_on(partners) if _neighbours(partners, pair) < 6]
    while count:
        if not rim:
            return False
        drawn = [rng.integer(len(rim)) for _ in range(RIM_SAMPLES)]
        chosen = min(drawn, key=lambda i: _neighbours(partners, rim[i]))
        rim[chosen], rim[-1] = rim[-1], rim[chosen]
        pair = rim.pop()
        if pair[0] in partners and _is_removable(partners, pair):
            for cell in pair:
                del partners[cell]
            touching = [other for cell in pair for other in neighbours(cell) if other in partners]
            rim += [(min(cell, partners[cell]), max(cell, partners[cell])) for cell in touching]
            count -= 1
    return True


def _neighbours(partners: Partners, pair: tuple[Place, Place]) -> int:
    return sum(other in partners and other not in pair for cell in pair for other in neighbours(cell))


def _is_removable(partners: Partners, pair: tuple[Place, Place]) -> bool:
    """Whether the board stays connected without holes: the cells around the domino form one run."""
    around = [
        (row + i, column + j)
        for row, column in pair
        for i in (-1, 0, 1)
        for j in (-1, 0, 1)
        if (row + i, column + j) not in pair
    ]
    present = {cell for cell in around if cell in partners}
    touching = [other for cell in pair for other in neighbours(cell) if other in present]
    if not touching or all(
        other in present for cell in pair for other in neighbours(cell) if other not in pair
    ):
        return False
    run = next(part for part in connected_parts(present) if touching[0] in part)
    return all(cell in run for cell in touching)


def random_tiling(cells: Sequence[Place], rng: RandomGenerator) -> Partners | None:
    """Return a random tiling of the cells with dominoes, None if there is none.

    The tiling begins as a perfect matching, greedy in the order of the cells and completed by augmenting
    paths (Berge 1957). Then pairs of dominoes side by side are turned at random, which connects all tilings
    of a board without holes (Thurston 1990).
    """
    partners: Partners = {cell: cell for cell in cells}
    for cell in cells:
        if partners[cell] == cell:
            free = next((other for other in neighbours(cell) if partners.get(other) == other), None)
            if free is not None:
                partners[cell], partners[free] = free, cell
    for cell in cells:
        if partners[cell] == cell and not _augment(partners, cell):
            return None
    turn_randomly(partners, cells, rng)
    return partners


def _augment(partners: Partners, start: Place) -> bool:
    """Whether an augmenting path starts at this uncovered cell; if so, it is applied.

    The search is breadth first over alternating paths. For each cell that it has reached, ``previous`` holds
    the cell that could become its partner.
    """
    previous: Partners = {}
    waiting = deque([start])
    while waiting:
        cell = waiting.popleft()
        for other in neighbours(cell):
            if other not in partners or other in previous:
                continue
            previous[other] = cell
            if partners[other] != other:
                waiting.append(partners[other])
                continue
            # ``other`` is uncovered, so the path ends: re-pair the cells along it, back to the start.
            while True:
                back = previous[other]
                following = partners[back]
                partners[back], partners[other] = other, back
                if back == start:
                    return True
                other = following
    return False


def turn_randomly(partners: Partners, cells: Sequence[Place], rng: RandomGenerator) -> None:
    """Turn pairs of dominoes that lie side by side at random; the set of cells stays the same."""
    for _ in range(SWEEPS * len(cells)):
        # a block of 2 × 2 cells, by its upper left one, that two parallel dominoes cover
        row, column = cell = rng.choice(cells)
        right, below, across = (row, column + 1), (row + 1, column), (row + 1, column + 1)
        if partners[cell] == right and partners.get(below) == across:
            pairs = (cell, below), (right, across)
        elif partners[cell] == below and partners.get(right) == across:
            pairs = (cell, right), (below, across)
        else:
            continue
        if rng.bernoulli(0.5):
            for a, b in pairs:
                partners[a], partners[b] = b, a


def dominoes_on(partners: Mapping[Place, Place]) -> list[tuple[Place, Place]]:
    """Return the pairs of cells under each domino, in the order of the cells."""
    return [(cell, other) for cell, other in partners.items() if cell < other]


# The hidden solution: dominoes on a tiling, such that regions to be equal or different are so.

Domino: TypeAlias = tuple[int, int]
Fits: TypeAlias = Callable[[int, int], bool]


class AnyDomino:
    """A source of any domino, any number of times."""

    def __init__(self, rng: RandomGenerator):
        self._rng = rng

    def take(self, first: Sequence[int], second: Sequence[int], fits: Fits) -> Domino | None:
        """Take a fitting domino with one of the ``first`` values and one of the ``second``; None if none."""
        for a in self._rng.shuffled(first):
            others = [b for b in second if fits(a, b)]
            if others:
                return a, self._rng.choice(others)
        return None


class DominoSet:
    """The dominoes of a set with these pips, in increasing order, each once."""

    def __init__(self, pips: Sequence[int], rng: RandomGenerator):
        self._remaining, self._rng = list(combinations_with_replacement(pips, 2)), rng

    def take(self, first: Sequence[int], second: Sequence[int], fits: Fits) -> Domino | None:
        """Remove and return a fitting domino of the set; see ``AnyDomino``."""
        remaining = self._remaining
        for last in range(len(remaining) - 1, -1, -1):  # a random order, generated lazily (Fisher-Yates)
            chosen = self._rng.integer(last + 1)
            remaining[chosen], remaining[last] = remaining[last], remaining[chosen]
            a, b = remaining[last]
            orientations = [(x, y) for x, y in ((a, b), (b, a)) if x in first and y in second and fits(x, y)]
            if orientations:
                remaining[last] = remaining[-1]
                remaining.pop()
                return self._rng.choice(orientations)
        return None


def hidden_values(
    partners: Partners,
    regions: Sequence[Sequence[Place]],
    wanted: Sequence[Rule | None],
    pips: Sequence[int],
    source: AnyDomino | DominoSet,
) -> dict[Place, int]:
    """Return a value for every cell, the two of each domino taken from the source.

    If ``wanted`` is ``EQ`` or ``NEQ`` for a region, its values are equal or different as long as the source
    has a domino for that; regions to be equal are served first. Two dominoes side by side that could also be
    turned and show the same values are avoided as long as the source has others.
    """
    region_of = {cell: number for number, cells in enumerate(regions) for cell in cells}
    values: dict[Place, int] = {}

    def allowed(cell: Place) -> Sequence[int]:
        rule = wanted[region_of[cell]]
        if rule not in (Rule.EQ, Rule.NEQ):
            return pips
        seen = [values[other] for other in regions[region_of[cell]] if other in values]
        if rule is Rule.EQ:
            return seen[:1] or pips
        return [pip for pip in pips if pip not in seen]

    def urgency(pair: tuple[Place, Place]) -> int:
        return -sum(wanted[region_of[cell]] is Rule.EQ for cell in pair)

    # Lay one domino after another. Each time try, in this order: a domino that obeys its rule and cannot be
    # turned together with one beside it, a domino that obeys its rule, any domino.
    for a, b in sorted(dominoes_on(partners), key=urgency):
        rule = wanted[region_of[a]] if region_of[a] == region_of[b] else None
        beside = _values_beside(a, b, partners, values)

        def obeys(x: int, y: int, rule: Rule | None = rule) -> bool:
            return rule not in (Rule.EQ, Rule.NEQ) or (x == y) is (rule is Rule.EQ)

        def stays(x: int, y: int, beside: list[Domino] = beside, obeys: Fits = obeys) -> bool:
            return obeys(x, y) and all(x != other and y != one for one, other in beside)

        first, second = allowed(a), allowed(b)
        found = source.take(first, second, stays) or source.take(first, second, obeys)
        found = found or source.take(pips, pips, lambda _x, _y: True)
        assert found is not None, "there are as many dominoes as places"
        values[a], values[b] = found
    return values


def _values_beside(a: Place, b: Place, partners: Partners, values: Mapping[Place, int]) -> list[Domino]:
    """Return the values of the dominoes that lie along this one, the value next to ``a`` first."""
    down, right = b[1] - a[1], b[0] - a[0]
    found = []
    for side in (1, -1):
        one, other = (a[0] + side * down, a[1] + side * right), (b[0] + side * down, b[1] + side * right)
        if partners.get(one) == other and one in values:
            found.append((values[one], values[other]))
    return found
