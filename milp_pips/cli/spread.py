"""Run the tasks of a verb in parallel on a Dask cluster; outcomes come in the order of the tasks."""

from __future__ import annotations

import argparse
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from milp_pips.cli import Outcome, Task, complain
from milp_pips.cli.output import ProgressLine
from milp_pips.problem.errors import EngineFault, MilpPipsError
from milp_pips.problem.stopping import Deadline

if TYPE_CHECKING:
    from concurrent.futures import Future

    from milp_pips.runtime.cluster import Workers
    from milp_pips.runtime.interruptible import Limits

T = TypeVar("T")

REMOTE_TASK_POLL = 0.2
"""Seconds between two checks of the deadline while the workers run."""


def run_on_cluster(
    tasks: Iterable[Task[T] | MilpPipsError], arguments: argparse.Namespace, solvers: Iterable[str]
) -> Iterator[Outcome[T] | MilpPipsError]:
    """Run the tasks on the workers of a Dask scheduler and yield their outcomes; see ``outcomes``."""
    from milp_pips.engines.defaults import WHOLE_MODEL
    from milp_pips.engines.versions import same_versions
    from milp_pips.runtime.cluster import open_workers
    from milp_pips.runtime.interruptible import Limits

    named = [name or WHOLE_MODEL for name in solvers]
    admit = same_versions(named, lambda what: complain(f"warning: {what}"))
    threads: int = getattr(arguments, "threads", 1)
    limits = Limits(seconds=getattr(arguments, "seconds", None))
    scheduler, count, trust = arguments.scheduler, arguments.workers, arguments.trust
    with open_workers(scheduler, count, threads, admit, trust=trust) as workers, Deadline() as deadline:
        yield from _run_on_workers(tasks, limits, workers, deadline)
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
        if isinstance(task, MilpPipsError):
            name = ""
            future.set_result(task)
        else:
            name, work = task
            try:
                future = workers.submit(_run, (work,), limits)
            except EngineFault as fault:  # the call cannot be sent
                future.set_exception(fault)
        ahead.append((name, future))
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


def _run(work: Callable[..., T], deadline: Deadline) -> T:
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
