"""Check a solution, or a board that is filled in part, against the rules of the game."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from milp_pips.problem.answer import Answer, Proof, Settings, Shortcuts
from milp_pips.problem.plugins import extra
from milp_pips.problem.stopping import Deadline, running_deadline
from milp_pips.puzzles.puzzle import Board, open_cells
from milp_pips.puzzles.registry import family_of
from milp_pips.tasks.pipeline import Prepared, find_point, prepare, puzzle_of, rules_for, settings_of, state
from milp_pips.verification.second_opinion import on_no_solution

if TYPE_CHECKING:
    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Puzzle


class Verdict(NamedTuple):
    """Whether a solution or a board is right (None: no answer), and what is wrong with it.

    Parameters
    ----------
    right
        Whether it is right; of a board with open cells, whether some solution contains it.
    broken
        The first rule that a solution breaks; why no solution contains the board; why there is no answer.
    status
        ``right``; ``right so far``, where some cells are open; ``wrong``, where a rule is broken, or a
        value or a domino on the board is in no solution; ``dead``, where each of them is in some solution,
        but no solution has them all, or the puzzle has none; ``unknown``.
    confirmed_by
        What has confirmed that no solution contains the board, where it took looking for one.
    reason
        What clashes with a board, as JSON-ready data, see ``docs/reasons.md``; None where that is not known.
    """

    right: bool | None
    broken: str = ""
    status: str = "right"
    confirmed_by: str | None = None
    reason: dict[str, Any] | None = None

    def __str__(self) -> str:
        return self.broken or self.status


def check(
    puzzle: Puzzle | Problem,
    solution: Any = None,
    settings: Settings = Settings(),
    *,
    board: Board | None = None,
    deadline: Deadline | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> Verdict:
    """Return whether the solution is right, or the board so far.

    What a solution shows is held against the rules of the game. Where it leaves something open, as a grid
    of pips leaves open where the dominoes lie, an engine looks for a way to complete it; that there is none
    is confirmed a second way. So it is with a board: it is right as long as some solution contains it, and
    where the puzzle has only one, that is this one.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    solution
        A solution, as ``solve`` returns it.
    board
        In place of a solution, what a player has filled in, see ``hint``.
    settings, deadline, shortcuts
        As for ``solve``.

    Raises
    ------
    TypeError
        For neither a solution nor a board, or for both.
    UsageError
        For a cell that is not on the board, a value that no cell can have.
    EngineFault
        If the engine's point breaks a rule, or two engines contradict one another.
    """
    puzzle = puzzle_of(puzzle, "check")
    settings = settings_of(settings, shortcuts)
    if (solution is None) == (board is None):
        raise TypeError("check takes a solution, or else a board: board={'r1c1': 3}")
    with running_deadline(deadline, settings.seconds) as deadline:
        if board is not None:
            return _check_board(puzzle, board, settings, deadline)
        return _check_solution(puzzle, solution, settings, deadline)


def _check_solution(puzzle: Puzzle, solution: Any, settings: Settings, deadline: Deadline) -> Verdict:
    family = family_of(puzzle)
    broken = family.check(puzzle, solution)
    if broken:
        return Verdict(False, broken, "wrong")
    shown = family.encode(puzzle, solution)
    if len(shown) == len(state(puzzle).variables):
        return Verdict(True)
    prepared = prepare(puzzle, rules_for(settings), shown, deadline)
    answer, confirmed_by = _look(prepared, settings, deadline)
    if answer.point is not None:
        return Verdict(True)
    if confirmed_by:
        return Verdict(False, "no solution shows these values", "wrong", confirmed_by)
    return _unknown(answer, deadline)


def _check_board(puzzle: Puzzle, board: Board, settings: Settings, deadline: Deadline) -> Verdict:
    prepared = prepare(puzzle, rules_for(settings), board, deadline)
    answer, confirmed_by = _look(prepared, settings, deadline)
    right = Verdict(True, status="right so far" if open_cells(state(puzzle), board) else "right")
    if answer.point is not None:
        return right
    if answer.proof is Proof.INFEASIBLE and (explained := extra("explain.refusal:judge_board")):
        verdict = explained(puzzle, board, confirmed_by, deadline)
        if verdict is not None:
            return right if verdict.right else verdict
    if confirmed_by:
        return Verdict(False, "no solution from here", "dead", confirmed_by)
    return _unknown(answer, deadline)


def _look(prepared: Prepared, settings: Settings, deadline: Deadline) -> tuple[Answer, str | None]:
    """Return an answer whose point has been judged, and by what it is confirmed that there is none."""
    answer, claim, *_ = find_point(prepared, "", settings, deadline)
    prepared.judge(answer.point, claim.who)
    if answer.proof is not Proof.INFEASIBLE:
        return answer, None
    opinion = on_no_solution(prepared.problem, claim, deadline)
    if opinion.point is not None:
        prepared.judge(opinion.point, opinion.witness)
        return replace(answer, point=opinion.point), None
    return answer, opinion.confirmed_by


def _unknown(answer: Answer, deadline: Deadline) -> Verdict:
    return Verdict(None, f"not known; stop: {deadline.stop or answer.stop}", "unknown")
