"""Lists of the best solutions: all within a distance of the optimum, and the k best.

A list of the k best is complete if the list of all solutions better than the last one is: that is confirmed
like any other list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from milp_pips.compilation.limits import Budget, Unfinished
from milp_pips.engines.contract import Points
from milp_pips.problem.answer import Proof, Stop
from milp_pips.problem.errors import UsageError
from milp_pips.tasks.compile import compile_prepared
from milp_pips.tasks.listers import KnownLines, Lister
from milp_pips.tasks.pipeline import find_point, prepare
from milp_pips.tasks.query import Prepared, Query, Run
from milp_pips.tasks.results import Optimum
from milp_pips.tasks.solve import solve
from milp_pips.verification.recounting import claim_of_space


def prepare_near_optimal(query: Query, run: Run) -> tuple[Prepared, Optimum | None]:
    """Return the puzzle with the constraint that solutions are within a distance of the optimum, and that.

    Without a solution there is no such constraint, and no optimum. Raises UsageError if there is no
    objective, Unfinished if the optimum is not known at the deadline.
    """
    prepared = prepare(query, run, takes_models=True)
    if (objective := prepared.problem.objective) is None:
        raise UsageError("a distance from the optimum needs an objective: maximise or minimise something")
    found = solve(
        query.puzzle,
        board=query.board,
        maximise=query.maximise,
        minimise=query.minimise,
        deadline=run.deadline,
    )
    if found.objective is None and found.status in ("infeasible", "dead"):
        return prepared, None
    if found.objective is None or not found.objective.is_optimal:
        raise Unfinished(f"the optimum is not known: {found.summary()}", found.stop)
    assert found.point is not None
    near = prepared.no_worse_than(prepared.worst_within(objective.value(found.point), query.distance))
    return near.filtered_again(run.rules, run.deadline), found.objective


class BestLister(Lister):
    """Lists the k best solutions, the best first.

    The longest paths of a decision diagram are these solutions. If no diagram fits, or a solver is named,
    the solver finds the best solution again and again, each time with a cut that excludes it.

    Parameters
    ----------
    prepared, key
        The puzzle with its objective, and the key by which solutions differ. The objective depends on
        variables of the key alone.
    run
        The solver, none for decision diagrams; the deadline of the list.
    k
        Most solutions to list.
    """

    method = "best"

    def __init__(self, prepared: Prepared, key: str, run: Run, k: int):
        super().__init__(prepared, key, run)
        objective = prepared.problem.objective
        if objective is None:
            raise UsageError("the best solutions need an objective: maximise or minimise something")
        self._objective, self._k, self.solver = objective, k, run.solver
        self._variables = prepared.problem.keys[key]
        prepared.require_best(key)
        self._listed: list[tuple[int, tuple[int, ...]]] = []
        self._claim = claim_of_space("the decision diagram", listed=False)

    def points(self, _known: KnownLines) -> Points:
        if not self.solver:
            try:
                budget = Budget.of_memory(self.run.settings.memory)
                space = compile_prepared(self.prepared, self._variables, budget, self.deadline)
                best = space.best(self._k, self._objective, self.deadline)
            except Unfinished as reason:
                if self.deadline.stop:
                    return Proof.NONE, self.deadline.stop or reason.stop
            else:
                self._claim = claim_of_space("the decision diagram", listed=space.listed)
                complete = space.completion()
                yield from (complete(values) for _, values in best)
                return Proof.COMPLETE, Stop.FINISHED
        return (yield from self._points_of_solver())

    def _points_of_solver(self) -> Points:
        # Invariant: ``rest`` has all solutions but the listed ones, so its best solution is the next one.
        rest = self.prepared
        for _ in range(self._k):
            answer = find_point(rest, self.run)
            self._claim = answer.claim
            if answer.proof is Proof.INFEASIBLE:
                break
            if answer.point is None or answer.proof is not Proof.OPTIMAL:
                return Proof.NONE, self.deadline.stop or answer.stop
            yield tuple(answer.point)
            values = self._values(answer.point)
            rest = rest.without(values, self.key)
        return Proof.COMPLETE, Stop.FINISHED

    def _values(self, point: Sequence[int]) -> tuple[int, ...]:
        return tuple([point[v] for v in self._variables])

    def judge(self, point: tuple[int, ...]) -> Any:
        """Return the solution of a point, whose value is recorded."""
        self.judged += 1
        self._listed.append((self._objective.value(point), self._values(point)))
        return self.prepared.judge(point, self.solver or "the decision diagram")

    def confirm(self, found: int) -> str | None:
        """Return what confirms that all solutions better than the last are listed; all, if fewer than k."""
        prepared, listed = self.prepared, [values for _, values in self._listed]
        # With ties at the end any k of them are right, so only those better than the last must be complete.
        if found >= self._k:
            worst, _ = self._listed[-1]
            prepared = prepared.better_than(worst)
            listed = [values for value, values in self._listed if value != worst]
        return prepared.confirm_list(self.key, listed, self._claim, self.run)
