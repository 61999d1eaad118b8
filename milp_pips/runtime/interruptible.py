"""Run something that does not listen, a library call or a program, while someone deadlines."""

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

Item = TypeVar("Item")

GRACE = 0.3
"""Seconds that an engine gets to obey before it is abandoned or killed: a person waits so long gladly."""

CALL_POLL = 0.05
"""Seconds between two looks at the deadline while something runs."""

MAX_BUFFERED_ITEMS = 1000
"""Items that a call may hand out before they are taken: enough that neither side waits for the other."""

BATCH = 250
"""Items that are taken at once where many come: threads that take turns for each item mostly wait."""


def call_interruptibly(work: Callable[[], object], deadline: Deadline, cancel: Callable[[], object]) -> bool:
    """Do the work in a thread of its own and return True, or False if it had to be abandoned.

    The main thread hears Ctrl-C at once, whatever the library does. When the deadline says stop, ``cancel``
    asks the library to end. Whatever the work raises is raised here.
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
    """Build something in a thread of its own and return it, or None where the deadline says stop before that.

    Building ends by itself, so that nothing but its thread has to be abandoned. Whatever it raises is raised
    here.
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
    """Do the work in a thread of its own, yield what it hands out, and return whether it came to its end.

    Parameters
    ----------
    work
        Is given a function to hand out an item with; where that returns False, nobody wants more.
    deadline
        Says when to stop.
    cancel
        Asks the library to end: because of the deadline, or since the caller wants no more.

    Whatever the work raises is raised here.
    """
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
    """Work that is done in a thread of its own, which nobody has to wait for."""

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
    """How a program ended: its exit status (negative: the signal), what it printed, why it was stopped.

    ``peak`` and ``peak_started`` are the greatest memory seen of the program and of what it has started, in
    bytes; they are looked at only if there is a limit. ``processor_seconds`` are those of all of them, where
    they are counted.
    """

    status: int
    output: str
    errors: str
    stop: Stop | None
    peak: int = 0
    peak_started: int = 0
    processor_seconds: float | None = None


def run_program(
    command: Sequence[str],
    deadline: Deadline,
    *,
    feed: bytes = b"",
    memory: int | None = None,
    grace: float = 0.0,
    folder: str | None = None,
    temporary: str = "",
    ended: Callable[[], object] = lambda: None,
) -> ProcessResult:
    """Run a program in a session of its own until it ends or must stop; nothing of it survives.

    Parameters
    ----------
    command
        Program and arguments.
    deadline
        Says when to stop.
    feed
        What the program reads from standard input.
    memory
        Bytes of resident memory that the program and what it starts may use.
    grace
        Seconds past the deadline that the program gets to stop by itself.
    folder
        Working directory.
    temporary
        Where the program may leave temporary files; empty for the usual place.
    ended
        Called when nothing of the program runs any more.
    """
    import subprocess  # these two take 4 ms: an engine in this process does not need them
    import tempfile

    mark = new_mark()
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(feed)
        given.seek(0)
        process = subprocess.Popen(
            command,
            stdin=given,
            stdout=out,
            stderr=err,
            cwd=folder,
            env=environment(mark, temporary),
            start_new_session=True,
        )
        offspring = ProcessTree(process.pid, mark)
        try:
            stop = _wait(process, offspring, deadline, memory, grace)
        finally:
            _end(process, offspring)
        ended()
        return ProcessResult(
            process.returncode, _text(out), _text(err), stop, offspring.peak, offspring.peak_started
        )


def _wait(
    process: subprocess.Popen[bytes],
    offspring: ProcessTree,
    deadline: Deadline,
    memory: int | None,
    grace: float,
) -> Stop | None:
    """Wait for the program to end or overstay; return what it was told to stop for, if it was."""
    import subprocess

    told: Stop | None = None
    overdue = 0.0
    pause = 0.001
    while True:
        try:
            process.wait(pause)
            return told
        except subprocess.TimeoutExpired:
            pause = min(0.02, 2 * pause)
        if memory is not None and offspring.look() > memory:
            return Stop.MEMORY
        if told is None and deadline.stop:
            told = deadline.stop
            overdue = time.monotonic() + {Stop.TIME: grace, Stop.INTERRUPTED: GRACE}.get(told, 0.0)
            if told is Stop.INTERRUPTED:
                offspring.look()  # what it has started may not be found any more when it has obeyed
                _signal(process, signal.SIGINT)
        if told is not None and time.monotonic() >= overdue:
            return told


class Stream:
    """A program, in a session of its own, whose output is read while it runs; nothing of it survives.

    Parameters
    ----------
    command
        Program and arguments.
    deadline
        Says when to stop. At the deadline the program gets a moment to stop by itself.
    folder
        Working directory, and where the program may leave temporary files.

    After ``lines`` are at an end, ``stop`` tells why they ended early (None if they did not), ``status`` the
    exit status (negative: the signal), ``errors`` what was printed to standard error.
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
                if self.stop is None:  # it has nothing left to say
                    _wait_a_moment(process)
            finally:
                process.stdout.close()  # a program that waits until it can print hears no signal
                if process.poll() is None:
                    offspring = ProcessTree(process.pid, mark)
                    offspring.look()
                    _signal(process, signal.SIGTERM)
                    _wait_a_moment(process)
                    _end(process, offspring)
                self.status, self.errors = process.returncode, _text(errors)

    def _read(self, output: IO[bytes]) -> Iterator[str]:
        """Yield lines until there are no more, or the deadline says stop."""
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
    """Let the program end by itself, within ``GRACE``."""
    import subprocess

    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GRACE)


def _end(process: subprocess.Popen[bytes], offspring: ProcessTree) -> None:
    """Kill the program, if it still runs, and all it has started."""
    if hasattr(signal, "SIGSTOP"):  # it starts nothing more while what it has started is looked for
        process.send_signal(signal.SIGSTOP)
    offspring.kill_started(orphans=process.returncode != 0)  # a program that ended well has left none
    process.kill()
    process.wait()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send a signal to the whole process group, which may be gone already."""
    if not hasattr(os, "killpg"):  # on Windows there is one way to end a program, and it is sure
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode("utf-8", errors="replace")
