"""Scale a model for engines, which compute in floating point: they drop and round what is small.

Multiplying a row, or the objective, by a positive number changes no solution.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from math import gcd, inf, lcm
from typing import Any

from milp_pips.formulations.exact import Number, size
from milp_pips.formulations.rows import Arrays, LinearModel, Row, limits
from milp_pips.problem.errors import UsageError, visible

GREATEST_WHOLE = 10**6
"""The greatest coefficient of a row that is scaled to whole numbers: with greater ones the tolerance of
engines, an absolute 1e-6 of the row, is less than a millionth of what a column can change."""

LEAST, GREATEST = Fraction(1, 10**8), 10**15
"""The least and the greatest coefficient that engines get. HiGHS, the strictest of them, drops coefficients
up to 1e-9 by default, and refuses those from 1e15 on."""


GREATEST_EQUATION, GREATEST_TERM = 10**6, 10**10
"""The greatest coefficient, and the greatest term at the bounds of its column, of an equation in whole
numbers about which floating point decides. Beyond, HiGHS 1.13.1 has called equations infeasible that have
solutions, with presolve and without: K x - (K + 1) y = 1 from K = 10^7 on."""

GREATER = 1000
"""The factor by which those of an inequality may be greater: it is missed by a hair, not by its nature."""


def reach_of(model: LinearModel) -> list[float]:
    """Return the greatest absolute bound of each column; 0 if it has none."""
    return [
        max([abs(end) for end in limits(column) if abs(end) < inf], default=0) for column in model.columns
    ]


def undecidable_row(model: LinearModel) -> str:
    """Return the name of a row of integer columns that is too fine for floating point; empty if none is."""
    reach = reach_of(model)
    for number, row in enumerate(model.rows, 1):
        if not all(model.columns[j].integer for j in row.terms):
            continue
        factor = GREATER if row.low is None or row.high is None else 1
        times = lcm(*(a.denominator for a in row.terms.values()))
        whole = {j: abs(int(times * a)) for j, a in row.terms.items() if a}
        common = gcd(*whole.values()) or 1
        if max(whole.values(), default=0) > factor * GREATEST_EQUATION * common or any(
            a * reach[j] > factor * GREATEST_TERM * common for j, a in whole.items()
        ):
            return row.name or f"number {number}"
    return ""


def scaled_for_engines(model: LinearModel) -> tuple[Any, Fraction]:
    """Return the model with scaled rows and objective, without its constant, and the factor of the objective.

    Rows become whole numbers without a common divisor where these are at most ``GREATEST_WHOLE``. Other rows
    are multiplied by a power of two, which floats represent, if they have coefficients under ``LEAST``.
    Raises UsageError for a row whose coefficients differ by more than engines can represent.
    """
    rows = tuple([_scaled_row(row) for row in model.rows])
    factor = _factor([column.cost for column in model.columns]) or Fraction(1)
    columns = model.columns
    if factor != 1:
        columns = tuple([replace(column, cost=factor * column.cost) for column in columns])
    dataclass: Any = model
    return replace(dataclass, columns=columns, rows=rows, constant=0), factor


def _scaled_row(row: Row) -> Row:
    terms = {j: times for j, times in row.terms.items() if times}
    factor = _factor(terms.values())
    if factor is None:
        sizes = sorted(map(size, terms.values()), key=Fraction)
        least, most = (f"{float(end):.0e}" for end in (sizes[0], sizes[-1]))
        what = f"row {visible(row.name)} has coefficients from {least} to {most}"
        raise UsageError(
            f"{what}: engines drop the small ones, or refuse the great ones; state it in other units"
        )
    if factor == 1:
        return row
    low, high = (None if end is None else factor * end for end in (row.low, row.high))
    return Row(row.name, {j: factor * times for j, times in terms.items()}, low, high)


def _factor(numbers: Iterable[Number]) -> Fraction | None:
    """Return the factor by which the numbers are multiplied; None if there is none that fits them."""
    sizes = sorted([size(number) for number in numbers if number], key=Fraction)
    if not sizes:
        return Fraction(1)
    times = lcm(*(number.denominator for number in sizes))
    common = gcd(*(int(times * number) for number in sizes))
    if sizes[-1] * times <= GREATEST_WHOLE * common:
        return Fraction(times, common) if times > 1 or sizes[-1] > GREATEST_WHOLE else Fraction(1)
    # Powers of two change no digit of a float.
    factor = Fraction(1)
    while sizes[0] * factor < LEAST:
        factor *= 2
    while sizes[-1] * factor > GREATEST:
        factor /= 2
    return factor if sizes[0] * factor >= LEAST else None


def unscaled(model: LinearModel) -> Arrays:
    """Return the numbers of a model in floating point, as they are."""
    import numpy as np  # which a page does not have

    sides = np.array([limits(row) for row in model.rows]).reshape(-1, 2).T
    ends = np.array([limits(column) for column in model.columns]).reshape(-1, 2).T
    costs = [float(column.cost) for column in model.columns] if model.has_objective else None
    return Arrays(
        lower=ends[0].copy(),
        upper=ends[1].copy(),
        integer=np.array([column.integer for column in model.columns], bool),
        costs=None if costs is None else np.array(costs),
        row_lower=sides[0].copy(),
        row_upper=sides[1].copy(),
        start=np.cumsum([0, *(len(row.terms) for row in model.rows)]),
        index=np.array([j for row in model.rows for j in row.terms], np.int64),
        value=np.array([float(a) for row in model.rows for a in row.terms.values()]),
    )
