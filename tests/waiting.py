"""Wait for conditions instead of fixed times: deadlines and threads that act when a condition holds."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from milp_pips.problem.answer import Stop
from milp_pips.problem.stopping import Deadline

WAIT_LIMIT = 60.0
"""Seconds after which a test gives up waiting for a condition that should hold almost at once."""


def act_when(condition: Callable[[], object], act: Callable[[], object]) -> None:
    """Call ``act`` in a separate thread as soon as the condition holds."""

    def wait_and_act() -> None:
        begun = time.monotonic()
        while not condition():
            assert time.monotonic() - begun < WAIT_LIMIT, "the condition never held"
            time.sleep(0.01)
        act()

    threading.Thread(target=wait_and_act, daemon=True).start()


@contextmanager
def interrupt_when(condition: Callable[[], object]) -> Iterator[None]:
    """Interrupt this process as soon as the condition holds, but not after the end of the block."""
    within, lock = [True], threading.Lock()

    def interrupt() -> None:
        with lock:
            if within:
                os.kill(os.getpid(), signal.SIGINT)

    act_when(lambda: not within or condition(), interrupt)
    try:
        yield
    finally:
        with lock:
            within.clear()


def expire(deadline: Deadline) -> None:
    """Make a deadline expire now."""
    deadline.expires = time.monotonic()


class CountedDeadline(Deadline):
    """A deadline that expires after a given number of checks; ``seen`` counts them."""

    def __init__(self, checks: int, reason: Stop = Stop.TIME):
        super().__init__()
        self.seen, self.checks, self._reason = 0, checks, reason

    @property
    def stop(self) -> Stop | None:
        self.seen += 1
        return self._reason if self.seen > self.checks else None
