"""End programs together with the process that started them, however that process ends.

Each program gets a mark in its environment, and the programs that it starts inherit the mark. On Linux, a
reaper runs beside the process: it waits for the process to end and kills every process with its mark.
``PR_SET_PDEATHSIG`` alone is not enough, for three reasons. The signal comes at the end of the thread that
started the program. It must be set between fork and exec, where a process with threads must not run Python.
And the programs that the program starts do not get it.

The reaper is this file, run as a script that imports nothing else of this package. ``ProcessTree`` measures
the memory of a process and of all that it has started, and kills them.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import select
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil

MARK = "MILP_PIPS_STARTED_BY"
"""The environment variable that holds the mark; a mark begins with the mark of the parent."""

REAPING_SECONDS = 10.0
"""Seconds after which killing stops: a process that waits for a disk may not end at once."""

REAPER_SCAN_INTERVAL = 0.02
"""Seconds between two searches for processes with a mark."""

_lock = threading.Lock()
_numbers = itertools.count(1)
_marks: dict[int, str] = {}
"""The mark of the programs that this process starts, by process number: a fork needs its own mark."""


def new_mark() -> str:
    """Return the mark of a program that is about to start; with that mark it ends with this process."""
    with _lock:
        own = os.getpid()
        if own not in _marks:
            mark = "/".join(filter(None, (os.environ.get(MARK), f"{own}-{time.monotonic_ns():x}")))
            if sys.platform == "linux":
                _start_reaper(mark)
            _marks[own] = mark
        return f"{_marks[own]}/{next(_numbers)}"


def rely_on_parent() -> None:
    """Start no reaper for this process: its parent ends all processes with the inherited mark."""
    if inherited := os.environ.get(MARK):
        _marks[os.getpid()] = inherited


def processes_with_mark(mark: str) -> list[int]:
    """Return the numbers of the processes with this mark or one that begins with it; only on Linux."""
    found = []
    exact = f"{MARK}={mark}".encode()
    nested = exact + b"/"
    with contextlib.suppress(FileNotFoundError):
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) != os.getpid():
                with contextlib.suppress(OSError), open(f"/proc/{name}/environ", "rb") as stream:
                    variables = stream.read().split(b"\0")
                    if any(each == exact or each.startswith(nested) for each in variables):
                        found.append(int(name))
    return found


def kill_marked(mark: str) -> None:
    """Kill the processes with a mark, and search again until none is left; only on Linux."""
    end = time.monotonic() + REAPING_SECONDS
    while (found := processes_with_mark(mark)) and time.monotonic() < end:
        for each in found:
            with contextlib.suppress(OSError):
                os.kill(each, signal.SIGKILL)
        time.sleep(REAPER_SCAN_INTERVAL)


def _start_reaper(mark: str) -> None:
    """Start a reaper that blocks Ctrl-C and every other signal that can be blocked."""
    devnull = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    os.posix_spawn(
        sys.executable,
        [sys.executable, "-I", "-S", os.path.abspath(__file__), str(os.getpid()), mark],
        {name: value for name, value in os.environ.items() if name != MARK},
        file_actions=devnull,
        setsigmask=signal.valid_signals(),
    )


def reap(pid: int, mark: str) -> None:
    """Wait until the parent process ``pid`` ends, and kill every process with its mark."""
    with contextlib.suppress(OSError):
        os.setsid()
    os.closerange(3, 1024)
    os.chdir("/")
    _wait_for_end(pid)
    kill_marked(mark)


def _wait_for_end(pid: int) -> None:
    try:
        watched = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    except (AttributeError, OSError):  # a kernel or a Python without pidfd_open
        while os.getppid() == pid:
            time.sleep(0.2)
        return
    if os.getppid() == pid:
        select.select([watched], [], [])


# A process and all programs that it has started: measure their memory, and kill them.

PROCESS_SCAN_INTERVAL = 0.04
"""Seconds between two searches for the programs of a process: each scans all processes of the machine."""


class ProcessTree:
    """A process and the programs it has started, measured from time to time.

    ``mark`` is the mark in the environment of the process, or empty (see the module).

    ``peak`` is the peak resident memory of the process itself, as the kernel records it. ``peak_started`` is
    the greatest measured total of the programs that it has started. Both are in bytes.
    """

    def __init__(self, pid: int, mark: str = ""):
        self.pid, self.mark = pid, mark
        self.peak = self.peak_started = 0
        self._started: set[psutil.Process] = set()
        self._scanned_at = 0.0

    def measure(self) -> int:
        """Return the current resident memory of all of them, in bytes."""
        import psutil  # the import takes 20 ms: an engine in this process does not need it

        now = time.monotonic()
        if now - self._scanned_at >= PROCESS_SCAN_INTERVAL:
            self._scanned_at = now
            self._started = self._find_started()
        own = 0
        with contextlib.suppress(psutil.Error):
            own = psutil.Process(self.pid).memory_info().rss
        started = sum(map(_resident, self._started))
        self.peak = max(self.peak, own, peak_memory(self.pid))
        self.peak_started = max(self.peak_started, started)
        return own + started

    def kill_started(self, *, orphans: bool = True) -> None:
        """Kill the programs, also those that have moved to a process group or session of their own.

        First suspend them all and search again until there are no new ones: a program that one of them starts
        between a search and a kill would survive. If the process has ended already, this kills the programs
        in its session, those that the last ``measure`` found, and with ``orphans`` all with its mark (on
        Linux).
        """
        import psutil

        programs = set(self._started)
        new = programs | self._find_started()
        if orphans:
            new |= self._find_marked()
        while new:
            programs |= new
            for program in new:
                with contextlib.suppress(psutil.Error):
                    program.suspend()
            new = (self._find_started() | self._find_marked()) - programs
        for program in programs:
            with contextlib.suppress(psutil.Error):
                program.kill()

    def _find_started(self) -> set[psutil.Process]:
        """Return the descendants of the process, and the processes in the session that it leads."""
        import psutil

        found: set[psutil.Process] = set()
        with contextlib.suppress(psutil.Error):
            found.update(psutil.Process(self.pid).children(recursive=True))
        if sys.platform != "win32":  # Windows has no sessions of this kind
            for pid in psutil.pids():
                with contextlib.suppress(OSError, psutil.Error):
                    if pid != self.pid and os.getsid(pid) == self.pid:
                        found.add(psutil.Process(pid))
        return found

    def _find_marked(self) -> set[psutil.Process]:
        """Return the processes with the mark of the process."""
        import psutil

        found: set[psutil.Process] = set()
        for pid in processes_with_mark(self.mark) if self.mark else ():
            with contextlib.suppress(psutil.Error):
                if pid != self.pid:
                    found.add(psutil.Process(pid))
        return found


def processor_seconds() -> float:
    """Return the processor seconds of this process and of all programs that it has started."""
    import psutil

    spent = sum(os.times()[:4])  # with the programs that have ended
    with contextlib.suppress(psutil.Error):
        for program in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                spent += sum(program.cpu_times()[:4])
    return spent


def peak_memory(pid: int | str = "self") -> int:
    """Return the peak resident memory of a process in bytes, or 0 if the kernel does not report it.

    The value is Linux's ``VmHWM`` of this program alone, which psutil does not provide. ``getrusage`` does
    not work: its maximum of a child begins with the maximum of the parent.
    """
    try:
        with open(f"/proc/{pid}/status", "rb") as status:
            peak = re.search(rb"^VmHWM:\s*(\d+) kB", status.read(), re.MULTILINE)
    except OSError:
        return 0
    return 1024 * int(peak[1]) if peak else 0


def _resident(process: psutil.Process) -> int:
    import psutil

    try:
        return int(process.memory_info().rss)
    except psutil.Error:  # it has ended, or belongs to another user
        return 0


if __name__ == "__main__":
    reap(int(sys.argv[1]), sys.argv[2])
