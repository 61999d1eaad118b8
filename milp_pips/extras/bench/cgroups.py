"""Measure runs with BenchExec by the kernel's control groups: everything that a run starts is in one group.

The kernel counts a group's processor time and memory, whatever its programs do. The group has its own cores,
a memory limit that holds, and an end that no process survives (Beyer, Löwe and Wendler, *Reliable
benchmarking: requirements and solutions*, STTT 2019). Containers are not used, because a plain machine may
not allow them.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from milp_pips.extras.bench.measurement import ENGINE_START_SECONDS, RUN_GRACE
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import UsageError
from milp_pips.runtime.children import changed_variables
from milp_pips.runtime.interruptible import CALL_POLL, ProcessResult
from milp_pips.runtime.reaper import new_mark
from milp_pips.runtime.writing import temporary_folder

if TYPE_CHECKING:
    from milp_pips.problem.stopping import Deadline

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
        return "pip install 'milp-pips[compare]'"
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


def run_in_control_group(
    cores: Sequence[int],
    seconds: float,
    command: Sequence[str],
    deadline: Deadline | None,
    *,
    feed: bytes = b"",
    memory: int | None = None,
    grace: float = 0.0,  # noqa: ARG001
    temporary: str = "",
) -> ProcessResult:
    """Run a program until it ends or must stop, in a control group bound to these cores, if there are any.

    ``seconds`` is the time limit of its run. The other parameters are those of ``run_program``.
    """
    from benchexec.runexecutor import RunExecutor

    executor, done = RunExecutor(use_namespaces=False), threading.Event()
    stopper = threading.Thread(target=_stop_with, args=(executor, deadline, done), daemon=True)
    with temporary_folder() as folder, open(os.path.join(folder, "given"), "w+b") as given:
        given.write(feed)
        given.seek(0)
        out, errors = os.path.join(folder, "out"), os.path.join(folder, "errors")
        stopper.start()
        try:
            found = executor.execute_run(
                list(command),
                out,
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
        return _to_process_result(found, _text(out), _text(errors))


def _stop_with(executor: Any, deadline: Deadline | None, done: threading.Event) -> None:
    """End the run when the deadline stops."""
    while not done.wait(CALL_POLL):
        if deadline is not None and deadline.stop:
            executor.stop()


def _to_process_result(found: dict[str, Any], out: str, errors: str) -> ProcessResult:
    """Return BenchExec's result as a ``ProcessResult``."""
    reason, ended = found.get("terminationreason"), found.get("exitcode")
    stops = {"memory": Stop.MEMORY, "walltime": Stop.TIME, "killed": Stop.INTERRUPTED}
    status = -signal.SIGKILL if ended is None else -ended.signal if ended.signal else ended.value or 0
    return ProcessResult(
        status,
        out,
        errors,
        stops.get(reason or ""),
        int(found.get("memory", 0)),
        processor_seconds=found.get("cputime"),
        wall_seconds=found.get("walltime", 0.0),
    )


def _text(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as stream:
        return stream.read()
