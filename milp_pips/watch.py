"""When to stop: one deadline and one interruption flag for everything that runs."""

from __future__ import annotations

import signal
import threading
import time
from contextlib import AbstractContextManager, nullcontext
from math import inf
from types import FrameType, TracebackType

from milp_pips.answer import Stop


class Watch:
    """Tells whoever works whether to go on.

    As a context manager in the main thread it turns the first Ctrl-C into ``Stop.INTERRUPTED``, so that
    partial results are kept; a second Ctrl-C raises ``KeyboardInterrupt`` as usual.

    Parameters
    ----------
    seconds
        Time from now to the deadline; None for no deadline.
    """

    def __init__(self, seconds: float | None = None):
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self.interrupted = False
        self._previous: object = None

    @property
    def remaining(self) -> float | None:
        """Seconds to the deadline, never negative; None for no deadline."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())

    @property
    def stop(self) -> Stop | None:
        """Why to stop now, or None."""
        if self.interrupted:
            return Stop.INTERRUPTED
        if self.deadline is not None and time.monotonic() >= self.deadline:
            return Stop.TIME
        return None

    def interrupt(self) -> None:
        """Ask whoever works to stop."""
        self.interrupted = True

    def __enter__(self) -> Watch:
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


class PartialWatch(Watch):
    """The same watch for a part of the work, which may have to end before the whole does.

    Parameters
    ----------
    whole
        The whole watch: an interruption or the deadline of it is one of this.
    seconds
        Time from now to the deadline of the part; None for that of the whole.
    """

    def __init__(self, whole: Watch, seconds: float | None = None):
        left = whole.remaining
        super().__init__(left if seconds is None else seconds if left is None else min(seconds, left))
        self._whole = whole
        self.ended = False

    @property
    def stop(self) -> Stop | None:
        """Why to stop now, or None."""
        return self._whole.stop or super().stop or (Stop.BEATEN if self.ended else None)

    def interrupt(self) -> None:
        """Ask whoever works to stop, and whoever looks at the whole watch."""
        self._whole.interrupt()

    def end(self) -> None:
        """Ask whoever looks at this watch to stop, since what they look for has been found; nobody else."""
        self.ended = True


class EarlierWatch(PartialWatch):
    """The same watch with an earlier deadline, for work that must leave time for other work.

    Parameters
    ----------
    watch
        The whole watch: an interruption of it is one of this.
    share
        The part of what remains of its time that is to be left over; without a deadline, there is none here.
    most
        Seconds that are left over at most.
    """

    def __init__(self, watch: Watch, share: float, most: float = inf):
        left = watch.remaining
        super().__init__(watch, None if left is None else left - min(share * left, most))


def watching(watch: Watch | None, seconds: float | None) -> AbstractContextManager[Watch]:
    """Return a context with the watch that is running already, or with a new one for so many seconds."""
    return Watch(seconds) if watch is None else nullcontext(watch)
