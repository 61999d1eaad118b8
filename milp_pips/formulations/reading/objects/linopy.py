"""linopy models, from the arrays of labels, coefficients and bounds; masked entries have the label -1."""

from __future__ import annotations

from typing import Any

from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.objects.draft import Draft
from milp_pips.problem import UsageError

TERMS = "_term"
"""The dimension of the terms of a row."""


def from_linopy(model: Any) -> Model:
    """Return a linopy model as a linear model; columns are called ``x[1,a]``, as linopy shows them.

    Raises UsageError for quadratic objectives, SOS, indicators and semi-continuous variables.
    """
    draft = Draft("model")
    for what, found in (
        ("semi-continuous variables", getattr(model, "semi_continuous", ())),
        ("SOS constraints", getattr(model.variables, "sos", ())),
        ("indicator constraints", getattr(model, "indicator_constraints", ())),
        ("a quadratic objective", [0] if model.is_quadratic else ()),
    ):
        if len(found):
            raise UsageError(f"the linopy model has {what}, which no linear row states")
    place = dict[int, int]()
    for name, variable in model.variables.items():
        integer = name in model.integers or name in model.binaries
        labels = variable.labels
        ends = [
            each.broadcast_like(labels).transpose(*labels.dims) for each in (variable.lower, variable.upper)
        ]
        flat = (each.values.ravel() for each in (labels, *ends))
        for label, low, high in zip(*flat, strict=True):
            if label >= 0:
                place[label] = draft.column(_name(model.variables, label), low, high, integer)
    for part in model.constraints:
        rows = model.constraints[part]
        rows = rows.mutable() if hasattr(rows, "mutable") else rows  # frozen rows are stored in another form
        labels = rows.labels
        sides = [each.broadcast_like(labels).transpose(*labels.dims) for each in (rows.sign, rows.rhs)]
        terms = [
            each.broadcast_like(labels).transpose(*labels.dims, TERMS) for each in (rows.vars, rows.coeffs)
        ]
        flat = (each.values.ravel() for each in (labels, *sides))
        numbers = (each.values.reshape(-1, each.sizes[TERMS]) for each in terms)
        for label, sign, side, columns, factors in zip(*flat, *numbers, strict=True):
            if label >= 0:
                low, high = (side if sign in (">=", "=") else None), (side if sign in ("<=", "=") else None)
                pairs = zip(columns, factors, strict=True)
                draft.row(
                    _name(model.constraints, label), [(place[v], a) for v, a in pairs if v >= 0], low, high
                )
    objective = model.objective
    pairs = zip(objective.vars.values.ravel(), objective.coeffs.values.ravel(), strict=True)
    draft.costs((place[v], a) for v, a in pairs if v >= 0)
    return draft.model(maximise=objective.sense == "max", constant=objective.expression.const.item())


def _name(of: Any, label: int) -> str:
    """Return the name of a variable or a row, with its coordinates in brackets if it has any."""
    name, where = of.get_label_position(int(label))
    return f"{name}[{','.join(map(str, where.values()))}]" if where else str(name)
