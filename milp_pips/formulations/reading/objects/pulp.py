"""PuLP problems, of PuLP 3 and 4."""

from __future__ import annotations

import gc
from typing import Any

from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.lines import note
from milp_pips.formulations.reading.objects.draft import Draft
from milp_pips.problem import UsageError

CATEGORIES = {"Continuous": False, "Integer": True}
"""The categories of variables, and whether they are integer: PuLP turns Binary into Integer from 0 to 1."""


def from_pulp(problem: Any) -> Model:
    """Return a PuLP problem as a linear model.

    Raises UsageError for SOS constraints, columns without a name, and equal names.
    """
    draft = Draft(problem.name)
    has_owners = hasattr(problem, "has_sos")  # PuLP 4, where variables belong to a problem
    if problem.has_sos() if has_owners else problem.sos1 or problem.sos2:
        raise UsageError(f"{draft.name} has SOS constraints, which no linear row states")
    try:
        variables = problem.variables()
    except TypeError:  # PuLP 3 sorts them by name
        raise UsageError(
            f"a column of {draft.name} has no name; expected a name for each LpVariable"
        ) from None
    place = dict[int, int]()
    for v in variables:
        if v.cat not in CATEGORIES:
            raise UsageError(
                f"{v.name} of {draft.name} has the category {v.cat!r}; expected {' or '.join(CATEGORIES)}"
            )
        place[hash(v)] = draft.column(v.name, v.lowBound, v.upBound, CATEGORIES[v.cat])
    for row in problem.constraints():
        terms = ((place[hash(v)], a) for v, a in row.items())
        low, high = (0 if row.sense >= 0 else None), (0 if row.sense <= 0 else None)
        draft.row(row.name, terms, low, high, row.constant)
    objective = problem.objective
    if objective is not None:
        draft.costs((place[hash(v)], a) for v, a in objective.items())
    if not has_owners:
        _note_unused(draft.name, set(place))
    return draft.model(maximise=problem.sense == -1, constant=0 if objective is None else objective.constant)


def _note_unused(name: str, used: set[int]) -> None:
    """Tell the user about variables that are in no problem: PuLP 3 hands over those of rows and objective.

    There, a variable knows no problem, and a problem none that is in no row: only the interpreter knows them.
    """
    from pulp import LpProblem, LpVariable

    # an object refers to its class, and looking for those that do is half the work of listing all objects
    referring: list[Any] = gc.get_referrers(LpVariable)
    variables = [v for v in referring if type(v) is LpVariable and hash(v) not in used]
    if not variables:
        return
    for other in (o for o in gc.get_objects() if isinstance(o, LpProblem)):
        used.update(hash(v) for v in [*other._variables, *(other.objective or ())])
    if left := sorted(str(v.name) for v in variables if hash(v) not in used and v.name != "__dummy"):
        names = ", ".join(left[:3]) + (f" and {len(left) - 3} more" if len(left) > 3 else "")
        note(
            f"PuLP hands over no column that no row and no objective has: {names}; addVariables adds it", name
        )
