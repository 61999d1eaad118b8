"""One linear model, stated in the words of each modelling library that can state it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import inf, lcm
from typing import Any

import milp_pips
from milp_pips.formulations.model import Model
from milp_pips.formulations.writing import to_highspy, to_pulp, to_pyomo


def low_of(of: Any) -> float:
    return -inf if of.low is None else float(of.low)


def high_of(of: Any) -> float:
    return inf if of.high is None else float(of.high)


def to_linopy(model: Model) -> Any:
    import linopy

    built = linopy.Model()
    x = [
        built.add_variables(
            **{}
            if (binary := c.integer and (c.low, c.high) == (0, 1))
            else {"lower": low_of(c), "upper": high_of(c)},
            name=c.name,
            integer=c.integer and not binary,
            binary=binary,
        )
        for c in model.columns
    ]
    for i, row in enumerate(model.rows):
        total = sum((float(a) * x[j] for j, a in row.terms.items()), 0 * x[0])
        if row.low is not None and row.low == row.high:
            built.add_constraints(total == float(row.low), name=f"r{i}")
            continue
        if row.low is not None:
            built.add_constraints(total >= float(row.low), name=f"r{i}low")
        if row.high is not None:
            built.add_constraints(total <= float(row.high), name=f"r{i}high")
    sense = "max" if model.sense == "maximise" else "min"
    built.add_objective(
        sum((float(c.cost) * v for v, c in zip(x, model.columns, strict=True)), 0 * x[0]), sense=sense
    )
    return built


def to_math_opt(model: Model) -> Any:
    from ortools.math_opt.python import mathopt

    built = mathopt.Model(name=model.name)
    x = [
        built.add_variable(lb=low_of(c), ub=high_of(c), is_integer=c.integer, name=c.name)
        for c in model.columns
    ]
    for row in model.rows:
        total = mathopt.LinearSum(float(a) * x[j] for j, a in row.terms.items())
        built.add_linear_constraint(lb=low_of(row), ub=high_of(row), expr=total, name=row.name)
    total = mathopt.LinearSum(float(c.cost) * v for v, c in zip(x, model.columns, strict=True))
    built.set_objective(total + float(model.constant), is_maximize=model.sense == "maximise")
    return built


def to_pywraplp(model: Model) -> Any:
    from ortools.linear_solver import pywraplp

    built = pywraplp.Solver(model.name, pywraplp.Solver.SCIP_MIXED_INTEGER_PROGRAMMING)
    x = [built.Var(low_of(c), high_of(c), c.integer, c.name) for c in model.columns]
    for row in model.rows:
        made = built.Constraint(low_of(row), high_of(row), row.name)
        for j, a in row.terms.items():
            made.SetCoefficient(x[j], float(a))
    objective = built.Objective()
    for v, c in zip(x, model.columns, strict=True):
        objective.SetCoefficient(v, float(c.cost))
    objective.SetOffset(float(model.constant))
    objective.SetOptimizationDirection(model.sense == "maximise")
    return built


def to_model_builder(model: Model) -> Any:
    from ortools.linear_solver.python import model_builder

    built = model_builder.Model()
    x = [built.new_var(low_of(c), high_of(c), c.integer, c.name) for c in model.columns]
    for row in model.rows:
        total = sum((float(a) * x[j] for j, a in row.terms.items()), 0.0)
        built.add_linear_constraint(total, low_of(row), high_of(row), row.name)
    total = sum((float(c.cost) * v for v, c in zip(x, model.columns, strict=True)), float(model.constant))
    (built.maximize if model.sense == "maximise" else built.minimize)(total)
    return built


def to_cp_sat(model: Model) -> Any:
    """Integer columns with bounds alone; rows are scaled to whole numbers."""
    from ortools.sat.python import cp_model

    built = cp_model.CpModel()
    built.name = model.name
    x = [built.new_int_var(int(c.low), int(c.high), c.name) for c in model.columns]
    for row in model.rows:
        sides = [side for side in (row.low, row.high) if side is not None]
        scale = lcm(*(number.denominator for number in [*map(Fraction, row.terms.values()), *sides]))
        total = sum(int(scale * a) * x[j] for j, a in row.terms.items())
        low = cp_model.INT_MIN if row.low is None else int(scale * row.low)
        high = cp_model.INT_MAX if row.high is None else int(scale * row.high)
        built.add_linear_constraint(total, low, high)
    total = sum((float(c.cost) * v for v, c in zip(x, model.columns, strict=True)), float(model.constant))
    (built.maximize if model.sense == "maximise" else built.minimize)(total)
    return built


def to_milp(model: Model) -> Any:
    """SciPy has no names, no constants, and only minimises."""
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint

    matrix = np.zeros((len(model.rows), len(model.columns)))
    for i, row in enumerate(model.rows):
        for j, a in row.terms.items():
            matrix[i, j] = float(a)
    sides = [low_of(row) for row in model.rows], [high_of(row) for row in model.rows]
    return {
        "c": [float(c.cost) for c in model.columns],
        "integrality": [int(c.integer) for c in model.columns],
        "bounds": Bounds([low_of(c) for c in model.columns], [high_of(c) for c in model.columns]),
        "constraints": [LinearConstraint(matrix, *sides)] if model.rows else [],
    }


def to_cvxpy(model: Model) -> Any:
    import cvxpy

    x = [
        cvxpy.Variable(name=c.name, boolean=True)
        if c.integer and (c.low, c.high) == (0, 1)
        else cvxpy.Variable(name=c.name, integer=c.integer, bounds=[low_of(c), high_of(c)])
        for c in model.columns
    ]
    rows = []
    for row in model.rows:
        total = sum((float(a) * x[j] for j, a in row.terms.items()), cvxpy.Constant(0))
        if row.low is not None and row.low == row.high:
            rows.append(total == float(row.low))
            continue
        rows += [] if row.low is None else [total >= float(row.low)]
        rows += [] if row.high is None else [total <= float(row.high)]
    total = sum(
        (float(c.cost) * v for v, c in zip(x, model.columns, strict=True)),
        cvxpy.Constant(float(model.constant)),
    )
    return cvxpy.Problem((cvxpy.Maximize if model.sense == "maximise" else cvxpy.Minimize)(total), rows)


def to_mip(model: Model, engine: str = "CBC") -> Any:
    with warnings.catch_warnings(action="ignore"):  # an error, as in the suite, would hide CBC from it
        import mip

    built = mip.Model(model.name, mip.MAXIMIZE if model.sense == "maximise" else mip.MINIMIZE, engine)
    x = [
        built.add_var(c.name, low_of(c), high_of(c), var_type=mip.INTEGER if c.integer else mip.CONTINUOUS)
        for c in model.columns
    ]
    for row in model.rows:
        total = mip.LinExpr([x[j] for j in row.terms], [float(a) for a in row.terms.values()])
        if row.low is not None and row.low == row.high:
            built.add_constr(total == float(row.low))
            continue
        if row.low is not None:
            built.add_constr(total >= float(row.low))
        if row.high is not None:
            built.add_constr(total <= float(row.high))
    built.objective = mip.LinExpr(x, [float(c.cost) for c in model.columns], float(model.constant))
    return built


def to_pyscipopt(model: Model) -> Any:
    import pyscipopt

    built = pyscipopt.Model(model.name)
    x = [
        built.addVar(
            c.name,
            "I" if c.integer else "C",
            None if c.low is None else float(c.low),
            None if c.high is None else float(c.high),
        )
        for c in model.columns
    ]
    for row in model.rows:
        total = pyscipopt.quicksum(float(a) * x[j] for j, a in row.terms.items()) + 0 * x[0]
        if row.low is None and row.high is None:
            continue
        made = pyscipopt.scip.ExprCons(
            total, None if row.low is None else float(row.low), None if row.high is None else float(row.high)
        )
        built.addCons(made, name=row.name)
    total = pyscipopt.quicksum(float(c.cost) * v for v, c in zip(x, model.columns, strict=True)) + float(
        model.constant
    )
    built.setObjective(total, "maximize" if model.sense == "maximise" else "minimize")
    return built


def to_gurobipy(model: Model) -> Any:
    import gurobipy

    with gurobipy.Env(params={"OutputFlag": 0}) as quiet:
        built = gurobipy.Model(model.name, env=quiet)
    x = [
        built.addVar(low_of(c), high_of(c), vtype="I" if c.integer else "C", name=c.name)
        for c in model.columns
    ]
    for i, row in enumerate(model.rows):
        total = gurobipy.LinExpr([float(a) for a in row.terms.values()], [x[j] for j in row.terms])
        if row.low is not None and row.high is not None and row.low != row.high:
            built.addRange(total, float(row.low), float(row.high), f"r{i}")
        elif row.low is not None and row.low == row.high:
            built.addLConstr(total, "=", float(row.low))
        elif row.low is not None or row.high is not None:
            built.addLConstr(
                total, "<" if row.low is None else ">", float(row.high if row.low is None else row.low)
            )
    total = gurobipy.LinExpr([float(c.cost) for c in model.columns], x) + float(model.constant)
    built.setObjective(total, -1 if model.sense == "maximise" else 1)
    return built


def to_docplex(model: Model) -> Any:
    from docplex.mp.model import Model as DocplexModel

    built = DocplexModel(model.name, ignore_names=False, checker="off")
    x = [
        (built.integer_var if c.integer else built.continuous_var)(
            -built.infinity if c.low is None else float(c.low),
            built.infinity if c.high is None else float(c.high),
            c.name,
        )
        for c in model.columns
    ]
    for row in model.rows:
        total = built.sum(float(a) * x[j] for j, a in row.terms.items())
        if row.low is not None and row.low == row.high:
            built.add_constraint(total == float(row.low))
        elif row.low is not None and row.high is not None:
            built.add_range(float(row.low), total, float(row.high))
        elif row.low is not None or row.high is not None:
            built.add_constraint(total <= float(row.high) if row.low is None else total >= float(row.low))
    total = built.sum(float(c.cost) * v for v, c in zip(x, model.columns, strict=True)) + float(
        model.constant
    )
    (built.maximize if model.sense == "maximise" else built.minimize)(total)
    return built


BUILDERS: dict[str, Callable[[Model], Any]] = {
    "pulp": to_pulp,
    "pyomo": to_pyomo,
    "highspy": to_highspy,
    "linopy": to_linopy,
    "math_opt": to_math_opt,
    "pywraplp": to_pywraplp,
    "model_builder": to_model_builder,
    "cp_sat": to_cp_sat,
    "scipy": to_milp,
    "cvxpy": to_cvxpy,
    "mip": to_mip,
    "mip on HiGHS": partial(to_mip, engine="HiGHS"),
    "pyscipopt": to_pyscipopt,
    "gurobipy": to_gurobipy,
    "docplex": to_docplex,
}
"""By library, the function that states a model in its words."""

MODULES = {
    "math_opt": "ortools.math_opt.python.mathopt",
    "pywraplp": "ortools.linear_solver.pywraplp",
    "model_builder": "ortools.linear_solver.python.model_builder",
    "cp_sat": "ortools.sat.python.cp_model",
    "mip on HiGHS": "mip",
    "docplex": "docplex.mp.model",
}
"""The modules of libraries that are not called as they are here."""

WITHOUT_CONSTANT = frozenset({"linopy", "scipy"})
"""Libraries whose objectives have no constant."""


def stated(model: Model, library: str) -> Model:
    """Return what a library can state of a model: perhaps no constant, and a least value alone."""
    if library in WITHOUT_CONSTANT:
        model = replace(model, constant=Fraction(0))
    return replace(model, sense="minimise") if library == "scipy" else model


def read_back(library: str, model: Model) -> Model:
    """Return what the library's statement of a model is read as."""
    return milp_pips.linear_model(BUILDERS[library](model))


def essence(model: Model) -> Any:
    """Return what a model states: the columns without names, rows as sets of half-spaces, the objective.

    A row is divided by the absolute value of its first coefficient, and an equality of both signs is one row.
    """
    rows = set()
    for row in model.rows:
        terms = dict(sorted((j, Fraction(a)) for j, a in row.terms.items() if a))
        scale = next(iter(terms.values()), Fraction(1))
        scaled = tuple((j, a / scale) for j, a in terms.items())
        low, high = (row.low, row.high) if scale > 0 else (row.high, row.low)
        if low is not None:
            rows.add((scaled, "at least", low / scale))
        if high is not None:
            rows.add((scaled, "at most", high / scale))
    columns = [(c.low, c.high, c.integer, c.cost) for c in model.columns]
    return columns, rows, model.sense, model.constant
