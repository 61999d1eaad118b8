"""The programs that run at a moment: each may end while it is looked at."""

from __future__ import annotations

import time
from contextlib import suppress

import psutil
from waiting import GENEROUS


def children(saying: str, of: int | None = None, recursive: bool = False) -> list[psutil.Process]:
    """Return the children of a process, this one by default, with some words in their command lines."""
    found = []
    for child in psutil.Process(of).children(recursive=recursive):
        with suppress(psutil.Error):  # it has ended meanwhile
            if saying in " ".join(child.cmdline()):
                found.append(child)
    return found


def bearing(variable: str, value: str) -> list[psutil.Process]:
    """Return all processes with a variable in their environment: no parent is needed to find them."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.environ().get(variable) == value and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def ended(pid: int) -> bool:
    """Return whether a process ends soon; whoever adopts orphans may not have noticed yet."""
    begun = time.monotonic()
    while time.monotonic() - begun < GENEROUS:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.01)
    return False


def let_it_work(pid: int, seconds: float) -> None:
    """Wait until a process has spent so many seconds of processor time more, however long that takes."""
    process = psutil.Process(pid)
    begun, before = time.monotonic(), sum(process.cpu_times()[:2])
    while sum(process.cpu_times()[:2]) < before + seconds:
        assert time.monotonic() - begun < GENEROUS, "it does nothing"
        time.sleep(0.01)
