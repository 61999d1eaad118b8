"""A linear model while an adapter writes it: numbers of a library go in, and are exact in the model.

A float means its shortest decimal. Where a library has computed a number, what was probably written is taken
instead, see ``exact``, and a note says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from typing import Any

from milp_pips.formulations.exact import Number, exact
from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.lines import note
from milp_pips.formulations.reading.numbers import INFINITE_FROM, MAX_DIGITS
from milp_pips.formulations.rows import Column, Row
from milp_pips.problem import UsageError
from milp_pips.problem.objective import MAXIMISE, MINIMISE

POSITIVE_INFINITY, NEGATIVE_INFINITY = Fraction(INFINITE_FROM), Fraction(-INFINITE_FROM)
"""What stands for numbers that engines take for infinity; compared by identity, which is fast."""

GREATEST_DENOMINATOR = 10 ** (MAX_DIGITS - 1)
"""So that a file can have the number, see ``reading.numbers``."""


def exactly(model: Model) -> Model:
    """Return a model with exact numbers below ``INFINITE_FROM``: the same, if it has them."""
    bounded: list[Column | Row] = [*model.columns, *model.rows]
    sides = (side for each in bounded for side in (each.low, each.high))
    factors = (factor for row in model.rows for factor in row.terms.values())
    costs = (column.cost for column in model.columns)
    if all(
        type(number) in (int, Fraction)
        and -INFINITE_FROM < number < INFINITE_FROM
        and number.denominator <= GREATEST_DENOMINATOR
        for number in chain((side for side in sides if side is not None), factors, costs, (model.constant,))
    ):
        return model
    draft = Draft(model.name)
    shown = set(range(len(model.columns)) if model.shown is None else model.shown)
    for j, column in enumerate(model.columns):
        draft.column(column.name, column.low, column.high, column.integer, shown=j in shown)
    for row in model.rows:
        draft.row(row.name, row.terms.items(), row.low, row.high)
    draft.costs((j, column.cost) for j, column in enumerate(model.columns))
    return draft.model(maximise=model.sense == MAXIMISE, constant=model.constant)


class Draft:
    """A linear model to which columns, rows and costs are added.

    ``choices`` has, by column, the binary columns of a linearisation by the value that they choose.
    """

    def __init__(self, name: str | None) -> None:
        self.name = name or "model"
        self.choices: dict[int, dict[int, int]] = {}
        self._columns: list[tuple[str, Number | None, Number | None, bool]] = []
        self._names = set[str]()
        self._hidden = set[int]()
        self._rows: list[Row] = []
        self._costs: dict[int, Number] = {}
        self._rounded: dict[float, Number] = {}
        self._known: dict[float, Number] = {}  # a large model has few different numbers

    def column(self, name: str | None, low: Any, high: Any, integer: bool, *, shown: bool = True) -> int:
        """Add a column and return its position. Raises UsageError unless it has a name."""
        j = len(self._columns)
        if not name:
            raise UsageError(f"column {j + 1} of {self.name} has no name; expected a name for each column")
        bounds = self._bounds(low, high, f"the column {name}")
        self._columns.append((name, *bounds, integer))
        self._names.add(name)
        if not shown:
            self._hidden.add(j)
        return j

    def auxiliary(self, name: str) -> int:
        """Add a binary column that solutions do not show, with a name that no column has yet."""
        while name in self._names:
            name += "'"
        return self.column(name, 0, 1, True, shown=False)

    def row(
        self, name: str | None, terms: Iterable[tuple[int, Any]], low: Any, high: Any, constant: Any = 0
    ) -> None:
        """Add the row ``low <= Σ factor · column + constant <= high``; factors of one column add up."""
        name = name or f"R{len(self._rows)}"
        of = f"the row {name}"
        added = self._constant(constant, of)
        ends = self._bounds(low, high, of)
        sides = (None if end is None else end - added for end in ends)
        self._rows.append(Row(name, self._sum(terms, of), *sides))

    def costs(self, terms: Iterable[tuple[int, Any]]) -> None:
        """Set the costs of columns; those of one column add up."""
        self._costs = self._sum(terms, "the objective")

    def bounds_of(self, j: int) -> tuple[Number | None, Number | None]:
        """Return the bounds of a column."""
        return self._columns[j][1:3]

    def name_of(self, j: int) -> str:
        """Return the name of a column."""
        return self._columns[j][0]

    def number(self, value: Any, *what: str) -> Number:
        """Return a number, exactly; ``what`` says what it is. Raises UsageError unless it is finite."""
        number = self._number(value, *what)
        if number is POSITIVE_INFINITY or number is NEGATIVE_INFINITY:
            expected = f"expected a number below {INFINITE_FROM:.0e}, which engines take for infinity"
            raise UsageError(f"{self.name}: {' '.join(what)} is {_written(value)}; {expected}")
        return number

    def model(self, *, maximise: bool = False, constant: Any = 0) -> Model:
        """Return the model, and tell the user which numbers were rounded."""
        offset = self._constant(constant, "the objective")
        shown = [j for j in range(len(self._columns)) if j not in self._hidden] if self._hidden else None
        columns = [Column(*each, self._costs.get(j, 0)) for j, each in enumerate(self._columns)]
        sense = MAXIMISE if maximise else MINIMISE
        if self._rounded:
            number, taken = next(iter(self._rounded.items()))
            others = f", and {len(self._rounded) - 1} more" if len(self._rounded) > 1 else ""
            note(f"{number!r} is taken for {float(taken)!r}, as probably written{others}", self.name)
        seen = None if shown is None else tuple(shown)
        return Model(tuple(columns), tuple(self._rows), sense, offset, self.name, seen)

    def _sum(self, terms: Iterable[tuple[int, Any]], of: str) -> dict[int, Number]:
        total: dict[int, Number] = {}
        for j, factor in terms:
            number = self.number(factor, "the coefficient of", self.name_of(j), "in", of)
            total[j] = total[j] + number if j in total else number
        return {int(j): factor for j, factor in total.items() if factor}  # numpy's number of a column, too

    def _constant(self, value: Any, of: str) -> Number:
        return self.number(value, "a constant in", of)

    def _bounds(self, low: Any, high: Any, of: str) -> tuple[Number | None, Number | None]:
        """Return two bounds; None for none, which libraries write as infinity or as 1e20 and more."""
        found: list[Number | None] = []
        for value, side, sign in ((low, "lower", -1), (high, "upper", 1)):
            what = f"the {side} bound of {of}"
            number = None if value is None else self._number(value, what)
            if number is POSITIVE_INFINITY or number is NEGATIVE_INFINITY:
                if sign * number < 0:
                    raise UsageError(f"{self.name}: {what} is {_written(value)}, which no value keeps")
                number = None
            found.append(number)
        return found[0], found[1]

    def _number(self, value: Any, *what: str) -> Number:
        """Return a number, exactly; ``INFINITE_FROM`` with its sign if it is as great."""
        is_plain = isinstance(value, float | int)
        if is_plain and (known := self._known.get(value)) is not None:
            return known
        expected = "a number"
        try:
            plain = value if is_plain else _plain(value)
            if plain != plain:
                raise ValueError
            if not -INFINITE_FROM < plain < INFINITE_FROM:
                return POSITIVE_INFINITY if plain > 0 else NEGATIVE_INFINITY
            expected = f"a number of fewer than {MAX_DIGITS} decimals"
            if isinstance(plain, Decimal) and plain and plain.adjusted() < -MAX_DIGITS:
                raise ValueError  # before its denominator takes the memory
            if (number := exact(plain)).denominator > GREATEST_DENOMINATOR:
                raise ValueError
        except (ArithmeticError, TypeError, ValueError):
            raise UsageError(
                f"{self.name}: {' '.join(what)} is {_written(value)}; expected {expected}"
            ) from None
        if isinstance(plain, float) and float(number) != plain:
            self._rounded[float(plain)] = number
        if is_plain:
            self._known[value] = number
        return number


def _plain(value: Any) -> Any:
    """Return a number of numpy as one of Python: the shortest decimal of ``float32`` is that of 32 bits."""
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        import numpy as np

        value = value[()]  # of an array without dimensions, its number
        return float(np.format_float_scientific(value)) if value.dtype.kind == "f" else value.item()
    return value


def _written(value: Any) -> str:
    """Return a number for a message; Python does not print whole numbers of more than 4,300 digits."""
    if isinstance(value, int | Fraction):
        return f"{Decimal(value.numerator) / value.denominator:.0e}"
    return str(value)
