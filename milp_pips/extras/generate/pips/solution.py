"""Make a hidden solution: dominoes on a board, moved by local search until regions are as wanted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations_with_replacement, product
from typing import NamedTuple, TypeAlias

from milp_pips.extras.generate.pips.boards import Partners, dominoes_on, ordered
from milp_pips.extras.generate.pips.regions import Area
from milp_pips.problem.rng import RandomGenerator
from milp_pips.puzzles.pips.rules import RULES, Kind, Rule
from milp_pips.render.vocabulary import Place, neighbours

CHANGES_PER_DOMINO = 30
"""The number of changes tried per domino; ten times as many if rules are stated."""

TURNING_PENALTY, HIGH_TURNING_PENALTY = 1, 6
"""The penalty of a domino that could also be turned round. Without regions of one cell, a domino may have to
stay inside its region, and then only this penalty can lead to a unique puzzle."""

BROKEN_PENALTY = 12
"""The penalty of a value that keeps a region from being equal or different, as no other penalty is to be
reduced by it."""

MAX_DISTANCE = 4
"""The greatest distance of a sum from the wanted range that counts; a larger distance counts as this one."""


class RegionTarget(NamedTuple):
    """Cells, the rule and the number that their values are to obey, the least and the greatest wanted sum."""

    cells: tuple[Place, ...]
    rule: Rule | None
    number: int | None
    least: int
    most: int
    kind: Kind

    def penalty(self, seen: Sequence[int]) -> int:
        """Return how far these values are from the target, 0 if they meet it."""
        if self.kind.relation is None:
            return BROKEN_PENALTY * self.kind.misfits(seen, self.number)
        total = sum(seen)
        return min(MAX_DISTANCE, max(self.least - total, total - self.most, 0))


MAX_LAYINGS_EXCLUDED, CHANGES_OF_A_LAYING = 60, 5
"""The other layings of the dominoes that are excluded before a draft fails, and the changes tried for one."""

MAX_LAYING_STEPS = 3_000
"""The steps after which a search for another laying ends as if it had found none."""

SUM_CLASSES = {0.0: "least", 1 / 3: "low", 2 / 3: "middle", 0.99: "high", 1.0: "most"}
"""The position of a target between the least and the greatest sum of its cells."""


def drawn_target(
    cells: Sequence[Place],
    rule: Rule | None,
    pips: Sequence[int],
    sums: Mapping[str, int],
    rng: RandomGenerator,
) -> RegionTarget:
    """Return the target for the values of a region; ``sums`` weighs their classes; empty for any."""
    low, high, kind = len(cells) * pips[0], len(cells) * pips[-1], RULES[rule]
    if not kind.is_exact or len(cells) == 1 or not sums:
        return RegionTarget(tuple(cells), rule, None, low, high, kind)
    at = list(SUM_CLASSES.values()).index(rng.weighted_choice(sums))
    shares, room = list(SUM_CLASSES), high - low
    first = int(shares[at - 1] * room) + 1 if at else 0
    last = max(first, int(shares[at] * room))
    target = min(high, low + rng.integer_between(first, last))
    return RegionTarget(tuple(cells), rule, target, target, target, kind)


def stated_target(area: Area, highest: int) -> RegionTarget:
    """Return the target for the values of a region with a stated rule; ``highest`` is the most pips."""
    kind = RULES[area.rule]
    sums = kind.sums(area.target, 0, highest * len(area.cells))
    return RegionTarget(*area, sums.start, sums.stop - 1, kind)


Domino: TypeAlias = tuple[int, int]


def hidden_values(
    partners: Partners,
    targets: Sequence[RegionTarget],
    pips: Sequence[int],
    repeats: bool,
    rng: RandomGenerator,
    steps: int = CHANGES_PER_DOMINO,
    sole: bool = False,
) -> dict[Place, int] | None:
    """Return a value for every cell; no domino is repeated unless ``repeats``.

    Dominoes are laid at random. Values to be equal or different are so as long as there are dominoes for it;
    rules that few values obey are served first. Then local search improves the values. With ``sole``, the
    dominoes fit these values in one way only; None if no such values were found.
    """
    region_of = {cell: target for target in targets for cell in target.cells}
    pool = _Pool(pips, repeats, rng)
    values: dict[Place, int] = {}

    def allowed(cell: Place) -> Sequence[int]:
        region = region_of[cell]
        return region.kind.allowed([values[other] for other in region.cells if other in values], pips)

    def urgency(pair: tuple[Place, Place]) -> int:
        return -sum(region_of[cell].kind.is_rare for cell in pair)

    for a, b in sorted(dominoes_on(partners), key=urgency):
        kind = region_of[a].kind if region_of[a] is region_of[b] else RULES[None]

        def fits(x: int, y: int, kind: Kind = kind) -> bool:
            return y in kind.allowed([x], pips)

        found = pool.take(allowed(a), allowed(b), fits) or pool.take(pips, pips, lambda _x, _y: True)
        assert found is not None, "there are as many dominoes as places"
        values[a], values[b] = found
    search = _LocalSearch(values, partners, targets, pips, rng)
    search.run(steps)
    return values if not sole or search.exclude_other_layings() else None


class _Pool:
    """The dominoes with these pips: each once or, if ``repeats``, both values independent."""

    def __init__(self, pips: Sequence[int], repeats: bool, rng: RandomGenerator):
        self._remaining = list(product(pips, repeat=2) if repeats else combinations_with_replacement(pips, 2))
        self._repeats, self._rng = repeats, rng

    def take(
        self, first: Sequence[int], second: Sequence[int], fits: Callable[[int, int], bool]
    ) -> Domino | None:
        """Take a fitting domino with one of the ``first`` values and one of the ``second``; None if none."""
        remaining = self._remaining
        for last in range(len(remaining) - 1, -1, -1):  # a random order, generated lazily (Fisher-Yates)
            chosen = self._rng.integer(last + 1)
            remaining[chosen], remaining[last] = remaining[last], remaining[chosen]
            a, b = remaining[last]
            orientations = [(x, y) for x, y in ((a, b), (b, a)) if x in first and y in second and fits(x, y)]
            if orientations:
                if not self._repeats:
                    remaining[last] = remaining[-1]
                    remaining.pop()
                return self._rng.choice(orientations)
        return None


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
        self._allowed = 0
        """The greatest increase of the penalty that a change may bring."""
        self._places = dominoes_on(partners)
        used = {ordered(values[a], values[b]) for a, b in self._places}
        self._unused = [kind for kind in combinations_with_replacement(pips, 2) if kind not in used]
        self._targets = list(targets)
        self._target_of = {cell: i for i, target in enumerate(targets) for cell in target.cells}
        smallest = min((len(target.cells) for target in targets), default=1)
        self._turning = TURNING_PENALTY if smallest == 1 else HIGH_TURNING_PENALTY
        # first cells of dominoes that no rule keeps from being turned round
        self._turnable = {
            cell
            for target in targets
            if not target.kind.compares
            for cell in target.cells
            if cell < partners[cell] and partners[cell] in target.cells
        }
        self._blocks = _blocks(partners)
        self._blocks_of: dict[Place, list[int]] = {}
        for i, block in enumerate(self._blocks):
            for cell in block:
                self._blocks_of.setdefault(cell, []).append(i)
        self._at_region = [self._region_penalty(target) for target in targets]
        self._at_block = [self._block_penalty(block) for block in self._blocks]

    def run(self, steps: int) -> None:
        # Invariant: ``penalty`` is that of the current values. A change that does not increase it is kept, so
        # the search also moves sideways.
        rng = self._rng
        penalty = sum(self._at_region) + sum(self._at_block) + self._turning_penalty(self._values)
        for _ in range(steps * len(self._places)):
            if not penalty:
                break
            penalty += self._change(*rng.choice(self._places))

    def exclude_other_layings(self) -> bool:
        """Change values until the dominoes fit them in one way only; return whether that succeeded."""
        for self._allowed in range(MAX_LAYINGS_EXCLUDED):
            other = other_laying(self._values, self._partners)
            if other is None:
                return True
            before = dict(self._values)
            moved = [pair for pair in self._places if other[pair[0]] != pair[1]]
            for _ in range(CHANGES_OF_A_LAYING):
                self._change(*self._rng.choice(moved))
                if self._values != before:
                    break
        return False

    def _change(self, a: Place, b: Place) -> int:
        """Try a change of the domino on these cells; return the increase of the penalty."""
        values, rng = self._values, self._rng
        move = rng.integer(4)
        if move == 0 and self._unused:
            return self._try_unused(a, b)
        if move == 1:
            return self._try({a: values[b], b: values[a]})
        c, d = rng.choice(self._places)
        c, d = (c, d) if move == 2 else (d, c)
        return self._try({a: values[c], b: values[d], c: values[a], d: values[b]})

    def _try_unused(self, a: Place, b: Place) -> int:
        """Try a kind of domino that lies nowhere; return the increase of the penalty."""
        chosen = self._rng.integer(len(self._unused))
        one, other = self._unused[chosen]
        if self._rng.bernoulli(0.5):
            one, other = other, one
        before = ordered(self._values[a], self._values[b])
        change = self._try({a: one, b: other})
        if (self._values[a], self._values[b]) == (one, other):
            self._unused[chosen] = before
        return change

    def _try(self, changed: Mapping[Place, int]) -> int:
        """Accept the changed values unless they are worse; return the increase of the penalty."""
        values = self._values
        old = {cell: values[cell] for cell in changed}
        if old == changed:
            return 0
        before = self._turning_penalty(changed)
        values.update(changed)
        change = self._turning_penalty(changed) - before
        regions, blocks = dict[int, int](), dict[int, int]()  # their penalties after the change
        for cell in changed:
            i = self._target_of.get(cell)
            if i is not None and i not in regions:
                regions[i] = self._region_penalty(self._targets[i])
                change += regions[i] - self._at_region[i]
            for i in self._blocks_of.get(cell, ()):
                if i not in blocks:
                    blocks[i] = self._block_penalty(self._blocks[i])
                    change += blocks[i] - self._at_block[i]
        if change > self._allowed:
            values.update(old)
            return 0
        for i, penalty in regions.items():
            self._at_region[i] = penalty
        for i, penalty in blocks.items():
            self._at_block[i] = penalty
        return change

    def _turning_penalty(self, cells: Iterable[Place]) -> int:
        """Return the penalty of dominoes that could also be turned round without breaking a rule."""
        values, partners = self._values, self._partners
        turned = [cell for cell in cells if cell in self._turnable and values[cell] != values[partners[cell]]]
        return self._turning * len(turned)

    def _region_penalty(self, target: RegionTarget) -> int:
        values = self._values
        return 2 * target.penalty([values[cell] for cell in target.cells])

    def _block_penalty(self, block: tuple[Place, Place, Place, Place]) -> int:
        """Return the penalty of a pair of dominoes that could also be laid the other way."""
        (a, b, c, d), values = block, self._values
        return 6 * (values[a] == values[d] or values[b] == values[c])


def other_laying(values: Mapping[Place, int], partners: Partners) -> Partners | None:
    """Return another way in which the same dominoes show the same values; None if there is none.

    Depth-first search that covers the cell with the fewest dominoes left. It may miss one on a large board.
    """

    def kind(cell: Place, other: Place) -> Domino:
        return ordered(values[cell], values[other])

    tray = Counter(kind(a, b) for a, b in dominoes_on(partners))
    near = {
        cell: [o for o in neighbours(cell) if o in partners and kind(cell, o) in tray] for cell in partners
    }
    laid: Partners = {}
    steps = 0

    def search(differs: bool) -> bool:
        nonlocal steps
        steps += 1
        if len(laid) == len(partners) or steps > MAX_LAYING_STEPS:
            return differs and steps <= MAX_LAYING_STEPS
        fewest: tuple[Place, list[Place]] | None = None
        for cell in near:
            if cell not in laid:
                free = [o for o in near[cell] if o not in laid and tray[kind(cell, o)]]
                if fewest is None or len(free) < len(fewest[1]):
                    fewest = cell, free
                    if len(free) < 2:
                        break
        assert fewest is not None
        cell, free = fewest
        for other in sorted(free, key=partners[cell].__eq__):
            laid[cell], laid[other] = other, cell
            tray[kind(cell, other)] -= 1
            if search(differs or partners[cell] != other):
                return True
            del laid[cell], laid[other]
            tray[kind(cell, other)] += 1
        return False

    return laid if search(False) else None


def _blocks(partners: Partners) -> list[tuple[Place, Place, Place, Place]]:
    """Return each pair of dominoes side by side: two cells of one, then the cells beside them."""
    found = []
    for a, b in dominoes_on(partners):
        down, right = b[1] - a[1], b[0] - a[0]
        c, d = (a[0] + down, a[1] + right), (b[0] + down, b[1] + right)
        if partners.get(c) == d:
            found.append((a, b, c, d))
    return found
