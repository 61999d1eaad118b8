"""What follows from counting the halves of all dominoes: how often a value is shown, and all sums."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from milp_pips.extras.explain.techniques.knowledge import Deduction, Knowledge, thin
from milp_pips.extras.explain.techniques.table import FactTable, Tray, bits
from milp_pips.problem.automaton import Outlook, outlook_of
from milp_pips.problem.constraint import Constraint


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
        items: dict[int, tuple[int, ...]],
        only: dict[int, int],
        every: dict[int, int],
    ):
        self.table, self.tray, self.only, self.every = table, tray, only, every
        self.halves: dict[int, int] = {}
        for kind, times in zip(tray.kinds, tray.times, strict=True):
            for x in kind:
                self.halves[x] = self.halves.get(x, 0) + times
        self.groups: list[Group] = []
        left = set(tray.values)
        for number, rule in enumerate(table.grouped.problem.constraints):
            if number in items and len(rule.variables) > 1 and left.issuperset(rule.variables):
                self.groups.append(Group(rule.variables, rule, items[number]))
                left.difference_update(rule.variables)
        self.groups += [Group((v,), None, ()) for v in tray.values if v in left]
        self.total = sum(x * times for x, times in self.halves.items())
        self._outlooks: dict[tuple[int, tuple[int, ...]], Outlook | None] = {}
        self._quiet = {"needs": -1, "total": -1}

    def outlook(self, number: int, alive: int) -> Outlook | None:
        """Return the bounds on the values of a group; None if its rule cannot be met."""
        group, table = self.groups[number], self.table
        masks = tuple([table.mask(alive, v) for v in group.variables])
        key = number, masks
        if key not in self._outlooks:
            self._outlooks[key] = self._compute(group, masks)
        return self._outlooks[key]

    def _compute(self, group: Group, masks: tuple[int, ...]) -> Outlook | None:
        if not all(masks):
            return None
        domains = [tuple([self.table.values[x] for x in bits(mask)]) for mask in masks]
        if group.rule is None:
            return outlook_of(domains)
        if not group.rule.is_possible(domains):
            return None
        total = group.rule.bounded_sum
        if total is not None and not total.coefficients:
            return _outlook_of_sum(domains, total.low, total.high)
        automaton = group.rule.decision_automaton(domains)
        if automaton is None:
            return outlook_of(domains)
        return automaton.outlook(automaton.start, (1 << len(domains)) - 1)

    def needs(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """What the other groups need, or leave, of a value decides how many of a group's cells show it."""
        alive = knowledge.alive
        if self._quiet["needs"] == alive & self.table.all_values:
            return
        for value, halves in self.halves.items():
            for number, removed, reason in self._by_count(value, halves, alive):
                if not self.can_count(value, self.only if reason == "short" else self.every):
                    continue
                yield self._thinned(value, halves, number, removed, reason, alive)
                return
        self._quiet["needs"] = alive & self.table.all_values

    def can_count(self, value: int | None, part: Mapping[int, int]) -> bool:
        """Whether the items that may be used limit all kinds, or all that show a value."""
        return all(k in part for k, kind in enumerate(self.tray.kinds) if value is None or value in kind)

    def _bounds(self, value: int, alive: int) -> list[tuple[int, int]] | None:
        found = []
        for number in range(len(self.groups)):
            outlook = self.outlook(number, alive)
            if outlook is None:
                return None
            found.append(outlook.counts.get(value, (0, 0)))
        return found

    def _count(self, number: int, value: int, alive: int) -> tuple[int, int]:
        """Return how often a group shows a value, at least and at most."""
        outlook = self.outlook(number, alive)
        return (0, 0) if outlook is None else outlook.counts.get(value, (0, 0))

    def _outlooks_of_all(self, alive: int) -> list[Outlook] | None:
        """Return the outlooks of all groups; None if a rule cannot be met."""
        found = [self.outlook(number, alive) for number in range(len(self.groups))]
        return None if None in found else [each for each in found if each is not None]

    def _by_count(self, value: int, halves: int, alive: int) -> Iterator[tuple[int, int | None, str]]:
        """Yield a group, the bits that go (None for a contradiction), and "short" or "spare" halves."""
        bounds = self._bounds(value, alive)
        if bounds is None:
            return
        least, most = sum([few for few, _ in bounds]), sum([many for _, many in bounds])
        if least > halves or most < halves:
            yield -1, None, "short" if least > halves else "spare"
            return
        table, bit = self.table, self.table.domains.bit[value]
        for number, (group, (few, many)) in enumerate(zip(self.groups, bounds, strict=True)):
            room, need = halves - least + few, halves - most + many
            masks = [(v, table.mask(alive, v)) for v in group.variables]
            able = [v for v, mask in masks if mask & bit]
            must = [v for v, mask in masks if mask == bit]
            if len(must) == len(able):
                continue
            equal = group.rule is not None and group.rule.all_equal
            if len(must) == room or (equal and room < len(able)):
                yield number, sum(table.value_bit(v, value) for v in able if v not in must), "short"
            elif len(able) == need or (equal and need > 0):
                yield number, sum(table.all_of(v) & alive & ~table.value_bit(v, value) for v in able), "spare"

    def _thinned(
        self, value: int, halves: int, number: int, gone: int | None, reason: str, alive: int
    ) -> Deduction:
        """Return the deduction with the groups that it needs, and in these the values that it needs gone."""
        table, start = self.table, self.table.start
        known = start & ~alive & sum(table.all_of(v) for group in self.groups for v in group.variables)

        def follows(premises: int) -> bool:
            return any(
                why == reason
                and group == number
                and (gone is None or not gone & ~((removed or 0) | premises))
                for group, removed, why in self._by_count(value, halves, start & ~premises)
            )

        known = self._thin(known, follows)
        used = self._used_groups(value, number, known, reason)
        items = tuple(i for group in used for i in self.groups[group].items)
        kinds = [k for k, kind in enumerate(self.tray.kinds) if value in kind]
        part = self.only if reason == "short" else self.every
        return Deduction(
            "needs",
            gone,
            known,
            (*items, *(part[k] for k in kinds)),
            self._count_detail(value, halves, number, reason, used, known),
        )

    def _count_detail(
        self, value: int, halves: int, number: int, reason: str, used: list[int], known: int
    ) -> CountDetail:
        alive, uses = self.table.start & ~known, []
        for n in used:
            few, many = self._count(n, value, alive)
            if n != number:
                uses.append((self.groups[n].variables, self._name(n), few if reason == "short" else many))
        target = self.groups[number] if number >= 0 else None
        return CountDetail(
            value,
            halves,
            reason == "short",
            tuple(uses),
            target.variables if target else (),
            self._name(number),
        )

    def _name(self, number: int) -> int | None:
        """Return the number of an item of the group's rule; None for a single cell."""
        items = self.groups[number].items if number >= 0 else ()
        return items[0] if items else None

    def _used_groups(self, value: int, number: int, known: int, reason: str) -> list[int]:
        """Return the groups whose bounds on the value say more than that each cell may show it or not."""
        alive, found = self.table.start & ~known, []
        for n, group in enumerate(self.groups):
            few, many = self._count(n, value, alive)
            if (few > 0 if reason == "short" else many < len(group.variables)) or (
                n == number and group.rule and group.rule.all_equal
            ):
                found.append(n)
        return found

    def sums(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """All values add up to the halves of the tray, so the other groups bound the sum of each."""
        alive = knowledge.alive
        if self._quiet["total"] == alive & self.table.all_values:
            return
        if not (self.can_count(None, self.only) and self.can_count(None, self.every)):
            return
        for number, gone, reason in self._by_sum(alive):
            yield self._thinned_sum(number, gone, reason, alive)
            return
        self._quiet["total"] = alive & self.table.all_values

    def _by_sum(self, alive: int) -> Iterator[tuple[int, int | None, str]]:
        outlooks = self._outlooks_of_all(alive)
        if outlooks is None:
            return
        least, most = (
            sum([outlook.least for outlook in outlooks]),
            sum([outlook.most for outlook in outlooks]),
        )
        if least > self.total or most < self.total:
            yield -1, None, "much" if least > self.total else "little"
            return
        table = self.table
        for number, (group, outlook) in enumerate(zip(self.groups, outlooks, strict=True)):
            top, bottom = self.total - least + outlook.least, self.total - most + outlook.most
            if top >= outlook.most and bottom <= outlook.least:
                continue
            domains = [(v, [table.values[x] for x in bits(table.mask(alive, v))]) for v in group.variables]
            equal = group.rule is not None and group.rule.all_equal
            low, high = sum(domain[0] for _, domain in domains), sum(domain[-1] for _, domain in domains)
            much = little = 0
            for v, domain in domains:
                for x in domain:
                    if (x * len(domains) if equal else low - domain[0] + x) > top:
                        much |= table.value_bit(v, x)
                    if (x * len(domains) if equal else high - domain[-1] + x) < bottom:
                        little |= table.value_bit(v, x)
            if much:
                yield number, much, "much"
            if little:
                yield number, little, "little"

    def _thinned_sum(self, number: int, gone: int | None, reason: str, alive: int) -> Deduction:
        table, start = self.table, self.table.start
        known = start & ~alive & sum(table.all_of(v) for group in self.groups for v in group.variables)

        def follows(premises: int) -> bool:
            return any(
                group == number
                and why == reason
                and (gone is None or not gone & ~((removed or 0) | premises))
                for group, removed, why in self._by_sum(start & ~premises)
            )

        known = self._thin(known, follows)
        items = tuple(i for group in self.groups for i in group.items)
        tray = (*self.only.values(), *self.every.values())
        return Deduction("total", gone, known, (*items, *tray), self._sum_detail(number, reason, known))

    def _sum_detail(self, number: int, reason: str, known: int) -> SumDetail:
        alive = self.table.start & ~known
        outlooks = self._outlooks_of_all(alive) or []
        others = [outlook for n, outlook in enumerate(outlooks) if n != number]
        rest = sum(each.least if reason == "much" else each.most for each in others)
        group = self.groups[number] if number >= 0 else None
        return SumDetail(
            self.total, reason == "much", rest, group.variables if group else (), self._name(number)
        )

    def shares(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """Several groups of equal cells share out the halves that all other groups leave."""
        alive = knowledge.alive
        view = alive & self.table.all_values
        if self._quiet.get("shares") == view or not self.can_count(None, self.only):
            return
        for number, gone in self._by_share(alive):
            known = self.table.start & ~alive & sum(self.table.all_of(v) for v in self.tray.values)

            def follows(premises: int, number: int = number, gone: int = gone) -> bool:
                found = dict(self._by_share(self.table.start & ~premises))
                return number in found and not gone & ~(found[number] | premises)

            known = self._thin(known, follows)
            items = tuple(i for n in self._equal_groups() for i in self.groups[n].items)
            yield Deduction(
                "shares",
                gone,
                known,
                (*items, *self.only.values()),
                tuple(self.groups[n].variables for n in self._equal_groups()),
            )
            return
        self._quiet["shares"] = view

    def _equal_groups(self) -> list[int]:
        return [n for n, group in enumerate(self.groups) if group.rule is not None and group.rule.all_equal]

    def _by_share(self, alive: int) -> Iterator[tuple[int, int]]:
        """Yield equal groups and the bits of values that leave another equal group without halves."""
        table, left = self.table, dict(self.halves)
        domains: dict[int, list[int]] = {}
        for n in range(len(self.groups)):
            outlook = self.outlook(n, alive)
            if outlook is None:
                return
            group = self.groups[n]
            if group.rule is not None and group.rule.all_equal and len(outlook.counts) > 1:
                domains[n] = sorted(outlook.counts)
            else:
                for x, (few, _) in outlook.counts.items():
                    left[x] = left.get(x, 0) - few
        order = sorted(domains, key=lambda n: -len(self.groups[n].variables))
        if len(order) < 2 or min(left.values()) < 0:
            return

        def fits(place: int, fixed: tuple[int, int]) -> bool:
            if place == len(order):
                return True
            n = order[place]
            size = len(self.groups[n].variables)
            for x in (fixed[1],) if n == fixed[0] else domains[n]:
                if left.get(x, 0) >= size:
                    left[x] -= size
                    found = fits(place + 1, fixed)
                    left[x] += size
                    if found:
                        return True
            return False

        for n in order:
            gone = 0
            for x in domains[n]:
                if not fits(0, (n, x)):
                    gone |= sum(table.value_bit(v, x) for v in self.groups[n].variables)
            if gone & alive:
                yield n, gone & alive

    def _thin(self, known: int, follows: Callable[[int], bool]) -> int:
        """Return the premises without those that are not needed: groups, then cells, then single values."""
        table = self.table
        scopes = []
        for group in sorted(self.groups, key=lambda group: len(group.variables)):
            cells = [table.all_of(v) for v in group.variables]
            scopes += [sum(cells), *cells]
        return thin(known, scopes, follows, table.stop)


def _outlook_of_sum(domains: list[tuple[int, ...]], low: int | None, high: int | None) -> Outlook | None:
    """Return exact bounds for cells with a bounded sum; None if the sum is out of reach."""
    reach = {0}
    for domain in domains:
        reach = {total + x for total in reach for x in domain}
    allowed = {total for total in reach if (low is None or total >= low) and (high is None or total <= high)}
    if not allowed:
        return None
    counts = {}
    for value in {x for domain in domains for x in domain}:
        ends: dict[int, tuple[int, int]] = {0: (0, 0)}
        for domain in domains:
            after: dict[int, tuple[int, int]] = {}
            for total, (few, many) in ends.items():
                for x in domain:
                    one, other = after.get(total + x, (few + (x == value), many + (x == value)))
                    after[total + x] = min(one, few + (x == value)), max(other, many + (x == value))
            ends = after
        left = [ends[total] for total in allowed]
        counts[value] = min(few for few, _ in left), max(many for _, many in left)
    return Outlook(counts, min(allowed), max(allowed))


MOST_COMBINATIONS = 4000
"""The most states of a search for combinations; beyond, the technique is not tried: no person would."""


class Combinations:
    """The values that cells of a bounded sum can show, given the halves that the other cells leave.

    A state of the search is the sum so far and the number of halves used of each value that is scarce.
    """

    def __init__(self, counts: Counts, number: int):
        self.counts, self.table, self.group = counts, counts.table, counts.groups[number]
        rule = self.group.rule
        total = None if rule is None else rule.bounded_sum
        self.bounds = None if total is None or total.coefficients else (total.low, total.high)
        self.inside = sum(self.table.all_of(v) for v in self.group.variables)
        self.others = [v for v in counts.tray.values if v not in self.group.variables]
        self._quiet = -1

    def deductions(self, knowledge: Knowledge) -> Iterator[Deduction]:
        """Yield the values that occur in no combination, first by the group alone."""
        if self.bounds is None:
            return
        table = self.table
        shown = sum(table.all_of(v) for v in self.others if knowledge.value_of(v) is not None)
        alive = knowledge.alive & self.inside | (knowledge.alive & shown)
        if alive == self._quiet:
            return
        known = (self.inside | shown) & table.start & ~knowledge.alive
        gone = self.impossible(known)
        if gone == 0:
            self._quiet = alive
            return

        def follows(premises: int) -> bool:
            found = self.impossible(premises)
            return found is None or (gone is not None and not gone & ~(found | premises))

        cells = [table.all_of(v) for v in (*self.others, *self.group.variables)]
        known = thin(known, cells, follows, table.stop)
        # Which cells show what outside, or that halves are limited at all, may not matter.
        is_tray = not follows_alone(self, known, gone)
        items = (*self.group.items, *(self.counts.only.values() if is_tray else ()))
        yield Deduction("combination", gone, known, items, (is_tray,))

    def impossible(self, known: int, *, limited: bool = True) -> int | None:
        """Return the values that occur in no combination; None if there is no combination."""
        table, values = self.table, self.table.values
        alive = table.start & ~known
        left = dict(self.counts.halves)
        limited = limited and self.counts.can_count(None, self.counts.only)
        if limited:
            for v in self.others:
                mask = table.mask(alive, v)
                if mask and not mask & (mask - 1):
                    left[values[mask.bit_length() - 1]] -= 1
        domains = [[values[x] for x in bits(table.mask(alive, v))] for v in self.group.variables]
        if not all(domains):
            return None
        able = {x: sum(x in domain for domain in domains) for x in left}
        scarce = sorted(x for x, times in left.items() if limited and times < able[x])
        place = {x: n for n, x in enumerate(scarce)}
        start = (0, tuple(left[x] for x in scarce))
        low, high = self.bounds or (None, None)
        least, most = [0], [0]
        for domain in reversed(domains):
            least.append(least[-1] + domain[0])
            most.append(most[-1] + domain[-1])
        layers = [{start}]
        for n, domain in enumerate(domains, 1):
            rest_least, rest_most = least[len(domains) - n], most[len(domains) - n]
            after = set()
            for state in layers[-1]:
                for x in domain:
                    following = _after(state, x, place)
                    if (
                        following is not None
                        and (high is None or following[0] + rest_least <= high)
                        and (low is None or following[0] + rest_most >= low)
                    ):
                        after.add(following)
            if len(after) > MOST_COMBINATIONS:
                return 0
            layers.append(after)
        good = layers[-1]
        if not good:
            return None
        gone = 0
        for n in range(len(domains) - 1, -1, -1):
            before, seen = set(), set()
            for state in layers[n]:
                for x in domains[n]:
                    if _after(state, x, place) in good:
                        before.add(state)
                        seen.add(x)
            v = self.group.variables[n]
            gone |= sum(table.value_bit(v, x) for x in domains[n] if x not in seen)
            good = before
        return gone


def follows_alone(combinations: Combinations, known: int, gone: int | None) -> bool:
    """Return whether the conclusion follows however many halves there are."""
    found = combinations.impossible(known & combinations.inside, limited=False)
    return found is None or (gone is not None and not gone & ~(found | known))


def _after(
    state: tuple[int, tuple[int, ...]], x: int, place: dict[int, int]
) -> tuple[int, tuple[int, ...]] | None:
    """Return the state after a cell has shown a value; None if no half with it is left."""
    total, left = state
    if x not in place:
        return total + x, left
    n = place[x]
    return (total + x, (*left[:n], left[n] - 1, *left[n + 1 :])) if left[n] > 0 else None
