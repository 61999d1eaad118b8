"""All solutions of a puzzle as one object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from milp_pips.compilation.diagram import Budget
from milp_pips.compilation.space import Space
from milp_pips.enumeration.solution_spaces import space_of
from milp_pips.problem.answer import Settings, Shortcuts
from milp_pips.problem.stopping import Deadline, running_deadline
from milp_pips.puzzles.puzzle import Board
from milp_pips.tasks.pipeline import known_key, prepare, puzzle_of, rules_for, settings_of

if TYPE_CHECKING:
    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Puzzle


def solution_space(
    puzzle: Puzzle | Problem,
    distinct: str = "",
    settings: Settings = Settings(),
    *,
    board: Board | None = None,
    deadline: Deadline | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> Space:
    """Return the space of all solutions, which counts, walks, samples, and gives the n-th and marginals.

    Its solutions are assignments of the problem, see ``state``: values by the position of their variable.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    distinct
        The key: what makes two solutions different, such as ``placement`` or ``grid``; empty for the first.
    board
        What is filled in already, see ``hint``: the space is that of the solutions that contain it.
    settings, deadline, shortcuts
        As for ``solve``; ``memory`` is what the space may take, roughly.

    Raises
    ------
    UsageError
        For an unknown key, or a board with what no cell can be.
    Unfinished
        By the time, the memory or an interruption; its ``stop`` says by which.
    """
    puzzle = puzzle_of(puzzle, "solution_space")
    settings = settings_of(settings, shortcuts)
    with running_deadline(deadline, settings.seconds) as deadline:
        prepared = prepare(puzzle, rules_for(settings), board, deadline)
        variables = prepared.problem.keys[known_key(prepared.problem, distinct)]
        if prepared.refutation:
            return Space(None, variables)
        return space_of(prepared.filtered, variables, Budget.of_memory(settings.memory), deadline)
