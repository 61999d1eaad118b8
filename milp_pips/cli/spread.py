"""Run the tasks of a verb, one after another locally or in parallel on a Dask cluster.

Results are reported in the order of the tasks in both cases.
"""

from __future__ import annotations

import argparse
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from milp_pips.cli import complain
from milp_pips.cli.arguments import ProgressLine, fault_as_json, puzzles_of, run_attempts
from milp_pips.problem.errors import EngineFault, MilpPipsError, UsageError
from milp_pips.problem.parameters import Parameter, flag, whole
from milp_pips.problem.stopping import Deadline

if TYPE_CHECKING:
    from concurrent.futures import Future

    from milp_pips.puzzles.puzzle import Board, Puzzle
    from milp_pips.runtime.cluster import Workers
    from milp_pips.runtime.interruptible import Limits

T = TypeVar("T")
ResultT = TypeVar("ResultT", covariant=True)

REMOTE_TASK_POLL = 0.2
"""Seconds between two checks of the deadline while the workers run."""


class Work(Protocol[ResultT]):
    """A module-level function with its arguments, so that it can be pickled; it stops at the deadline."""

    def __call__(self, *, deadline: Deadline) -> ResultT | None:
        """Return the result, or None. Raises EngineFault, which prints a line; other errors end the run."""


class Outcome(NamedTuple, Generic[T]):
    """The name of a task's puzzle, and the task's result or fault."""

    name: str
    result: T | EngineFault


class Task(NamedTuple, Generic[T]):
    """A piece of work, and the name of its puzzle."""

    name: str
    work: Work[T]


def cluster(what: str = "puzzles", trust: str = "") -> tuple[Parameter, ...]:
    """Return --scheduler, --workers and --trust; ``trust`` begins the sentence of --trust."""
    scheduler = (
        f"distribute the {what} over the workers of the Dask scheduler at ADDRESS, or over workers that "
        "local starts on this machine; each worker runs one at a time"
    )
    workers = (
        "number of workers that local starts (default: one per core), or to wait for at ADDRESS (default: 1)"
    )
    trust += "use a scheduler on another host without TLS, although it can run programs on this machine"
    return (
        Parameter("--scheduler ADDRESS|local", scheduler),
        Parameter("--workers N", workers, whole(1)),
        flag("--trust", trust),
    )


def require_scheduler(scheduler: str | None, **given: object) -> None:
    """Raise UsageError if one of the arguments is given without --scheduler."""
    if wrong := [name for name, value in given.items() if value and not scheduler]:
        raise UsageError(f"--{wrong[0]} needs a cluster: name one, such as --scheduler local")


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
    tell
        Prints a result and returns an exit status.
    solvers
        Solvers that should have the same version on all machines; the empty name is the default solver.
    """

    def tasks() -> Iterator[Task[T] | MilpPipsError]:
        for found in puzzles_of(arguments):
            if isinstance(found, MilpPipsError):
                yield found
            else:
                yield Task(found.puzzle.name, work_of(*found))

    def attempt(name: str, made: T | EngineFault) -> int:
        with fault_as_json(arguments, name):
            if isinstance(made, EngineFault):
                raise made
            return print_result(made)

    def attempts() -> Iterator[Callable[[], int] | MilpPipsError]:
        for made in outcomes(tasks(), arguments, solvers):
            yield made if isinstance(made, MilpPipsError) else partial(attempt, *made)

    return run_attempts(attempts())


def outcomes(
    tasks: Iterable[Task[T] | MilpPipsError], arguments: argparse.Namespace, solvers: Iterable[str] = ()
) -> Iterator[Outcome[T] | MilpPipsError]:
    """Yield the outcome of each task, in the order of the tasks; pass on an error in place of a task.

    A task that returns None yields nothing. After Ctrl-C, yields the result of the task that was running
    locally, or the results that have arrived from workers, and raises KeyboardInterrupt. Raises UsageError as
    ``open_workers`` does.
    """
    require_scheduler(arguments.scheduler, workers=arguments.workers, trust=arguments.trust)
    seconds: float | None = getattr(arguments, "seconds", None)
    if not arguments.scheduler:
        yield from _run_locally(tasks, seconds)
        return
    from milp_pips.engines.defaults import WHOLE_MODEL
    from milp_pips.engines.versions import same_versions
    from milp_pips.runtime.cluster import open_workers
    from milp_pips.runtime.interruptible import Limits

    named = [name or WHOLE_MODEL for name in solvers]
    admit = same_versions(named, lambda what: complain(f"warning: {what}"))
    threads: int = getattr(arguments, "threads", 1)
    scheduler, count, trust = arguments.scheduler, arguments.workers, arguments.trust
    with open_workers(scheduler, count, threads, admit, trust=trust) as workers, Deadline() as deadline:
        yield from _run_on_workers(tasks, Limits(seconds=seconds), workers, deadline)
        if deadline.interrupted:
            raise KeyboardInterrupt


def _run_locally(
    tasks: Iterable[Task[T] | MilpPipsError], seconds: float | None
) -> Iterator[Outcome[T] | MilpPipsError]:
    """Run the tasks one after another in this process and yield their outcomes."""
    progress = ProgressLine()
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
                yield Outcome(task.name, made)
        if deadline.interrupted:
            raise KeyboardInterrupt


def _run_on_workers(
    tasks: Iterable[Task[T] | MilpPipsError], limits: Limits, workers: Workers, deadline: Deadline
) -> Iterator[Outcome[T] | MilpPipsError]:
    """Keep all workers busy, and yield each outcome as soon as all earlier ones are yielded."""
    from concurrent.futures import Future

    from milp_pips.runtime.executor import completed_calls

    progress, done = ProgressLine(), 0
    ahead: deque[tuple[str, Future[Any]]] = deque()  # in the order of the tasks

    def start(task: Task[T] | MilpPipsError) -> Future[Any]:
        future: Future[Any] = Future()
        if isinstance(task, Task):
            try:
                future = workers.submit(_run, (task.work,), limits)
            except EngineFault as fault:  # the call cannot be sent
                future.set_exception(fault)
        else:
            future.set_result(task)
        ahead.append((task.name if isinstance(task, Task) else "", future))
        return future

    calls = (partial(start, task) for task in tasks)
    for running, ended in completed_calls(workers, calls, deadline, REMOTE_TASK_POLL):
        done += len(ended)
        while ahead and ahead[0][1].done():
            made = _result_or_fault(*ahead.popleft())
            progress.clear()
            if made is not None:
                yield made
        progress.show_later(f"{done} done, {running} running")
    progress.clear()


def _run(work: Work[T], deadline: Deadline) -> T | None:
    """Run a task; called on the worker."""
    return work(deadline=deadline)


def _result_or_fault(name: str, future: Future[Any]) -> Outcome[Any] | MilpPipsError | None:
    """Return what has come of a task; None if there is no result."""
    try:
        found = future.result()
    except EngineFault as fault:
        return Outcome(name, fault)
    if isinstance(found, MilpPipsError):
        return found
    if found.fault:
        return Outcome(name, EngineFault(f"{name}: {found.fault}"))
    return None if found.value is None else Outcome(name, found.value)
