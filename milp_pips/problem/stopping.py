"""When to stop, and what goes on: one deadline, one interruption flag, one ear for all that runs."""

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

OnProgress: TypeAlias = Callable[[str], object]

REPORT_INTERVAL = 1.0
"""Seconds between two lines on how far work has come: a person reads no faster."""


class Deadline:
    """Tells whoever works whether to go on.

    As a context manager in the main thread it turns the first Ctrl-C into ``Stop.INTERRUPTED``, so that
    partial results are kept; a second Ctrl-C raises ``KeyboardInterrupt`` as usual.

    Parameters
    ----------
    seconds
        Time from now to the deadline; None for no deadline.
    on_progress
        Called with each line that tells what goes on; None for nobody. The logger ``milp_pips`` gets most of
        them as well.
    """

    def __init__(self, seconds: float | None = None, on_progress: OnProgress | None = None):
        self.expires = None if seconds is None else time.monotonic() + seconds
        self.on_progress = on_progress
        self._told = time.monotonic()
        self.interrupted = False
        self._previous: object = None

    @property
    def remaining(self) -> float | None:
        """Seconds to the deadline, never negative; None for no deadline."""
        return None if self.expires is None else max(0.0, self.expires - time.monotonic())

    @property
    def stop(self) -> Stop | None:
        """Why to stop now, or None."""
        if self.interrupted:
            return Stop.INTERRUPTED
        if self.expires is not None and time.monotonic() >= self.expires:
            return Stop.TIME
        return None

    def interrupt(self) -> None:
        """Ask whoever works to stop."""
        self.interrupted = True

    def report(self, text: str) -> None:
        """Tell what goes on, in one line."""
        log(text)
        if self.on_progress is not None:
            self._told = time.monotonic()
            self.on_progress(text)

    def report_progress(self, text: Callable[[], str]) -> None:
        """Tell how far work has come, if somebody listens and nothing has been told for a second."""
        if self.on_progress is not None and time.monotonic() - self._told > REPORT_INTERVAL:
            self._told = time.monotonic()
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
    """The same deadline for a part of the work, which may have to end before the whole does.

    Parameters
    ----------
    whole
        The whole deadline: an interruption or the deadline of it is one of this.
    seconds
        Time from now to the deadline of the part; None for that of the whole.
    """

    def __init__(self, whole: Deadline, seconds: float | None = None):
        left = whole.remaining
        super().__init__(left if seconds is None else seconds if left is None else min(seconds, left))
        self._whole = whole
        self.ended = False

    @property
    def stop(self) -> Stop | None:
        """Why to stop now, or None."""
        return self._whole.stop or super().stop or (Stop.BEATEN if self.ended else None)

    def interrupt(self) -> None:
        """Ask whoever works to stop, and whoever looks at the whole deadline."""
        self._whole.interrupt()

    def report(self, text: str) -> None:
        """Tell what goes on, in one line."""
        self._whole.report(text)

    def report_progress(self, text: Callable[[], str]) -> None:
        """Tell how far work has come, if somebody listens and nothing has been told for a second."""
        self._whole.report_progress(text)

    def end(self) -> None:
        """Ask the tasks that share this deadline, and no others, to stop: the result has been found."""
        self.ended = True


class EarlierDeadline(SubDeadline):
    """The same deadline with an earlier deadline, for work that must leave time for other work.

    Parameters
    ----------
    deadline
        The whole deadline: an interruption of it is one of this.
    share
        The part of what remains of its time that is to be left over; without a deadline, there is none here.
    most
        Seconds that are left over at most.
    """

    def __init__(self, deadline: Deadline, share: float, most: float = inf):
        left = deadline.remaining
        super().__init__(deadline, None if left is None else left - min(share * left, most))


class CpuTimeLimit(SubDeadline):
    """The same deadline for a part of the work that may take so many seconds of the processor.

    On a busy machine the clock goes on while others work; what is done in that time would be chance.
    """

    def __init__(self, whole: Deadline, seconds: float):
        super().__init__(whole)
        self._end = time.process_time() + seconds

    @property
    def stop(self) -> Stop | None:
        """Why to stop now, or None."""
        return super().stop or (Stop.TIME if time.process_time() >= self._end else None)


def running_deadline(
    deadline: Deadline | None, seconds: float | None, on_progress: OnProgress | None = None
) -> AbstractContextManager[Deadline]:
    """Return a context with the deadline that is running already, or with a new one for so many seconds."""
    if deadline is None:
        return Deadline(seconds, on_progress)
    if on_progress is not None:
        deadline.on_progress = on_progress
    return nullcontext(deadline)


def log(text: str) -> None:
    """Log a line to the logger ``milp_pips``, which is silent unless somebody listens.

    Who listens has imported ``logging``; for anybody else it would only make the start slower.
    """
    if (logging := sys.modules.get("logging")) is not None:
        logger = logging.getLogger("milp_pips")
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())
        logger.info("%s", text)
