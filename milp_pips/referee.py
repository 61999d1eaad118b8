"""No point is believed before it has passed the problem's constraints and the rules of the game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from milp_pips.errors import EngineFault

if TYPE_CHECKING:
    from milp_pips.answer import Answer
    from milp_pips.problem import Problem
    from milp_pips.puzzles.family import Puzzle


def judged(puzzle: Puzzle[Any], problem: Problem, answer: Answer, solver: str) -> Any:
    """Return the solution that the answer's point means, or None where it has no point.

    Raises EngineFault, naming the solver and the rule, if the point breaks a rule.
    """
    if answer.point is None:
        return None
    broken = problem.violated(answer.point)
    if broken:
        raise EngineFault(f"{solver} gave a point that breaks a rule of {puzzle.name}: {broken}")
    solution = puzzle.decode(answer.point)
    broken = puzzle.check(solution)
    if broken:
        raise EngineFault(f"{solver} gave a solution that breaks a rule of {puzzle.name}: {broken}")
    return solution
