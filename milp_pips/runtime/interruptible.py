"""Run library calls and programs under a deadline that they do not check themselves."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from queue import Empty, Queue
from typing import IO, NamedTuple, TypeVar

from milp_pips.problem.answer import Stop
from milp_pips.problem.stopping import Criterion, Deadline, SubDeadline

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

LAST_WAIT = 5.0
"""Seconds that a program waits at its end for calls that it has abandoned: a thread that returns from a
library while Python shuts down would end the process with an error."""

MAX_BUFFERED_ITEMS = 1000
"""Items that a call may produce before they are taken: enough that neither side waits for the other."""

MAX_WAITING_CHUNKS = 16
"""Chunks of a program's output that wait to be taken; then the program waits."""

BATCH = 250
"""Items to collect before they are taken at once: threads that take turns for each item mostly wait."""


def call_interruptibly(work: Callable[[], object], deadline: Deadline, cancel: Callable[[], object]) -> bool:
    """Return True after doing the work in a thread of its own, or False if it had to be abandoned.

    The main thread reacts to Ctrl-C at once, whatever the library does. When the deadline expires, ``cancel``
    requests that the library end. The function raises whatever the work raises.
    """
    return _run_in_thread(work, deadline, cancel, GRACE)


def build_interruptibly(build: Callable[[], Item], deadline: Deadline) -> Item | None:
    """Return what ``build`` builds in a thread of its own, or None if the deadline expires before that.

    Building ends by itself, so only its thread has to be abandoned. The function raises whatever ``build``
    raises.
    """
    built: list[Item] = []
    _run_in_thread(lambda: built.append(build()), deadline, lambda: None, 0.0)
    return built[0] if built and not deadline.stop else None


def _run_in_thread(
    work: Callable[[], object], deadline: Deadline, cancel: Callable[[], object], grace: float
) -> bool:
    """Return whether the work has ended within its deadline and the grace after that."""
    call = _Call(work)
    abandon: float | None = None
    while call.thread.is_alive():
        call.thread.join(CALL_POLL)
        if deadline.stop and call.thread.is_alive():
            if abandon is None:
                abandon = time.monotonic() + grace
                cancel()
            if time.monotonic() >= abandon:
                call.abandon()
                return False
    call.reraise()
    return True


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
        call.abandon()
    call.reraise()
    return not deadline.stop


class _Call:
    """Work in a daemon thread of its own; the process can exit without waiting long for it."""

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

    def abandon(self) -> None:
        """Let the thread end by itself."""
        if self.thread.is_alive():
            _abandoned.append(self.thread)

    def reraise(self) -> None:
        """Raise what the work has raised, if anything."""
        if self._failure is not None:
            raise self._failure


_abandoned: list[threading.Thread] = []


@atexit.register
def _wait_for_abandoned() -> None:
    end = time.monotonic() + LAST_WAIT
    for thread in _abandoned:
        thread.join(max(0.0, end - time.monotonic()))


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a call or a program.

    Parameters
    ----------
    deadline
        Determines when to stop; None for no deadline.
    seconds
        Seconds from the start of a call until it must stop, beside the deadline; None for no limit.
    memory
        Bytes of resident memory that a process and the programs it starts may use; None for no limit.
    grace
        Seconds past the deadline that a process gets to stop by itself.
    """

    deadline: Deadline = field(default_factory=Deadline)
    seconds: float | None = None
    memory: int | None = None
    grace: float = 0.0

    def start(self, criterion: Criterion | None = None) -> SubDeadline:
        """Return the deadline of a call that starts at this moment; the criterion ends it as well."""
        return SubDeadline(self.deadline, self.seconds, criterion)


class Program:
    """A program in a session of its own. No process that it has started survives its end.

    ``process`` is its ``Popen``, and ``tree`` measures its memory. ``stop`` is why it must stop, if it must.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        stdin: int | None = None,
        stdout: int | IO[bytes],
        folder: str | None = None,
        temporary: str = "",
    ):
        import subprocess  # importing these takes 5 ms: an engine in this process does not need them
        import tempfile

        from milp_pips.runtime.children import environment
        from milp_pips.runtime.reaper import ProcessTree, new_mark

        mark = new_mark()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL if stdin is None else stdin,
            stdout=stdout,
            stderr=self._errors,
            cwd=folder,
            env=environment(mark, temporary),
            start_new_session=True,
        )
        self.tree = ProcessTree(self.process.pid, mark)
        self.stop: Stop | None = None
        self._overdue = 0.0

    def must_end(self, limits: Limits) -> bool:
        """Return whether the program exceeds its limits and has had its time to stop by itself.

        The first call after an interruption interrupts the program.
        """
        if limits.memory is not None and self.tree.measure() > limits.memory:
            self.stop = Stop.MEMORY
            return True
        if self.stop is None and (stop := limits.deadline.stop):
            self.stop = stop
            grace = {Stop.TIME: limits.grace, Stop.INTERRUPTED: GRACE}.get(stop, 0.0)
            self._overdue = time.monotonic() + grace
            if stop is Stop.INTERRUPTED:
                self.tree.measure()  # finds what it has started: once it has ended, that may be too late
                self._interrupt()
        return self.stop is not None and time.monotonic() >= self._overdue

    def _interrupt(self) -> None:
        """Send SIGINT to the process group, if it still exists."""
        if hasattr(os, "killpg"):  # Windows has no such signal; ``Popen.kill`` ends the program
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGINT)

    def wait(self, seconds: float) -> bool:
        """Wait up to this many seconds for the program to end; return whether it has."""
        import subprocess

        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def end(self) -> str:
        """Kill the program if it still runs, and all that it has started; return its standard error."""
        if hasattr(signal, "SIGSTOP"):  # a stopped program starts no more programs during the search for them
            self.process.send_signal(signal.SIGSTOP)
        self.tree.kill_started(orphans=self.process.returncode != 0)  # one that ended well has left none
        self.process.kill()
        self.process.wait()
        with self._errors:
            return _text(self._errors)


class ProcessResult(NamedTuple):
    """How a program ended: its exit status (negative: the signal), its output, why it was stopped."""

    status: int
    output: str
    errors: str
    stop: Stop | None


def run_program(command: Sequence[str], deadline: Deadline, *, folder: str | None = None) -> ProcessResult:
    """Run a program until it ends or must stop, and return how it ended.

    Parameters
    ----------
    command
        Program and arguments.
    deadline
        When to stop.
    folder
        Working directory.
    """
    import tempfile

    limits, pause = Limits(deadline), 0.001
    with tempfile.TemporaryFile() as output:
        program = Program(command, stdout=output, folder=folder)
        try:
            while not program.wait(pause) and not program.must_end(limits):
                pause = min(0.02, 2 * pause)
        finally:
            errors = program.end()
        return ProcessResult(program.process.returncode, _text(output), errors, program.stop)


class Stream:
    """A program whose output is read while it runs.

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
        self._command, self._folder = command, folder
        self._limits = Limits(deadline, grace=GRACE)
        self.stop: Stop | None = None
        self.status = 0
        self.errors = ""

    def lines(self) -> Generator[str, None, None]:
        """Run the program, and yield its lines of standard output until it ends or must stop."""
        import subprocess

        folder = self._folder
        program = Program(self._command, stdout=subprocess.PIPE, folder=folder, temporary=folder)
        output = program.process.stdout
        assert output is not None
        chunks = Queue[bytes](MAX_WAITING_CHUNKS)
        threading.Thread(target=_read_chunks, args=(output, chunks), daemon=True).start()
        rest = b""
        try:
            while not program.must_end(self._limits):
                try:
                    chunk = chunks.get(timeout=CALL_POLL)
                except Empty:
                    continue
                if not chunk:  # the program has closed its output
                    program.wait(GRACE)
                    return
                *whole, rest = (rest + chunk).split(b"\n")
                for line in whole:
                    yield line.decode("utf-8", errors="replace")
        finally:
            self.errors = program.end()
            with contextlib.suppress(Empty):
                while True:  # now the thread has room for the little that is left in the pipe, and ends
                    chunks.get_nowait()
            self.stop, self.status = program.stop, program.process.returncode


def _read_chunks(output: IO[bytes], chunks: Queue[bytes]) -> None:
    """Put what a program writes into a queue, and an empty chunk when it has closed its output.

    A thread does this, because Windows cannot wait for a pipe with a time limit.
    """
    with output:
        while chunk := os.read(output.fileno(), 1 << 16):
            chunks.put(chunk)
    chunks.put(b"")


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode("utf-8", errors="replace")
