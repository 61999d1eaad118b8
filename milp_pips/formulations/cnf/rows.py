"""The 0-1 rows of a constraint as clauses, for constraints that have no clauses of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor, inf
from typing import Any

from milp_pips.constraints.pair_sum import bound_sum
from milp_pips.problem.constraint import ClauseBuilder, Constraint, Row
from milp_pips.problem.errors import UsageError
from milp_pips.problem.problem import Variable


def encode_rows(constraint: Constraint, builder: ClauseBuilder, variables: Sequence[Variable]) -> None:
    """Add clauses of the rows of a constraint. Raises UsageError for a coefficient that is not an integer."""
    rows = LiteralRows(builder, variables)
    for row in constraint.linear_rows(rows):
        if builder.interrupted():
            return
        for _, coefficient in row.terms:
            if coefficient != int(coefficient):
                name = type(constraint).__name__
                raise UsageError(f"a row of {name} has the coefficient {coefficient}; clauses take integers")
        rows.state(row)


class LiteralRows:
    """What the 0-1 rows of a constraint are written in; ``state`` adds the clauses of a row.

    An item is a value of a variable, or the value 1 of a column, which is a new literal.
    """

    def __init__(self, builder: ClauseBuilder, variables: Sequence[Variable]):
        self._builder, self._variables = builder, variables
        self._items: list[tuple[int, int]] = []  # the place (a variable, or a column below 0) and its value
        self._item_of: dict[int, range] = {}
        self._columns: list[int] = []

    def domain(self, v: int) -> tuple[int, ...]:
        """Return the domain of a variable."""
        return self._builder.domain(v)

    def name(self, v: int) -> str:
        """Return the name of a variable."""
        return self._variables[v].name

    def written(self, value: int, v: int) -> str:  # noqa: ARG002
        """Return a value as a number: clauses have no names."""
        return str(value)

    def pairs_of(self, variables: Iterable[int]) -> list[tuple[int, int, int]]:
        """Return (item, variable, value) for every value of the variables."""
        pairs = []
        for v in variables:
            domain = self.domain(v)
            if v not in self._item_of:
                self._item_of[v] = range(len(self._items), len(self._items) + len(domain))
                self._items += [(v, value) for value in domain]
            pairs += [(item, v, value) for item, value in zip(self._item_of[v], domain, strict=True)]
        return pairs

    def add_column(self, family: str, label: tuple[Any, ...]) -> int:  # noqa: ARG002
        """Add a binary column and return its item."""
        self._columns.append(self._builder.new())
        self._items.append((-len(self._columns), 1))
        return len(self._items) - 1

    def state(self, row: Row) -> None:
        """Add the clauses of a row, whose coefficients are integers."""
        weights: dict[int, dict[int, int]] = {}
        for item, coefficient in row.terms:
            place, value = self._items[item]
            if place not in weights:
                weights[place] = dict.fromkeys(self.domain(place) if place >= 0 else (0, 1), 0)
            weights[place][value] += int(coefficient)
        choices = [
            self._builder.choices([place])[0]
            if place >= 0
            else {0: -self._columns[-place - 1], 1: self._columns[-place - 1]}
            for place in weights
        ]
        low = None if row.low == -inf else ceil(row.low)
        high = None if row.high == inf else floor(row.high)
        bound_sum(self._builder, choices, list(weights.values()), low, high)
