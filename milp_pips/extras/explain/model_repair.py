"""Remove items from a clash by repairs of one proof.

The proof is a branch-and-bound tree: each leaf has a sum of rows and bounds that refutes it, and so the
items on which it rests. Without an item only the leaves that use it are open again. They are searched where
the item is broken, since the old proof holds where it is not. Either all close, and the item goes, or a point
shows that it is needed: a deletion filter (Guieu and Chinneck 1999) that keeps its proof. All is in floats:
the caller judges the points, and proves what stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import ceil, floor, isfinite
from typing import NamedTuple

import numpy as np

from milp_pips.engines.highs_lp import Floats, LoadedLp, LpRows, LpStatus
from milp_pips.enumeration.tree_points import nearest_float
from milp_pips.extras.explain.model_items import KINDS_OF_BOUNDS, ModelItems
from milp_pips.extras.explain.model_trees import is_aim, nodes_for
from milp_pips.formulations.exact import Number

INF = float("inf")

FRACTION = 1e-6
"""What is nearer to a whole number is whole."""

SMALLEST_FACTOR = 1e-9
"""Smaller parts of a sum do not count."""

LEAST_GAP = 1e-7
"""By how much a sum has to exceed what the box allows, where its largest factor is 1."""

PROOF_WORK = 2_500_000
"""The most work for the first proof, in coefficients of rows at all runs of the LP: half a second.

Where a proof takes longer, an engine is quicker: lots of 14 periods take 0.6 of the time, p0033 0.7.
"""

FEWEST_NODES = 100
"""Where the first proof may have fewer nodes each of them takes long, and there is no repair."""

TRIED_AIMS = 8
"""The most rows that are tried as the aim."""

ALL_WORK = 26_000_000
"""The most work in all."""

ITEM_NODES = 100
"""The most nodes that decide on one item."""

LAST_NODES = 1000
"""The most nodes where fewer have not decided."""

ROW_STAGES = ((("row",), ITEM_NODES),)
"""The kinds of items that are left out one after another, and the nodes for each: first rows alone."""

STAGES = (
    (("integer",), ITEM_NODES),
    (KINDS_OF_BOUNDS, ITEM_NODES),
    (("row", "integer"), LAST_NODES),
    (KINDS_OF_BOUNDS, LAST_NODES),
)
"""The same after that: a bound or integrality that is gone makes rows needed."""

MOST_OPEN = 2
"""The last stage ends after so many bounds in a row that stay open: a proof without those of integer columns
has many leaves."""

DEEP = 5
"""After so many branches on one column the rest of the tree comes first: unbounded columns have no last."""

TRIED = 4
"""The columns that are tried at a node of the first proof: the most fractional, and the most used."""

BRANCH_ITERATIONS = 30
"""The most iterations of a trial."""

REFUTED_GAIN = 1e6
"""What a branch counts that a trial refutes."""

FADING = 1.02
"""How much more a leaf counts than the one before, when columns are chosen (as in SAT engines: VSIDS)."""


class Branch(NamedTuple):
    """A sum, by number, between two ends: a column, or after all columns a row."""

    number: int
    low: float
    high: float


class Leaf(NamedTuple):
    """A part of the tree by its branches, and the items that refute it."""

    path: tuple[Branch, ...]
    items: frozenset[int]


class Repair:
    """A proof that items clash, which gets smaller; ``kept`` are the items that are left.

    The costs of the LP are those of a row, the aim: its vertices are near points that hardly break it.
    """

    def __init__(self, items: ModelItems, clash: Iterable[int], look: Callable[[], None]):
        self._items, self._look, self.kept = items, look, set(clash)
        model = items.model
        self._first_row = len(model.columns)
        size = self._first_row + len(model.rows)
        starts, columns, factors = [0], list[int](), list[float]()
        for i, row in enumerate(model.rows):  # each is a column more, which has its sides as bounds
            columns += [*row.terms, self._first_row + i]
            factors += [*map(nearest_float, row.terms.values()), -1.0]
            starts.append(len(columns))
        self._row_of = np.repeat(np.arange(len(model.rows)), np.diff(starts))
        self._column_of, self._factors = np.array(columns, dtype=np.int32), np.array(factors)
        self._low, self._high = np.full(size, -INF), np.full(size, INF)
        self._item_of = [[-1, -1] for _ in range(size)]
        self._integer = dict[int, int]()
        for i in self.kept:
            self._set(i, is_kept=True)
        self._costs, zeros = np.zeros(size), np.zeros(len(model.rows))
        self._lp_low, self._lp_high = self._low.copy(), self._high.copy()
        rows = LpRows(zeros, zeros, np.array(starts, dtype=np.int32), self._column_of, self._factors)
        self._lp = LoadedLp(self._costs, self._lp_low, self._lp_high, rows)
        self._leaves = list[Leaf]()
        self._drops_rows_only = True
        self.has_proof = False
        """Whether a proof has been found."""
        self._counts = Counter[int]()
        """How many leaves use each item."""
        self._use, self._weight, self.runs = np.zeros(size), 1.0, 0

    def prove(self) -> None:
        """Look for a proof: items that it does not use are gone."""
        nodes = nodes_for(self._items.model, PROOF_WORK)
        if nodes < FEWEST_NODES:
            return
        self.most_runs = nodes
        self._find_aim()
        found, _ = self._search([()], nodes, tries=True)
        self.most_runs = nodes_for(self._items.model, ALL_WORK)
        if found is not None:
            self._replace(found)
            self.has_proof = True

    def _find_aim(self) -> None:
        """Take the costs of a row with many columns, whose side is near what the LP allows without it."""
        rows, items = self._items.model.rows, self._items.items
        able = {i: rows[items[i].number] for i in self.kept if items[i].kind == "row"}
        longest = sorted((i for i in able if is_aim(able[i])), key=lambda i: (-len(able[i].terms), i))
        best, costs = 0.0, self._costs
        for i in longest[:TRIED_AIMS]:
            k, sign = self._first_row + items[i].number, -1.0 if able[i].high is None else 1.0
            side = self._high[k] if sign > 0 else -self._low[k]
            factors = [(j, sign * nearest_float(a)) for j, a in able[i].terms.items()]
            least = sum(a * (self._low if a > 0 else self._high)[j] for j, a in factors)
            if not isfinite(least):
                continue
            self._set(i, is_kept=False)
            self._set_costs(sign * (np.arange(len(self._low)) == k))
            if self._solve(()) is LpStatus.OPTIMAL and (gap := side - self._lp.value) > FRACTION:
                score = len(factors) * (1 - gap / (side - least))
                if score > best:
                    best, costs = score, self._costs
            self._set(i, is_kept=True)
        self._set_costs(costs)

    def _set_costs(self, costs: Floats) -> None:
        self._costs = costs
        self._lp.set_costs(costs)

    def points(
        self, stages: Sequence[tuple[tuple[str, ...], int]], needed: set[int]
    ) -> Iterator[tuple[int, list[float]]]:
        """Leave out items; yield those that stay, each with a point that obeys all others.

        ``needed`` items are not tried. It may grow between the points. Before stages with other items than
        rows, those that no leaf uses are gone.
        """
        if stages is not ROW_STAGES:
            self._drops_rows_only = False
            self._replace(self._leaves)
        for kinds, nodes in stages:
            tried, still_open = set[int](), 0
            is_last = (kinds, nodes) == STAGES[-1]
            while left := [i for i in self.kept - needed - tried if self._items.items[i].kind in kinds]:
                i = min(left, key=self.order)
                tried.add(i)
                if (point := self.without(i, nodes)) is not None:
                    yield i, point
                still_open = still_open + 1 if is_last and point is None and i in self.kept else 0
                if self.runs >= self.most_runs or still_open == MOST_OPEN:
                    return

    def order(self, i: int) -> tuple[int, int]:
        """Return a key for items: first those that few leaves use."""
        return self._counts[i], i

    def without(self, i: int, nodes: int) -> list[float] | None:
        """Leave out an item if the proof can be repaired; return a point if one is found instead."""
        opened = [leaf for leaf in self._leaves if i in leaf.items]
        kind, number = self._items.items[i]
        paths, old = list[tuple[Branch, ...]](), list[Leaf]()
        if kind == "integer":  # what its branches have split is one part again
            rows = self._items.model.rows
            split = {number, *(self._first_row + k for k, row in enumerate(rows) if number in row.terms)}
            ends = {_before(leaf.path, split) for leaf in opened}
            paths = [path for path in ends if not any(path[:n] in ends for n in range(len(path)))]
            paths.sort(key=len)
        else:
            inside, outside = self._sides(i)
            by = self._integralities(inside.number)
            for leaf in opened:
                old.append(Leaf((*leaf.path, inside), (leaf.items - {i}) | by))
                paths += [(*leaf.path, side) for side in outside]
        self._set(i, is_kept=False)
        found, point = self._search(paths, nodes)
        if found is None:
            self._set(i, is_kept=True)
            return point
        ends = {leaf.path for leaf in found}
        kept = [leaf for leaf in self._leaves if i not in leaf.items] + old
        kept = [leaf for leaf in kept if not any(leaf.path[:n] in ends for n in range(len(leaf.path)))]
        self._replace(kept + found)
        return None

    @property
    def state(self) -> tuple[list[Leaf], frozenset[int]]:
        """The proof and its items, for ``restore``."""
        return self._leaves, frozenset(self.kept)

    def restore(self, state: tuple[list[Leaf], frozenset[int]]) -> None:
        """Take a proof and its items again."""
        leaves, kept = state
        for i in self.kept ^ kept:
            self._set(i, is_kept=i in kept)
        self.kept = set(kept)
        self._replace(leaves)

    def add(self, i: int) -> None:
        """Let the proof use an item more."""
        self._set(i, is_kept=True)
        self.kept.add(i)

    def _replace(self, leaves: list[Leaf]) -> None:
        """Take other leaves; rows that none of them uses are gone, and later other items, too."""
        self._leaves, self._counts = leaves, Counter(i for leaf in leaves for i in leaf.items)
        for i in self.kept - self._counts.keys():
            if not self._drops_rows_only or self._items.items[i].kind == "row":
                self._set(i, is_kept=False)
                self.kept.remove(i)

    # Items as bounds of sums.

    def _ends(self, i: int) -> tuple[int, Number | None, Number | None]:
        """Return the sum that an item bounds, and its ends."""
        kind, number = self._items.items[i]
        if kind == "row":
            row = self._items.model.rows[number]
            return self._first_row + number, row.low, row.high
        column = self._items.model.columns[number]
        return number, None if kind == "high" else column.low, None if kind == "low" else column.high

    def _set(self, i: int, *, is_kept: bool) -> None:
        kind, number = self._items.items[i]
        if kind == "integer":
            if is_kept:
                self._integer[number] = i
            else:
                self._integer.pop(number, None)
            return
        k, *ends = self._ends(i)
        for side, end, box, none in zip((0, 1), ends, (self._low, self._high), (-INF, INF), strict=True):
            if end is not None:
                box[k] = nearest_float(end) if is_kept else none
                self._item_of[k][side] = i if is_kept else -1

    def _sides(self, i: int) -> tuple[Branch, list[Branch]]:
        """Return where an item holds, and the parts where it does not."""
        k, low, high = self._ends(i)
        step = 1 if self._integralities(k) else 0
        least, most = (
            -INF if low is None else nearest_float(low),
            INF if high is None else nearest_float(high),
        )
        outside = [Branch(k, -INF, least - step)] if low is not None else []
        outside += [Branch(k, most + step, INF)] if high is not None else []
        return Branch(k, least, most), outside

    def _integralities(self, k: int) -> frozenset[int]:
        """Return the integralities by which a sum is whole; none if it need not be."""
        if k < self._first_row:
            return frozenset([self._integer[k]]) if k in self._integer else frozenset()
        row = self._items.model.rows[k - self._first_row]
        numbers = (*row.terms.values(), row.low or 0, row.high or 0)
        if all(j in self._integer for j in row.terms) and all(a.denominator == 1 for a in numbers):
            return frozenset([self._integer[j] for j in row.terms])
        return frozenset()

    # The search.

    def _search(
        self, paths: Sequence[tuple[Branch, ...]], nodes: int, *, tries: bool = False
    ) -> tuple[list[Leaf] | None, list[float] | None]:
        """Return leaves that refute parts of the tree; else None, and a point if one is found."""
        waiting, leaves = list(reversed(paths)), list[Leaf]()
        while waiting:
            nodes -= 1
            if nodes < 0 or self.runs >= self.most_runs:
                return None, None
            self._look()
            path = waiting.pop()
            status = self._solve(path)
            if status is LpStatus.INFEASIBLE:
                if (leaf := self._leaf(path)) is None:
                    return None, None
                n = len(leaf.path)
                if n < len(path):  # its sum needs no later branches: it refutes a larger part
                    leaves = [each for each in leaves if each.path[:n] != leaf.path]
                    waiting = [each for each in waiting if each[:n] != leaf.path]
                leaves.append(leaf)
                continue
            if status is not LpStatus.OPTIMAL:
                return None, None
            vertex = np.array(self._lp.vertex)
            if (j := self._choose(vertex, path, tries=tries)) is None:
                return None, self._at_whole(path, vertex)
            below, above = _split(j, vertex[j])
            nearer = vertex[j] - below.high > 1 / 2
            sides = [(*path, side) for side in ((below, above) if nearer else (above, below))]
            if sum(branch.number == j for branch in path) < DEEP:
                waiting += sides
            else:
                waiting[:0] = sides
        return leaves, None

    def _at_whole(self, path: tuple[Branch, ...], vertex: Floats) -> list[float] | None:
        """Return a vertex where the columns that are nearly whole are whole: else tolerances add up."""
        whole = [Branch(j, *[float(round(vertex[j]))] * 2) for j in self._integer]
        if self._solve((*path, *whole)) is not LpStatus.OPTIMAL:
            return None
        return self._lp.vertex[: self._first_row]

    def _choose(self, vertex: Floats, path: tuple[Branch, ...], *, tries: bool) -> int | None:
        """Return the column to branch on; None if the vertex is integral."""
        columns = np.array(list(self._integer), dtype=int)
        parts = np.abs(vertex[columns] - np.round(vertex[columns]))
        is_open = parts > FRACTION
        columns, parts = columns[is_open], parts[is_open]
        if not len(columns):
            return None
        scores = parts * (self._use[columns] + self._weight / 1000)
        chosen = int(columns[np.argmax(scores)])
        if not tries or len(columns) == 1:
            return chosen
        candidates = [*np.argsort(-parts)[:TRIED], *np.argsort(-scores)[:TRIED]]
        value, best = self._lp.value, -1.0
        self._lp.limit_iterations(BRANCH_ITERATIONS)
        for j in dict.fromkeys(columns[candidates].tolist()):
            gain = 1.0
            for branch in _split(j, vertex[j]):
                is_closed = self._solve((*path, branch)) is LpStatus.INFEASIBLE
                gain *= REFUTED_GAIN if is_closed else max(self._lp.value - value, 1e-4)
            if gain > best:
                best, chosen = gain, j
        self._lp.limit_iterations(2**31 - 1)
        return chosen

    def _solve(self, path: tuple[Branch, ...]) -> LpStatus:
        low, high = self._low.copy(), self._high.copy()
        for k, least, most in path:
            low[k], high[k] = max(low[k], least), min(high[k], most)
        self._at_low, self._at_high = low, high
        self._crossed = np.flatnonzero(low > high)
        if len(self._crossed):
            return LpStatus.INFEASIBLE
        changed = np.flatnonzero((low != self._lp_low) | (high != self._lp_high))
        self._lp.bounds(changed, low[changed], high[changed])
        self._lp_low, self._lp_high = low, high
        self.runs += 1
        status = self._lp.run()
        if status is LpStatus.UNBOUNDED:  # any vertex will do
            self._lp.set_costs(0 * self._costs)
            status = self._lp.run()
            self._lp.set_costs(self._costs)
        return status

    def _leaf(self, path: tuple[Branch, ...]) -> Leaf | None:
        """Return the leaf of an LP without a point, as near to the root as its sum allows."""
        if len(self._crossed):
            uses = [(int(self._crossed[0]), side) for side in (0, 1)]
        else:
            ray = self._lp.dual_ray
            if ray is None:
                return None
            parts = self._factors * ray[self._row_of]
            total: Floats = np.bincount(self._column_of, parts, len(self._low)).astype(np.float64)
            total /= np.abs(total).max() or 1
            total[np.abs(total) < SMALLEST_FACTOR] = 0
            used = np.flatnonzero(total)
            for sums in (total[used], -total[used]):
                if (sums * np.where(sums > 0, self._at_low[used], self._at_high[used])).sum() > LEAST_GAP:
                    break
            else:
                return None
            uses = list(zip(used.tolist(), (sums < 0).astype(int).tolist(), strict=True))
        tight, by = dict[tuple[int, int], float](), dict[tuple[int, int], int]()
        for n, (k, least, most) in enumerate(path):
            if least > tight.get((k, 0), self._low[k]):
                tight[k, 0], by[k, 0] = least, n
            if most < tight.get((k, 1), self._high[k]):
                tight[k, 1], by[k, 1] = most, n
        items = {self._item_of[k][side] for k, side in uses if (k, side) not in by}
        last = -1
        for use in uses:
            if use in by:
                self._use[use[0]] += self._weight
                last = max(last, by[use])
        self._weight *= FADING
        if self._weight > 1 / SMALLEST_FACTOR:
            self._use, self._weight = self._use / self._weight, 1.0
        for branch in path[: last + 1]:
            items |= self._integralities(branch.number)
        return Leaf(path[: last + 1], frozenset(items))


def _split(j: int, value: float) -> tuple[Branch, Branch]:
    return Branch(j, -INF, float(floor(value))), Branch(j, float(ceil(value)), INF)


def _before(path: tuple[Branch, ...], split: set[int]) -> tuple[Branch, ...]:
    """Return the part of a path before the first branch on some sums."""
    return next((path[:n] for n, branch in enumerate(path) if branch.number in split), path)
