"""Run something that does not listen, a library call or a program, while someone watches."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from typing import IO, TYPE_CHECKING, NamedTuple

from milp_pips.answer import Stop
from milp_pips.solvers.processes import Offspring

if TYPE_CHECKING:
    import subprocess

    from milp_pips.watch import Watch

GRACE = 0.3
"""Seconds that an engine gets to obey before it is abandoned or killed."""


def call_watched(work: Callable[[], object], watch: Watch, cancel: Callable[[], object]) -> bool:
    """Do the work in a thread of its own and return True, or False if it had to be abandoned.

    The main thread hears Ctrl-C at once, whatever the library does. When the watch says stop, ``cancel``
    asks the library to end. Whatever the work raises is raised here.
    """
    failure: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=guarded, daemon=True)
    thread.start()
    patience: float | None = None
    while thread.is_alive():
        thread.join(0.05)
        if watch.stop and thread.is_alive():
            if patience is None:
                patience = time.monotonic() + GRACE
                cancel()
            elif time.monotonic() >= patience:
                return False
    if failure:
        raise failure[0]
    return True


class Ran(NamedTuple):
    """How a program ended: its exit status (negative: the signal), what it printed, why it was stopped.

    ``peak`` and ``peak_started`` are the greatest memory seen of the program and of what it has started, in
    bytes; they are looked at only if there is a limit.
    """

    status: int
    output: str
    errors: str
    stop: Stop | None
    peak: int = 0
    peak_started: int = 0


def run_watched(
    command: Sequence[str],
    watch: Watch,
    *,
    feed: bytes = b"",
    memory: int | None = None,
    soften: float = 0.0,
    folder: str | None = None,
) -> Ran:
    """Run a program in a process group of its own until it ends or must stop; nothing of it survives.

    Parameters
    ----------
    command
        Program and arguments.
    watch
        Says when to stop.
    feed
        What the program reads from standard input.
    memory
        Bytes of resident memory that the program and what it starts may use; looked at on Linux only.
    soften
        Seconds past the deadline that the program gets to stop by itself.
    folder
        Working directory.
    """
    import subprocess  # these two take 4 ms: an engine in this process does not need them
    import tempfile

    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(feed)
        given.seek(0)
        process = subprocess.Popen(
            command, stdin=given, stdout=out, stderr=err, cwd=folder, start_new_session=True
        )
        offspring = Offspring(process.pid)
        try:
            stop = _wait(process, offspring, watch, memory, soften)
        finally:
            offspring.kill_started()
            _kill(process)
        return Ran(process.returncode, _text(out), _text(err), stop, offspring.peak, offspring.peak_started)


def _wait(
    process: subprocess.Popen[bytes],
    offspring: Offspring,
    watch: Watch,
    memory: int | None,
    soften: float,
) -> Stop | None:
    """Wait for the program to end or overstay; return what it was told to stop for, if it was."""
    import subprocess

    told: Stop | None = None
    overdue = 0.0
    pause = 0.001
    while True:
        try:
            process.wait(pause)
            return told
        except subprocess.TimeoutExpired:
            pause = min(0.02, 2 * pause)
        if memory is not None and offspring.look() > memory:
            return Stop.MEMORY
        if told is None and watch.stop:
            told = watch.stop
            overdue = time.monotonic() + (soften if told is Stop.TIME else GRACE)
            if told is Stop.INTERRUPTED:
                _signal(process, signal.SIGINT)
        if told is not None and time.monotonic() >= overdue:
            return told


def _kill(process: subprocess.Popen[bytes]) -> None:
    _signal(process, signal.SIGKILL)
    process.wait()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send a signal to the whole process group, which may be gone already."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode("utf-8", errors="replace")
