"""Run the tasks of a verb in parallel on the workers of a Dask scheduler; results come in their order."""

from __future__ import annotations

import argparse
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

from milp_pips.cli import Made, Task, complain
from milp_pips.cli.output import ProgressLine
from milp_pips.engines.defaults import WHOLE_MODEL
from milp_pips.engines.versions import same_versions
from milp_pips.problem.errors import EngineFault, MilpPipsError
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.cluster import open_workers
from milp_pips.runtime.executor import completed_calls
from milp_pips.runtime.interruptible import Limits

T = TypeVar("T")

REMOTE_TASK_POLL = 0.2
"""Seconds between two checks of the deadline while the workers run."""


def run_on_cluster(
    tasks: Iterable[Task[T] | MilpPipsError], arguments: argparse.Namespace, solvers: Iterable[str]
) -> Iterator[Made[T] | MilpPipsError]:
    """Keep all workers busy, and yield each result as soon as all earlier ones are yielded.

    See ``milp_pips.cli.arguments.results_in_order``.
    """
    named = [name or WHOLE_MODEL for name in solvers]
    admit = same_versions(named, lambda what: complain(f"warning: {what}"))
    threads: int = getattr(arguments, "threads", 1)
    limits = Limits(seconds=getattr(arguments, "seconds", None))
    scheduler, count, trust = arguments.scheduler, arguments.workers, arguments.trust
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

    with open_workers(scheduler, count, threads, admit, trust=trust) as workers, Deadline() as deadline:
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
        if deadline.interrupted:
            raise KeyboardInterrupt


def _run(work: Callable[..., T], deadline: Deadline) -> T:
    """Run a task; called on the worker."""
    return work(deadline=deadline)


def _result_or_fault(name: str, future: Future[Any]) -> Made[Any] | MilpPipsError | None:
    """Return what has come of a task; None if there is no result."""
    try:
        found = future.result()
    except EngineFault as fault:
        return Made(name, fault)
    if isinstance(found, MilpPipsError):
        return found
    if found.fault:
        return Made(name, EngineFault(f"{name}: {found.fault}"))
    return None if found.value is None else Made(name, found.value)
