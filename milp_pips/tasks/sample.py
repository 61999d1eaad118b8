"""Uniformly random solutions of a puzzle, by its decision diagram."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, Unpack

from milp_pips.answer import Settings, Shortcuts
from milp_pips.diagram import Budget, Unfinished, Unsupported, compile_diagram, project
from milp_pips.errors import UsageError
from milp_pips.pipeline import known_key, prepare, rules_for, whole_assignment
from milp_pips.watch import Watch, watching

if TYPE_CHECKING:
    from milp_pips.puzzles.family import Puzzle


def sample(
    puzzle: Puzzle,
    n: int = 1,
    settings: Settings = Settings(),
    *,
    distinct: str = "",
    watch: Watch | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> list[Any]:
    """Return ``n`` solutions, drawn independently, each solution with the same probability.

    Parameters
    ----------
    puzzle
        A puzzle of any family.
    n
        How many; none are returned where there is no solution.
    settings, watch, shortcuts
        As for ``solve``. The same ``seed`` gives the same solutions; ``memory`` is what the diagram may take.
    distinct
        The key: drawn uniformly from the solutions that differ in it; empty for the first key.

    Raises
    ------
    UsageError
        For an unknown key, or where the diagram does not fit or was not finished.
    EngineFault
        If a solution breaks a rule.
    """
    settings = settings.changed(**shortcuts)
    prepared = prepare(puzzle, rules_for(settings))
    key = known_key(prepared.problem, distinct)
    if prepared.refutation:
        return []
    budget = Budget.of_memory(settings.memory)
    with watching(watch, settings.seconds) as watch:
        try:
            diagram = compile_diagram(prepared.filtered, budget, watch)
            seen = project(diagram, prepared.problem.keys[key], budget, watch)
        except (Unfinished, Unsupported) as reason:
            raise UsageError(f"{puzzle.name} cannot be sampled: {reason}") from None
    chance = random.Random(settings.seed)
    solutions = []
    for _ in range(n if seen.count else 0):
        point = whole_assignment(prepared.problem, seen.variables, seen.sample(chance))
        solutions.append(prepared.judge(point, "the decision diagram"))
    return solutions
