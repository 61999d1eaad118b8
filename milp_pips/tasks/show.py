"""Pictures of a puzzle, and of a solution on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from milp_pips.puzzles.registry import family_of
from milp_pips.tasks.pipeline import puzzle_of

if TYPE_CHECKING:
    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Puzzle
    from milp_pips.render.vocabulary import Drawing


def draw(puzzle: Puzzle | Problem, solution: Any = None) -> Drawing:
    """Return a picture of the puzzle, or of the solution on it."""
    puzzle = puzzle_of(puzzle, "draw")
    return family_of(puzzle).draw(puzzle, solution)
