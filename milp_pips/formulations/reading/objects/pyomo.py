"""Pyomo models."""

from __future__ import annotations

from typing import Any

from milp_pips.formulations.as_problem import MAX_DOMAIN
from milp_pips.formulations.exact import exact
from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.objects.draft import Draft
from milp_pips.formulations.reading.objects.linearising import restrict
from milp_pips.problem import UsageError

COMPONENTS = {"Var", "Constraint", "Objective", "Param", "Set", "RangeSet", "Block", "Expression", "Suffix"}
COMPONENTS |= {"BuildAction", "BuildCheck", "Any", "SetOf", "ComponentMap"}
"""The components that a model may have."""


def from_pyomo(model: Any) -> Model:
    """Return a Pyomo model as a linear model, fixed variables with their value.

    A variable whose domain is a finite set becomes a choice among its values.

    Raises UsageError for active components other than linear constraints and one linear objective, and for
    models that are not constructed.
    """
    import pyomo.environ as pyo
    from pyomo.repn import generate_standard_repn

    if not model.is_constructed():
        raise UsageError(f"{model.name} is an abstract model; expected what its create_instance() returns")
    draft = Draft("model" if model.name == "unknown" else model.name)  # which is the name of one without
    for kind in model.collect_ctypes(active=True, descend_into=True):
        if kind.__name__ not in COMPONENTS:
            raise UsageError(f"{model.name} has {kind.__name__} components, which no linear row states")
    place = dict[int, int]()

    def position(v: Any) -> int:
        if id(v) not in place:
            place[id(v)] = _add_variable(draft, v)
        return place[id(v)]

    def linear(expression: Any, what: str) -> tuple[list[tuple[int, Any]], Any]:
        found = generate_standard_repn(expression, compute_values=True)
        if found.nonlinear_expr is not None or found.quadratic_vars:
            raise UsageError(f"{what} is not linear")
        variables = map(position, found.linear_vars)  # also of other blocks, which are not active
        return list(zip(variables, found.linear_coefs, strict=True)), found.constant

    for v in model.component_data_objects(pyo.Var, active=True, descend_into=True):
        position(v)
    for row in model.component_data_objects(pyo.Constraint, active=True, descend_into=True):
        terms, constant = linear(row.body, f"the constraint {row.name}")
        draft.row(row.name, terms, pyo.value(row.lower), pyo.value(row.upper), constant)
    objectives = list(model.component_data_objects(pyo.Objective, active=True, descend_into=True))
    if len(objectives) > 1:
        raise UsageError(f"{model.name} has {len(objectives)} active objectives; one is possible")
    if not objectives:
        return draft.model()
    terms, constant = linear(objectives[0].expr, f"the objective {objectives[0].name}")
    draft.costs(terms)
    return draft.model(maximise=objectives[0].sense == pyo.maximize, constant=constant)


def _add_variable(draft: Draft, v: Any) -> int:
    integer = v.is_integer() or v.is_binary()
    if v.fixed:
        return draft.column(v.name, v.value, v.value, integer)
    low, high = v.bounds
    if integer or v.is_continuous():
        return draft.column(v.name, low, high, integer)
    if not v.domain.isfinite() or len(v.domain) > MAX_DOMAIN:
        raise UsageError(
            f"{v.name} has the domain {v.domain}; expected an interval or up to {MAX_DOMAIN} values"
        )
    values = sorted(map(exact, v.domain))
    j = draft.column(v.name, low, high, all(value.denominator == 1 for value in values))
    restrict(draft, f"values of {v.name}", [(j, 1)], [(value, value) for value in values])
    return j
