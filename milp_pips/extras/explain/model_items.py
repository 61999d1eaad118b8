"""A linear model as a set of items that can be doubted: its rows, bounds of columns, and integrality.

A row is one item, also if it has two sides, since it was written as one. A fixed column has one item, another
column one for each of its bounds. Columns that no row has are left out unless they have no value themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, gcd, lcm
from typing import NamedTuple

from milp_pips.formulations.exact import Number
from milp_pips.formulations.model import Model
from milp_pips.formulations.rows import Column, Row, WholeRow

KINDS_OF_BOUNDS = ("fixed", "high", "low")
"""The kinds of items that are bounds of columns."""


class ModelItem(NamedTuple):
    """An item: its kind (``row``, ``low``, ``high``, ``fixed``, ``integer``), and the row or column."""

    kind: str
    number: int


Values = Mapping[int, Number]
"""The exact value of each column."""


class ReducedRow(NamedTuple):
    """A row times a number: whole coefficients without a common divisor, the first positive.

    The columns that are fixed are put in as numbers.
    """

    terms: tuple[tuple[int, int], ...]
    times: Fraction
    low: Fraction | None
    high: Fraction | None


class Part(NamedTuple):
    """The model of some items, without other columns; ``columns`` are the positions that these had."""

    model: Model
    columns: list[int]
    rows: list[int]


@dataclass(frozen=True)
class ModelItems:
    """The items of a model."""

    model: Model

    @cached_property
    def items(self) -> list[ModelItem]:
        """All items, first the rows."""
        used = {j for row in self.model.rows for j in row.terms}
        items = [
            ModelItem("row", i)
            for i, row in enumerate(self.model.rows)
            if row.low is not None or row.high is not None
        ]
        for j, column in enumerate(self.model.columns):
            low, high = column.low, column.high
            if j in used or not has_value(column):
                if low is not None and low == high:
                    items.append(ModelItem("fixed", j))
                else:
                    items += [ModelItem("low", j)] if low is not None else []
                    items += [ModelItem("high", j)] if high is not None else []
                items += [ModelItem("integer", j)] if column.integer else []
        return items

    @cached_property
    def number_of(self) -> dict[ModelItem, int]:
        """The position of each item."""
        return {item: i for i, item in enumerate(self.items)}

    @cached_property
    def of_column(self) -> dict[int, list[int]]:
        """The positions of all items in which each column occurs."""
        found: dict[int, list[int]] = {j: [] for j in range(len(self.model.columns))}
        for i in range(len(self.items)):
            for j in self.whole[i].columns:
                found[j].append(i)
        return found

    @cached_property
    def whole(self) -> list[WholeRow]:
        """Each item as a row in whole numbers; without sides for integrality."""
        rows, first = self.model.whole_rows, len(self.model.columns)
        found = []
        for kind, number in self.items:
            row = rows[first + number if kind == "row" else number]
            low = row.low if kind in ("row", "low", "fixed") else None
            found.append(row._replace(low=low, high=row.high if kind in ("row", "high", "fixed") else None))
        return found

    @cached_property
    def reduced_rows(self) -> list[ReducedRow | None]:
        """Each row of integer columns without a common divisor; None for others, and without terms."""
        found = list[ReducedRow | None]()
        for i in range(len(self.model.rows)):
            row = self.row_without_fixed(i)
            is_integer = all(self.model.columns[j].integer for j in row.terms)
            found.append(reduced(row) if row.terms and is_integer else None)
        return found

    def row_without_fixed(self, i: int) -> Row:
        """Return a row with the values of fixed columns on its sides, and without zeros."""
        row, terms, by = self.model.rows[i], dict[int, Number](), Fraction(0)
        for j, a in row.terms.items():
            column = self.model.columns[j]
            if column.low is not None and column.low == column.high:
                by += a * column.low
            elif a:
                terms[j] = a
        low, high = (None if side is None else side - by for side in (row.low, row.high))
        return Row(row.name, terms, low, high)

    def needed(self, i: int, values: Values) -> Number:
        """Return by how much the sum of an item has to grow for it to hold; 0 if it holds."""
        if self.items[i].kind == "integer":
            value = values[self.items[i].number]
            return 0 if value.denominator == 1 else ceil(value) - value
        low, high, columns, factors = self.whole[i]
        total = sum([a * values[j] for j, a in zip(columns, factors, strict=True)])
        if low is not None and total < low:
            return low - total
        return high - total if high is not None and total > high else 0

    def broken(self, values: Values, among: Iterable[int]) -> set[int]:
        """Return those of the items that do not hold at a point."""
        below = lcm(*[value.denominator for value in values.values()])
        if below > 1:  # whole numbers are quicker than fractions
            values = {j: value.numerator * (below // value.denominator) for j, value in values.items()}
        found, items, whole = set[int](), self.items, self.whole
        for i in among:
            low, high, columns, factors = whole[i]
            if items[i].kind == "integer":
                is_broken = values[items[i].number] % below != 0
            else:
                total = sum([a * values[j] for j, a in zip(columns, factors, strict=True)])
                is_broken = (low is not None and total < low * below) or (
                    high is not None and total > high * below
                )
            if is_broken:
                found.add(i)
        return found

    def part(self, items: Iterable[int]) -> Part:
        """Return the model of some items, without objective and without other columns."""
        columns: dict[int, Column] = {}
        chosen = [self.items[i] for i in items]
        rows = [number for kind, number in chosen if kind == "row"]
        for i in rows:
            columns.update({j: Column("", None) for j in self.model.rows[i].terms if j not in columns})
        for kind, j in chosen:
            if kind == "row":
                continue
            stated, found = self.model.columns[j], columns.get(j, Column("", None))
            if kind == "integer":
                columns[j] = replace(found, integer=True)
            else:
                low = stated.low if kind in ("low", "fixed") else found.low
                high = stated.high if kind in ("high", "fixed") else found.high
                columns[j] = replace(found, low=low, high=high)
        order = sorted(columns)
        place = {j: k for k, j in enumerate(order)}
        named = tuple([replace(columns[j], name=self.model.columns[j].name) for j in order])
        parts = [self.model.rows[i] for i in rows]
        stated_rows = [
            Row(row.name, {place[j]: a for j, a in row.terms.items()}, row.low, row.high) for row in parts
        ]
        return Part(Model(named, tuple(stated_rows), name=self.model.name), order, rows)

    def completed(self, values: Values) -> dict[int, Number]:
        """Return values of all columns: those of the others are as near to 0 as their bounds allow."""
        found = dict(values)
        for j, column in enumerate(self.model.columns):
            if j not in found:
                value: Number = 0
                if column.low is not None and column.low > 0:
                    value = ceil(column.low) if column.integer else column.low
                elif column.high is not None and column.high < 0:
                    value = floor(column.high) if column.integer else column.high
                found[j] = value
        return found


def reduced(row: Row) -> ReducedRow:
    """Return a row with terms, none of them 0, without common divisor."""
    terms = dict(sorted(row.terms.items()))
    times = Fraction(lcm(*(a.denominator for a in terms.values())))
    times /= gcd(*(int(times * a) for a in terms.values()))
    if next(iter(terms.values())) < 0:
        times = -times
    low, high = (None if side is None else Fraction(times * side) for side in (row.low, row.high))
    ends = (low, high) if times > 0 else (high, low)
    return ReducedRow(tuple([(j, int(times * a)) for j, a in terms.items()]), times, *ends)


def has_value(column: Column) -> bool:
    """Return whether the bounds of a column, and its integrality, leave a value."""
    if column.low is None or column.high is None:
        return True
    return bool(column.values) if column.integer else column.low <= column.high
