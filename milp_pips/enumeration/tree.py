"""All solutions of a bounded MIP in one branch-and-bound tree over a live LP, pruned by exact bounds alone.

Nodes are boxes of whole numbers. At each the rows tighten the bounds, the LP proposes multipliers and a
vertex, and ``safe_bounds`` turns the multipliers into a bound that is exactly true; a status of the LP
decides nothing. Reduced costs remove the parts of a column's range that lie above the cutoff. Where the
vertex is integral, it is a point: the tree branches around it and goes on (one-tree enumeration: Danna,
Fenelon, Gu, Wunderling 2007; counting: Achterberg, Heinz, Koch 2008; exact MIP: Cook, Koch, Steffy, Wolter
2013). With a log, what the tree decided by is a certificate that a stranger checks; see ``tree_log``.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from milp_pips.engines.highs_lp import LpStatus
from milp_pips.enumeration.rounding import with_cuts
from milp_pips.enumeration.safe_bounds import Multipliers
from milp_pips.enumeration.strengthening import strengthened
from milp_pips.enumeration.tree_box import Entries, TreeBox
from milp_pips.enumeration.tree_branching import (
    BOX_CLOSED,
    BOX_TIGHTENED,
    Branch,
    Branching,
    PseudoCosts,
    around,
    most_promising,
)
from milp_pips.enumeration.tree_leaves import Leaves, Witness
from milp_pips.enumeration.tree_log import NodeLog
from milp_pips.enumeration.tree_lp import LpPace, NodeLp
from milp_pips.enumeration.tree_points import Point, TreePoints, TreeQuery, nearest_float
from milp_pips.enumeration.tree_pruning import Pruning
from milp_pips.enumeration.tree_start import good_point
from milp_pips.enumeration.whole import End, WholeModel, in_whole_numbers
from milp_pips.formulations.exact import Number
from milp_pips.formulations.model import Model
from milp_pips.problem import UsageError
from milp_pips.problem.errors import visible

Bounds = dict[int, tuple[int, int]]
"""The lower and upper bounds of some integer columns."""

INTEGRAL = 1e-6
"""How far from a whole number a value of a vertex may be to count as one; the point is judged exactly."""


NODES_BEFORE_SEARCH = 500
"""The engine searches for a good point after so many nodes.

A search takes as long as some 200 nodes of a tour, and rarely finds a better point than a tree does by then.
Three of 12 set covers of 60 rows take a third more nodes than with a search after 300, MIPLIB's lseu a sixth.
"""


class _Node(NamedTuple):
    """A node that waits, or is at hand: what it inherits from its parent, and its branch."""

    mark: int
    """Where the parent's trail ends."""
    share: float
    bounds: Bounds
    """The branch."""
    multipliers: Multipliers | None
    vertex: list[float] | None
    """The vertex of the parent's LP."""
    witness: Witness | None
    """The point at the vertex; None if there is none."""
    in_force: Multipliers | None
    """The multipliers that the log has stated last on the way here."""
    branch: Branch | None
    value: float | None
    """The value of the LP at the vertex."""


class Subtree(NamedTuple):
    """A box that is left to search, as the bounds in which it differs from the model, and its share."""

    bounds: Bounds
    share: float = 1.0


ROOT_NODE = _Node(0, 1.0, {}, None, None, None, None, None, None)


@dataclass
class TreeOutcome:
    """What a tree has found out so far.

    Parameters
    ----------
    points
        The points within the cutoff, in the order in which they were found; when the tree has ended.
    complete
        Whether no other point is within the cutoff: the tree is finished and has no open leaf.
    stop
        Why the tree stopped before that; None if it did not.
    optimum
        The exact optimum, once the tree is complete, if the objective counts and there is a point.
    open_leaves
        The leaves with neither an exact witness nor a refutation.
    nodes, settled
        Nodes, and the share of the box that is settled.
    """

    points: list[Point] = field(default_factory=list)
    complete: bool = False
    stop: Any = None
    optimum: Number | None = None
    open_leaves: int = 0
    nodes: int = 0
    settled: float = 0.0


def never() -> None:
    """Never stop a tree; a worker of another process finds it by its name."""


@dataclass(frozen=True, slots=True)
class TreeSettings:
    """What a tree begins with, and where its results go.

    Parameters
    ----------
    start
        Known points, values of all columns by position: they are judged like any other.
    stop
        Called between nodes; anything but None stops the tree.
    log
        Where the certificate goes; None for none.
    boxes
        What a tree that stopped has left, of its ``frontier``: only these parts are searched.
    points
        Where the points go, which has those of an earlier run, or the cutoff.
    costs
        Pseudo-costs of another part of the tree.
    """

    start: Sequence[Mapping[int, Number]] = ()
    stop: Callable[[], object | None] = never
    log: NodeLog | None = None
    boxes: Sequence[Subtree] = ()
    points: TreePoints | None = None
    costs: PseudoCosts | None = None


class Tree:
    """A branch-and-bound tree that lists solutions; see ``points``.

    Parameters
    ----------
    model
        The model. Each of its integer columns needs bounds, stated or implied by rows.
    query
        What is asked.
    settings
        What it begins with, and where its results go.

    ``open_boxes`` are the open leaves: a search of them would find no more.
    """

    def __init__(self, model: Model, query: TreeQuery, settings: TreeSettings | None = None):
        settings = settings or TreeSettings()
        self._points = settings.points or TreePoints(in_whole_numbers(model), query)
        self._whole = self._stated = whole = self._points.whole
        self._query, self.outcome = query, TreeOutcome()
        self._stop, self._log, self._start = settings.stop, settings.log, settings.start
        self._boxes, self.costs = settings.boxes, settings.costs or PseudoCosts(len(whole.low))
        self._integers = [j for j, integer in enumerate(whole.integer) if integer]
        self._integer = np.array(whole.integer, dtype=bool)
        self._chosen = self._points.chosen
        chosen = set(self._chosen)
        self._rest = [j for j in self._integers if j not in chosen]
        self._pure = len(self._integers) == len(whole.low)
        self._stack: list[_Node] = []
        self._node: _Node | None = None
        self.open_boxes: list[Subtree] = []
        self._has_begun = self._has_ended = False
        self.wants_search = query.is_near and not self._start and self._points.best is None
        self._pace = LpPace(has_cutoff=query.has_cutoff)

    @property
    def whole(self) -> WholeModel:
        """The model in whole numbers, to which the log refers."""
        return self._stated

    # What the caller iterates over.

    def points(self) -> Generator[Point, None, None]:
        """Yield points as they are found, each judged exactly.

        With a cutoff, a later and better point may exclude earlier ones: ``outcome.points`` has those that
        count. A later point with the same chosen columns, of the others the best, replaces the one before.
        After the last point ``outcome`` is final.

        Raises
        ------
        UsageError
            For an integer column without bounds.
        """
        whole = self._whole
        ends = zip(whole.low, whole.high, strict=True)
        if any(low is not None and high is not None and low > high for low, high in ends):
            self.outcome.complete, self.outcome.settled, self._has_begun = True, 1.0, True
            return
        try:
            yield from self._search()
        finally:
            self.outcome.points = list(self._points.kept.values())
            if self._log is not None:
                for _ in range(self.unwritten):  # it stopped, or was closed
                    self._log.node([["o"]])
            self._has_ended = True

    @property
    def unwritten(self) -> int:
        """The number of nodes that wait, or are at hand, as long as the log lacks their lines."""
        return 0 if self._has_ended else len(self._stack) + (self._node is not None)

    def frontier(self) -> list[Subtree]:
        """Return what is left to search, without open leaves: the boxes of the nodes that wait.

        It holds at any time, also when the tree has stopped or was closed.
        """
        if not self._has_begun:
            return list(self._boxes or (Subtree({}),))
        if not (nodes := self._stack if self._node is None else [*self._stack, self._node]):
            return []
        low, high = list(self._box.low), list(self._box.high)
        trail, boxes = self._box.trail, list[Subtree]()

        end = len(trail)
        for node in reversed(nodes):
            while end > node.mark:
                end -= 1
                j, low[j], high[j] = trail[end]
            boxes.append(
                Subtree(dict(sorted({**self._bounds(low, high), **node.bounds}.items())), node.share)
            )
        return boxes

    def _bounds(self, low: list[End], high: list[End]) -> Bounds:
        """Return the bounds of integer columns where they differ from the model."""
        whole = self._stated
        return {
            j: (low[j], high[j])  # type: ignore[misc]
            for j in self._integers
            if (low[j], high[j]) != (whole.low[j], whole.high[j])
        }

    def _search(self) -> Iterator[Point]:
        """Prepare the root, and search all nodes in depth."""
        entries: Entries = []
        self._box = box = TreeBox(self._whole)
        if is_alive := box.propagate(entries):
            is_alive = self._require_bounds(entries)
            if self.outcome.stop is not None:
                return
        if is_alive:
            tighter = strengthened(self._whole, box, entries)
            if tighter is not self._whole:
                self._whole, self._box = tighter, (box := TreeBox(tighter, (box.low, box.high)))
                is_alive = box.propagate(entries)
        if not is_alive:
            self._close(entries, 1.0)
            self.outcome.complete = True
            return
        self._root = list(box.low), list(box.high)
        priced = self._query.has_cutoff
        if priced:
            tighter = with_cuts(self._whole, box, self._stop, entries)
            if tighter is not self._whole:
                self._whole, self._box = tighter, (box := TreeBox(tighter, (box.low, box.high)))
                if not box.propagate(entries):
                    self._close(entries, 1.0)
                    self.outcome.complete = True
                    return
                self._root = list(box.low), list(box.high)
        self._lp = lp = NodeLp(self._whole, box, self._stop, priced=priced)
        self._pruning = Pruning(self._whole, box, lp, self._points)
        self._leaves = Leaves(self._whole, box, lp, self._pruning, self._points, priced=priced)
        self._branching = Branching(
            *(self._whole, box, lp, self._pruning, self._points, self.costs), priced=priced
        )
        root = ROOT_NODE._replace(mark=box.mark)
        self._limit_costs()
        self._stack += [root._replace(bounds=bounds, share=share) for bounds, share in self._boxes[::-1]]
        if self._boxes:
            self._has_begun = True
            if self._log is not None:
                ends = [
                    [number for j, ends in box.bounds.items() for number in (j, *ends)] for box in self._boxes
                ]
                self._log.node([*entries, ["p", 0, *ends]])
            entries = []
        else:
            self._stack.append(root)
        for values in self._start:
            point = [values[j] * unit for j, unit in enumerate(self._whole.unit)]
            if self._stated.holds(point):
                yield from self._take(point)
        yield from self._descend(entries)
        outcome = self.outcome
        outcome.complete = outcome.stop is None and not outcome.open_leaves
        outcome.settled = min(1.0, outcome.settled)
        if outcome.complete and self._query.has_cutoff and self._points.best is not None:
            outcome.optimum = self._whole.value_of(self._points.best)

    def _descend(self, entries: Entries) -> Iterator[Point]:
        """Search the waiting nodes in depth; ``entries`` are those of the first."""
        stack = self._stack
        while stack:
            reason = self._stop()
            if reason is not None:
                self.outcome.stop = reason
                return
            if self.wants_search and self.outcome.nodes >= NODES_BEFORE_SEARCH:
                self.wants_search = False
                point = good_point(self._whole, self._root, self._stop)
                if point is not None and self._stated.holds(point):
                    yield from self._take(point)
            node = stack.pop()
            self._node = node
            if self._enter(node, entries):
                yield from self._process(node, entries)
            else:
                self._close(entries, node.share)
                self._branching.learn(node.branch, None)
            entries = []

    def _enter(self, node: _Node, entries: Entries) -> bool:
        """Set the box of a node; return whether it may have a point."""
        box = self._box
        box.undo(node.mark)
        for j, (low, high) in node.bounds.items():
            now_low, now_high = box.low[j], box.high[j]
            assert now_low is not None
            assert now_high is not None
            low, high = max(low, now_low), min(high, now_high)  # a box of another tree may be wider
            if low > high:
                box.change(j, low, high)
                entries.append(["e", j])
                return False
            box.change(j, low, high)
        return box.propagate(entries)

    # One node.

    def _process(self, node: _Node, entries: Entries) -> Iterator[Point]:
        """Close a node, or put its children on the stack."""
        self.outcome.nodes += 1
        self._pruning.in_force = node.in_force
        found = self._examine(node, entries)
        if found is None:
            self._close(entries, node.share)
            return
        node, column = found
        if node.witness is not None:
            yield from self._take(node.witness.values)
        if not self._branch_or_close(node, column, entries):
            yield from self._close_fixed(node, entries)

    def _examine(self, node: _Node, entries: Entries) -> tuple[_Node, int] | None:
        """Return the node with multipliers, a vertex and the point there, and a column to branch on, or -1.

        None if the node is closed.
        """
        multipliers, vertex, witness = node.multipliers, node.vertex, node.witness
        if multipliers is not None and not self._pruning.tighten(multipliers, entries):
            self._branching.learn(node.branch, None)
            return None
        if vertex is not None and self._contains(vertex, node.mark):
            return node, -1
        if (at_once := self._leaves.without_lp()) is not None:
            return self._at_once(node, *at_once, entries)
        branch, vertex, witness, column, value = node.branch, None, None, -1, 0.0
        while vertex is None and not self._is_full() and not self._skips_lp():
            mark, status = self._box.mark, self._lp.run()
            self._pace.begin()
            if status is LpStatus.INFEASIBLE and self._pruning.refute(entries):
                self._branching.learn(branch, None)
                self._pace.closed()
                return None
            if self._points.count:  # a vertex leads to the first point
                self._pace.left_open()
            if status is not LpStatus.OPTIMAL:
                break
            vertex, value = self._lp.vertex, self._lp.value
            self._branching.learn(branch, value)
            branch = None
            if self._query.has_cutoff:
                multipliers = self._pruning.priced(entries)
                if multipliers is None:
                    self._pace.closed()
                    return None
            if self._box.mark > mark:
                self._pace.tightened()
            if not self._contains(vertex, mark):
                vertex = None
                continue
            x = np.array(vertex)
            fractional = ((np.abs(x - np.rint(x)) > INTEGRAL) & self._integer).nonzero()[0].tolist()
            if not fractional:
                witness = self._leaves.at_vertex(vertex)
            elif candidates := self._candidates(fractional):
                column = self._branching.choose(candidates, vertex, value, entries)
                if column == BOX_CLOSED:
                    self._pace.closed()
                    return None
                if column == BOX_TIGHTENED:
                    vertex, column = None, -1
        if vertex is None and self._is_full():
            witness = self._leaves.at_corner()
        known = None if vertex is None else value
        return node._replace(multipliers=multipliers, vertex=vertex, witness=witness, value=known), column

    def _at_once(
        self, node: _Node, witness: Witness, multipliers: Multipliers, entries: Entries
    ) -> tuple[_Node, int] | None:
        """Return the node with its best point, by which it closes, without an LP; see ``_examine``."""
        cost, cut = self._whole.cost_at(witness.values), self._points.cut
        self._branching.learn(node.branch, nearest_float(cost))
        if cut is not None and cut.excludes(cost) and self._pruning.closes(multipliers, entries):
            return None
        return node._replace(multipliers=multipliers, vertex=None, witness=witness), -1

    def _skips_lp(self) -> bool:
        """Return whether a node goes without LP."""
        low, high = self._box.low, self._box.high
        needs_witness = not self._pure and all(low[j] == high[j] for j in self._integers)
        return not needs_witness and self._pace.skips()

    def _is_full(self) -> bool:
        """Return whether no column is left to an LP."""
        return self._pure and self._box.low == self._box.high

    # Branching.

    def _candidates(self, fractional: list[int]) -> list[int]:
        """Return the fractional columns to branch on; none as long as a chosen one is free."""
        low, high = self._box.low, self._box.high
        if not self._rest or all(low[j] == high[j] for j in self._chosen):
            return [j for j in fractional if low[j] != high[j]]
        chosen = set(self._chosen)
        return [j for j in fractional if j in chosen and low[j] != high[j]]

    def _branch_or_close(self, node: _Node, column: int, entries: Entries) -> bool:
        """Put the children of a node on the stack, or close it if its chosen columns are fixed.

        Returns False if all integer columns are fixed and this is not enough to close it.
        """
        low, high, vertex, witness = self._box.low, self._box.high, node.vertex, node.witness
        free = [j for j in self._chosen if low[j] != high[j]]
        if not free:
            if witness is not None and self._close_by_point(node, entries, witness):
                return True
            free = [j for j in self._rest if low[j] != high[j]]
            if not free:
                return False
        if column < 0 and witness is None and vertex is not None:
            fractional = [j for j in free if abs(vertex[j] - round(vertex[j])) > INTEGRAL]
            column = most_promising(fractional, vertex, self._branching.costs)[0] if fractional else -1
        if vertex is None:
            column, ranges = self._branching.without_vertex(free)
        elif column >= 0:
            ranges = self._branching.halves(column, vertex[column])
        else:
            column = max(free, key=lambda j: vertex[j] - low[j] > 0.5)  # type: ignore[operator]
            ranges = around(low[column], high[column], vertex[column])  # type: ignore[arg-type]
        entries.append(["x", column, *(end for ends in ranges for end in ends)])
        self._write(entries)
        total = sum(last - first + 1 for first, last in ranges)
        mark, value, in_force = self._box.mark, node.value, self._pruning.in_force
        for first, last in reversed(ranges):
            branch = None
            if vertex is not None and value is not None and not first <= vertex[column] <= last:
                up = first > vertex[column]
                branch = Branch(column, up, abs((first if up else last) - vertex[column]), value)
            share, bounds = node.share * ((last - first + 1) / total), {column: (first, last)}
            self._stack.append(
                _Node(mark, share, bounds, node.multipliers, vertex, witness, in_force, branch, value)
            )
        return True

    # Closing a leaf.

    def _close(self, entries: Entries, share: float) -> None:
        self.outcome.settled += share
        self._write(entries)

    def _write(self, entries: Entries) -> None:
        self._node, self._has_begun = None, True
        if self._log is not None:
            self._log.node(entries)

    def _close_by_point(self, node: _Node, entries: Entries, witness: Witness) -> bool:
        """Close a box whose chosen columns are fixed by their point, if none with these columns is better."""
        if not self._leaves.is_best(witness, node.multipliers, entries):
            return False
        self._state_point(witness.values, entries)
        self._close(entries, node.share)
        return True

    def _state_point(self, values: list[Number], entries: Entries) -> None:
        known = self._points.known(values)
        assert known is not None
        entries.append(["s", known[1]])

    def _close_fixed(self, node: _Node, entries: Entries) -> Iterator[Point]:
        """Close a box of which all integer columns are fixed, exactly; it may have a point that is wanted."""
        if self._points.cut is not None and self._pruning.closes(self._pruning.costs_alone, entries):
            pass
        elif (row := self._box.broken_row()) is not None:
            entries.append(["v", row])
        elif self._pure or not (yield from self._close_by_exact_lp(entries)):
            entries.append(["o"])
            self.outcome.open_leaves += 1
            self.open_boxes.append(Subtree(self._bounds(self._box.low, self._box.high), node.share))
        self._close(entries, node.share)

    def _close_by_exact_lp(self, entries: Entries) -> Generator[Point, None, bool]:
        exact = self._leaves.solve()
        if exact is None:
            return False
        multipliers = self._pruning.bounds.exactly(exact.rows, exact.scale)
        if self._pruning.closes(multipliers, entries):
            return True
        if exact.point is None:
            return False
        yield from self._take(exact.point)
        if not self._leaves.is_best(Witness(exact.point, None), multipliers, entries):
            return False
        self._state_point(exact.point, entries)
        return True

    # Points.

    def _take(self, values: list[Number]) -> Iterator[Point]:
        """Yield a point that holds, if it is wanted and new."""
        cost = self._whole.cost_at(values)
        if self._points.is_new(values, cost):
            point = self._points.take(values, cost)
            self._limit_costs()
            if self._log is not None:
                self._log.point(point.values)
            yield point

    def _limit_costs(self) -> None:
        if (cut := self._points.cut) is not None:
            self._box.limit(cut.most)

    # Whether there is anything to do.

    def _contains(self, vertex: Sequence[float], mark: int) -> bool:
        """Return whether a vertex of the box at the mark is still in the box, as far as floats tell."""
        low, high, integer = self._box.low, self._box.high, self._whole.integer
        for j, *_ in self._box.trail[mark:]:
            if integer[j] and not low[j] - INTEGRAL <= vertex[j] <= high[j] + INTEGRAL:  # type: ignore[operator]
                return False
        return True

    def _require_bounds(self, entries: Entries) -> bool:
        """Return whether the box, of which all integer columns have bounds, may have a point.

        Raises UsageError for a column without bounds. If it stops before that is known, ``outcome`` says so.
        """
        box, has_started = self._box, False
        for j in self._integers:
            if box.low[j] is not None and box.high[j] is not None:
                continue
            if not has_started:
                from milp_pips.enumeration.tree_bounds import bounded_by_rows  # few models need it

                has_started = True
                if not bounded_by_rows(self._whole, box, self._points, self._stop, entries):
                    return False
                if (reason := self._stop()) is not None:
                    self.outcome.stop = reason
                    return True
            if box.low[j] is None or box.high[j] is None:
                name = visible(self._whole.model.columns[j].name)
                which = "lower" if box.low[j] is None else "upper"
                raise UsageError(
                    f"column {name} has no {which} bound, and the rows imply none; give it bounds"
                )
        return True
