"""Linear models for PuLP, Pyomo and highspy. ``to_mps`` and ``to_lp`` write them as files."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from milp_pips.formulations.model import Model, Number, limits
from milp_pips.formulations.writing_files import sides, to_lp, to_mps
from milp_pips.problem import UsageError
from milp_pips.problem.objective import MAXIMISE

__all__ = ["to_highspy", "to_lp", "to_mps", "to_pulp", "to_pyomo"]

if TYPE_CHECKING:
    from highspy import Highs
    from pulp import LpProblem
    from pyomo.environ import ConcreteModel


def to_highspy(model: Model) -> Highs:
    """Return the model loaded into a new HiGHS, which prints nothing."""
    import highspy
    import numpy as np

    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("small_matrix_value", 1e-12)  # the least possible: by default it drops up to 1e-9
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(model.columns), len(model.rows)
    lp.col_cost_ = np.array([float(c.cost) for c in model.columns])
    lp.col_lower_, lp.col_upper_ = np.array([limits(c) for c in model.columns]).reshape(-1, 2).T.copy()
    lp.row_lower_, lp.row_upper_ = np.array([limits(row) for row in model.rows]).reshape(-1, 2).T.copy()
    matrix = lp.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    matrix.start_ = np.cumsum([0, *(len(row.terms) for row in model.rows)])
    matrix.index_ = np.array([j for row in model.rows for j in row.terms], dtype=np.int32)
    matrix.value_ = np.array([float(a) for row in model.rows for a in row.terms.values()])
    kinds = highspy.HighsVarType
    lp.integrality_ = [kinds.kInteger if c.integer else kinds.kContinuous for c in model.columns]
    lp.sense_ = highspy.ObjSense.kMaximize if model.sense == MAXIMISE else highspy.ObjSense.kMinimize
    lp.offset_, lp.model_name_ = float(model.constant), model.name
    lp.col_names_ = [column.name for column in model.columns]
    if highs.passModel(lp) == highspy.HighsStatus.kError:
        raise UsageError(f"HiGHS does not take the model {model.name}")
    return highs


def to_pulp(model: Model) -> LpProblem:
    """Return the model as a PuLP problem; a row with two sides becomes two constraints.

    Raises UsageError if two names are the same for PuLP, which replaces some characters by ``_``.
    """
    import pulp

    problem = pulp.LpProblem(model.name, pulp.LpMaximize if model.sense == MAXIMISE else pulp.LpMinimize)
    kinds = {True: "Integer", False: "Continuous"}
    x = [
        problem.add_variable(c.name, _number(c.low), _number(c.high), kinds[c.integer]) for c in model.columns
    ]
    names = dict[str, str]()
    for variable, column in zip(x, model.columns, strict=True):
        if names.setdefault(variable.name, column.name) != column.name:
            other = names[variable.name]
            raise UsageError(f"PuLP has one name for the columns {other!r} and {column.name!r}")
    costs = [(v, float(c.cost)) for v, c in zip(x, model.columns, strict=True)]  # all: PuLP forgets others
    problem += pulp.LpAffineExpression(costs, constant=float(model.constant))
    for row in model.rows:
        for number, (sign, side) in enumerate(sides(row)):
            total = pulp.LpAffineExpression([(x[j], float(a)) for j, a in row.terms.items()])
            name = f"{row.name}_{number}" if number else row.name
            problem += pulp.LpConstraint(total, sign, name, float(side)), name
    return problem


def to_pyomo(model: Model) -> ConcreteModel:
    """Return the model as a Pyomo model: ``x`` has the columns by name, ``rows`` the rows by number."""
    import pyomo.environ as pyo
    from pyomo.core.expr import LinearExpression

    concrete = pyo.ConcreteModel(model.name)
    columns = {column.name: column for column in model.columns}
    concrete.x = pyo.Var(
        pyo.Set(initialize=list(columns)),
        domain=lambda _, name: pyo.Integers if columns[name].integer else pyo.Reals,
        bounds=lambda _, name: (_number(columns[name].low), _number(columns[name].high)),
    )
    x = [concrete.x[column.name] for column in model.columns]

    def rule(_: Any, number: int) -> Any:
        row = model.rows[number]
        sides = _number(row.low), _number(row.high)
        if sides == (None, None) or (not row.terms and not row.miss({})):
            return pyo.Constraint.Skip
        terms = row.terms or {0: Fraction(0)}
        total = LinearExpression(
            linear_coefs=[float(a) for a in terms.values()], linear_vars=[x[j] for j in terms]
        )
        return (
            total == sides[0] if row.low is not None and row.low == row.high else (sides[0], total, sides[1])
        )

    concrete.rows = pyo.Constraint(range(len(model.rows)), rule=rule)
    costs = [(v, float(c.cost)) for v, c in zip(x, model.columns, strict=True) if c.cost]
    concrete.aim = pyo.Objective(
        expr=sum((a * v for v, a in costs), float(model.constant)),
        sense=pyo.maximize if model.sense == MAXIMISE else pyo.minimize,
    )
    return concrete


def _number(bound: Number | None) -> float | None:
    return None if bound is None else float(bound)
