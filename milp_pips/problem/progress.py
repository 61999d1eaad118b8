"""Progress lines of running work: to a listener and to the logger ``milp_pips``."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TypeAlias

OnProgress: TypeAlias = Callable[[str], object]

REPORT_INTERVAL = 1.0
"""Seconds between two progress lines: a person reads no faster."""


class Progress:
    """Progress lines; ``listener`` is called with each line, and is None if nobody reads them.

    The logger ``milp_pips`` receives most of the lines as well.
    """

    def __init__(self, listener: OnProgress | None = None):
        self.listener = listener
        self._last_report = time.monotonic()

    def report(self, text: str) -> None:
        """Report one line."""
        log(text)
        if self.listener is not None:
            self._last_report = time.monotonic()
            self.listener(text)

    def report_sometimes(self, text: Callable[[], str]) -> None:
        """Report a line to the listener if the last one is more than a second old."""
        if self.listener is not None and time.monotonic() - self._last_report > REPORT_INTERVAL:
            self._last_report = time.monotonic()
            self.listener(text())


def log(text: str) -> None:
    """Log a line to the logger ``milp_pips``, which is silent unless the program has added a handler.

    A program that reads the log has imported ``logging``; for others the import would only slow the start.
    """
    if (logging := sys.modules.get("logging")) is not None:
        logger = logging.getLogger("milp_pips")
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())
        logger.info("%s", text)
