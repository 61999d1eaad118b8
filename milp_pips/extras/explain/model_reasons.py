"""Explain why a linear model has no solution: minimal sets of items that clash, and repairs.

``explain`` calls this for models. Short proofs come first, then a tree with its core, then deletion; further
sets come from the same search as those of puzzles (``clashes``). Each set is confirmed by a certificate of
its own, which is checked in whole numbers.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import islice

from milp_pips.compilation.limits import Unfinished
from milp_pips.enumeration.tree import Tree, TreeSettings
from milp_pips.enumeration.tree_bounds import with_implied_bounds
from milp_pips.enumeration.tree_points import TreeQuery
from milp_pips.extras.explain.clashes import MAX_CLASH_BY_SIZE, clashes
from milp_pips.extras.explain.hitting import HittingSets, Option
from milp_pips.extras.explain.model_explanation import ModelExplanation, ModelReason
from milp_pips.extras.explain.model_items import KINDS_OF_BOUNDS, ModelItem, ModelItems
from milp_pips.extras.explain.model_lp import SumSearch
from milp_pips.extras.explain.model_oracle import CERTIFIED_NODES, ModelOracle, is_too_fine
from milp_pips.extras.explain.model_proofs import multipliers, refutes, short_proofs
from milp_pips.extras.explain.model_remainders import proof_of, remainder
from milp_pips.extras.explain.model_trees import is_refuted
from milp_pips.extras.explain.reasoner import OutOfTime
from milp_pips.formulations.exact import Number, size
from milp_pips.formulations.linear_problem import LinearProblem
from milp_pips.formulations.model import Model
from milp_pips.formulations.rows import Column, Row
from milp_pips.problem import Deadline, EngineFault, Stop, SubDeadline, UsageError
from milp_pips.problem.objective import MAXIMISE, MINIMISE
from milp_pips.problem.stopping import EarlierDeadline
from milp_pips.puzzles.linear import LinearPuzzle
from milp_pips.runtime.writing import temporary_folder
from milp_pips.tasks.models import on_no_point
from milp_pips.tasks.tree_proofs import prove_model
from milp_pips.tasks.trees import HOW, plainly_named

MODEL_SECONDS = 10.0
"""The time limit for a model without one of its own, in seconds."""

MOST_SHORT_PROOFS = 5
"""The most short proofs that are thinned; the smallest reason is kept."""

SMALL_TREES_WORK = 100_000
"""The most work of small trees for a clash with fewer rows by integrality: a third of a second."""

TREE_START = 2000
"""The work of such a tree without rows; each coefficient of a row is one more."""

FEWEST_SEARCHES = 10
"""Fewer such trees find nothing."""

FURTHER_SECONDS = 2.0
"""The seconds for other reasons, and again for repairs, without a time limit."""

OPINION = 2.0
"""The most seconds of opinions on a set that no tree refutes, if it is proved that there is no solution."""

CONFIRMING_SHARE = 0.3
"""The share of the time that is left for confirming a first reason."""

NEXT_SHARE = 0.5
"""The share of that which a certificate leaves for the next one, and for an opinion."""


def explain_model(puzzle: LinearPuzzle, deadline: Deadline, reasons: int) -> ModelExplanation:
    """Return why a model has no solution, as far as it is found until the deadline.

    With 0 ``reasons`` it is the first that is found, without repairs. Without a time limit it takes
    ``MODEL_SECONDS`` at most.
    """
    begun, further = time.perf_counter(), None
    if deadline.remaining is None:
        deadline, further = SubDeadline(deadline, MODEL_SECONDS), FURTHER_SECONDS
    explaining = _ExplainingModel(puzzle, deadline, further)
    try:
        explaining.run(reasons)
    except OutOfTime:
        explaining.keep_rest()
        explaining.add(stop=deadline.stop or Stop.TIME)
    return replace(explaining.found, seconds=time.perf_counter() - begun)


class _ExplainingModel:
    """Builds an explanation; ``found`` is what has been found so far."""

    def __init__(self, puzzle: LinearPuzzle, deadline: Deadline, further: float | None):
        self._further = further
        model = puzzle.given or puzzle.model
        rows = [replace(row, terms={j: a for j, a in row.terms.items() if a}) for row in model.rows]
        self._items = ModelItems(replace(model, rows=tuple(rows)))
        self._deadline = deadline
        self._oracle = ModelOracle(self._items, EarlierDeadline(deadline, CONFIRMING_SHARE))
        self._known: dict[tuple[int, ...], ModelReason] = {}
        self._refuted = list[int]()
        """All items if the first tree has refuted them: it does so again, where a reason takes too long."""
        self._proof: str | None = None
        """What has confirmed that the model has no solution."""
        self.found = ModelExplanation(puzzle, self._items)

    def add(self, **found: object) -> None:
        """Add fields to what has been found."""
        self.found = replace(self.found, **found)  # type: ignore[arg-type]

    def run(self, most: int) -> None:
        """Find everything, until OutOfTime is raised."""
        first = self._first_clash()
        if first is None and self._oracle.found is None:
            self.add(remark="nothing decides whether it has a solution")
            return
        if first is None:
            ray = growing(self._items.model, self._deadline)
            self.add(status="unbounded" if ray else "feasible", ray=ray)
            return
        self._keep(first)
        if not most:
            return
        wants_others = most > 1 or len(first) <= MAX_CLASH_BY_SIZE  # else no smaller one is looked for
        for work in (partial(self._find_others, most if wants_others else 0), self._find_repairs):
            self._oracle.deadline = SubDeadline(self._deadline, self._further)
            try:
                self._oracle.look()
                work()
            except OutOfTime:
                if self._deadline.stop:
                    raise
                more = "there may be other reasons or repairs: a longer --time-limit looks for them"
                self.add(remark=self.found.remark or more)

    def _find_others(self, most: int) -> None:
        """Find so many reasons, the smallest first for as long as that is quick."""
        for numbers, least in islice(clashes(self._oracle), most):
            self._keep(numbers, least, most)

    def _first_clash(self) -> list[int] | None:
        """Return a minimal clash that is quick to find; None if there is a solution."""
        short = list(islice(short_proofs(self._items), MOST_SHORT_PROOFS))
        if short:
            return min(short, key=len)
        if found := SumSearch(self._items, self._deadline).clash():
            return self._with_fewer_rows(found)
        self._oracle.look()
        name, size = self.found.puzzle.name, self._oracle.size
        self._deadline.progress.report(
            f"{name}: searching for a solution of {size} rows, bounds and integralities"
        )
        left_over = remainder(self._items, range(size))
        asked = range(size) if left_over is None else sorted(proof_of(self._items, left_over))
        if self._oracle.solve(asked):
            return None
        self._refuted = list(range(size)) if len(self._oracle.core) < size else []
        self._deadline.progress.report(f"{name}: no solution; looking for the reason")
        return self._oracle.clash()

    def _with_fewer_rows(self, clash: list[int]) -> list[int]:
        """Return a clash that has fewer rows by the integrality of columns, if one is quick to find."""
        every, items = range(self._oracle.size), self._items.items
        if not any(item.kind == "integer" for item in items):
            return clash
        coefficients = sum(len(row.terms) for row in self._items.model.rows)
        searches = SMALL_TREES_WORK // (TREE_START + coefficients)
        if searches < FEWEST_SEARCHES:
            return clash
        searches += self._oracle.searches
        for start in (every, clash):
            rows, fewer = [i for i in start if items[i].kind == "row"], _rows(clash, items) - 1
            if fewer:
                try:
                    clash = self._oracle.clash_by_integrality(rows, fewer, searches) or clash
                except OutOfTime:
                    return clash
        return clash

    def _keep(self, numbers: Sequence[int], least: int = 0, most: int = 1) -> None:
        """Keep a clash among the smallest; ``least`` is a lower bound on the size of all."""
        known, items = self._known, self._items.items
        if tuple(numbers) not in known:
            is_minimal = self._oracle.is_sure or len(multipliers(self._items, numbers) or ()) == len(numbers)
            proof = self._confirm(numbers)
            others = self._refuted, _with_bounds(self._items, numbers)
            wider = [more for more in others if more and more != list(numbers)]  # they have no solution, too
            ways = (way(more) for way in (self._confirm, self._opinion) for more in wider)
            self._proof = self._proof or proof or next(filter(None, ways), None)
            by = proof or self._opinion(numbers)
            self._proof = self._proof or by
            known[tuple(numbers)] = ModelReason(tuple(items[i] for i in numbers), is_minimal, False, by)
        for key in known:
            is_smallest = len(key) <= least and not self._oracle.has_guessed
            known[key] = replace(known[key], smallest=is_smallest)
        reasons = tuple(sorted(known.values(), key=_length))[:most]
        status, remark = "infeasible", ""
        if self._proof is None:
            status = "unknown"
            remark = "the search found no solution, but nothing has confirmed that there is none"
        self.add(reasons=reasons, confirmed_by=self._proof, status=status, remark=remark)
        sizes = ", ".join(str(len(reason.items)) for reason in reasons)
        self._deadline.progress.report(f"{self.found.puzzle.name}: sizes of reasons so far: {sizes}")

    def keep_rest(self) -> None:
        """Keep the smallest clash so far, which is perhaps not minimal, if there is no other."""
        if not self._known and self._oracle.smallest is not None:
            self._oracle.is_sure = False
            self._keep(self._oracle.smallest)

    def _confirm(self, numbers: Sequence[int]) -> str | None:
        """Return what has checked a certificate of these items; None if nothing has."""
        model = self._items.part(numbers).model
        if model.contradiction:
            return "exact arithmetic"
        if refutes(self._items, multipliers(self._items, numbers)):
            return "the sum of its rows and bounds, in fractions"
        if (found := remainder(self._items, numbers)) is not None:
            return f"its remainders by {found.divisor}, checked in whole numbers"
        share = EarlierDeadline(self._deadline, NEXT_SHARE)
        problem = LinearProblem(plainly_named(model), ())
        with suppress(Unfinished, UsageError, EngineFault):
            if problem.endless and not is_refuted(model, CERTIFIED_NODES, lambda: share.stop):
                return None
            if by := self._confirm_by_aim(numbers, share):
                return by
        with temporary_folder() as folder:
            try:
                proved = prove_model(problem, "", folder, TreeQuery(), share)
            except (Unfinished, UsageError, EngineFault) as fault:
                if isinstance(fault, EngineFault) and not share.stop:
                    raise
                return None  # perhaps open leaves were not accepted
        if proved.solutions:
            raise EngineFault(f"{self.found.puzzle.name}: a certificate has a solution of what clashes")
        return None if proved.most else HOW.format(proved.nodes, "node" if proved.nodes == 1 else "nodes")

    def _confirm_by_aim(self, numbers: Sequence[int], deadline: Deadline) -> str | None:
        """Return what has checked that the best value of a row is beyond its side; None if nothing has.

        The row is the one that was the best objective of trees.
        """
        if (aim := self._oracle.aim) is None or aim not in numbers:
            return None
        row = self._items.model.rows[self._items.items[aim].number]
        others = [i for i in numbers if i != aim]
        part = self._items.part(others)
        place = {j: k for k, j in enumerate(part.columns)}
        if not place.keys() >= set(row.terms):
            return None
        costs = {place[j]: a for j, a in row.terms.items()}
        columns = tuple([replace(c, cost=costs.get(k, 0)) for k, c in enumerate(part.model.columns)])
        sense = MAXIMISE if row.high is None else MINIMISE
        model = replace(part.model, columns=columns, sense=sense)
        start = [
            {k: values[j] for k, j in enumerate(part.columns)}
            for values, broken in self._oracle.points
            if broken.isdisjoint(others)
        ]
        problem, query = LinearProblem(plainly_named(model), ()), TreeQuery(best=1)
        with temporary_folder() as folder:
            proved = prove_model(problem, "", folder, query, deadline, start)
        if proved.best is None:
            return None
        is_beyond = proved.best < row.low if row.low is not None else proved.best > (row.high or 0)
        return HOW.format(proved.nodes, "node" if proved.nodes == 1 else "nodes") if is_beyond else None

    def _opinion(self, numbers: Sequence[int]) -> str | None:
        """Return which engine confirms that items without a certificate clash; None if none does."""
        model = self._items.part(numbers).model
        if is_too_fine(model):
            return None
        try:
            deadline = SubDeadline(self._deadline, OPINION if self._proof else None)
            return on_no_point(LinearProblem(model, ()), deadline, with_other=True).confirmed_by
        except (EngineFault, UsageError):  # an engine that fails confirms nothing
            return None

    # Repairs.

    def _find_repairs(self) -> None:
        """Find single items to leave out, or the fewest together, and the least change of right sides."""
        items = self._items.items
        oracle, found = self._oracle, list[int]()
        common = set.intersection(*map(set, self._known)) if self._known else set[int]()
        every = set(range(oracle.size))
        for i in sorted(common):
            if i not in common:
                continue
            if not oracle.solve_without(every, i):
                common &= set(oracle.core)  # a repair is part of all clashes
            elif oracle.found is not None:
                found.append(i)
        self.add(repairs=tuple(items[i] for i in found))
        oracle.look()
        self.add(changes=least_changes(self._items.model, oracle.deadline))
        if not found:
            self.add(together=tuple(items[i] for i in self._fewest()))

    def _fewest(self) -> list[int]:
        """Return the fewest items to leave out together; none if that is not known in time."""
        every = frozenset(range(self._oracle.size))

        def clash_without(left_out: frozenset[int]) -> frozenset[int] | None:
            if self._oracle.solve(every - left_out):
                if self._oracle.found is None:
                    raise OutOfTime
                return None
            return every.difference(self._oracle.clash())

        sets = HittingSets([Option(1, frozenset([i])) for i in sorted(every)], clash_without)
        sets.begin()
        sets.finish(self._oracle.deadline)
        return sorted(sets.best) if sets.best is not None and sets.is_optimal else []


def _rows(clash: Iterable[int], items: Sequence[ModelItem]) -> int:
    return sum(items[i].kind == "row" for i in clash)


def _length(reason: ModelReason) -> tuple[int, int]:
    return len(reason.items), sum(item.kind not in KINDS_OF_BOUNDS for item in reason.items)


def _with_bounds(items: ModelItems, numbers: Iterable[int]) -> list[int]:
    """Return items with what a tree needs beside integralities: all bounds of the columns make it short."""
    found = set(numbers)
    if any(items.items[i].kind == "integer" for i in found):
        columns = {j for i in found for j in items.whole[i].columns}
        found.update(i for j in columns for i in items.of_column[j] if items.items[i].kind != "row")
    return sorted(found)


def reason_of(puzzle: LinearPuzzle, deadline: Deadline, *, for_tree: bool = False) -> Model:
    """Return the model of the first reason that is found, perhaps with the bounds that a tree needs.

    Raises UsageError if there is none, and Unfinished.
    """
    found = explain_model(puzzle, deadline, 0)
    if not found.reasons:
        what = "not known whether it has a solution" if found.status == "unknown" else "it has a solution"
        raise UsageError(f"{puzzle.name}: no reason: {what}")
    numbers = [found.items.number_of[item] for item in found.reasons[0].items]
    model = found.items.part(numbers).model
    if for_tree and LinearProblem(with_implied_bounds(model, deadline), ()).endless:
        return found.items.part(_with_bounds(found.items, numbers)).model
    return model


# The least change of right-hand sides, and rays.


def least_changes(model: Model, deadline: Deadline) -> tuple[tuple[int, Number], ...]:
    """Return the rows to change, and by how much, so that the total is least; none if that is not known.

    Each row gets two columns by which its sides may be missed, and these cost 1 (elastic programming: Brown
    and Graves 1975). The optimum is exact.
    """
    columns = [replace(column, cost=0) for column in model.columns]
    rows, slack = list[Row](), dict[int, tuple[int, int]]()
    for i, row in enumerate(model.rows):
        terms = dict(row.terms)
        for factor, side in ((1, row.low), (-1, row.high)):
            if side is not None:
                slack[len(columns)] = i, factor
                terms[len(columns)] = factor
                columns.append(Column(f"change {len(columns)}", 0, None, cost=1))
        rows.append(Row(row.name, terms, row.low, row.high))
    names = tuple([replace(column, name=f"c{j}") for j, column in enumerate(columns)])
    best = _best(Model(names, tuple(rows)), deadline)
    if best is None:
        return ()
    return tuple((i, -factor * best[j]) for j, (i, factor) in slack.items() if best[j])


def growing(model: Model, deadline: Deadline) -> tuple[tuple[int, Number], ...]:
    """Return a direction in which a feasible model's objective grows for ever; none if there is none.

    Of all such directions one with few columns: the least sum of absolute values.
    """
    if not any(c.cost and (c.low is None or c.high is None) for c in model.columns):
        return ()
    sign = 1 if model.sense == MAXIMISE else -1
    columns, rows = list[Column](), list[Row]()
    for column in model.columns:  # its growth is the first less the second
        columns.append(Column(f"c{len(columns)}", 0, 0 if column.high is not None else None, cost=1))
        columns.append(Column(f"c{len(columns)}", 0, 0 if column.low is not None else None, cost=1))
    terms = {j: sign * column.cost for j, column in enumerate(model.columns) if column.cost}
    for row in (*model.rows, Row("", terms, 1)):
        both = {2 * j + k: (a, -a)[k] for j, a in row.terms.items() for k in (0, 1)}
        is_gain = row.terms is terms
        low, high = (
            (1, None) if is_gain else (None if row.low is None else 0, None if row.high is None else 0)
        )
        rows.append(Row("", both, low, high))
    best = _best(Model(tuple(columns), tuple(rows)), deadline)
    if best is None:
        return ()
    steps = [(j, best[2 * j] - best[2 * j + 1]) for j in range(len(model.columns))]
    smallest = min(size(step) for _, step in steps if step)
    return tuple((j, Fraction(step) / smallest) for j, step in steps if step)


def _best(model: Model, deadline: Deadline) -> Sequence[Number] | None:
    """Return an optimal point, exactly; None if there is none, or it is not known in time."""
    try:
        tree = Tree(model, TreeQuery(best=1), TreeSettings(stop=lambda: deadline.stop))
        for _ in tree.points():
            pass
    except UsageError:
        return None
    outcome = tree.outcome
    return outcome.points[0].values if outcome.complete and outcome.points else None
