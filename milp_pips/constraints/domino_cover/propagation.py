"""Propagation of a domino cover: which values and neighbours some remaining domino supports, cell by cell.

Then come several constraints together: the halves of the dominoes, shared out among all cells. Two techniques
bound the number of times that each value is shown, and the sums of the halves that are left.

On large boards two more propagators run: perfect matchings (``matchings.py``) and kinds of dominoes
(``kinds.py``). Measurements on puzzles made by people left them out for small boards, since they remove next
to nothing there beyond the rest. If pips are given they remove many of the open values, most by alternating.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from math import inf
from typing import TypeAlias

from milp_pips.constraints.domino_cover.board import Board, adjacency_lists
from milp_pips.problem.constraint import Constraint, Domains
from milp_pips.problem.errors import Contradiction


class PropagatedCover:
    """The state of a domino cover while its domains and edges shrink; its variables must be distinct.

    ``near`` has, for each cell, the cells that may still share its domino. ``laid`` tells whether the domino
    of a cell is known, and ``left`` how many dominoes of each kind remain for the other cells. ``waiting``
    lists the cells to propagate, because something near them has changed. ``touched`` has the cells that have
    changed themselves or lost an edge, and ``unmatched`` both ends of lost edges; other propagators read and
    clear these two sets. ``near`` takes the place of the masks of the partners, which are neither read nor
    changed. Raises Contradiction if there are too many or too few dominoes.
    """

    def __init__(self, cover: Board, domains: Domains):
        self.left = {kind: most for kind, (_, most) in cover.bounds.items()}
        cells, dominoes = len(cover.values), sum(self.left.values())
        if cells != 2 * dominoes:
            raise Contradiction(f"{cells} cells cannot be covered by {dominoes} dominoes")
        self.cover, self._domains, self._trail = cover, domains, domains.trail
        self.near = list(map(frozenset, adjacency_lists(cells, cover.open_edges(domains.domain))))
        self.touched: set[int] = set()
        self.unmatched: set[int] = set()
        self.waiting = list(range(cells))
        self.names = [domains.name(v) for v in cover.values]
        self._cell = {v: i for i, v in enumerate(cover.values)}
        self.laid = [False] * cells
        self._beside_value: dict[int, int] = {}
        self._beside: dict[int, int] = {}
        self._pair_values()
        self._used_up: list[tuple[int, int]] = []

    def wake(self, v: int) -> None:
        """Queue the cell of a changed variable and its neighbours; do nothing if no cell has the variable."""
        i = self._cell.get(v)
        if i is not None:
            self.touched.add(i)
            self.waiting.append(i)
            self.waiting += self.near[i]

    def wake_if_used_up(self) -> None:
        """Queue the cells that could show a kind of domino of which the last one has been laid."""
        if self._used_up:
            beside, masks, shown = self._beside_value, self._domains.masks, 0
            for one, other in self._used_up:
                shown |= one | other
                self._trail.write(beside, one, beside[one] & ~other)
                self._trail.write(beside, other, beside[other] & ~one)
            self._used_up.clear()
            self._beside.clear()
            values, laid = self.cover.values, self.laid
            self.waiting += [i for i, v in enumerate(values) if masks[v] & shown and not laid[i]]

    def forget(self) -> None:
        """Clear all queues and caches after backtracking, since dominoes may be available again."""
        self.waiting.clear()
        self.touched.clear()
        self.unmatched.clear()
        self._beside.clear()
        self._used_up.clear()

    def __call__(self) -> None:
        """Keep, at the queued cells, the values and edges that a domino supports. Raises Contradiction."""
        values, masks, known = self.cover.values, self._domains.masks, self._beside
        waiting, laid, near = self.waiting, self.laid, self.near
        while waiting:
            i = waiting.pop()
            if laid[i]:
                continue
            mask, supported, useless = masks[values[i]], 0, []
            for j in near[i]:
                other = masks[values[j]]
                beside = known.get(other)
                if beside is None:
                    beside = known[other] = self._values_beside(other)
                if mask & beside:
                    supported |= beside
                else:
                    useless.append(j)
            for j in useless:
                self.drop(i, j)
            if mask & ~supported or not supported:
                self._domains.keep(values[i], supported, f"no domino fits on {self.names[i]}")
            if len(near[i]) == 1:
                (j,) = near[i]
                if len(near[j]) > 1:
                    self.match(i, j)
                one, other = masks[values[i]], masks[values[j]]
                if not one & (one - 1) and not other & (other - 1):
                    self._lay(i, j)

    def _pair_values(self) -> None:
        """Compute, for each value, the values beside it on the remaining dominoes."""
        bit, beside = self._domains.bit, self._beside_value
        for (a, b), times in self.left.items():
            if times and a in bit and b in bit:
                beside[bit[a]] = beside.get(bit[a], 0) | bit[b]
                beside[bit[b]] = beside.get(bit[b], 0) | bit[a]

    def _values_beside(self, mask: int) -> int:
        """Return the mask of values that can lie beside a value of ``mask``."""
        beside = 0
        for bit, others in self._beside_value.items():
            if mask & bit:
                beside |= others
        return beside

    def drop(self, i: int, j: int) -> None:
        """Remove the edge between these cells, if it still exists."""
        near = self.near
        if j in near[i]:
            self._trail.write(near, i, near[i] - {j})
            self._trail.write(near, j, near[j] - {i})
            self.touched.add(i)
            self.unmatched.update((i, j))
            self.waiting += (i, j)

    def match(self, i: int, j: int) -> None:
        """Make the cells partners: drop all other edges of both."""
        for end, other in ((i, j), (j, i)):
            for k in self.near[end] - {other}:
                self.drop(end, k)

    def _lay(self, i: int, j: int) -> None:
        """Count the domino on two cells, whose values are known. Raises Contradiction if none remains."""
        a, b, masks = self.cover.values[i], self.cover.values[j], self._domains.masks
        low, high = sorted((self._domains.least(a), self._domains.least(b)))
        times = self.left.get((low, high), 0) - 1
        if times < 0:
            raise Contradiction(f"more dominoes {low}-{high} are needed than there are")
        self._trail.write(self.laid, i, True)
        self._trail.write(self.laid, j, True)
        self._trail.write(self.left, (low, high), times)
        if not times:
            self._used_up.append((masks[a], masks[b]))


# Several constraints together: the halves of the dominoes.

Group: TypeAlias = tuple[tuple[int, ...], Constraint | None]
"""The cells of one rule, and the rule; or a single cell, without a rule."""


class ValueSupply:
    """The number of domino halves of each value, by its bit, and the groups of cells that share them.

    Every cell belongs to exactly one group. Rules form groups in their order, if something is known of how
    often they take each value, all their variables are cells, and none belongs to a group yet; each remaining
    cell is a group. A group whose values are all known subtracts its halves and is closed. Neither the cover
    nor a rule may name a variable twice. Raises Contradiction if no cell can show a value of the dominoes.
    """

    def __init__(self, cover: Board, rules: Iterable[Constraint], domains: Domains):
        self.domains = domains
        halves = self.halves = dict.fromkeys(domains.bit.values(), 0)
        for kind, (_, times) in cover.bounds.items():
            for value in kind:
                if value not in domains.bit:
                    raise Contradiction(f"no cell can show {value}")
                halves[domains.bit[value]] += times
        uncounted = set(cover.values)
        groups: list[Group] = []
        for rule in rules:
            total = rule.bounded_sum
            counted = rule.all_equal or rule.all_different or (total is not None and not total.coefficients)
            if counted and uncounted.issuperset(rule.variables):
                groups.append((rule.variables, rule))
                uncounted.difference_update(rule.variables)
        groups += [((v,), None) for v in cover.values if v in uncounted]
        self._open = [groups]

    @property
    def groups(self) -> list[Group]:
        """The open groups."""
        return self._open[0]

    def settle(self) -> None:
        """Subtract the halves shown by groups whose values are all known, and close these groups."""
        masks, halves, still = self.domains.masks, self.halves, []
        trail, groups = self.domains.trail, self._open[0]
        for group in groups:
            shown = [masks[v] for v in group[0]]
            if all(mask in halves for mask in shown):
                for mask in shown:
                    trail.write(halves, mask, halves[mask] - 1)
            else:
                still.append(group)
        if len(still) < len(groups):
            trail.write(self._open, 0, still)


def propagate_counts(supply: ValueSupply) -> None:
    """Bound the number of cells that show each value by its number of halves. Raises Contradiction.

    For each group, ``few`` and ``many`` bound the number of its cells with the value, and ``able`` counts the
    cells that can have it. The halves that the other groups leave over bound this number for the group from
    both sides, which may fix or remove the value in its cells.
    """
    domains, masks, keep = supply.domains, supply.domains.masks, supply.domains.keep
    supply.settle()
    groups = supply.groups
    for value, bit in domains.bit.items():
        halves = supply.halves[bit]
        why = f"the cells cannot show {value} as often as the dominoes do"
        undecided = []
        least = most = 0
        for variables, rule in groups:
            few = many = 0
            for v in variables:
                if (mask := masks[v]) & bit:
                    many += 1
                    few += mask == bit
            if not many:
                continue
            able = many
            if few < many > 1 and rule is not None:
                many = rule.most_taking(value, domains, few, many)
            least += few
            most += many
            if few < able:
                undecided.append((rule, variables, few, many, able))
        if not least <= halves <= most:
            raise Contradiction(why)
        for rule, variables, few, many, able in undecided:
            # the halves left for this group if the others take as few, or as many, as they can
            high, low = halves - least + few, halves - most + many
            equal = rule is not None and rule.all_equal
            refused = few == high or (equal and able > high)
            if refused or low == able or (equal and low > 0):
                for v in variables:
                    if masks[v] & bit and masks[v] != bit:
                        keep(v, ~bit if refused else bit, why)


def propagate_sums(supply: ValueSupply) -> None:
    """Bound the cells of a sum by the least and greatest sums of the remaining halves.

    Raises Contradiction.
    """
    domains, masks = supply.domains, supply.domains.masks
    left = dict(supply.halves)
    for variables, _ in supply.groups:
        for v in variables:
            if masks[v] in left:
                left[masks[v]] -= 1
    rising = [value for value, bit in domains.bit.items() for _ in range(left[bit])]
    cheapest, dearest = [0, *accumulate(rising)], [0, *accumulate(rising[::-1])]
    for variables, rule in supply.groups:
        cells = [v for v in variables if masks[v] not in left]
        total = rule.bounded_sum if rule is not None and len(cells) > 1 else None
        if rule is None or total is None:
            continue
        why = f"{rule.failure} with the dominoes that are left"
        decided = sum(domains.least_of([v for v in variables if masks[v] in left]))
        others = min(len(cells) - 1, len(rising))
        if total.low is not None:
            most = domains.most_of(cells)
            wanted, whole = total.low - decided, sum(most)
            for v, own in zip(cells, most, strict=True):
                domains.keep_between(v, wanted - min(dearest[others], whole - own), inf, why)
        if total.high is not None:
            least = domains.least_of(cells)
            spare, whole = total.high - decided, sum(least)
            for v, own in zip(cells, least, strict=True):
                domains.keep_between(v, -inf, spare - max(cheapest[others], whole - own), why)
