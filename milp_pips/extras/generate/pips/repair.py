"""Repair a draft: redraw some regions and rules until none of its other solutions remains.

The solutions found for drafts are kept, so that most of the work is to check them, and counting all solutions
comes last: repair guided by counterexamples (Solar-Lezama, *Program synthesis by sketching*, 2008).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

from milp_pips.extras.generate.contract import Candidate
from milp_pips.extras.generate.pips.regions import Area, Reviser, Style, candidate_of, connected_part
from milp_pips.problem.rng import RandomGenerator
from milp_pips.puzzles.pips.rules import RULES, Rule
from milp_pips.render.vocabulary import Place, connected_parts, neighbours

TRIALS = 60
"""The changes tried without success before an area is sharpened."""

CALLS_PER_HALVING = 2
"""The calls after which half as many changes are tried: one with many other solutions has too few rules."""

SHARPENING_TRIALS = 60
"""The areas tried before a repair fails."""

POLISHING_TRIALS = 20
"""The changes tried after success, for kinds of areas as in the draft and boards that break several rules."""

MAX_STRANGENESS = 12
"""The most areas of one kind (a size with a rule) that may have become areas of another, counted twice."""

KEEP_SIZES_PROBABILITY = 0.6
"""The probability that two areas keep their sizes, and their rules, when they are cut anew."""

EXCHANGE_PROBABILITY = 0.3
"""The probability that two areas exchange their rules instead."""

MAX_DOMINOES_EXCHANGED = 60
"""Up to this many dominoes, boards with any two dominoes exchanged are examined."""

Board: TypeAlias = Mapping[Place, int]
"""The values of a board at the cells in which it differs from the hidden solution."""

Differences: TypeAlias = dict[Place, list[tuple[int, int]]]
"""For each cell, the boards that differ there, by number, and by how much."""

Change: TypeAlias = dict[int, Area]
"""Areas by the index of the area that each replaces."""


def near_boards(dominoes: Sequence[tuple[tuple[int, int], tuple[Place, Place]]]) -> Iterator[Board]:
    """Yield the boards with one domino turned round or, if there are few dominoes, with two exchanged."""
    for (a, b), (p, q) in dominoes:
        if a != b:
            yield {p: b, q: a}
    if len(dominoes) > MAX_DOMINOES_EXCHANGED:
        return
    for ((a, b), (p, q)), ((c, d), (r, s)) in combinations(dominoes, 2):
        for one, other in dict.fromkeys([(c, d), (d, c)]):
            for third, fourth in dict.fromkeys([(a, b), (b, a)]):
                shown = zip((p, q, r, s), (one, other, third, fourth), (a, b, c, d), strict=True)
                differing = {cell: value for cell, value, before in shown if value != before}
                if differing:
                    yield differing


class PipsRepairer:
    """Redraw regions and rules of a draft until they exclude its other solutions; see ``Repairer``.

    The kinds of areas (sizes with rules) stay close to the draft; the ``kept`` areas never change.
    """

    def __init__(
        self,
        candidate: Candidate,
        areas: Sequence[Area],
        kept: Sequence[Area],
        style: Style,
        rng: RandomGenerator,
    ):
        self._puzzle, self._hidden = candidate
        self._areas = [*kept, *areas]
        self._fixed = len(kept)
        self._style, self._values, self._rng = style, self._hidden.values, rng
        self._area_of = {cell: i for i, area in enumerate(self._areas) for cell in area.cells}
        self._draft_kinds = Counter(map(_kind, self._areas))
        self._kinds = self._draft_kinds.copy()
        self._calls = 0
        self._reviser = Reviser(style, self._values, rng)
        self._boards: list[Board] = []
        self._differing: Differences = {cell: [] for cell in self._values}
        self._broken = [set[int]() for _ in self._areas]
        self._broken_counts: list[int] = []
        """For each board, the number of rules that it breaks."""
        self._unbroken: dict[int, None] = {}
        """The boards that break no rule."""
        self._add(near_boards(self._hidden.dominoes))

    def exclude(self, others: Iterable[Sequence[int]]) -> Candidate | None:
        """Return a puzzle that none of the other assignments solves; None if none was found."""
        # In an assignment, partners follow the values; no rule excludes one that differs only in partners.
        shown = [zip(self._puzzle.cells, other, strict=False) for other in others]
        boards = ({cell: pip for cell, pip in pips if pip != self._values[cell]} for pips in shown)
        self._add(filter(None, boards))
        # Pick a board that breaks no rule and change an area in which it differs from the hidden solution,
        # until every board breaks a rule. ``idle`` counts the changes since the number of such boards last
        # fell. If changes do not help, an area gets a sharper rule, or two rules.
        self._calls += 1
        trials = TRIALS >> self._calls // CALLS_PER_HALVING
        least, idle = len(self._unbroken), 0
        while self._unbroken:
            board = self._boards[self._rng.choice(list(self._unbroken))]
            if idle >= trials + SHARPENING_TRIALS:
                return None
            if idle >= trials:
                self._sharpen_at(board)
            else:
                self._try_at(board)
            least, idle = (len(self._unbroken), 0) if len(self._unbroken) < least else (least, idle + 1)
        # Then change areas at boards that break only one rule: these would be the first to come back.
        for _ in range(POLISHING_TRIALS):
            fragile = [number for number, count in enumerate(self._broken_counts) if count == 1]
            if not fragile:
                break
            self._try_at(self._boards[self._rng.choice(fragile)])
        return candidate_of(self._puzzle.name, self._puzzle.cells, self._areas, self._hidden)

    def _add(self, boards: Iterable[Board]) -> None:
        first = len(self._boards)
        self._boards += boards
        new: Differences = {cell: [] for cell in self._values}
        for number in range(first, len(self._boards)):
            for cell, value in self._boards[number].items():
                new[cell].append((number, value - self._values[cell]))
        self._broken_counts += [0] * (len(self._boards) - first)
        for i, area in enumerate(self._areas):
            broken = self._broken_by(area, new)
            self._broken[i] |= broken
            for number in broken:
                self._broken_counts[number] += 1
        for cell, differences in new.items():
            self._differing[cell] += differences
        self._unbroken = {number: None for number, times in enumerate(self._broken_counts) if not times}

    def _broken_by(self, area: Area, differing: Differences) -> set[int]:
        """Return those of the differing boards that break the rule of an area."""
        kind = RULES[area.rule]
        if area.rule is None:
            return set()
        if kind.relation is None:
            hidden = [(cell, self._values[cell]) for cell in area.cells]
            numbers = dict.fromkeys(number for cell in area.cells for number, _ in differing[cell])
            shown = ((n, [self._boards[n].get(*each) for each in hidden]) for n in numbers)
            return {number for number, values in shown if not kind.obeys(values, area.target)}
        more = Counter[int]()
        for cell in area.cells:
            for number, difference in differing[cell]:
                more[number] += difference
        total = sum(self._values[cell] for cell in area.cells)
        allowed = kind.sums(area.target, *self._style.reach(len(area.cells)))
        return {number for number, difference in more.items() if total + difference not in allowed}

    def _try_at(self, board: Board) -> None:
        """Change an area, if it may change, in which the board differs from the hidden solution."""
        at = self._area_of[self._rng.choice(list(board))]
        if at < self._fixed:
            return
        change = self._exchange(at) if self._rng.bernoulli(EXCHANGE_PROBABILITY) else self._recut(at)
        if change:
            self._apply_unless_worse(change)

    def _sharpen_at(self, board: Board) -> None:
        """Give an area, if it may change, in which the board differs a sharper rule, or cut it in two.

        Of two areas, it is the one without equal or different cells, or the smaller one.
        """
        drawn = (self._area_of[self._rng.choice(list(board))] for _ in range(2))
        at = min(drawn, key=self._worth)
        if at < self._fixed:
            return
        for i, area in enumerate(self._reviser.sharpened(self._areas[at])):
            if i:
                at = len(self._areas)
                self._areas.append(Area((), None, None))
                self._broken.append(set())
                self._kinds[_kind(self._areas[at])] += 1
            self._replace({at: area}, {at: self._broken_by(area, self._differing)})

    def _worth(self, place: int) -> tuple[bool, int]:
        cells, rule, _ = self._areas[place]
        return RULES[rule].compares, len(cells)

    def _replace(self, change: Change, broken: Mapping[int, set[int]]) -> None:
        """Put the areas in place of others, given the boards that break their rules."""
        for place, area in change.items():
            self._kinds[_kind(self._areas[place])] -= 1
            self._kinds[_kind(area)] += 1
            for number in self._broken[place] - broken[place]:
                self._broken_counts[number] -= 1
                if not self._broken_counts[number]:
                    self._unbroken[number] = None
            for number in broken[place] - self._broken[place]:
                self._broken_counts[number] += 1
                self._unbroken.pop(number, None)
            self._areas[place], self._broken[place] = area, broken[place]
            self._area_of.update(dict.fromkeys(area.cells, place))

    def _apply_unless_worse(self, change: Change) -> None:
        """Apply the change unless the result is worse.

        It is worse if fewer cells are equal: few values are, so such a region would not come back. It is
        worse if more boards obey all rules; at equality, if the mix of kinds is farther from the draft; at
        equality again, if more boards break only one rule.
        """
        if _equal_cells(change.values()) < _equal_cells(self._areas[place] for place in change):
            return
        # ``times``: for each board that the change affects, the number of rules it breaks before and after.
        broken = {place: self._broken_by(area, self._differing) for place, area in change.items()}
        more = Counter[int]()
        for place, now in broken.items():
            more.subtract(self._broken[place] - now)
            more.update(now - self._broken[place])
        counts = self._broken_counts
        times = {number: (counts[number], counts[number] + n) for number, n in more.items() if n}
        more_unbroken = sum((after == 0) - (before == 0) for before, after in times.values())
        kinds = self._kinds.copy()
        for place, area in change.items():
            kinds[_kind(self._areas[place])] -= 1
            kinds[_kind(area)] += 1
        distance, new_distance = self._distance_from_draft(self._kinds), self._distance_from_draft(kinds)
        more_fragile = sum((after == 1) - (before == 1) for before, after in times.values())
        if more_unbroken > 0 or (
            more_unbroken == 0
            and ((new_distance, more_fragile) > (distance, 0) if not self._unbroken else more_fragile > 0)
        ):
            return
        if new_distance > max(distance, MAX_STRANGENESS):
            return
        self._replace(change, broken)

    def _distance_from_draft(self, kinds: Counter[tuple[int, Rule | None]]) -> int:
        return sum(abs(count - self._draft_kinds[kind]) for kind, count in kinds.items())

    def _exchange(self, at: int) -> Change | None:
        """Return two areas of one size with their rules exchanged; None if the values do not allow it."""
        one, style = self._areas[at], self._style
        same_size = [
            i
            for i, area in enumerate(self._areas[self._fixed :], self._fixed)
            if len(area.cells) == len(one.cells) and area.rule is not one.rule
        ]
        if not same_size:
            return None
        to = self._rng.choice(same_size)
        other = self._areas[to]
        first = style.area(one.cells, self._values, self._rng, (other.rule,))
        second = style.area(other.cells, self._values, self._rng, (one.rule,))
        return {at: first, to: second} if first and second else None

    def _recut(self, at: int) -> Change | None:
        """Return two neighbouring areas cut anew, mostly with the same sizes and rules."""
        one, rng, style = self._areas[at], self._rng, self._style
        around = [self._area_of.get(other, at) for cell in one.cells for other in neighbours(cell)]
        beside = [i for i in around if i != at and i >= self._fixed]
        if not beside:
            return None
        to = rng.choice(beside)
        other = self._areas[to]
        union = [*one.cells, *other.cells]
        size = self._size_of_part(len(one.cells), len(union))
        part = connected_part(union, size, rng)
        rest = [cell for cell in union if cell not in part]
        if len(connected_parts(rest)) > 1:
            return None
        keep = size == len(one.cells) and rng.bernoulli(KEEP_SIZES_PROBABILITY)
        change: Change = {}
        for place, cells, rule in ((at, part, one.rule), (to, rest, other.rule)):
            area = style.area(cells, self._values, rng, (rule,)) if keep else None
            if len(cells) not in style.sizes:  # cells without a rule where regions of one cell are not wanted
                area = Area(tuple(sorted(cells)), None, None)
            area = area or style.area(cells, self._values, rng)
            if area is None:
                return None
            change[place] = area
        return change

    def _size_of_part(self, size: int, total: int) -> int:
        """Return the size of the first of two areas that have ``total`` cells together, by the style."""
        sizes = self._style.sizes
        if self._rng.bernoulli(KEEP_SIZES_PROBABILITY):
            return size
        weights = {n: sizes[n] * sizes[total - n] for n in sizes if total - n in sizes}
        return self._rng.weighted_choice(weights) if weights else size


def _kind(area: Area) -> tuple[int, Rule | None]:
    return len(area.cells), area.rule


def _equal_cells(areas: Iterable[Area]) -> int:
    """Return the number of cells that must equal another one of their area."""
    return sum(len(area.cells) - 1 for area in areas if RULES[area.rule].is_rare)
