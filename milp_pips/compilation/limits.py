"""The limits on the size of diagrams, and the errors that report a diagram beyond them."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import MilpPipsError
from milp_pips.problem.stopping import Deadline

NODE_BYTES, VIEW_NODES = 330, 3
"""Bytes per node of an unfinished diagram, with room for the reduction at the end; how many of these nodes a
node of an unfinished projection costs. ``benchmarks/counting.py --memory`` measures both."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The greatest number of nodes of a diagram, and of a projection of it; it limits the time, too.

    The number includes nodes that are needed only during the compilation. ``memory`` is the greatest number
    of bytes that the whole process may then hold, since the memory of a node differs from puzzle to puzzle.
    It is None if only nodes count, so that every machine gets the same result.
    """

    nodes: int
    memory: int | None = None

    @classmethod
    def of_memory(cls, memory: int | None) -> Budget:
        """Return the budget of a process that may hold ``memory`` bytes, including those that it holds now.

        None stands for a gigabyte, which usual machines can spare. A process that is large already, such as
        a notebook's, may still take three quarters of ``memory`` in addition.
        """
        memory = GIGABYTE if memory is None else memory
        return cls(memory // NODE_BYTES, max(memory, resident_memory() + memory * 3 // 4))


GIGABYTE = 2**30

DEFAULT_BUDGET = Budget(GIGABYTE // NODE_BYTES)
"""The budget if the caller gives none."""


class Unsupported(MilpPipsError):
    """No decision diagram of the problem can be made."""


class Unfinished(MilpPipsError):
    """A decision diagram was given up: for its size (``Stop.MEMORY``), the time, or an interruption."""

    def __init__(self, what: str, stop: Stop):
        self.stop = stop
        super().__init__(what)


@contextmanager
def too_large_suppressed() -> Iterator[None]:
    """Give up a diagram without an error in this block if it grows too large."""
    try:
        yield
    except Unfinished as reason:
        if reason.stop is not Stop.MEMORY:
            raise


class Allowance:
    """The number of nodes that may still be made, the bytes that the process may hold, and the deadline.

    Each ``spend`` checks the deadline and the memory. ``full`` is True once the memory is used up, even if
    nodes are left.
    """

    def __init__(self, nodes: int, deadline: Deadline | None = None, memory: int | None = None):
        self._nodes, self._deadline = nodes, deadline
        self._memory, self._held = memory, 0
        self._next = 0.0 if memory is None else time.monotonic() + MEMORY_CHECK_INTERVAL
        self.full = False

    def spend(self, nodes: int = 0) -> None:
        """Subtract new nodes. Raises Unfinished if there are too many, or if the deadline expires."""
        self._nodes -= nodes
        if self._nodes < 0:
            raise Unfinished("the decision diagram grows too large", Stop.MEMORY)
        stop = self._deadline.stop if self._deadline is not None else None
        if stop is not None:
            raise Unfinished("the decision diagram was not finished", stop)
        if self._memory is not None and time.monotonic() >= self._next:
            self._next = time.monotonic() + MEMORY_CHECK_INTERVAL
            now = resident_memory()
            self._held = self._held or now + REUSED
            if now > max(self._memory, self._held):
                self.full = True
                raise Unfinished("the decision diagram grows too large", Stop.MEMORY)


class MemoryLimit:
    """A stopping criterion: the process holds as many bytes as it may; see ``Budget.of_memory``.

    Without a limit that is three quarters of what the machine has, and at most what the check of a
    certificate may take.
    """

    def __init__(self, memory: int | None = None):
        memory = default_memory() if memory is None else memory
        self.most = Budget.of_memory(memory).memory or memory
        self._next, self.reached = 0.0, False

    def __call__(self) -> Stop | None:
        """Return ``Stop.MEMORY`` if the limit is reached."""
        if not self.reached and (now := time.monotonic()) >= self._next:
            self._next = now + MEMORY_CHECK_INTERVAL
            self.reached = resident_memory() > self.most
        return Stop.MEMORY if self.reached else None


MOST_MEMORY_UNASKED = 2**32
"""The most bytes without a limit."""


def default_memory() -> int:
    """Return the most bytes of a process that was given no limit."""
    with suppress(AttributeError, ValueError, OSError):  # not on Windows, nor in a browser
        return min(MOST_MEMORY_UNASKED, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 3 // 4)
    return MOST_MEMORY_UNASKED


UNLIMITED = sys.maxsize
"""A number of nodes without a limit."""

NO_LIMITS = Allowance(UNLIMITED)
"""An allowance without a deadline and without a limit of nodes."""

MEMORY_CHECK_INTERVAL = 0.01
"""Seconds between two checks of the memory: meanwhile it grows by a few megabytes at most."""

REUSED = 2**21
"""Bytes by which a diagram may enlarge a process that an earlier diagram has already filled to its limit.
Python keeps some of that diagram's memory and uses it again."""


def resident_memory() -> int:
    """Return how many bytes of memory this process holds now; 0 in a browser, where that is unknown."""
    try:
        with open("/proc/self/statm", "rb") as pages:
            return int(pages.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # not Linux
        if sys.platform == "emscripten":
            return 0
        import psutil

        return int(psutil.Process().memory_info().rss)
