"""The linear model: named columns with bounds, linear rows, an objective; all numbers are exact.

Formulations make it of a problem, readers of a file, adapters of a library's object; engines load its arrays.
``judging`` judges points of it, ``as_problem`` states it as a problem, ``writing`` converts it to libraries
and files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil, floor, inf
from re import escape, fullmatch
from typing import TYPE_CHECKING, Any, TypeAlias

from milp_pips.problem.errors import UsageError, meant, visible
from milp_pips.problem.objective import MINIMISE

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from highspy import Highs
    from pulp import LpProblem
    from pyomo.environ import ConcreteModel

    from milp_pips.formulations.exact import Number
    from milp_pips.formulations.judging import Miss
    from milp_pips.problem import Problem

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


@dataclass(frozen=True)
class Model:
    """A linear model with integer and continuous columns.

    Parameters
    ----------
    columns, rows
        The columns and the rows; the names of columns are unique.
    sense, constant
        Of the objective, whose other terms are the costs of the columns.
    name
        The name of the model.
    shown
        The positions of the columns that solutions show; None for all. The others are auxiliary: a
        linearisation has made them, or the file says that solutions do not differ by them.

    Raises
    ------
    UsageError
        If two columns have the same name.
    """

    columns: Sequence[Column]
    rows: Sequence[Row]
    sense: str = MINIMISE
    constant: Number = 0
    name: str = "model"
    shown: tuple[int, ...] | None = None
    _places: dict[str, int] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.columns) > len(names := Counter(column.name for column in self.columns)):
            twice = next(name for name, count in names.items() if count > 1)
            raise UsageError(f"{self.name} has two columns with the name {visible(twice)!r}")
        self._places.update({column.name: j for j, column in enumerate(self.columns)})

    def __str__(self) -> str:
        integer = sum(column.integer for column in self.columns)
        continuous = len(self.columns) - integer
        return f"{self.name}: {integer} integer and {continuous} continuous columns, {len(self.rows)} rows"

    @property
    def size(self) -> dict[str, int]:
        """The numbers of ``columns``, ``rows`` and ``nonzeros`` of the model."""
        nonzeros = sum(len(row.terms) for row in self.rows)
        return {"columns": len(self.columns), "rows": len(self.rows), "nonzeros": nonzeros}

    @property
    def objective_name(self) -> str:
        """The name of the objective in files."""
        return "objective"

    def column_labels(self) -> dict[str, dict[Any, int]]:
        """Return the number of each column by its label, by the name of its family: here by its name."""
        return {"x": {column.name: j for j, column in enumerate(self.columns)}}

    def row_labels(self) -> dict[str, dict[Any, int]]:
        """Return the number of each row by its label, by the name of its family: here by its number."""
        return {"rows": {i: i for i in range(len(self.rows))}}

    def column_names(self) -> list[str]:
        """Return the name of each column."""
        return [column.name for column in self.columns]

    def row_names(self) -> list[str]:
        """Return the name of each row."""
        return [row.name for row in self.rows]

    @cached_property
    def for_engines(self) -> tuple[Model, Number]:
        """The model for engines, scaled and without the constant, and the factor of its objective.

        Raises UsageError for numbers that they cannot represent.
        """
        from milp_pips.formulations.scaling import scaled_for_engines

        return scaled_for_engines(self)

    @cached_property
    def arrays(self) -> Arrays:
        """What engines load, see ``for_engines``."""
        return self.for_engines[0].unscaled

    @property
    def unscaled(self) -> Arrays:
        """The numbers of the model in floating point, as they are."""
        from milp_pips.formulations.scaling import unscaled

        return unscaled(self)

    @property
    def has_objective(self) -> bool:
        """Whether any column has a cost."""
        return any(column.cost for column in self.columns)

    def value(self, values: Mapping[int, Number]) -> Number:
        """Return the exact value of the objective at the values of all columns with a cost."""
        return self.constant + sum([cost * values[j] for j, cost in self._costs])

    @cached_property
    def _costs(self) -> list[tuple[int, Number]]:
        return [(j, column.cost) for j, column in enumerate(self.columns) if column.cost]

    @cached_property
    def cost_unit(self) -> Number | None:
        """The greatest number of which all values of the objective differ by a multiple.

        None if a continuous column has a cost, or no column has one.
        """
        from milp_pips.formulations.judging import cost_unit

        return cost_unit(self)

    def misses(self, values: Mapping[int, Number], *, exactly: bool = False) -> Iterator[Miss]:
        """Yield the bounds and rows that the values miss; skip rows with columns that have no value.

        Judged in whole numbers and fractions. What continuous columns are part of may be missed by
        ``TOLERANCE``, unless it has to hold ``exactly``.
        """
        from milp_pips.formulations.judging import misses

        return misses(self, values, exactly=exactly)

    def violated(self, values: Mapping[int, Number]) -> str | None:
        """Return the first bound or row that the values miss, and by how much; None if they miss none."""
        return next(map(str, self.misses(values)), None)

    @cached_property
    def integer_rows(self) -> list[bool]:
        """Whether each row has integer columns alone."""
        return [all(self.columns[j].integer for j in row.terms) for row in self.rows]

    @cached_property
    def contradiction(self) -> str:
        """The first column without a value, or row that no whole numbers satisfy; empty if there is none."""
        from milp_pips.formulations.judging import contradiction

        return contradiction(self)

    @cached_property
    def reason_against_problem(self) -> str:
        """Why the model cannot become a ``Problem``; empty if it can."""
        from milp_pips.formulations.as_problem import reason_against_problem

        return reason_against_problem(self)

    def to_problem(self, over: Sequence[int] | None = None) -> Problem:
        """Return the model as a ``Problem`` whose key has the chosen columns.

        Raises UsageError if it cannot become one.
        """
        from milp_pips.formulations.as_problem import to_problem

        return to_problem(self, over)

    def to_highspy(self) -> Highs:
        """Return a silent ``highspy.Highs`` with the model. Raises UsageError if HiGHS rejects it."""
        from milp_pips.formulations.writing import to_highspy

        return to_highspy(self)

    def to_pulp(self) -> LpProblem:
        """Return the model as a ``pulp.LpProblem``; see ``milp_pips.formulations.writing``."""
        from milp_pips.formulations.writing import to_pulp

        return to_pulp(self)

    def to_pyomo(self) -> ConcreteModel:
        """Return the model as a ``pyomo.environ.ConcreteModel``; see ``milp_pips.formulations.writing``."""
        from milp_pips.formulations.writing import to_pyomo

        return to_pyomo(self)

    def to_lp(self) -> str:
        """Return the model in CPLEX LP format; see ``milp_pips.formulations.writing_files``."""
        from milp_pips.formulations.writing_files import to_lp

        return to_lp(self)

    def to_mps(self) -> str:
        """Return the model in free MPS format; see ``milp_pips.formulations.writing_files``."""
        from milp_pips.formulations.writing_files import to_mps

        return to_mps(self)

    def chosen(self, over: str | Iterable[Any] | None) -> tuple[int, ...]:
        """Return the positions of the columns that are named, in the order of the model.

        Parameters
        ----------
        over
            Names of columns, also with ``*`` and ``?`` for any characters and any character, or variables of
            PuLP or Pyomo, also indexed ones and dictionaries of them. None for all integer columns.

        Raises
        ------
        UsageError
            For a name that no column has, or a column that is not integer or has no bounds.
        """
        if over is None:
            places = range(len(self.columns)) if self.shown is None else self.shown
            return self._checked(tuple(j for j in places if self.columns[j].integer))
        found = set[int]()
        for one in _flat(over):
            name = one if isinstance(one, str) else str(getattr(one, "name", one))
            matching = self._matching(name)
            if not matching:
                raise UsageError(f"{self.name} has no column {visible(name)!r}{meant(name, self._places)}")
            found |= matching
        return self._checked(tuple(sorted(found)))

    def _matching(self, name: str) -> set[int]:
        if name in self._places:
            return {self._places[name]}
        if not {"*", "?"} & set(name):
            return set()
        pattern = escape(name).replace(r"\*", ".*").replace(r"\?", ".")
        return {j for known, j in self._places.items() if fullmatch(pattern, known)}

    def _checked(self, chosen: tuple[int, ...]) -> tuple[int, ...]:
        for column in map(self.columns.__getitem__, chosen):
            if not column.integer:
                raise UsageError(f"{column.name} is continuous: solutions are listed by integer columns")
            if column.values is None:
                raise UsageError(
                    f"{column.name} has no bounds: there may be no end of its values; choose others by over"
                )
        return chosen


def _flat(over: Any) -> Iterator[Any]:
    """Yield the names and variables in collections of them, and in dictionaries and indexed variables."""
    if hasattr(over, "values") and hasattr(over, "keys"):
        over = list(over.values())
        if len(over) == 1 and hasattr(over[0], "values"):  # Pyomo: a variable without index holds itself
            yield over[0]
            return
    if isinstance(over, Iterable) and not isinstance(over, str) and not hasattr(over, "name"):
        for one in over:
            yield from _flat(one)
    else:
        yield over
