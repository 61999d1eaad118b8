"""A process and all that it has started: how much memory they hold, and how to end every one of them."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from typing import TYPE_CHECKING

from milp_pips.runtime.reaper import marked

if TYPE_CHECKING:
    import psutil

PROCESS_SCAN_INTERVAL = 0.04
"""Seconds between two looks at what a process has started: a look goes through the machine's processes."""


class ProcessTree:
    """A process and the programs it has started, looked at from time to time.

    ``mark`` is what it bears in its environment, if it was given one (see ``reaper``).

    ``peak`` is the greatest resident memory of the process itself so far, as the kernel keeps it, and
    ``peak_started`` that of its programs together, as it was seen; both in bytes.
    """

    def __init__(self, pid: int, mark: str = ""):
        self.pid, self.mark = pid, mark
        self.peak = self.peak_started = 0
        self._started: set[psutil.Process] = set()
        self._looked = 0.0

    def look(self) -> int:
        """Return the resident memory of all of them now, in bytes."""
        import psutil  # takes 20 ms: an engine in this process does not need it

        now = time.monotonic()
        if now - self._looked >= PROCESS_SCAN_INTERVAL:
            self._looked = now
            self._started = self._find_started()
        own = 0
        with contextlib.suppress(psutil.Error):
            own = psutil.Process(self.pid).memory_info().rss
        started = sum(map(_resident, self._started))
        self.peak = max(self.peak, own, peak_memory(self.pid))
        self.peak_started = max(self.peak_started, started)
        return own + started

    def kill_started(self, *, orphans: bool = True) -> None:
        """Kill the programs, wherever they moved: neither a group nor a session of its own protects one.

        They are held still before they are killed, and looked for again: what one of them started between a
        look and a kill would live on. Of a process that has ended already, those are killed that are in its
        session or that it had at the last look, and ``orphans``, which bear its mark (on Linux).
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
        """Return what descends from the process, or is in the session that it leads."""
        import psutil

        found: set[psutil.Process] = set()
        with contextlib.suppress(psutil.Error):
            found.update(psutil.Process(self.pid).children(recursive=True))
        if sys.platform != "win32":  # which has no sessions of this kind
            for pid in psutil.pids():
                with contextlib.suppress(OSError, psutil.Error):
                    if pid != self.pid and os.getsid(pid) == self.pid:
                        found.add(psutil.Process(pid))
        return found

    def _find_marked(self) -> set[psutil.Process]:
        """Return what bears the mark of the process."""
        import psutil

        found: set[psutil.Process] = set()
        for pid in marked(self.mark) if self.mark else ():
            with contextlib.suppress(psutil.Error):
                if pid != self.pid:
                    found.add(psutil.Process(pid))
        return found


def peak_memory(pid: int | str = "self") -> int:
    """Return the greatest resident memory of a process so far, in bytes; 0 where the kernel does not tell.

    It is Linux's mark of this program alone (``VmHWM``), which psutil leaves out. ``getrusage`` would not
    do: there a child begins with the greatest of its parent.
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
    except psutil.Error:  # it has ended, or is another's
        return 0
