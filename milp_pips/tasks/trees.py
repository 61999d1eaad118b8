"""The method ``tree``: all solutions of a linear model in one tree, whose log is checked as a certificate.

Solutions that no better one can exclude come as they are found, and the file of a list keeps what is left to
search. A list that resumes searches this alone, so that it has no certificate.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from milp_pips.engines.contract import Points
from milp_pips.engines.defaults import LP_SOLVER
from milp_pips.enumeration.subproblems import Subproblem
from milp_pips.enumeration.tree import Bounds, Tree, TreeOutcome
from milp_pips.enumeration.tree_log import TreeLog
from milp_pips.enumeration.tree_points import Point, TreeQuery
from milp_pips.formulations.exact import Number, stated
from milp_pips.formulations.linear_problem import LinearProblem
from milp_pips.formulations.model import Model
from milp_pips.problem.answer import MAXIMISE, Proof, Stop
from milp_pips.problem.errors import EngineFault, InputError, UsageError
from milp_pips.runtime.writing import temporary_folder
from milp_pips.tasks.lines import SolutionFile
from milp_pips.tasks.listers import KnownLines, Lister
from milp_pips.tasks.prepared import Prepared
from milp_pips.tasks.query import Query, Run
from milp_pips.tasks.results import Optimum
from milp_pips.tasks.tree_proofs import StatedModel, seconds_left, start_points, tree_query
from milp_pips.verification.second_opinion import confirming_deadline
from milp_pips.verification.verify_tree import LARGEST_TEXT, OutOfTime, Refused, Watch, verify

SAVING_INTERVAL = 1.0
"""Seconds between two saves of the boxes that are left to search."""

HOW = "its certificate: {} {}, each checked in whole numbers"
"""What confirms a list."""


def require_tree(query: Query, run: Run) -> None:
    """Raise UsageError for what the tree does not do."""
    given = {"jobs": run.jobs > 1}
    given |= {"solver": run.solver not in ("", LP_SOLVER), "limit and best": None not in query.select[:2]}
    if others := [name for name, is_given in given.items() if is_given]:
        raise UsageError(f"the tree lists by itself, on a live LP of HiGHS: omit {' and '.join(others)}")


class TreeLister(Lister):
    """Lists the solutions of a linear model by a tree; see ``milp_pips.enumeration.tree``.

    Without a distance from the optimum, points come as they are found; with one, at the end, since a better
    point may exclude others. If that comes too early, those near the best known value are listed.
    """

    method, solver = "tree", LP_SOLVER

    def __init__(self, prepared: Prepared, problem: LinearProblem, query: Query, run: Run):
        super().__init__(prepared, next(iter(problem.keys)), run)
        self._problem = problem
        self._query = tree_query(problem, query.distance, query.select.best)
        puzzle: Any = query.puzzle
        self._start = start_points(puzzle, query.start or ())
        self.outcome = TreeOutcome()
        self._confirmed_by: str | None = None
        self._file: SolutionFile | None = None
        self._boxes: list[Bounds] | None = None
        self._stated: StatedModel | None = None
        for model in (problem.model, plainly_named(problem.model)):  # no file has blanks in its names
            try:
                self._stated = StatedModel.of(model)
                break
            except (InputError, UsageError) as fault:  # a name or a number that no file can have
                reason = fault
        else:
            run.deadline.progress.report(f"{problem.model.name}: no certificate: {reason}")

    def resuming(self, file: SolutionFile | None) -> TreeLister:
        """Return this lister with the file of its list. Raises InputError and UsageError."""
        self._file = file
        if file is not None and file.frontier is not None and not file.is_complete:
            self._boxes, self._stated = self._boxes_of(file), None
            left = f"{self._problem.model.name}: {len(self._boxes)} boxes are left to search"
            self.deadline.progress.report(f"{left}; a list that resumes has no certificate")
        return self

    def _boxes_of(self, file: SolutionFile) -> list[Bounds]:
        """Return the boxes that an earlier run has left. Raises InputError and UsageError."""
        if self._query.has_cutoff:
            raise UsageError(f"{file.path} belongs to another list, that of all solutions")
        kept = [kept for _, kept in file.frontier or ()]
        columns = self._problem.model.columns
        if any(j >= len(columns) or not columns[j].integer or len(e) != 2 for box in kept for j, e in box):
            raise InputError("boxes of another model", f"{file.path}.state")
        return [{j: (low, high) for j, (low, high) in box} for box in kept]

    def points(self, known: KnownLines) -> Points:
        unseen = self._known_keys(known)
        earlier = set(unseen)
        if self._boxes == []:
            return Proof.COMPLETE, Stop.FINISHED
        with temporary_folder() as folder:
            log = TreeLog(Path(folder)) if self._stated else None
            model = self._stated.model if self._stated else self._problem.model
            tree = Tree(
                model, self._stated_query, self._start, lambda: self.deadline.stop, log, self._boxes or ()
            )
            self.outcome = tree.outcome
            number = 0
            for point in self._found(tree):
                number += 1
                key = tuple([point.values[j] for j in self._problem.over])
                unseen.pop(key, None)
                if key not in earlier:
                    values: tuple[Any, ...] = point.values
                    yield values
            self.optimum = self._optimum()
            if not self.outcome.complete:
                return Proof.NONE, self.deadline.stop or Stop.COUNT
            if unseen and self._boxes is None:
                raise InputError("not a solution that this list has", next(iter(unseen.values())))
            if log is not None:
                self._confirmed_by = self._checked(log, Path(folder), number)
                self.optimum = self._optimum()
            return Proof.COMPLETE, Stop.FINISHED

    def _known_keys(self, known: KnownLines) -> dict[tuple[Number, ...], str]:
        """Return the chosen columns of the solutions of an earlier run, with their places."""
        keys: dict[tuple[Number, ...], str] = {}
        key: tuple[Number, ...]
        projected = list[tuple[Number, ...]]()
        for line, place in known:
            point = self.known_point(line, place)
            key = tuple([point[j] for j in self._problem.over])
            if None in key or key in keys:
                raise InputError("a solution for the second time, or without a chosen column", place)
            keys[key] = place
            if None in point:
                projected.append(key)
        if self._boxes is not None and projected:  # a list from the beginning finds out by itself
            for key in self._without_solution(projected):
                raise InputError(f"no solution of {self._problem.model.name} has these values", keys[key])
        return keys

    def _without_solution(self, keys: list[tuple[Number, ...]]) -> list[tuple[Number, ...]]:
        """Return the chosen columns' values that no others complete, as far as the deadline allows."""
        over = self._problem.over
        boxes = [{j: (int(value), int(value)) for j, value in zip(over, key, strict=True)} for key in keys]
        tree = Tree(self._problem.model, self._query, stop=lambda: self.deadline.stop, boxes=boxes)
        found = {tuple([point.values[j] for j in over]) for point in tree.points()}
        return [key for key in keys if key not in found] if tree.outcome.complete else []

    def _found(self, tree: Tree) -> Iterator[Point]:
        """Yield the points of a tree: at once, or at the end if a better one may exclude them."""
        if self._query.has_cutoff:
            for _ in tree.points():
                self.deadline.progress.report_sometimes(self._progress)
            yield from sorted(self.outcome.points, key=self._cost)
            return
        saved = time.monotonic()
        try:
            for point in tree.points():
                yield point
                # The caller has written this point before it asks for the next.
                if time.monotonic() - saved > SAVING_INTERVAL:
                    self._save(tree)
                    saved = time.monotonic()
        except GeneratorExit:
            self._save(tree)
            raise
        self._save(tree)

    def _save(self, tree: Tree) -> None:
        """Tell the file of the list what is left to search."""
        if self._file is not None:
            boxes = ([(j, ends) for j, ends in box.items()] for box in tree.frontier())
            self._file.save_frontier([Subproblem(0, tuple(box)) for box in boxes])

    @property
    def _times(self) -> int:
        """By what the objective of the model that the tree searches is multiplied."""
        return 1 if self._stated is None else self._stated.times

    @property
    def _stated_query(self) -> TreeQuery:
        """The query for the model that the tree searches."""
        within = self._query.within
        return replace(self._query, within=None if within is None else self._times * within)

    def _cost(self, point: Point) -> Fraction:
        value = Fraction(point.value)
        return -value if self._problem.model.sense == MAXIMISE else value

    def _progress(self) -> str:
        return f"{self.prepared.puzzle.name}: {self.outcome.settled:.1%} of the box is settled"

    def _checked(self, log: TreeLog, folder: Path, number: int) -> str | None:
        """Return what the certificate proves, once it is checked; None if that takes too long."""
        model, stated_model = self._problem.model, self._stated
        assert stated_model is not None
        if max(log.points_size, len(stated_model.text.encode())) > LARGEST_TEXT:
            self.deadline.progress.report(
                f"{model.name}: no certificate: it would be too large to be checked"
            )
            return None
        try:
            chosen = [stated_model.model.columns[j].name for j in self._problem.over]
            log.finish(stated_model.text, chosen, self._stated_query, number)
            proved = verify(folder, Watch(seconds_left(confirming_deadline(self.deadline))))
        except OutOfTime as fault:
            self.deadline.progress.report(f"{model.name}: no certificate: {fault}")
            return None
        except Refused as fault:
            raise EngineFault(f"the certificate of {model.name} is refused: {fault}") from None
        if not proved.solutions == proved.most == number:
            return None
        return HOW.format(proved.nodes, "node" if proved.nodes == 1 else "nodes")

    def confirm(self, found: int) -> str | None:  # noqa: ARG002
        """Return what the certificate proves."""
        return self._confirmed_by

    def _optimum(self) -> Optimum | None:
        """Return the best value, which is the optimum if the tree is complete."""
        if not self._query.has_cutoff or not self.outcome.points:
            return None
        value: Any = stated(Fraction(min(self.outcome.points, key=self._cost).value) / self._times)
        by, is_optimal = self._confirmed_by, self.outcome.complete
        bound = value if is_optimal else None
        return Optimum(self._problem.model.sense, "the objective", value, bound, is_optimal, by)


def plainly_named(model: Model) -> Model:
    """Return the model with names that every file takes."""
    columns = tuple([replace(column, name=f"c{j}") for j, column in enumerate(model.columns)])
    return replace(model, columns=columns, name="model")
