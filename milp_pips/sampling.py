"""Uniformly random solutions of a puzzle, by its decision diagram."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from milp_pips.counting import MEMORY, NODE_BYTES, known_key, view, whole
from milp_pips.diagram import Unfinished, Unsupported, compile_diagram
from milp_pips.errors import UsageError
from milp_pips.referee import judged
from milp_pips.watch import Watch

if TYPE_CHECKING:
    from milp_pips.puzzles.family import Puzzle


def sample(
    puzzle: Puzzle[Any],
    n: int = 1,
    *,
    seed: int = 0,
    distinct: str = "",
    memory: int = MEMORY,
    watch: Watch | None = None,
) -> list[Any]:
    """Return ``n`` solutions, drawn independently, each solution with the same probability.

    Parameters
    ----------
    puzzle
        A puzzle of any family.
    n
        How many; none are returned where there is no solution.
    seed
        The same seed gives the same solutions.
    distinct
        The key: drawn uniformly from the solutions that differ in it; empty for the first key.
    memory
        Bytes that the diagram may take, roughly.
    watch
        Says when to give up.

    Raises
    ------
    UsageError
        For an unknown key, or where the diagram does not fit or was not finished.
    EngineFault
        If a solution breaks a rule.
    """
    watch = watch or Watch()
    problem = puzzle.state()
    key = known_key(problem, distinct)
    try:
        diagram = compile_diagram(problem, memory // NODE_BYTES, watch)
        seen = view(diagram, problem, key, memory, watch)
    except (Unfinished, Unsupported) as reason:
        raise UsageError(f"{puzzle.name} cannot be sampled: {reason}") from None
    chance = random.Random(seed)
    drawn = []
    for _ in range(n if seen.count else 0):
        point = whole(problem, seen.variables, seen.sample(chance))
        drawn.append(judged(puzzle, problem, point, "the decision diagram"))
    return drawn
