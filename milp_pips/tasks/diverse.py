"""A few solutions that are far apart: each as far as possible from those before it.

The distance of two solutions is the number of variables of the key, or of chosen columns, in which they
differ. The first solution is any. Each further one is as far as possible from those before it: the least of
its distances to them is the greatest possible, which is confirmed like any optimum. So these distances never
grow, and the last one, ``d``, is at least half of the best: no k solutions are all over ``2 d`` apart. Else
each of the first k - 1 listed solutions would be within ``d`` of at most one of these, so one would be
over ``d`` from all, and the last step would have found it (Ravi, Rosenkrantz and Tayi 1994).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

from milp_pips.engines.contract import PointIterator, Points
from milp_pips.engines.defaults import LP_SOLVER
from milp_pips.problem.answer import NOBODY, Proof, Stop
from milp_pips.tasks.listers import KnownLines, Lister
from milp_pips.tasks.models import PreparedModel
from milp_pips.tasks.pipeline import find_point
from milp_pips.tasks.query import ANY_DISTANCE, Prepared, Query, Run, Select
from milp_pips.tasks.solve import judge_answer
from milp_pips.tasks.trees import TreeLister


class Far(NamedTuple):
    """A solution and its distance from those before it, None for the first; or how the list has ended."""

    point: Sequence[Any] = ()
    distance: int | None = None
    end: tuple[Proof, Stop] | None = None


class DiverseLister(Lister):
    """Lists k solutions, each as far as possible from those before it.

    Parameters
    ----------
    prepared, key, run
        The puzzle, the key by which its solutions differ, the solver and the deadline of the list.
    k
        Most solutions to list.
    """

    method = "diverse"

    def __init__(self, prepared: Prepared, key: str, run: Run, k: int):
        super().__init__(prepared, key, run)
        self._k, self.solver = k, run.solver
        self._keys, self._claim = list[tuple[int, ...]](), NOBODY
        self._confirmed_by: str | None = None

    def points(self, _known: KnownLines) -> Points:
        positions = self.prepared.problem.keys[self.key]
        while len(self._keys) < self._k:
            found = self._farthest(len(positions))
            if found.end is not None:
                return found.end
            if found.distance is not None:
                self.distances += (found.distance,)
            point = tuple(found.point[: self.prepared.stated])
            self._keys.append(tuple([point[v] for v in positions]))
            yield point
        return Proof.COMPLETE, Stop.FINISHED

    def _farthest(self, most: int) -> Far:
        """Return the solution that is as far as possible from those before it; first any one."""
        prepared = self.prepared.changed(lambda problem: problem.with_objective(None))
        if self._keys:
            # The distance of each next solution bounds those of all later ones: more solutions to be far
            # from never allow a greater distance.
            most = self.distances[-1] if self.distances else most
            prepared = self.prepared.as_far_as_possible(self.key, self._keys, most)
        answer = find_point(prepared, self.run)
        self._claim = answer.claim
        if answer.proof is Proof.INFEASIBLE:
            return Far(end=(Proof.COMPLETE, Stop.FINISHED))
        result = judge_answer(prepared, answer, self.deadline)
        optimum = result.objective
        if result.point is None or (self._keys and not (optimum and optimum.is_optimal)):
            return Far(end=(Proof.NONE, self.deadline.stop or Stop.ERROR))
        self.solver = self._claim.who
        if optimum is None:
            return Far(result.point)
        self._confirmed_by = optimum.confirmed_by
        return Far(result.point, int(optimum.value))

    def confirm(self, found: int) -> str | None:
        """Return what confirmed the last distance; that there are no others, if there are fewer than k."""
        if found >= self._k:
            return self._confirmed_by
        return self.prepared.confirm_list(self.key, self._keys, self._claim, self.run)


class DiverseByTree(DiverseLister):
    """Lists k solutions of a linear model, each by a tree whose certificate is checked.

    With a distance from the optimum, the first one is optimal. The chosen columns must be binary.
    """

    solver = LP_SOLVER

    def __init__(self, prepared: PreparedModel, query: Query, run: Run, k: int):
        super().__init__(prepared, next(iter(prepared.problem.keys)), run, k)
        prepared.problem.require_binary("diverse solutions")
        self._near, self._distance, self._is_confirmed = prepared, query.distance, True

    def _farthest(self, most: int) -> Far:
        prepared, is_first, is_near = self._near, not self._keys, self._distance != ANY_DISTANCE
        if not is_first:
            most = self.distances[-1] if self.distances else most
            prepared = prepared.as_far_as_possible(self.key, self._keys, most)
        has_best = is_near or not is_first
        query = Query(prepared.puzzle, select=Select(best=1 if has_best else None))
        tree = TreeLister(prepared, prepared.problem, query, self.run)
        points = PointIterator(tree.points(()))
        found = list(islice(points, None if has_best else 1))
        if not found or (has_best and points.proof is not Proof.COMPLETE):
            self._confirmed_by = tree.confirm(0) if self._is_confirmed else None
            return Far(end=points.end)
        (point,) = found
        if is_first and is_near:
            self.optimum, value = tree.optimum, prepared.objective.value(point)
            worst = prepared.objective.worse(value, self._distance.least(value))
            self._near = prepared.no_worse_than(worst)
        if has_best:
            self._confirmed_by = tree.confirm(1)
            self._is_confirmed = self._is_confirmed and self._confirmed_by is not None
        return Far(point, None if is_first else int(point[-1]))

    def confirm(self, found: int) -> str | None:  # noqa: ARG002
        """Return what the last certificate proves, if all of them were checked."""
        return self._confirmed_by if self._is_confirmed else None
