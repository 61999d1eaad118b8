"""Solutions far apart: each is as far as possible from those before it, by one tree after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from milp_pips.enumeration.tree import Tree, TreeOutcome
from milp_pips.enumeration.tree_points import Point, TreeQuery
from milp_pips.formulations.exact import size
from milp_pips.formulations.model import Model
from milp_pips.formulations.rows import Column, Row
from milp_pips.problem import UsageError
from milp_pips.problem.errors import visible
from milp_pips.problem.objective import MAXIMISE


class Far(NamedTuple):
    """A solution, and in how many chosen columns it differs from the nearest one before it.

    That is None for the first. ``outcome`` says whether it is proved to be the most.
    """

    point: Point
    distance: int | None
    outcome: TreeOutcome


def diverse(
    model: Model, chosen: Sequence[int], query: TreeQuery, stop: Callable[[], object | None] = lambda: None
) -> Iterator[Far]:
    """Yield solutions, each as far as possible from those before it, until all are used up or it stops.

    The first one is optimal if the query has a distance from the optimum, which holds for all.

    Raises
    ------
    UsageError
        If a chosen column is not binary.
    """
    for j in chosen:
        if list(model.columns[j].values or ()) not in ([0], [1], [0, 1]):
            raise UsageError(
                f"diverse solutions need binary columns; {visible(model.columns[j].name)} is not"
            )
    columns, known = tuple(chosen), list[Point]()
    near = query.within is not None or query.within_relative is not None
    tree = Tree(model, TreeQuery(columns, best=1 if near else None), stop=stop)
    found = tree.points()
    point = next(found, None)
    if near:
        list(found)
        point = tree.outcome.points[0] if tree.outcome.points else None
    distance = 0
    while point is not None:
        known.append(point)
        apart = _apart(model, columns, known, query if near else None)
        if len(known) == 1:
            yield Far(point, None, tree.outcome)
        else:
            yield Far(point, distance, tree.outcome)
        tree = Tree(apart, TreeQuery((len(model.columns),), best=1), stop=stop)
        list(tree.points())
        if not tree.outcome.points:
            return
        (farthest,) = tree.outcome.points
        distance, values = int(farthest.value), farthest.values[:-1]
        point = Point(values, model.value(dict(enumerate(values))), len(known)) if distance else None


def _apart(model: Model, chosen: Sequence[int], known: Sequence[Point], query: TreeQuery | None) -> Model:
    """Return the model with the distance from the known points as its objective."""
    distance = len(model.columns)
    columns = [replace(column, cost=0) for column in model.columns]
    columns.append(Column("distance" * (1 + distance), 0, len(chosen), True, 1))
    rows = list(model.rows)
    for point in known:
        ones = sum(int(point.values[j]) for j in chosen)
        terms = {j: -1 if point.values[j] else 1 for j in chosen}
        rows.append(Row("", {**terms, distance: -1}, -ones, None))
    if query is not None:
        best = known[0].value - model.constant
        reach = (query.within or 0) + size(known[0].value) * Fraction(query.within_relative or 0)
        costs = {j: column.cost for j, column in enumerate(model.columns) if column.cost}
        most = None if model.sense == MAXIMISE else best + reach
        rows.append(Row("", costs, best - reach if most is None else None, most))
    return Model(tuple(columns), tuple(rows), MAXIMISE, name=model.name)
