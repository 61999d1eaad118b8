"""Decide which items of a linear model hold together, exactly: by a point, or by a tree with its core.

The tree of ``milp_pips.enumeration`` refutes in whole numbers, and its points are judged exactly. What it
uses is the core. Each point is kept: a set of items that one of them obeys needs no search.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor
from typing import Any

from milp_pips.engines.defaults import MODEL_SOLVERS
from milp_pips.engines.registry import ask
from milp_pips.extras.explain.model_deletion import Deletion, breaking
from milp_pips.extras.explain.model_items import ModelItem, ModelItems, Part, Values, has_value
from milp_pips.extras.explain.model_proofs import multipliers
from milp_pips.extras.explain.model_remainders import proof_of, remainder
from milp_pips.extras.explain.model_trees import LEAST_NODE, NOTHING, Found, Trees, is_refuted, nodes_for
from milp_pips.extras.explain.reasoner import OutOfTime
from milp_pips.formulations.exact import Number, size
from milp_pips.formulations.linear_problem import LinearProblem
from milp_pips.formulations.model import Model
from milp_pips.problem import Deadline, EngineFault, Proof, Settings, Stop, UsageError
from milp_pips.problem.answer import Answer
from milp_pips.problem.stopping import EarlierDeadline

TREE_WORK = 500_000
"""The most work of a tree, in coefficients of rows at all nodes: half a second. Then an engine decides."""

QUICK_WORK = TREE_WORK // 32
"""The most work of a small tree."""

BEST_WORK = TREE_WORK // 8
"""The most work of a tree that looks for a point that hardly breaks the aim: others are near it."""

CERTIFIED_NODES = 1000
"""The most nodes of the certificate of a clash with fewer rows than a sum."""

FIXED_NODES = 10
"""The most nodes of a tree whose integer columns are fixed."""

SIMPLE = 1000
"""The largest denominator of a value that is taken out of floats."""

FINEST_ROW = 10**6
"""By what factor the numbers of a row may differ at most where floating point decides: its tolerance."""

LAST_SECONDS = 2.0
"""The most seconds before the deadline at which no search begins any more."""

MOST_GROWN = 300
"""The most items of a model of which sets that hold together are made as large as possible."""

MOST_POINTS = 200
"""The most points that are kept."""

WINDOW_SHARE = 4
"""The part of the work that a window of values takes before anything else is tried."""

WINDOW = 1000
"""How far from their bound, or 0, values of integer columns without bounds are tried."""


class ModelOracle:
    """Says whether items hold together; see ``milp_pips.extras.explain.clashes.Oracle``.

    ``is_sure`` becomes False where an item of a clash was kept though no point shows that it is needed.
    """

    def __init__(self, items: ModelItems, deadline: Deadline):
        self.grouped, self.deadline = items, deadline
        self.size, self.questions, self.is_sure = len(items.items), 0, True
        self.searches = 0
        """The number of questions that no known point answered."""
        self.points: list[tuple[Values, frozenset[int]]] = []
        """Points, and the items that they break."""
        self.smallest: list[int] | None = None
        """The smallest known clash."""
        self.core = list[int]()
        """The items on which the last proof rests."""
        self.found: Values | None = None
        """The last point; None if the last answer was "perhaps"."""
        self._asked = frozenset[int]()
        self.has_guessed = False
        """Whether an answer was "perhaps": then no lower bound on the size of clashes holds."""
        self._trees = Trees(lambda: self.deadline.stop, self.look)
        self._work = TREE_WORK // 4
        """The work of the next tree at most: less after those that ended without a result.

        The first has a part, since an engine may be quicker; the whole if the engine does not decide.
        """
        self._longest = 0.0
        """Seconds of the longest search: a part of it that nothing stops grows with the model."""

    def look(self) -> None:
        """Raise OutOfTime if the deadline has stopped, or would before the end of a long search."""
        left = self.deadline.remaining
        if self.deadline.stop or (left is not None and left < min(self._longest, LAST_SECONDS)):
            raise OutOfTime

    # What the search for clashes asks.

    def solve(self, items: Iterable[int], *, nodes: int | None = None) -> bool:
        """Return whether some point obeys the items; if none does, ``core`` has those that clash.

        The engine searches so many nodes at most; with 0 only a small tree does. The rest is "perhaps".
        """
        self._asked = chosen = frozenset(items)
        if self._ask(chosen, [self.grouped.part(sorted(chosen))], nodes):
            return True
        self.keep(self.core)
        return False

    def solve_without(self, clash: Collection[int], left_out: int, *, nodes: int | None = None) -> bool:
        """Return whether some point obeys all items of a clash but one.

        Such a point breaks the item that is left out, which makes the search shorter. If there is none,
        ``core`` and the rest of the clash cannot hold together.
        """
        chosen = frozenset(clash) - {left_out}
        part = self.grouped.part(sorted(chosen))
        if left_out == self.aim and nodes != 0 and self._is_best(part, left_out):
            return True
        return self._ask(chosen, list(breaking(self.grouped, part, left_out, chosen)), nodes)

    @property
    def aim(self) -> int | None:
        """The item that is the objective of trees; None if there is none."""
        row = self._trees.aim
        return None if row is None else self.grouped.number_of[ModelItem("row", row)]

    def _is_best(self, part: Part, aim: int) -> bool:
        """Return whether a point is found that breaks the aim, with the best left side that a tree finds."""
        place = {j: k for k, j in enumerate(part.columns)}
        row = self.grouped.model.rows[self.grouped.items[aim].number]
        if not place.keys() >= set(row.terms):
            return False
        aimed = replace(row, terms={place[j]: a for j, a in row.terms.items()})
        try:
            point = self._trees.best(part.model, aimed, nodes_for(part.model, BEST_WORK))
        except UsageError:
            return False
        return point is not None and self._keep(part, point)

    def _ask(self, chosen: frozenset[int], parts: Sequence[Part], nodes: int | None) -> bool:
        """Return whether some point obeys the items, one of the parts that have all such points."""
        self.questions += 1
        self.look()
        if self._is_known(chosen):
            return True
        self.searches += 1
        begun, core = time.monotonic(), set[int]()
        for part in parts:
            if self._search(part, chosen, nodes):
                self._longest = max(self._longest, time.monotonic() - begun)
                return True
            core.update(self.core)
        self.core = sorted(core)
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
        if (sum_of := multipliers(self.grouped, self.core)) is not None:  # no question is needed
            self.is_sure = True
            return sorted(sum_of)
        deletion = Deletion(self, self._asked)
        found = deletion.minimal(self.core)
        self.is_sure = deletion.is_sure
        return found

    def clash_by_integrality(self, rows: Collection[int], most_rows: int, searches: int) -> list[int] | None:
        """Return a minimal clash out of these rows, and the bounds and integralities of their columns.

        Small trees find it; None if they do not, or it has more rows, or ``searches`` ends first. What one
        tree uses is tried first.
        """
        columns = {j for i in rows for j in self.grouped.whole[i].columns}
        items = {i for j in columns for i in self.grouped.of_column[j] if self.grouped.items[i].kind != "row"}
        if self.solve(items.union(rows), nodes=0):
            return None
        is_other = any(self.grouped.items[i].kind == "integer" for i in self.core)  # than sums of rows
        for start in (self.core, sorted(self._asked))[not is_other :]:
            deletion = Deletion(self, self._asked, most_rows, searches)
            found = deletion.minimal(start)
            model = self.grouped.part(found).model  # what lacks bounds of integer columns has no certificate
            if deletion.is_sure and is_refuted(model, CERTIFIED_NODES, lambda: self.deadline.stop):
                return found
        return None

    def judge(self, items: Iterable[int], near: Sequence[float]) -> Values | None:
        """Return a point that obeys the items exactly, near values in floats; None if none is found."""
        part = self.grouped.part(sorted(items))
        simple = {k: _simple(near[j]) for k, j in enumerate(part.columns)}
        if (point := self._judged(part, simple)) is not None:
            self._keep(part, point)
            return self.found
        return None

    @contextmanager
    def earlier(self, share: float) -> Iterator[None]:
        """Return a context that ends early enough to leave over a share of the time, without an error."""
        whole = self.deadline
        self.deadline = EarlierDeadline(whole, share)
        try:
            with suppress(OutOfTime):
                yield
        finally:
            self.deadline = whole

    def keep(self, clash: Collection[int]) -> None:
        """Keep a clash if it is the smallest so far."""
        if self.smallest is None or len(clash) < len(self.smallest):
            self.smallest = sorted(clash)

    # One search.

    def _search(self, part: Part, chosen: frozenset[int], nodes: int | None) -> bool:
        crossed = [
            j for j, column in zip(part.columns, part.model.columns, strict=True) if not has_value(column)
        ]
        if crossed:
            kinds = ("low", "high", "fixed", "integer")
            named = (self.grouped.number_of.get(ModelItem(kind, crossed[0])) for kind in kinds)
            self.core = [i for i in named if i in chosen]
            return False
        if any(column.integer and column.values is None for column in part.model.columns):
            left_over = remainder(self.grouped, sorted(chosen))  # no tree would end
            if left_over is not None:
                self.core = sorted(proof_of(self.grouped, left_over))
                return False
        work = QUICK_WORK if nodes == 0 else self._work if nodes else max(self._work, QUICK_WORK)
        found = self._by_tree(part, work, is_small=nodes == 0) if work >= LEAST_NODE else None
        if nodes != 0 and found is not None:
            self._work = max(work, min(2 * work, QUICK_WORK))
        elif nodes != 0:
            self._work = work // 4
            found = self._by_engine(part, chosen, nodes)
            if found is None and nodes is None and work < TREE_WORK:
                found = self._by_tree(part, TREE_WORK)
        if found is None:
            self.look()
            self.found, self.core = None, sorted(chosen)
            self.has_guessed |= nodes is None
        return found is not False

    def _by_tree(self, part: Part, work: int, *, is_small: bool = False) -> bool | None:
        """Return whether the part has a point; None if no tree says so with so much work."""
        model = part.model
        endless = {k for k, column in enumerate(model.columns) if column.integer and column.values is None}
        if endless:
            found = self._without_end(part, endless, work)
        elif is_small:  # an objective does not pay
            found = self._trees.tree(model, nodes_for(model, work))
        else:
            found = self._trees.decide(part, work)
        if found.point is not None:
            return self._keep(part, found.point)
        if found.core is None:
            return None
        place = self.grouped.number_of
        named = [
            (kind, (part.rows if kind == "row" else part.columns)[k])
            for kind, k in found.core
            if kind != "row" or k < len(part.rows)  # another row says that an item is broken
        ]
        self.core = sorted(place[ModelItem(*each)] for each in named)
        return False

    def _without_end(self, part: Part, endless: Collection[int], work: int) -> Found:
        """Return what is found about a part with integer columns without bounds.

        A window of values may have a point, or none for reasons beside its ends. Else the relaxation may
        suffice, or rows may bound these columns.
        """
        model = part.model
        nodes = nodes_for(model, work)
        window = _near(model, endless)
        found = self._trees.decide(part._replace(model=window), work // WINDOW_SHARE)
        if found.point is not None or (found.core is not None and not _ends_of(window, model, found.core)):
            return found
        relaxed = _relaxed(model, endless)
        found = self._trees.tree(relaxed, nodes)
        if found.core is not None or (found.point and all(found.point[k].denominator == 1 for k in endless)):
            return found
        with suppress(UsageError):
            return self._trees.tree(model, nodes)
        return NOTHING

    def _by_engine(self, part: Part, chosen: frozenset[int], nodes: int | None) -> bool | None:
        """Return what an engine says: its points are judged exactly, its "no" holds within its tolerance.

        None if it says nothing.
        """
        problem: Any = LinearProblem(part.model, (), aims=False)
        options = {} if nodes is None else {"mip_max_nodes": str(nodes)}
        try:
            answer = ask(MODEL_SOLVERS[0], problem, Settings(options=options), self.deadline)
        except (EngineFault, UsageError):  # an engine that fails says nothing
            answer = Answer(None, Proof.NONE, Stop.ERROR)
        if answer.point is not None:
            point = self._judged(part, dict(enumerate(answer.point)))
            if point is not None:
                return self._keep(part, point)
        self.look()
        if answer.proof is Proof.INFEASIBLE and not is_too_fine(part.model):
            self.core = sorted(chosen)
            return False
        return None

    def _judged(self, part: Part, values: Values) -> Values | None:
        """Return values that obey a part exactly: these, or others with the same integer columns."""
        if next(part.model.misses(values, exactly=True), None) is None:
            return values
        return self._trees.tree(_fixed(part.model, values), FIXED_NODES).point

    def _keep(self, part: Part, values: Values) -> bool:
        """Keep a point of a part as the last one."""
        point = self.grouped.completed({part.columns[k]: value for k, value in values.items()})
        broken = frozenset(self.grouped.broken(point, range(self.size)))
        self.found = point
        self.points = [*self.points[-MOST_POINTS:], (point, broken)]
        return True


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


def _ends_of(window: Model, model: Model, core: Collection[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return the bounds of a core that are those of a window, not of the model."""
    return [
        (kind, k)
        for kind, k in sorted(core)
        if kind in ("low", "high") and getattr(window.columns[k], kind) != getattr(model.columns[k], kind)
    ]


def _near(model: Model, columns: Collection[int]) -> Model:
    """Return the model with bounds for some columns: a window from the bound that each has, or around 0."""
    found = []
    for k, column in enumerate(model.columns):
        if k in columns:
            value = column.low if column.low is not None else column.high or 0
            low, high = floor(value) - WINDOW, ceil(value) + WINDOW
            column = replace(
                column,
                low=low if column.low is None else max(low, column.low),
                high=high if column.high is None else min(high, column.high),
            )
        found.append(column)
    return replace(model, columns=tuple(found))


def _simple(near: float) -> Number:
    """Return the nearest number with a small denominator; whole ones as ``int``, which is quicker."""
    whole = round(near)
    return whole if abs(near - whole) * SIMPLE < 1 / 2 else Fraction(near).limit_denominator(SIMPLE)
