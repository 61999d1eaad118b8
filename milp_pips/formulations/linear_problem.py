"""A linear model as a query states it: the columns in which solutions differ, bounds, and the objective.

It has what tasks, engines and strategies need of a ``Problem``, for models that cannot become one: with
continuous columns, or integer columns without bounds or with many values.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from milp_pips.formulations.exact import TOLERANCE, Number, magnitude, stated
from milp_pips.formulations.filtering import Filtering
from milp_pips.formulations.model import Model
from milp_pips.formulations.rows import KEY, Column, Row
from milp_pips.formulations.scaling import undecidable_row
from milp_pips.problem.errors import UsageError, visible
from milp_pips.problem.objective import MAXIMISE

Box = Mapping[int, tuple[int, int]]
"""The least and the greatest value of integer columns; a column without an entry has its own bounds."""


class Goal(NamedTuple):
    """The least and the greatest value of the objective, with its constant; None for no such bound."""

    low: Number | None = None
    high: Number | None = None

    def miss(self, value: Number) -> Number:
        """Return by how much a value of the objective misses the bounds; 0 if it lies within."""
        if self.low is not None and value < self.low:
            return self.low - value
        return value - self.high if self.high is not None and value > self.high else 0


ANY_VALUE = Goal()


class LinearObjective(NamedTuple):
    """The objective of a linear model, with the interface of ``milp_pips.problem.objective.Objective``."""

    model: Model

    def __str__(self) -> str:
        return "the objective"

    @property
    def sense(self) -> str:
        """``minimise`` or ``maximise``."""
        return self.model.sense

    @property
    def costs(self) -> set[int]:
        """The columns with a cost."""
        return {j for j, column in enumerate(self.model.columns) if column.cost}

    def value(self, point: Sequence[Number]) -> Number:
        """Return the exact value of a point."""
        return self.model.value(dict(enumerate(point)))

    def stated(self, value: Number) -> int | float:
        """Return a value as people read it."""
        return stated(value)

    def worse(self, value: Number, by: Number) -> Number:
        """Return the value that is worse by a number; better if that is negative."""
        return value - by if self.sense == MAXIMISE else value + by

    def step(self, value: Number) -> Number:
        """Return by how much a better value differs from this one at least.

        If continuous columns have costs, values that differ by less are the same within the tolerance.
        """
        return self.model.cost_unit or 10 * TOLERANCE * magnitude(value)

    def cost(self, value: Number) -> Number:
        """Return the value, or its negative to maximise."""
        return -value if self.sense == MAXIMISE else value


@dataclass(frozen=True)
class LinearProblem:
    """A linear model with the columns in which solutions differ.

    Parameters
    ----------
    model
        The model.
    over
        The positions of these columns.
    goal
        The bounds of the objective.
    box
        Further bounds of integer columns.
    aims
        Whether the objective is wanted; else any solution will do.
    completes
        Whether other columns than those ``over`` have the values with the best objective, if it is bounded.
    """

    model: Model
    over: tuple[int, ...]
    goal: Goal = ANY_VALUE
    box: Box = field(default_factory=dict)
    aims: bool = True
    completes: bool = False

    blank = None
    """What stands for no value in a point."""

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.model.name

    @property
    def keys(self) -> dict[str, tuple[int, ...]]:
        """The columns in which solutions differ, by the name of the key."""
        return {KEY: self.over}

    @property
    def objective(self) -> LinearObjective | None:
        """The objective; None if none is wanted."""
        return LinearObjective(self.model) if self.aims and self.model.has_objective else None

    @property
    def columns(self) -> int:
        """The number of columns, and of the values of a point."""
        return len(self.model.columns)

    @property
    def variables(self) -> Sequence[Column]:
        """The columns, which have names as variables do."""
        return self.model.columns

    @property
    def open_values(self) -> int:
        """The number of columns: there is no other measure without domains."""
        return self.columns

    @property
    def endless(self) -> str:
        """Which integer column lacks a bound, and which; empty if none does."""
        columns = (column for column in self.model.columns if column.integer and column.missing_bounds)
        return next((f"{visible(column.name)} has {column.missing_bounds}" for column in columns), "")

    @cached_property
    def filtering(self) -> Filtering:
        """The propagation of bounds over the rows, within the tolerance of engines."""
        return Filtering(self.model.for_engines[0])

    @cached_property
    def undecidable_row(self) -> str:
        """The name of a row that is too fine for floating point; empty if there is none."""
        return undecidable_row(self.model)

    def violated(self, point: Sequence[Number]) -> str | None:
        """Return the first bound or row that a point misses, and by how much; None if it misses none."""
        values = dict(enumerate(point))
        if broken := self.model.violated(values):
            return broken
        for j, (low, high) in self.box.items():
            if not low <= values[j] <= high:
                return f"{visible(self.model.columns[j].name)} is not from {low} to {high}"
        return None

    def goal_misses(self, value: Number) -> Number:
        """Return by how much a value of the objective misses the goal; 0 within the tolerance."""
        by = self.goal.miss(value)
        return by if self.model.cost_unit is not None or by > TOLERANCE * magnitude(value) else 0

    def with_objective(self, objective: LinearObjective | None) -> LinearProblem:
        """Return the same problem with its objective, or with none."""
        return replace(self, aims=objective is not None)

    def no_worse_than(self, value: Number) -> LinearProblem:
        """Return the same problem without points whose value is worse than this one."""
        goal = Goal(low=value) if self.model.sense == MAXIMISE else Goal(high=value)
        return replace(self, goal=goal)

    def restricted(self, box: Box) -> LinearProblem:
        """Return the same problem with narrower bounds of columns; ``filtering`` is kept."""
        narrow = replace(self, box={**self.box, **box})
        narrow.__dict__["filtering"] = self.filtering
        return narrow

    def fixed(self, values: Mapping[int, Number]) -> LinearProblem:
        """Return the same problem with columns that have one value each."""
        columns = [
            replace(column, low=values[j], high=values[j]) if j in values else column
            for j, column in enumerate(self.model.columns)
        ]
        return replace(self, model=replace(self.model, columns=tuple(columns)))

    def as_far_as_possible(self, keys: Sequence[Sequence[int]], most: int) -> LinearProblem:
        """Return the problem with its least distance from some points as a column, which is maximised.

        The distance of two points is the number of binary columns in which they differ. The column is the
        last one; ``most`` is the greatest distance that is possible.
        """
        model, number = self.with_row_of_goal().model, len(self.model.columns)
        rows = list(model.rows)
        for key in keys:  # the columns that were 0, less those that were 1, with the distance
            terms = {j: -1 if a else 1 for j, a in zip(self.over, key, strict=True)}
            rows.append(Row("", {**terms, number: -1}, -sum(key)))
        name, names = "distance", {column.name for column in model.columns}
        while name in names:
            name += "'"
        distance = Column(name, 1, most, integer=True, cost=1)
        columns = [*(replace(column, cost=0) for column in model.columns), distance]
        far = Model(tuple(columns), tuple(rows), MAXIMISE, name=model.name)
        return replace(self, model=far, goal=ANY_VALUE, aims=True, completes=False)

    def with_row_of_goal(self) -> LinearProblem:
        """Return the same problem with the bounds of the objective as a row."""
        if self.goal == ANY_VALUE:
            return self
        model = self.model
        low, high = (None if end is None else end - model.constant for end in self.goal)
        row = Row("", {j: column.cost for j, column in enumerate(model.columns) if column.cost}, low, high)
        return replace(self, model=replace(model, rows=(*model.rows, row)), goal=ANY_VALUE)

    def for_listing(self, *, is_chosen: bool, aims: bool) -> LinearProblem:
        """Return the problem whose solutions differ in the columns ``over``; ``aims`` for the best ones.

        Unless these were chosen, they are all integer columns that count. Raises UsageError if one of them
        lacks a bound, or there is none.
        """
        over = self.over if is_chosen else self.model.chosen(None)
        if not over:
            raise UsageError(f"{self.name} has no integer column: solutions are listed by integer columns")
        costs = {j for j, column in enumerate(self.model.columns) if column.cost}
        return replace(self, over=over, aims=aims, completes=not costs <= set(over))

    def digest(self, family: str) -> str:
        """Return a hash of the content of the problem and its family."""
        model = self.model
        content = repr((family, tuple(model.columns), tuple(model.rows), model.sense, self.goal, self.over))
        return hashlib.sha256(content.encode()).hexdigest()

    def require_binary(self, what: str) -> None:
        """Raise UsageError unless all columns in which solutions differ are binary."""
        for column in map(self.model.columns.__getitem__, self.over):
            if column.values is None or column.values.start < 0 or column.values.stop > 2:
                raise UsageError(f"{what} need binary columns, and {column.name} is not binary")
