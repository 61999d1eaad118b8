"""Linear models for highspy, PuLP and Pyomo."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from milp_pips.formulations.rows import Column, LinearModel
from milp_pips.problem.answer import MAXIMISE
from milp_pips.problem.errors import UsageError

if TYPE_CHECKING:
    from highspy import Highs
    from pulp import LpProblem, LpVariable
    from pyomo.environ import ConcreteModel


def to_highspy(model: LinearModel) -> Highs:
    """Return the model as it is stated in a new HiGHS, which prints nothing; a 0-1 model has no names there.

    Raises UsageError if HiGHS rejects it.
    """
    highs = model.unscaled.to_highspy(model.sense)
    lp = highs.getLp()
    lp.offset_, lp.model_name_ = float(model.constant), model.name
    if isinstance(model.columns, tuple):
        lp.col_names_ = model.column_names()
    highs.passModel(lp)
    return highs


def to_pulp(model: LinearModel) -> LpProblem:
    """Return the model as a PuLP problem; a row with two sides becomes two constraints.

    Variables and constraints of a 0-1 model are named after family and label, for example
    ``place_1_5_r1c1_r1c2`` and ``cover_r1c1``. Raises UsageError if two names are the same for PuLP, which
    replaces some characters by ``_``.
    """
    return pulp_of(model)[0]


def pulp_of(model: LinearModel) -> tuple[LpProblem, list[LpVariable]]:
    """Return the model as a PuLP problem, and its variables in the order of the columns."""
    import pulp

    from milp_pips.formulations.writing_files import positive_first, sides

    problem = pulp.LpProblem(model.name, pulp.LpMaximize if model.sense == MAXIMISE else pulp.LpMinimize)
    x, names = [], dict[str, str]()
    for column in model.columns:
        if column.is_binary:
            x.append(problem.add_variable(column.name, cat=pulp.LpBinary))
        else:
            kind = pulp.LpInteger if column.integer else pulp.LpContinuous
            x.append(problem.add_variable(column.name, *map(_bound, (column.low, column.high)), kind))
        if names.setdefault(x[-1].name, column.name) != column.name:
            other = names[x[-1].name]
            raise UsageError(f"PuLP has one name for the columns {other!r} and {column.name!r}")
    costs = [(v, _plain(c.cost)) for v, c in zip(x, model.columns, strict=True)]  # all: PuLP forgets others
    problem += pulp.LpAffineExpression(costs, constant=_plain(model.constant)), model.objective_name
    rows = model.row_names()
    if len(set(rows)) < len(rows):  # PuLP refuses equal names
        rows = [f"row_{i}" for i in range(len(rows))]
    for name, row in zip(rows, model.rows, strict=True):
        for suffix, sign, side in sides(row):
            total = pulp.LpAffineExpression([(x[j], _plain(a)) for j, a in positive_first(row.terms)])
            constraint = pulp.LpConstraint(total, sign, f"{name}{suffix}")
            constraint.changeRHS(_plain(side))  # otherwise PuLP prints "<= -0.0"
            problem += constraint, f"{name}{suffix}"
    return problem, x


def to_pyomo(model: LinearModel) -> ConcreteModel:
    """Return the model as a Pyomo model.

    A 0-1 model has one indexed ``Var`` per family of columns, such as ``model.place[0, 3, "r1c1", "r1c2"]``,
    and one indexed ``Constraint`` per family of rows, such as ``model.cover["r1c1"]``. Of other models, ``x``
    has the columns by name, and ``rows`` the rows by number. The index sets are ``model.place_index`` and so
    on.
    """
    import pyomo.environ as pyo
    from pyomo.core.expr import LinearExpression

    from milp_pips.formulations.writing_files import positive_first

    concrete = pyo.ConcreteModel(model.name)

    def index_set(name: str, labels: list[Any]) -> Any:
        lengths = {len(label) if isinstance(label, tuple) else 1 for label in labels}
        dimen = lengths.pop() if len(lengths) == 1 else None  # None: the labels differ in length
        setattr(concrete, f"{name}_index", pyo.Set(initialize=labels, dimen=dimen))
        return getattr(concrete, f"{name}_index")

    def domain(column: Column) -> Any:
        if column.is_binary:
            return pyo.Binary
        return pyo.Integers if column.integer else pyo.Reals

    x: dict[int, Any] = {}
    for name, numbers in model.column_labels().items():

        def of(label: tuple[Any, ...], numbers: Mapping[Any, int] = numbers) -> Column:
            return model.columns[numbers[label[0] if len(label) == 1 else label]]

        variables = pyo.Var(
            index_set(name, list(numbers)),
            domain=lambda _, *label, of=of: domain(of(label)),
            bounds=lambda _, *label, of=of: (_bound(of(label).low), _bound(of(label).high)),
        )
        setattr(concrete, name, variables)
        x |= {j: variables[label] for label, j in numbers.items()}

    def stated(i: int) -> Any:
        row = model.rows[i]
        low, high = _bound(row.low), _bound(row.high)
        if (low, high) == (None, None):
            return pyo.Constraint.Skip
        if not row.terms:  # Pyomo requires a variable in every constraint
            if not row.miss({}):
                return pyo.Constraint.Skip
            if not hasattr(concrete, "zero"):
                concrete.zero = pyo.Var(bounds=(0, 0))
            return concrete.zero == 1
        terms = positive_first(row.terms)
        total = LinearExpression(
            linear_coefs=[_plain(a) for _, a in terms], linear_vars=[x[j] for j, _ in terms]
        )
        return total == low if row.low is not None and row.low == row.high else (low, total, high)

    def rule(numbers: Mapping[Any, int]) -> Callable[..., Any]:
        return lambda _, *label: stated(numbers[label[0] if len(label) == 1 else label])

    for name, numbers in model.row_labels().items():
        setattr(concrete, name, pyo.Constraint(index_set(name, list(numbers)), rule=rule(numbers)))
    costs = [(x[j], _plain(column.cost)) for j, column in enumerate(model.columns) if column.cost]
    aim = pyo.Objective(
        expr=sum((a * v for v, a in costs), _plain(model.constant)),
        sense=pyo.maximize if model.sense == MAXIMISE else pyo.minimize,
    )
    setattr(concrete, model.objective_name, aim)
    return concrete


def pyomo_variables(model: LinearModel, concrete: ConcreteModel) -> list[Any]:
    """Return the variables of a model's columns, in order; ``concrete`` is what ``to_pyomo`` returned."""
    found: list[Any] = [None] * len(model.columns)
    for name, numbers in model.column_labels().items():
        variables = getattr(concrete, name)
        for label, j in numbers.items():
            found[j] = variables[label]
    return found


def _plain(number: Any) -> int | float:
    """Return a number as an int if it is integral, since libraries print an int without ``.0``."""
    return int(number) if number == int(number) else float(number)


def _bound(number: Any) -> int | float | None:
    return None if number is None else _plain(number)
