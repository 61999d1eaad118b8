"""Certificates of linear models: the model as the file of the certificate states it, and the whole folder."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from math import ceil, floor, lcm
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from milp_pips.compilation.limits import Unfinished
from milp_pips.enumeration.subproblems import Subproblem
from milp_pips.enumeration.tree import Subtree, Tree, TreeSettings
from milp_pips.enumeration.tree_log import LogSizes, TreeLog
from milp_pips.enumeration.tree_pieces import TreeInPieces, open_tree
from milp_pips.enumeration.tree_points import TreePoints, TreeQuery
from milp_pips.enumeration.whole import in_whole_numbers
from milp_pips.formulations.exact import Number, exact
from milp_pips.formulations.linear_problem import LinearProblem
from milp_pips.formulations.model import Model
from milp_pips.formulations.reading import read_model
from milp_pips.formulations.reading.lines import ReadingNote
from milp_pips.formulations.rows import Column, Row
from milp_pips.formulations.writing_files import is_decimal, writable
from milp_pips.problem import VERSION
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import EngineFault, InputError, UsageError
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.linear import LinearPuzzle, ModelValues, read_solution
from milp_pips.puzzles.reading import name_of, text_of
from milp_pips.runtime.writing import write_errors
from milp_pips.tasks.lines import UNFINISHED, SavedLog, read_state, write_state
from milp_pips.tasks.query import Distance
from milp_pips.verification import PROGRAM
from milp_pips.verification import verify_tree as checker
from milp_pips.verification.checkers import LONGEST_CHECK
from milp_pips.verification.verify_tree import LARGEST_TEXT, MODEL_MPS, Mps, OutOfTime, Refused, Whole

if TYPE_CHECKING:
    from milp_pips.runtime.executor import Executor

SAVING_INTERVAL = 1.0
"""Seconds between two saves of what a tree has left."""

LEAST_CHECKING = 10.0
"""Seconds that the check of a tree that was stopped has at least; else it has as many as the tree took."""


class StatedModel(NamedTuple):
    """A model as the file of its certificate states it: the text, and what it says.

    Its objective is ``times`` that of the model, since no decimal is a third.
    """

    text: str
    model: Model
    is_original: bool
    times: int = 1

    @classmethod
    def of(cls, model: Model, source: str = "") -> StatedModel:
        """Return the model as its MPS file ``source`` states it, if the checker can read that, else as ours.

        Raises UsageError for a name or a number that no file can have.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ReadingNote)  # it was told when the file was read
            if source and _reads_alike(source, original := read_model(source, MODEL_MPS, "mps")):
                return cls(source, original, is_original=True)
        model, times = _in_decimals(model)
        return cls(model.to_mps(), writable(model), False, times)


def _in_decimals(model: Model) -> tuple[Model, int]:
    """Return the model with costs and bounds that decimals state, and by what its objective is multiplied.

    Bounds of integer columns are rounded inwards; those of continuous ones become rows, which are multiplied
    where they are written.
    """
    rows, columns, times = list(model.rows), list[Column](), 1
    priced = [model.constant, *(column.cost for column in model.columns)]
    if not all(map(is_decimal, priced)):
        times = lcm(*(number.denominator for number in priced))
    for j, column in enumerate(model.columns):
        low, high = column.low, column.high
        if column.integer:
            low, high = (None if low is None else ceil(low)), (None if high is None else floor(high))
        elif not all(is_decimal(end) for end in (low, high) if end is not None):
            rows.append(Row(f"bounds_of_{column.name}", {j: 1}, low, high))
            low = high = None
        columns.append(replace(column, low=low, high=high, cost=times * column.cost))
    constant = times * model.constant
    return replace(model, columns=tuple(columns), rows=tuple(rows), constant=constant), times


def _reads_alike(text: str, model: Model) -> bool:
    """Return whether the checker reads an MPS file as the model, row by row."""
    try:
        read = Whole(Mps(text))
    except Refused:
        return False
    whole = in_whole_numbers(model)
    rows = [(dict(row.terms), row.low, row.high) for row in whole.rows]
    return bool(
        list(read.names) == [column.name for column in model.columns]
        and read.integer == list(whole.integer)
        and (read.low, read.high, read.units) == (list(whole.low), list(whole.high), list(whole.unit))
        and (read.costs, read.price, read.sign) == (list(whole.cost), whole.price, whole.sign)
        and read.constant == model.constant
        and [tuple(row) for row in read.rows] == rows
    )


def tree_query(problem: LinearProblem, distance: Distance, best: int | None) -> TreeQuery:
    """Return the query of the tree. Raises UsageError for what it does not list."""
    if None not in distance:
        raise UsageError("the tree takes one distance: within or within_relative")
    within, relative = distance
    share = None if relative is None else Fraction(repr(relative))
    query = TreeQuery(problem.over, within, share, best)
    if query.has_cutoff and not problem.model.has_objective:
        raise UsageError("the best solutions need an objective: the model has none")
    return query


KnownPoints = Sequence[Mapping[int, Number]]
"""Known solutions: values of all columns by position."""

Start = str | os.PathLike[str] | Iterable[Mapping[str, Any]]
"""Known solutions: a file, or values of columns by name."""


def start_points(puzzle: LinearPuzzle, start: Start) -> KnownPoints:
    """Return the values of known solutions. Raises InputError for what is none, or leaves a column open.

    The tree takes those that hold exactly, not within a tolerance alone.
    """
    model, points = puzzle.model, list[Mapping[int, Number]]()
    for solution, place in _solutions(puzzle, start):
        values = solution.values_by_position
        if missing := [column.name for j, column in enumerate(model.columns) if j not in values]:
            raise InputError(f"no value of {missing[0]}", place, expected="values of all columns")
        if broken := model.violated(values):
            raise InputError(f"no solution of {model.name}: {broken}", place)
        points.append(values)
    return points


def _solutions(puzzle: LinearPuzzle, start: Start) -> Iterator[tuple[ModelValues, str]]:
    """Yield known solutions with their places: of a solver's file, or of lines of JSON, or of a list."""
    if isinstance(start, str | os.PathLike):
        text, name = text_of(os.fspath(start)), name_of(os.fspath(start))
        if not text.lstrip().startswith("{"):
            yield read_solution(puzzle, text, name), name
            return
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                yield read_solution(puzzle, line, f"{name}:{number}"), f"{name}:{number}"
        return
    places = {column.name: j for j, column in enumerate(puzzle.model.columns)}
    for number, given in enumerate(start, 1):
        place = f"start {number}"
        if isinstance(given, ModelValues):
            yield given, place
            continue
        if unknown := [name for name in given if name not in places]:
            raise InputError(f"no column {unknown[0]}", place, expected="values of columns by name")
        yield ModelValues(puzzle, {places[name]: exact(value) for name, value in given.items()}), place


def left_of(tree: Tree | TreeInPieces, log: TreeLog | None) -> tuple[list[Subproblem], SavedLog | None]:
    """Save the log; return the boxes that a tree has left to search, and what the log has."""
    left = [*tree.frontier(), *tree.open_boxes]
    boxes = [Subproblem(0, tuple(box.bounds.items())) for box in left]
    if log is None:
        return boxes, None
    return boxes, SavedLog(list(log.save(tree.unwritten)), [box.share for box in left])


def boxes_of(model: Model, left: Iterable[Subproblem], shares: Iterable[float], path: str) -> list[Subtree]:
    """Return the boxes that an earlier run has left. Raises InputError for those of another model."""
    kept, columns = [kept for _, kept in left], model.columns
    if any(j >= len(columns) or not columns[j].integer or len(e) != 2 for box in kept for j, e in box):
        raise InputError("boxes of another model", path)
    return [
        Subtree({j: (low, high) for j, (low, high) in box}, share)
        for box, share in zip(kept, shares, strict=True)
    ]


class UnfinishedProof:
    """What the search for a certificate has left, in its folder, until it ends: a killed one resumes.

    ``boxes`` are left of an earlier search, and ``sizes`` are those of its log; None if it had not begun.

    Raises
    ------
    InputError
        If the file cannot be read, or is damaged.
    UsageError
        If it is the search for another certificate.
    """

    def __init__(self, place: Path, stated: StatedModel, query: TreeQuery):
        self.path = str(place / UNFINISHED)
        digest = sha256(f"{stated.text}{query}".encode()).hexdigest()
        self._head = {"proof": digest, "version": VERSION, "lines": 0, "complete": False}
        self.boxes: list[Subtree] | None = None
        self.sizes: LogSizes | None = None
        self._saved_at = time.monotonic()
        if not os.path.exists(self.path):
            write_state(self.path, {**self._head, "frontier": None, "log": None})
            return
        state = read_state(self.path, f"what was written: restore it, or remove {place} to begin again")
        for what, value in self._head.items():
            if state.get(what) != value:
                raise UsageError(f"{place} has an unfinished certificate of another model, query or version")
        if state["log"] is not None:
            sizes, shares = state["log"]
            boxes = boxes_of(stated.model, state["frontier"], shares, self.path)
            if boxes != [Subtree({})]:
                self.boxes, self.sizes = boxes, LogSizes(*sizes)

    def save_sometimes(self, tree: Tree | TreeInPieces, log: TreeLog) -> None:
        """Write what is left, once a second."""
        if time.monotonic() - self._saved_at > SAVING_INTERVAL:
            left, saved = left_of(tree, log)
            write_state(self.path, {**self._head, "frontier": left, "log": saved})
            self._saved_at = time.monotonic()


def add_checker(folder: Path) -> None:
    """Write the program that checks a certificate into its folder."""
    (folder / PROGRAM).write_bytes(Path(checker.__file__).read_bytes())


def seconds_left(deadline: Deadline) -> float:
    """Return the seconds that a check has until the deadline."""
    return LONGEST_CHECK if deadline.remaining is None else deadline.remaining


def prove_model(
    problem: LinearProblem,
    source: str,
    folder: str,
    query: TreeQuery,
    deadline: Deadline,
    start: KnownPoints = (),
    executor: Executor | None = None,
) -> checker.ProvedByTree:
    """Write and check the certificate of a linear model, with the checker; return what it proves.

    A tree that stops before its end proves two bounds of the number of solutions. What a killed search has
    left in the folder is continued. Raises UsageError for a list that is too large, Unfinished if the check
    takes too long, and EngineFault if it refuses.
    """
    place, name, progress = Path(folder), problem.name, deadline.progress
    stated = StatedModel.of(problem.model, source)
    if stated.times > 1:
        raise UsageError(
            f"the objective of {name} has a number that is no finite decimal, as files need; "
            f"multiply it by {stated.times}"
        )
    unfinished = UnfinishedProof(place, stated, query)
    boxes = unfinished.boxes
    files = [checker.CERTIFICATE_JSON, MODEL_MPS, checker.POINTS_JSONL, checker.TREE_LOG, PROGRAM, UNFINISHED]
    try:
        with write_errors(folder), closing(TreeLog(place, unfinished.sizes)) as log:
            points = TreePoints(in_whole_numbers(stated.model), query)
            for values in log.points() if boxes is not None else ():
                points.take_stated(values)
            tree = open_tree(
                stated.model,
                query,
                TreeSettings(start=start, log=log, boxes=boxes or (), points=points),
                executor,
                deadline,
                lambda: unfinished.save_sometimes(tree, log),
            )
            begun = time.monotonic()
            with closing(tree.points()) as found:
                for _ in found if boxes != [] else ():
                    settled = f"{tree.outcome.settled:.1%} of the box is settled"
                    progress.report_sometimes(lambda settled=settled: f"{name}: {settled}")  # type: ignore[misc]
                    if log.points_size > LARGEST_TEXT:
                        what = f"the list takes more than {LARGEST_TEXT} bytes"
                        raise UsageError(f"{what}: choose fewer columns, or the best")
            if deadline.stop and not tree.outcome.nodes and problem.endless:
                raise Unfinished(f"no certificate: {problem.endless}", deadline.stop)
            chosen = None if query.chosen is None else [stated.model.columns[j].name for j in query.chosen]
            log.finish(stated.text, chosen, query, len(points.kept), is_original=stated.is_original)
            add_checker(place)
        left = seconds_left(deadline)
        if deadline.stop:
            left = max(LEAST_CHECKING, time.monotonic() - begun)
        progress.report(f"{name}: checking {tree.outcome.nodes} nodes")
        proved = checker.verify(place, checker.Watch(left))
        os.remove(unfinished.path)
        return proved
    except BaseException as fault:
        # What an earlier search has saved stays, unless it is wrong.
        for file in files if unfinished.sizes is None or isinstance(fault, Refused) else ():
            (place / file).unlink(missing_ok=True)
        if isinstance(fault, OutOfTime):
            raise Unfinished(f"no certificate: {fault}", deadline.stop or Stop.TIME) from None
        if isinstance(fault, Refused):
            raise EngineFault(f"the certificate of {name} is refused: {fault}") from None
        raise
