"""The task ``solve``: prepare a puzzle, call an engine, check its point, confirm "no solution"."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any, Unpack

from milp_pips.problem.answer import Answer, Proof, Settings, Shortcuts, Stop
from milp_pips.problem.errors import UsageError
from milp_pips.problem.parameters import named_keywords
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline, OnProgress, running_deadline
from milp_pips.puzzles.puzzle import Board, Puzzle, known_key
from milp_pips.tasks.pipeline import find_point, prepare, puzzle_of, settings_of
from milp_pips.tasks.query import Prepared, Query, Run
from milp_pips.tasks.results import Result, Uniqueness


@named_keywords
def solve(
    puzzle: Puzzle | Problem,
    solver: str = "",
    settings: Settings = Settings(),
    *,
    unique: bool = False,
    reading: float = 0.0,
    board: Board | None = None,
    maximise: str | None = None,
    minimise: str | None = None,
    soft: Mapping[str, int] | None = None,
    start: Any = None,
    prove: str = "",
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
    reading
        Seconds that reading the puzzle took, to be reported with the others.
    board
        The values that are filled in already, see ``hint``: the solution contains them.
    maximise, minimise
        An objective in words, such as ``sum(A) + 2*r1c1``, see ``milp_pips.tasks.objectives``. A bare problem
        may have an ``Objective`` of its own.
    soft
        Rules that it may break and their weights, as ``{"A": 3, "all": 1}``; their total is minimised.
    start
        A known solution: engines look for one as good or better, and it is the result if they find none.
    prove
        A new folder for a certificate, see ``milp_pips.prove``. It is then the second opinion on an optimum
        and on "no solution". A solution that is known to be the only one gets one, too.
    deadline
        A deadline that is running already, instead of a time limit and the handling of Ctrl-C.
    on_progress
        Called with each line of progress; the logger ``milp_pips`` gets these lines, too.

    Raises
    ------
    UsageError
        If a solver, formulation or option is unknown, the solver cannot run here or takes no objective, the
        objective cannot be read, a value of the board is not in the domain of its cell, or the known solution
        breaks a rule.
    EngineFault
        If the engine's point breaks a rule.
    """
    begun, puzzle = time.perf_counter(), puzzle_of(puzzle, "solve")
    settings = settings_of(settings, shortcuts, solver)
    more = {"unique": unique, "start": start, "prove": prove}
    query = Query(puzzle.whole(), board, maximise, minimise, soft, more=more)
    with running_deadline(deadline, settings.seconds, on_progress) as deadline, _folder_for(query, prove):
        run = Run(solver, settings, deadline)
        prepared = prepare(query, run, takes_models=True)
        answer, others = _find(prepared, start, run, unique=unique)
        # Judged first, and confirmed: an engine's word is not trusted before.
        result = judge_answer(prepared, answer, deadline, prove)
        if result.status == "infeasible" and board:
            from milp_pips.tasks.confirmed import without_board  # it may be the fault of the board alone

            status, remark = without_board(puzzle, settings, deadline)
            result = replace(result, status=status, remark=remark)
        seconds = {"read": reading, **result.seconds}
        seconds["total"] = reading + time.perf_counter() - begun - seconds.pop("count", 0.0)
        others = others or _others(prepared, result, deadline, unique=unique)
        if unique and result.point is not None:
            seconds["count"] = reading + time.perf_counter() - begun - seconds["total"]
        if prove and others.solutions == 1 and not result.objective:
            _prove_only_one(prepared, result.point, prove, deadline)
    is_one_of_several = others.at_least > 1 and not board
    remark = puzzle.remark_on_several(result.remark) if is_one_of_several else result.remark
    return replace(result, seconds=seconds, others=others, board=board, remark=remark)


def _folder_for(query: Query, prove: str) -> AbstractContextManager[None]:
    """Return the context that makes the folder of a certificate, if one is wanted. Raises UsageError."""
    if not prove:
        return nullcontext()
    # Like all that only some queries need, imported here: it would delay the start of the others.
    from milp_pips.tasks.certifying import certificate_folder

    if query.board or query.soft:
        raise UsageError("a certificate states the puzzle alone: omit the board, or the soft rules")
    return certificate_folder(prove)


def _find(prepared: Prepared, start: Any, run: Run, *, unique: bool) -> tuple[Answer, Uniqueness | None]:
    """Return the answer of an engine, which improves a known solution if there is one.

    With it, what is known of other solutions, if they were searched for in the same search.
    """
    if start is not None:
        from milp_pips.tasks.confirmed import improve_start

        return improve_start(prepared, start, run), None
    if unique and not prepared.is_only_one(known_key(prepared.problem, "")):
        from milp_pips.tasks.confirmed import find_with_others

        if (found := find_with_others(prepared, run)) is not None:
            return found
    return find_point(prepared, run), None


def judge_answer(prepared: Prepared, answer: Answer, deadline: Deadline, prove: str = "") -> Result:
    """Return what the answer means, once its point is checked or its "no solution" is confirmed."""
    who = answer.claim.who
    solution = prepared.judge(answer.point, who)
    if answer.proof is Proof.INFEASIBLE:
        from milp_pips.tasks.confirmed import confirm_no_solution  # which loads all that confirms

        return confirm_no_solution(prepared, answer, deadline, prove)
    if solution is not None:
        said = {"remark": answer.message, "point": answer.point}
        found = prepared.result_of(answer, "solved", answer.stop, solution, **said)
        if prepared.problem.objective is None:
            return found
        from milp_pips.tasks.confirmed import confirm_optimum

        return confirm_optimum(prepared, answer, found, deadline, prove)
    if answer.stop is Stop.ERROR:
        return prepared.result_of(answer, "error", answer.stop, fault=answer.message or f"{who} failed")
    return prepared.result_of(answer, "unknown", answer.stop, remark=answer.message)


def _others(prepared: Prepared, result: Result, deadline: Deadline, *, unique: bool) -> Uniqueness:
    """Return what is known of other solutions, which ``unique`` searches for."""
    if result.point is None:
        return Uniqueness(0, 0) if result.status in ("infeasible", "dead") else Uniqueness(at_least=0)
    if prepared.is_only_one(key := known_key(prepared.problem, "")):
        return Uniqueness(1, 1, key)
    if not unique or result.fault:
        return Uniqueness()
    from milp_pips.tasks.confirmed import find_others  # which loads all that counts and lists

    return find_others(prepared, result.point, deadline)


def _prove_only_one(prepared: Prepared, point: Any, folder: str, deadline: Deadline) -> None:
    from milp_pips.tasks.certifying import certify

    certify(prepared, folder, "list", deadline, points=[point])
