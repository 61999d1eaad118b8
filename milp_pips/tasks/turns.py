"""A tree that lists a linear model, with turns for rivals, which may be much quicker.

What suits a model is not known before. A tree soon lists what its LPs prune, but each solution costs it a
node. A decision diagram holds millions of solutions, if it fits, and a SAT solver learns from dead ends. So
between the nodes of the tree the rivals have turns, in which they may take as long as the tree so far: first
soon, then ever more rarely. A rival that has all solutions takes the place of the tree.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TypeAlias

from milp_pips.compilation.limits import Unfinished
from milp_pips.engines.contract import PointIterator, Points
from milp_pips.engines.defaults import FIRST_TURN, NEXT_TURN
from milp_pips.problem.answer import Proof, Stop
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.stopping import Deadline, SubDeadline
from milp_pips.tasks.lines import SolutionFile
from milp_pips.tasks.listers import KnownLines, Lister
from milp_pips.tasks.models import PreparedModel
from milp_pips.tasks.query import ANY_DISTANCE, Query, Run
from milp_pips.tasks.trees import TreeLister

Heir: TypeAlias = tuple[Lister, Iterable[tuple[int, ...]]]
"""A lister that has found all solutions, and their points."""

Rival: TypeAlias = Callable[[Deadline], Heir]
"""Returns all solutions. Raises Unfinished, or UsageError for a problem that it does not take."""


class TreeInTurns(Lister):
    """Lists by the tree, until a rival has all solutions; then that lists the others.

    Parameters
    ----------
    prepared, query, run
        The model for the tree, the query, and the run.
    rivals
        They have their turns in this order.
    """

    def __init__(self, prepared: PreparedModel, query: Query, run: Run, rivals: Sequence[Rival]):
        turns = SubDeadline(run.deadline, criterion=self._stop_for_heir)
        self._tree = TreeLister(prepared, prepared.problem, query, run.changed(deadline=turns))
        super().__init__(prepared, self._tree.key, run)
        self._rivals = rivals
        self._has_cutoff = query.select.best is not None or query.distance != ANY_DISTANCE
        self._has_file = False
        self._heir: Heir | None = None
        # When the tree went on; None while it waits. Processor time: a busy machine gives no turn too early.
        self._since: float | None = None
        # A tree with a cutoff is rarely beaten, and its rivals have to find the optimum first.
        self._spent, self._next = 0.0, FIRST_TURN * (NEXT_TURN if self._has_cutoff else 1)

    @property
    def current(self) -> Lister:
        """The lister that has all solutions, or else the tree."""
        return self._tree if self._heir is None else self._heir[0]

    def resuming(self, file: SolutionFile | None) -> TreeInTurns:
        """Return this lister with the file of its list. Raises InputError and UsageError."""
        self._tree.resuming(file)
        self._has_file = file is not None
        return self

    def points(self, known: KnownLines) -> Points:
        listed, columns = set[tuple[int, ...]](), self.prepared.problem.keys[self.key]
        self._since = time.thread_time()
        for point in (by_tree := PointIterator(self._tree.points(known))):
            if self._heir is not None:
                break  # with a cutoff the tree has not found all better points yet
            if self._has_file and self._has_cutoff and not self._tree.outcome.complete:
                what = "the optimum is not known, so no solution is written"
                raise Unfinished(f"{self.prepared.puzzle.name}: {what}", self.deadline.stop or Stop.COUNT)
            if self._rivals:
                listed.add(tuple([point[j] for j in columns]))
            self._pause()
            yield point
            self._since = time.thread_time()
        self._pause()
        if self._heir is None:
            return by_tree.end
        for point in self._heir[1]:
            if stop := self.deadline.stop:
                return Proof.NONE, stop
            if (key := tuple([point[j] for j in columns])) in listed:
                listed.remove(key)
            else:
                yield point
        if listed:
            who, name = self._heir[0].method, self.prepared.puzzle.name
            raise EngineFault(f"{len(listed)} solutions of {name} that the tree lists are none of {who}'s")
        return Proof.COMPLETE, Stop.FINISHED

    def judge(self, point: tuple[int, ...]) -> object:
        return self.current.judge(point)

    def confirm(self, found: int) -> str | None:
        return self.current.confirm(found)

    def _pause(self) -> None:
        if self._since is not None:
            self._spent += time.thread_time() - self._since
        self._since = None

    def _stop_for_heir(self) -> Stop | None:
        """Return that the tree is beaten once a rival has all solutions; the rivals have their turns here.

        The tree calls this between two nodes.
        """
        if self._heir is not None:
            return Stop.BEATEN
        if not self._rivals:  # threads that search subtrees may ask at the same time
            return None
        if self._since is None or self._spent + time.thread_time() - self._since < self._next:
            return None
        self._pause()
        for rival in self._rivals:
            with suppress(Unfinished, UsageError):
                self._heir = rival(SubDeadline(self.deadline, self._spent))
                break
        self._next, self._since = NEXT_TURN * self._spent, time.thread_time()
        return None if self._heir is None else Stop.BEATEN
