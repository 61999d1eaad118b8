"""Models of python-mip."""

from __future__ import annotations

from typing import Any

from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.objects.draft import Draft
from milp_pips.problem import UsageError

SIDES_OF = {"<": (False, True), ">": (True, False), "=": (True, True)}
"""By the sense of a row, whether it has a lower and an upper side."""


def from_mip(model: Any) -> Model:
    """Return a model of python-mip as a linear model.

    Raises UsageError for SOS constraints and for constraints that a function generates.
    """
    draft = Draft(model.name)
    if model.lazy_constrs_generator is not None:
        raise UsageError(f"{draft.name} has a generator of constraints; expected all of them as rows")
    if _has_sos(model):
        raise UsageError(f"{draft.name} has SOS constraints, which no linear row states")
    for j, v in enumerate(model.vars):
        draft.column(v.name or f"C{j}", v.lb, v.ub, v.var_type != "C")
    for row in model.constrs:
        sum_ = row.expr
        low, high = (0 if has else None for has in SIDES_OF[sum_.sense])
        draft.row(row.name, ((v.idx, a) for v, a in sum_.expr.items()), low, high, sum_.const)
    objective = model.objective
    draft.costs((v.idx, a) for v, a in objective.expr.items())
    return draft.model(maximise=model.sense == "MAX", constant=objective.const)


def _has_sos(model: Any) -> bool:
    """Return whether a model has SOS constraints, which only its engine tells; HiGHS takes none."""
    if model.solver_name == "CBC":
        from mip.cbc import cbclib

        return bool(cbclib.Cbc_numberSOS(model.solver._model))
    return hasattr(model.solver, "get_int_attr") and bool(model.solver.get_int_attr("NumSOS"))
