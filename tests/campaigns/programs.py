"""The program in a process of its own: with its own temporary folder, and a mark on all that it starts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psutil
from frame import ROOT

MARK = "MILP_PIPS_CAMPAIGN"
GRACE = 1.0
"""Seconds after its end until nothing that a program started may be there any more."""


class Ended(NamedTuple):
    """How a program ended: its status as a shell shows it, and what it printed."""

    status: int
    out: str
    err: str


class Program:
    """A running ``milp-pips VERB …``; ``before`` is a command that runs it, ``out`` where its output goes."""

    def __init__(
        self,
        words: list[str],
        folder: Path,
        paths: tuple[Path, ...] = (),
        *,
        before: tuple[str, ...] = (),
        out: str = "",
        start: tuple[str, ...] = (sys.executable, "-m", "milp_pips"),
        **environment: str,
    ):
        self.words, self.mark = words, uuid.uuid4().hex
        self.temporary = folder / f"tmp-{self.mark}"
        self.temporary.mkdir()
        path = os.pathsep.join(map(str, (ROOT, *paths)))
        own = {"PYTHONPATH": path, "TMPDIR": str(self.temporary), MARK: self.mark, "PYTHONWARNINGS": ""}
        self._out, self._err = Path(out or folder / f"out-{self.mark}"), folder / f"err-{self.mark}"
        with self._out.open("wb") as output, self._err.open("wb") as err:
            self.process = subprocess.Popen(
                [*before, *start, *words],
                stdin=subprocess.DEVNULL, stdout=output, stderr=err, cwd=folder,
                env={**os.environ, **own, **environment}, start_new_session=True,
            )  # fmt: skip
        self.begun = time.monotonic()

    def send(self, number: int) -> None:
        self.process.send_signal(number)

    def wait(self, seconds: float) -> Ended | None:
        """Return how it ended; None if it has not after so many seconds."""
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        files = (self._out, self._err)
        out, err = (file.read_text("utf-8", "backslashreplace") if file.is_file() else "" for file in files)
        return Ended(128 - status if status < 0 else status, out, err)

    def left(self) -> str:
        """Return what is left a moment after its end: processes that bear the mark, temporary files."""
        end = time.monotonic() + GRACE
        while (found := self.processes) and time.monotonic() < end:
            time.sleep(0.05)
        said = [f"process {p.pid}: {' '.join(_words(p))[:300]}" for p in found]
        return "; ".join([*said, *(f"temporary {path.name}" for path in self.temporary.iterdir())])

    def end(self) -> None:
        """Kill whatever is left, by its mark."""
        for process in self.processes:
            with suppress(psutil.Error):
                process.kill()
        with suppress(OSError):
            self.process.wait(5)

    @property
    def processes(self) -> list[psutil.Process]:
        """Return all processes with the mark in their environment that have not ended."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error, OSError):
                if process.environ().get(MARK) == self.mark and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
        return found


def _words(process: psutil.Process) -> list[str]:
    with suppress(psutil.Error):
        return process.cmdline()
    return ["?"]


NAMES = {number: signal.Signals(number).name for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)}
