"""The task ``check``: check a solution or a partial board against the rules of the game."""

from __future__ import annotations

from typing import Any, Unpack

from milp_pips.problem.answer import Answer, Proof, Settings, Shortcuts
from milp_pips.problem.parameters import named_keywords
from milp_pips.problem.plugins import extra
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline, running_deadline
from milp_pips.puzzles.puzzle import Board, Puzzle, open_cells
from milp_pips.puzzles.registry import family_of
from milp_pips.tasks.confirmed import find_confirmed
from milp_pips.tasks.pipeline import prepare, puzzle_of, rules_for, settings_of, state
from milp_pips.tasks.results import Verdict


@named_keywords
def check(
    puzzle: Puzzle | Problem,
    solution: Any = None,
    settings: Settings = Settings(),
    *,
    board: Board | None = None,
    deadline: Deadline | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> Verdict:
    """Return whether the solution, or the board so far, is right.

    The task checks what a solution shows against the rules of the game. If the solution leaves something
    open, as a grid of pips leaves open where the dominoes lie, an engine searches for a completion; that none
    exists is confirmed a second way. A board is checked in the same way: it is right if some solution
    contains it.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    solution
        A solution, as ``solve`` returns it.
    board
        The values that a player has filled in, instead of a solution, see ``hint``.
    settings, deadline, shortcuts
        As for ``solve``.

    Raises
    ------
    TypeError
        If neither a solution nor a board is given, or both are.
    UsageError
        If a cell is not on the board, or a value is not in the domain of its cell.
    EngineFault
        If the engine's point breaks a rule, or if two engines contradict each other.
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
    answer, confirmed_by = find_confirmed(prepared, settings, deadline)
    if answer.point is not None:
        return Verdict(True)
    if confirmed_by:
        return Verdict(False, "no solution shows these values", "wrong", confirmed_by)
    return _unknown(answer, deadline)


def _check_board(puzzle: Puzzle, board: Board, settings: Settings, deadline: Deadline) -> Verdict:
    prepared = prepare(puzzle, rules_for(settings), board, deadline)
    answer, confirmed_by = find_confirmed(prepared, settings, deadline)
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


def _unknown(answer: Answer, deadline: Deadline) -> Verdict:
    return Verdict(None, f"not known; stop: {deadline.stop or answer.stop}", "unknown")
