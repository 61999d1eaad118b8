"""No point is believed before it has passed the problem's constraints and the rules of the game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from milp_pips.errors import EngineFault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from milp_pips.problem import Problem
    from milp_pips.puzzles.family import Puzzle


def judged(puzzle: Puzzle[Any], problem: Problem, point: Sequence[int] | None, who: str) -> Any:
    """Return the solution that a point means, or None for no point.

    Variables left out of a view are -1 in the point; it is then judged by the rules of the game alone.
    Raises EngineFault, naming who gave the point and the rule, if it breaks one.
    """
    if point is None:
        return None
    broken = problem.violated(point) if -1 not in point else None
    if not broken:
        solution = puzzle.decode(point)
        broken = puzzle.check(solution)
    if broken:
        raise EngineFault(f"{who} gave a point that breaks a rule of {puzzle.name}: {broken}")
    return solution
