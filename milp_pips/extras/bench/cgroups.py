"""Measure runs with BenchExec by the kernel's control groups: everything that a run starts is in one group.

The kernel counts a group's processor time and memory, whatever its programs do. The group has its own cores,
a memory limit that holds, and an end that no process survives (Beyer, Löwe and Wendler, *Reliable
benchmarking: requirements and solutions*, STTT 2019). Containers are not used, because a plain machine may
not allow them.
"""

from __future__ import annotations

import logging
import os
import pickle
import signal
import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from milp_pips.extras.bench.measurement import ENGINE_START_SECONDS, RUN_GRACE
from milp_pips.problem import INSTALL
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import UsageError
from milp_pips.runtime.children import changed_variables, python_command, start_message
from milp_pips.runtime.executor import Outcome, last_words, read_reply
from milp_pips.runtime.interruptible import CALL_POLL, Limits
from milp_pips.runtime.reaper import new_mark
from milp_pips.runtime.writing import temporary_folder

if TYPE_CHECKING:
    from milp_pips.problem.stopping import Deadline

T = TypeVar("T")

BENCHEXEC, OURS = "benchexec", "milp_pips"
"""The methods that measure memory and processor time."""

BENCHEXEC_GRACE = 10.0
"""The seconds past all limits after which BenchExec ends a run that even the system's alarm did not end."""


def measurer(choice: str | None) -> str:
    """Return the method that measures runs: the chosen one, or else BenchExec if it works.

    Raises UsageError if it does not work, or is unknown.
    """
    if choice not in (None, BENCHEXEC, OURS):
        raise UsageError(f"unknown way to measure {choice!r}; known: {BENCHEXEC}, {OURS}")
    obstacle = "" if choice == OURS else benchexec_obstacle()
    if obstacle and choice == BENCHEXEC:
        raise UsageError(f"BenchExec cannot measure on this machine: {obstacle}")
    return OURS if obstacle or choice == OURS else BENCHEXEC


@cache
def benchexec_obstacle() -> str:
    """Return why BenchExec cannot measure on this machine; empty if it can, which one trial decides."""
    root = logging.getLogger()
    if not root.handlers:  # otherwise its first message would turn on logging to standard error globally
        root.addHandler(logging.NullHandler())
    try:
        from benchexec.runexecutor import RunExecutor
    except ImportError:
        return INSTALL.format("compare")
    try:
        groups = RunExecutor(use_namespaces=False).cgroups
        lacking = [
            name for name in (groups.CPU, groups.MEMORY, groups.CPUSET, groups.FREEZE) if name not in groups
        ]
        if lacking:
            return f"the system gives no control groups for {', '.join(map(str, lacking))}"
        ran = run_in_control_group(own_cores(0, 1), 0.0, ["true"], None, memory=2**26)
    except (Exception, SystemExit) as error:  # it exits the program if control groups fail
        return " ".join(str(error).split()) or type(error).__name__
    return "" if ran.status == 0 and ran.peak and ran.processor_seconds else "a try failed"


def own_cores(first: int, count: int) -> list[int]:
    """Return ``count`` cores that this thread may use, from the first on; empty if there are too few."""
    cores = sorted(os.sched_getaffinity(0))[first : first + count]
    return cores if len(cores) == count else []


def call_in_control_group(
    cores: Sequence[int],
    seconds: float,
    function: Callable[..., T],
    arguments: tuple[Any, ...],
    limits: Limits,
) -> Outcome[T]:
    """Call a function in a new process, as ``executor.call_in_process`` does, in a control group.

    ``cores`` and ``seconds`` are those of ``run_in_control_group``.
    """
    with temporary_folder() as folder:
        output = os.path.join(folder, "replies")
        ran = run_in_control_group(
            cores,
            seconds,
            python_command(),
            limits.deadline,
            feed=start_message() + pickle.dumps(None) + pickle.dumps((function, arguments)),
            memory=limits.memory,
            temporary=folder,
            output=output,
        )
        with open(output, "rb") as stream:
            kind, value = read_reply(stream)
    if kind == "error":
        raise value
    if kind == "value":
        return ran._replace(value=value, fault="")
    return ran._replace(fault=value) if value else ran


def run_in_control_group(
    cores: Sequence[int],
    seconds: float,
    command: Sequence[str],
    deadline: Deadline | None,
    *,
    feed: bytes = b"",
    memory: int | None = None,
    temporary: str = "",
    output: str = "",
) -> Outcome[Any]:
    """Run a program until it ends or must stop, in a control group bound to these cores, if there are any.

    ``seconds`` is the time limit of its run. ``feed`` is its standard input, ``output`` the file for its
    standard output, if that is needed, and ``temporary`` the folder for its temporary files. The outcome has
    no value.
    """
    from benchexec.runexecutor import RunExecutor

    executor, done = RunExecutor(use_namespaces=False), threading.Event()
    stopper = threading.Thread(target=_stop_with, args=(executor, deadline, done), daemon=True)
    with temporary_folder() as folder, open(os.path.join(folder, "given"), "w+b") as given:
        given.write(feed)
        given.seek(0)
        errors = os.path.join(folder, "errors")
        stopper.start()
        try:
            found = executor.execute_run(
                list(command),
                output or os.path.join(folder, "out"),
                stdin=given,
                walltimelimit=int(ENGINE_START_SECONDS + seconds + RUN_GRACE + BENCHEXEC_GRACE) + 1,
                cores=cores or None,
                memlimit=memory if memory and memory < 2**60 else None,
                environments={"newEnv": changed_variables(new_mark(), temporary)},
                error_filename=errors,
                write_header=False,
            )
        finally:
            done.set()
            stopper.join()
        with open(errors, encoding="utf-8", errors="replace") as written:
            return _to_outcome(found, written.read())


def _stop_with(executor: Any, deadline: Deadline | None, done: threading.Event) -> None:
    """End the run when the deadline stops."""
    while not done.wait(CALL_POLL):
        if deadline is not None and deadline.stop:
            executor.stop()


def _to_outcome(found: dict[str, Any], errors: str) -> Outcome[Any]:
    """Return BenchExec's result, without a value."""
    reason, ended = found.get("terminationreason"), found.get("exitcode")
    stops = {"memory": Stop.MEMORY, "walltime": Stop.TIME, "killed": Stop.INTERRUPTED}
    status = -signal.SIGKILL if ended is None else -ended.signal if ended.signal else ended.value or 0
    stop = stops.get(reason or "")
    return Outcome(
        None,
        stop,
        "" if stop else last_words(status, errors),
        status,
        int(found.get("memory", 0)),
        processor_seconds=found.get("cputime"),
        wall_seconds=found.get("walltime", 0.0),
    )
