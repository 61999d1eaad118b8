"""Propagation of a ``DominoCover``: cell by cell, and by the number of times each value must be shown.

On large boards two more propagators run: perfect matchings (``counted.py``) and kinds of dominoes
(``kinds.py``). Measurements on puzzles made by people left them out for small boards, since they remove next
to nothing there beyond the rest. If pips are given they remove many of the open values, most by alternating.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from math import inf

from milp_pips.constraints import AllDifferent, AllEqual, DominoCover, LinearSum
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.problem import Problem
from milp_pips.propagation.domains import Domains


class PropagatedCover:
    """The state of a domino cover while its domains and edges shrink; its variables must be distinct.

    ``near`` has, for each cell, the cells that may still share its domino. ``laid`` tells whether the domino
    of a cell is known, and ``left`` how many dominoes of each kind remain for the other cells. ``waiting``
    lists the cells to propagate, because something near them has changed. ``touched`` has the cells that have
    changed themselves or lost an edge, and ``unmatched`` both ends of lost edges; other propagators read and
    clear these two sets. Raises Contradiction if there are too many or too few dominoes.
    """

    def __init__(self, problem: Problem, cover: DominoCover, domains: Domains):
        cells, dominoes = len(cover.values), len(cover.dominoes)
        if cells != 2 * dominoes:
            raise Contradiction(f"{cells} cells cannot be covered by {dominoes} dominoes")
        self.cover, self._domains, self._trail = cover, domains, domains.trail
        near: list[set[int]] = [set() for _ in range(cells)]
        partners = [problem.variables[v].domain for v in cover.partners]
        for i, j in cover.edges:
            if j in partners[i] and i in partners[j]:
                near[i].add(j)
                near[j].add(i)
        self.near = [frozenset(others) for others in near]
        self.touched: set[int] = set()
        self.unmatched: set[int] = set()
        self.waiting = list(range(cells))
        self.names = [problem.variables[v].name for v in cover.values]
        self._cell = {v: i for i, v in enumerate(cover.values)}
        self.left = cover.kinds
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

    def propagate(self) -> None:
        """Keep, at the queued cells, the values and edges that a domino supports. Raises Contradiction."""
        values, masks, known = self.cover.values, self._domains.masks, self._beside
        waiting, laid = self.waiting, self.laid
        while waiting:
            i = waiting.pop()
            if laid[i]:
                continue
            mask, supported, useless = masks[values[i]], 0, []
            for j in self.near[i]:
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
            if len(self.near[i]) == 1:
                (j,) = self.near[i]
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
        """Match a cell with its only neighbour; count the domino as laid if both values are known.

        Raises Contradiction if no domino of that kind remains.
        """
        if len(self.near[j]) > 1:
            self.match(i, j)
        a, b, masks = self.cover.values[i], self.cover.values[j], self._domains.masks
        if masks[a].bit_count() == masks[b].bit_count() == 1:
            low, high = sorted((self._domains.least(a), self._domains.least(b)))
            times = self.left.get((low, high), 0) - 1
            if times < 0:
                raise Contradiction(f"more dominoes {low}-{high} are needed than there are")
            self._trail.write(self.laid, i, True)
            self._trail.write(self.laid, j, True)
            self._trail.write(self.left, (low, high), times)
            if not times:
                self._used_up.append((masks[a], masks[b]))


class ValueSupply:
    """The number of domino halves of each value, and the groups of cells that share them.

    A group is the cells of one rule, or a single cell. Every cell belongs to exactly one group. Rules form
    groups in their order, if all their variables are cells and none belongs to a group yet; each remaining
    cell is a group. A group whose values are all known subtracts its halves and is closed. Neither the cover
    nor a rule may name a variable twice. Raises Contradiction if no cell can show a value of the dominoes.
    """

    def __init__(self, cover: DominoCover, rules: Iterable[Constraint], domains: Domains):
        self._domains = domains
        halves = self._halves = dict.fromkeys(domains.bit.values(), 0)
        for domino in cover.dominoes:
            for value in domino:
                if value not in domains.bit:
                    raise Contradiction(f"no cell can show {value}")
                halves[domains.bit[value]] += 1
        uncounted = set(cover.values)
        groups: list[tuple[Constraint | None, tuple[int, ...]]] = []
        for rule in rules:
            plain = not (isinstance(rule, LinearSum) and rule.coefficients)
            counted = isinstance(rule, AllEqual | AllDifferent | LinearSum) and plain
            if counted and uncounted.issuperset(rule.variables):
                groups.append((rule, rule.variables))
                uncounted.difference_update(rule.variables)
        groups += [(None, (v,)) for v in cover.values if v in uncounted]
        self._open = [groups]

    def _settle(self) -> None:
        """Subtract the halves shown by groups whose values are all known, and close these groups."""
        masks, halves, still = self._domains.masks, self._halves, []
        trail, groups = self._domains.trail, self._open[0]
        for group in groups:
            shown = [masks[v] for v in group[1]]
            if all(mask in halves for mask in shown):
                for mask in shown:
                    trail.write(halves, mask, halves[mask] - 1)
            else:
                still.append(group)
        if len(still) < len(groups):
            trail.write(self._open, 0, still)

    def propagate_counts(self) -> None:
        """Bound the number of cells that show each value by its number of halves. Raises Contradiction.

        For each group, ``few`` and ``many`` bound the number of its cells with the value, and ``able`` counts
        the cells that can have it. The halves that the other groups leave over bound this number for the
        group from both sides, which may fix or remove the value in its cells.
        """
        masks, keep = self._domains.masks, self._domains.keep
        self._settle()
        for value, bit in self._domains.bit.items():
            halves = self._halves[bit]
            why = f"the cells cannot show {value} as often as the dominoes do"
            open_groups = []
            least = most = 0
            for rule, variables in self._open[0]:
                few = many = 0
                for v in variables:
                    if masks[v] & bit:
                        many += 1
                        few += masks[v] == bit
                able = many
                if few < many > 1:
                    many = self._most(rule, value, bit, few, many)
                least += few
                most += many
                if few < able:
                    open_groups.append((rule, variables, few, many, able))
            if not least <= halves <= most:
                raise Contradiction(why)
            for rule, variables, few, many, able in open_groups:
                # the halves left for this group if the others take as few, or as many, as they can
                high, low = halves - least + few, halves - most + many
                equal = isinstance(rule, AllEqual)
                refused = few == high or (equal and able > high)
                if refused or low == able or (equal and low > 0):
                    for v in variables:
                        if masks[v] & bit and masks[v] != bit:
                            keep(v, ~bit if refused else bit, why)

    def propagate_sums(self) -> None:
        """Bound the cells of a sum by the least and greatest sums of the remaining halves.

        Raises Contradiction.
        """
        domains, masks = self._domains, self._domains.masks
        left = dict(self._halves)
        for _, variables in self._open[0]:
            for v in variables:
                if masks[v] in left:
                    left[masks[v]] -= 1
        rising = [value for value, bit in domains.bit.items() for _ in range(left[bit])]
        cheapest, dearest = [0, *accumulate(rising)], [0, *accumulate(rising[::-1])]
        for rule, variables in self._open[0]:
            cells = [v for v in variables if masks[v] not in left]
            if not isinstance(rule, LinearSum) or len(cells) < 2:
                continue
            why = f"{rule.label or 'a rule'} cannot be met with the dominoes that are left"
            decided = sum([domains.least(v) for v in variables if masks[v] in left])
            low, high = rule.bounds
            others = min(len(cells) - 1, len(rising))
            if low is not None:
                most = [domains.most(v) for v in cells]
                wanted, total = low - decided, sum(most)
                for v, own in zip(cells, most, strict=True):
                    domains.keep_between(v, wanted - min(dearest[others], total - own), inf, why)
            if high is not None:
                least = [domains.least(v) for v in cells]
                spare, total = high - decided, sum(least)
                for v, own in zip(cells, least, strict=True):
                    domains.keep_between(v, -inf, spare - max(cheapest[others], total - own), why)

    def _most(self, rule: Constraint | None, value: int, bit: int, few: int, many: int) -> int:
        """Return an upper bound on the number of cells of a rule that show the value.

        ``few`` cells show it for certain, and ``many`` can.
        """
        domains = self._domains
        if isinstance(rule, AllDifferent):
            return max(1, few)
        if isinstance(rule, LinearSum):
            low, high = rule.bounds
            able = [v for v in rule.variables if domains.masks[v] & bit]
            if high is not None:
                spare = high - sum([domains.least(v) for v in rule.variables])
                many = min(many, _how_many([value - domains.least(v) for v in able], spare))
            if low is not None:
                spare = sum([domains.most(v) for v in rule.variables]) - low
                many = min(many, _how_many([domains.most(v) - value for v in able], spare))
        return many


def _how_many(costs: list[int], spare: int) -> int:
    """Return the greatest number of the costs, all non-negative, whose sum is at most ``spare``."""
    return bisect_right(list(accumulate(sorted(costs))), spare)
