"""Run library calls and programs under a deadline that they do not check themselves."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import IO, TYPE_CHECKING, NamedTuple, TypeVar

from milp_pips.problem.answer import Stop
from milp_pips.runtime.children import environment
from milp_pips.runtime.reaper import ProcessTree, new_mark

if TYPE_CHECKING:
    import subprocess

    from milp_pips.problem.stopping import Deadline

__all__ = [
    "Item",
    "ProcessResult",
    "Stream",
    "build_interruptibly",
    "call_interruptibly",
    "run_program",
    "yield_interruptibly",
]

Item = TypeVar("Item")

GRACE = 0.3
"""Seconds that an engine gets to stop before it is abandoned or killed: a person does not mind that wait."""

CALL_POLL = 0.05
"""Seconds between two checks of the deadline while something runs."""

MAX_BUFFERED_ITEMS = 1000
"""Items that a call may produce before they are taken: enough that neither side waits for the other."""

BATCH = 250
"""Items to collect before they are taken at once: threads that take turns for each item mostly wait."""


def call_interruptibly(work: Callable[[], object], deadline: Deadline, cancel: Callable[[], object]) -> bool:
    """Return True after doing the work in a thread of its own, or False if it had to be abandoned.

    The main thread reacts to Ctrl-C at once, whatever the library does. When the deadline expires, ``cancel``
    requests that the library end. The function raises whatever the work raises.
    """
    call = _Call(work)
    patience: float | None = None
    while call.thread.is_alive():
        call.thread.join(CALL_POLL)
        if deadline.stop and call.thread.is_alive():
            if patience is None:
                patience = time.monotonic() + GRACE
                cancel()
            elif time.monotonic() >= patience:
                return False
    call.reraise()
    return True


def build_interruptibly(build: Callable[[], Item], deadline: Deadline) -> Item | None:
    """Return what ``build`` builds in a thread of its own, or None if the deadline expires before that.

    Building ends by itself, so only its thread has to be abandoned. The function raises whatever ``build``
    raises.
    """
    built: list[Item] = []
    call = _Call(lambda: built.append(build()))
    while call.thread.is_alive() and not deadline.stop:
        call.thread.join(CALL_POLL)
    call.reraise()
    return built[0] if built and not deadline.stop else None


def yield_interruptibly(
    work: Callable[[Callable[[Item], bool]], object], deadline: Deadline, cancel: Callable[[], object]
) -> Generator[Item, None, bool]:
    """Yield the items that the work produces in a thread of its own; return whether it ran to its end.

    Parameters
    ----------
    work
        Gets a function that it calls with each item; when that returns False, no more items are needed.
    deadline
        Determines when to stop.
    cancel
        Requests that the library end: at the deadline, or because the caller needs no more items.

    The generator raises whatever the work raises.
    """
    # The worker thread appends to ``items`` and waits for ``taken`` while the buffer is full. This thread
    # waits for ``many`` (a full batch, or the end) or a short time, and then yields the whole buffer.
    items: deque[Item] = deque()
    many, taken = threading.Event(), threading.Event()
    left = ended = False

    def hand_out(item: Item) -> bool:
        while len(items) >= MAX_BUFFERED_ITEMS and not (left or deadline.stop):
            taken.clear()
            taken.wait(CALL_POLL)
        items.append(item)
        if len(items) >= BATCH:
            many.set()
        return not (left or deadline.stop)

    def work_to_the_end() -> None:
        nonlocal ended
        try:
            work(hand_out)
        finally:
            ended = True
            many.set()

    call = _Call(work_to_the_end)
    try:
        while not ended or items:
            many.wait(CALL_POLL / 2)
            many.clear()
            while items:
                if deadline.stop:
                    return False
                yield items.popleft()
            taken.set()
            if deadline.stop:
                return False
    finally:
        left = True
        cancel()
        call.thread.join(GRACE)
    call.reraise()
    return not deadline.stop


class _Call:
    """Work in a daemon thread of its own; the process can exit without waiting for it."""

    def __init__(self, work: Callable[[], object]):
        self._work = work
        self._failure: BaseException | None = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self._work()
        except BaseException as error:
            self._failure = error

    def reraise(self) -> None:
        """Raise what the work has raised, if anything."""
        if self._failure is not None:
            raise self._failure


class ProcessResult(NamedTuple):
    """How a program ended: its exit status (negative: the signal), its output, why it was stopped.

    ``peak`` and ``peak_started`` are the peak memory of the program and of the programs it started, in bytes;
    they are measured only if there is a limit. ``processor_seconds`` is the processor time of all of them, if
    it is measured, and ``wall_seconds`` the time from the start to the end of the program.
    """

    status: int
    output: str
    errors: str
    stop: Stop | None
    peak: int = 0
    peak_started: int = 0
    processor_seconds: float | None = None
    wall_seconds: float = 0.0


def run_program(
    command: Sequence[str],
    deadline: Deadline,
    *,
    feed: bytes = b"",
    memory: int | None = None,
    grace: float = 0.0,
    folder: str | None = None,
    temporary: str = "",
) -> ProcessResult:
    """Run a program in a session of its own until it ends or must stop, and return how it ended.

    No process that the program has started survives.

    Parameters
    ----------
    command
        Program and arguments.
    deadline
        Determines when to stop.
    feed
        The program's standard input.
    memory
        Bytes of resident memory that the program and the programs it starts may use; None for no limit.
    grace
        Seconds past the deadline that the program gets to stop by itself.
    folder
        Working directory.
    temporary
        The folder for the program's temporary files; empty for the usual one.
    """
    import subprocess  # importing these two takes 4 ms: an engine in this process does not need them
    import tempfile

    mark = new_mark()
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(feed)
        given.seek(0)
        begun = time.perf_counter()
        process = subprocess.Popen(
            command,
            stdin=given,
            stdout=out,
            stderr=err,
            cwd=folder,
            env=environment(mark, temporary),
            start_new_session=True,
        )
        tree = ProcessTree(process.pid, mark)
        try:
            stop = _wait(process, tree, deadline, memory, grace)
        finally:
            _end(process, tree)
        wall = time.perf_counter() - begun
        peaks = tree.peak, tree.peak_started
        return ProcessResult(process.returncode, _text(out), _text(err), stop, *peaks, wall_seconds=wall)


def _wait(
    process: subprocess.Popen[bytes],
    tree: ProcessTree,
    deadline: Deadline,
    memory: int | None,
    grace: float,
) -> Stop | None:
    """Wait until the program ends or exceeds its grace period; return why it had to stop, or None."""
    import subprocess

    reason: Stop | None = None
    overdue = 0.0
    pause = 0.001
    while True:
        try:
            process.wait(pause)
            return reason
        except subprocess.TimeoutExpired:
            pause = min(0.02, 2 * pause)
        if memory is not None and tree.measure() > memory:
            return Stop.MEMORY
        if reason is None and deadline.stop:
            reason = deadline.stop
            overdue = time.monotonic() + {Stop.TIME: grace, Stop.INTERRUPTED: GRACE}.get(reason, 0.0)
            if reason is Stop.INTERRUPTED:
                tree.measure()  # finds the programs it has started: once it has ended, that may be too late
                _signal(process, signal.SIGINT)
        if reason is not None and time.monotonic() >= overdue:
            return reason


class Stream:
    """A program in a session of its own, whose output is read while it runs.

    No process that the program has started survives.

    Parameters
    ----------
    command
        Program and arguments.
    deadline
        Determines when to stop. At the deadline the program gets a moment to stop by itself.
    folder
        Working directory, also for the program's temporary files.

    After the last of ``lines``, ``stop`` is why they ended early (None if they did not), ``status`` the exit
    status (negative: the signal), and ``errors`` the text on standard error.
    """

    def __init__(self, command: Sequence[str], deadline: Deadline, *, folder: str):
        self._command, self._deadline, self._folder = command, deadline, folder
        self.stop: Stop | None = None
        self.status = 0
        self.errors = ""

    def lines(self) -> Generator[str, None, None]:
        """Run the program, and yield its lines of standard output until it ends or must stop."""
        import subprocess
        import tempfile

        mark = new_mark()
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=self._folder,
                env=environment(mark, self._folder),
                start_new_session=True,
            )
            assert process.stdout is not None
            try:
                yield from self._read(process.stdout)
                if self.stop is None:  # the program has closed its output
                    _wait_a_moment(process)
            finally:
                process.stdout.close()  # a program that is blocked in printing handles no signal
                if process.poll() is None:
                    tree = ProcessTree(process.pid, mark)
                    tree.measure()
                    _signal(process, signal.SIGTERM)
                    _wait_a_moment(process)
                    _end(process, tree)
                self.status, self.errors = process.returncode, _text(errors)

    def _read(self, output: IO[bytes]) -> Iterator[str]:
        """Yield lines until there are no more or the deadline expires."""
        import select

        rest = b""
        overdue = 0.0
        while True:
            if self.stop is None and self._deadline.stop:
                self.stop = self._deadline.stop
                overdue = time.monotonic() + (GRACE if self.stop is Stop.TIME else 0)
            if self.stop is not None and time.monotonic() >= overdue:
                return
            if not select.select([output], [], [], CALL_POLL)[0]:
                continue
            chunk = os.read(output.fileno(), 1 << 16)
            if not chunk:
                return
            *whole, rest = (rest + chunk).split(b"\n")
            for line in whole:
                yield line.decode("utf-8", errors="replace")


def _wait_a_moment(process: subprocess.Popen[bytes]) -> None:
    """Wait up to ``GRACE`` for the program to end by itself."""
    import subprocess

    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GRACE)


def _end(process: subprocess.Popen[bytes], tree: ProcessTree) -> None:
    """Kill the program, if it still runs, and all programs that it has started."""
    if hasattr(signal, "SIGSTOP"):  # a stopped program starts no more programs during the search for them
        process.send_signal(signal.SIGSTOP)
    tree.kill_started(orphans=process.returncode != 0)  # a program that ended well has left none
    process.kill()
    process.wait()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send a signal to the whole process group, if it still exists."""
    if not hasattr(os, "killpg"):  # Windows has no such signals; ``Popen.kill`` ends the program
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode("utf-8", errors="replace")
