"""Bridges: they rewrite the constraints that an engine does not take to constraints that it takes.

An engine declares the classes that it takes. A constraint of another class is replaced by equivalent
constraints: those of its bridge in ``BRIDGES``, or else sums over pairs, ``PairSum``, made of its linear
rows, which every engine takes. Columns of the rows become auxiliary variables behind those of the problem.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from milp_pips.constraints.less import Less
from milp_pips.constraints.linear_sum import LinearSum, Relation
from milp_pips.constraints.pair_sum import PairSum
from milp_pips.problem.constraint import Constraint, Row
from milp_pips.problem.errors import UsageError
from milp_pips.problem.problem import Problem, Variable

T = TypeVar("T")


def less_as_sum(less: Less) -> LinearSum:
    """``x - y <= -gap``."""
    return LinearSum(less.variables, Relation.LE, -less.gap, less.label, (1, -1))


BRIDGES: Mapping[type[Constraint], Callable[[Any], Constraint]] = {Less: less_as_sum}
"""The constraint to which a bridge rewrites one of a class, if the rows of the class would state it worse."""


def is_native(kind: type[Constraint], native: Collection[type[Constraint]]) -> bool:
    """Return whether a class is one of the native ones or inherits from one."""
    return any(base in native for base in kind.__mro__)


def entry_of(table: Mapping[type[Constraint], T], constraint: Constraint) -> T:
    """Return the entry of the constraint's class, or of the nearest class that it inherits from."""
    return next(table[base] for base in type(constraint).__mro__ if base in table)


def bridge(problem: Problem, native: Collection[type[Constraint]]) -> Problem:
    """Return an equivalent problem whose constraints are of the ``native`` classes or inherit from them.

    ``PairSum`` is always native. A point of the new problem begins with a point of the given one, see
    ``point_of``; the given problem is returned if all its constraints are native.
    Raises UsageError for a constraint whose rows have fractional coefficients.
    """
    native = {*native, PairSum}
    if all(is_native(kind, native) for kind in set(map(type, problem.constraints))):
        return problem
    rows = PairRows(problem.variables)

    def rewritten(constraint: Constraint) -> Iterator[Constraint]:
        if is_native(type(constraint), native):
            yield constraint
        elif is_native(type(constraint), BRIDGES):
            yield from rewritten(entry_of(BRIDGES, constraint)(constraint))
        else:
            yield from rows.sums_of(constraint)

    constraints = tuple([found for constraint in problem.constraints for found in rewritten(constraint)])
    variables = (*problem.variables, *rows.auxiliary)
    return replace(
        problem,
        variables=variables,
        constraints=constraints,
        auxiliary=(*problem.auxiliary, *range(len(problem.variables), len(variables))),
        determined=problem.determined or not problem.auxiliary,
    )


def point_of(problem: Problem, point: Sequence[int]) -> tuple[int, ...]:
    """Return the point of the problem that a point of the bridged problem contains."""
    return tuple(point[: len(problem.variables)])


class PairRows:
    """A ``RowBuilder`` whose rows become sums over pairs; the item of a pair is its number.

    A column is the pair (variable = 1) of one of the ``auxiliary`` variables, whose domains are (0, 1).
    """

    def __init__(self, variables: Sequence[Variable]):
        self._variables = variables
        self._pairs: list[tuple[int, int]] = []
        self._items: dict[tuple[int, int], int] = {}
        self.auxiliary: list[Variable] = []
        self._names = {variable.name for variable in variables}
        self._number = 1

    def domain(self, v: int) -> tuple[int, ...]:
        """Return the domain of a variable."""
        return self._variables[v].domain

    def name(self, v: int) -> str:
        """Return the name of a variable."""
        return self._variables[v].name

    def written(self, value: int, v: int) -> str:  # noqa: ARG002
        """Return a value as a number: the sums keep no names of rows."""
        return str(value)

    def pairs_of(self, variables: Iterable[int]) -> list[tuple[int, int, int]]:
        """Return (item, variable, value) for every value of the variables."""
        return [(self._item(v, value), v, value) for v in variables for value in self.domain(v)]

    def add_column(self, family: str, label: tuple[Any, ...]) -> int:  # noqa: ARG002
        """Add an auxiliary variable and return the item of (variable = 1)."""
        while (name := f"aux{self._number}") in self._names:
            self._number += 1
        self._names.add(name)
        self.auxiliary.append(Variable(name, (0, 1)))
        return self._item(len(self._variables) + len(self.auxiliary) - 1, 1)

    def _item(self, v: int, value: int) -> int:
        if (v, value) not in self._items:
            self._items[v, value] = len(self._pairs)
            self._pairs.append((v, value))
        return self._items[v, value]

    def sums_of(self, constraint: Constraint) -> Iterator[PairSum]:
        """Yield the rows of a constraint as sums over pairs. Raises UsageError if no such sum states them."""
        for row in constraint.linear_rows(self):
            yield self._sum_of(row, constraint)

    def _sum_of(self, row: Row, constraint: Constraint) -> PairSum:
        totals = Counter[int]()
        for item, coefficient in row.terms:
            if coefficient != int(coefficient):
                raise UsageError(
                    f"a row of {constraint.label or type(constraint).__name__!r} has the coefficient "
                    f"{coefficient:g}, and this engine takes only whole numbers"
                )
            totals[item] += int(coefficient)
        terms = tuple([(*self._pairs[item], times) for item, times in totals.items()])
        low = None if math.isinf(row.low) else math.ceil(row.low)
        high = None if math.isinf(row.high) else math.floor(row.high)
        try:
            return PairSum(terms, low, high, constraint.label)
        except ValueError as error:
            raise UsageError(f"{constraint.label or type(constraint).__name__!r}: {error}") from None
