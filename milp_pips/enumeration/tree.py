"""All solutions of a bounded MIP in one branch-and-bound tree over a live LP, pruned by exact bounds alone.

Nodes are boxes of whole numbers. At each the rows tighten the bounds, the LP proposes multipliers and a vertex,
and ``safe_bounds`` turns the multipliers into a bound that is exactly true; a status of the LP decides nothing.
Reduced costs remove the parts of a column's range that lie above the cutoff. Where the vertex is integral, it
is a point: the tree branches around it and goes on (one-tree enumeration: Danna, Fenelon, Gu, Wunderling 2007;
counting: Achterberg, Heinz, Koch 2008; exact MIP: Cook, Koch, Steffy, Wolter 2013). With a log, what the tree
decided by is a certificate that a stranger checks; see ``tree_log``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor
from typing import Any, NamedTuple, TypeVar

import numpy as np

from milp_pips.engines.highs_lp import LoadedLp, LpRows, LpStatus
from milp_pips.enumeration.safe_bounds import MOST_BITS, Multipliers, SafeBounds
from milp_pips.enumeration.strengthening import strengthened
from milp_pips.enumeration.tree_box import Entries, TreeBox
from milp_pips.enumeration.tree_log import TreeLog
from milp_pips.enumeration.whole import WholeModel, in_whole_numbers
from milp_pips.enumeration.witness import exact_duals, exact_ray, exact_vertex
from milp_pips.formulations.model import Model, Number
from milp_pips.problem import UsageError
from milp_pips.problem.errors import visible

INTEGRAL = 1e-6
"""How far from a whole number a value of a vertex may be to count as one; the point is judged exactly."""

Reason = TypeVar("Reason")


@dataclass(frozen=True, slots=True)
class TreeQuery:
    """What is asked of a tree.

    Parameters
    ----------
    chosen
        The integer columns in which solutions differ; None for all integer columns.
    within
        How far from the optimum a solution may be, in units of the objective; None for all solutions.
    within_relative
        The same as a share of the optimum's absolute value; both together add up.
    best
        The number of best solutions that are asked for; None for all.
    """

    chosen: tuple[int, ...] | None = None
    within: Number | None = None
    within_relative: Number | None = None
    best: int | None = None

    @property
    def has_cutoff(self) -> bool:
        """Whether the objective excludes solutions."""
        return not (self.within is self.within_relative is self.best is None)


class Point(NamedTuple):
    """An exactly judged point: the values of all columns, the value of the objective, and its number."""

    values: tuple[Number, ...]
    value: Number
    number: int


class Cutoff(NamedTuple):
    """The sum of costs ``over / under`` above which nothing is wanted; if ``closed``, from which on."""

    over: int
    under: int
    closed: bool

    def excludes(self, cost: Number) -> bool:
        """Return whether a sum of costs is not wanted."""
        limit = Fraction(self.over, self.under)
        return cost >= limit if self.closed else cost > limit

    def excludes_bound(self, bound: int, scale: int) -> bool:
        """Return whether all that is at least ``bound / scale`` is not wanted."""
        return bound * self.under + self.closed > scale * self.over


class _Witness(NamedTuple):
    """A point in units of the columns, and multipliers that say that none of its node is better, if known."""

    values: list[Number]
    proof: Multipliers | None


class _Node(NamedTuple):
    """A node that waits: where its parent's trail ends, its share, its branch, and what its parent found out."""

    mark: int
    share: float
    column: int
    low: int
    high: int
    multipliers: Multipliers | None
    vertex: list[float] | None
    witness: _Witness | None
    """The point at the vertex; None if there is none."""
    in_force: Multipliers | None
    """The multipliers that the log has stated last on the way here."""


@dataclass
class TreeOutcome:
    """What a tree has found out so far.

    Parameters
    ----------
    points
        The points within the cutoff, in the order in which they were found.
    complete
        Whether no other point is within the cutoff: the tree is finished and has no open leaf.
    stop
        Why the tree stopped before that; None if it did not.
    optimum
        The exact optimum, once the tree is finished and the objective counts.
    open_leaves
        The leaves with neither an exact witness nor a refutation.
    nodes, lps, settled
        Nodes, runs of the LP, and the share of the box that is settled.
    """

    points: list[Point] = field(default_factory=list)
    complete: bool = False
    stop: Any = None
    optimum: Number | None = None
    open_leaves: int = 0
    nodes: int = 0
    lps: int = 0
    settled: float = 0.0


class Tree:
    """A branch-and-bound tree that lists solutions; see ``points``.

    Parameters
    ----------
    model
        The model. Each of its integer columns needs bounds, stated or implied by rows.
    query
        What is asked.
    start
        Known points, values of all columns by position: they are judged like any other.
    stop
        Called between nodes; anything but None stops the tree.
    log
        Where the certificate goes; None for none.

    Raises
    ------
    UsageError
        For a column without bounds.
    """

    def __init__(
        self,
        model: Model,
        query: TreeQuery,
        start: Iterable[Mapping[int, Number]] = (),
        stop: Callable[[], Reason | None] = lambda: None,
        log: TreeLog | None = None,
    ):
        self.whole = self._stated = whole = in_whole_numbers(model)
        self.query, self.outcome = query, TreeOutcome()
        self._stop, self._log, self._start = stop, log, list(start)
        self._integers = [j for j, integer in enumerate(whole.integer) if integer]
        self._chosen = list(query.chosen) if query.chosen is not None else self._integers
        self._pure = len(self._integers) == len(whole.low)
        self._cut: Cutoff | None = None
        self._best: Number | None = None
        self._kept: dict[tuple[Number, ...], Point] = {}
        self._count = 0
        self._found: dict[tuple[Number, ...], Point] = {}
        chosen = set(self._chosen)
        self._priced_by_chosen = all(j in chosen for j, cost in enumerate(whole.cost) if cost)
        self._box = TreeBox(whole)
        self._rest = [j for j in self._integers if j not in chosen]

    # What the caller iterates over.

    def points(self) -> Iterator[Point]:
        """Yield points as they are found, each judged exactly.

        With a cutoff, a later and better point may exclude earlier ones: ``outcome.points`` has those that
        count. A later point with the same chosen columns, of the others the best, replaces one before it. After the
        last point ``outcome`` is final.
        """
        if self._log is not None:
            self._log.begin()
        if self._is_empty():
            self.outcome.complete, self.outcome.settled = True, 1.0
            return
        try:
            yield from self._search()
        finally:
            self.outcome.points = list(self._kept.values())

    def _search(self) -> Iterator[Point]:
        root: Entries = []
        alive = self._box.propagate(root)
        if alive:
            self._require_bounds()
            tighter = strengthened(self.whole, self._box, root)
            if tighter is not self.whole:
                self.whole, self._box = tighter, TreeBox(tighter, (self._box.low, self._box.high))
                alive = self._box.propagate(root)
        self._bounds = SafeBounds(self.whole, self._box)
        self._load()
        for values in self._start:
            point = [values[j] * unit for j, unit in enumerate(self.whole.unit)]
            if self._stated.holds(point):
                yield from self._take(point)
        stack: list[_Node] = []
        if alive:
            yield from self._process(_Node(0, 1.0, -1, 0, 0, None, None, None, None), root, stack)
        else:
            self._close(root, 1.0)
        yield from self._descend(stack)
        outcome = self.outcome
        outcome.complete = outcome.stop is None and not outcome.open_leaves
        if outcome.complete and self.query.has_cutoff and self._best is not None:
            outcome.optimum = self.whole.value_of(self._best)

    def _descend(self, stack: list[_Node]) -> Iterator[Point]:
        box = self._box
        while stack:
            reason = self._stop()
            if reason is not None:
                self.outcome.stop = reason
                for node in reversed(stack):
                    self._write([["o"]])
                return
            node = stack.pop()
            box.undo(node.mark)
            box.change(node.column, node.low, node.high)
            entries: Entries = []
            if box.propagate(entries):
                yield from self._process(node, entries, stack)
            else:
                self._close(entries, node.share)
        self.outcome.settled = min(1.0, self.outcome.settled)

    # One node.

    def _process(self, node: _Node, entries: Entries, stack: list[_Node]) -> Iterator[Point]:
        """Close a node, or put its children on the stack."""
        box, multipliers, vertex, outcome = self._box, node.multipliers, node.vertex, self.outcome
        outcome.nodes += 1
        self._in_force = node.in_force
        witness = node.witness
        if multipliers is not None and not self._tighten(multipliers, entries):
            self._close(entries, node.share)
            return
        if vertex is not None and not self._contains(vertex):
            vertex = witness = None
        is_new = vertex is None
        while vertex is None:
            if self._is_full():
                break
            status = self._run()
            if status is LpStatus.OPTIMAL:
                vertex = self._lp.vertex
                if self.query.has_cutoff:
                    multipliers = self._priced(entries)
                    if multipliers is None:
                        self._close(entries, node.share)
                        return
            elif status is LpStatus.INFEASIBLE:
                if self._refute(entries):
                    self._close(entries, node.share)
                    return
                break
            else:
                break
            if not self._contains(vertex):
                vertex = None
        if vertex is not None:
            if is_new:
                witness = self._witness_at(vertex)
        elif self._pure and self._is_full():
            corner: list[Number] = list(box.low)  # type: ignore[arg-type]
            witness = _Witness(corner, None) if self._stated.holds(corner) else None
        if witness is not None:
            yield from self._take(witness.values)
        self._branch_or_close(_Node(*node[:5], multipliers, vertex, witness, None), entries, stack)

    def _is_full(self) -> bool:
        """Return whether no column is left to an LP."""
        return self._pure and bool((self._box.lows == self._box.highs).all())

    def _branch_or_close(
        self, node: _Node, entries: Entries, stack: list[_Node]
    ) -> None:
        box, witness = self._box, node.witness
        low, high = box.low, box.high
        free = [j for j in self._chosen if low[j] != high[j]]
        if not free:
            if witness is not None and self._close_by_point(node, entries, witness):
                return
            free = [j for j in self._rest if low[j] != high[j]]
            if not free:
                self._close_fixed(node, entries)
                return
        vertex = node.vertex
        column, ranges = self._branch(free, vertex, is_point=witness is not None)
        entries.append(["x", column, *(end for ends in ranges for end in ends)])
        self._write(entries)
        total = sum(last - first + 1 for first, last in ranges)
        mark = box.mark
        for first, last in reversed(ranges):
            share = node.share * ((last - first + 1) / total)
            stack.append(_Node(mark, share, column, first, last, node.multipliers, vertex, witness, self._in_force))

    def _branch(
        self, free: list[int], vertex: list[float] | None, *, is_point: bool
    ) -> tuple[int, list[tuple[int, int]]]:
        """Return a column to branch on, and the ranges of the children, the first to visit first."""
        low, high = self._box.low, self._box.high
        if vertex is None:
            j = min(free, key=lambda j: high[j] - low[j])  # type: ignore[operator]
            middle = (low[j] + high[j]) // 2  # type: ignore[operator]
            return j, [(low[j], middle), (middle + 1, high[j])]  # type: ignore[list-item]
        best, most = -1, INTEGRAL
        if not is_point:
            for j in free:
                part = vertex[j] % 1.0
                distance = part if part < 0.5 else 1.0 - part
                if distance > most:
                    best, most = j, distance
        if best >= 0:
            value = floor(vertex[best])
            below, above = (low[best], value), (value + 1, high[best])
            return best, [below, above] if vertex[best] - value < 0.5 else [above, below]  # type: ignore[return-value]
        j = max(free, key=lambda j: vertex[j] - low[j] > 0.5)  # type: ignore[operator]
        value = min(max(round(vertex[j]), low[j]), high[j])  # type: ignore[type-var]
        ranges = [(value, value)]
        if low[j] < value:  # type: ignore[operator]
            ranges.append((low[j], value - 1))  # type: ignore[operator, arg-type]
        if value < high[j]:  # type: ignore[operator]
            ranges.append((value + 1, high[j]))  # type: ignore[operator, arg-type]
        return j, ranges  # type: ignore[return-value]

    # Closing a leaf.

    def _close(self, entries: Entries, share: float) -> None:
        self.outcome.settled += share
        self._write(entries)

    def _write(self, entries: Entries) -> None:
        if self._log is not None:
            self._log.node(entries)

    def _close_by_point(self, node: _Node, entries: Entries, witness: _Witness) -> bool:
        """Close a box whose chosen columns are fixed by their point, if none with these columns is better."""
        values = witness.values
        known = self._found.get(tuple([values[j] for j in self._chosen]))
        if known is None:  # it was above the cutoff when it was found
            return False
        if self.query.has_cutoff and not self._priced_by_chosen:
            cost = self.whole.cost_of(known.value)
            for multipliers in (node.multipliers, witness.proof, self._bounds.exactly([], 1)):
                if multipliers is not None and self._is_at_least(cost, multipliers):
                    self._state(multipliers, entries)
                    break
            else:
                return False
        entries.append(["s", known.number])
        self._close(entries, node.share)
        return True

    def _is_at_least(self, cost: Number, multipliers: Multipliers) -> bool:
        """Return whether no point of the box costs less."""
        bound = self._bounds.bound(multipliers)
        if bound is None or not multipliers.scale:
            return False
        return bound > multipliers.scale * (cost - 1) if self.whole.has_whole_values else bound >= multipliers.scale * cost

    def _close_fixed(self, node: _Node, entries: Entries) -> None:
        """Close a box of which all integer columns are fixed and that no point closes, or open it."""
        if self._cut is None or not self._closes(self._bounds.exactly([], 1), entries):
            if (row := self._broken_row()) is not None:
                entries.append(["v", row])
            elif not (not self._pure and self._close_by_basis(node, entries)):
                entries.append(["o"])
                self.outcome.open_leaves += 1
        self._close(entries, node.share)

    def _broken_row(self) -> int | None:
        """Return a row that the least or the greatest sum over the box breaks."""
        box = self._box
        for i, row in enumerate(self.whole.rows):
            least = most = 0
            for j, factor in row.terms:
                ends = (box.low[j], box.high[j]) if factor > 0 else (box.high[j], box.low[j])
                if None in ends:
                    break
                least, most = least + factor * ends[0], most + factor * ends[1]  # type: ignore[operator]
            else:
                if (row.high is not None and least > row.high) or (row.low is not None and most < row.low):
                    return i
        return None

    def _close_by_basis(self, node: _Node, entries: Entries) -> bool:
        """Close a box by the exact multipliers of the last basis."""
        status, basis = self._run(), self._lp.basis
        if status is LpStatus.INFEASIBLE:
            return self._refute(entries)
        duals = exact_duals(self.whole, basis) if status is LpStatus.OPTIMAL and self.query.has_cutoff else None
        if duals is None:
            return False
        exact = self._bounds.exactly(*duals)
        if self._closes(exact, entries):
            return True
        known = self._found.get(tuple([self._box.low[j] for j in self._chosen]))  # type: ignore[arg-type]
        if known is None or not self._is_at_least(self.whole.cost_of(known.value), exact):
            return False
        self._state(exact, entries)
        entries.append(["s", known.number])
        return True

    # The LP and its multipliers.

    def _load(self) -> None:
        whole, box = self.whole, self._box
        shifts = [_shift(max((abs(a) for _, a in row.terms), default=1)) for row in whole.rows]
        shift = _shift(max(map(abs, whole.cost), default=1))
        starts = np.cumsum([0, *(len(row.terms) for row in whole.rows)]).astype(np.int32)
        rows = LpRows(
            np.array([_float(row.low, s, -1) for row, s in zip(whole.rows, shifts, strict=True)]),
            np.array([_float(row.high, s, 1) for row, s in zip(whole.rows, shifts, strict=True)]),
            starts,
            np.array([j for row in whole.rows for j, _ in row.terms], dtype=np.int32),
            np.array(
                [
                    _float(a, s, 1)
                    for row, s in zip(whole.rows, shifts, strict=True)
                    for _, a in row.terms
                ]
            ),
        )
        self._ray_times = np.ldexp(1.0, -np.array(shifts, dtype=np.int64)) if shifts else np.zeros(0)
        self._dual_times = np.ldexp(self._ray_times, shift)
        costs = np.array([_float(cost, shift, 1) for cost in whole.cost])
        if not self.query.has_cutoff:
            costs = np.zeros(len(costs))
        low = np.array([_float(end, 0, -1) for end in box.low])
        high = np.array([_float(end, 0, 1) for end in box.high])
        self._integer = np.array(whole.integer)
        self._lp = LoadedLp(costs, low, high, rows)
        box.changed.clear()

    def _run(self) -> LpStatus:
        box = self._box
        if box.changed:
            changed = list(box.changed)
            low = [_float(box.low[j], 0, -1) for j in changed]
            high = [_float(box.high[j], 0, 1) for j in changed]
            self._lp.bounds(changed, low, high)
            box.changed.clear()
        self.outcome.lps += 1
        return self._lp.run()

    def _priced(self, entries: Entries) -> Multipliers | None:
        """Return the LP's multipliers after they have tightened the box; None if they close it."""
        y = np.array(self._lp.row_duals) * self._dual_times
        multipliers = self._bounds.multipliers(y, priced=True)
        if not self._tighten(multipliers, entries):
            return None
        if self._looks_excluded():
            more = self._bounds.multipliers(y, priced=True, bits=MOST_BITS)
            if self._closes(more, entries):
                return None
        return multipliers

    def _looks_excluded(self) -> bool:
        """Return whether the LP's own value is above the cutoff, though the bound is not."""
        cut = self._cut
        shift = _shift(max(map(abs, self.whole.cost), default=1))
        return cut is not None and float(self._lp.value) * 2.0**shift > cut.over / cut.under

    def _closes(self, multipliers: Multipliers, entries: Entries) -> bool:
        """Return whether the box is above the cutoff, or refuted; if so, write it."""
        bound = self._bounds.bound(multipliers)
        if bound is None:
            return False
        if not multipliers.scale:
            if bound <= 0:
                return False
        elif self._cut is None or not self._cut.excludes_bound(bound, multipliers.scale):
            return False
        self._state(multipliers, entries)
        entries.append(["a"] if multipliers.scale else ["f"])
        return True

    def _refute(self, entries: Entries) -> bool:
        """Return whether a ray of the LP refutes the rows over the box; if so, write it."""
        ray = self._lp.dual_ray
        if ray is not None:
            ray = ray * self._ray_times
            for bits in (None, MOST_BITS):
                for sign in (1.0, -1.0):
                    some = {} if bits is None else {"bits": bits}
                    if self._closes(self._bounds.multipliers(sign * ray, priced=False, **some), entries):
                        return True
        exact = exact_ray(self.whole, self._box, self._lp.basis)
        return exact is not None and any(
            self._closes(self._bounds.exactly([(i, sign * v) for i, v in exact], 0), entries)
            for sign in (1, -1)
        )

    def _state(self, multipliers: Multipliers, entries: Entries) -> None:
        """Write multipliers, unless they are those that the log has stated last."""
        if multipliers is not self._in_force:
            entries.append(["y", multipliers.scale, *(number for pair in multipliers.rows for number in pair)])
            self._in_force = multipliers

    def _tighten(self, multipliers: Multipliers, entries: Entries) -> bool:
        """Remove the parts of the box that multipliers put above the cutoff; return whether any is left."""
        cut, box = self._cut, self._box
        if cut is None:
            return True
        while True:
            bound = self._bounds.bound(multipliers)
            if bound is None:
                return True
            room = multipliers.scale * cut.over - bound * cut.under - cut.closed
            if room < 0:
                self._state(multipliers, entries)
                entries.append(["a"])
                return False
            removed = self._removed(multipliers, room)
            if not removed:
                return True
            self._state(multipliers, entries)
            entry: list[Any] = ["r"]
            for j, low, high in removed:
                entry += [j, low, high]
                box.change(j, low, high)
            entries.append(entry)
            before = box.mark
            if not box.propagate(entries):
                return False
            if box.mark == before:
                return True

    def _removed(self, multipliers: Multipliers, room: int) -> list[tuple[int, int, int]]:
        """Return the columns of which a part is above the cutoff, and the bounds that are left."""
        cut, box, reduced = self._cut, self._box, multipliers.reduced
        assert cut is not None
        if not isinstance(reduced, list):
            reach = np.abs(reduced.astype(float)) * (box.highs - box.lows)  # floats choose whom to ask
            enough = room / cut.under * (1 - 1e-9)
            candidates = np.flatnonzero((reach >= enough) & self._integer & (reduced != 0)).tolist()
        else:
            candidates = [j for j in self._integers if reduced[j]]
        removed = []
        for j in candidates:
            low, high, price = box.low[j], box.high[j], int(reduced[j])
            steps = room // (abs(price) * cut.under)  # the part from this many steps on, plus one, is above
            if steps < high - low:
                removed.append((j, low, low + steps) if price > 0 else (j, high - steps, high))
        return removed

    # Points.

    def _witness_at(self, vertex: list[float]) -> _Witness | None:
        """Return the exact point at a vertex that is integral in all integer columns; None if there is none."""
        box, wholes = self._box, list[int]()
        for j in self._integers:
            value = vertex[j]
            nearest = round(value)
            if abs(value - nearest) > INTEGRAL:
                return None
            low, high = box.low[j], box.high[j]
            wholes.append(min(max(nearest, low), high))  # type: ignore[type-var, arg-type]
        if self._pure:
            return _Witness(wholes, None) if self._stated.holds(wholes) else None  # type: ignore[arg-type]
        basis = self._lp.basis
        point = exact_vertex(self.whole, box, basis)
        if point is None or not self._stated.holds(point):
            return None
        duals = exact_duals(self.whole, basis) if self.query.has_cutoff and not self._priced_by_chosen else None
        return _Witness(point, None if duals is None else self._bounds.exactly(*duals))

    def _take(self, point: list[Number]) -> Iterator[Point]:
        """Yield a point that holds, if it is wanted and new, or better than the one with the same chosen columns."""
        whole = self.whole
        cost = whole.cost_at(point)
        if self._cut is not None and self._cut.excludes(cost):
            return
        key = tuple([point[j] for j in self._chosen])
        known = self._found.get(key)
        if known is not None:
            before = whole.cost_of(known.value)
            if not self.query.has_cutoff or before <= cost:
                return
        values = tuple([value if unit == 1 else Fraction(value) / unit for value, unit in zip(point, whole.unit)])
        number = self._count if self._log is None else self._log.point(values)
        self._count += 1
        self._found[key] = found = Point(values, whole.value_of(cost), number)
        self._kept[key] = found
        if self.query.has_cutoff:
            self._lower(cost)
        yield found

    def _lower(self, cost: Number) -> None:
        """Set the cutoff after a point was found, and drop those that are above it."""
        query, whole, cut = self.query, self.whole, self._cut
        if self._best is None or cost < self._best:
            self._best = cost
            if query.within is not None or query.within_relative is not None:
                share = abs(whole.value_of(cost)) * Fraction(query.within_relative or 0)
                limit = Fraction(cost) + (Fraction(query.within or 0) + share) / whole.price
                cut = self._cutoff(limit, closed=False)
        if query.best is not None:
            costs = {key: whole.cost_of(point.value) for key, point in self._kept.items()}
            for key in sorted(costs, key=lambda key: costs[key])[query.best :]:  # of equals, the last go
                del self._kept[key], costs[key]
            last = max(costs.values())
            if len(costs) == query.best and (cut is None or not cut.excludes(last)):
                cut = self._cutoff(last, closed=True)
        if cut != self._cut:
            self._cut = cut
            assert cut is not None
            if query.best is None:
                self._kept = {k: p for k, p in self._kept.items() if not cut.excludes(whole.cost_of(p.value))}

    def _cutoff(self, limit: Number, *, closed: bool) -> Cutoff:
        """Return the cutoff at a sum of costs, rounded if all such sums are whole."""
        limit = Fraction(limit)
        if self.whole.has_whole_values:
            return Cutoff(ceil(limit) - 1 if closed else floor(limit), 1, closed=False)
        return Cutoff(limit.numerator, limit.denominator, closed)

    # Whether there is anything to do.

    def _contains(self, vertex: Sequence[float]) -> bool:
        """Return whether a vertex is in the box, as far as floats tell."""
        box = self._box
        x = np.asarray(vertex)
        return bool(((x >= box.lows - INTEGRAL) & (x <= box.highs + INTEGRAL))[self._integer].all())

    def _is_empty(self) -> bool:
        return any(
            low is not None and high is not None and low > high
            for low, high in zip(self.whole.low, self.whole.high, strict=True)
        )

    def _require_bounds(self) -> None:
        box = self._box
        for j in self._integers:
            if box.low[j] is None or box.high[j] is None:
                name = visible(self.whole.model.columns[j].name)
                which = "lower" if box.low[j] is None else "upper"
                raise UsageError(f"column {name} has no {which} bound, and no row implies one; give it bounds")


def _shift(greatest: int) -> int:
    """Return the power of two by which numbers are divided to fit an LP in floats."""
    return max(0, greatest.bit_length() - 20)


def _float(end: int | None, shift: int, sign: int) -> float:
    if end is None:
        return sign * float("inf")
    return float(Fraction(end, 2**shift)) if shift else float(end)
