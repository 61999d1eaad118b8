"""Waiting for what happens, not for so many seconds: watches and threads that act when something is so."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from milp_pips.watch import Watch

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


def run_out(watch: Watch) -> None:
    """Let the time of a watch be up."""
    watch.deadline = time.monotonic()
