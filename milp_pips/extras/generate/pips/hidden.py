"""The hidden solution: dominoes on a tiling, so that regions which are to be equal or different are so."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations_with_replacement
from typing import TypeAlias

from milp_pips.extras.generate.pips.boards import Partners, dominoes_on
from milp_pips.problem.rng import RandomGenerator
from milp_pips.puzzles.pips.puzzle import Rule
from milp_pips.puzzles.region_partition import Place

Domino: TypeAlias = tuple[int, int]
Fits: TypeAlias = Callable[[int, int], bool]


class AnyDomino:
    """Any domino, any number of times."""

    def __init__(self, rng: RandomGenerator):
        self._rng = rng

    def take(self, first: Sequence[int], second: Sequence[int], fits: Fits) -> Domino | None:
        """Take a fitting domino, one of the ``first`` values and one of the ``second``; None without one."""
        for a in self._rng.shuffled(first):
            others = [b for b in second if fits(a, b)]
            if others:
                return a, self._rng.choice(others)
        return None


class DominoSet:
    """The dominoes of a set with these pips, in increasing order, each once."""

    def __init__(self, pips: Sequence[int], rng: RandomGenerator):
        self._left, self._rng = list(combinations_with_replacement(pips, 2)), rng

    def take(self, first: Sequence[int], second: Sequence[int], fits: Fits) -> Domino | None:
        """Take a fitting domino out of the set; see ``AnyDomino``."""
        left = self._left
        for last in range(len(left) - 1, -1, -1):  # in a random order that is made on the way
            chosen = self._rng.integer(last + 1)
            left[chosen], left[last] = left[last], left[chosen]
            a, b = left[last]
            ways = [(x, y) for x, y in ((a, b), (b, a)) if x in first and y in second and fits(x, y)]
            if ways:
                left[last] = left[-1]
                left.pop()
                return self._rng.choice(ways)
        return None


def hidden_values(
    partners: Partners,
    regions: Sequence[Sequence[Place]],
    wanted: Sequence[Rule | None],
    pips: Sequence[int],
    source: AnyDomino | DominoSet,
) -> dict[Place, int]:
    """Return a value for every cell, the two of each domino from the source.

    Where ``wanted`` says ``EQ`` or ``NEQ`` for a region, its values are the same or different as long as the
    source has a domino for that; regions to be equal are served first. Two dominoes side by side that could
    as well lie the other way, and show the same values, are avoided as long as the source has others.
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

    for a, b in sorted(dominoes_on(partners), key=urgency):
        rule = wanted[region_of[a]] if region_of[a] == region_of[b] else None
        beside = _beside(a, b, partners, values)

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


def _beside(a: Place, b: Place, partners: Partners, values: Mapping[Place, int]) -> list[Domino]:
    """Return the values of the dominoes that lie along this one, the value next to ``a`` first."""
    down, right = b[1] - a[1], b[0] - a[0]
    found = []
    for way in (1, -1):
        one, other = (a[0] + way * down, a[1] + way * right), (b[0] + way * down, b[1] + way * right)
        if partners.get(one) == other and one in values:
            found.append((values[one], values[other]))
    return found
