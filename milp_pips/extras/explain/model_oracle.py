"""Decide which items of a linear model hold together, exactly: by a point, or by a tree with its core.

The tree of ``milp_pips.enumeration`` refutes in whole numbers, and its points are judged exactly. What it
uses is the core. Each point is kept: a set of items that one of them obeys needs no search. A point that
breaks one item alone of a set shows that the set needs this item, and small changes of it often show the same
of others (recursive model rotation: Belov and Marques-Silva 2011).
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor
from typing import Any, NamedTuple

from milp_pips.engines.defaults import MODEL_SOLVERS
from milp_pips.engines.registry import ask
from milp_pips.enumeration.tree import Tree
from milp_pips.enumeration.tree_points import TreeQuery
from milp_pips.extras.explain.model_items import (
    KINDS_OF_BOUNDS,
    ModelItem,
    ModelItems,
    Part,
    Values,
    has_value,
)
from milp_pips.extras.explain.model_remainders import proof_of, remainder
from milp_pips.extras.explain.reasoner import OutOfTime
from milp_pips.extras.explain.tree_core import TreeCore
from milp_pips.formulations.exact import Number, size
from milp_pips.formulations.linear_problem import LinearProblem
from milp_pips.formulations.model import Model
from milp_pips.problem import Deadline, EngineFault, Proof, Settings, Stop, UsageError
from milp_pips.problem.answer import Answer

TREE_SECONDS = 0.5
"""The most processor seconds of a tree. If one takes them all, an engine decides, then and from then on."""

FINEST_ROW = 10**6
"""By what factor the numbers of a row may differ at most where floating point decides: its tolerance."""

LAST_SECONDS = 2.0
"""The most seconds before the deadline at which no search begins any more."""

MOST_GROWN = 300
"""The most items of a model of which sets that hold together are made as large as possible."""

MOST_POINTS = 200
"""The most points that are kept."""

WINDOW = 1000
"""How far from the relaxation's point values of integer columns without bounds are tried."""


class Found(NamedTuple):
    """A point, or the core of a proof that there is none, by kind and position; or nothing is known."""

    point: Values | None
    core: frozenset[tuple[str, int]] | None


NOTHING = Found(None, None)


class ModelOracle:
    """Says whether items hold together; see ``milp_pips.extras.explain.clashes.Oracle``.

    ``is_sure`` becomes False where an item of a clash was kept though no point shows that it is needed.
    """

    def __init__(self, items: ModelItems, deadline: Deadline):
        self.grouped, self.deadline = items, deadline
        self.size, self.questions, self.is_sure = len(items.items), 0, True
        self.points: list[tuple[Values, frozenset[int]]] = []
        """Points, and the items that they break."""
        self.smallest: list[int] | None = None
        """The smallest known clash."""
        self._core = list[int]()
        self.found: Values | None = None
        """The last point; None if the last answer was "perhaps"."""
        self._asked = frozenset[int]()
        self.has_guessed = False
        """Whether an answer was "perhaps": then no lower bound on the size of clashes holds."""
        self._is_hard = False
        """Whether a tree took all its time."""
        self._longest = 0.0
        """Seconds of the longest search: a part of it that nothing stops grows with the model."""

    def look(self) -> None:
        """Raise OutOfTime if the deadline has stopped, or would before the end of a long search."""
        left = self.deadline.remaining
        if self.deadline.stop or (left is not None and left < min(self._longest, LAST_SECONDS)):
            raise OutOfTime

    # What the search for clashes asks.

    def solve(self, items: Iterable[int]) -> bool:
        """Return whether some point obeys the items; if none does, ``core`` has those that clash."""
        self.questions += 1
        self.look()
        self._asked = chosen = frozenset(items)
        begun = time.monotonic()
        if self._is_known(chosen) or self._search(chosen):
            self._longest = max(self._longest, time.monotonic() - begun)
            return True
        if self.smallest is None or len(self._core) < len(self.smallest):
            self.smallest = self._core
        return False

    def solve_limited(self, items: Iterable[int], conflicts: int) -> bool:  # noqa: ARG002
        """Return whether a known point obeys the items; of a small model, whether any does."""
        if self.size <= MOST_GROWN:
            return self.solve(items)
        return self._is_known(frozenset(items))

    def _is_known(self, chosen: frozenset[int]) -> bool:
        for values, broken in reversed(self.points):
            if chosen.isdisjoint(broken):
                self.found = values
                return True
        return False

    def holding(self) -> set[int]:
        """Return the items that hold at the last point."""
        if self.found is None:
            return set(self._asked)
        broken = next(broken for values, broken in reversed(self.points) if values is self.found)
        return set(range(self.size)) - broken

    def clash(self) -> list[int]:
        """Return a minimal clash among the items of the last core."""
        self.is_sure = True
        return self.shrink(self._core, self._asked)

    # Deletion.

    def shrink(self, items: Sequence[int], among: Collection[int]) -> list[int]:
        """Return a minimal subset of items that clash; of ``among``, what helps the proofs is used, too.

        Leave out groups, then halves of them, then single items. Bounds come last: a tree needs those of
        integer columns, so all bounds stay until the rows are minimal. What a larger set needs a smaller one
        needs, too.
        """
        core, needed = set(items), set[int]()
        bounds = {i for i in among if self.grouped.items[i].kind in KINDS_OF_BOUNDS}
        for beside, kinds in ((bounds, ("row",)), (bounds, ("integer",)), (set[int](), KINDS_OF_BOUNDS)):
            group = sorted(i for i in core if self.grouped.items[i].kind in kinds)
            core = self._without(group, core, needed, beside)
        return sorted(core)

    def _without(
        self, group: Sequence[int], core: set[int], needed: set[int], beside: Collection[int]
    ) -> set[int]:
        """Return the items that are left without those of a group that are not needed."""
        group = [i for i in group if i in core and i not in needed]
        if not group:
            return core
        kept = core | self._of_same_columns(beside, core)
        if not self.solve(kept.difference(group)):
            return set(self._core)
        if self.found is not None:
            self._learn(self.found, kept, needed)
        if len(group) == 1:
            self.is_sure &= self.found is not None
            needed.update(group)
            return core
        middle = len(group) // 2
        for part in (group[:middle], group[middle:]):
            core = self._without(part, core, needed, beside)
        return core

    def _of_same_columns(self, bounds: Collection[int], core: Iterable[int]) -> set[int]:
        """Return those of the bounds that are of columns of these items."""
        if not bounds:
            return set()
        columns = {j for i in core for j in self.grouped.whole[i].columns}
        return {i for i in bounds if self.grouped.items[i].number in columns}

    def _learn(self, found: Values, kept: Collection[int], needed: set[int]) -> None:
        """Add to the needed items those that points near the one found break alone."""
        waiting = [found]
        while waiting:
            values = waiting.pop()
            broken = self.grouped.broken(values, kept)
            if len(broken) != 1 or broken <= needed:
                continue
            needed |= broken
            (i,) = broken
            waiting += self._rotated(i, values, kept, needed)
            self.look()

    def _rotated(self, i: int, values: Values, kept: Collection[int], needed: set[int]) -> Iterator[Values]:
        """Yield points that obey the item which only it breaks, and break another one alone."""
        items, by = self.grouped, self.grouped.needed(i, values)
        row = items.whole[i]
        for j, factor in zip(row.columns, row.factors, strict=True):
            is_whole = items.number_of.get(ModelItem("integer", j)) in kept
            for step in _steps(by, factor, is_integer=items.items[i].kind == "integer", is_whole=is_whole):
                moved = {**values, j: values[j] + step}
                broken = items.broken(moved, [k for k in items.of_column[j] if k in kept])
                if len(broken) == 1 and not broken <= needed:
                    yield moved

    # One search.

    def _search(self, chosen: frozenset[int]) -> bool:
        part = self.grouped.part(sorted(chosen))
        crossed = [
            j for j, column in zip(part.columns, part.model.columns, strict=True) if not has_value(column)
        ]
        if crossed:
            kinds = ("low", "high", "fixed", "integer")
            named = (self.grouped.number_of.get(ModelItem(kind, crossed[0])) for kind in kinds)
            self._core = [i for i in named if i in chosen]
            return False
        if any(column.integer and column.values is None for column in part.model.columns):
            left_over = remainder(self.grouped, part.rows)  # no tree would end
            if left_over is not None and chosen.issuperset(needed := proof_of(self.grouped, left_over)):
                self._core = sorted(needed)
                return False
        found = None if self._is_hard else self._by_tree(part)
        return self._by_engine(part, chosen) if found is None else found

    def _by_tree(self, part: Part) -> bool | None:
        """Return whether the part has a point; None if no tree says so."""
        model = part.model
        try:
            found = self._tree(model)
        except UsageError:  # rows do not bound all integer columns
            found = self._without_end(model)
        if found.point is not None:
            return self._keep(part, found.point)
        if found.core is None:
            return None
        place = self.grouped.number_of
        named = ((kind, (part.rows if kind == "row" else part.columns)[k]) for kind, k in found.core)
        self._core = sorted(place[ModelItem(*each)] for each in named)
        return False

    def _without_end(self, model: Model) -> Found:
        """Return what is found about a model with integer columns without bounds.

        The relaxation may suffice. Else a window is searched, and each of its ends that the proof uses gets a
        proof by the relaxation that nothing is beyond.
        """
        endless = {k for k, column in enumerate(model.columns) if column.integer and column.values is None}
        relaxed = _relaxed(model, endless)
        found = self._tree(relaxed)
        if found.point is None or all(found.point[k].denominator == 1 for k in endless):
            return found
        window = _near(model, endless, found.point)
        found = self._tree(window)
        if found.core is None:
            return found
        core = set(found.core)
        for kind, k in found.core:
            if kind in ("low", "high") and getattr(model.columns[k], kind) is None:
                beyond = list(relaxed.columns)
                if kind == "low":
                    other, beyond[k] = "high", replace(beyond[k], high=window.columns[k].low - 1)  # type: ignore[operator]
                else:
                    other, beyond[k] = "low", replace(beyond[k], low=window.columns[k].high + 1)  # type: ignore[operator]
                outside = self._tree(replace(relaxed, columns=tuple(beyond)))
                if outside.core is None:
                    return NOTHING
                core |= {*outside.core, ("integer", k)} - {(other, k)}
                core.discard((kind, k))
        return Found(None, frozenset(core))

    def _tree(self, model: Model) -> Found:
        """Return what a tree finds. Raises UsageError for an integer column without bounds."""
        until, core = time.process_time() + TREE_SECONDS, TreeCore()
        tree = Tree(
            model, TreeQuery(), (), lambda: self.deadline.stop or (time.process_time() > until) or None, core
        )
        core.of(tree.whole)
        for point in tree.points():
            return Found(dict(enumerate(point.values)), None)
        self.look()
        self._is_hard |= tree.outcome.stop is not None
        return Found(None, frozenset(core.items)) if tree.outcome.complete else NOTHING

    def _by_engine(self, part: Part, chosen: frozenset[int]) -> bool:
        """Return what an engine says: its points are judged exactly, its "no" holds within its tolerance."""
        problem: Any = LinearProblem(part.model, (), aims=False)
        try:
            answer = ask(MODEL_SOLVERS[0], problem, Settings(), self.deadline)
        except (EngineFault, UsageError):  # an engine that fails says nothing
            answer = Answer(None, Proof.NONE, Stop.ERROR)
        if answer.point is not None:
            values = dict(enumerate(answer.point))
            holds = next(part.model.misses(values, exactly=True), None) is None
            point = values if holds else self._tree(_fixed(part.model, values)).point
            if point is not None:
                return self._keep(part, point)
        self.look()
        self.found, self._core = None, sorted(chosen)
        is_no = answer.proof is Proof.INFEASIBLE and not is_too_fine(part.model)
        self.has_guessed |= not is_no
        return not is_no

    def _keep(self, part: Part, values: Values) -> bool:
        """Keep a point of a part as the last one."""
        point = self.grouped.completed({part.columns[k]: value for k, value in values.items()})
        broken = frozenset(self.grouped.broken(point, range(self.size)))
        self.found = point
        self.points = [*self.points[-MOST_POINTS:], (point, broken)]
        return True


def _steps(by: Number, factor: int, *, is_integer: bool, is_whole: bool) -> list[Number]:
    """Return the steps of a column by which an item holds."""
    if is_integer:
        return [by, by - 1]
    step = Fraction(by) / factor
    if is_whole:  # away from zero: more than enough
        step = Fraction(ceil(step) if step > 0 else floor(step))
    return [step.numerator if step.denominator == 1 else step]


def is_too_fine(model: Model) -> bool:
    """Return whether numbers of a row differ so much that floating point proves nothing."""
    for row in model.rows:
        numbers = [size(number) for number in (*row.terms.values(), row.low, row.high) if number]
        if numbers and max(numbers) > FINEST_ROW * min(numbers):
            return True
    return False


def _relaxed(model: Model, columns: Collection[int]) -> Model:
    """Return the model with some columns continuous."""
    return replace(
        model,
        columns=tuple(
            [replace(c, integer=c.integer and k not in columns) for k, c in enumerate(model.columns)]
        ),
    )


def _fixed(model: Model, values: Values) -> Model:
    """Return the model with the integer columns fixed at these values."""
    near = [(c, round(values[k])) for k, c in enumerate(model.columns)]
    return replace(model, columns=tuple([replace(c, low=v, high=v) if c.integer else c for c, v in near]))


def _near(model: Model, columns: Collection[int], values: Values) -> Model:
    """Return the model with bounds for some columns, around these values."""
    found = []
    for k, column in enumerate(model.columns):
        if k in columns:
            low, high = floor(values[k]) - WINDOW, ceil(values[k]) + WINDOW
            column = replace(
                column,
                low=low if column.low is None else max(low, column.low),
                high=high if column.high is None else min(high, column.high),
            )
        found.append(column)
    return replace(model, columns=tuple(found))
