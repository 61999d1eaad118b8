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
from re import escape, fullmatch
from typing import TYPE_CHECKING, Any

from milp_pips.formulations.rows import Arrays, Column, Row, WholeRow
from milp_pips.problem.answer import MINIMISE, ShownAsText
from milp_pips.problem.errors import UsageError, meant, visible

if TYPE_CHECKING:
    from highspy import Highs
    from pulp import LpProblem
    from pyomo.environ import ConcreteModel

    from milp_pips.formulations.exact import Number
    from milp_pips.formulations.judging import Miss, WholeArrays
    from milp_pips.problem.problem import Problem


@dataclass(frozen=True)
class Model(ShownAsText):
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

    @property
    def formulation(self) -> str | None:
        """The formulation of a problem that it is; None for other models."""
        return None

    def family_comments(self) -> dict[str, str]:
        """Return the comments before some rows of a file, by the name of the row: here none."""
        return {}

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
        from milp_pips.formulations.judging import holds

        if len(values) == len(self.columns) and holds(self, values):
            return None
        return next(map(str, self.misses(values)), None)

    @cached_property
    def whole_rows(self) -> list[WholeRow]:
        """The bounds of the columns and the rows in whole numbers."""
        from milp_pips.formulations.judging import whole_rows

        return whole_rows(self)

    @cached_property
    def whole_arrays(self) -> WholeArrays | None:
        """The same as arrays, for points of whole numbers, if all columns are integer; else None."""
        from milp_pips.formulations.judging import whole_arrays

        return whole_arrays(self)

    @cached_property
    def ranges(self) -> list[range | None]:
        """The values of each column, see ``Column.values``."""
        return [column.values for column in self.columns]

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
            For a name that no column has, or a column that is not integer or lacks a bound.
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
                    f"{column.name} has {column.missing_bounds}: "
                    "there may be no end of its values; choose others by over"
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
