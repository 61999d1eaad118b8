"""A process that answers one request after another, so that nobody waits for engines to be loaded.

On standard input, a request is a line of JSON, ``{"verb", "seconds", "memory", "bytes"}``, and then as many
bytes of JSON. What is told of it goes to standard output: a line ``{"event", "bytes"}``, and then so many
bytes; ``ready`` tells that a request can be taken. Whatever engines print goes elsewhere. When the server
has gone, so does the worker, with all that it has started. ``--report`` says that there is a report of a
campaign beside the page.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import threading
from functools import partial
from typing import BinaryIO

from milp_pips.compilation.diagram.budget import resident_memory
from milp_pips.extras.web.answers import fault, reply
from milp_pips.extras.web.records import Record
from milp_pips.extras.web.verbs import OFFERED_EXAMPLES, examples_folder
from milp_pips.runtime.reaper import rely_on_starter
from milp_pips.runtime.worker import end_with

MAX_WORKER_BYTES = 300 * 2**20
"""Bytes of memory from which on a worker is not used again: what an answer took is not always given back."""

LARGEST_ANSWER = 2**24
"""Bytes of what is told at once: the story of a large board with its pictures has a tenth."""


def main(asker: int, *words: str) -> None:
    """Answer requests for as long as some come."""
    rely_on_starter()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends Ctrl-C to all; the server decides
    requests = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what engines print is no answer
    threading.Thread(target=end_with, args=(asker,), daemon=True).start()
    has_report = "--report" in words
    warm_up()
    threads = threading.active_count()
    # An engine that was told to stop may still be running in its thread.
    while threading.active_count() <= threads and resident_memory() < MAX_WORKER_BYTES:
        tell(answers, "ready", {})
        head = requests.readline()
        if not head:
            break
        asked = json.loads(head)
        body = requests.read(asked["bytes"])
        say = partial(tell, answers)
        reply(asked["verb"], body, say, "local", asked["seconds"], asked["memory"], has_report=has_report)
        gc.collect()
    os._exit(0)


def tell(answers: BinaryIO, event: str, data: Record) -> None:
    """Write an event; one that is too large is a fault."""
    told = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    if len(told) > LARGEST_ANSWER:
        return tell(answers, "fault", fault("limit", "the answer is too large to be sent"))
    answers.write(json.dumps({"event": event, "bytes": len(told)}).encode() + b"\n" + told)
    answers.flush()
    return None


def warm_up() -> None:
    """Answer something small of each kind, so that what the answers need is loaded."""
    with open(os.path.join(examples_folder(), *OFFERED_EXAMPLES[0].split("/")), encoding="utf-8") as stream:
        puzzle = {"text": stream.read()}
    for verb in ("solve", "count", "hint"):
        reply(verb, json.dumps({"puzzle": puzzle}), lambda *_: None, "local", 10.0)
