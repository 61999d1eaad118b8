"""Lists of the best solutions: all within a distance of the optimum, the k best, and k that are far apart.

A list of the k best is complete if the list of all solutions better than the last one is: that is confirmed
like any other list.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import floor
from typing import TYPE_CHECKING, Any, TypeVar

from milp_pips.compilation.limits import Budget, Unfinished
from milp_pips.constraints import NoGood, PairSum
from milp_pips.problem.answer import Claim, Proof, Stop
from milp_pips.problem.errors import UsageError
from milp_pips.problem.objective import MAXIMISE, Objective
from milp_pips.problem.parameters import SHARE, whole
from milp_pips.problem.problem import Variable
from milp_pips.puzzles.puzzle import Board
from milp_pips.tasks.compile import compile_prepared, completion
from milp_pips.tasks.diverse import DiverseLister, Further
from milp_pips.tasks.lines import line_of
from milp_pips.tasks.listers import KnownLines, Lines, Solutions
from milp_pips.tasks.objectives import as_good_as, goal_of
from milp_pips.tasks.pipeline import Prepared, find_point, prepare
from milp_pips.tasks.solve import judge_response, solve
from milp_pips.verification.second_opinion import claim_of_space, on_complete

if TYPE_CHECKING:
    from milp_pips.problem.answer import Settings
    from milp_pips.problem.problem import Problem
    from milp_pips.problem.stopping import Deadline
    from milp_pips.puzzles.puzzle import Puzzle
    from milp_pips.tasks.results import Optimum

T = TypeVar("T")


def prepare_near_optimal(
    puzzle: Puzzle,
    rules: Sequence[str],
    within: tuple[int | None, float | None],
    maximise: str | None,
    minimise: str | None,
    *,
    board: Board | None,
    deadline: Deadline,
) -> tuple[Prepared, Optimum | None]:
    """Return the puzzle with the constraint that solutions are at most ``within`` from the optimum, and that.

    The distance is absolute, or a share of the optimum, or the smaller one of both. Without a solution there
    is no such constraint, and no optimum. Raises UsageError if there is no objective, ValueError for a
    negative distance, Unfinished if the optimum is not known at the deadline.
    """
    absolute, relative = within
    if absolute is not None:
        whole().check("within", absolute)
    if relative is not None:
        SHARE.check("within_relative", relative)
    prepared = prepare(puzzle, rules, board, deadline, goal_of(maximise, minimise))
    if (objective := prepared.problem.objective) is None:
        raise UsageError("a distance from the optimum needs an objective: maximise or minimise something")
    found = solve(puzzle, board=board, maximise=maximise, minimise=minimise, deadline=deadline)
    if found.objective is None and found.status in ("infeasible", "dead"):
        return prepared, None
    if found.objective is None or not found.objective.is_optimal:
        raise Unfinished(f"the optimum is not known: {found.summary()}", found.stop)
    best = objective.value(prepared.point_of(found.solution))
    shares = [] if relative is None else [floor(Fraction(repr(relative)) * abs(best))]
    distance = min([*shares, *([] if absolute is None else [absolute * objective.scale])])
    row = as_good_as(objective, objective.worse(best, distance))

    def near(problem: Problem) -> Problem:
        return problem.with_constraints([row]).with_objective(objective)

    return prepare(puzzle, rules, board, deadline, near), found.objective


class BestLister:
    """Lists the k best solutions, the best first.

    The longest paths of a decision diagram are these solutions. If no diagram fits, or a solver is named,
    the solver finds the best solution again and again, each time with a cut that excludes it.

    Parameters
    ----------
    prepared
        The puzzle with its objective.
    key
        The key by which solutions differ; the objective depends on its variables alone.
    k
        Most solutions to list.
    solver, settings
        The solver; empty for decision diagrams.
    deadline
        The deadline of the list.
    """

    method = "best"
    of: int | None = None
    judged = 0

    def __init__(
        self, prepared: Prepared, key: str, k: int, solver: str, settings: Settings, deadline: Deadline
    ):
        objective = prepared.problem.objective
        if objective is None:
            raise UsageError("the best solutions need an objective: maximise or minimise something")
        self.prepared, self._objective, self._k, self.solver = prepared, objective, k, solver
        self._settings, self._key, self._deadline = settings, key, deadline
        self._variables = prepared.problem.keys[key]
        if not set(objective.costs) <= set(self._variables):
            able = [name for name, of in prepared.problem.keys.items() if set(objective.costs) <= set(of)]
            raise UsageError(
                f"{objective} differs between solutions with the same {key}; the keys that determine it: "
                f"{', '.join(able) or 'none'}"
            )
        self._listed: list[tuple[int, tuple[int, ...]]] = []
        self._claim = claim_of_space("the decision diagram", listed=False)

    def _points(self) -> Generator[tuple[int, ...], None, tuple[Proof, Stop]]:
        if not self.solver:
            try:
                space = compile_prepared(
                    self.prepared, self._variables, Budget.of_memory(self._settings.memory), self._deadline
                )
                best = space.best(self._k, self._objective, self._deadline)
            except Unfinished as reason:
                if self._deadline.stop:
                    return Proof.NONE, self._deadline.stop or reason.stop
            else:
                self._claim = claim_of_space("the decision diagram", listed=space.listed)
                complete = completion(self.prepared.problem, space.variables)
                yield from (complete(values) for _, values in best)
                return Proof.COMPLETE, Stop.FINISHED
        return (yield from self._points_of_solver())

    def _points_of_solver(self) -> Generator[tuple[int, ...], None, tuple[Proof, Stop]]:
        rest, problem = self.prepared, self.prepared.problem
        least = problem.least_difference(self._key)
        for _ in range(self._k):
            answer, claim, *_ = find_point(rest, self.solver, self._settings, self._deadline)
            self._claim = claim
            if answer.proof is Proof.INFEASIBLE:
                break
            if answer.point is None or answer.proof is not Proof.OPTIMAL:
                return Proof.NONE, self._deadline.stop or answer.stop
            yield answer.point
            cut = NoGood(self._variables, tuple(answer.point[v] for v in self._variables), least=least)
            rest = replace(
                rest,
                problem=rest.problem.with_constraints([cut]),
                filtered=rest.filtered.with_constraints([cut]),
            )
        return Proof.COMPLETE, Stop.FINISHED

    def solutions(self) -> Solutions:
        """Yield the solutions."""
        return self._list(lambda solution: solution)

    def lines(self, known: KnownLines) -> Lines:
        """Yield the solutions as lines of JSON."""
        assert not any(known), "a file never resumes such a list"
        return self._list(partial(line_of, self.prepared))

    def _list(self, show: Callable[[Any], T]) -> Generator[T, None, tuple[Proof, Stop]]:
        points = self._points()
        while True:
            try:
                point = next(points)
            except StopIteration as end:
                proof, stop = end.value
                return proof, stop
            self.judged += 1
            self._listed.append((self._objective.value(point), tuple(point[v] for v in self._variables)))
            yield show(self.prepared.judge(point, self.solver or "the decision diagram"))

    def confirm(self, found: int, deadline: Deadline) -> str | None:
        """Return what confirms that all solutions better than the last are listed; all, if fewer than k."""
        problem, listed = self.prepared.problem, [values for _, values in self._listed]
        if found >= self._k:
            worst, _ = self._listed[-1]
            problem = problem.with_constraints(
                [as_good_as(self._objective, self._objective.worse(worst, -1))]
            )
            listed = [values for value, values in self._listed if value != worst]
        return on_complete(problem, self._key, len(listed), listed, self._claim, deadline)


# Solutions that are far apart.


def lister_of_problem(
    prepared: Prepared, key: str, k: int, solver: str, settings: Settings, deadline: Deadline
) -> DiverseLister:
    """Return the lister of a puzzle's solutions that differ in the key."""
    variables = prepared.problem.keys[key]
    whole, claim = prepared.problem.with_objective(None), Claim(solver or "the solver", "")

    def find(keys: Sequence[Sequence[int]], most: int) -> Further:
        nonlocal claim
        if keys:
            far = replace(
                prepared,
                problem=_as_far_as_possible(prepared.problem, variables, keys, most),
                filtered=_as_far_as_possible(prepared.filtered, variables, keys, most),
            )
        else:
            far = replace(prepared, problem=whole, filtered=prepared.filtered.with_objective(None))
        response = find_point(far, solver, settings, deadline)
        answer, claim = response.answer, response.claim
        if answer.proof is Proof.INFEASIBLE:
            return Further(None, proof=Proof.COMPLETE)
        found = judge_response(far, response, deadline)
        if found.point is None or (keys and not (found.objective and found.objective.is_optimal)):
            return Further(None, stop=deadline.stop or Stop.ERROR)
        point = tuple(found.point[: prepared.stated])
        if found.objective is None:
            return Further(point, solver=claim.who)
        return Further(point, int(found.objective.value), found.objective.confirmed_by, claim.who)

    def confirm_all(keys: Sequence[tuple[int, ...]], deadline: Deadline) -> str | None:
        return on_complete(whole, key, len(keys), keys, claim, deadline)

    return DiverseLister(prepared, variables, k, solver, find, confirm_all)


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
