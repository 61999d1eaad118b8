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
from itertools import count
from typing import Any, TypeVar

from milp_pips.constraints.facts import AnyOf, Fixed
from milp_pips.constraints.less import Less
from milp_pips.constraints.linear_sum import LinearSum, Relation
from milp_pips.constraints.no_good import NoGood
from milp_pips.constraints.pair_sum import PairSum
from milp_pips.problem.constraint import Constraint, Row
from milp_pips.problem.errors import UsageError
from milp_pips.problem.problem import Problem, Variable

T = TypeVar("T")


def less_as_sum(less: Less) -> LinearSum:
    """``x - y <= -gap``."""
    return LinearSum(less.variables, Relation.LE, -less.gap, less.label, (1, -1))


def no_good_as_pairs(no_good: NoGood) -> PairSum:
    """Σ [x = its value] <= number of variables - ``least``."""
    pairs = zip(no_good.variables, no_good.values, strict=True)
    most = len(no_good.variables) - no_good.least
    return PairSum(tuple([(v, value, 1) for v, value in pairs]), high=most, label=no_good.label)


def fixed_as_pairs(fixed: Fixed) -> PairSum:
    """``[x = value] >= 1``."""
    return PairSum(((fixed.variable, fixed.value, 1),), low=1, label=fixed.label)


def any_of_as_pairs(any_of: AnyOf) -> PairSum:
    """Σ [x = a] over the positive facts - Σ [x = a] over the n negative ones >= 1 - n."""
    facts, terms = set(any_of.facts), Counter[tuple[int, int]]()
    for v, value, holds in sorted(facts):
        terms[v, value] += 1 if holds else -1
    low = 1 - sum(not holds for _, _, holds in facts)
    return PairSum(tuple([(v, value, sign) for (v, value), sign in terms.items()]), low, label=any_of.label)


BRIDGES: Mapping[type[Constraint], Callable[[Any], Constraint]] = {
    Less: less_as_sum,
    NoGood: no_good_as_pairs,
    Fixed: fixed_as_pairs,
    AnyOf: any_of_as_pairs,
}
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
    rows = PairRows(problem)

    def rewritten(constraint: Constraint) -> Iterator[Constraint]:
        if is_native(type(constraint), native):
            yield constraint
        elif is_native(type(constraint), BRIDGES):
            yield from rewritten(entry_of(BRIDGES, constraint)(constraint))
        else:
            yield from rows.sums_of(constraint)

    constraints = [found for constraint in problem.constraints for found in rewritten(constraint)]
    return _extended(problem, rows.auxiliary, constraints)


def _extended(problem: Problem, auxiliary: Iterable[Variable], constraints: Iterable[Constraint]) -> Problem:
    """Return the problem with these constraints, and with auxiliary variables behind its own."""
    variables = (*problem.variables, *auxiliary)
    return replace(
        problem,
        variables=variables,
        constraints=tuple(constraints),
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

    def __init__(self, problem: Problem):
        self._problem = problem
        self._pairs: list[tuple[int, int]] = []
        self._items: dict[tuple[int, int], int] = {}
        self.auxiliary: list[Variable] = []
        taken = {variable.name for variable in problem.variables}
        self._names = (name for name in map("aux{}".format, count(1)) if name not in taken)

    def domain(self, v: int) -> tuple[int, ...]:
        """Return the domain of a variable."""
        return self._problem.variables[v].domain

    def name(self, v: int) -> str:
        """Return the name of a variable."""
        return self._problem.variables[v].name

    def written(self, value: int, v: int) -> str:
        """Return a value as people read it."""
        return self._problem.written(value, v)

    def pairs_of(self, variables: Iterable[int]) -> list[tuple[int, int, int]]:
        """Return (item, variable, value) for every value of the variables."""
        return [(self._item(v, value), v, value) for v in variables for value in self.domain(v)]

    def add_column(self, family: str, label: tuple[Any, ...]) -> int:  # noqa: ARG002
        """Add an auxiliary variable and return the item of (variable = 1)."""
        self.auxiliary.append(Variable(next(self._names), (0, 1)))
        return self._item(len(self._problem.variables) + len(self.auxiliary) - 1, 1)

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
