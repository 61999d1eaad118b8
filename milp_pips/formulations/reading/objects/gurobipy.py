"""Models of gurobipy, from their matrix."""

from __future__ import annotations

from typing import Any

from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.objects.draft import Draft
from milp_pips.problem import UsageError

COUNTED = {
    "NumSOS": "SOS constraints",
    "NumQConstrs": "quadratic constraints",
    "NumGenConstrs": "general constraints",
    "NumPWLObjVars": "a piecewise linear objective",
    "NumQNZs": "a quadratic objective",
    "IsMultiObj": "several objectives",
    "NumScenarios": "scenarios",
}
"""The attributes that count what no linear row states."""


def from_gurobipy(model: Any) -> Model:
    """Return a Gurobi model as a linear model, with its pending changes.

    The column that ``addRange`` adds becomes two sides of its row again.

    Raises UsageError for all that is not linear, and for semi-continuous columns.
    """
    model.update()
    draft = Draft(model.ModelName)
    for attribute, what in COUNTED.items():
        if getattr(model, attribute):
            raise UsageError(f"{draft.name} has {what}, which no linear row states")
    variables, rows, matrix = model.getVars(), model.getConstrs(), model.getA().tocsr()
    entries = [slice(*ends) for ends in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)]
    ranges = _ranges(variables, rows, matrix)
    place = dict[int, int]()
    for j, v in enumerate(variables):
        if v.VType not in "CBI":
            raise UsageError(f"the column {v.VarName} is semi-continuous or semi-integer")
        if j not in ranges.values():
            place[j] = draft.column(v.VarName, v.LB, v.UB, v.VType != "C")
    for i, (row, part) in enumerate(zip(rows, entries, strict=True)):
        pairs = zip(matrix.indices[part], matrix.data[part], strict=True)
        low, high = (None if row.Sense == other else row.RHS for other in "<>")
        if i in ranges:  # Σ + slack = high, where the slack is from 0 to high - low
            slack = draft.number(variables[ranges[i]].UB, "the range of", row.ConstrName)
            low = draft.number(row.RHS, "the side of", row.ConstrName) - slack
        draft.row(row.ConstrName, [(place[j], a) for j, a in pairs if j in place], low, high)
    draft.costs((place[j], v.Obj) for j, v in enumerate(variables) if j in place)
    return draft.model(maximise=model.ModelSense < 0, constant=model.ObjCon)


def _ranges(variables: Any, rows: Any, matrix: Any) -> dict[int, int]:
    """Return the columns that ``addRange`` has added, by their row."""
    row_of = {f"Rg{row.ConstrName}": i for i, row in enumerate(rows) if row.Sense == "="}
    by_column, found = matrix.tocsc(), {}
    for j, v in enumerate(variables):
        i = row_of.get(v.VarName)
        uses = slice(by_column.indptr[j], by_column.indptr[j + 1])
        alone = list(zip(by_column.indices[uses], by_column.data[uses], strict=True)) == [(i, 1)]
        if i is not None and alone and v.VType == "C" and not v.LB and not v.Obj:
            found[i] = j
    return found
