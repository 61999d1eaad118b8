"""The task ``solve``: prepare a puzzle, call an engine, check its point, confirm that there is no solution.

On request, ``milp_pips.tasks.uniqueness`` then finds out whether the solution is the only one.
"""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING, Unpack

from milp_pips.engines.registry import available, version_of
from milp_pips.problem.answer import Proof, Settings, Shortcuts, Stop
from milp_pips.problem.parameters import named_keywords
from milp_pips.problem.stopping import Deadline, OnProgress, SubDeadline, running_deadline
from milp_pips.puzzles.puzzle import Board
from milp_pips.tasks.pipeline import find_point, prepare, puzzle_of, rules_for, settings_of
from milp_pips.tasks.results import Result, Uniqueness
from milp_pips.tasks.uniqueness import find_others, known_uniqueness
from milp_pips.verification.second_opinion import Claim, on_no_solution

if TYPE_CHECKING:
    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Puzzle

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
    deadline: Deadline | None = None,
    on_progress: OnProgress | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> Result:
    """Return a solution of the puzzle, or a confirmed proof that there is none.

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
    deadline
        A deadline that is running already, instead of a time limit and the handling of Ctrl-C.
    on_progress
        Called with each line of progress; the logger ``milp_pips`` gets these lines, too.

    Raises
    ------
    UsageError
        If a solver, formulation or option is unknown, the solver cannot run here, or a value of the board is
        not in the domain of its cell.
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
        answer, claim, version, choice = find_point(prepared, solver, settings, deadline)
        point = answer.point
        solution = prepared.judge(point, claim.who)
        status, stop = "unknown" if solution is None else "solved", answer.stop
        confirmed_by, remark, fault = None, answer.message, ""
        if answer.proof is Proof.INFEASIBLE:
            deadline.progress.report(
                f"{puzzle.name}: {claim.who} reports that there is no solution; confirming it"
            )
            opinion = on_no_solution(prepared.problem, claim, deadline)
            confirmed_by = opinion.confirmed_by
            if confirmed_by:
                status = "infeasible"
                deadline.progress.report(f"{puzzle.name}: confirmed by {confirmed_by}")
                if board:
                    status, remark = _without_board(puzzle, settings, deadline)
            elif opinion.point is not None:
                point = opinion.point
                solution, status = prepared.judge(point, opinion.witness), "solved"
                fault = f"{claim.who} calls it infeasible, but {opinion.witness} solves it"
                claim, answer = Claim(opinion.solver, ""), opinion.answer or answer
                version = version_of(available(opinion.solver))
            else:
                stop = deadline.stop or stop
                remark = f"{claim.who} reports that there is no solution, but nothing has confirmed it"
        elif status == "unknown" and stop is Stop.ERROR:
            status, remark, fault = "error", "", remark or f"{claim.who} failed"
        seconds = {"read": reading, **answer.seconds, "total": reading + time.perf_counter() - begun}
        others = Uniqueness(0, 0) if status in ("infeasible", "dead") else Uniqueness(at_least=0)
        if point is not None:
            others = known_uniqueness(prepared)
        if unique and point is not None and not (others.key or fault):
            others = find_others(prepared, point, deadline)
            seconds["count"] = reading + time.perf_counter() - begun - seconds["total"]
    return Result(
        puzzle,
        solution,
        status,
        stop,
        claim.who,
        version,
        answer.formulation,
        confirmed_by,
        remark,
        fault,
        answer.size,
        answer.statistics,
        seconds,
        choice,
        others,
        board,
    )


def _without_board(puzzle: Puzzle, settings: Settings, deadline: Deadline) -> tuple[str, str]:
    """Return the status if no solution contains the board, and a remark on the puzzle without the board."""
    deadline.progress.report(f"{puzzle.name}: searching for a solution without this board")
    deadline = SubDeadline(deadline, WITHOUT_BOARD)
    prepared = prepare(puzzle, rules_for(settings), deadline=deadline)
    answer, claim, *_ = find_point(prepared, "", Settings(), deadline)
    if prepared.judge(answer.point, claim.who) is not None:
        return "dead", "without this board there is one"
    if answer.proof is Proof.INFEASIBLE:
        opinion = on_no_solution(prepared.problem, claim, deadline)
        if prepared.judge(opinion.point, opinion.witness) is not None:
            return "dead", "without this board there is one"
        if opinion.confirmed_by:
            return "infeasible", "nor is there one without this board"
    return "dead", "whether there is one without this board is not known"
