"""Hand a model over to highspy, PuLP and Pyomo, or to an LP or MPS file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from milp_pips.milp.model import Model, numbers_by_label

if TYPE_CHECKING:
    from highspy import Highs
    from pulp import LpProblem
    from pyomo.environ import ConcreteModel


def to_highspy(model: Model, *, names: bool = False) -> Highs:
    """Return a silent ``highspy.Highs`` that holds the model.

    Raises RuntimeError if HiGHS refuses it.
    """
    import highspy

    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    columns, rows = model.size["columns"], model.size["rows"]
    status = highs.passModel(
        columns,
        rows,
        len(model.index),
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMinimize),
        0.0,
        np.zeros(columns),
        np.zeros(columns),
        np.ones(columns),
        model.row_lower,
        model.row_upper,
        model.start.astype(np.int32),
        model.index.astype(np.int32),
        model.value,
        np.ones(columns, dtype=np.int32),  # integrality: all integer
    )
    if status == highspy.HighsStatus.kError:
        raise RuntimeError("HiGHS refused the model")
    if names:
        for i, name in enumerate(model.column_names()):
            highs.passColName(i, name)
        for i, name in enumerate(model.row_names()):
            highs.passRowName(i, name)
    return highs


def to_pulp(model: Model) -> LpProblem:
    """Return the model as a ``pulp.LpProblem``.

    Its variables are named after family and label, as ``place_5_1_r1c1_r1c2``; ``problem.variables()``
    lists them by name, and each row is a constraint named after its family and label.
    """
    from pulp import (
        LpAffineExpression,
        LpBinary,
        LpConstraint,
        LpConstraintEQ,
        LpConstraintGE,
        LpConstraintLE,
        LpVariable,
    )
    from pulp import LpProblem as Problem

    problem = Problem("puzzle")
    x = [LpVariable(name, cat=LpBinary) for name in model.column_names()]
    problem.addVariables(x)
    problem += 0, "any_solution_will_do"
    for i, name in enumerate(model.row_names()):
        columns, coefficients = model.row(i)
        total = LpAffineExpression(
            [(x[j], a) for j, a in zip(columns.tolist(), coefficients.tolist(), strict=True)]
        )
        low, high = float(model.row_lower[i]), float(model.row_upper[i])
        if low == high:
            problem.addConstraint(LpConstraint(total, LpConstraintEQ, rhs=low), name)
            continue
        if high < np.inf:
            problem.addConstraint(LpConstraint(total, LpConstraintLE, rhs=high), name)
        if low > -np.inf:
            at_least = f"{name}_at_least" if high < np.inf else name
            problem.addConstraint(LpConstraint(total, LpConstraintGE, rhs=low), at_least)
    return problem


def to_pyomo(model: Model) -> ConcreteModel:
    """Return the model as a ``pyomo.environ.ConcreteModel``.

    One indexed ``Var`` per family of columns (``model.place``, ``model.value``) and one indexed
    ``Constraint`` per family of rows (``model.cover``, ``model.use``, ``model.region``, …).
    """
    import pyomo.environ as pyo
    from pyomo.core.expr import LinearExpression

    concrete = pyo.ConcreteModel("puzzle")
    x: dict[int, Any] = {}
    for name, numbers in numbers_by_label(model.columns).items():
        variables = pyo.Var(list(numbers), domain=pyo.Binary)
        setattr(concrete, name, variables)
        x |= {j: variables[label] for label, j in numbers.items()}

    def row(i: int) -> Any:
        columns, coefficients = model.row(i)
        low, high = float(model.row_lower[i]), float(model.row_upper[i])
        if not len(columns):  # Pyomo wants a variable in every constraint
            if low <= 0 <= high:
                return pyo.Constraint.Skip
            if not hasattr(concrete, "zero"):
                concrete.zero = pyo.Var(bounds=(0, 0))
            return concrete.zero == 1
        total = LinearExpression(
            linear_coefs=coefficients.tolist(), linear_vars=[x[j] for j in columns.tolist()]
        )
        if low == high:
            return total == low
        return (None if low == -np.inf else low, total, None if high == np.inf else high)

    for name, numbers in numbers_by_label(model.rows).items():
        setattr(concrete, name, pyo.Constraint(list(numbers), rule=_rule_by_number(row, numbers)))
    concrete.any_solution_will_do = pyo.Objective(expr=0)
    return concrete


def _rule_by_number(row: Callable[[int], Any], number: dict[Any, int]) -> Callable[..., Any]:
    return lambda _, *label: row(number[label[0] if len(label) == 1 else label])


def write(model: Model, path: str) -> None:
    """Write an LP or MPS file, by the ending of the path, through HiGHS. Raises OSError."""
    import highspy

    Path(path).touch()  # an OSError says why a path cannot be written; HiGHS does not
    if to_highspy(model, names=True).writeModel(path) == highspy.HighsStatus.kError:
        raise OSError(f"HiGHS could not write {path}")
