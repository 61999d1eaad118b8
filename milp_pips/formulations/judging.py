"""Judge points of a linear model, in whole numbers and fractions; find what no point can satisfy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor, gcd, lcm
from operator import mul
from typing import Any, NamedTuple

from milp_pips.formulations.exact import TOLERANCE, Number, magnitude, size, stated
from milp_pips.formulations.rows import LinearModel, Row, WholeRow
from milp_pips.problem.errors import visible


class Miss(NamedTuple):
    """What values miss, such as ``row need is``, and by how much.

    ``is_certain`` states that integer columns alone miss it: no values of continuous ones can help.
    """

    subject: str
    by: Number
    is_certain: bool = True

    def __str__(self) -> str:
        return f"{self.subject} missed by {stated(self.by)}"


def slack(model: LinearModel, row: Row, values: Mapping[int, Number]) -> Fraction:
    """Return by how much a row may be missed because of its continuous columns; see ``TOLERANCE``."""
    columns = model.columns
    terms = [magnitude(times * values[j]) for j, times in row.terms.items() if not columns[j].integer]
    return TOLERANCE * max(terms, key=Fraction, default=1)


def misses(model: LinearModel, values: Mapping[int, Number], *, exactly: bool = False) -> Iterator[Miss]:
    """Yield what the values miss; see ``Model.misses``."""
    for j, value in values.items():
        column = model.columns[j]
        hair = 0 if column.integer or exactly else TOLERANCE * magnitude(value)
        below = 0 if column.low is None else column.low - value
        above = 0 if column.high is None else value - column.high
        if max(below, above) > hair:
            yield Miss(f"the bounds of {visible(column.name)} are", max(below, above), column.integer)
        if column.integer and value != int(value):
            yield Miss(f"the integrality of {visible(column.name)} is", size(value - round(value)))
    for row, is_integer in zip(model.rows, model.integer_rows, strict=True):
        if row.terms.keys() <= values.keys() and (by := row.miss(values)):  # noqa: SIM102
            if is_integer or exactly or by > slack(model, row, values):
                yield Miss(f"row {visible(row.name)} is", by, is_integer)


def whole_rows(model: LinearModel) -> list[WholeRow]:
    """Return the bounds of all columns and the rows, each multiplied so that all its numbers are whole."""
    sides = [({j: 1}, column.low, column.high) for j, column in enumerate(model.columns)]
    rows = []
    for terms, low, high in [*sides, *((row.terms, row.low, row.high) for row in model.rows)]:
        numbers = [number for number in (*terms.values(), low, high) if number is not None]
        times = lcm(*(number.denominator for number in numbers))
        least, most = (None if end is None else int(times * end) for end in (low, high))
        factors = tuple(int(times * factor) for factor in terms.values())
        rows.append(WholeRow(least, most, tuple(terms), factors))
    return rows


MOST_IN_ARRAYS = 1_000_000
"""The most entries, with zeros, of a matrix for points of whole numbers."""


class WholeArrays(NamedTuple):
    """The bounds and rows of a model of whole numbers, and the greatest value for which no sum overflows."""

    low: Any
    high: Any
    matrix: Any
    greatest: int

    def hold(self, values: Sequence[Number]) -> bool | None:
        """Return whether values of all columns miss nothing; None for what arrays do not take."""
        import numpy as np

        if not set(map(type, values)) <= {int}:
            return None
        if values and not -self.greatest < min(values) <= max(values) < self.greatest:
            return None
        point = np.array(values, dtype=np.int64)
        sums = np.concatenate((point, self.matrix @ point))
        return bool((sums >= self.low).all() and (sums <= self.high).all())


def whole_arrays(model: LinearModel) -> WholeArrays | None:
    """Return the model as arrays of 64 bits, if all is integer and small; None without numpy."""
    n, rows = len(model.columns), model.whole_rows
    if not all(column.integer for column in model.columns) or n * (len(rows) - n) > MOST_IN_ARRAYS:
        return None
    try:
        import numpy as np
    except ImportError:  # the page that proves has none
        return None
    sides = [side for row in rows for side in row[:2] if side is not None]
    reach = max([1, *(sum(map(abs, row.factors)) for row in rows)])
    is_large = max([reach, *map(abs, sides)]) >= NO_SIDE
    if is_large or any(row.factors != (1,) for row in rows[:n]):
        return None
    matrix = np.zeros((len(rows) - n, n), dtype=np.int64)
    for i, row in enumerate(rows[n:]):
        matrix[i, list(row.columns)] = row.factors
    low = np.array([-NO_SIDE if row.low is None else row.low for row in rows], dtype=np.int64)
    high = np.array([NO_SIDE if row.high is None else row.high for row in rows], dtype=np.int64)
    return WholeArrays(low, high, matrix, NO_SIDE // reach)


NO_SIDE = 2**62
"""Stands for no side in arrays."""


def holds(model: LinearModel, values: Mapping[int, Number]) -> bool:
    """Return whether values of all columns miss nothing, exactly: ``misses``, in a twentieth of the time."""
    if (arrays := model.whole_arrays) is not None:
        found: bool | None = arrays.hold([values[j] for j in range(len(values))])
        if found is not None:
            return found
    below = lcm(*{value.denominator for value in values.values()})
    if below > 1:
        if any(values[j].denominator > 1 for j, column in enumerate(model.columns) if column.integer):
            return False
        values = {j: value.numerator * (below // value.denominator) for j, value in values.items()}
    value_of = values.__getitem__
    for low, high, columns, factors in model.whole_rows:
        if len(columns) == 1:  # mostly the bounds of a column
            total = factors[0] * value_of(columns[0])
        else:
            total = sum(map(mul, factors, map(value_of, columns)))
        if (low is not None and total < low * below) or (high is not None and total > high * below):
            return False
    return True


def cost_unit(model: LinearModel) -> Number | None:
    """Return the unit of the objective; see ``Model.cost_unit``."""
    costs = [column.cost for column in model.columns if column.cost]
    if not costs or any(column.cost and not column.integer for column in model.columns):
        return None
    times = lcm(*(cost.denominator for cost in costs))
    return Fraction(gcd(*(int(times * cost) for cost in costs)), times)


def contradiction(model: LinearModel) -> str:
    """Return the first column without a value, or row that no whole numbers satisfy; empty if there is none.

    The sum of a row of integer columns is a multiple of the greatest common divisor of its coefficients,
    in whole numbers, and a row without columns is 0. Such a model has no solution, whatever its other
    columns and rows are.
    """
    for column in model.columns:
        ends = [end for end in (column.low, column.high) if end is not None]
        if len(ends) == 2 and (ends[0] > ends[1] or not (column.values or not column.integer)):
            low, high = map(stated, ends)
            whole = ", which is integer," if ends[0] <= ends[1] else ""
            return f"the bounds {low} <= {visible(column.name)} <= {high}{whole}"
    for row, is_integer in zip(model.rows, model.integer_rows, strict=True):
        times, terms = scaled(row.terms)
        divisor = gcd(*terms.values())
        least, most = (None if end is None else times * end for end in (row.low, row.high))
        if not is_integer or least is None or most is None:
            holds = bool(terms) or ((least is None or least <= 0) and (most is None or most >= 0))
        elif divisor:
            holds = ceil(least / Fraction(divisor)) <= floor(most / Fraction(divisor))
        else:
            holds = least <= 0 <= most
        if not holds:
            return f"row {visible(row.name)}, {_reason(row, divisor)},"
    return ""


def _reason(row: Row, divisor: int) -> str:
    """Return why a row without columns, or one whose sum is a multiple of the divisor, cannot hold."""
    if divisor:
        return "whose left side, in whole numbers, is a multiple of " + str(divisor)
    low = f"{stated(row.low)} <= " if row.low is not None and row.low > 0 else ""
    return f"which says {low}0" if low else f"which says 0 <= {stated(row.high or 0)}"


def scaled(terms: Mapping[int, Number]) -> tuple[int, dict[int, int]]:
    """Return the least factor that makes all coefficients whole, and these, without zeros."""
    times = lcm(*(number.denominator for number in terms.values()))
    return times, {j: int(times * number) for j, number in terms.items() if number}
