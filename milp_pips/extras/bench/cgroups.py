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
from collections.abc import Callable, Sequence
from functools import cache, partial
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

BENCHEXEC_WAIT_SECONDS = 0.1
"""The seconds that BenchExec waits after a run, until the kernel's counters are final."""

BENCHEXEC_GRACE = 10.0
"""The seconds past all limits after which BenchExec ends a run that even the system's alarm did not end."""


def measurer(choice: str | None) -> ControlGroups | None:
    """Return the control groups that measure runs; None for measuring in our own process. Raises UsageError.

    Without a choice, BenchExec measures if it works.
    """
    if choice not in (None, BENCHEXEC, OURS):
        raise UsageError(f"unknown way to measure {choice!r}; known: {BENCHEXEC}, {OURS}")
    found = None if choice == OURS else find_benchexec()
    if isinstance(found, str):
        if choice == BENCHEXEC:
            raise UsageError(f"BenchExec cannot measure on this machine: {found}")
        return None
    return found


@cache
def find_benchexec() -> ControlGroups | str:
    """Return BenchExec if it can measure on this machine, which one trial decides; otherwise the reason."""
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
        tried = ControlGroups(sorted(os.sched_getaffinity(0)))
        ran = tried.run(ENGINE_START_SECONDS, 1, ["true"], None, memory=2**26)
    except (Exception, SystemExit) as error:  # it exits the program if control groups fail
        return " ".join(str(error).split()) or type(error).__name__
    return tried if ran.status == 0 and ran.peak and ran.processor_seconds else "a try failed"


class ControlGroups:
    """Run programs, each in a control group of its own.

    Parameters
    ----------
    cores
        The cores for runs. A run is bound to as many as it has threads; if too few are left, it is not bound.
    """

    def __init__(self, cores: Sequence[int]):
        self._free = list(cores)
        self._lock = threading.Lock()

    def take(self, count: int) -> list[int]:
        """Return this many cores and reserve them until they are given back; empty if there are too few."""
        with self._lock:
            taken = self._free[:count] if count <= len(self._free) else []
            self._free = self._free[len(taken) :]
        return taken

    def give_back(self, cores: Sequence[int]) -> None:
        """Make these cores available again."""
        with self._lock:
            self._free = sorted([*self._free, *cores])

    def runner(self, seconds: float, threads: int) -> Callable[..., ProcessResult]:
        """Return a replacement for ``run_program`` with a time limit and this many cores."""
        return partial(self.run, ENGINE_START_SECONDS + seconds + RUN_GRACE + BENCHEXEC_GRACE, threads)

    def run(
        self,
        limit: float,
        threads: int,
        command: Sequence[str],
        deadline: Deadline | None,
        *,
        feed: bytes = b"",
        memory: int | None = None,
        grace: float = 0.0,  # noqa: ARG002
        temporary: str = "",
        ended: Callable[[], object] = lambda: None,
    ) -> ProcessResult:
        """Run a program until it ends or must stop; the parameters are those of ``run_program``.

        ``ended`` is called before BenchExec reads its figures, for which it waits a moment.
        """
        cores = self.take(threads)

        def end() -> None:
            self.give_back(cores)
            ended()

        executor, done = _executor(end), threading.Event()
        ear = threading.Thread(target=_stop_with, args=(executor, deadline, done), daemon=True)
        with temporary_folder() as folder, open(os.path.join(folder, "given"), "w+b") as given:
            given.write(feed)
            given.seek(0)
            out, errors = os.path.join(folder, "out"), os.path.join(folder, "errors")
            ear.start()
            try:
                found = executor.execute_run(
                    list(command),
                    out,
                    stdin=given,
                    walltimelimit=int(limit) + 1,
                    cores=cores or None,
                    memlimit=memory if memory and memory < 2**60 else None,
                    environments={"newEnv": changed_variables(new_mark(), temporary)},
                    error_filename=errors,
                    write_header=False,
                )
            finally:
                done.set()
                ear.join()
                executor.report_end()
            return _to_process_result(found, _text(out), _text(errors))


def _executor(ended: Callable[[], object]) -> Any:
    """Return an executor for one program that reports when it has ended."""
    from benchexec.runexecutor import RunExecutor

    class Executor(RunExecutor):  # type: ignore[misc]
        """BenchExec's executor, extended to report the end of the program before it waits for the figures.

        The overridden method is private to BenchExec. Should its name change, only the final call of
        ``report_end`` reports, when everything is done.
        """

        fault: BaseException | None = None
        told = False

        def _get_cgroup_measurements(self, *arguments: Any) -> None:
            try:
                self.report_end()
            except BaseException as fault:  # BenchExec cleans up first; `report_end` raises this later
                self.fault = fault
            super()._get_cgroup_measurements(*arguments)

        def report_end(self) -> None:
            """Report once that the program has ended; raise the exception that the report caused."""
            if self.fault:
                raise self.fault
            if not self.told:
                self.told = True
                ended()

    return Executor(use_namespaces=False)


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
        status, out, errors, stops.get(reason or ""), int(found.get("memory", 0)), 0, found.get("cputime")
    )


def _text(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as stream:
        return stream.read()
