"""Columns, rows and arrays of linear models, and what the functions on a model need of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, inf
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from milp_pips.problem.answer import MAXIMISE
from milp_pips.problem.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from highspy import Highs

    from milp_pips.formulations.exact import Number

Ints: TypeAlias = "npt.NDArray[np.int64]"
Floats: TypeAlias = "npt.NDArray[np.float64]"

GREAT_COEFFICIENT = 1000
"""The coefficient from which on tolerances of integer models are tighter. A column that is 1 but for 1e-6,
the usual one, may miss a row by 1 if its coefficient is a million."""

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
    def missing_bounds(self) -> str:
        """What it lacks, in words: bounds, a lower or an upper one; empty if it has both."""
        if self.low is None:
            return "no bounds" if self.high is None else "no lower bound"
        return "no upper bound" if self.high is None else ""

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

    def to_highspy(self, sense: str) -> Highs:
        """Return a new, silent HiGHS with these numbers. Raises UsageError if HiGHS rejects them."""
        import highspy
        import numpy as np

        highs = highspy.Highs()
        highs.setOptionValue("output_flag", False)
        # The least value possible: by default HiGHS drops coefficients up to 1e-9.
        highs.setOptionValue("small_matrix_value", 1e-12)
        if self.integer.all() and len(self.value) and abs(self.value).max() > GREAT_COEFFICIENT:
            for kind in ("mip", "primal"):
                highs.setOptionValue(f"{kind}_feasibility_tolerance", 1e-9)
        if self.costs is not None:
            for gap in ("mip_rel_gap", "mip_abs_gap"):  # else "optimal" means within 0.01 %
                highs.setOptionValue(gap, 0.0)
        columns, rows = len(self.lower), len(self.row_lower)
        senses = highspy.ObjSense
        status = highs.passModel(
            columns,
            rows,
            len(self.index),
            int(highspy.MatrixFormat.kRowwise),
            int(senses.kMaximize if sense == MAXIMISE else senses.kMinimize),
            0.0,
            np.zeros(columns) if self.costs is None else self.costs,
            self.lower,
            self.upper,
            self.row_lower,
            self.row_upper,
            self.start.astype(np.int32),
            self.index.astype(np.int32),
            self.value,
            self.integer.astype(np.int32),
        )
        if status == highspy.HighsStatus.kError:
            raise UsageError("HiGHS does not take the model")
        return highs


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
    def whole_arrays(self) -> Any: ...

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
