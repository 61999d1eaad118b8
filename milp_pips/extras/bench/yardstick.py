"""How fast a core is, alone and beside others; and a core that a process keeps for itself.

The reference is the number of Latin squares of order 5 with a given first row, counted by decision diagrams:
pure Python and its memory, the same on every machine, so that times tell machines apart and nothing else.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
import zlib
from contextlib import suppress

from milp_pips.compilation.space import compile_space
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.problem import AllDifferent, Problem, Variable
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.worker import call_in_worker

ORDER, SQUARES = 5, 1344
"""The reference: 161,280 Latin squares of order 5 (Euler 1782), 5! times fewer where a row is given."""

TIMES = 9
"""How often the reference is done; the quickest counts, which chance slows least."""

FREE_CORE_WAIT_SECONDS = 15.0
"""Seconds to wait for a core: what holds one may be dying."""

_held: dict[int, socket.socket] = {}
_holding = threading.Lock()


def reference_seconds() -> float:
    """Return how long the reference takes this core, in a process of its own. Raises EngineFault."""
    reply = call_in_worker(count_squares, (), Deadline(120.0))
    if not isinstance(reply.value, float):
        raise EngineFault(f"the reference puzzle could not be counted: {reply.last_words or 'no time'}")
    return reply.value


def count_squares() -> float:
    """Return the least seconds of some counts of the reference; called in a worker."""
    spent = []
    for _ in range(TIMES):
        problem = latin_squares(ORDER)
        begun = time.perf_counter()
        found = compile_space(problem).count
        spent.append(time.perf_counter() - begun)
        if found != SQUARES:
            raise EngineFault(f"this machine counts {found} Latin squares, not {SQUARES}")
    return min(spent)


def latin_squares(order: int) -> Problem:
    """Return the problem whose solutions are the Latin squares of an order with a given first row."""
    size = range(order)
    variables = [Variable(f"{r},{c}", tuple(size) if r else (c,)) for r in size for c in size]
    rows = [AllDifferent(tuple(order * r + c for c in size)) for r in size]
    columns = [AllDifferent(tuple(order * r + c for r in size)) for c in size]
    return Problem(tuple(variables), tuple(rows + columns), {"cells": tuple(range(order * order))})


def keep_to_own_cores(count: int) -> None:
    """Bind this thread, and what it starts, to cores that no other process of ours has taken.

    They are the process's until it ends, however it ends; what needs fewer is bound to some of them. Where
    the system is not Linux, nothing is done. Raises UsageError where no core becomes free.
    """
    if sys.platform != "linux":
        return
    until = time.monotonic() + FREE_CORE_WAIT_SECONDS
    with _holding:
        while len(_held) < count:
            for core in sorted(os.sched_getaffinity(os.getpid()) - set(_held)):
                if len(_held) < count:
                    with suppress(OSError):  # it is taken
                        _held[core] = _name_of(core)
            if len(_held) < count:
                if time.monotonic() > until:
                    place = os.uname().nodename
                    raise UsageError(f"{place} has no core free for a worker: start fewer, or wait")
                time.sleep(0.2)
    with suppress(OSError):
        os.sched_setaffinity(0, [*_held][:count])


def _name_of(core: int) -> socket.socket:
    """Take the name that stands for a core, which one process can have. Raises OSError if another has it.

    It is of Linux's names that are no files: nothing is left of it when its process is killed. Another user,
    or whoever sets another ``TMPDIR``, has other names.
    """
    place = zlib.crc32(os.fsencode(os.environ.get("TMPDIR", "")))
    name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        name.bind(f"\0milp_pips-core-{os.getuid()}-{place}-{core}")
    except OSError:
        name.close()
        raise
    return name
