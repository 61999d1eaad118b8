"""One tree, whose subtrees several workers search in pieces.

A piece is a tree over some boxes of the frontier, which stops after a while. It comes back whole: with its
points, its part of the log, and the boxes that it has left. Only then is it committed, by the caller alone.
So a worker that dies has lost nothing but time, and a search can always resume from what was committed.
"""

from __future__ import annotations

import time
from bisect import insort
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future
from contextlib import closing
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from milp_pips.enumeration.tree import NODES_BEFORE_SEARCH, Subtree, Tree, TreeOutcome, TreeSettings
from milp_pips.enumeration.tree_box import Entries
from milp_pips.enumeration.tree_branching import PseudoCosts
from milp_pips.enumeration.tree_log import PackedNodes, TreeLog
from milp_pips.enumeration.tree_points import Limit, Point, TreePoints, TreeQuery
from milp_pips.enumeration.whole import in_whole_numbers
from milp_pips.formulations.exact import Number
from milp_pips.formulations.model import Model
from milp_pips.problem import Deadline, EngineFault, UsageError
from milp_pips.runtime.interruptible import Limits

if TYPE_CHECKING:
    from milp_pips.runtime.executor import Executor, Outcome

PIECE, SHORT_PIECE = 2.0, 0.2
"""Seconds of a piece, and of one while fewer boxes wait than there are workers.

A piece costs some hundredths of a second more than its nodes (``benchmarks/pieces.py``).
"""

PER_CALL = 0.01
"""Seconds of a piece for each of many open calls, two for a worker of Dask: a commit takes 0.014 s."""

BETWEEN_LOOKS = 0.01
"""Seconds between two looks of a tree at its deadline, which take a tenth of the time of short nodes."""

POLL = 0.2
"""Seconds between two looks at the deadline."""

by_share = attrgetter("share")


class Piece(NamedTuple):
    """What the search of some boxes has found, and has left; ``root`` and ``packed`` are its log."""

    points: list[tuple[Number, ...]]
    root: Entries
    packed: bytes
    left: list[Subtree]
    open_boxes: list[Subtree]
    nodes: int
    settled: float
    costs: PseudoCosts


def search_piece(
    model: Model, query: TreeQuery, settings: TreeSettings, limit: Limit, seconds: float, deadline: Deadline
) -> Piece | None:
    """Search boxes for some seconds; None if not even a node was searched. Without boxes search the whole.

    With a distance from the optimum, a search that knows no point goes on until it has looked for a good one.
    """
    points, log = TreePoints(in_whole_numbers(model), query, limit), PackedNodes()
    until = time.monotonic() + seconds

    def stop() -> object | None:
        is_enough = tree.outcome.nodes > (NODES_BEFORE_SEARCH if tree.wants_search else 0)
        return deadline.stop or (is_enough and time.monotonic() > until) or None

    tree = Tree(model, query, replace(settings, stop=stop, log=log, points=points))
    found = [point.values for point in tree.points()]
    left, outcome = tree.frontier(), tree.outcome
    if left and not outcome.nodes:
        return None
    return Piece(
        *(found, log.root, log.content(), left, tree.open_boxes),
        *(outcome.nodes, outcome.settled, tree.costs),
    )


class TreeInPieces:
    """A tree that the workers of an executor search. It is used as ``Tree`` is; see there.

    Parameters
    ----------
    executor, deadline
        Where the pieces are searched, and until when.
    settings
        Those of a tree, with points and perhaps the log of a folder; known points are for the first piece.
    between
        Called between two commits, from time to time.
    """

    unwritten = 0
    """All that is committed is in the log."""

    def __init__(
        self,
        model: Model,
        query: TreeQuery,
        settings: TreeSettings,
        executor: Executor,
        deadline: Deadline,
        between: Callable[[], object] = lambda: None,
    ):
        assert settings.points is not None
        assert settings.log is None or isinstance(settings.log, TreeLog)
        self._model, self._query, self._points, self._log = model, query, settings.points, settings.log
        self._executor, self._deadline, self._between = executor, deadline, between
        self._start, self._has_begun = settings.start, bool(settings.boxes)
        self._costs = settings.costs or PseudoCosts(len(settings.points.whole.low))
        self._left = sorted(settings.boxes or (Subtree({}),), key=by_share)
        self._running: dict[Future[Outcome[Piece | None]], list[Subtree]] = {}
        self.open_boxes: list[Subtree] = []
        self.outcome = TreeOutcome()

    def frontier(self) -> list[Subtree]:
        """Return the boxes that are left to search, without open leaves."""
        return [*self._left, *(box for boxes in self._running.values() for box in boxes)]

    def points(self) -> Generator[Point, None, None]:
        """Yield points as pieces are committed; see ``Tree.points``.

        Raises
        ------
        EngineFault
            If workers die again and again.
        """
        outcome, deadline = self.outcome, self._deadline
        try:
            from milp_pips.runtime.executor import completed_calls  # not available in browsers

            with closing(completed_calls(self._executor, self._calls(), deadline, POLL)) as calls:
                for _, ended in calls:
                    for future in ended:
                        yield from self._commit(future)
                    self._between()
            outcome.stop = deadline.stop if self.frontier() else None
            outcome.open_leaves = len(self.open_boxes)
            outcome.complete = not self.frontier() and not self.open_boxes
            if outcome.complete and self._query.has_cutoff and self._points.best is not None:
                outcome.optimum = self._points.whole.value_of(self._points.best)
        finally:
            outcome.points = list(self._points.kept.values())

    def _calls(self) -> Iterator[Callable[[], Future[Outcome[Piece | None]]] | None]:
        """Yield calls; None while no box waits."""
        while True:
            yield self._submit if self._left else None

    def _submit(self) -> Future[Outcome[Piece | None]]:
        """Give a worker the largest box, and the smallest of the others, so that the frontier stays short."""
        left, room = self._left, self._executor.room
        largest, some = left.pop(), len(left) // (2 * room)
        boxes = [*left[:some], largest]
        del left[:some]
        seconds = max(PIECE, PER_CALL * room) if len(left) >= room else SHORT_PIECE
        settings = TreeSettings(boxes=boxes) if self._has_begun else TreeSettings(start=self._start)
        settings = replace(settings, costs=self._costs)
        call = (self._model, self._query, settings, self._points.limit, seconds)
        future = self._executor.submit(search_piece, call, Limits(self._deadline))
        self._running[future] = boxes
        return future

    def _commit(self, future: Future[Outcome[Piece | None]]) -> Iterator[Point]:
        """Take what a piece has found and left; yield its new points."""
        outcome = future.result()
        if outcome.fault:
            raise EngineFault(f"a process that searched a part of the tree has died: {outcome.fault}")
        boxes, piece = self._running.pop(future), outcome.value
        if piece is None:
            if not self._deadline.stop:
                raise UsageError("the workers were given up before the tree ended")
            left = boxes
        else:
            left, self._has_begun, self._costs = piece.left, True, piece.costs
            self.outcome.nodes += piece.nodes
            self.outcome.settled = min(1.0, self.outcome.settled + piece.settled)
            self.open_boxes += piece.open_boxes
            if self._log is not None and piece.root:
                self._log.add(piece.root, piece.packed)
        for box in left:
            insort(self._left, box, key=by_share)
        # All of them first: a list that is closed between two of its points has committed the whole piece.
        found = []
        for values in piece.points if piece else ():
            if self._log is not None:
                self._log.point(values)
            found.append(self._points.take_stated(values))
        yield from (point for point in found if point is not None)


def open_tree(
    model: Model,
    query: TreeQuery,
    settings: TreeSettings,
    executor: Executor | None,
    deadline: Deadline,
    between: Callable[[], object],
) -> Tree | TreeInPieces:
    """Return a tree of this thread, or with an executor in pieces; ``between`` is called now and then."""
    if executor is not None:
        return TreeInPieces(model, query, settings, executor, deadline, between)

    next_look = 0.0

    def stop() -> object | None:
        nonlocal next_look
        if (now := time.monotonic()) < next_look:
            return None
        next_look = now + BETWEEN_LOOKS
        between()
        return deadline.stop

    return Tree(model, query, replace(settings, stop=stop))
