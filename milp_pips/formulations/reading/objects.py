"""Linear models from PuLP, Pyomo and highspy. What a linear model cannot state is refused by name."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from milp_pips.formulations.model import Column, Model, Row, exact
from milp_pips.problem import UsageError
from milp_pips.problem.fields import shown
from milp_pips.problem.objective import MAXIMISE, MINIMISE

if TYPE_CHECKING:
    from highspy import Highs
    from pulp import LpProblem


def linear_model(given: object) -> Model:
    """Return a PuLP problem, a Pyomo model or a ``Highs`` object as a linear model, with exact numbers.

    Raises TypeError for anything else, and UsageError for what a linear model cannot state.
    """
    if (found := model_of(given)) is None:
        raise TypeError(f"linear_model takes a PuLP problem, a Pyomo model or Highs, not {shown(given)}")
    return found


def model_of(given: object) -> Model | None:
    """Return a model of a library as a linear model; None if it is none.

    Raises UsageError for what a linear model cannot state.
    """
    if isinstance(given, Model):
        return given
    for library, kind, convert in (
        ("pulp", "LpProblem", from_pulp),
        ("highspy", "Highs", from_highspy),
        ("pyomo", "BlockData", from_pyomo),
    ):
        if any(c.__name__ == kind and c.__module__.split(".")[0] == library for c in type(given).__mro__):
            return convert(given)
    return None


def from_pulp(problem: LpProblem) -> Model:
    """Return a PuLP problem as a linear model. Raises UsageError for SOS constraints and equal names."""
    if problem.sos1 or problem.sos2:
        raise UsageError(f"{problem.name} has SOS constraints, which no linear row states")
    variables = problem.variables()
    place = {id(v): j for j, v in enumerate(variables)}
    costs = {id(v): a for v, a in (problem.objective or {}).items()}
    columns = tuple(
        Column(
            v.name, _bound(v.lowBound), _bound(v.upBound), v.cat != "Continuous", exact(costs.get(id(v), 0))
        )
        for v in variables
    )
    rows = []
    for row in problem.constraints():
        side = exact(-row.constant)
        low, high = (side if row.sense >= 0 else None), (side if row.sense <= 0 else None)
        rows.append(Row(str(row.name), {place[id(v)]: exact(a) for v, a in row.items()}, low, high))
    sense = MAXIMISE if problem.sense == -1 else MINIMISE
    constant = exact(problem.objective.constant) if problem.objective is not None else Fraction(0)
    return Model(columns, tuple(rows), sense, constant, problem.name or "model")


def from_pyomo(model: Any) -> Model:
    """Return a Pyomo model as a linear model, fixed variables with their value.

    Raises UsageError for active components other than linear constraints and one linear objective.
    """
    import pyomo.environ as pyo
    from pyomo.repn import generate_standard_repn

    plain = {"Var", "Constraint", "Objective", "Param", "Set", "RangeSet", "Block", "Expression", "Suffix"}
    plain |= {"BuildAction", "BuildCheck", "Any", "SetOf", "ComponentMap"}
    for kind in model.collect_ctypes(active=True, descend_into=True):
        if kind.__name__ not in plain:
            raise UsageError(f"{model.name} has {kind.__name__} components, which no linear row states")
    variables = list(model.component_data_objects(pyo.Var, descend_into=True))
    place = {id(v): j for j, v in enumerate(variables)}

    def linear(expression: Any, what: str) -> tuple[dict[int, Fraction], Fraction]:
        found = generate_standard_repn(expression, compute_values=True)
        if found.nonlinear_expr is not None or found.quadratic_vars:
            raise UsageError(f"{what} is not linear")
        terms: dict[int, Fraction] = {}
        for v, a in zip(found.linear_vars, found.linear_coefs, strict=True):
            terms[place[id(v)]] = terms.get(place[id(v)], Fraction(0)) + exact(a)
        return terms, exact(found.constant)

    rows = []
    for row in model.component_data_objects(pyo.Constraint, active=True, descend_into=True):
        terms, constant = linear(row.body, f"the constraint {row.name}")
        low, high = (
            None if b is None else exact(b) - constant for b in (pyo.value(row.lower), pyo.value(row.upper))
        )
        rows.append(Row(row.name, terms, low, high))
    objectives = list(model.component_data_objects(pyo.Objective, active=True, descend_into=True))
    if len(objectives) > 1:
        raise UsageError(f"{model.name} has {len(objectives)} active objectives; one is possible")
    costs: dict[int, Fraction] = {}
    constant, sense = Fraction(0), MINIMISE
    for objective in objectives:
        costs, constant = linear(objective.expr, f"the objective {objective.name}")
        sense = MAXIMISE if objective.sense == pyo.maximize else MINIMISE
    columns = tuple(_pyomo_column(v, costs.get(j, Fraction(0))) for j, v in enumerate(variables))
    return Model(columns, tuple(rows), sense, constant, model.name)


def _pyomo_column(v: Any, cost: Fraction) -> Column:
    if v.fixed:
        return Column(v.name, exact(v.value), exact(v.value), v.is_integer() or v.is_binary(), cost)
    low, high = v.bounds
    return Column(v.name, _bound(low), _bound(high), v.is_integer() or v.is_binary(), cost)


def from_highspy(highs: Highs) -> Model:
    """Return the model that is loaded in HiGHS. Raises UsageError for what a linear model cannot state."""
    import highspy

    if highs.getModel().hessian_.dim_:
        raise UsageError("the objective is quadratic")
    lp = highs.getLp()
    names = list(lp.col_names_) or [f"C{j}" for j in range(lp.num_col_)]
    names = [name or f"C{j}" for j, name in enumerate(names)]
    kinds = list(lp.integrality_) or [highspy.HighsVarType.kContinuous] * lp.num_col_
    for name, kind in zip(names, kinds, strict=True):
        if kind in (highspy.HighsVarType.kSemiContinuous, highspy.HighsVarType.kSemiInteger):
            raise UsageError(f"the column {name} is semi-continuous or semi-integer")
    columns = tuple(
        Column(name, _bound(low), _bound(high), kind == highspy.HighsVarType.kInteger, exact(cost))
        for name, low, high, kind, cost in zip(
            names, lp.col_lower_, lp.col_upper_, kinds, lp.col_cost_, strict=True
        )
    )
    terms: list[dict[int, Fraction]] = [{} for _ in range(lp.num_row_)]
    matrix, by_row = lp.a_matrix_, lp.a_matrix_.format_ == highspy.MatrixFormat.kRowwise
    starts, index, value = list(matrix.start_), list(matrix.index_), list(matrix.value_)
    for number in range(lp.num_row_ if by_row else lp.num_col_):
        for place in range(starts[number], starts[number + 1]):
            i, j = (number, index[place]) if by_row else (index[place], number)
            terms[i][j] = exact(value[place])
    row_names = list(lp.row_names_) or [f"R{i}" for i in range(lp.num_row_)]
    rows = tuple(
        Row(name or f"R{i}", terms[i], _bound(low), _bound(high))
        for i, (name, low, high) in enumerate(zip(row_names, lp.row_lower_, lp.row_upper_, strict=True))
    )
    sense = MAXIMISE if lp.sense_ == highspy.ObjSense.kMaximize else MINIMISE
    return Model(columns, rows, sense, exact(lp.offset_), lp.model_name_ or "model")


def _bound(bound: float | None) -> Fraction | None:
    """Return a bound of a library; None for none, which many write as infinity or 1e20 and more."""
    return None if bound is None or abs(bound) >= 1e20 else exact(bound)
