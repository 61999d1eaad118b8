"""The task ``check``: check a solution or a partial board against the rules of the game."""

from __future__ import annotations

from typing import Any, Unpack

from milp_pips.problem.answer import Proof, Settings, Shortcuts
from milp_pips.problem.parameters import named_keywords
from milp_pips.problem.plugins import extra
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline, running_deadline
from milp_pips.puzzles.family import family_of
from milp_pips.puzzles.puzzle import Board, Puzzle, open_cells
from milp_pips.tasks.confirmed import find_confirmed
from milp_pips.tasks.pipeline import prepare, puzzle_of, settings_of, state
from milp_pips.tasks.query import Query, Run
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
    family, linear = family_of(puzzle), puzzle.linear()
    if board is None:
        if broken := family.check(puzzle, solution):
            return Verdict(False, broken, "wrong")
        shown = family.encode(puzzle, solution)
        if len(shown) == len((linear or state(puzzle)).variables):
            by_a_hair = "" if linear is None else next(map(str, linear.model.misses(shown, exactly=True)), "")
            return Verdict(True, f"right within a tolerance of 1e-06: {by_a_hair}" if by_a_hair else "")
    with running_deadline(deadline, settings.seconds) as deadline:
        run = Run("", settings, deadline)
        if board is None and linear is not None:
            prepared = prepare(puzzle, run, takes_models=True).fixed(shown)
        else:
            prepared = prepare(Query(puzzle, shown if board is None else board), run)
        answer, confirmed_by = find_confirmed(prepared, run)
        right = Verdict(True)
        if board is not None and open_cells(state(puzzle), board):
            right = Verdict(True, status="right so far")
        if answer.point is not None:
            return right
        is_dead = board is not None and answer.proof is Proof.INFEASIBLE
        if is_dead and (explained := extra("explain.refusal:judge_board")):
            verdict = explained(puzzle, board, confirmed_by, deadline)
            if verdict is not None:
                return right if verdict.right else verdict
        if not confirmed_by:
            return Verdict(None, f"not known; stop: {deadline.stop or answer.stop}", "unknown")
    if board is None:
        return Verdict(False, "no solution shows these values", "wrong", confirmed_by)
    return Verdict(False, "no solution from here", "dead", confirmed_by)
