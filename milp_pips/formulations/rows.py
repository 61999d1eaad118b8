"""Columns, rows and arrays of linear models, and what the functions on a model need of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, inf
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from milp_pips.formulations.exact import Number

Ints: TypeAlias = "npt.NDArray[np.int64]"
Floats: TypeAlias = "npt.NDArray[np.float64]"

KEY = "assignment"
"""The name of the key that distinguishes solutions: the chosen columns."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its bounds (None for none), whether it is integer, and its cost."""

    name: str
    low: Number | None = 0
    high: Number | None = None
    integer: bool = False
    cost: Number = 0

    @property
    def values(self) -> range | None:
        """The values of an integer column with finite bounds; None for any other."""
        if not self.integer or self.low is None or self.high is None:
            return None
        return range(ceil(self.low), floor(self.high) + 1)

    @property
    def is_binary(self) -> bool:
        """Whether it is integer, from 0 to 1."""
        return self.integer and self.low == 0 and self.high == 1


@dataclass(frozen=True, slots=True)
class Row:
    """A row ``low <= Σ coefficient · column <= high``; a bound is None if there is none.

    ``terms`` has the coefficients by the position of the column.
    """

    name: str
    terms: Mapping[int, Number]
    low: Number | None = None
    high: Number | None = None

    def miss(self, values: Mapping[int, Number]) -> Number:
        """Return by how much the values, which has those of all its columns, miss the row; 0 if it holds."""
        total = sum([times * values[j] for j, times in self.terms.items()])
        if self.low is not None and total < self.low:
            return self.low - total
        return total - self.high if self.high is not None and total > self.high else 0


class WholeRow(NamedTuple):
    """A row, or the bounds of a column, in whole numbers; a side is None if there is none."""

    low: int | None
    high: int | None
    columns: tuple[int, ...]
    factors: tuple[int, ...]


def limits(of: Column | Row) -> tuple[float, float]:
    """Return the bounds of a column or a row as numbers, infinite where there is none.

    Those of an integer column are whole: HiGHS 1.13 calls models infeasible, and others optimal at a worse
    point, if an integer column has a bound such as 0.5.
    """
    low, high = of.low, of.high
    if isinstance(of, Column) and of.integer:
        whole = None if low is None else ceil(low), None if high is None else floor(high)
        if whole[0] is None or whole[1] is None or whole[0] <= whole[1]:
            low, high = whole
    return -inf if low is None else float(low), inf if high is None else float(high)


@dataclass(frozen=True, slots=True, eq=False)
class Arrays:
    """What engines load of a model: numbers in floating point, its rows and its objective scaled.

    Parameters
    ----------
    lower, upper, integer
        Bounds of the columns, infinite for none, and whether they are integer, shape (columns,).
    costs
        The cost of each column, shape (columns,), in the sense of the model; None if no column has a cost.
    row_lower, row_upper
        Bounds of the rows, shape (rows,); infinite for no bound.
    start, index, value
        The coefficients by rows (CSR): shapes (rows + 1,), (nonzeros,), (nonzeros,).
    """

    lower: Floats
    upper: Floats
    integer: npt.NDArray[np.bool_]
    costs: Floats | None
    row_lower: Floats
    row_upper: Floats
    start: Ints
    index: Ints
    value: Floats

    def row(self, i: int) -> tuple[Ints, Floats]:
        """Return the columns and coefficients of row ``i``."""
        part = slice(int(self.start[i]), int(self.start[i + 1]))
        return self.index[part], self.value[part]


class LinearModel(Protocol):
    """What judging, scaling, stating and writing need of a ``Model``."""

    @property
    def columns(self) -> Sequence[Column]: ...

    @property
    def rows(self) -> Sequence[Row]: ...

    @property
    def sense(self) -> str: ...

    @property
    def constant(self) -> Number: ...

    @property
    def name(self) -> str: ...

    @property
    def has_objective(self) -> bool: ...

    @property
    def integer_rows(self) -> Sequence[bool]: ...

    @property
    def whole_rows(self) -> Sequence[WholeRow]: ...

    @property
    def contradiction(self) -> str: ...

    @property
    def reason_against_problem(self) -> str: ...

    @property
    def unscaled(self) -> Arrays: ...

    @property
    def objective_name(self) -> str: ...

    @property
    def formulation(self) -> str | None: ...

    def family_comments(self) -> Mapping[str, str]: ...

    def chosen(self, over: Any) -> tuple[int, ...]: ...

    def column_labels(self) -> Mapping[str, Mapping[Any, int]]: ...

    def row_labels(self) -> Mapping[str, Mapping[Any, int]]: ...

    def column_names(self) -> list[str]: ...

    def row_names(self) -> list[str]: ...
