"""What follows from counting the halves of all dominoes: how often a value is shown, and all sums."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from milp_pips.extras.explain.techniques.combinations import CellSum, Combinations
from milp_pips.extras.explain.techniques.knowledge import Deduction, Knowledge, Source
from milp_pips.extras.explain.techniques.table import MOST_REMEMBERED, FactTable, Tray, bits, union
from milp_pips.problem.automaton import Outlook, outlook_of
from milp_pips.problem.constraint import BoundedSum, Constraint


class Group(NamedTuple):
    """Cells of one rule, or a single cell without a rule; ``items`` are the numbers of the rule's items."""

    variables: tuple[int, ...]
    rule: Constraint | None
    items: tuple[int, ...]


class CountDetail(NamedTuple):
    """What a count of one value rests on.

    ``uses`` has the cells of the other groups that matter, an item of their rule (None for a single cell) and
    how often they show the value: at least, if halves are ``short``, else at most. ``target`` are the cells
    concluded on.
    """

    value: int
    halves: int
    short: bool
    uses: tuple[tuple[tuple[int, ...], int | None, int], ...]
    target: tuple[int, ...]
    rule: int | None


class SumDetail(NamedTuple):
    """What the sum of all halves leaves to the ``target`` cells.

    The other cells have at least (if ``much``) or at most ``rest``.
    """

    total: int
    much: bool
    rest: int
    target: tuple[int, ...]
    rule: int | None


class Counts:
    """The halves of a tray, shared out among groups of cells."""

    def __init__(
        self,
        table: FactTable,
        tray: Tray,
        stated: Sequence[tuple[Constraint, tuple[int, ...]]],
        only: Mapping[int, int],
        every: Mapping[int, int],
    ):
        self.table, self.tray, self.only, self.every = table, tray, only, every
        self.halves: dict[int, int] = {}
        for kind, times in zip(tray.kinds, tray.times, strict=True):
            for x in kind:
                self.halves[x] = self.halves.get(x, 0) + times
        self.groups: list[Group] = []
        left = set(tray.values)
        for rule, items in stated:
            if len(rule.variables) > 1 and left.issuperset(rule.variables):
                self.groups.append(Group(rule.variables, rule, items))
                left.difference_update(rule.variables)
        self.groups += [Group((v,), None, ()) for v in tray.values if v in left]
        self.scopes = list[int]()
        for group in sorted(self.groups, key=lambda group: len(group.variables)):
            cells = list(map(table.all_of, group.variables))
            self.scopes += [sum(cells), *cells]
        self.cells = sum(map(table.all_of, tray.values))
        self.total = sum(x * times for x, times in self.halves.items())
        self._scope = [sum(map(table.all_of, group.variables)) for group in self.groups]
        self.loose = {n for n, group in enumerate(self.groups) if not _is_tight(group.rule)}
        """The groups whose bounds on how often they show a value may not be tight, or that are all equal."""
        self._outlooks: list[dict[int, Outlook | None]] = [{} for _ in range(2 * len(self.groups))]
        """For each group, and after these for each group without its rule, the outlook by the bits left."""
        self._latest: tuple[int, frozenset[int], list[Outlook] | None] = -1, frozenset(), None
        self._quiet = dict[str, int]()
        self._of_values, self._of_sum = [_CountOf(self, x) for x in self.halves], [_SumOf(self)]

    def limits(self, part: Mapping[int, int], value: int | None = None) -> tuple[int, ...] | None:
        """Return the items that limit all kinds, or all that show a value; None if one may not be used."""
        kinds = [k for k, kind in enumerate(self.tray.kinds) if value is None or value in kind]
        return tuple(part[k] for k in kinds) if part.keys() >= set(kinds) else None

    def outlooks(self, alive: int, free: frozenset[int]) -> list[Outlook] | None:
        """Return the bounds on the values of each group; None if a rule cannot be met.

        The rules of ``free`` groups do not count.
        """
        if self._latest[:2] == (alive & self.cells, free):
            return self._latest[2]
        found, size = list[Outlook](), len(self.groups)
        for number, scope in enumerate(self._scope):
            of, left = self._outlooks[number + size if number in free else number], alive & scope
            if left not in of:
                of[left] = self._outlook(number, left, free)
            outlook = of[left]
            if outlook is not None:
                found.append(outlook)
        self._latest = alive & self.cells, free, found if len(found) == size else None
        return self._latest[2]

    def _outlook(self, number: int, alive: int, free: Collection[int]) -> Outlook | None:
        """Return the bounds on the values of one group; None if its rule cannot be met."""
        rule = None if number in free else self.groups[number].rule
        masks = [self.table.mask(alive, v) for v in self.groups[number].variables]
        if not all(masks):
            return None
        domains = [tuple([self.table.values[x] for x in bits(mask)]) for mask in masks]
        if rule is None:
            return outlook_of(domains)
        if not rule.is_possible(domains):
            return None
        total = rule.bounded_sum
        if total is not None and not total.coefficients:
            return _outlook_of_sum(tuple(sorted(domains)), total)
        automaton = rule.decision_automaton(domains)
        if automaton is None:
            return outlook_of(domains)
        return automaton.outlook(automaton.start, (1 << len(domains)) - 1)

    def numbers(self, only: int | None) -> Sequence[int]:
        """Return the numbers of the groups, or of one; of none for -1."""
        return range(len(self.groups)) if only is None else range(max(only, 0), only + 1)

    def is_equal(self, number: int, free: frozenset[int]) -> bool:
        """Whether the rule of a group, if it counts, makes all its cells equal."""
        rule = self.groups[number].rule
        return rule is not None and rule.all_equal and number not in free

    def needs(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """What the other groups need, or leave, of a value decides how many of a group's cells show it."""
        yield from self._first(knowledge, "needs", self._of_values)

    def sums(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """All values add up to the halves of the tray, so the other groups bound the sum of each."""
        yield from self._first(knowledge, "total", self._of_sum)

    def combinations(self) -> list[Combinations]:
        """Return the sums whose cells show what the halves of the tray allow."""
        limits, values = self.limits(self.only), self.tray.values
        return [
            Combinations(
                self.table,
                "combination",
                CellSum(group.variables, total, group.items),
                limits or (),
                None if limits is None else self.halves,
                [v for v in values if v not in group.variables],
            )
            for group in self.groups
            if group.rule and (total := group.rule.bounded_sum) and not total.coefficients
        ]

    def _first(self, knowledge: Knowledge, name: str, shares: Iterable[_Share]) -> Iterator[Deduction]:
        """Yield the first deduction of some arguments, unless nothing has changed since there was none."""
        alive = knowledge.alive
        if self._quiet.get(name) == alive & self.cells:
            return
        for share in shares:
            for number, gone, is_upper in share.bounded(alive):
                source = share.of(number, is_upper)
                if source is not None:
                    known = self.table.start & ~alive & self.cells
                    yield Deduction(name, gone, known, source.limits, source=source)
                    return
        self._quiet[name] = alive & self.cells


class _Share(Source):
    """An argument on how much of the tray the groups take, to conclude on one of them, the ``number``.

    ``is_upper``: the others take at least so much, which bounds its share from above. The rules of ``free``
    groups are not needed.
    """

    limits: tuple[int, ...] = ()

    def __init__(self, counts: Counts):
        super().__init__(counts.table)
        self.counts, self.scopes = counts, counts.scopes
        self.number, self.is_upper, self.free = -1, False, frozenset[int]()
        self.unused: dict[tuple[Hashable, int | None, int], frozenset[int]] = {}
        """The groups whose rules were not needed, by the argument, what goes, and the premises."""

    @property
    def key(self) -> Hashable:
        return self.number, self.is_upper, self.free

    @abstractmethod
    def bounded(self, alive: int, only: int | None = None) -> Iterator[tuple[int, int | None, bool]]:
        """Yield groups, the bits that go (None for a contradiction), and whether the bound is from above.

        ``only`` is the number of the group to look at; None for all.
        """

    @abstractmethod
    def detail(self, alive: int) -> CountDetail | SumDetail:
        """Return what the sentence needs, if the premises are gone and the others ``alive``."""

    @abstractmethod
    def parts(self, is_upper: bool) -> tuple[int, ...] | None:
        """Return the items that limit the dominoes; None if one of them may not be used."""

    def of(self, number: int, is_upper: bool) -> _Share | None:
        """Return the argument on one group; None if it needs an item that may not be used."""
        found = copy(self)
        limits = self.parts(is_upper)
        found.number, found.is_upper, found.limits = number, is_upper, limits or ()
        return None if limits is None else found

    def removes(self, known: int) -> int | None:
        removed = 0
        for _, gone, is_upper in self.bounded(self.table.start & ~known, self.number):
            if gone is None:
                return None
            if is_upper == self.is_upper:
                removed |= gone
        return removed

    def thinned_to(self, deduction: Deduction, gone: int | None) -> Deduction:
        found = super().thinned_to(deduction, gone)
        remembered = self.key, gone, found.premises
        if remembered not in self.unused:
            for number, group in enumerate(self.counts.groups):
                if group.items:
                    self.free |= {number}
                    if not self.follows(gone, found.premises):
                        self.free -= {number}
            self.unused[remembered] = self.free
        self.free = self.unused[remembered]
        used = (group.items for n, group in enumerate(self.counts.groups) if n not in self.free)
        detail = self.detail(self.table.start & ~found.premises)
        return found._replace(items=(*chain.from_iterable(used), *self.limits), detail=detail)

    def target(self) -> tuple[tuple[int, ...], int | None]:
        """Return the cells concluded on, and an item of their rule if they have one."""
        if self.number < 0:
            return (), None
        group = self.counts.groups[self.number]
        return group.variables, group.items[0] if group.items else None


class _CountOf(_Share):
    """How often the groups show a value."""

    def __init__(self, counts: Counts, value: int):
        super().__init__(counts)
        self.value, self.halves = value, counts.halves[value]

    def parts(self, is_upper: bool) -> tuple[int, ...] | None:
        return self.counts.limits(self.counts.only if is_upper else self.counts.every, self.value)

    def bounded(self, alive: int, only: int | None = None) -> Iterator[tuple[int, int | None, bool]]:
        outlooks = self.counts.outlooks(alive, self.free)
        if outlooks is None:
            return
        value, halves, table, least, most = self.value, self.halves, self.table, 0, 0
        for outlook in outlooks:
            if value in outlook.counts:
                few, many = outlook.counts[value]
                least, most = least + few, most + many
        if least > halves or most < halves:
            yield -1, None, least > halves
            return
        bit = table.domains.bit[value]
        # Where the bounds of a group are tight, its share is bounded only if nothing is left to choose.
        exact = least == halves or most == halves
        for number in self.counts.numbers(only):
            if not exact and number not in self.counts.loose:
                continue
            group, (few, many) = self.counts.groups[number], outlooks[number].counts.get(value, (0, 0))
            room, need = halves - least + few, halves - most + many
            masks = [(v, table.mask(alive, v)) for v in group.variables]
            able = [v for v, mask in masks if mask & bit]
            must = [v for v, mask in masks if mask == bit]
            if len(must) == len(able):
                continue
            equal = self.counts.is_equal(number, self.free)
            if len(must) == room or (equal and room < len(able)):
                yield number, sum(table.value_bit(v, value) for v in able if v not in must), True
            elif len(able) == need or (equal and need > 0):
                yield number, sum(table.all_of(v) & alive & ~table.value_bit(v, value) for v in able), False

    def detail(self, alive: int) -> CountDetail:
        uses = list[tuple[tuple[int, ...], int | None, int]]()
        bit = self.table.domains.bit[self.value]
        outlooks = self.counts.outlooks(alive, self.free) or ()
        for number, (group, outlook) in enumerate(zip(self.counts.groups, outlooks, strict=False)):
            few, many = outlook.counts.get(self.value, (0, 0))
            if number == self.number:
                continue
            if group.items and number not in self.free:
                uses.append((group.variables, group.items[0], few if self.is_upper else many))
            elif self.is_upper:
                shown = (v for v in group.variables if self.table.mask(alive, v) == bit)
                uses += [((v,), None, 1) for v in shown]
        return CountDetail(self.value, self.halves, self.is_upper, tuple(uses), *self.target())


class _SumOf(_Share):
    """How much the values of the groups add up to."""

    def parts(self, _is_upper: bool) -> tuple[int, ...] | None:
        only, every = self.counts.limits(self.counts.only), self.counts.limits(self.counts.every)
        return None if only is None or every is None else only + every

    def bounded(self, alive: int, only: int | None = None) -> Iterator[tuple[int, int | None, bool]]:
        outlooks = self.counts.outlooks(alive, self.free)
        if outlooks is None:
            return
        table, total = self.table, self.counts.total
        least, most = sum([each.least for each in outlooks]), sum([each.most for each in outlooks])
        if least > total or most < total:
            yield -1, None, least > total
            return
        for number in self.counts.numbers(only):
            group, outlook = self.counts.groups[number], outlooks[number]
            top, bottom = total - least + outlook.least, total - most + outlook.most
            if top >= outlook.most and bottom <= outlook.least:
                continue
            domains = [(v, [table.values[x] for x in bits(table.mask(alive, v))]) for v in group.variables]
            equal = self.counts.is_equal(number, self.free)
            low, high = sum(domain[0] for _, domain in domains), sum(domain[-1] for _, domain in domains)
            much = little = 0
            for v, domain in domains:
                for x in domain:
                    if (x * len(domains) if equal else low - domain[0] + x) > top:
                        much |= table.value_bit(v, x)
                    if (x * len(domains) if equal else high - domain[-1] + x) < bottom:
                        little |= table.value_bit(v, x)
            if much:
                yield number, much, True
            if little:
                yield number, little, False

    def detail(self, alive: int) -> SumDetail:
        outlooks = self.counts.outlooks(alive, self.free) or ()
        others = [each for number, each in enumerate(outlooks) if number != self.number]
        rest = sum(each.least if self.is_upper else each.most for each in others)
        return SumDetail(self.counts.total, self.is_upper, rest, *self.target())


def _is_tight(rule: Constraint | None) -> bool:
    """Whether an outlook of this rule is exact for each value, and some of its cells can differ."""
    if rule is None:
        return True
    total = rule.bounded_sum
    return total is not None and not total.coefficients and not rule.all_equal


@lru_cache(maxsize=MOST_REMEMBERED)
def _outlook_of_sum(domains: tuple[tuple[int, ...], ...], bounds: BoundedSum) -> Outlook | None:
    """Return exact bounds for cells with a bounded sum; None if the sum is out of reach."""
    reach = {0}
    for domain in domains:
        reach = {total + x for total in reach for x in domain}
    allowed = set(filter(bounds.allows, reach))
    if not allowed:
        return None
    counts, lows = {}, [domain[0] for domain in domains]
    wanted = union(1 << (total - sum(lows)) for total in allowed)
    for value in {x for domain in domains for x in domain}:
        # For each number of cells that show the value, the sums above the least one, as bits.
        ends = [1]
        for domain, low in zip(domains, lows, strict=True):
            ends = [
                union(before << (x - low) for x in domain if x != value)
                | (shown << (value - low) if value in domain else 0)
                for before, shown in zip((*ends, 0), (0, *ends), strict=True)
            ]
        able = [times for times, sums in enumerate(ends) if sums & wanted]
        counts[value] = able[0], able[-1]
    return Outlook(counts, min(allowed), max(allowed))
