"""The dual of the linear relaxation of a model, stated as a model again.

The rules are those of any textbook, such as Chvátal, *Linear Programming* (1983), chapter 5: the dual of a
minimisation has a column for each row, at least 0 for ``>=``, at most 0 for ``<=``, free for ``=``; and a row
for each column, ``<=`` its cost if the column is at least 0, and ``=`` if it is free. For a maximisation all
of these signs are turned.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from milp_pips.formulations.model import Model
from milp_pips.formulations.rows import Column, Row
from milp_pips.problem.answer import MAXIMISE, MINIMISE

if TYPE_CHECKING:
    from milp_pips.formulations.exact import Number


def dual_of(model: Model) -> Model:
    """Return the dual of the linear relaxation: its optimum is the optimum of the relaxation.

    Columns have the names of the rows, and rows the names of the columns. A row with two different bounds has
    two columns, ``NAME_low`` and ``NAME_high``. A bound of a column other than ``>= 0`` counts as a row,
    ``NAME_at_least`` or ``NAME_at_most``, unless a row of the model implies it, as ``x + y = 1`` implies
    ``x <= 1``.

    Raises
    ------
    UsageError
        If two columns of the dual would have the same name.
    """
    turned = -1 if model.sense == MAXIMISE else 1
    columns = list[Column]()
    terms: list[dict[int, Number]] = [{} for _ in model.columns]
    for row in [*model.rows, *_bounds_as_rows(model)]:
        for name, side, sign in _sides(row):
            for j, times in row.terms.items():
                terms[j][len(columns)] = times
            at_least, at_most = (0 if sign == turned else None), (0 if sign == -turned else None)
            columns.append(Column(name, at_least, at_most, cost=side))
    rows = []
    for column, found in zip(model.columns, terms, strict=True):
        is_free = column.low != 0
        low = column.cost if is_free or turned < 0 else None
        high = column.cost if is_free or turned > 0 else None
        rows.append(Row(column.name, found, low, high))
    sense = MINIMISE if model.sense == MAXIMISE else MAXIMISE
    return Model(columns, rows, sense, model.constant, f"{model.name}_dual")


def _sides(row: Row) -> Iterator[tuple[str, Number, int]]:
    """Yield each side of a row: name, bound, and sign, 1 for ``>=``, -1 for ``<=``, 0 for ``=``."""
    if row.low is not None and row.low == row.high:
        yield row.name, row.low, 0
        return
    both = row.low is not None and row.high is not None
    if row.low is not None:
        yield f"{row.name}_low" if both else row.name, row.low, 1
    if row.high is not None:
        yield f"{row.name}_high" if both else row.name, row.high, -1


def _bounds_as_rows(model: Model) -> Iterator[Row]:
    """Yield the bounds of columns as rows, but for ``>= 0`` and for those that a row of the model implies."""
    implied = set[int]()
    for row in model.rows:
        if row.high is not None and all(
            times > 0 and model.columns[j].low == 0 for j, times in row.terms.items()
        ):
            implied |= {
                j
                for j, times in row.terms.items()
                if (high := model.columns[j].high) is not None and row.high <= high * times
            }
    for j, column in enumerate(model.columns):
        if column.low not in (0, None):
            yield Row(f"{column.name}_at_least", {j: 1}, column.low, None)
        if column.high is not None and j not in implied:
            yield Row(f"{column.name}_at_most", {j: 1}, None, column.high)
