"""Trees that decide whether a linear model has a point, and name the items that their proofs use.

A tree without an objective sees no progress. So a row may be its objective instead: the tree looks for a
point with the least left side, or the greatest, and all above the side of the row is beyond the cutoff. Where
a row is a budget, or says what a model may cost, this takes a small part of the nodes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import floor
from typing import NamedTuple

from milp_pips.enumeration.tree import Tree, TreeSettings
from milp_pips.enumeration.tree_points import Cutoff, Limit, TreePoints, TreeQuery
from milp_pips.enumeration.whole import in_whole_numbers
from milp_pips.extras.explain.model_items import Part, Values
from milp_pips.extras.explain.tree_core import TreeCore
from milp_pips.formulations.model import Model
from milp_pips.formulations.rows import Row
from milp_pips.problem import UsageError
from milp_pips.problem.objective import MAXIMISE, MINIMISE

LEAST_NODE = 1000
"""The work of a node without rows, in coefficients."""

SHARES = (16, 4, 1)
"""The parts of the work that each way may take, one after another, as long as no way has been best."""

MOST_AIMS = 2
"""The most rows that are tried as an objective."""


class Found(NamedTuple):
    """A point, or the core of a proof that there is none, by kind and position; or nothing is known."""

    point: Values | None
    core: frozenset[tuple[str, int]] | None


NOTHING = Found(None, None)


class Trees:
    """Decides parts of a model by trees, and learns which row is an objective that helps.

    ``stop`` ends a tree by anything but None, and ``look`` then raises an error, or does not.
    """

    def __init__(self, stop: Callable[[], object | None], look: Callable[[], None]):
        self._stop, self._look = stop, look
        self._ways: list[int | None] = [None]
        """The rows that are an objective, and None for no objective; the best one first."""
        self._is_open = True
        """Whether no way has been found to be best."""

    @property
    def aim(self) -> int | None:
        """The row that is the best objective; None if none is needed."""
        return self._ways[0]

    def best(self, model: Model, row: Row, nodes: int) -> Values | None:
        """Return the best point for a row that the model does not have, as far as so many nodes find it."""
        columns = [replace(c, cost=row.terms.get(j, 0)) for j, c in enumerate(model.columns)]
        sense = MAXIMISE if row.high is None else MINIMISE
        model = replace(model, columns=tuple(columns), sense=sense)

        def is_over() -> object | None:
            return self._stop() or (tree.outcome.nodes >= nodes) or None

        tree, found = Tree(model, TreeQuery(best=1), TreeSettings(stop=is_over)), None
        for point in tree.points():
            found = dict(enumerate(point.values))
        self._look()
        return found

    def decide(self, part: Part, work: int) -> Found:
        """Return what trees find out about a part with so much work, in coefficients of rows at all nodes."""
        nodes = nodes_for(part.model, work)
        for share in SHARES if self._is_open else SHARES[-1:]:
            for way in list(self._ways):
                if way is not None and way not in part.rows:
                    continue
                found = self._by_way(part, nodes // share + 1, way)
                if found is not NOTHING:
                    if self._is_open or way != self._ways[0]:
                        self._ways.remove(way)
                        self._ways.insert(0, way)
                        self._is_open = self._is_open and len(self._ways) == 1
                    return found
        return NOTHING

    def _learn(self, part: Part, leaves: Counter[int]) -> None:
        """Take the rows as objectives that most leaves of a tree use."""
        rows = part.model.rows
        able = (k for k in leaves if k < len(part.rows) and is_aim(rows[k]))
        aims = [(leaves[k], len(rows[k].terms), -k) for k in able]
        self._ways += [part.rows[-k] for *_, k in sorted(aims, reverse=True)[:MOST_AIMS]]

    def _by_way(self, part: Part, nodes: int, way: int | None) -> Found:
        if way is None:
            core = TreeCore()
            core.counts = self._is_open and len(self._ways) == 1
            found = self.tree(part.model, nodes, core=core)
            if core.counts and found is NOTHING:
                self._learn(part, core.leaves)
            return found
        try:
            return self.tree(part.model, nodes, part.rows.index(way))
        except UsageError:  # nothing but the row bounds a column
            return NOTHING

    def tree(self, model: Model, nodes: int, aim: int | None = None, core: TreeCore | None = None) -> Found:
        """Return what so many nodes find at most; ``aim`` is the row that is the objective.

        Raises UsageError for an integer column without bounds.
        """
        query, points, core = TreeQuery(), None, core or TreeCore()
        if aim is not None:
            query, points, core = _aimed(model, aim)
            model = points.whole.model

        def is_over() -> object | None:
            return self._stop() or (tree.outcome.nodes >= nodes) or None

        tree = Tree(model, query, TreeSettings(stop=is_over, log=core, points=points))
        core.of(tree.whole)
        for point in tree.points():
            return Found(dict(enumerate(point.values)), None)
        self._look()
        if not tree.outcome.complete:
            return NOTHING
        items = core.items
        if aim is not None:  # its own number is free in the tree
            items = {(kind, k + (kind == "row" and k >= aim)) for kind, k in items - {AIM}}
            if AIM in core.items:
                items.add(("row", aim))
        return Found(None, frozenset(items))


def is_refuted(model: Model, nodes: int, stop: Callable[[], object | None]) -> bool:
    """Return whether so many nodes refute a model; they do not if an integer column has no bounds."""
    try:
        return Trees(stop, lambda: None).tree(model, nodes).core is not None
    except UsageError:
        return False


def nodes_for(model: Model, work: int) -> int:
    """Return how many nodes of a tree are so much work."""
    return work // (LEAST_NODE + sum(len(row.terms) for row in model.rows)) + 1


AIM = ("row", -1)
"""The row that is the objective, among the items of a core."""


def is_aim(row: Row) -> bool:
    """Return whether a row can be an objective: it has one side."""
    return (row.low is None) != (row.high is None)


def _aimed(model: Model, aim: int) -> tuple[TreeQuery, TreePoints, TreeCore]:
    """Return what a tree needs whose objective is a row: all that the side of the row excludes is cut off."""
    row = model.rows[aim]
    columns = [replace(c, cost=row.terms.get(j, 0)) for j, c in enumerate(model.columns)]
    rows = (*model.rows[:aim], *model.rows[aim + 1 :])
    sense = MAXIMISE if row.high is None else MINIMISE
    whole = in_whole_numbers(replace(model, columns=tuple(columns), rows=rows, sense=sense))
    side = row.low if row.high is None else row.high
    assert side is not None
    limit, items = whole.sign * Fraction(side) / whole.price, [AIM]
    cut = Cutoff(limit.numerator, limit.denominator, closed=False)
    if whole.has_whole_values:
        cut = Cutoff(floor(limit), 1, closed=False)
        if cut.over != limit:
            items += [("integer", j) for j, a in row.terms.items() if a]
    query = TreeQuery(best=1)
    return query, TreePoints(whole, query, Limit(cut)), TreeCore(items)
