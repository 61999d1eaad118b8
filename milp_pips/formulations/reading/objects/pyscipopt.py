"""Models of PySCIPOpt, as they were before SCIP transformed them."""

from __future__ import annotations

from typing import Any

from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.objects.draft import Draft
from milp_pips.problem import UsageError


def from_pyscipopt(model: Any) -> Model:
    """Return a PySCIPOpt model as a linear model. Raises UsageError for constraints that are not linear.

    SCIP has dropped coefficients below 1e-9 when a row was added; nothing says so.
    """
    draft = Draft(model.getProbName())
    variables = sorted(model.getVars(transformed=False), key=lambda v: v.getIndex())
    place = {v.getIndex(): j for j, v in enumerate(variables)}
    for v in variables:
        low, high = v.getLbOriginal(), v.getUbOriginal()
        draft.column(v.name, low, high, v.vtype() != "CONTINUOUS")
    for row in model.getConss(transformed=False):
        if not row.isLinear():
            kind = row.getConshdlrName()
            raise UsageError(f"the constraint {row.name} of {draft.name} is {kind}; expected a linear one")
        of = (place[v.getIndex()] for v in model.getConsVars(row))
        terms = zip(of, model.getConsVals(row), strict=True)
        draft.row(row.name, terms, model.getLhs(row), model.getRhs(row))
    draft.costs((j, v.getObj()) for j, v in enumerate(variables))
    return draft.model(maximise=model.getObjectiveSense() == "maximize", constant=model.getObjoffset())
