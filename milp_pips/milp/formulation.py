"""From a problem to its 0-1 model: which linearisation states which constraint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from milp_pips.errors import UsageError
from milp_pips.milp.cover import aggregated, implication, projected
from milp_pips.milp.draft import Draft
from milp_pips.milp.model import Model
from milp_pips.milp.regular import flow, strings
from milp_pips.milp.rules import add_region_rows
from milp_pips.problem import Constraint, DominoCover, Problem, Regular

CHOICES: dict[type[Constraint], dict[str, Callable[[Draft, Any], None]]] = {
    DominoCover: {"projected": projected, "aggregated": aggregated, "implication": implication},
    Regular: {"flow": flow, "strings": strings},
}
"""The constraints that can be stated in several ways. A new way is one function and one line here."""

LARGE = 4000
"""Places (edges x ways round of all kinds of dominoes) from which on ``implication`` finds a first
solution faster: HiGHS's feasibility jump succeeds on that model alone."""


def choices(problem: Problem | None = None) -> list[str]:
    """Return the names of all choices, or of those for the constraints that the problem has."""
    present = {type(c) for c in problem.constraints} if problem else set(CHOICES)
    return [name for kind, ways in CHOICES.items() if kind in present for name in ways]


def formulate(problem: Problem, formulation: str = "", key: str = "") -> Model:
    """Return the 0-1 model of the problem.

    Parameters
    ----------
    problem
        What to state.
    formulation
        Names of choices, separated by commas, each for the constraint that it belongs to; where none is
        named, the one that suits the size.
    key
        If the solutions are to be listed by a key: its name. Where no choice is named, one is made that has
        columns of their own for the variables of the key.

    Raises
    ------
    UsageError
        If a name is unknown, or none of the names concerns a constraint of the problem.
    """
    named = [name.strip() for name in formulation.split(",") if name.strip()]
    for name in named:
        if name not in choices():
            raise UsageError(f"unknown formulation {name!r}; known: {', '.join(choices())}")
    own = choices(problem)
    if named and not set(named) & set(own):
        known = f"it can be stated by {', '.join(own)}" if own else "it is stated in one way only"
        raise UsageError(f"this puzzle has nothing that {formulation!r} could state; {known}")
    draft = Draft(problem)
    used: list[str] = []
    for kind, ways in CHOICES.items():
        for constraint in problem.constraints:
            if isinstance(constraint, kind):
                name = next((n for n in named if n in ways), None) or _default(problem, constraint, ways, key)
                ways[name](draft, constraint)
                used.append(name)
    add_region_rows(draft, [c for c in problem.constraints if not isinstance(c, tuple(CHOICES))])
    return draft.finish(",".join(dict.fromkeys(used)))


def _default(
    problem: Problem, constraint: Constraint, ways: dict[str, Callable[[Draft, Any], None]], key: str
) -> str:
    if isinstance(constraint, DominoCover):
        if key:
            return "projected" if len(set(problem.keys[key])) == len(problem.variables) else "aggregated"
        places = len(constraint.edges) * sum(1 if a == b else 2 for a, b in constraint.kinds)
        return "implication" if places >= LARGE else "projected"
    return next(iter(ways))
