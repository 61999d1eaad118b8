"""Improve a hidden solution by local search: move dominoes until regions have the wanted sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement
from typing import NamedTuple

from milp_pips.extras.generate.pips.boards import Partners, dominoes_on
from milp_pips.problem.rng import RandomGenerator
from milp_pips.puzzles.pips.puzzle import Rule
from milp_pips.render.vocabulary import Place

CHANGES_PER_DOMINO = 30
"""The number of changes tried per domino."""

TURNING_PENALTY, HIGH_TURNING_PENALTY = 1, 6
"""The penalty of a domino that could also be turned round. Without regions of one cell, a domino may have to
stay inside its region, and then only this penalty can lead to a unique puzzle."""

MAX_DISTANCE = 4
"""The greatest distance of a sum from the wanted range that counts; a larger distance counts as this one."""


class RegionTarget(NamedTuple):
    """Cells, the rule that their values are to obey, and the least and the greatest wanted sum."""

    cells: tuple[Place, ...]
    rule: Rule | None
    least: int
    most: int

    def penalty(self, seen: Sequence[int]) -> int:
        """Return how far these values are from the target, 0 if they meet it."""
        if self.rule is None:
            return 0
        if self.rule is Rule.EQ:
            return 3 * (len(seen) - max(map(seen.count, seen)))
        if self.rule is Rule.NEQ:
            return 3 * (len(seen) - len(set(seen)))
        total = sum(seen)
        return min(MAX_DISTANCE, max(self.least - total, total - self.most, 0))


def local_search(
    values: dict[Place, int],
    partners: Partners,
    targets: Sequence[RegionTarget],
    pips: Sequence[int],
    rng: RandomGenerator,
    steps: int = CHANGES_PER_DOMINO,
) -> int:
    """Change the values in place until they meet all targets or the steps run out; return the penalty.

    A change exchanges two dominoes, turns one round, or brings in a kind that lies nowhere. Two dominoes side
    by side that could also be turned add to the penalty, and so does one that could also be turned round.
    """
    return _LocalSearch(values, partners, targets, pips, rng).run(steps)


class _LocalSearch:
    def __init__(
        self,
        values: dict[Place, int],
        partners: Partners,
        targets: Sequence[RegionTarget],
        pips: Sequence[int],
        rng: RandomGenerator,
    ):
        self._values, self._rng = values, rng
        self._partners = partners
        self._places = dominoes_on(partners)
        used = {_kind(values[a], values[b]) for a, b in self._places}
        self._unused = [kind for kind in combinations_with_replacement(pips, 2) if kind not in used]
        self._targets = list(targets)
        self._target_of = {cell: i for i, target in enumerate(targets) for cell in target.cells}
        smallest = min((len(target.cells) for target in targets), default=1)
        self._turning = TURNING_PENALTY if smallest == 1 else HIGH_TURNING_PENALTY
        # first cells of dominoes that no rule keeps from being turned round
        self._turnable = {
            cell
            for target in targets
            if target.rule not in (Rule.EQ, Rule.NEQ)
            for cell in target.cells
            if cell < partners[cell] and partners[cell] in target.cells
        }
        self._blocks = _blocks(partners)
        self._blocks_of: dict[Place, list[int]] = {}
        for i, block in enumerate(self._blocks):
            for cell in block:
                self._blocks_of.setdefault(cell, []).append(i)

    def run(self, steps: int) -> int:
        # Invariant: ``penalty`` is that of the current values. A change that does not increase it is kept, so
        # the search also moves sideways.
        values, rng = self._values, self._rng
        cells = list(values)
        penalty = self._penalty_at(cells)
        for _ in range(steps * len(self._places)):
            if not penalty:
                break
            a, b = rng.choice(self._places)
            move = rng.integer(4)
            if move == 0 and self._unused:
                penalty += self._try_unused(a, b)
            elif move == 1:
                penalty += self._try({a: values[b], b: values[a]})
            else:
                c, d = rng.choice(self._places)
                c, d = (c, d) if move == 2 else (d, c)
                penalty += self._try({a: values[c], b: values[d], c: values[a], d: values[b]})
        return penalty

    def _try_unused(self, a: Place, b: Place) -> int:
        """Try a kind of domino that lies nowhere; return the increase of the penalty."""
        chosen = self._rng.integer(len(self._unused))
        one, other = self._unused[chosen]
        if self._rng.bernoulli(0.5):
            one, other = other, one
        before = _kind(self._values[a], self._values[b])
        change = self._try({a: one, b: other})
        if (self._values[a], self._values[b]) == (one, other):
            self._unused[chosen] = before
        return change

    def _try(self, changed: Mapping[Place, int]) -> int:
        """Accept the changed values unless they are worse; return the increase of the penalty."""
        values = self._values
        before = self._penalty_at(changed)
        old = {cell: values[cell] for cell in changed}
        values.update(changed)
        change = self._penalty_at(changed) - before
        if change > 0:
            values.update(old)
            return 0
        return change

    def _is_turnable(self, cell: Place) -> bool:
        """Whether the domino of this cell could also be turned round without breaking a rule."""
        other = self._partners[cell]
        return cell in self._turnable and self._values[cell] != self._values[other]

    def _penalty_at(self, cells: Mapping[Place, int] | Sequence[Place]) -> int:
        """Return the penalty of the regions, the dominoes and the pairs of dominoes at these cells."""
        values = self._values
        targets = {self._target_of[cell] for cell in cells if cell in self._target_of}
        blocks = {i for cell in cells for i in self._blocks_of.get(cell, ())}
        penalty = 0
        for i in targets:
            target = self._targets[i]
            penalty += 2 * target.penalty([values[cell] for cell in target.cells])
        penalty += self._turning * sum(self._is_turnable(cell) for cell in cells)
        for i in blocks:
            a, b, c, d = self._blocks[i]
            penalty += 6 * (values[a] == values[d] or values[b] == values[c])
        return penalty


def _kind(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a <= b else (b, a)


def _blocks(partners: Partners) -> list[tuple[Place, Place, Place, Place]]:
    """Return each pair of dominoes side by side: two cells of one, then the cells beside them."""
    found = []
    for a, b in dominoes_on(partners):
        down, right = b[1] - a[1], b[0] - a[0]
        c, d = (a[0] + down, a[1] + right), (b[0] + down, b[1] + right)
        if partners.get(c) == d:
            found.append((a, b, c, d))
    return found
