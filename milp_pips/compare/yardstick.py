"""How fast a core is, alone and beside others; and a core that a process keeps for itself.

The reference is the number of Latin squares of order 5 with a given first row, counted by decision diagrams:
pure Python and its memory, the same on every machine, so that times tell machines apart and nothing else.
"""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import suppress
from typing import IO

from milp_pips.errors import EngineFault, UsageError
from milp_pips.problem import AllDifferent, Problem, Variable
from milp_pips.process.worker import call_in_worker
from milp_pips.space import compile_space
from milp_pips.tasks.lines import lock
from milp_pips.watch import Watch

ORDER, SQUARES = 5, 1344
"""The reference: 161,280 Latin squares of order 5 (Euler 1782), 5! times fewer where a row is given."""

TIMES = 9
"""How often the reference is done; the quickest counts, which chance slows least."""

PATIENCE = 15.0
"""Seconds to wait for a core: what holds one may be dying."""

_held: list[IO[bytes]] = []
_cores: list[int] = []


def reference_seconds() -> float:
    """Return how long the reference takes this core, in a process of its own. Raises EngineFault."""
    reply = call_in_worker(count_squares, (), Watch(120.0))
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
    the system binds no threads, nothing is done. Raises UsageError where no core becomes free.
    """
    if not hasattr(os, "sched_setaffinity"):
        return
    folder = os.path.join(tempfile.gettempdir(), f"milp_pips-cores-{os.getuid()}")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if os.lstat(folder).st_uid != os.getuid():
        raise UsageError(f"{folder} is somebody else's: no core can be kept")
    until = time.monotonic() + PATIENCE
    while len(_cores) < count:
        for core in sorted(os.sched_getaffinity(os.getpid()) - set(_cores)):
            if len(_cores) < count:
                stream = open(os.path.join(folder, str(core)), "ab")  # noqa: SIM115
                try:
                    lock(stream, folder)
                except UsageError:
                    stream.close()
                    continue
                _held.append(stream)
                _cores.append(core)
        if len(_cores) < count:
            if time.monotonic() > until:
                raise UsageError(f"{os.uname().nodename} has no core free for a worker: start fewer, or wait")
            time.sleep(0.2)
    with suppress(OSError):
        os.sched_setaffinity(0, _cores[:count])
