"""Lists of the best solutions: all within a distance of the optimum, the k best, and k that are far apart.

A list of the k best is complete if the list of all solutions better than the last one is: that is confirmed
like any other list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import floor
from typing import Any

from milp_pips.compilation.limits import Budget, Unfinished
from milp_pips.constraints import NoGood, PairSum
from milp_pips.engines.contract import Points
from milp_pips.problem.answer import Claim, Proof, Settings, Stop
from milp_pips.problem.errors import UsageError
from milp_pips.problem.objective import MAXIMISE, Objective
from milp_pips.problem.problem import Problem, Variable
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.puzzle import Board, Puzzle
from milp_pips.tasks.compile import compile_prepared, completion
from milp_pips.tasks.diverse import DiverseLister, Further
from milp_pips.tasks.listers import KnownLines, Lister
from milp_pips.tasks.objectives import as_good_as, goal_of
from milp_pips.tasks.pipeline import Prepared, find_point, prepare
from milp_pips.tasks.results import Distance, Optimum
from milp_pips.tasks.solve import judge_response, solve
from milp_pips.verification.second_opinion import claim_of_space, on_complete


def prepare_near_optimal(
    puzzle: Puzzle,
    rules: Sequence[str],
    board: Board | None,
    deadline: Deadline,
    distance: Distance,
    maximise: str | None,
    minimise: str | None,
) -> tuple[Prepared, Optimum | None]:
    """Return the puzzle with the constraint that solutions are within a distance of the optimum, and that.

    Without a solution there is no such constraint, and no optimum. Raises UsageError if there is no
    objective, ValueError for a negative distance, Unfinished if the optimum is not known at the deadline.
    """
    distance.check()
    prepared = prepare(puzzle, rules, board, deadline, goal_of(maximise, minimise))
    if (objective := prepared.problem.objective) is None:
        raise UsageError("a distance from the optimum needs an objective: maximise or minimise something")
    found = solve(puzzle, board=board, maximise=maximise, minimise=minimise, deadline=deadline)
    if found.objective is None and found.status in ("infeasible", "dead"):
        return prepared, None
    if found.objective is None or not found.objective.is_optimal:
        raise Unfinished(f"the optimum is not known: {found.summary()}", found.stop)
    best = objective.value(prepared.point_of(found.solution))
    row = as_good_as(objective, objective.worse(best, floor(distance.least(best, objective.scale))))

    def near(problem: Problem) -> Problem:
        return problem.with_constraints([row]).with_objective(objective)

    return prepare(puzzle, rules, board, deadline, near), found.objective


class BestLister(Lister):
    """Lists the k best solutions, the best first.

    The longest paths of a decision diagram are these solutions. If no diagram fits, or a solver is named,
    the solver finds the best solution again and again, each time with a cut that excludes it.

    Parameters
    ----------
    prepared, key, deadline
        The puzzle with its objective, the key by which solutions differ, and the deadline of the list. The
        objective depends on variables of the key alone.
    k
        Most solutions to list.
    solver, settings
        The solver; empty for decision diagrams.
    """

    method = "best"

    def __init__(
        self, prepared: Prepared, key: str, deadline: Deadline, k: int, solver: str, settings: Settings
    ):
        super().__init__(prepared, key, deadline)
        objective = prepared.problem.objective
        if objective is None:
            raise UsageError("the best solutions need an objective: maximise or minimise something")
        self._objective, self._k, self.solver, self._settings = objective, k, solver, settings
        self._variables = prepared.problem.keys[key]
        if not set(objective.costs) <= set(self._variables):
            able = [name for name, of in prepared.problem.keys.items() if set(objective.costs) <= set(of)]
            raise UsageError(
                f"{objective} differs between solutions with the same {key}; the keys that determine it: "
                f"{', '.join(able) or 'none'}"
            )
        self._listed: list[tuple[int, tuple[int, ...]]] = []
        self._claim = claim_of_space("the decision diagram", listed=False)

    def points(self, _known: KnownLines) -> Points:
        if not self.solver:
            try:
                budget = Budget.of_memory(self._settings.memory)
                space = compile_prepared(self.prepared, self._variables, budget, self.deadline)
                best = space.best(self._k, self._objective, self.deadline)
            except Unfinished as reason:
                if self.deadline.stop:
                    return Proof.NONE, self.deadline.stop or reason.stop
            else:
                self._claim = claim_of_space("the decision diagram", listed=space.listed)
                complete = completion(self.prepared.problem, space.variables)
                yield from (complete(values) for _, values in best)
                return Proof.COMPLETE, Stop.FINISHED
        return (yield from self._points_of_solver())

    def _points_of_solver(self) -> Points:
        rest, least = self.prepared, self.prepared.problem.least_difference(self.key)
        for _ in range(self._k):
            answer, self._claim, *_ = find_point(rest, self.solver, self._settings, self.deadline)
            if answer.proof is Proof.INFEASIBLE:
                break
            if answer.point is None or answer.proof is not Proof.OPTIMAL:
                return Proof.NONE, self.deadline.stop or answer.stop
            yield tuple(answer.point)
            rest = rest.without(NoGood(self._variables, self._values(answer.point), least=least))
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
        problem, listed = self.prepared.problem, [values for _, values in self._listed]
        if found >= self._k:
            worst, _ = self._listed[-1]
            better = as_good_as(self._objective, self._objective.worse(worst, -1))
            problem = problem.with_constraints([better])
            listed = [values for value, values in self._listed if value != worst]
        return on_complete(problem, self.key, len(listed), listed, self._claim, self.deadline)


class DiverseInProblem(DiverseLister):
    """Lists solutions of a problem that are far apart."""

    def __init__(
        self, prepared: Prepared, key: str, deadline: Deadline, k: int, solver: str, settings: Settings
    ):
        super().__init__(prepared, key, deadline, prepared.problem.keys[key], k, solver)
        self._named, self._settings, self._claim = solver, settings, Claim(solver or "the solver", "")

    def find(self, most: int) -> Further:
        def far(problem: Problem) -> Problem:
            if not self.keys:
                return problem.with_objective(None)
            return _as_far_as_possible(problem, self.positions, self.keys, most)

        prepared = self.prepared.changed(far)
        response = find_point(prepared, self._named, self._settings, self.deadline)
        answer, self._claim = response.answer, response.claim
        if answer.proof is Proof.INFEASIBLE:
            return Further(None, proof=Proof.COMPLETE)
        result, found = judge_response(prepared, response, self.deadline)
        if found is None or (self.keys and not (result.objective and result.objective.is_optimal)):
            return Further(None, stop=self.deadline.stop or Stop.ERROR)
        point = tuple(found[: self.prepared.stated])
        if result.objective is None:
            return Further(point, solver=self._claim.who)
        by = result.objective.confirmed_by
        return Further(point, int(result.objective.value), by, self._claim.who)

    def confirm_all(self) -> str | None:
        whole = self.prepared.problem.with_objective(None)
        return on_complete(whole, self.key, len(self.keys), self.keys, self._claim, self.deadline)


def _as_far_as_possible(
    problem: Problem, variables: Sequence[int], keys: Sequence[Sequence[int]], most: int
) -> Problem:
    """Return the problem with its least distance from some solutions as a variable, which is maximised.

    In each solution the variables with the old value and the distance are together at most all variables.
    """
    distance, values = len(problem.variables), tuple(range(1, most + 1))
    counted = tuple([(distance, a, a) for a in values])
    rows = [
        PairSum(
            (*((v, a, 1) for v, a in zip(variables, key, strict=True)), *counted),
            None,
            len(variables),
            f"the distance from solution {number}",
        )
        for number, key in enumerate(keys, 1)
    ]
    return replace(
        problem,
        variables=(*problem.variables, Variable("the least distance", values)),
        constraints=(*problem.constraints, *rows),
        auxiliary=(*problem.auxiliary, distance),
        determined=False,
        objective=Objective(counted, MAXIMISE, 0, "the least distance"),
    )
