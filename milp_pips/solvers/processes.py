"""A process and all that it has started: how much memory they hold, and how to end every one of them.

What is known comes from Linux's ``/proc``; elsewhere a process seems to hold nothing and to start nothing.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import time

PAUSE = 0.04
"""Seconds between two looks at what a process has started: a look reads a file per process of the machine."""


class Offspring:
    """A process and the programs it has started, looked at from time to time.

    ``peak`` is the greatest resident memory of the process itself so far, as the kernel keeps it, and
    ``peak_started`` that of its programs together, as it was seen; both in bytes.
    """

    def __init__(self, pid: int):
        self.pid = pid
        self.peak = self.peak_started = 0
        self._started: list[int] = []
        self._looked = 0.0

    def look(self) -> int:
        """Return the resident memory of all of them now, in bytes."""
        now = time.monotonic()
        if now - self._looked >= PAUSE:
            self._looked = now
            self._started = descendants(self.pid)
        own, peak = resident(self.pid)
        started = sum(resident(pid)[0] for pid in self._started)
        self.peak = max(self.peak, peak)
        self.peak_started = max(self.peak_started, started)
        return own + started

    def kill_started(self) -> None:
        """Kill the programs, wherever they moved: a session of its own protects none.

        Of a process that has ended already, those are killed that it had at the last look.
        """
        for pid in {*self._started, *descendants(self.pid)}:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def descendants(pid: int) -> list[int]:
    """Return the processes that the process, and these in turn, have started and that still run."""
    parents: dict[int, list[int]] = {}
    for entry in os.listdir("/proc") if os.path.isdir("/proc") else ():
        with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{entry}/stat", "rb") as stat:
            parent = int(stat.read().rpartition(b")")[2].split()[1])
            parents.setdefault(parent, []).append(int(entry))
    found = [pid]
    for one in found:
        found += parents.get(one, ())
    return found[1:]


def resident(pid: int | str = "self") -> tuple[int, int]:
    """Return the resident memory of a process, now and at its greatest, in bytes; 0 where it is unknown.

    The greatest is the kernel's mark of this program alone (``VmHWM``). ``getrusage`` would not do: there a
    child begins with the greatest of its parent.
    """
    try:
        with open(f"/proc/{pid}/status", "rb") as status:
            text = status.read()
    except OSError:
        return 0, 0
    now, peak = (re.search(rb"^Vm%s:\s*(\d+) kB" % name, text, re.MULTILINE) for name in (b"RSS", b"HWM"))
    return (1024 * int(now[1]) if now else 0), (1024 * int(peak[1]) if peak else 0)
