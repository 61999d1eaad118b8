"""How large diagrams may grow, for which use, and what is raised when one grows larger."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass

from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import MilpPipsError
from milp_pips.problem.stopping import Deadline

NODE_BYTES, VIEW_BYTES = 330, 1000
"""Bytes per node of a diagram in the making, and of its projection, with room for the reduction at the end.

``benchmarks/counting.py --memory`` measures what they take before that.
"""


@dataclass(frozen=True, slots=True)
class Budget:
    """How many nodes of a diagram, and of a projection of it, may be made; time grows with them, too.

    Nodes needed only on the way are included. ``memory`` is how many bytes the whole process may then hold,
    for what nodes take differs from puzzle to puzzle; None where nodes alone count, so that every machine
    comes to the same.
    """

    nodes: int
    view_nodes: int
    memory: int | None = None

    @classmethod
    def of_memory(cls, memory: int | None) -> Budget:
        """Return the budget of a process that may hold so many bytes, with all that it holds now.

        None stands for a gigabyte, which the machines people have can spare. Where the process is large
        already, such as a notebook's, three quarters of the memory may still be taken.
        """
        memory = GIGABYTE if memory is None else memory
        held = max(memory, resident_memory() + memory * 3 // 4)
        return cls(memory // NODE_BYTES, memory // VIEW_BYTES, held)


GIGABYTE = 2**30

DEFAULT_BUDGET = Budget(GIGABYTE // NODE_BYTES, GIGABYTE // VIEW_BYTES)
"""For whoever says nothing."""

RECOUNTING = 2**28
"""Bytes for a second count of a list that is there already: a quarter of what the list may have cost."""

GENERATING = Budget(nodes=4_000, view_nodes=0)
"""For a count on the way to a new puzzle: nodes and not bytes, so that every machine makes the same puzzles.

The puzzles of the tests are made with it: another number gives others for the same seeds.
"""

REFINING = Budget(nodes=1_500, view_nodes=0)
"""For a count of a puzzle that has been loosened; where that is too few, it is likely to be too loose."""


class Unsupported(MilpPipsError):
    """A problem that no decision diagram can be made of."""


class Unfinished(MilpPipsError):
    """A decision diagram that was given up: for its size (``Stop.MEMORY``), the time, or an interruption."""

    def __init__(self, what: str, stop: Stop):
        self.stop = stop
        super().__init__(what)


class Allowance:
    """How many nodes may still be made, and how many bytes the process may hold; and the deadline.

    Watch and memory are looked at whenever some nodes, or none, are spent. ``full`` tells that the memory was
    used up, whatever nodes are left.
    """

    def __init__(self, nodes: int, deadline: Deadline | None = None, memory: int | None = None):
        self._nodes, self._deadline = nodes, deadline
        self._memory, self._held = memory, 0
        self._next = 0.0 if memory is None else time.monotonic() + MEMORY_CHECK_INTERVAL
        self.full = False

    def spend(self, nodes: int = 0) -> None:
        """Take off nodes that were made. Raises Unfinished after too many, or when the deadline says stop."""
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


NO_LIMITS = Allowance(sys.maxsize)
"""For whoever has no deadline and counts no nodes."""

MEMORY_CHECK_INTERVAL = 0.01
"""Seconds between two looks at the memory: by then it has grown by a few megabytes at most."""

REUSED = 2**21
"""Bytes that each diagram may make a process grow that has reached its limit with an earlier one, of whose
memory Python keeps some, to be used again."""


def resident_memory() -> int:
    """Return how many bytes of memory this process holds now; 0 in a browser, where nobody can tell."""
    try:
        with open("/proc/self/statm", "rb") as pages:
            return int(pages.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # not Linux
        if sys.platform == "emscripten":
            return 0
        import psutil

        return int(psutil.Process().memory_info().rss)
