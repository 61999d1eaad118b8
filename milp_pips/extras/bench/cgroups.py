"""Measure runs with BenchExec by the kernel's control groups: everything that a run starts is in one group.

The kernel counts a group's processor time and memory, whatever its programs do. The group has its own cores,
a memory limit that holds, and an end that no process survives (Beyer, Löwe and Wendler, *Reliable
benchmarking: requirements and solutions*, STTT 2019). Containers are not used, because a plain machine may
not allow them. Where BenchExec does not work, psutil measures, see ``runtime.reaper``.
"""

from __future__ import annotations

import logging
import os
import pickle
import signal
import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar

from milp_pips.extras.bench.measurement import ENGINE_START_SECONDS, RUN_GRACE
from milp_pips.problem import INSTALL
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import UsageError
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.children import changed_variables, python_command, start_message
from milp_pips.runtime.executor import Outcome, last_words, read_reply
from milp_pips.runtime.interruptible import CALL_POLL, Limits
from milp_pips.runtime.reaper import new_mark
from milp_pips.runtime.writing import temporary_folder

T = TypeVar("T")

BENCHEXEC, PSUTIL = "benchexec", "psutil"
"""The libraries that measure memory and processor time."""

BENCHEXEC_GRACE = 10.0
"""The seconds past all limits after which BenchExec ends a run that even the system's alarm did not end."""


def measurer(choice: str | None) -> str:
    """Return the library that measures runs: the chosen one, or else BenchExec if it works.

    Raises UsageError if it does not work, or is unknown.
    """
    if choice not in (None, BENCHEXEC, PSUTIL):
        raise UsageError(f"unknown way to measure {choice!r}; known: {BENCHEXEC}, {PSUTIL}")
    obstacle = "" if choice == PSUTIL else benchexec_obstacle()
    if obstacle and choice == BENCHEXEC:
        raise UsageError(f"BenchExec cannot measure on this machine: {obstacle}")
    return PSUTIL if obstacle or choice == PSUTIL else BENCHEXEC


@cache
def benchexec_obstacle() -> str:
    """Return why BenchExec cannot measure on this machine; empty if it can, which one call decides."""
    try:
        call = call_in_control_group(own_cores(1), 0.0, _do_nothing, (), Limits(Deadline(), memory=2**28))
    except ImportError:
        return INSTALL.format("compare")
    except (Exception, SystemExit) as error:  # it exits the program if control groups fail
        return " ".join(str(error).split()) or type(error).__name__
    return "" if call.value and call.peak and call.processor_seconds else "a try failed"


def _do_nothing(_deadline: Deadline) -> bool:
    return True


def own_cores(count: int) -> list[int]:
    """Return ``count`` cores that this thread may use; empty if there are too few."""
    cores = sorted(os.sched_getaffinity(0))[:count]
    return cores if len(cores) == count else []


def call_in_control_group(
    cores: Sequence[int],
    seconds: float,
    function: Callable[..., T],
    arguments: tuple[Any, ...],
    limits: Limits,
) -> Outcome[T]:
    """Call a function in a new process, as ``executor.call_in_process`` does, in a control group.

    The group is bound to these cores, if there are any. ``seconds`` is the time limit of the run.
    """
    root = logging.getLogger()
    if not root.handlers:  # otherwise BenchExec's first message would turn on logging to standard error
        root.addHandler(logging.NullHandler())
    from benchexec.runexecutor import RunExecutor

    executor, done = RunExecutor(use_namespaces=False), threading.Event()
    stopper = threading.Thread(target=_stop_with, args=(executor, limits.deadline, done), daemon=True)
    with temporary_folder() as folder:
        calls, replies, errors = (os.path.join(folder, name) for name in ("calls", "replies", "errors"))
        with open(calls, "wb") as stream:
            stream.write(start_message() + pickle.dumps(None) + pickle.dumps((function, arguments)))
        stopper.start()
        try:
            with open(calls, "rb") as stream:
                found = executor.execute_run(
                    python_command(),
                    replies,
                    stdin=stream,
                    walltimelimit=int(ENGINE_START_SECONDS + seconds + RUN_GRACE + BENCHEXEC_GRACE) + 1,
                    cores=cores or None,
                    memlimit=limits.memory if limits.memory and limits.memory < 2**60 else None,
                    environments={"newEnv": changed_variables(new_mark(), folder)},
                    error_filename=errors,
                    write_header=False,
                )
        finally:
            done.set()
            stopper.join()
        with open(replies, "rb") as stream:
            kind, value = read_reply(stream)
        with open(errors, encoding="utf-8", errors="replace") as written:
            words = written.read()
    if kind == "error":
        raise value
    ended = found.get("exitcode")
    status = -signal.SIGKILL if ended is None else -ended.signal if ended.signal else ended.value or 0
    stops = {"memory": Stop.MEMORY, "walltime": Stop.TIME, "killed": Stop.INTERRUPTED}
    stop = stops.get(found.get("terminationreason", ""))
    fault = "" if stop or kind == "value" else value or last_words(status, words)
    return Outcome(
        value if kind == "value" else None,
        stop,
        fault,
        status,
        int(found.get("memory", 0)),
        processor_seconds=found.get("cputime"),
        wall_seconds=found.get("walltime", 0.0),
    )


def _stop_with(executor: Any, deadline: Deadline | None, done: threading.Event) -> None:
    """End the run when the deadline stops."""
    while not done.wait(CALL_POLL):
        if deadline is not None and deadline.stop:
            executor.stop()
