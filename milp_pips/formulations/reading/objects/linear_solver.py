"""OR-Tools' ``pywraplp.Solver`` and ``ModelBuilder``, from the message that they export."""

from __future__ import annotations

from typing import Any

from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.objects.draft import Draft
from milp_pips.problem import UsageError


def from_linear_solver(model: Any) -> Model:
    """Return a model of ``pywraplp`` or ``ModelBuilder`` as a linear model.

    Raises UsageError for general constraints, such as indicators, and for quadratic objectives.
    """
    told = _exported(model)
    draft = Draft(told.name)
    for general in told.general_constraint:
        kind = general.WhichOneof("general_constraint").replace("_", " ")
        raise UsageError(f"{draft.name} has {kind}s, which no linear row states")
    if told.quadratic_objective.coefficient:
        raise UsageError("the objective is quadratic")
    for j, each in enumerate(told.variable):
        draft.column(each.name or f"variable_{j}", each.lower_bound, each.upper_bound, each.is_integer)
    for row in told.constraint:
        terms = zip(row.var_index, row.coefficient, strict=True)
        draft.row(row.name, terms, row.lower_bound, row.upper_bound)
    draft.costs((j, each.objective_coefficient) for j, each in enumerate(told.variable))
    return draft.model(maximise=told.maximize, constant=told.objective_offset)


def _exported(model: Any) -> Any:
    if hasattr(model, "export_to_proto"):
        return model.export_to_proto()
    from ortools.linear_solver.linear_solver_pb2 import MPModelProto

    told = MPModelProto()
    model.ExportModelToProto(told)
    return told
