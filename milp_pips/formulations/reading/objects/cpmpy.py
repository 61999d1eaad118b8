"""CPMpy models, through the linearisation that CPMpy has for HiGHS."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.objects.draft import Draft
from milp_pips.problem import UsageError


def from_cpmpy(model: Any) -> Model:
    """Return a CPMpy model as a linear model that shows the variables of its user, in the order of names.

    Raises UsageError for constraints that CPMpy does not linearise.
    """
    from cpmpy.expressions.core import BoolVal, Comparison
    from cpmpy.expressions.utils import get_bounds, is_num
    from cpmpy.expressions.variables import intvar
    from cpmpy.solvers.highs import CPM_highs
    from cpmpy.transformations.get_variables import get_variables

    draft = Draft("model")
    place = dict[str, int]()
    constraints, objective = list(model.constraints), model.objective_
    names = sorted(get_variables([*constraints, *([] if objective is None else [objective])]), key=_in_order)
    for v in names:
        place[v.name] = draft.column(v.name, v.lb, v.ub, True)

    def terms(linear: Any) -> tuple[list[tuple[int, Any]], Any]:
        """Return the terms and the constant of a sum, and add the columns that CPMpy has made."""
        factors, parts = _parts(linear)
        found, rest = [], 0
        for factor, part in zip(factors, parts, strict=True):
            if is_num(part):
                rest += int(factor) * int(part)
                continue
            if part.name not in place:
                place[part.name] = draft.column(part.name, part.lb, part.ub, True, shown=False)
            found.append((place[part.name], factor))
        return found, rest

    if objective is not None:  # one column has its value
        value = intvar(*get_bounds(objective))
        constraints.append(value == objective)
        place[value.name] = draft.column(value.name, value.lb, value.ub, True, shown=False)
        draft.costs([(place[value.name], 1)])
    for linear in CPM_highs().transform(constraints):
        if isinstance(linear, BoolVal):
            draft.row(None, (), None if linear.args[0] else 1, None)
        elif isinstance(linear, Comparison) and is_num(linear.args[1]):
            found, rest = terms(linear.args[0])
            side = int(linear.args[1])
            low, high = (None if linear.name == other else side for other in ("<=", ">="))
            draft.row(None, found, low, high, rest)
        else:
            raise UsageError(f"CPMpy does not linearise {linear}")
    return draft.model(maximise=model.objective_is_min is False)


def _parts(linear: Any) -> tuple[Iterable[Any], Iterable[Any]]:
    """Return the factors and the variables of a sum, a weighted sum or a variable."""
    if getattr(linear, "name", "") == "wsum":
        factors, variables = linear.args
        return factors, variables
    if getattr(linear, "name", "") == "sum":
        return [1] * len(linear.args), linear.args
    return [1], [linear]


def _in_order(variable: Any) -> list[tuple[int, int, str]]:
    """Return the name as a key in which numbers count as such."""
    import re

    return [
        (0, int(word), "") if word.isdigit() else (1, 0, word) for word in re.split(r"(\d+)", variable.name)
    ]
