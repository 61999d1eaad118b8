"""Deadlines, interruption and progress reports for all tasks.

A ``Deadline`` holds the time limit, the interruption flag and the function that receives progress lines.
Every task and engine checks ``stop`` and ends with the stopping criterion that it returns.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from math import inf
from types import FrameType, TracebackType
from typing import TypeAlias

from milp_pips.problem.answer import Stop

__all__ = [
    "CpuTimeLimit",
    "Deadline",
    "EarlierDeadline",
    "OnProgress",
    "SubDeadline",
    "log",
    "running_deadline",
]

OnProgress: TypeAlias = Callable[[str], object]

REPORT_INTERVAL = 1.0
"""Seconds between two progress lines: a person reads no faster."""


class Deadline:
    """A time limit with an interruption flag, which running work checks through ``stop``.

    Used as a context manager in the main thread, it turns the first Ctrl-C into ``Stop.INTERRUPTED``, so that
    partial results are kept. A second Ctrl-C raises ``KeyboardInterrupt`` as usual.

    Parameters
    ----------
    seconds
        Time from now to the deadline; None for no deadline.
    on_progress
        Called with each progress line; None for no calls. The logger ``milp_pips`` receives most of the lines
        as well.
    """

    def __init__(self, seconds: float | None = None, on_progress: OnProgress | None = None):
        self.expires = None if seconds is None else time.monotonic() + seconds
        self.on_progress = on_progress
        self._last_report = time.monotonic()
        self.interrupted = False
        self._previous: object = None

    @property
    def remaining(self) -> float | None:
        """Seconds to the deadline, never negative; None for no deadline."""
        return None if self.expires is None else max(0.0, self.expires - time.monotonic())

    @property
    def stop(self) -> Stop | None:
        """The stopping criterion that is met now, or None."""
        if self.interrupted:
            return Stop.INTERRUPTED
        if self.expires is not None and time.monotonic() >= self.expires:
            return Stop.TIME
        return None

    def interrupt(self) -> None:
        """Request that all work under this deadline stops."""
        self.interrupted = True

    def report(self, text: str) -> None:
        """Report one line of progress."""
        log(text)
        if self.on_progress is not None:
            self._last_report = time.monotonic()
            self.on_progress(text)

    def report_progress(self, text: Callable[[], str]) -> None:
        """Report progress if ``on_progress`` is set and the last report is more than a second old."""
        if self.on_progress is not None and time.monotonic() - self._last_report > REPORT_INTERVAL:
            self._last_report = time.monotonic()
            self.on_progress(text())

    def __enter__(self) -> Deadline:
        if threading.current_thread() is threading.main_thread():
            self._previous = signal.signal(signal.SIGINT, self._on_sigint)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)  # type: ignore[arg-type]

    def _on_sigint(self, _number: int, _frame: FrameType | None) -> None:
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupt()


class SubDeadline(Deadline):
    """A deadline for a part of the work, which may end before the whole deadline.

    Parameters
    ----------
    whole
        The whole deadline: its interruption and its expiry apply to the part, too.
    seconds
        Time from now to the deadline of the part; None for the deadline of the whole.
    """

    def __init__(self, whole: Deadline, seconds: float | None = None):
        left = whole.remaining
        super().__init__(left if seconds is None else seconds if left is None else min(seconds, left))
        self._whole = whole
        self.ended = False

    @property
    def stop(self) -> Stop | None:
        """The stopping criterion that is met now, or None."""
        return self._whole.stop or super().stop or (Stop.BEATEN if self.ended else None)

    def interrupt(self) -> None:
        """Request that all work under the whole deadline stops."""
        self._whole.interrupt()

    def report(self, text: str) -> None:
        """Report one line of progress."""
        self._whole.report(text)

    def report_progress(self, text: Callable[[], str]) -> None:
        """Report progress if ``on_progress`` is set and the last report is more than a second old."""
        self._whole.report_progress(text)

    def end(self) -> None:
        """Request that the tasks under this deadline, and no others, stop: the result has been found."""
        self.ended = True


class EarlierDeadline(SubDeadline):
    """An earlier deadline, for work that must leave time for other work.

    Parameters
    ----------
    deadline
        The whole deadline: its interruption applies to this one, too.
    share
        The share of the remaining time to leave over. If the whole has no deadline, neither has this one.
    most
        The largest number of seconds to leave over.
    """

    def __init__(self, deadline: Deadline, share: float, most: float = inf):
        left = deadline.remaining
        super().__init__(deadline, None if left is None else left - min(share * left, most))


class CpuTimeLimit(SubDeadline):
    """A deadline for a part of the work that limits its CPU time to ``seconds``.

    A limit on wall-clock time would make the amount of work depend on how busy the machine is.
    """

    def __init__(self, whole: Deadline, seconds: float):
        super().__init__(whole)
        self._end = time.process_time() + seconds

    @property
    def stop(self) -> Stop | None:
        """The stopping criterion that is met now, or None."""
        return super().stop or (Stop.TIME if time.process_time() >= self._end else None)


def running_deadline(
    deadline: Deadline | None, seconds: float | None, on_progress: OnProgress | None = None
) -> AbstractContextManager[Deadline]:
    """Return a context with the given deadline, or with a new one of ``seconds`` if that is None."""
    if deadline is None:
        return Deadline(seconds, on_progress)
    if on_progress is not None:
        deadline.on_progress = on_progress
    return nullcontext(deadline)


def log(text: str) -> None:
    """Log a line to the logger ``milp_pips``, which is silent unless the program has added a handler.

    A program that reads the log has imported ``logging``; for others the import would only slow the start.
    """
    if (logging := sys.modules.get("logging")) is not None:
        logger = logging.getLogger("milp_pips")
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())
        logger.info("%s", text)
