"""One task after another here, or side by side on a cluster: what comes of them is told in the same order."""

from __future__ import annotations

import argparse
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Generic, NamedTuple, NoReturn, Protocol, TypeVar

from milp_pips.cli import complain
from milp_pips.cli.arguments import ProgressLine, fault_as_json, gravest, positive, puzzles_of
from milp_pips.problem.errors import EngineFault, MilpPipsError, UsageError
from milp_pips.problem.stopping import Deadline

if TYPE_CHECKING:
    from concurrent.futures import Future

    from milp_pips.puzzles.puzzle import Board, Puzzle
    from milp_pips.runtime.cluster import Workers

T = TypeVar("T")
Made = TypeVar("Made", covariant=True)

REMOTE_TASK_POLL = 0.2
"""Seconds between two looks at the deadline while others work."""


class Work(Protocol[Made]):
    """A function of a module with its arguments, so that it can be pickled; it heeds the deadline."""

    def __call__(self, *, deadline: Deadline) -> Made | None:
        """Do it. Raises EngineFault, which costs a line; any other error ends all."""


class Outcome(NamedTuple, Generic[T]):
    """The name of the puzzle that a task is about, and what came of it: a result or a fault."""

    name: str
    result: T | EngineFault


class Task(NamedTuple, Generic[T]):
    """What is to be done, and the name of the puzzle that it is about."""

    name: str
    work: Work[T]


def add_cluster(parser: argparse.ArgumentParser, what: str = "puzzles", trust: str = "") -> None:
    """Add --scheduler, --workers and --trust; ``trust`` says what else that one allows."""
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS|local",
        help=f"spread the {what} over the workers of a Dask scheduler, or over workers started here; each "
        "worker is at one at a time",
    )
    parser.add_argument(
        "--workers",
        type=positive,
        metavar="N",
        help="workers to start here (default: one a core), or to wait for at ADDRESS (default: 1)",
    )
    parser.add_argument(
        "--trust",
        action="store_true",
        help=f"{trust}use a scheduler on another host without TLS, which can run programs on this machine",
    )


def require_scheduler(arguments: argparse.Namespace, *names: str) -> None:
    """Raise UsageError where an argument of a cluster is given and no cluster is."""
    for name in names:
        if getattr(arguments, name) and not arguments.scheduler:
            raise UsageError(f"--{name} is of a cluster: name one, such as --scheduler local")


def for_each_result(
    arguments: argparse.Namespace,
    work_of: Callable[[Puzzle, float, Board | None], Work[T]],
    tell: Callable[[T], int],
    solvers: Iterable[str] = (),
) -> int:
    """Have every puzzle of the files worked on, tell what comes of each, and return the gravest exit status.

    What is faulty costs a line.

    Parameters
    ----------
    arguments
        With files, and with those of ``add_cluster``.
    work_of
        Returns what is to be done with a puzzle; it gets the seconds that reading took, and the board if the
        verb has one.
    tell
        Prints what came of it and returns an exit status.
    solvers
        Solvers of which all machines should have the same version.
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
            return tell(made)

    def attempts() -> Iterator[Callable[[], int] | MilpPipsError]:
        for made in outcomes(tasks(), arguments, solvers):
            yield made if isinstance(made, MilpPipsError) else partial(attempt, *made)

    return gravest(attempts())


def outcomes(
    tasks: Iterable[Task[T] | MilpPipsError], arguments: argparse.Namespace, solvers: Iterable[str] = ()
) -> Iterator[Outcome[T] | MilpPipsError]:
    """Yield what comes of each task, in the order of the tasks; an error in place of a task is passed on.

    Nothing is yielded where None comes of it. After Ctrl-C what the task here has found is yielded, or what
    has come from elsewhere; then KeyboardInterrupt is raised. Raises UsageError, as ``open_workers`` does.
    """
    require_scheduler(arguments, "workers", "trust")
    seconds: float | None = getattr(arguments, "time_limit", None)
    if not arguments.scheduler:
        yield from _here(tasks, seconds)
        return
    from milp_pips.engines.versions import same_versions
    from milp_pips.runtime.cluster import open_workers

    admit = same_versions(tuple(solvers), lambda what: complain(f"warning: {what}"))
    threads: int = getattr(arguments, "threads", 1)
    scheduler, count, trust = arguments.scheduler, arguments.workers, arguments.trust
    with open_workers(scheduler, count, threads, admit, trust=trust) as workers, Deadline() as deadline:
        try:
            yield from _there(iter(tasks), seconds, workers, deadline)
        finally:
            workers.give_up()
        if deadline.interrupted:
            raise KeyboardInterrupt


def _here(
    tasks: Iterable[Task[T] | MilpPipsError], seconds: float | None
) -> Iterator[Outcome[T] | MilpPipsError]:
    progress = ProgressLine()
    for task in tasks:
        if isinstance(task, MilpPipsError):
            yield task
            continue
        with Deadline(seconds, progress.listener) as deadline:
            made = _made(partial(task.work, deadline=deadline))
            progress.clear()
            if made is not None:
                yield Outcome(task.name, made)
        if deadline.interrupted:
            raise KeyboardInterrupt


def _there(
    tasks: Iterator[Task[T] | MilpPipsError], seconds: float | None, workers: Workers, deadline: Deadline
) -> Iterator[Outcome[T] | MilpPipsError]:
    """Keep all workers busy, and yield what is next as soon as it has come."""
    from concurrent.futures import FIRST_COMPLETED, wait

    progress, told = ProgressLine(), 0
    ahead: deque[tuple[str | None, Future[T | MilpPipsError | None]]] = deque()
    running: set[Future[T | MilpPipsError | None]] = set()
    more = True
    while more or ahead:
        while more and len(running) < workers.room and not deadline.stop:
            if more := (task := next(tasks, None)) is not None:
                name = task.name if isinstance(task, Task) else None
                ahead.append((name, _begun(task, seconds, workers)))
                running.add(ahead[-1][1])
        if deadline.stop:
            more = False
            workers.give_up()
        running = wait(running, REMOTE_TASK_POLL, FIRST_COMPLETED).not_done
        while ahead and ahead[0][1].done():
            name, future = ahead.popleft()
            made = _made(future.result)
            told += 1
            progress.clear()
            if isinstance(made, MilpPipsError) and (name is None or not isinstance(made, EngineFault)):
                yield made
            elif made is not None:
                yield Outcome(name or "", made)
        workers.look()
        progress.tell_later(f"{told} done, {len(running)} at work")
    progress.clear()


def _begun(
    task: Task[T] | MilpPipsError, seconds: float | None, workers: Workers
) -> Future[T | MilpPipsError | None]:
    """Have a worker do a task; what cannot be handed over is a fault that has come of it."""
    from concurrent.futures import Future

    if isinstance(task, Task):
        try:
            return workers.submit(partial(do_there, task.work, seconds), partial(_lost, task.name))
        except EngineFault as fault:
            task = fault
    known: Future[T | MilpPipsError | None] = Future()
    known.set_result(task)
    return known


def do_there(work: Work[T], seconds: float | None) -> T | None:
    """Do what is to be done on a worker; called there."""
    from milp_pips.runtime.cluster import RemoteDeadline

    with RemoteDeadline(seconds) as deadline:
        return work(deadline=deadline)


def _lost(name: str) -> NoReturn:
    raise EngineFault(f"{name}: each worker that began it was lost")


def _made(work: Callable[[], T]) -> T | EngineFault:
    """Return what comes of the work, or the fault that did."""
    try:
        return work()
    except EngineFault as fault:
        return fault
