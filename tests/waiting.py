"""Waiting for what happens, not for so many seconds: watches and threads that act when something is so."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from milp_pips.problem.answer import Stop
from milp_pips.problem.stopping import Deadline

GENEROUS = 60.0
"""Seconds after which a test gives up waiting for what should come at once."""


def when(happened: Callable[[], object], act: Callable[[], object]) -> None:
    """Act, in a thread of its own, as soon as something is so."""

    def wait_and_act() -> None:
        begun = time.monotonic()
        while not happened():
            assert time.monotonic() - begun < GENEROUS, "what was waited for did not happen"
            time.sleep(0.01)
        act()

    threading.Thread(target=wait_and_act, daemon=True).start()


@contextmanager
def ctrl_c_when(happened: Callable[[], object]) -> Iterator[None]:
    """Interrupt this process as soon as something is so, but never after what is done meanwhile."""
    within, lock = [True], threading.Lock()

    def interrupt() -> None:
        with lock:
            if within:
                os.kill(os.getpid(), signal.SIGINT)

    when(lambda: not within or happened(), interrupt)
    try:
        yield
    finally:
        with lock:
            within.clear()


def run_out(deadline: Deadline) -> None:
    """Let the time of a deadline be up."""
    deadline.expires = time.monotonic()


class CountedDeadline(Deadline):
    """A deadline whose time is up when it has been looked at so many times; it counts the looks."""

    def __init__(self, looks: int, reason: Stop = Stop.TIME):
        super().__init__()
        self.seen, self._looks, self._reason = 0, looks, reason

    @property
    def stop(self) -> Stop | None:
        self.seen += 1
        return self._reason if self.seen > self._looks else None
