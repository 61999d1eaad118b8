"""What a process of the server does: it answers one request after another, and loads the engines once.

The calls return whether the process can take another request: no engine that should have stopped still runs
in its thread, and there is enough memory.
"""

from __future__ import annotations

import gc
import json
import threading
from functools import cache

from milp_pips.compilation.limits import resident_memory
from milp_pips.extras.web.answers import fault, reply, warm_up
from milp_pips.extras.web.records import Record
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.worker import send_item

MAX_WORKER_BYTES = 300 * 2**20
"""Bytes of memory above which a worker is replaced: the memory of an answer is not always freed."""

LARGEST_ANSWER = 2**24
"""Most bytes of an event: the explanation of a large board with its pictures has a tenth."""


def answer(verb: str, body: bytes, seconds: float, memory: int, _deadline: Deadline) -> bool:
    """Send the events of a request.

    ``seconds`` and ``memory`` (in bytes) limit its engine.
    """
    threads = threading.active_count()
    reply(verb, body, send_event, "local", seconds, memory)
    gc.collect()
    is_clean = threading.active_count() <= threads and resident_memory() < MAX_WORKER_BYTES
    load_rest()
    return is_clean


def send_event(event: str, data: Record) -> None:
    """Send an event; if it is too large, send a fault instead."""
    sent = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    if len(sent) <= LARGEST_ANSWER:
        send_item((event, sent))
    else:
        send_event("fault", fault("limit", "the answer is too large to be sent"))


def load(_deadline: Deadline) -> bool:
    """Return that this module is loaded: the first request, which shows the page, needs little else."""
    return True


@cache
def load_rest() -> None:
    """Load the modules that the next answers need."""
    warm_up("local")
