"""Models of OR-Tools' MathOpt, from the message that they export."""

from __future__ import annotations

from typing import Any

from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.objects.draft import Draft
from milp_pips.problem import UsageError

LINEAR_FIELDS = frozenset(
    {"name", "variables", "objective", "linear_constraints", "linear_constraint_matrix"}
)
"""The fields of a linear model."""


def from_math_opt(model: Any) -> Model:
    """Return a MathOpt model as a linear model. Raises UsageError for all that is not linear, by its name."""
    told = model.export_model()
    draft = Draft(told.name)
    for field, _ in told.ListFields():
        if field.name not in LINEAR_FIELDS:
            raise UsageError(f"{draft.name} has {field.name.replace('_', ' ')}, which no linear row states")
    if told.objective.quadratic_coefficients.row_ids:
        raise UsageError("the objective is quadratic")
    columns, rows = told.variables, told.linear_constraints
    bounds = zip(columns.lower_bounds, columns.upper_bounds, columns.integers, strict=True)
    names = dict(zip(columns.ids, columns.names, strict=True)) if columns.names else {}
    place = {
        number: draft.column(names.get(number) or f"variable_{number}", *each)
        for number, each in zip(columns.ids, bounds, strict=True)
    }
    terms: dict[int, list[tuple[int, float]]] = {number: [] for number in rows.ids}
    matrix = told.linear_constraint_matrix
    for i, j, factor in zip(matrix.row_ids, matrix.column_ids, matrix.coefficients, strict=True):
        terms[i].append((place[j], factor))
    row_names = dict(zip(rows.ids, rows.names, strict=True)) if rows.names else {}
    for i, low, high in zip(rows.ids, rows.lower_bounds, rows.upper_bounds, strict=True):
        draft.row(row_names.get(i) or f"linear_constraint_{i}", terms[i], low, high)
    costs = told.objective.linear_coefficients
    draft.costs((place[j], a) for j, a in zip(costs.ids, costs.values, strict=True))
    return draft.model(maximise=told.objective.maximize, constant=told.objective.offset)
