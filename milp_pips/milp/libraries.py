"""Hand a model over to highspy, PuLP and Pyomo."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from milp_pips.milp.model import Model, numbers_by_label

if TYPE_CHECKING:
    from highspy import Highs
    from pulp import LpProblem
    from pyomo.environ import ConcreteModel


def to_highspy(model: Model) -> Highs:
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
    return highs


def to_pulp(model: Model) -> LpProblem:
    """Return the model as a ``pulp.LpProblem``.

    Variables and constraints are named after family and label, as ``place_1_5_r1c1_r1c2`` and
    ``cover_r1c1``.
    """
    import pulp

    problem = pulp.LpProblem("puzzle", pulp.LpMinimize)
    problem += 0, "any_solution_will_do"
    x = [problem.add_variable(name, cat=pulp.LpBinary) for name in model.column_names()]
    for i, name in enumerate(model.row_names()):
        columns, coefficients = model.row(i)
        total = pulp.lpSum(a * x[j] for j, a in zip(columns.tolist(), coefficients.tolist(), strict=True))
        low, high = float(model.row_lower[i]), float(model.row_upper[i])
        if low == high:
            problem += total == low, name
        else:
            if high < np.inf:
                problem += total <= high, name
            if low > -np.inf:
                problem += total >= low, f"{name}_at_least" if high < np.inf else name
    return problem


def to_pyomo(model: Model) -> ConcreteModel:
    """Return the model as a ``pyomo.environ.ConcreteModel``.

    One indexed ``Var`` per family of columns (``model.place``, ``model.value``) and one indexed
    ``Constraint`` per family of rows (``model.cover``, ``model.use``, ``model.region``, …); the labels are
    the sets ``model.place_labels`` and so on.
    """
    import pyomo.environ as pyo
    from pyomo.core.expr import LinearExpression

    concrete = pyo.ConcreteModel("puzzle")

    def label_set(name: str, labels: list[Any]) -> Any:
        # The labels of one family may differ in length: dimen=None.
        setattr(concrete, f"{name}_labels", pyo.Set(initialize=labels, dimen=None))
        return getattr(concrete, f"{name}_labels")

    x: dict[int, Any] = {}
    for name, numbers in numbers_by_label(model.columns).items():
        variables = pyo.Var(label_set(name, list(numbers)), domain=pyo.Binary)
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
        rule = _rule_by_number(row, numbers)
        setattr(concrete, name, pyo.Constraint(label_set(name, list(numbers)), rule=rule))
    concrete.any_solution_will_do = pyo.Objective(expr=0)
    return concrete


def _rule_by_number(row: Callable[[int], Any], number: dict[Any, int]) -> Callable[..., Any]:
    return lambda _, *label: row(number[label[0] if len(label) == 1 else label])
