"""A few solutions that are far apart: each as far as possible from those before it.

The distance of two solutions is the number of variables of the key, or of chosen columns, in which they
differ. The first solution is any. Each further one is as far as possible from those before it: the least of
its distances to them is the greatest possible, which is confirmed like any optimum. So these distances never
grow, and the last one, ``d``, is at least half of the best: no k solutions are all over ``2 d`` apart. Else
each of the first k - 1 listed solutions would be within ``d`` of at most one of these, so one would be
over ``d`` from all, and the last step would have found it (Ravi, Rosenkrantz and Tayi 1994).
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from milp_pips.engines.contract import Points
from milp_pips.problem.answer import NOBODY, Proof, Stop
from milp_pips.problem.errors import UsageError
from milp_pips.tasks.listers import KnownLines, Lister
from milp_pips.tasks.pipeline import find_point
from milp_pips.tasks.prepared import Prepared
from milp_pips.tasks.query import Run
from milp_pips.tasks.solve import judge_answer


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
        prepared.require_key(key, "diverse solutions")
        self._k, self.solver = k, run.solver
        self._keys, self._claim = list[tuple[int, ...]](), NOBODY
        self._confirmed_by: str | None = None

    def points(self, _known: KnownLines) -> Points:
        positions = self.prepared.problem.keys[self.key]
        first, most = self.prepared.changed(lambda problem: problem.with_objective(None)), len(positions)
        # The first solution is any. The distance of each next one bounds those of all later ones: more
        # solutions to be far from never allow a greater distance.
        while len(self._keys) < self._k:
            prepared = self.prepared.as_far_as_possible(self.key, self._keys, most) if self._keys else first
            answer = find_point(prepared, self.run)
            self._claim = answer.claim
            if answer.proof is Proof.INFEASIBLE:
                return Proof.COMPLETE, Stop.FINISHED
            result = judge_answer(prepared, answer, self.deadline)
            optimum = result.objective
            if result.point is None or (self._keys and not (optimum and optimum.is_optimal)):
                return Proof.NONE, self.deadline.stop or Stop.ERROR
            self.solver = self._claim.who
            if optimum is not None:
                most, self._confirmed_by = int(optimum.value), optimum.confirmed_by
                self.distances += (most,)
            point = tuple(result.point[: self.prepared.stated])
            self._keys.append(tuple([point[v] for v in positions]))
            yield self._completed(point)
        return Proof.COMPLETE, Stop.FINISHED

    def _completed(self, point: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the point with the best values of what is outside the key, if the best is bounded."""
        rest = self.prepared.to_complete(point, self.key)
        if rest is not None:
            with suppress(UsageError):
                best = find_point(rest, self.run).point
                return point if best is None else tuple(best)
        return point

    def confirm(self, found: int) -> str | None:
        """Return what confirmed the last distance; that there are no others, if there are fewer than k."""
        if found >= self._k:
            return self._confirmed_by
        return self.prepared.confirm_list(self.key, self._keys, self._claim, self.run)
