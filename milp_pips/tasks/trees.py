"""The method ``tree``: all solutions of a linear model in one tree, whose log is checked as a certificate.

Solutions that no better one can exclude come as they are found. The file of a list keeps what is left to
search, and the log so far beside it: so a list that resumes has one certificate of all its parts.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from milp_pips.compilation.limits import MemoryLimit
from milp_pips.engines.contract import Points
from milp_pips.engines.defaults import LP_SOLVER
from milp_pips.enumeration.tree import Subtree, Tree, TreeOutcome, TreeSettings
from milp_pips.enumeration.tree_log import FAST_PACKING, PACKING, LogSizes, TreeLog, points_of
from milp_pips.enumeration.tree_pieces import TreeInPieces, open_tree
from milp_pips.enumeration.tree_points import Limit, Point, TreePoints, TreeQuery
from milp_pips.enumeration.whole import in_whole_numbers
from milp_pips.formulations.exact import Number, stated
from milp_pips.formulations.linear_problem import LinearProblem
from milp_pips.formulations.model import Model
from milp_pips.problem.answer import MAXIMISE, Proof, Stop
from milp_pips.problem.errors import EngineFault, InputError, UsageError
from milp_pips.problem.stopping import SubDeadline
from milp_pips.runtime.writing import temporary_folder, write_errors
from milp_pips.tasks.lines import SolutionFile, read_state
from milp_pips.tasks.listers import KnownLines, Lister
from milp_pips.tasks.query import Prepared, Query, Run
from milp_pips.tasks.results import Optimum
from milp_pips.tasks.shards import folder_of
from milp_pips.tasks.tree_proofs import (
    SAVING_INTERVAL,
    StatedModel,
    add_checker,
    boxes_of,
    left_of,
    seconds_left,
    start_points,
    tree_query,
)
from milp_pips.verification.second_opinion import confirming_deadline
from milp_pips.verification.verify_tree import LARGEST_TEXT, OutOfTime, Refused, Watch, verify

if TYPE_CHECKING:
    from milp_pips.runtime.executor import Executor

HOW = "its certificate: {} {}, each checked in whole numbers"
"""What confirms a list."""


def require_tree(query: Query, run: Run) -> None:
    """Raise UsageError for what the tree does not do."""
    given = {"solver": run.solver not in ("", LP_SOLVER), "limit and best": None not in query.select[:2]}
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
        self._memory = MemoryLimit(run.settings.memory)
        self.deadline = SubDeadline(run.deadline, criterion=self._memory)
        self._problem = problem
        self._query = tree_query(problem, query.distance, query.select.best)
        puzzle: Any = query.puzzle
        self._start = start_points(puzzle, query.start or ())
        self.outcome = TreeOutcome()
        self._confirmed_by: str | None = None
        self._file: SolutionFile | None = None
        self._boxes: list[Subtree] | None = None
        self._saved_at = time.monotonic()
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
        """Return this lister with the file of its list. Raises InputError."""
        self._file = file
        if file is not None and file.frontier is not None:
            boxes = self._boxes_of(file)
            # Without a log the points of the earlier run are not known as such; the tree finds them again.
            is_known = file.log is not None or not (self._query.has_cutoff or file.is_complete)
            self._boxes = boxes if is_known and boxes != [Subtree({})] else None
            self.deadline.progress.report(
                f"{self._problem.model.name}: {len(boxes)} boxes are left to search"
            )
        return self

    def _boxes_of(self, file: SolutionFile) -> list[Subtree]:
        """Return the boxes that an earlier run has left. Raises InputError."""
        left, model = file.frontier or [], self._problem.model
        shares = file.log.shares if file.log else [1 / len(left) for _ in left]
        return boxes_of(model, left, shares, f"{file.path}.state")

    def points(self, known: KnownLines) -> Points:
        unseen = self._known_keys(known)
        earlier, boxes, over = set(unseen), self._boxes, self._problem.over
        model = self._stated.model if self._stated else self._problem.model
        points = TreePoints(in_whole_numbers(model), self._stated_query)
        if self.run.shard is not None:
            points = TreePoints(points.whole, self._stated_query, self._limit_of_list(points))
        with ExitStack() as stack:
            folder = stack.enter_context(self._folder())
            log = self._open_log(folder)
            if log is not None:
                stack.callback(log.close)
                for stated_values in log.points():
                    points.take_stated(stated_values)
            for found in stack.enter_context(closing(self._found(model, points, log))):
                key = tuple([found.values[j] for j in over])
                unseen.pop(key, None)
                if key not in earlier:
                    values: tuple[Any, ...] = found.values
                    yield values
            self.optimum = self._optimum()
            if self._memory.reached:
                self.deadline.progress.report(self._full(len(points.kept)))
            if not self.outcome.complete:
                return Proof.NONE, self.deadline.stop or Stop.COUNT
            if self.run.shard is not None:
                return Proof.NONE, Stop.FINISHED
            if unseen and (log is not None or boxes is None):
                raise InputError("not a solution that this list has", next(iter(unseen.values())))
            if log is not None:
                self._confirmed_by = self._checked(log, folder, len(points.kept))
                self.optimum = self._optimum()
            return Proof.COMPLETE, Stop.FINISHED

    @contextmanager
    def _folder(self) -> Iterator[Path]:
        """Yield the folder of the log: beside the file, or a temporary one. Raises as ``write_errors``."""
        if self._file is None:
            with temporary_folder() as folder:
                yield Path(folder)
            return
        place = folder_of(self._file.path)
        with write_errors(str(place)):
            os.makedirs(place, exist_ok=True)
            yield place

    def _open_log(self, folder: Path) -> TreeLog | None:
        """Return the log, which goes on where an earlier run has saved it. Raises InputError."""
        if self._stated is None:
            return None
        saved = self._file.log if self._file is not None and self._boxes is not None else None
        packing = FAST_PACKING if self._file is None else PACKING
        return TreeLog(folder, LogSizes(*saved.sizes) if saved else None, packing)

    def _limit_of_list(self, points: TreePoints) -> Limit:
        """Return the cutoff by the points of the list to which this shard belongs."""
        saved = read_state(f"{self.run.out}.state")["log"]
        for values in points_of(folder_of(self.run.out), saved[0][1]):
            points.take_stated(values)
        return points.limit

    def _known_keys(self, known: KnownLines) -> dict[tuple[Number, ...], str]:
        """Return the chosen columns of the solutions of an earlier run, with their places."""
        keys: dict[tuple[Number, ...], str] = {}
        for line, place in known:
            point = self.known_point(line, place)
            key: tuple[Number, ...] = tuple([point[j] for j in self._problem.over])
            if None in key or key in keys:
                raise InputError("a solution for the second time, or without a chosen column", place)
            keys[key] = place
        return keys

    def _found(self, model: Model, points: TreePoints, log: TreeLog | None) -> Generator[Point, None, None]:
        """Yield all points: at once, or at the end if a better one may exclude them."""
        earlier, has_cutoff = list(points.kept.values()), self._query.has_cutoff
        if self._boxes == []:
            self.outcome.complete, self.outcome.points = True, earlier
        else:
            yield from () if has_cutoff else earlier
            with self.run.workers() as executor:
                yield from self._searched(executor, model, points, log)
        if self.run.shard is None and (has_cutoff or self._boxes == []):
            yield from sorted(points.kept.values(), key=self._cost) if has_cutoff else earlier

    def _searched(
        self, executor: Executor | None, model: Model, points: TreePoints, log: TreeLog | None
    ) -> Iterator[Point]:
        """Search what is left, and yield the points that no better one can exclude."""
        query = self._stated_query
        tree = open_tree(
            model,
            query,
            TreeSettings(start=self._start, log=log, boxes=self._boxes or (), points=points),
            executor,
            self.deadline,
            lambda: self._save_sometimes(tree, log),
        )
        self.outcome = tree.outcome
        try:
            with closing(tree.points()) as found:
                for point in found:
                    if query.has_cutoff:
                        self.deadline.progress.report_sometimes(self._progress)
                    else:
                        yield point  # the caller has written it before it asks for the next
        finally:
            self._save(tree, log)

    def _save_sometimes(self, tree: Tree | TreeInPieces, log: TreeLog | None) -> None:
        if self._file is not None and time.monotonic() - self._saved_at > SAVING_INTERVAL:
            self._save(tree, log)

    def _save(self, tree: Tree | TreeInPieces, log: TreeLog | None) -> None:
        """Tell the file of the list what is left to search, and what the log has."""
        if self._file is None:
            return
        self._file.save_frontier(*left_of(tree, log))
        self._saved_at = time.monotonic()

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
            add_checker(folder)
            proved = verify(folder, Watch(seconds_left(confirming_deadline(self.deadline))))
        except OutOfTime as fault:
            self.deadline.progress.report(f"{model.name}: no certificate: {fault}")
            return None
        except Refused as fault:
            if self._boxes is not None:  # an earlier run has written a part of it
                raise InputError(f"refused: {fault}; {self._again}", str(folder)) from None
            raise EngineFault(f"the certificate of {model.name} is refused: {fault}") from None
        if not proved.solutions == proved.most == number:
            return None
        return HOW.format(proved.nodes, "node" if proved.nodes == 1 else "nodes")

    def _full(self, number: int) -> str:
        """Return in a sentence that the memory is used up, and what helps."""
        known = f"{number} solution{'s' * (number != 1)}"
        what = f"the list takes more than {self._memory.most / 2**20:.0f} MB of memory; {known} so far"
        return f"{self.prepared.puzzle.name}: {what}; count, choose fewer columns, or give a greater limit"

    @property
    def _again(self) -> str:
        """How to begin again."""
        assert self._file is not None
        return f"remove {self._file.path} and {self._file.path}.state to begin again"

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
