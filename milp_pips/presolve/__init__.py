"""Reductions of domains that follow from the rules, made once on the problem for any engine.

None ever removes a solution. ``filtering`` is our own; ``equality`` and ``pruning`` are the preprocessing of
a published CP-SAT notebook for Pips (``PipsSolver``), stated for any problem; ``singles`` is how a person
begins a Sudoku.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from milp_pips.errors import UsageError
from milp_pips.presolve.domains import Contradiction
from milp_pips.presolve.filtering import filtering
from milp_pips.presolve.reductions import equality, pruning, singles
from milp_pips.problem import Problem

__all__ = [
    "RULES",
    "Contradiction",
    "default_rules",
    "equality",
    "filtering",
    "presolved",
    "pruning",
    "singles",
]

RULES: dict[str, Callable[[Problem], Problem]] = {
    "filtering": filtering,
    "equality": equality,
    "pruning": pruning,
    "singles": singles,
}
"""The reductions by name."""

AS_PUBLISHED = {"baseline", "equality", "pruning", "streamed", "counted"}
"""Formulations that state a published model, its own reductions included: ours would hide what they do."""


def default_rules(formulation: str) -> tuple[str, ...]:
    """Return the rules that are used unless others are asked for: filtering, which pays for every engine."""
    return () if formulation in AS_PUBLISHED else ("filtering",)


def presolved(problem: Problem, names: Iterable[str]) -> Problem:
    """Return the problem with the named reductions made, in this order.

    Raises
    ------
    UsageError
        For an unknown name.
    Contradiction
        If a reduction proves that there is no solution.
    """
    for name in names:
        if name not in RULES:
            raise UsageError(f"unknown presolve rule {name!r}; known: {', '.join(RULES)}")
        problem = RULES[name](problem)
    return problem
