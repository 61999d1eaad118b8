"""The other side of ``executor.OwnProcess``: read calls, run them and write their replies."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import time
from typing import IO, Any

from milp_pips.problem import Deadline, EngineFault, MilpPipsError
from milp_pips.runtime.reaper import ProcessTree, rely_on_parent

PR_SET_PDEATHSIG = 1
"""The option of Linux's ``prctl`` that sets the signal a process gets when its parent ends."""

_replies: IO[bytes]
"""Where replies go: the original standard output."""


def main(parent: int, requests: IO[bytes], replies: IO[bytes]) -> None:
    """Run the calls that arrive until there are no more; ``parent`` is the process that sends them."""
    global _replies
    _replies = replies
    rely_on_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):  # the parent may block it
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, args=(parent,), daemon=True).start()
    while True:
        try:
            seconds = pickle.load(requests)
        except (EOFError, OSError):  # the other process has closed the pipe or has ended
            break
        function, arguments = pickle.load(requests)
        try:
            with Deadline(seconds) as deadline:
                reply = "value", function(*arguments, deadline)
        except MilpPipsError as error:
            reply = "error", error
        _send(*reply)
    os._exit(0)  # an engine that has been stopped may still be running in its thread


def send_item(value: object) -> None:
    """Send an item to the caller of the current call."""
    _send("item", value)


def _send(kind: str, value: Any) -> None:
    """Write a reply; a value that cannot be pickled becomes an error."""
    try:
        data = pickle.dumps((kind, value))
    except Exception as error:
        fault = EngineFault(f"the engine's result cannot be pickled: {type(error).__name__}: {error}")
        data = pickle.dumps(("error", fault))
    try:
        _replies.write(data)
        _replies.flush()
    except OSError:  # the other process has ended, or needs no reply
        os._exit(0)


def _end_with_parent(parent: int) -> None:
    """End this process and all programs that it has started when its parent ``parent`` has ended.

    A parent that is about to kill this process sends SIGSTOP first, and may itself die before the kill. So
    this function makes the Linux kernel send SIGCONT when the parent ends.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGCONT)
    while os.getppid() == parent:
        time.sleep(0.2)
    ProcessTree(os.getpid()).kill_started()
    os._exit(1)
