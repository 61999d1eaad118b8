"""Find running processes and wait for them. A process may end during each call."""

from __future__ import annotations

import time
from contextlib import suppress

import psutil
from waiting import WAIT_LIMIT


def child_processes(words: str, of: int | None = None, recursive: bool = False) -> list[psutil.Process]:
    """Return the children of a process, by default of this one, with these words in their command lines."""
    found = []
    for child in psutil.Process(of).children(recursive=recursive):
        with suppress(psutil.Error):  # it has ended meanwhile
            if words in " ".join(child.cmdline()):
                found.append(child)
    return found


def processes_with_variable(variable: str, value: str) -> list[psutil.Process]:
    """Return all processes with this variable in their environment, including orphans."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.environ().get(variable) == value and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def has_ended_soon(pid: int) -> bool:
    """Return whether a process ends within ``WAIT_LIMIT``; a zombie counts as ended."""
    begun = time.monotonic()
    while time.monotonic() - begun < WAIT_LIMIT:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.05)
    return False


def wait_for_processor_time(pid: int, seconds: float) -> None:
    """Wait until a process has used this many more seconds of processor time."""
    process = psutil.Process(pid)
    begun, before = time.monotonic(), sum(process.cpu_times()[:2])
    while sum(process.cpu_times()[:2]) < before + seconds:
        assert time.monotonic() - begun < WAIT_LIMIT, "the process is idle"
        time.sleep(0.05)
