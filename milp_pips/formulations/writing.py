"""Linear models for PuLP, Pyomo and highspy, and as MPS and LP files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from milp_pips.formulations.model import Column, Model, Row, limits
from milp_pips.problem import UsageError
from milp_pips.problem.objective import MAXIMISE

if TYPE_CHECKING:
    from highspy import Highs
    from pulp import LpProblem
    from pyomo.environ import ConcreteModel

OBJECTIVE_ROW = "objective"
"""The name of the objective in files."""

LP_NAME = re.compile(r"(?![eE][0-9])(?![0-9.])[^\s<>=+\-*/^:\\\[\]]+")
"""A name of a column or a row in an LP file: no operators, no spaces, no number at the beginning."""

LP_WORDS = re.compile(
    "max(imi[sz]e|imum)?|min(imi[sz]e|imum)?|st|s.t.|such|subject|bounds?|gen(erals?)?|int(egers?)?|"
    "bin(ary|aries)?|semis?|sos[12]?|free|inf(inity)?|end",
    re.IGNORECASE,
)
"""Words of LP files that can be no names."""


def to_highspy(model: Model) -> Highs:
    """Return the model loaded into a new HiGHS, which prints nothing."""
    import highspy
    import numpy as np

    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
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
        for number, (sign, side) in enumerate(_sides(row)):
            total = pulp.LpAffineExpression([(x[j], float(a)) for j, a in row.terms.items()])
            name = f"{row.name}_{number}" if number else row.name
            problem += pulp.LpConstraint(total, sign, name, float(side)), name
    return problem


def _sides(row: Row) -> list[tuple[int, Fraction]]:
    """Return the signs (-1: at most, 0: equal, 1: at least) and right sides that state the row."""
    if row.low is not None and row.low == row.high:
        return [(0, row.low)]
    return [(sign, side) for sign, side in ((1, row.low), (-1, row.high)) if side is not None]


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


def to_mps(model: Model) -> str:
    """Return the model as a free MPS file. Raises UsageError for a column with a space in entries name."""
    rows = _row_names(model, _is_mps_name)
    for column in model.columns:
        if not _is_mps_name(column.name):
            raise UsageError(f"an MPS file cannot have the name {column.name!r}")
    lines = [f"NAME {'_'.join(model.name.split())}", "OBJSENSE"]
    lines += [f"    {'MAX' if model.sense == MAXIMISE else 'MIN'}", "ROWS", f" N {OBJECTIVE_ROW}"]
    right, ranges = [], []
    for name, row in zip(rows, model.rows, strict=True):
        kind, side = "E", row.low
        if row.low != row.high:
            kind, side = ("G", row.low) if row.high is None else ("L", row.high)
            if row.low is not None and row.high is not None:
                ranges.append(f" RNG {name} {_decimal(row.high - row.low)}")
        kind = "N" if side is None else kind
        lines.append(f" {kind} {name}")
        right += [f" RHS {name} {_decimal(side)}"] if side else []
    right += [f" RHS {OBJECTIVE_ROW} {_decimal(-model.constant)}"] if model.constant else []
    terms: list[list[str]] = [[] for _ in model.columns]
    for name, row in zip(rows, model.rows, strict=True):
        for j, factor in row.terms.items():
            terms[j].append(f"{name} {_decimal(factor)}")
    lines.append("COLUMNS")
    whole, bounds = False, []
    for column, entries in zip(model.columns, terms, strict=True):
        if column.integer != whole:
            whole = column.integer
            marker = "'INTORG'" if whole else "'INTEND'"
            lines.append(f" M{len(lines)} 'MARKER' {marker}")
        if column.cost or not entries:
            entries.insert(0, f"{OBJECTIVE_ROW} {_decimal(column.cost)}")
        lines += [f" {column.name} {term}" for term in entries]
        bounds += _mps_bounds(column)
    lines += [f" M{len(lines)} 'MARKER' 'INTEND'"] if whole else []
    lines += ["RHS", *right, "RANGES", *ranges, "BOUNDS", *bounds, "ENDATA", ""]
    return "\n".join(lines)


def _mps_bounds(column: Column) -> list[str]:
    """Return the lines of the bounds of a column; readers disagree on those of integers without any."""
    low, high, name = column.low, column.high, f"BND {column.name}"
    if low == high:
        return [f" FR {name}" if low is None else f" FX {name} {_decimal(low)}"]
    lines = [f" MI {name}" if low is None else f" LO {name} {_decimal(low)}"]
    return [*lines, f" PL {name}" if high is None else f" UP {name} {_decimal(high)}"]


def to_lp(model: Model) -> str:
    """Return the model as a CPLEX LP file; a row with two sides becomes two, and a free row is left out.

    Raises UsageError for a name that such a file cannot have.
    """
    names, rows = [column.name for column in model.columns], _row_names(model, _is_lp_name)
    for name in names:
        if not _is_lp_name(name):
            raise UsageError(f"an LP file cannot have the name {name!r}; an MPS file may")

    def total(terms: Iterable[tuple[int, Fraction]]) -> str:
        return " ".join(f"{'-' if a < 0 else '+'} {_decimal(abs(a))} {names[j]}" for j, a in terms)

    costs = total((j, column.cost) for j, column in enumerate(model.columns))  # all, to keep their order
    constant = f" {'-' if model.constant < 0 else '+'} {_decimal(abs(model.constant))}"
    lines = ["Maximize" if model.sense == MAXIMISE else "Minimize"]
    lines += [f" {OBJECTIVE_ROW}: {costs}{constant if model.constant else ''}", "Subject To"]
    for name, row in zip(rows, model.rows, strict=True):
        left = total(row.terms.items()) or f"0 {names[0]}"
        for number, (sign, side) in enumerate(_sides(row)):
            relation = {0: "=", 1: ">=", -1: "<="}[sign]
            lines.append(f" {name}{'_high' if number else ''}: {left} {relation} {_decimal(side)}")
    lines.append("Bounds")
    for name, column in zip(names, model.columns, strict=True):
        low = "-inf" if column.low is None else _decimal(column.low)
        high = "+inf" if column.high is None else _decimal(column.high)
        lines.append(f" {low} <= {name} <= {high}")
    whole = [f" {name}" for name, column in zip(names, model.columns, strict=True) if column.integer]
    return "\n".join([*lines, *(["General", *whole] if whole else []), "End", ""])


def _is_mps_name(name: str) -> bool:
    return bool(name) and not name.startswith("$") and all(c.isprintable() and not c.isspace() for c in name)


def _is_lp_name(name: str) -> bool:
    return bool(LP_NAME.fullmatch(name) and not LP_WORDS.fullmatch(name))


def _row_names(model: Model, fits: Callable[[str], bool]) -> list[str]:
    """Return the names of the rows; numbers if one does not fit, or two have the same."""
    names = [row.name for row in model.rows]
    are_own = len({*names, OBJECTIVE_ROW}) > len(names) and all(map(fits, names))
    return names if are_own else [f"row_{i}" for i in range(len(names))]


def _decimal(number: Fraction) -> str:
    return str(int(number)) if number == int(number) else repr(float(number))


def _number(bound: Fraction | None) -> float | None:
    return None if bound is None else float(bound)
