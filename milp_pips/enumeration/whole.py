"""A linear model in whole numbers: what the tree computes with, and what its certificate refers to.

Each row is multiplied by the least positive number that makes its coefficients whole, without a common
divisor. If all its columns are integer, its sides are rounded inwards; otherwise it is multiplied again, if
its sides are not whole. A continuous column is measured in a unit in which its bounds are whole numbers;
bounds of integer columns are rounded inwards. The objective is minimised, and its coefficients become whole
numbers without a common divisor. The checker of certificates computes the same from the file, by code of
its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor, gcd, lcm
from typing import TypeAlias

from milp_pips.formulations.exact import Number
from milp_pips.formulations.model import Model
from milp_pips.formulations.rows import Column
from milp_pips.problem.objective import MAXIMISE

End: TypeAlias = int | None
"""A bound in whole numbers; None if there is none."""

Box: TypeAlias = tuple[Sequence[End], Sequence[End]]
"""The lower and the upper bound of each column."""


@dataclass(frozen=True, slots=True)
class WholeRow:
    """A row ``low <= Σ factor · column <= high`` in whole numbers."""

    terms: tuple[tuple[int, int], ...]
    low: End
    high: End


@dataclass(frozen=True)
class WholeModel:
    """A model in whole numbers. ``unit[j]`` units of column ``j`` make one of the model's.

    The objective of the model is ``constant + sign · price · Σ cost · column``, in units of the columns.
    """

    model: Model
    rows: tuple[WholeRow, ...]
    low: tuple[End, ...]
    high: tuple[End, ...]
    unit: tuple[int, ...]
    cost: tuple[int, ...]
    price: Fraction
    sign: int
    integer: tuple[bool, ...] = field(init=False)
    column_terms: tuple[tuple[tuple[int, int], ...], ...] = field(init=False)

    def __post_init__(self) -> None:
        entries: list[list[tuple[int, int]]] = [[] for _ in self.low]
        for i, row in enumerate(self.rows):
            for j, factor in row.terms:
                entries[j].append((i, factor))
        object.__setattr__(self, "integer", tuple(column.integer for column in self.model.columns))
        object.__setattr__(self, "column_terms", tuple(map(tuple, entries)))

    @property
    def has_whole_values(self) -> bool:
        """Whether each point with integral integer columns has a whole number as its sum of costs."""
        return all(self.integer[j] for j, cost in enumerate(self.cost) if cost)

    def value_of(self, cost: Number) -> Number:
        """Return the value of the model's objective at a sum of costs."""
        return self.model.constant + self.sign * self.price * cost

    def cost_at(self, point: Sequence[Number]) -> Number:
        """Return the sum of costs at a point in units of the columns."""
        return sum([cost * point[j] for j, cost in enumerate(self.cost) if cost])

    def holds(self, point: Sequence[Number]) -> bool:
        """Return whether a point in units of the columns obeys all bounds and rows, exactly."""
        below = lcm(*[value.denominator for value in point])
        values = [int(value * below) for value in point] if below > 1 else point
        for j, value in enumerate(values):
            low, high = self.low[j], self.high[j]
            if (low is not None and value < low * below) or (high is not None and value > high * below):
                return False
            if self.integer[j] and value % below:
                return False
        for row in self.rows:
            total = sum([factor * values[j] for j, factor in row.terms])
            if (row.low is not None and total < row.low * below) or (
                row.high is not None and total > row.high * below
            ):
                return False
        return True


def in_whole_numbers(model: Model) -> WholeModel:
    """Return the model in whole numbers."""
    unit = [_unit(column) for column in model.columns]
    bounds = [_bounds(column, units) for column, units in zip(model.columns, unit, strict=True)]
    rows = []
    for row in model.rows:
        factors = {
            j: factor if unit[j] == 1 else Fraction(factor) / unit[j]
            for j, factor in row.terms.items()
            if factor
        }
        all_integer = all(model.columns[j].integer for j in factors)
        if (row_of_ints := _row_of_ints(factors, row.low, row.high, all_integer=all_integer)) is not None:
            rows.append(row_of_ints)
            continue
        times = _times(list(factors.values()))
        low, high = (None if side is None else times * side for side in (row.low, row.high))
        # Whole coefficients times whole values are whole, so a side between two numbers may move inwards.
        if factors and all_integer:
            ends = None if low is None else ceil(low), None if high is None else floor(high)
        else:
            again = lcm(*(side.denominator for side in (low, high) if side is not None))
            times *= again
            ends = None if low is None else int(low * again), None if high is None else int(high * again)
        rows.append(WholeRow(tuple((j, _product(times, factor)) for j, factor in factors.items()), *ends))
    sign = -1 if model.sense == MAXIMISE else 1
    costs = [
        Fraction(sign * column.cost) / units if column.cost else 0
        for column, units in zip(model.columns, unit, strict=True)
    ]
    times = _times([cost for cost in costs if cost])
    low_ends, high_ends = zip(*bounds, strict=True) if bounds else ((), ())
    return WholeModel(
        model,
        tuple(rows),
        low_ends,
        high_ends,
        tuple(unit),
        tuple([int(times * cost) if cost else 0 for cost in costs]),
        1 / times,
        sign,
    )


def _row_of_ints(
    factors: dict[int, Number], low: Number | None, high: Number | None, *, all_integer: bool
) -> WholeRow | None:
    """Return a row whose numbers are whole already, as most are: in a fifth of the time of fractions.

    None if they are not, or have a common divisor that need not divide the sides.
    """
    numbers = [*factors.values(), *(side for side in (low, high) if side is not None)]
    if not factors or not all(type(number) is int for number in numbers):
        return None
    common = gcd(*factors.values())  # type: ignore[arg-type]
    if common == 1:
        return WholeRow(tuple(factors.items()), low, high)  # type: ignore[arg-type]
    if not all_integer:
        return None
    terms = tuple([(j, int(factor) // common) for j, factor in factors.items()])
    ends = None if low is None else -(-int(low) // common), None if high is None else int(high) // common
    return WholeRow(terms, *ends)


def _unit(column: Column) -> int:
    if column.integer:
        return 1
    return lcm(*(end.denominator for end in (column.low, column.high) if end is not None))


def _bounds(column: Column, units: int) -> tuple[End, End]:
    low, high = column.low, column.high
    return (
        None if low is None else ceil(low * units),
        None if high is None else floor(high * units),
    )


def _times(numbers: Sequence[Number]) -> Fraction:
    """Return the least positive number that makes all whole without a common divisor; 1 if there are none."""
    if not numbers:
        return Fraction(1)
    times = lcm(*(number.denominator for number in numbers))
    return Fraction(times, gcd(*(times // number.denominator * number.numerator for number in numbers)))


def _product(times: Fraction, factor: Number) -> int:
    """Return the product, which is whole, in a fifth of the time of fractions."""
    return times.numerator * factor.numerator // (times.denominator * factor.denominator)
