"""The task ``solve``: prepare a puzzle, call an engine, check its point, confirm that there is no solution.

On request, ``milp_pips.tasks.uniqueness`` then finds out whether the solution is the only one.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from milp_pips.engines.registry import available, version_of
from milp_pips.problem.answer import Claim, Proof, Settings, Shortcuts, Stop
from milp_pips.problem.errors import UsageError
from milp_pips.problem.parameters import named_keywords
from milp_pips.problem.stopping import Deadline, OnProgress, SubDeadline, running_deadline
from milp_pips.puzzles.puzzle import Board
from milp_pips.tasks.pipeline import (
    EngineResponse,
    find_confirmed,
    find_point,
    known_key,
    prepare,
    puzzle_of,
    rules_for,
    settings_of,
)
from milp_pips.tasks.results import Optimum, Result, Uniqueness

if TYPE_CHECKING:
    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Puzzle
    from milp_pips.tasks.pipeline import Prepared

WITHOUT_BOARD = 10.0
"""Seconds for finding out whether a puzzle has a solution at all, if none contains the board."""


@named_keywords
def solve(
    puzzle: Puzzle | Problem,
    solver: str = "",
    settings: Settings = Settings(),
    *,
    unique: bool = False,
    counting: float | None = None,
    reading: float = 0.0,
    board: Board | None = None,
    maximise: str | None = None,
    minimise: str | None = None,
    deadline: Deadline | None = None,
    on_progress: OnProgress | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> Result:
    """Return a solution of the puzzle, or a confirmed proof that there is none.

    With an objective it is the best solution, or the best one found within the limits.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    solver
        Name of the solver; empty for one that suits the problem, see ``milp_pips.engines.defaults``.
    settings, shortcuts
        Limits and options; fields of ``Settings`` may be given as keywords, such as ``seconds=10``.
    unique
        Whether to find out, within the time limit, if the solution is the only one by the first key. Without
        it, that is known only if filtering leaves nothing open.
    counting
        Without effect, with a DeprecationWarning: use ``unique``.
    reading
        Seconds that reading the puzzle took, to be reported with the others.
    board
        The values that are filled in already, see ``hint``: the solution contains them.
    maximise, minimise
        An objective in words, such as ``sum(A) + 2*r1c1``, see ``milp_pips.tasks.objectives``. A bare problem
        may have an ``Objective`` of its own.
    deadline
        A deadline that is running already, instead of a time limit and the handling of Ctrl-C.
    on_progress
        Called with each line of progress; the logger ``milp_pips`` gets these lines, too.

    Raises
    ------
    UsageError
        If a solver, formulation or option is unknown, the solver cannot run here or takes no objective, the
        objective cannot be read, or a value of the board is not in the domain of its cell.
    EngineFault
        If the engine's point breaks a rule.
    """
    puzzle = puzzle_of(puzzle, "solve")
    settings = settings_of(settings, shortcuts, solver)
    if counting is not None:
        warnings.warn("counting has no effect: use unique=True", DeprecationWarning, stacklevel=2)
    begun = time.perf_counter()
    with running_deadline(deadline, settings.seconds, on_progress) as deadline:
        engine = available(solver, settings) if solver else None
        prepared = prepare(puzzle, rules_for(settings, engine), board, deadline)
        if maximise is not None or minimise is not None:
            from milp_pips.tasks.objectives import aimed

            prepared = aimed(prepared, maximise, minimise)
        if unique and prepared.problem.objective is not None:
            raise UsageError("an objective asks for the best solution, not for the only one: omit unique")
        response = find_point(prepared, solver, settings, deadline)
        found = _judge(prepared, response, deadline)
        if found.status == "infeasible" and board:
            status, remark = _without_board(puzzle, settings, deadline)
            found = found._replace(status=status, remark=remark)
        answer, claim = found.response.answer, found.response.claim
        seconds = {"read": reading, **answer.seconds, "total": reading + time.perf_counter() - begun}
        others = Uniqueness(0, 0) if found.status in ("infeasible", "dead") else Uniqueness(at_least=0)
        if found.point is not None:
            others = _known_uniqueness(prepared)
        if unique and found.point is not None and not (others.key or found.fault):
            from milp_pips.tasks.uniqueness import find_others  # which loads all that counts and lists

            others = find_others(prepared, found.point, deadline)
            seconds["count"] = reading + time.perf_counter() - begun - seconds["total"]
    return Result(
        puzzle,
        found.solution,
        found.status,
        found.stop,
        solver=claim.who,
        version=found.response.version,
        formulation=answer.formulation,
        confirmed_by=found.confirmed_by,
        remark=found.remark,
        fault=found.fault,
        size=answer.size,
        statistics=answer.statistics,
        seconds=seconds,
        choice=response.choice,
        others=others,
        board=board,
        objective=found.optimum,
    )


class _Outcome(NamedTuple):
    """What a solve found: the response of the engine that is right, the status, and the checked solution."""

    response: EngineResponse
    status: str
    stop: Stop
    remark: str = ""
    fault: str = ""
    confirmed_by: str | None = None
    point: Sequence[int] | None = None
    solution: Any = None
    optimum: Optimum | None = None


def _judge(prepared: Prepared, response: EngineResponse, deadline: Deadline) -> _Outcome:
    """Return what the response means, once its point is checked or its "no solution" is confirmed."""
    answer, who = response.answer, response.claim.who
    solution = prepared.judge(answer.point, who)
    if answer.proof is Proof.INFEASIBLE:
        return _confirm_no_solution(prepared, response, deadline)
    if solution is not None:
        found = _Outcome(
            response, "solved", answer.stop, answer.message, point=answer.point, solution=solution
        )
        return found if prepared.problem.objective is None else _confirm_optimum(prepared, found, deadline)
    if answer.stop is Stop.ERROR:
        return _Outcome(response, "error", answer.stop, fault=answer.message or f"{who} failed")
    return _Outcome(response, "unknown", answer.stop, answer.message)


def _confirm_no_solution(prepared: Prepared, response: EngineResponse, deadline: Deadline) -> _Outcome:
    """Return the outcome of a second opinion: it confirms "no solution", finds a solution, or neither."""
    from milp_pips.verification.second_opinion import on_no_solution  # which loads all that confirms

    name, answer, claim = prepared.puzzle.name, response.answer, response.claim
    said = f"{claim.who} reports that there is no solution"
    deadline.progress.report(f"{name}: {said}; confirming it")
    opinion = on_no_solution(prepared.problem, claim, deadline)
    if opinion.confirmed_by:
        deadline.progress.report(f"{name}: confirmed by {opinion.confirmed_by}")
        by = opinion.confirmed_by
        return _Outcome(response, "infeasible", answer.stop, answer.message, confirmed_by=by)
    if opinion.point is None:
        stop = deadline.stop or answer.stop
        return _Outcome(response, "unknown", stop, f"{said}, but nothing has confirmed it")
    solution = prepared.judge(opinion.point, opinion.witness)
    fault = f"{claim.who} calls it infeasible, but {opinion.witness} solves it"
    version = version_of(available(opinion.solver))
    right = EngineResponse(opinion.answer or answer, Claim(opinion.solver, ""), version)
    return _Outcome(
        right, "solved", answer.stop, answer.message, fault, point=opinion.point, solution=solution
    )


def _confirm_optimum(prepared: Prepared, found: _Outcome, deadline: Deadline) -> _Outcome:
    """Return the outcome with its value, and with a second opinion if the engine calls it optimal."""
    from milp_pips.tasks.objectives import as_good_as
    from milp_pips.verification.second_opinion import on_no_solution

    problem, (answer, claim, *_) = prepared.problem, found.response
    objective = problem.objective
    assert objective is not None
    assert found.point is not None
    value = objective.value(found.point)
    optimum = Optimum(objective.sense, str(objective), value, answer.bound)
    if answer.proof is not Proof.OPTIMAL:
        return found._replace(optimum=optimum)
    name, said = prepared.puzzle.name, f"{claim.who} reports that no solution is better than {value}"
    deadline.progress.report(f"{name}: {said}; confirming it")
    if not objective.terms:
        return found._replace(optimum=replace(optimum, is_optimal=True))
    better = problem.with_constraints([as_good_as(objective, objective.worse(value, -1))])
    opinion = on_no_solution(better, claim, deadline)
    if opinion.confirmed_by:
        deadline.progress.report(f"{name}: confirmed by {opinion.confirmed_by}")
        return found._replace(optimum=replace(optimum, is_optimal=True, confirmed_by=opinion.confirmed_by))
    if opinion.point is None:
        return found._replace(optimum=optimum, remark=f"{said}, but nothing has confirmed it")
    better_value = objective.value(opinion.point)
    return found._replace(
        response=EngineResponse(opinion.answer or answer, Claim(opinion.solver, ""), ""),
        fault=f"{claim.who} calls {value} optimal, but {opinion.witness} finds {better_value}",
        point=opinion.point,
        solution=prepared.judge(opinion.point, opinion.witness),
        optimum=replace(optimum, value=better_value, bound=None),
    )


def _known_uniqueness(prepared: Prepared) -> Uniqueness:
    """Return that the solution is the only one if filtering leaves nothing open; else nothing is known."""
    key = known_key(prepared.problem, "")
    if all(len(prepared.filtered.variables[v].domain) == 1 for v in prepared.problem.keys[key]):
        return Uniqueness(1, 1, key)
    return Uniqueness()


def _without_board(puzzle: Puzzle, settings: Settings, deadline: Deadline) -> tuple[str, str]:
    """Return the status if no solution contains the board, and a remark on the puzzle without the board."""
    deadline.progress.report(f"{puzzle.name}: searching for a solution without this board")
    deadline = SubDeadline(deadline, WITHOUT_BOARD)
    prepared = prepare(puzzle, rules_for(settings), deadline=deadline)
    answer, confirmed_by = find_confirmed(prepared, Settings(), deadline)
    if answer.point is not None:
        return "dead", "without this board there is one"
    if confirmed_by:
        return "infeasible", "nor is there one without this board"
    return "dead", "whether there is one without this board is not known"
