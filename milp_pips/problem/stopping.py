"""Stopping criteria, and the deadline that holds those of a task.

A criterion is an object with one method: called, it returns why to stop, or None. ``any_of`` combines
criteria. Every task and engine gets a ``Deadline``, checks its ``stop`` and ends with the reason that it
returns. Its ``progress`` reports lines to a listener and to the logger ``milp_pips``.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from math import inf
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, TypeAlias

from milp_pips.problem.answer import Stop

if TYPE_CHECKING:
    from milp_pips.problem.objective import Objective

__all__ = [
    "Criterion",
    "Deadline",
    "EarlierDeadline",
    "OnProgress",
    "Progress",
    "Request",
    "SubDeadline",
    "TimeLimit",
    "any_of",
    "log",
    "running_deadline",
]

Criterion: TypeAlias = Callable[[], Stop | None]
"""Returns why to stop, or None."""


class TimeLimit:
    """Stops a number of seconds from now (None: never), at ``expires`` of ``time.monotonic``."""

    def __init__(self, seconds: float | None):
        self.expires = None if seconds is None else time.monotonic() + seconds

    def __call__(self) -> Stop | None:
        """Return why to stop, or None."""
        return Stop.TIME if self.expires is not None and time.monotonic() >= self.expires else None


class Request:
    """Stops, for a given reason, once ``made`` is true."""

    def __init__(self, reason: Stop):
        self.made = False
        self._reason = reason

    def __call__(self) -> Stop | None:
        """Return why to stop, or None."""
        return self._reason if self.made else None


def any_of(*criteria: Criterion) -> Criterion:
    """Return the criterion that is met as soon as one of these is; its reason is that of the first one."""

    def first() -> Stop | None:
        for criterion in criteria:
            if (stop := criterion()) is not None:
                return stop
        return None

    return first


OnProgress: TypeAlias = Callable[[str], object]

REPORT_INTERVAL = 1.0
"""Seconds between two progress lines: a person reads no faster."""


class Progress:
    """Progress lines; ``listener`` is called with each line; it is None if they are not shown.

    The logger ``milp_pips`` receives most of the lines as well. ``incumbents`` are the solutions of the last
    search with an objective, each better than the one before: the moment by ``time.monotonic``, and the
    value. They are those that the engine reports while it searches in this process, and its last one.
    """

    def __init__(self, listener: OnProgress | None = None):
        self.listener = listener
        self.incumbents: list[tuple[float, int]] = []
        self._objective: Objective | None = None
        self._last_report = time.monotonic()

    @contextmanager
    def towards(self, objective: Objective | None) -> Iterator[None]:
        """Return a context in which ``improve`` keeps the incumbents of a search with this objective."""
        self.incumbents = []
        before, self._objective = self._objective, objective
        try:
            yield
        finally:
            self._objective = before

    def improve(self, cost: float) -> None:
        """Keep and report a solution of this cost, if it is better than all before it; any thread may call.

        An engine that searches without an objective may call it, too: then nothing is kept.
        """
        objective = self._objective
        if objective is None:
            return
        value = objective.value_of(round(cost))
        # Threads of an engine may report their incumbents late, and some engines report one again.
        if self.incumbents and objective.cost(self.incumbents[-1][1]) <= round(cost):
            return
        self.incumbents.append((time.monotonic(), value))
        self.report(f"a solution with the value {value}")

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


class Deadline:
    """A time limit and an interruption, which running work checks through ``stop``.

    Used as a context manager in the main thread, it turns the first Ctrl-C into ``Stop.INTERRUPTED``, so that
    partial results are kept. A second Ctrl-C raises ``KeyboardInterrupt`` as usual.

    Parameters
    ----------
    seconds
        Time from now to the deadline; None for no deadline.
    on_progress
        Called with each progress line of the work; None for no calls. ``progress`` reports the lines.
    """

    def __init__(self, seconds: float | None = None, on_progress: OnProgress | None = None):
        self.progress = Progress(on_progress)
        self._time, self._interruption = TimeLimit(seconds), Request(Stop.INTERRUPTED)
        self._criterion = any_of(self._interruption, self._time)
        self._begun = time.monotonic()
        self._previous: object = None

    @property
    def expires(self) -> float | None:
        """The moment of the deadline by ``time.monotonic``; None for no deadline."""
        return self._time.expires

    @expires.setter
    def expires(self, moment: float) -> None:
        self._time.expires = moment

    @property
    def remaining(self) -> float | None:
        """Seconds to the deadline, never negative; None for no deadline."""
        return None if self.expires is None else max(0.0, self.expires - time.monotonic())

    @property
    def spent(self) -> float:
        """Seconds since the work began; for a part of it, since the whole began."""
        return time.monotonic() - self._begun

    @property
    def stop(self) -> Stop | None:
        """The stopping criterion that is met now, or None."""
        return self._criterion()

    @property
    def interrupted(self) -> bool:
        """Whether an interruption was requested."""
        return self._interruption.made

    def interrupt(self) -> None:
        """Request that all work under this deadline stops."""
        self._interruption.made = True

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
        The whole deadline: its interruption, its expiry and its progress apply to the part, too.
    seconds
        Time from now to the deadline of the part; None for the deadline of the whole.
    criterion
        Another criterion that stops the part.
    """

    def __init__(self, whole: Deadline, seconds: float | None = None, criterion: Criterion | None = None):
        left = whole.remaining
        super().__init__(left if seconds is None else seconds if left is None else min(seconds, left))
        self.progress = whole.progress
        self._begun = whole._begun
        self._whole, self._ended = whole, Request(Stop.BEATEN)
        own = (self._time, self._ended) if criterion is None else (self._time, criterion, self._ended)
        # The whole comes first: an interruption must not be reported as the time limit of a part.
        self._criterion = any_of(lambda: whole.stop, *own)

    @property
    def interrupted(self) -> bool:
        """Whether an interruption of the whole work was requested."""
        return self._whole.interrupted

    def interrupt(self) -> None:
        """Request that all work under the whole deadline stops."""
        self._whole.interrupt()

    @property
    def ended(self) -> bool:
        """Whether ``end`` was called."""
        return self._ended.made

    def end(self) -> None:
        """Request that the tasks under this deadline, and no others, stop: the result has been found."""
        self._ended.made = True


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


def running_deadline(
    deadline: Deadline | None, seconds: float | None, on_progress: OnProgress | None = None
) -> AbstractContextManager[Deadline]:
    """Return a context with the given deadline, or with a new one of ``seconds`` if that is None."""
    if deadline is None:
        return Deadline(seconds, on_progress)
    deadline.progress.listener = on_progress or deadline.progress.listener
    return nullcontext(deadline)
