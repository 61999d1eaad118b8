"""Call one function in a fresh Python process, so that an engine has a process of its own.

The worker reads a pickled request from standard input and writes the pickled answer to a file, apart from
the engine's printed output. It is killed a little after the deadline. If it dies, the reply reports how
(``last_words``). If its parent dies, the worker ends, too.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from milp_pips.problem import plugins
from milp_pips.problem.errors import UsageError
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.children import python_command, start_message
from milp_pips.runtime.interruptible import ProcessResult, run_program
from milp_pips.runtime.reaper import ProcessTree, rely_on_parent
from milp_pips.runtime.writing import temporary_folder

PR_SET_PDEATHSIG = 1
"""The option of Linux's ``prctl`` that sets the signal a process gets when its parent ends."""


class Reply(NamedTuple):
    """The value that a function returned in its worker (None if the process died first), and how it ended."""

    value: Any
    process: ProcessResult

    @property
    def last_words(self) -> str:
        """How a worker without a value ended; empty if it was stopped."""
        return "" if self.process.stop else last_words(self.process.status, self.process.errors)


def last_words(status: int, errors: str) -> str:
    """Return how an engine's process ended: its exit status or signal, and its last line of errors."""
    died = f"was killed by {signal.Signals(-status).name}" if status < 0 else f"ended with {status}"
    words = [line.strip() for line in errors.splitlines() if line.strip()]
    return f"the engine's process {died}" + (f": {words[-1]}" if words else "")


def call_in_worker(
    function: Callable[..., object],
    arguments: tuple[Any, ...],
    deadline: Deadline,
    *,
    memory: int | None = None,
    grace: float = 0.0,
    run: Callable[..., ProcessResult] = run_program,
) -> Reply:
    """Call a function of a module in a fresh process and return its reply.

    Parameters
    ----------
    function, arguments
        The function and its arguments. Both are pickled, the function by its name, and so is its result.
    deadline
        Determines when to stop.
    memory
        Bytes of resident memory that the process and the programs it starts may use; None for no limit.
    grace
        Seconds past the deadline that the process gets to answer.
    run
        Runs the process: ``run_program``, or a function with the same parameters that measures more.

    Raises
    ------
    UsageError
        If the function raises it.
    """
    with plugins.PluginErrors("a call cannot be sent to a process of its own"):
        request = start_message() + pickle.dumps((function, arguments))
    with temporary_folder() as folder:
        file = os.path.join(folder, "reply")
        command = python_command("milp_pips.runtime.worker", file)
        process = run(command, deadline, feed=request, memory=memory, grace=grace, temporary=folder)
        value = _load_reply(file)
    if isinstance(value, Exception):
        raise value
    return Reply(value, process)


def _load_reply(file: str) -> Any:
    """Return the value or the exception of the function; None if its process ended before."""
    try:
        with open(file, "rb") as stream:
            return pickle.load(stream)
    except (OSError, EOFError, pickle.UnpicklingError):
        return None


def main(parent: int, file: str) -> None:
    """Read a request from standard input, call its function and write the result; runs in the worker."""
    rely_on_parent()
    threading.Thread(target=end_with_parent, args=(parent,), daemon=True).start()
    function, arguments = pickle.load(sys.stdin.buffer)
    try:
        value = function(*arguments)
    except UsageError as error:
        value = error
    partial = f"{file}.partial"
    with open(partial, "wb") as stream:
        pickle.dump(value, stream)
    os.replace(partial, file)
    os._exit(0)  # an engine that has been stopped may still be running in its thread


def end_with_parent(parent: int) -> None:
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
