"""0-1 models as OPB and as DIMACS CNF files.

``to_cnf`` takes no auxiliary variables, so the formula has a model for each solution: a row becomes a clause
for each least set of literals that must not all be false.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import ceil, lcm
from typing import NamedTuple

from milp_pips.formulations.exact import Number
from milp_pips.formulations.model import Model
from milp_pips.formulations.rows import Row
from milp_pips.problem.errors import UsageError, visible
from milp_pips.problem.objective import MAXIMISE

__all__ = ["to_cnf", "to_opb"]

MOST_ROW_CLAUSES = 1000
"""The most clauses of one row: at most 3 of 12 need 495, at most 6 of 14 need 3,432."""


def to_opb(model: Model) -> str:
    """Return a 0-1 model as an OPB file, whose variables are called x1, x2, …; comments have the names.

    The costs are scaled to whole numbers; a comment has the factor. Raises UsageError for other columns.
    """
    model = _binary(model)
    rows = [line for row in model.rows for line in _opb_lines(row)]
    lines = [f"* #variable= {len(model.columns)} #constraint= {len(rows)}", f"* {visible(model.name)}"]
    lines += [f"* x{j} is {visible(column.name)}" for j, column in enumerate(model.columns, 1)]
    if model.has_objective:
        costs = {j: column.cost for j, column in enumerate(model.columns) if column.cost}
        times = lcm(*(cost.denominator for cost in costs.values()))
        if times > 1 or model.constant:
            lines.append(f"* the objective is this, divided by {times}, plus {model.constant}")
        # Solvers of these files minimise; a maximum is the minimum of the negated objective.
        sign = -1 if model.sense == MAXIMISE else 1
        if sign < 0:
            lines.append("* the objective is negated: it was to be maximised")
        lines.append(f"min: {_opb_total({j: sign * times * cost for j, cost in costs.items()})} ;")
    return "\n".join([*lines, *rows, ""])


def _opb_lines(row: Row) -> Iterator[str]:
    times, terms, low, high = _whole(row)
    total = _opb_total(terms) or "0 x1"
    if low is not None and low == high and row.low is not None and low == times * row.low:
        yield f"{total} = {low} ;"
        return
    if low is not None:
        yield f"{total} >= {low} ;"
    if high is not None:
        yield f"{_opb_total({j: -a for j, a in terms.items()}) or '0 x1'} >= {-high} ;"


def _opb_total(terms: Mapping[int, Number]) -> str:
    return " ".join(f"{int(times):+d} x{j + 1}" for j, times in terms.items())


def to_cnf(model: Model) -> str:
    """Return the rows of a 0-1 model as a DIMACS CNF file; comments have the names, and the projection.

    Raises UsageError for other columns, an objective, or a row of over ``MOST_ROW_CLAUSES`` clauses.
    """
    model = _binary(model)
    if model.has_objective:
        raise UsageError(f"{model.name} has an objective, which clauses cannot state; OPB can")
    clauses = [clause for row in model.rows for clause in _clauses(row)]
    lines = [
        f"c {visible(model.name)}",
        *(f"c {j} is {visible(c.name)}" for j, c in enumerate(model.columns, 1)),
    ]
    if model.shown is not None:
        lines.append(" ".join(["c p show", *(str(j + 1) for j in model.shown), "0"]))
    lines.append(f"p cnf {len(model.columns)} {len(clauses)}")
    return "\n".join([*lines, *(" ".join(map(str, [*clause, 0])) for clause in clauses), ""])


def _clauses(row: Row) -> list[list[int]]:
    """Return the clauses of a row, which says that the true ones of some weighted literals reach a number."""
    _, terms, low, high = _whole(row)
    found: list[list[int]] = []
    for side, sign in ((low, 1), (None if high is None else -high, -1)):
        if side is None:
            continue
        weights = {(j + 1) * (1 if sign * a > 0 else -1): abs(a) for j, a in terms.items()}
        need = side - sum(sign * a for a in terms.values() if sign * a < 0)
        literals = sorted(weights, key=lambda literal: -weights[literal])
        for clause in _least_sets(literals, [weights[literal] for literal in literals], need):
            found.append(clause)
            if len(found) > MOST_ROW_CLAUSES:
                raise UsageError(
                    f"row {visible(row.name)} takes over {MOST_ROW_CLAUSES} clauses; write OPB instead"
                )
    return found


def _least_sets(literals: list[int], weights: list[int], need: int) -> Iterator[list[int]]:
    """Yield the least sets of literals without which the others do not reach ``need``; weights descend."""
    rest = [sum(weights[k:]) for k in range(len(weights) + 1)]

    def search(k: int, false: list[int], reach: int) -> Iterator[list[int]]:
        # ``reach`` is the greatest total if all of ``false`` are false. It was enough before the last one of
        # these, whose weight is the least: so the set is a least one.
        if reach < need:
            yield false
        elif k < len(weights) and reach - rest[k] < need:
            yield from search(k + 1, [*false, literals[k]], reach - weights[k])
            yield from search(k + 1, false, reach)

    yield from search(0, [], rest[0])


class ScaledRow(NamedTuple):
    """A factor, and a row multiplied by it."""

    times: int
    terms: dict[int, int]
    low: int | None
    high: int | None


def _whole(row: Row) -> ScaledRow:
    """Return the row in whole numbers; bounds are rounded inwards."""
    times = lcm(*(factor.denominator for factor in row.terms.values()))
    terms = {j: int(times * factor) for j, factor in row.terms.items() if factor}
    low = None if row.low is None else ceil(times * row.low)
    high = None if row.high is None else -ceil(-times * row.high)
    return ScaledRow(times, terms, low, high)


def _binary(model: Model) -> Model:
    """Return the model with all columns from 0 to 1, and a row for each that is fixed. Raises UsageError."""
    fixed = list[Row]()
    for j, column in enumerate(model.columns):
        if not column.integer or not {column.low, column.high} <= {0, 1}:
            raise UsageError(f"{visible(column.name)} is no integer column within 0..1; write MPS or LP")
        if (column.low, column.high) != (0, 1):
            fixed.append(Row(f"bounds of {column.name}", {j: 1}, column.low, column.high))
    return replace(model, rows=(*model.rows, *fixed))
