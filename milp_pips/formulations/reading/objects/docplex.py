"""Models of docplex, which needs no CPLEX for them."""

from __future__ import annotations

from typing import Any

from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.objects.draft import Draft
from milp_pips.problem import UsageError

LINEAR_EXPRESSIONS = frozenset({"LinearExpr", "MonomialExpr", "Var", "ConstantExpr", "ZeroExpr"})
"""The classes of linear expressions; others stand for variables and constraints that are made later."""

NOT_LINEAR = {
    "sos": "SOS constraints",
    "pwl_constraints": "piecewise linear constraints",
    "semicontinuous_variables": "semi-continuous variables",
    "semiinteger_variables": "semi-integer variables",
    "multi_objective_exprs": "several objectives",
}
"""What no linear row states, by the end of ``number_of_…``."""


def from_docplex(model: Any) -> Model:
    """Return a docplex model as a linear model; a variable without a name is called ``x`` and its number.

    Variables that docplex has made are not shown. Lazy constraints are constraints; user cuts are not.

    Raises UsageError for all that is not linear, by its name.
    """
    draft = Draft(model.name)
    for what, called in NOT_LINEAR.items():
        if getattr(model, f"number_of_{what}"):
            raise UsageError(f"{draft.name} has {called}, which no linear row states")
    place = dict[int, int]()
    for v in model.iter_variables():
        integer = v.vartype.short_name != "continuous"
        name = v.name or f"x{v.index + 1}"
        place[v.index] = draft.column(name, v.lb, v.ub, integer, shown=not v.is_generated())

    def terms(expression: Any, sign: int = 1) -> list[tuple[int, Any]]:
        if (kind := type(expression).__name__) not in LINEAR_EXPRESSIONS:
            raise UsageError(f"{draft.name} has the expression {kind}, which is not linear")
        return [(place[v.index], sign * a) for v, a in expression.iter_terms()]

    for row in [*model.iter_constraints(), *model.iter_lazy_constraints()]:
        kind = type(row).__name__
        if kind == "RangeConstraint":
            draft.row(row.name, terms(row.expr), row.lb, row.ub, row.expr.get_constant())
        elif kind == "LinearConstraint":
            left, right = row.left_expr, row.right_expr
            constant, other = (draft.number(side.get_constant(), "a constant") for side in (left, right))
            low, high = (None if row.sense.name == one_sided else 0 for one_sided in ("LE", "GE"))
            draft.row(row.name, [*terms(left), *terms(right, -1)], low, high, constant - other)
        else:
            raise UsageError(
                f"{draft.name} has {kind} {row.name or ''}".rstrip() + ", which no linear row states"
            )
    objective = model.objective_expr
    draft.costs(terms(objective))
    return draft.model(maximise=model.is_maximized(), constant=objective.get_constant())
