"""Runs measured by BenchExec, by the kernel's control groups: all that a run starts is one group.

A group's processor time and memory are counted by the kernel, whatever its programs do; it has cores of its
own, a limit of memory that holds, and an end that nothing survives (Beyer, Löwe and Wendler, *Reliable
benchmarking: requirements and solutions*, STTT 2019). Containers are not used: a plain machine need not allow
them.
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
from milp_pips.runtime.children import own_variables
from milp_pips.runtime.interruptible import CALL_POLL, ProcessResult
from milp_pips.runtime.reaper import new_mark
from milp_pips.runtime.writing import temporary_folder

if TYPE_CHECKING:
    from milp_pips.problem.stopping import Deadline

BENCHEXEC, OURS = "benchexec", "milp_pips"
"""Who measures memory and processor time."""

WAITS = 0.1
"""Seconds that BenchExec waits after a run, until what the kernel has counted is sure not to change."""

BENCHEXEC_GRACE = 10.0
"""Seconds past all limits after which BenchExec ends a run that even the system's alarm has not ended."""


def measurer(choice: str | None) -> ControlGroups | None:
    """Return what measures runs in place of ourselves; None where we do. Raises UsageError.

    Without a choice it is BenchExec where that can work.
    """
    if choice not in (None, BENCHEXEC, OURS):
        raise UsageError(f"nothing measures by the name {choice!r}; known: {BENCHEXEC}, {OURS}")
    found = None if choice == OURS else benchexec_here()
    if isinstance(found, str):
        if choice == BENCHEXEC:
            raise UsageError(f"BenchExec cannot measure here: {found}")
        return None
    return found


@cache
def benchexec_here() -> ControlGroups | str:
    """Return BenchExec if it can measure here, as one try shows; otherwise why it cannot."""
    root = logging.getLogger()
    if not root.handlers:  # else its first word would turn on logging to standard error, for everybody
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
    except (Exception, SystemExit) as error:  # it leaves the program where groups fail it
        return " ".join(str(error).split()) or type(error).__name__
    return tried if ran.status == 0 and ran.peak and ran.processor_seconds else "a try failed"


class ControlGroups:
    """Runs programs, each in a control group of its own.

    Parameters
    ----------
    cores
        Those that runs are bound to, each to as many as it has threads; once there are too few left, a run is
        bound to none.
    """

    def __init__(self, cores: Sequence[int]):
        self._free = list(cores)
        self._lock = threading.Lock()

    def take(self, count: int) -> list[int]:
        """Return so many cores that nobody has, until they are given back; none if there are too few."""
        with self._lock:
            taken = self._free[:count] if count <= len(self._free) else []
            self._free = self._free[len(taken) :]
        return taken

    def give_back(self, cores: Sequence[int]) -> None:
        """Let others have these cores."""
        with self._lock:
            self._free = sorted([*self._free, *cores])

    def runner(self, seconds: float, threads: int) -> Callable[..., ProcessResult]:
        """Return what runs a program in place of ``run_program``, within a time limit, on so many cores."""
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

        ``ended`` is called before BenchExec reads its figures, for which it ``WAITS``.
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
                    environments={"newEnv": own_variables(new_mark(), temporary)},
                    error_filename=errors,
                    write_header=False,
                )
            finally:
                done.set()
                ear.join()
                executor.tell()
            return _ran(found, _text(out), _text(errors))


def _executor(ended: Callable[[], object]) -> Any:
    """Return what runs one program, and says when it has ended."""
    from benchexec.runexecutor import RunExecutor

    class Executor(RunExecutor):  # type: ignore[misc]
        """BenchExec's own, which is told of the end before it ``WAITS``.

        The method that does so is its own affair: should it be called otherwise one day, ``tell`` alone
        is, when all is done.
        """

        fault: BaseException | None = None
        told = False

        def _get_cgroup_measurements(self, *arguments: Any) -> None:
            try:
                self.tell()
            except BaseException as fault:  # it is BenchExec's turn to clean up
                self.fault = fault
            super()._get_cgroup_measurements(*arguments)

        def tell(self) -> None:
            """Say once that the program has ended; raise what came of that."""
            if self.fault:
                raise self.fault
            if not self.told:
                self.told = True
                ended()

    return Executor(use_namespaces=False)


def _stop_with(executor: Any, deadline: Deadline | None, done: threading.Event) -> None:
    """End the run when the deadline says stop."""
    while not done.wait(CALL_POLL):
        if deadline is not None and deadline.stop:
            executor.stop()


def _ran(found: dict[str, Any], out: str, errors: str) -> ProcessResult:
    """Return in our words how a run has ended."""
    reason, ended = found.get("terminationreason"), found.get("exitcode")
    stops = {"memory": Stop.MEMORY, "walltime": Stop.TIME, "killed": Stop.INTERRUPTED}
    status = -signal.SIGKILL if ended is None else -ended.signal if ended.signal else ended.value or 0
    return ProcessResult(
        status, out, errors, stops.get(reason or ""), int(found.get("memory", 0)), 0, found.get("cputime")
    )


def _text(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as stream:
        return stream.read()
