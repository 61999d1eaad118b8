"""Calls of functions within limits: in this process, in a process of its own, or on a cluster.

Whatever this package runs beside its own thread is a call: ``submit(function, arguments, limits)`` gives an
``Outcome``. The function belongs to a module. Its last argument is a deadline that holds where it runs, so
that it can stop by itself and keep what it has found. The same function can be called in any of the places.

==============  =============================================  ===============================================
where           how                                            used by
==============  =============================================  ===============================================
this process    ``Threads``: several calls at a time           the runs of a campaign
its own         ``OwnProcess``: one call after another, in a   engines in isolation and from outside,
                Python that keeps what the calls have loaded;  portfolios, confirmation and measuring of runs,
                ``call_in_process``: one call in a new one;    subproblems of a partition, the page,
                ``OwnProcesses``: several processes            ``--scheduler local``
a cluster       ``cluster.Workers``, over Dask                 ``--scheduler ADDRESS``
==============  =============================================  ===============================================

An outcome states the value, or why there is none: the limit that was reached, or how the process died. Errors
of this package that the function raises are raised here.

A process of its own:

* It reads pickled calls from its standard input and writes pickled replies to its standard output. An engine
  gets neither: what it prints goes to standard error, whose last line describes a crash.
* Before its value, a call can send items (``worker.send_item``), which reach the caller at once.
* At the deadline it gets some grace; at an interruption it gets SIGINT, which its deadline reports, and a
  moment. After that it is killed, with every program that it has started, wherever that has moved.
* Its memory is that of all these programs together. It is measured while a call runs.
* It ends when the process that started it ends, in whatever way (``reaper``).
* Replies of engines are unpickled without importing anything from outside this package, Python and NumPy.

loky and Pebble offer less. Pebble kills the process of a call, but the programs that it has started live on;
loky cannot end one call; after a ``kill -9`` of the caller, both leave programs behind. Neither limits memory
or passes on items before a call has ended.
"""

from __future__ import annotations

import atexit
import contextlib
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import IO, Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from milp_pips.problem import Deadline, EngineFault, MilpPipsError, Stop
from milp_pips.problem.plugins import PluginErrors
from milp_pips.problem.stopping import Request
from milp_pips.runtime.children import python_command, start_message
from milp_pips.runtime.interruptible import CALL_POLL, Limits, Program
from milp_pips.runtime.writing import temporary_folder

T = TypeVar("T")

Function: TypeAlias = Callable[..., T]
"""A function of a module, whose last argument is a deadline."""

Arguments: TypeAlias = tuple[Any, ...]
"""The arguments of a call, without the deadline."""

MEMORY_POLL = 0.02
"""Seconds between two checks of the memory of a process that has a memory limit."""

LEAVING = 2.0
"""Seconds that a process with a closed output gets to end by itself, so that its exit status is known."""


class Outcome(NamedTuple, Generic[T]):
    """The value of a call (None if there is none), and how the call ended.

    ``stop`` is the limit that the call reached; a call that stops by itself within its grace still has a
    value. ``fault`` states how a process died that was not stopped, and ``status`` is its exit status
    (negative: the signal). ``peak`` and ``peak_started`` are the peak memory of the process and of the
    programs that it has started, in bytes; they are measured only if there is a limit. ``processor_seconds``
    is the processor time of all of them, if it is measured. ``wall_seconds`` is the time of a new process
    from its start to its end.
    """

    value: T | None = None
    stop: Stop | None = None
    fault: str = ""
    status: int = 0
    peak: int = 0
    peak_started: int = 0
    processor_seconds: float | None = None
    wall_seconds: float = 0.0


class Executor(Protocol):
    """A place where calls run; ``room`` is how many it takes at a time, with those that wait."""

    @property
    def room(self) -> int:
        """How many calls to submit at a time; it may change."""

    def submit(self, function: Function[T], arguments: Arguments, limits: Limits) -> Future[Outcome[T]]:
        """Start a call and return its future, which raises what the call raises of this package's errors."""

    def give_up(self) -> None:
        """End all open calls; their outcomes are not needed."""


class Threads:
    """An executor in this process: each call has a thread. A context manager, which waits for the threads."""

    def __init__(self, count: int):
        self.room = count
        self._threads = ThreadPoolExecutor(count)
        self._given_up = Request(Stop.BEATEN)

    def __enter__(self) -> Threads:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown()

    def submit(self, function: Function[T], arguments: Arguments, limits: Limits) -> Future[Outcome[T]]:
        """Start a call and return its future, which raises whatever the call raises."""

        def call() -> Outcome[T]:
            deadline = limits.start(self._given_up)
            return Outcome(function(*arguments, deadline), deadline.stop)

        return self._threads.submit(call)

    def give_up(self) -> None:
        """End the deadlines of all calls."""
        self._given_up.made = True


class OwnProcesses:
    """An executor of several processes of their own, with addresses; a context manager, which ends them.

    Parameters
    ----------
    count
        The number of processes.
    prepare
        A function and its arguments that each process calls before anything else.
    attempts
        How often a call is made in all if its process dies. Each time, another process replaces it.
    """

    def __init__(
        self,
        count: int,
        prepare: tuple[Callable[..., object], tuple[Any, ...]] | None = None,
        attempts: int = 1,
    ):
        self.room = count
        self.addresses = [f"worker {number + 1}" for number in range(count)]
        self._prepare, self._attempts = prepare, attempts
        self._given_up = Request(Stop.BEATEN)
        self._processes = [OwnProcess(trusted=True) for _ in range(count)]
        self._prepared: set[OwnProcess] = set()
        self._idle: queue.SimpleQueue[int] = queue.SimpleQueue()
        for number in range(count):
            self._idle.put(number)
        self._threads = ThreadPoolExecutor(2 * count)  # ``submit_to_each`` takes some

    def __enter__(self) -> OwnProcesses:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(self, function: Function[T], arguments: Arguments, limits: Limits) -> Future[Outcome[T]]:
        """Start a call in an idle process and return its future."""

        def call() -> Outcome[T]:
            number = self._idle.get()
            try:
                return self._call(number, function, arguments, limits)
            finally:
                self._idle.put(number)

        return self._threads.submit(call)

    def submit_to_each(
        self, function: Function[T], arguments: Arguments, addresses: Sequence[str]
    ) -> dict[str, Future[Outcome[T]]]:
        """Start a call in each of these processes, after its current call; return the futures by address."""
        submit, number = self._threads.submit, self.addresses.index
        return {each: submit(self._call, number(each), function, arguments, Limits()) for each in addresses}

    def _call(self, number: int, function: Function[T], arguments: Arguments, limits: Limits) -> Outcome[T]:
        limits = replace(limits, deadline=limits.start(self._given_up), seconds=None)
        outcome: Outcome[T] = Outcome(stop=limits.deadline.stop)
        for _ in range(self._attempts):
            if limits.deadline.stop:
                break
            if self._processes[number].ended:
                self._processes[number] = OwnProcess(trusted=True)
            process = self._processes[number]
            if self._prepare and process not in self._prepared:
                # Noted before the call: one that dies in its preparation is replaced by another one, which is
                # not noted.
                self._prepared.add(process)
                process.submit(*self._prepare, limits)
            outcome = process.submit(function, arguments, limits)
            if not outcome.fault:
                break
        return outcome

    def give_up(self) -> None:
        """End all calls."""
        self._given_up.made = True

    def close(self) -> None:
        """End all processes."""
        self.give_up()
        self._threads.shutdown()
        for process in self._processes:
            process.close()


def completed_calls(
    executor: Executor, submissions: Iterator[Callable[[], Future[T]] | None], deadline: Deadline, poll: float
) -> Generator[tuple[int, list[Future[T]]], None, None]:
    """Keep an executor busy; yield the number of running calls and those that have ended, also if none has.

    ``submissions`` submit one call each; None says that there is none as long as no other call has ended.
    After the deadline no further ones are made, and the open calls are given up. ``poll`` is the seconds
    between two checks of the deadline.
    """
    running: set[Future[T]] = set()
    try:
        while True:
            # The room is looked up each time: workers of a cluster come and go.
            while not deadline.stop and len(running) < executor.room and (submit := next(submissions, None)):
                running.add(submit())
            if deadline.stop:
                executor.give_up()
            if not running:
                return
            ended, running = wait(running, poll, FIRST_COMPLETED)
            yield len(running), list(ended)
    except BaseException:
        executor.give_up()
        raise


def call_in_process(
    function: Function[T], arguments: Arguments = (), limits: Limits | None = None
) -> Outcome[T]:
    """Call a function in a new process that ends with the call; see ``OwnProcess.submit``."""
    begun = time.perf_counter()
    with contextlib.closing(OwnProcess()) as process:
        outcome = process.submit(function, arguments, limits or Limits())
    return outcome._replace(wall_seconds=time.perf_counter() - begun)


class OwnProcess:
    """A Python process of its own, which runs one call after another.

    Two threads write and read its pipes, so that the process cannot block a caller; they end with the
    process. ``ended`` is true once the process has been ended.

    Parameters
    ----------
    trusted
        Whether its replies may contain objects of any module, which unpickling them imports.
    """

    def __init__(self, *, trusted: bool = False) -> None:
        self._turn, self._closing = threading.Lock(), threading.Lock()
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        # No SimpleQueue: in CPython its wait never ends if a signal is handled beyond the given time.
        self._replies: queue.Queue[tuple[str, Any]] = queue.Queue()
        self._kept = contextlib.ExitStack()
        folder = self._kept.enter_context(temporary_folder())
        pipe = subprocess.PIPE
        self._program = Program(python_command(), stdin=pipe, stdout=pipe, temporary=folder)
        self._errors = ""
        self.ended = False
        atexit.register(self.close)
        process, unpickler = self._program.process, pickle.Unpickler if trusted else Unpickler
        writing, reading = (process.stdin, self._requests), (process.stdout, self._replies, unpickler)
        threading.Thread(target=_write, args=writing, daemon=True).start()
        threading.Thread(target=_read, args=reading, daemon=True).start()
        self._requests.put(start_message())

    def submit(
        self,
        function: Function[T],
        arguments: Arguments,
        limits: Limits,
        on_item: Callable[[Any], object] = lambda _: None,
    ) -> Outcome[T]:
        """Call a function in the process and return the outcome.

        The process is ended if it reaches a limit and does not stop by itself.

        Parameters
        ----------
        function, arguments
            The function and its arguments, without the deadline that it takes last. They are pickled, the
            function by its name, and so is its result.
        limits
            The limits of the call.
        on_item
            Called with each item that the call sends.

        Raises
        ------
        MilpPipsError
            If the function raises it, or if the call or the result cannot be pickled.
        """
        with PluginErrors("a call cannot be sent to a process of its own"):
            request = pickle.dumps((function, arguments))
        # In short waits, so that the deadline also ends a call that waits for its turn.
        while not self._turn.acquire(timeout=CALL_POLL):
            if limits.deadline.stop:
                return Outcome(stop=limits.deadline.stop)
        try:
            if limits.deadline.stop:
                return Outcome(stop=limits.deadline.stop)
            if self.ended:
                return Outcome(fault="its process has ended")
            limits = replace(limits, deadline=limits.start())
            self._requests.put(pickle.dumps(limits.deadline.remaining) + request)
            return self._outcome(limits, on_item)
        finally:
            self._turn.release()

    def _outcome(self, limits: Limits, on_item: Callable[[Any], object]) -> Outcome[Any]:
        """Return the outcome of the current call; end the process if it reaches a limit."""
        program = self._program
        program.stop = None
        poll = CALL_POLL if limits.memory is None else MEMORY_POLL
        kind, value = "", None
        try:
            while kind in ("", "item"):
                has_ended = program.process.poll() is not None
                try:
                    kind, value = self._replies.get(timeout=poll)
                except queue.Empty:  # a program that it has started may hold its output
                    kind, value = "gone" if has_ended else "", ""
                if kind == "item":
                    on_item(value)
                # After items as well: a call that sends them without end is subject to its limits, too.
                if kind in ("", "item") and program.must_end(limits):
                    kind, value = "gone", ""
        except BaseException:  # a late reply would be taken for that of the next call
            self.close()
            raise
        if kind == "error":
            raise value if isinstance(value, MilpPipsError) else EngineFault(str(value))
        fault = ""
        if kind == "gone":
            if not (program.stop or value):
                program.wait(LEAVING)
            self.close()
            fault = "" if program.stop else value or last_words(program.process.returncode, self._errors)
            value = None
        tree, status = program.tree, program.process.returncode or 0
        return Outcome(value, program.stop, fault, status, tree.peak, tree.peak_started)

    def close(self) -> None:
        """End the process and all programs that it has started."""
        with self._closing:
            if not self.ended:
                self.ended = True
                atexit.unregister(self.close)
                self._requests.put(None)
                self._errors = self._program.end()
                self._kept.close()


def last_words(status: int, errors: str) -> str:
    """Return how an engine's process ended: its exit status or signal, and its last line of errors."""
    died = f"was killed by {signal.Signals(-status).name}" if status < 0 else f"ended with {status}"
    words = [line.strip() for line in errors.splitlines() if line.strip()]
    return f"the engine's process {died}" + (f": {words[-1]}" if words else "")


def _write(pipe: IO[bytes], requests: queue.SimpleQueue[bytes | None]) -> None:
    """Write requests until there are no more or the pipe is closed."""
    with contextlib.suppress(OSError), pipe:
        while (request := requests.get()) is not None:
            pipe.write(request)
            pipe.flush()


def _read(pipe: IO[bytes], replies: queue.Queue[tuple[str, Any]], unpickler: type[pickle.Unpickler]) -> None:
    """Read replies until the process ends or sends an unreadable one."""
    with pipe:
        while True:
            replies.put(reply := read_reply(pipe, unpickler))
            if reply[0] == "gone":
                return


class Unpickler(pickle.Unpickler):
    """An unpickler of replies that never imports modules of a plugin."""

    def find_class(self, module: str, name: str) -> Any:
        """Return a class of this package, of Python or of NumPy. Raises ``UnpicklingError`` for any other."""
        if module.partition(".")[0] not in {*sys.stdlib_module_names, "milp_pips", "numpy"}:
            raise pickle.UnpicklingError(f"an object of the class {module}.{name}")
        return super().find_class(module, name)


def read_reply(stream: IO[bytes], unpickler: type[pickle.Unpickler] = Unpickler) -> tuple[str, Any]:
    """Return the kind of the next reply in a stream, and its value; ``gone`` if there is none.

    With ``gone``, the value states why the reply cannot be read, or is empty.
    """
    try:
        kind, value = unpickler(stream).load()
    except EOFError:
        return "gone", ""
    except Exception as error:
        return "gone", f"it sent an unreadable reply: {' '.join(str(error).split())[:200]}"
    return kind, value
