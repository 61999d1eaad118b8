"""A linear model of integer columns with few values, as a ``Problem`` of linear sums.

Then every engine, decision diagrams and certificates work on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor

from milp_pips.constraints import LinearSum, Relation
from milp_pips.formulations.exact import size
from milp_pips.formulations.judging import scaled
from milp_pips.formulations.rows import KEY, LinearModel, Row
from milp_pips.problem import Problem, UsageError, Variable
from milp_pips.problem.fields import MAX_NUMBER, MAX_SUM
from milp_pips.problem.objective import Objective, totals

MAX_DOMAIN, MAX_VALUES = 1000, 100_000
"""The most values of a column, and of all columns together, of a model that becomes a ``Problem``."""


def reason_against_problem(model: LinearModel) -> str:
    """Return why the model cannot become a ``Problem``; empty if it can."""
    if model.contradiction:
        return ""
    total = 0
    for j, column in enumerate(model.columns):
        if column.values is None:
            return f"{column.name} {f'has {column.missing_bounds}' if column.integer else 'is continuous'}"
        count = max(column.values.stop - column.values.start, 0)  # len() fails from 2**63 on
        if count > MAX_DOMAIN:
            return f"{column.name} has {count} values, over {MAX_DOMAIN}"
        if _reach(model, j) > MAX_NUMBER:
            return f"{column.name} has values beyond {MAX_NUMBER}"
        total += count
    if total > MAX_VALUES:
        return f"the columns have {total} values together, over {MAX_VALUES}"
    # Engines and diagrams add up whole numbers, which floating point represents up to this sum.
    for row in model.rows:
        times, terms = scaled(row.terms)
        ends = [_reach(model, j) for j in terms]
        reach = sum(abs(a) * end for a, end in zip(terms.values(), ends, strict=True))
        sides = [int(size(times * side)) for side in (row.low, row.high) if side is not None]
        if max(map(abs, terms.values()), default=0) > MAX_NUMBER or max([reach, *sides]) > MAX_SUM:
            return f"row {row.name} has coefficients that are too great, or too fine"
    try:
        objective_of(model)
    except ValueError as error:
        return str(error)
    return ""


def _reach(model: LinearModel, j: int) -> int:
    values = model.columns[j].values
    return max((abs(values[0]), abs(values[-1]))) if values else 0


def objective_of(model: LinearModel) -> Objective | None:
    """Return the objective as one of a ``Problem``, in whole units; None if no column has a cost.

    Raises ValueError if its weights are too great.
    """
    costs = {j: column.cost for j, column in enumerate(model.columns) if column.cost}
    if not costs:
        return None
    scale, weights = scaled({**costs, -1: model.constant})
    constant = weights.pop(-1, 0)
    terms = totals((j, a, w * a) for j, w in weights.items() for a in model.columns[j].values or ())
    return Objective(terms, model.sense, constant, "the objective", scale)


def to_problem(model: LinearModel, over: Sequence[int] | None = None) -> Problem:
    """Return the model as a ``Problem`` whose key has the chosen columns.

    Raises UsageError if it cannot become one.
    """
    if model.reason_against_problem:
        raise UsageError(f"{model.name} is not a pure integer model: {model.reason_against_problem}")
    chosen = model.chosen(None) if over is None else tuple(over)
    keys = {KEY: chosen}
    if model.contradiction:  # a problem of one false rule: a domain of a problem is not empty
        variables = tuple(Variable(c.name, (0,)) for c in model.columns) or (Variable("0", (0,)),)
        false = LinearSum((0,), Relation.GE, 1, model.contradiction)
        objective = Objective((), model.sense) if model.has_objective else None
        return Problem(variables, (false,), keys, name=model.name, objective=objective)
    variables = tuple(Variable(c.name, tuple(c.values or ())) for c in model.columns)
    rows = tuple(constraint for row in model.rows for constraint in _sums(row))
    return Problem(variables, rows, keys, name=model.name, objective=objective_of(model))


def _sums(row: Row) -> Iterable[LinearSum]:
    """Yield a row as sums of whole numbers."""
    times, terms = scaled(row.terms)
    low = None if row.low is None else ceil(times * row.low)
    high = None if row.high is None else floor(times * row.high)
    if not terms:  # 0 lies between the sides, or the model is a contradiction
        return
    columns, factors = tuple(terms), tuple(terms.values())
    if low is not None and low == high:
        yield LinearSum(columns, Relation.EQ, low, row.name, factors)
        return
    if low is not None:
        yield LinearSum(columns, Relation.GE, low, row.name, factors)
    if high is not None:
        yield LinearSum(columns, Relation.LE, high, row.name, factors)
