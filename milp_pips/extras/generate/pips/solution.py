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

PART, SWEEPS_PER_CHANGE = 2_000, 1.5
"""A board of more dominoes is improved in parts of so many, each of which fits into the processor's cache.
There each sweep tries a change of every domino with a penalty. A board of 20,000 gets the penalty that places
at random leave, in two thirds of the time (``generate --dominoes 20000``). Smaller boards draw at random."""

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
    """A local search on the values of cells, which have numbers here; a large board takes a million steps."""

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
        self._shown = list(values.values())
        number = {cell: i for i, cell in enumerate(values)}
        places = dominoes_on(partners)
        self._part = range(len(places))
        """The places among which dominoes are exchanged."""
        used = {ordered(values[a], values[b]) for a, b in places}
        self._unused = [kind for kind in combinations_with_replacement(pips, 2) if kind not in used]
        self._places = [(number[a], number[b]) for a, b in places]
        self._place_of = {pair: i for i, pair in enumerate(places)}
        self._targets = [(target, [number[cell] for cell in target.cells]) for target in targets]
        smallest = min((len(target.cells) for target in targets), default=1)
        turning = TURNING_PENALTY if smallest == 1 else HIGH_TURNING_PENALTY
        target_of = {cell: i for i, target in enumerate(targets) for cell in target.cells}
        # the penalty of each domino that no rule keeps from being turned round
        self._turning = [
            turning
            if target_of.get(a, -1) == target_of.get(b) and not targets[target_of[a]].kind.compares
            else 0
            for a, b in places
        ]
        blocks = _blocks(partners)
        self._blocks = [tuple([number[cell] for cell in block]) for block in blocks]
        blocks_of: dict[Place, list[int]] = {cell: [] for cell in values}
        for i, block in enumerate(blocks):
            for cell in block:
                blocks_of[cell].append(i)
        # the regions and the blocks that each domino lies in
        self._regions_at = [
            _different(target_of[cell] for cell in pair if cell in target_of) for pair in places
        ]
        self._blocks_at = [_different(i for cell in pair for i in blocks_of[cell]) for pair in places]
        self._at_region = list(map(self._region_penalty, range(len(targets))))
        self._at_block = list(map(self._block_penalty, range(len(blocks))))

    def run(self, steps: int) -> None:
        # A change that does not increase the penalty is kept, so the search also moves sideways.
        count = len(self._places)
        if count > PART:
            for first in range(0, count, PART):
                self._part = range(min(first, count - PART), min(first + PART, count))
                for _ in range(int(steps * SWEEPS_PER_CHANGE)):
                    for place in range(first, self._part.stop):
                        if self._has_penalty(place):
                            self._change(place)
        else:
            integer = self._rng.integer
            # Invariant: ``penalty`` is that of the current values.
            penalty = sum(self._at_region) + sum(self._at_block) + self._turning_penalty(self._part)
            for _ in range(steps * count):
                if not penalty:
                    break
                penalty += self._change(integer(count))
        self._update()

    def _has_penalty(self, place: int) -> bool:
        """Return whether the regions and blocks of a domino, or the domino itself, have a penalty."""
        return (
            any(map(self._at_region.__getitem__, self._regions_at[place]))
            or any(map(self._at_block.__getitem__, self._blocks_at[place]))
            or self._turning_penalty((place,)) > 0
        )

    def exclude_other_layings(self) -> bool:
        """Change values until the dominoes fit them in one way only; return whether that succeeded."""
        for self._allowed in range(MAX_LAYINGS_EXCLUDED):
            other = other_laying(self._values, self._partners)
            if other is None:
                return True
            before = list(self._shown)
            moved = [place for (a, b), place in self._place_of.items() if other[a] != b]
            for _ in range(CHANGES_OF_A_LAYING):
                self._change(self._rng.choice(moved))
                if self._shown != before:
                    break
            self._update()
        return False

    def _update(self) -> None:
        self._values.update(zip(self._values, self._shown, strict=True))

    def _change(self, place: int) -> int:
        """Try a change of the domino on this place; return the increase of the penalty."""
        shown, integer = self._shown, self._rng.integer
        a, b = self._places[place]
        move = integer(4)
        if move == 0 and self._unused:
            return self._try_unused(place)
        if move == 1:
            return self._try((place,), ((a, shown[b]), (b, shown[a])))
        other = self._part.start + integer(len(self._part))
        c, d = self._places[other]
        if move != 2:
            c, d = d, c
        if other == place:
            return self._try((place,), ((a, shown[c]), (b, shown[d])))
        return self._try((place, other), ((a, shown[c]), (b, shown[d]), (c, shown[a]), (d, shown[b])))

    def _try_unused(self, place: int) -> int:
        """Try a kind of domino that lies nowhere; return the increase of the penalty."""
        shown, (a, b) = self._shown, self._places[place]
        chosen = self._rng.integer(len(self._unused))
        one, other = self._unused[chosen]
        if self._rng.bernoulli(0.5):
            one, other = other, one
        before = ordered(shown[a], shown[b])
        change = self._try((place,), ((a, one), (b, other)))
        if (shown[a], shown[b]) == (one, other):
            self._unused[chosen] = before
        return change

    def _try(self, places: tuple[int, ...], changed: tuple[tuple[int, int], ...]) -> int:
        """Change values of cells on these places unless that is worse; return the increase of the penalty."""
        shown, at_region, at_block = self._shown, self._at_region, self._at_block
        old = tuple([(cell, shown[cell]) for cell, _ in changed])
        if old == changed:
            return 0
        regions, blocks = self._regions_at[places[0]], self._blocks_at[places[0]]
        if len(places) == 2:
            regions = *regions, *[i for i in self._regions_at[places[1]] if i not in regions]
            blocks = *blocks, *[i for i in self._blocks_at[places[1]] if i not in blocks]
        before = self._turning_penalty(places)
        for i in regions:
            before += at_region[i]
        for i in blocks:
            before += at_block[i]
        for cell, value in changed:
            shown[cell] = value
        # Most changes are worse, and a few of the penalties show that: those that are quick to compute first.
        most, after = before + self._allowed, self._turning_penalty(places)
        penalties: list[int] = []
        for penalty, numbers in ((self._block_penalty, blocks), (self._region_penalty, regions)):
            for i in numbers:
                if after > most:
                    break
                penalties.append(penalty(i))
                after += penalties[-1]
        if after > most:
            for cell, value in old:
                shown[cell] = value
            return 0
        for i, at in zip(blocks, penalties, strict=False):
            at_block[i] = at
        for i, at in zip(regions, penalties[len(blocks) :], strict=True):
            at_region[i] = at
        return after - before

    def _turning_penalty(self, places: Iterable[int]) -> int:
        """Return the penalty of dominoes that could also be turned round without breaking a rule."""
        shown, total = self._shown, 0
        for place in places:
            if penalty := self._turning[place]:
                a, b = self._places[place]
                total += penalty if shown[a] != shown[b] else 0
        return total

    def _region_penalty(self, number: int) -> int:
        target, cells = self._targets[number]
        shown = self._shown
        return 2 * target.penalty([shown[cell] for cell in cells])

    def _block_penalty(self, number: int) -> int:
        """Return the penalty of a pair of dominoes that could also be laid the other way."""
        (a, b, c, d), shown = self._blocks[number], self._shown
        return 6 * (shown[a] == shown[d] or shown[b] == shown[c])


def _different(numbers: Iterable[int]) -> tuple[int, ...]:
    """Return the different numbers in their order."""
    return tuple(dict.fromkeys(numbers))


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
