"""The exact linear model: named columns with bounds, linear rows, an objective; all numbers are exact.

Readers of files and adapters of libraries' objects return it. Judging a point and comparing objectives are
functions on it, in whole numbers and fractions. A model whose columns are all integer, with finite bounds and
few values, becomes a ``Problem`` of linear sums: then every engine, decision diagrams and certificates work
on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, gcd, inf, isfinite, lcm
from re import escape, fullmatch
from typing import Any, NamedTuple

from milp_pips.constraints import LinearSum, Relation
from milp_pips.problem import Problem, UsageError, Variable
from milp_pips.problem.errors import meant, visible
from milp_pips.problem.fields import MAX_NUMBER, MAX_SUM
from milp_pips.problem.objective import MINIMISE, Objective, totals

MAX_DOMAIN, MAX_VALUES = 1000, 100_000
"""The most values of a column, and of all columns together, of a model that becomes a ``Problem``."""

LOST_DIGITS = 4
"""By how many digits rounding must shorten a number for it to count as computed."""

TOLERANCE = Fraction(1, 10**6)
"""By how much a row with continuous columns may be missed, relative to its greatest term: engines compute
these in floating point. Rows of integer columns alone hold exactly."""

Number = int | Fraction
"""An exact number; whole ones are ``int`` or ``Fraction``."""

KEY = "assignment"
"""The name of the key that distinguishes solutions: the chosen columns."""


def exact(number: Any) -> Number:
    """Return a number as the decimal that was written: 0.1 is 1/10, not the nearest binary fraction.

    Libraries compute with what was written, and what looks like that is rounded to 15 digits: PuLP turns
    ``x + 0.1 <= 0.3`` into ``x <= 0.19999999999999998``, which is 1/5 here. Whole numbers are not rounded.
    Raises UsageError unless the number is finite.
    """
    if not isinstance(number, float):
        return Fraction(number)
    if not isfinite(number):
        raise UsageError(f"a coefficient is {number}; expected a finite number")
    if number == int(number):
        return int(number)
    written, rounded = repr(float(number)), f"{float(number):.15g}"
    is_computed = len(written) - len(rounded) >= LOST_DIGITS
    return Fraction(rounded if is_computed else written)


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

    def slack(self, values: Mapping[int, Number]) -> Fraction:
        """Return by how much the row may be missed, if it has continuous columns; see ``TOLERANCE``."""
        terms = [magnitude(times * values[j]) for j, times in self.terms.items()]
        return TOLERANCE * max(terms, key=Fraction, default=1)


class Miss(NamedTuple):
    """What values miss, such as ``row need is``, and by how much.

    ``is_certain`` states that integer columns alone miss it: no values of continuous ones can help.
    """

    subject: str
    by: Number
    is_certain: bool = True

    def __str__(self) -> str:
        return f"{self.subject} missed by {stated(self.by)}"


def size(number: Number) -> Number:
    """Return the absolute value; ``abs`` has no type for it."""
    return -number if number < 0 else number


def magnitude(number: Number) -> Number:
    """Return the absolute value, at least 1: tolerances are relative to it."""
    return size(number) if size(number) > 1 else 1


def stated(number: Number) -> int | float:
    """Return a number for people: whole if it is whole, else the nearest float."""
    return int(number) if number == int(number) else float(number)


def limits(of: Column | Row) -> tuple[float, float]:
    """Return the bounds of a column or a row as numbers, infinite where there is none.

    Those of an integer column are whole: HiGHS 1.13 calls models infeasible, and others optimal at a worse
    point, if an integer column has a bound such as 0.5.
    """
    low, high = of.low, of.high
    if isinstance(of, Column) and of.integer:
        whole = None if low is None else Fraction(ceil(low)), None if high is None else Fraction(floor(high))
        if None in whole or whole[0] <= whole[1]:  # type: ignore[operator]
            low, high = whole
    return -inf if low is None else float(low), inf if high is None else float(high)


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

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
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
    def has_objective(self) -> bool:
        """Whether any column has a cost."""
        return any(column.cost for column in self.columns)

    def value(self, values: Mapping[int, Number]) -> Number:
        """Return the exact value of the objective at the values of all columns with a cost."""
        return self.constant + sum([column.cost * values[j] for j, column in self._priced])

    @cached_property
    def _priced(self) -> list[tuple[int, Column]]:
        return [(j, column) for j, column in enumerate(self.columns) if column.cost]

    @cached_property
    def cost_unit(self) -> Number | None:
        """The greatest number of which all values of the objective differ by a multiple.

        None if a continuous column has a cost, or no column has one.
        """
        costs = [column.cost for _, column in self._priced]
        if not costs or any(not column.integer for _, column in self._priced):
            return None
        times = lcm(*(cost.denominator for cost in costs))
        return Fraction(gcd(*(int(times * cost) for cost in costs)), times)

    def misses(self, values: Mapping[int, Number], *, exactly: bool = False) -> Iterator[Miss]:
        """Yield the bounds and rows that the values miss; skip rows with columns that have no value.

        Judged in whole numbers and fractions. What continuous columns are part of may be missed by
        ``TOLERANCE``, unless it has to hold ``exactly``.
        """
        for j, value in values.items():
            column = self.columns[j]
            slack = 0 if column.integer or exactly else TOLERANCE * magnitude(value)
            below = 0 if column.low is None else column.low - value
            above = 0 if column.high is None else value - column.high
            if max(below, above) > slack:
                yield Miss(f"the bounds of {visible(column.name)} are", max(below, above), column.integer)
            if column.integer and value != int(value):
                yield Miss(f"the integrality of {visible(column.name)} is", size(value - round(value)))
        for row, is_integer in zip(self.rows, self._integer_rows, strict=True):
            if row.terms.keys() <= values.keys() and (by := row.miss(values)):  # noqa: SIM102
                if is_integer or exactly or by > row.slack(values):
                    yield Miss(f"row {visible(row.name)} is", by, is_integer)

    @cached_property
    def _integer_rows(self) -> list[bool]:
        """Whether each row has integer columns alone."""
        return [all(self.columns[j].integer for j in row.terms) for row in self.rows]

    def violated(self, values: Mapping[int, Number]) -> str | None:
        """Return the first bound or row that the values miss, and by how much; None if they miss none."""
        return next(map(str, self.misses(values)), None)

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

    @cached_property
    def contradiction(self) -> str:
        """The first column without a value, or row that no whole numbers satisfy; empty if there is none.

        The sum of a row of integer columns is a multiple of the greatest common divisor of its coefficients,
        in whole numbers, and a row without columns is 0. Such a model has no solution, whatever its other
        columns and rows are.
        """
        for column in self.columns:
            ends = [end for end in (column.low, column.high) if end is not None]
            if len(ends) == 2 and (ends[0] > ends[1] or not (column.values or not column.integer)):
                low, high = map(stated, ends)
                whole = ", which is integer," if ends[0] <= ends[1] else ""
                return f"the bounds {low} <= {visible(column.name)} <= {high}{whole}"
        for row, is_integer in zip(self.rows, self._integer_rows, strict=True):
            times, terms = _scaled(row.terms)
            divisor = gcd(*terms.values())
            least, most = (None if end is None else times * end for end in (row.low, row.high))
            if not is_integer or least is None or most is None:
                holds = bool(terms) or ((least is None or least <= 0) and (most is None or most >= 0))
            elif divisor:
                holds = ceil(least / Fraction(divisor)) <= floor(most / Fraction(divisor))
            else:
                holds = least <= 0 <= most
            if not holds:
                return f"row {visible(row.name)}, {self._reason(row, divisor)},"
        return ""

    @staticmethod
    def _reason(row: Row, divisor: int) -> str:
        """Return why a row without columns, or one whose sum is a multiple of the divisor, cannot hold."""
        if divisor:
            return "whose left side, in whole numbers, is a multiple of " + str(divisor)
        low = f"{stated(row.low)} <= " if row.low is not None and row.low > 0 else ""
        return f"which says {low}0" if low else f"which says 0 <= {stated(row.high or 0)}"

    @cached_property
    def reason_against_problem(self) -> str:
        """Why the model cannot become a ``Problem``; empty if it can."""
        if self.contradiction:
            return ""
        total = 0
        for column in self.columns:
            if column.values is None:
                return f"{column.name} {'has no bounds' if column.integer else 'is continuous'}"
            total += len(column.values)
            if len(column.values) > MAX_DOMAIN:
                return f"{column.name} has {len(column.values)} values, over {MAX_DOMAIN}"
        if total > MAX_VALUES:
            return f"the columns have {total} values together, over {MAX_VALUES}"
        for row in self.rows:
            times, terms = _scaled(row.terms)
            ends = [self._reach(j) for j in terms]
            reach = sum(abs(a) * end for a, end in zip(terms.values(), ends, strict=True))
            sides = [int(size(times * side)) for side in (row.low, row.high) if side is not None]
            if max(map(abs, terms.values()), default=0) > MAX_NUMBER or max([reach, *sides]) > MAX_SUM:
                return f"row {row.name} has coefficients that are too great, or too fine"
        try:
            self.objective()
        except ValueError as error:
            return str(error)
        return ""

    def _reach(self, j: int) -> int:
        values = self.columns[j].values
        return max((abs(values[0]), abs(values[-1]))) if values else 0

    def objective(self) -> Objective | None:
        """Return the objective as one of a ``Problem``, in whole units; None if no column has a cost.

        Raises ValueError if its weights are too great.
        """
        costs = {j: column.cost for j, column in enumerate(self.columns) if column.cost}
        if not costs:
            return None
        scale, weights = _scaled({**costs, -1: self.constant})
        constant = weights.pop(-1, 0)
        terms = totals((j, a, w * a) for j, w in weights.items() for a in self.columns[j].values or ())
        return Objective(terms, self.sense, constant, "the objective", scale)

    def to_problem(self, over: Sequence[int] | None = None) -> Problem:
        """Return the model as a ``Problem`` whose key has the chosen columns.

        Raises UsageError if it cannot become one.
        """
        if self.reason_against_problem:
            raise UsageError(f"{self.name} is not a pure integer model: {self.reason_against_problem}")
        chosen = self.chosen(None) if over is None else tuple(over)
        keys = {KEY: chosen}
        if self.contradiction:  # a problem of one false rule: a domain of a problem is not empty
            variables = tuple(Variable(c.name, (0,)) for c in self.columns) or (Variable("0", (0,)),)
            false = LinearSum((0,), Relation.GE, 1, self.contradiction)
            objective = Objective((), self.sense) if self.has_objective else None
            return Problem(variables, (false,), keys, name=self.name, objective=objective)
        variables = tuple(Variable(c.name, tuple(c.values or ())) for c in self.columns)
        rows = tuple(constraint for row in self.rows for constraint in self._sums(row))
        return Problem(variables, rows, keys, name=self.name, objective=self.objective())

    def _sums(self, row: Row) -> Iterable[LinearSum]:
        """Yield a row as sums of whole numbers."""
        times, terms = _scaled(row.terms)
        low = None if row.low is None else ceil(times * row.low)
        high = None if row.high is None else floor(times * row.high)
        if not terms:  # 0 lies between the sides, or the model is a contradiction
            return
        columns, factors = tuple(terms), tuple(terms.values())
        if low is not None and low == high:
            yield LinearSum(columns, Relation.EQ, low, row.name, factors)
            return
        if low is not None:
            yield LinearSum(columns, Relation.GE, low, row.name, factors)
        if high is not None:
            yield LinearSum(columns, Relation.LE, high, row.name, factors)


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


def _scaled(terms: Mapping[int, Number]) -> tuple[int, dict[int, int]]:
    """Return the least factor that makes all coefficients whole, and these, without zeros."""
    times = lcm(*(number.denominator for number in terms.values()))
    return times, {j: int(times * number) for j, number in terms.items() if number}
