"""What the verbs do with their arguments: settings, and loops over the puzzles of the files.

``work_on_puzzles`` is the loop of a verb that works on one puzzle after another, ``for_each_result`` that of
a verb whose work a cluster may do. Each error prints one line, and the loop continues.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from milp_pips.cli import (
    BAD_INPUT,
    FAULT,
    FOUND,
    INTERRUPTED,
    LIMIT,
    NO_SOLUTION,
    NamedResult,
    Task,
    Work,
    complain,
)
from milp_pips.cli.output import Pictures, ProgressLine, fault_as_json
from milp_pips.problem.answer import Settings, TaskResult
from milp_pips.problem.errors import EngineFault, InputError, MilpPipsError, UsageError
from milp_pips.problem.parameters import SETTINGS
from milp_pips.problem.stopping import Deadline

if TYPE_CHECKING:
    from concurrent.futures import Future

    from milp_pips.puzzles.puzzle import Board, Puzzle
    from milp_pips.runtime.cluster import Workers

T = TypeVar("T")

REMOTE_TASK_POLL = 0.2
"""Seconds between two checks of the deadline while the workers run."""


def settings_of(arguments: argparse.Namespace, **instead: object) -> Settings:
    """Return the settings that the arguments state; ``instead`` replaces some values."""
    fields = {**vars(arguments), **instead}
    fields = {known.keyword: fields[known.keyword] for known in SETTINGS if known.keyword in fields}
    if fields.get("rules") is not None:
        fields["rules"] = tuple(fields["rules"])
    return Settings(**{**fields, "options": dict(fields.get("options", ()))})


def keywords(arguments: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Return some arguments as keyword arguments of a task."""
    return {name: getattr(arguments, name) for name in names}


def require_plain(arguments: argparse.Namespace) -> None:
    """Raise UsageError if a certificate is requested of an answer to more than the puzzle itself."""
    names = ("board", "soft", "best", "within", "within_relative")
    more = [name for name in names if getattr(arguments, name, None) not in (None, (), [])]
    if arguments.prove and more:
        option = more[0].replace("_", "-")
        raise UsageError(f"a certificate states the puzzle alone: omit --prove or --{option}")


class ReadPuzzle(NamedTuple):
    """A puzzle, the seconds that reading took, and the values on the board if one was given."""

    puzzle: Puzzle
    seconds: float
    board: Board | None = None


def puzzles_of(arguments: argparse.Namespace) -> Iterator[ReadPuzzle | MilpPipsError]:
    """Yield every puzzle of FILE…, or the only one, with its board; yield the error of unreadable input.

    Raises UsageError, and InputError for a board or for FILE.
    """
    files: list[str] | None = getattr(arguments, "files", None)
    board: str | None = getattr(arguments, "board", None)
    if files and board is None:
        yield from _puzzles(files, arguments.level, arguments.variant, arguments.family)
        return
    if files and len(files) > 1:
        raise UsageError("--board belongs to one puzzle: name one file")
    from milp_pips.puzzles.reading import read, read_board

    file, begun = files[0] if files else arguments.file, time.perf_counter()
    if board is not None:
        require_files(file, board)
    puzzle = read(file, arguments.level, arguments.variant, arguments.family)
    values = None if board is None else read_board(puzzle, board)
    yield ReadPuzzle(puzzle, time.perf_counter() - begun, values)


def require_files(*files: str) -> None:
    """Raise UsageError if a file is a directory, or if two of the files are standard input."""
    for file in files:
        if os.path.isdir(file):
            raise UsageError(f"{file} is a directory; name one file with a puzzle, and one with its board")
    if files.count("-") > 1:
        raise UsageError("the puzzle and its board cannot both come from standard input")


def _puzzles(
    paths: list[str], level: str | None, variant: str | None, family: str | None
) -> Iterator[ReadPuzzle | MilpPipsError]:
    from milp_pips.puzzles.reading import files_of, name_of, read_levels, text_of

    for path in paths:
        try:
            for file in files_of([path]):
                begun = time.perf_counter()
                try:
                    found = read_levels(text_of(file), name_of(file), level, variant, family)
                except (EngineFault, InputError) as error:
                    yield error
                    continue
                spent = (time.perf_counter() - begun) / len(found)
                for puzzle in found.values():
                    yield puzzle if isinstance(puzzle, InputError) else ReadPuzzle(puzzle, spent)
        except InputError as error:
            yield error


def attempt_each(items: Iterable[T | MilpPipsError], attempt: Callable[[T], int]) -> int:
    """Attempt each item in order and return the gravest exit status; an error prints one line."""
    statuses = [FOUND]
    for item in items:
        if isinstance(item, MilpPipsError):
            complain(str(item))
            statuses.append(BAD_INPUT if isinstance(item, InputError) else FAULT)
            continue
        try:
            statuses.append(attempt(item))
        except EngineFault as error:
            complain(str(error))
            statuses.append(FAULT)
        if statuses[-1] == INTERRUPTED:
            return INTERRUPTED
    return next(status for status in (FAULT, BAD_INPUT, LIMIT, NO_SOLUTION, FOUND) if status in statuses)


class PuzzleRun(NamedTuple):
    """A puzzle on which a command works: its arguments, values on the board, output, and the deadline."""

    arguments: argparse.Namespace
    puzzle: Puzzle
    board: Board | None
    pictures: Pictures
    deadline: Deadline

    def show(self, found: TaskResult) -> None:
        """Print the result, only its summary with ``--quiet``, and keep its picture if SVG is requested."""
        parts = [found.summary()] if self.arguments.quiet else found.display_parts()
        self.pictures.present(found, self.puzzle.name, parts, found.drawing)


def on_puzzle(work: Callable[[PuzzleRun], int]) -> Callable[[argparse.Namespace], int]:
    """Return a function of the arguments that does the work on every puzzle, as ``work_on_puzzles`` does."""

    def run(arguments: argparse.Namespace) -> int:
        with Pictures(arguments) as pictures:
            return work_on_puzzles(arguments, pictures, work)

    return run


def work_on_puzzles(
    arguments: argparse.Namespace, pictures: Pictures, work: Callable[[PuzzleRun], int]
) -> int:
    """Do the work on FILE or every puzzle of FILE…, within the time limit; return the gravest exit status.

    An error prints one line, and the loop continues; after an interruption no further puzzle is started.
    """

    def attempt(found: ReadPuzzle) -> int:
        name = found.puzzle.name
        with (
            Deadline(getattr(arguments, "seconds", None), pictures.progress.listener) as deadline,
            fault_as_json(arguments, name),
        ):
            try:
                status = work(PuzzleRun(arguments, found.puzzle, found.board, pictures, deadline))
            except MilpPipsError as error:
                if (stop := getattr(error, "stop", None)) is None:
                    raise
                pictures.progress.clear()
                complain(f"{name}: {error}")  # a decision diagram was given up
                status = INTERRUPTED if stop == "interrupted" else LIMIT
            finally:
                pictures.progress.clear()
        return INTERRUPTED if deadline.interrupted else status

    return attempt_each(puzzles_of(arguments), attempt)


# The same for work that a cluster may do: functions that return results, which are printed in order.


def for_each_result(
    arguments: argparse.Namespace,
    work_of: Callable[[Puzzle, float, Board | None], Work[T]],
    print_result: Callable[[T], int],
    solvers: Iterable[str] = (),
) -> int:
    """Run the work of every puzzle, print each result, and return the gravest exit status.

    Each error prints one line, and the loop continues.

    Parameters
    ----------
    arguments
        The parsed arguments, with ``files`` and those of ``cluster``.
    work_of
        Returns the work for a puzzle. It takes the puzzle, the seconds that reading took, and the board if
        the verb has one.
    print_result
        Prints a result and returns an exit status.
    solvers
        Solvers that should have the same version on all machines; the empty name is the default solver.
    """
    tasks: Iterator[Task[T] | MilpPipsError] = (
        found if isinstance(found, MilpPipsError) else Task(found.puzzle.name, work_of(*found))
        for found in puzzles_of(arguments)
    )

    def attempt(made: NamedResult[T]) -> int:
        with fault_as_json(arguments, made.name):
            if isinstance(made.result, EngineFault):
                raise made.result
            return print_result(made.result)

    return attempt_each(results_in_order(tasks, arguments, solvers), attempt)


def results_in_order(
    tasks: Iterable[Task[T] | MilpPipsError], arguments: argparse.Namespace, solvers: Iterable[str] = ()
) -> Iterator[NamedResult[T] | MilpPipsError]:
    """Run the tasks, here or on a cluster; yield the result of each, and errors in place of tasks, in order.

    A task that returns None yields nothing. After Ctrl-C, yields the result of the task that was running
    here, or the results that have arrived from workers, and raises KeyboardInterrupt. ``solvers`` should
    have the same version on all machines; the empty name is the default solver. Raises UsageError as
    ``open_workers`` does.
    """
    require_scheduler(arguments.scheduler, workers=arguments.workers, trust=arguments.trust)
    if arguments.scheduler:
        yield from _run_on_cluster(tasks, arguments, solvers)
        return
    progress, seconds = ProgressLine(), getattr(arguments, "seconds", None)
    for task in tasks:
        if isinstance(task, MilpPipsError):
            yield task
            continue
        made: T | EngineFault | None
        with Deadline(seconds, progress.listener) as deadline:
            try:
                made = task.work(deadline=deadline)
            except EngineFault as fault:
                made = fault
            progress.clear()
            if made is not None:
                yield NamedResult(task.name, made)
        if deadline.interrupted:
            raise KeyboardInterrupt


def require_scheduler(scheduler: str | None, **given: object) -> None:
    """Raise UsageError if one of the arguments is given without --scheduler."""
    if wrong := [name for name, value in given.items() if value and not scheduler]:
        raise UsageError(f"--{wrong[0]} needs a cluster: name one, such as --scheduler local")


def _run_on_cluster(
    tasks: Iterable[Task[T] | MilpPipsError], arguments: argparse.Namespace, solvers: Iterable[str]
) -> Iterator[NamedResult[T] | MilpPipsError]:
    """Keep all workers busy, and yield each result as soon as all earlier ones are yielded."""
    from concurrent.futures import Future

    from milp_pips.engines.defaults import WHOLE_MODEL
    from milp_pips.runtime.executor import completed_calls
    from milp_pips.runtime.interruptible import Limits

    named = [name or WHOLE_MODEL for name in solvers]
    limits = Limits(seconds=getattr(arguments, "seconds", None))
    progress, done = ProgressLine(), 0
    ahead: deque[tuple[str, Future[Any]]] = deque()  # in the order of the tasks

    def start(task: Task[T] | MilpPipsError) -> Future[Any]:
        future: Future[Any] = Future()
        if isinstance(task, MilpPipsError):
            ahead.append(("", future))
            future.set_result(task)
            return future
        try:
            future = workers.submit(_run, (task.work,), limits)
        except EngineFault as fault:  # the call cannot be sent
            future.set_exception(fault)
        ahead.append((task.name, future))
        return future

    with _open_cluster(arguments, named) as workers, Deadline() as deadline:
        calls = (partial(start, task) for task in tasks)
        for running, ended in completed_calls(workers, calls, deadline, REMOTE_TASK_POLL):
            done += len(ended)
            # In the order of the files: output must not depend on which worker was quick.
            while ahead and ahead[0][1].done():
                made = _result_or_fault(*ahead.popleft())
                progress.clear()
                if made is not None:
                    yield made
            progress.show_later(f"{done} done, {running} running")
        progress.clear()
        if deadline.interrupted:
            raise KeyboardInterrupt


@contextmanager
def _open_cluster(arguments: argparse.Namespace, solvers: list[str]) -> Iterator[Workers]:
    """Yield the workers of the scheduler, which should have the same versions of these solvers."""
    from milp_pips.engines.versions import same_versions
    from milp_pips.runtime.cluster import open_workers  # with all that runs processes

    admit = same_versions(solvers, lambda what: complain(f"warning: {what}"))
    threads: int = getattr(arguments, "threads", 1)
    scheduler, count, trust = arguments.scheduler, arguments.workers, arguments.trust
    with open_workers(scheduler, count, threads, admit, trust=trust) as workers:
        yield workers


@contextmanager
def workers_for_tree(arguments: argparse.Namespace) -> Iterator[Workers | None]:
    """Yield the workers for the subtrees of one model; None without --scheduler. Raises UsageError."""
    require_scheduler(arguments.scheduler, workers=arguments.workers, trust=arguments.trust)
    if not arguments.scheduler:
        yield None
        return
    from milp_pips.engines.defaults import LP_SOLVER

    with _open_cluster(arguments, [LP_SOLVER]) as workers:
        yield workers


def _run(work: Callable[..., T], deadline: Deadline) -> T:
    """Run a task; called on the worker."""
    return work(deadline=deadline)


def _result_or_fault(name: str, future: Future[Any]) -> NamedResult[Any] | MilpPipsError | None:
    """Return what has come of a task; None if there is no result."""
    try:
        found = future.result()
    except EngineFault as fault:
        return NamedResult(name, fault)
    if isinstance(found, MilpPipsError):
        return found
    if found.fault:
        return NamedResult(name, EngineFault(f"{name}: {found.fault}"))
    return None if found.value is None else NamedResult(name, found.value)
