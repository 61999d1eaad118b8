"""The worker process of the server: it loads the engines once and answers one request after another.

A request on standard input is a line of JSON, ``{"verb", "seconds", "memory", "bytes"}``, followed by that
number of bytes of JSON. Each event goes to standard output: a line ``{"event", "bytes"}``, followed by that
number of bytes. The event ``ready`` states that the worker can take a request. The output of engines goes to
standard error. When the server ends, the worker ends, with all processes that it has started. ``--report``
states that the server has the report of a campaign.
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
from milp_pips.runtime.reaper import rely_on_parent
from milp_pips.runtime.worker import end_with_parent

MAX_WORKER_BYTES = 300 * 2**20
"""Bytes of memory above which a worker ends: the memory of an answer is not always freed."""

LARGEST_ANSWER = 2**24
"""Most bytes of an event: the explanation of a large board with its pictures has a tenth."""


def main(parent: int, *words: str) -> None:
    """Answer requests until standard input ends or the worker has to be replaced."""
    rely_on_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends Ctrl-C to all; the server decides
    requests = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keep the output of engines out of the answers
    threading.Thread(target=end_with_parent, args=(parent,), daemon=True).start()
    has_report = "--report" in words
    warm_up()
    threads = threading.active_count()
    # Take no request while an engine that should have stopped still runs in its thread.
    while threading.active_count() <= threads and resident_memory() < MAX_WORKER_BYTES:
        write_event(answers, "ready", {})
        head = requests.readline()
        if not head:
            break
        request = json.loads(head)
        body = requests.read(request["bytes"])
        say = partial(write_event, answers)
        seconds, memory = request["seconds"], request["memory"]
        reply(request["verb"], body, say, "local", seconds, memory, has_report=has_report)
        gc.collect()
    os._exit(0)


def write_event(answers: BinaryIO, event: str, data: Record) -> None:
    """Write an event; if it is too large, write a fault instead."""
    sent = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    if len(sent) > LARGEST_ANSWER:
        return write_event(answers, "fault", fault("limit", "the answer is too large to be sent"))
    answers.write(json.dumps({"event": event, "bytes": len(sent)}).encode() + b"\n" + sent)
    answers.flush()
    return None


def warm_up() -> None:
    """Answer small requests, so that the modules that answers need are loaded."""
    with open(os.path.join(examples_folder(), *OFFERED_EXAMPLES[0].split("/")), encoding="utf-8") as stream:
        puzzle = {"text": stream.read()}
    for verb in ("solve", "count", "hint"):
        reply(verb, json.dumps({"puzzle": puzzle}), lambda *_: None, "local", 10.0)
