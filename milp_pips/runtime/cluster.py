"""Calls spread over the workers of a Dask scheduler, each at work on one at a time, on a core.

A call may take a share of a core only: then a worker with threads enough has several, which wait for one
another as they like.

What is called and what comes of it are pickled here, so that what cannot be is told in one line. Dask
replaces a worker that dies, and its call is made anew; what comes of it is handed over once all the same.
Calls that Dask gives up, after four lost workers each, are made one by one with nothing beside them: so the
one that is to blame is found.
"""

from __future__ import annotations

import ipaddress
import logging
import math
import os
import pickle
import signal
import sys
import tempfile
import time
import uuid
import warnings
from asyncio import CancelledError as CancelledInLoop
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

from milp_pips.problem import plugins
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import UsageError
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.children import safe_multiprocessing
from milp_pips.runtime.writing import temporary_files_in_one_folder

T = TypeVar("T")

WORKER_POLL = 2.0
"""Seconds between two looks at who has come."""

ANSWER = 10.0
"""Seconds in which a scheduler must answer."""

WORKER_WAIT_SECONDS = 120.0
"""Seconds to wait for workers, and for what they are asked of their hosts."""

LOOPBACK_ADDRESS = "127.0.0.1"
"""Where workers and schedulers listen that are started here."""

THREADS = 2
"""How many calls that take a share of a core a worker that is started here is at."""

Admit = Callable[["Workers", Sequence[str]], None]
"""Called with the addresses of workers on new hosts; raises UsageError where they must not be used."""


@contextmanager
def open_workers(
    scheduler: str, count: int | None, threads: int, admit: Admit, *, trust: bool = False
) -> Iterator[Workers]:
    """Open the workers of a scheduler.

    Parameters
    ----------
    scheduler
        Its address, or ``local`` for workers on this machine.
    count
        How many workers there are to be: started on this machine, or waited for; None for all cores here, and
        for one worker elsewhere.
    threads
        Cores that a call takes.
    admit
        Looks at new hosts before they get calls.
    trust
        Whether a scheduler on another host may be used without TLS.

    Raises
    ------
    UsageError
        If the scheduler is not to be trusted, ``distributed`` is not installed, nobody answers at the
        address, or there are not so many workers or cores, or not of the kind that is needed.
    """
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise UsageError("a cluster needs distributed: pip install 'milp-pips[cluster]'") from None
    _require_safe(scheduler, trust)
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what is lost is told here
    connected = _own_client(count, threads) if scheduler == "local" else _client_of(scheduler, count or 1)
    # A worker that has died is replaced: all that time its environment must be right.
    with temporary_files_in_one_folder(), safe_multiprocessing(), connected as client:
        opened = Workers(client, admit)
        opened.look()
        yield opened


def _require_safe(scheduler: str, trust: bool) -> None:
    """Raise UsageError for a scheduler on another host without TLS, unless it is trusted.

    Calls and what comes of them are pickles, so a scheduler, and all that can reach its port or change what
    is sent, can run programs on every machine that is connected to it, this one included.
    """
    from distributed.security import Security

    if scheduler.startswith("tls://"):
        if Security().get_connection_args("client").get("ssl_context") is None:
            where = "Dask's configuration, under distributed.comm.tls"
            raise UsageError(f"{scheduler} needs certificates: name them in {where}")
    elif not (trust or scheduler == "local" or _is_here(scheduler)):
        raise UsageError(
            f"{scheduler} is on another host without TLS, and can run programs on this machine: use tls:// "
            "with certificates in Dask's configuration, or --trust on a network of your own"
        )


def _is_here(address: str) -> bool:
    """Return whether an address is of this process or of this machine's loopback interface."""
    if address.startswith("inproc://"):
        return True
    try:
        host = urlsplit(address if "://" in address else f"tcp://{address}").hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@contextmanager
def _own_client(count: int | None, threads: int) -> Iterator[Any]:
    """Start workers on this machine."""
    import distributed

    class InTheHandsOfTheClient(distributed.WorkerPlugin):  # type: ignore[misc]
        """Lets the client alone hear what the terminal tells all of them; it ends the others.

        It also removes what they leave when they are killed: their temporary files are in its own folder.
        """

        def setup(self, worker: Any) -> None:
            tempfile.tempdir = worker.local_directory
            signal.signal(signal.SIGINT, lambda *_: None)
            if hasattr(signal, "pthread_sigmask"):  # engines must hear it
                signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    cores = cores_here()
    count = count or cores // threads
    if not 1 <= count * threads <= cores:
        raise UsageError(f"{count or 1} workers need {(count or 1) * threads} cores: there are {cores}")
    local = None
    try:
        with _ctrl_c_held_back():  # workers inherit that until they have the plugin
            local = distributed.LocalCluster(
                n_workers=count,
                host=LOOPBACK_ADDRESS,  # a port that others reach would let them run programs here
                threads_per_worker=THREADS,
                resources=_core(),
                memory_limit=0,
                dashboard_address=f"{LOOPBACK_ADDRESS}:0",
                scheduler_kwargs={"dashboard": False},
                silence_logs=logging.CRITICAL,
            )
        with distributed.Client(local, set_as_default=False) as client:
            client.register_plugin(InTheHandsOfTheClient())
            yield client
    finally:
        if local is not None:
            local.close()


@contextmanager
def _client_of(scheduler: str, count: int) -> Iterator[Any]:
    """Wait for so many workers of a scheduler elsewhere."""
    import distributed

    try:
        client = distributed.Client(scheduler, timeout=ANSWER, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"no scheduler at {scheduler}: {' '.join(str(error).split())}") from None
    with client:
        try:
            client.wait_for_workers(count, timeout=WORKER_WAIT_SECONDS)
        except OSError:
            raise UsageError(
                f"{scheduler} has not {count} workers within {WORKER_WAIT_SECONDS:g} s"
            ) from None
        yield client


@contextmanager
def _ctrl_c_held_back() -> Iterator[None]:
    """Let Ctrl-C wait, here and in the processes that are started meanwhile."""
    from multiprocessing import resource_tracker

    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    sys.warnoptions.append(NO_LEAKS)
    resource_tracker.ensure_running()  # which, as it starts, would let Ctrl-C through
    sys.warnoptions.remove(NO_LEAKS)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


NO_LEAKS = "ignore::UserWarning:multiprocessing.resource_tracker"
"""Lets Python's tracker remove without a word what a command that was interrupted has left behind."""


class Workers:
    """The workers of a scheduler; calls go to those whose hosts have been admitted."""

    def __init__(self, client: Any, admit: Admit):
        self._client, self._admit = client, admit
        self._admitted: set[str] = set()
        self._handed_out: dict[_Call[Any], Any] = {}
        self._suspects: deque[_Call[Any]] = deque()
        self._looked = -math.inf
        self._width = 1

    @property
    def room(self) -> int:
        """How many calls are handed out at a time: more for each worker, so that it need not wait."""
        return 0 if self._suspects else (1 + THREADS) * self._width

    @property
    def addresses(self) -> list[str]:
        """The workers that there are now."""
        return list(self._client.nthreads())

    def submit(self, call: Callable[[], T], lost: Callable[[], T], share: float = 1.0) -> Future[T]:
        """Have a call made, which takes a share of a core; ``lost`` is made here if no worker survives it.

        The future raises what they raise, and UsageError where the scheduler is lost; it has None of a call
        that was given up.
        """
        self.look()
        made: Future[T] = Future()
        self._hand_out(_Call(made, call, lost, share))
        return made

    def give_up(self) -> None:
        """Let all calls end that have not ended: of what a worker has begun nobody hears."""
        while self._suspects:
            self._suspects.popleft().end(None)
        for call, future in list(self._handed_out.items()):
            call.end(None)
            future.cancel()

    def look(self) -> None:
        """See who has come. Raises UsageError where a new host is not admitted."""
        if time.monotonic() - self._looked < WORKER_POLL:
            return
        addresses = self.addresses
        self._width = max(1, len(addresses))
        new = [address for address in addresses if _machine(address) not in self._admitted]
        if new:
            self._require_core(new)
            self._admit(self, new)
            self._admitted |= set(map(_machine, new))
        self._looked = time.monotonic()

    def ask(self, call: Callable[[], T], addresses: Sequence[str]) -> Mapping[str, Any]:
        """Return Dask's futures of what comes of a call on each of these workers, by their addresses."""
        return {
            address: self._client.submit(
                call, key=f"ask-{uuid.uuid4().hex}", workers=[address], resources=_core(), priority=1
            )
            for address in addresses
        }

    def answers(self, call: Callable[[], T], addresses: Sequence[str]) -> dict[str, T]:
        """Return what comes of a call on each of these workers, by their addresses. Raises UsageError."""
        asked = self.ask(call, addresses)
        try:
            return {address: future.result(timeout=WORKER_WAIT_SECONDS) for address, future in asked.items()}
        except TimeoutError:
            raise UsageError(f"a worker has not answered within {WORKER_WAIT_SECONDS:g} s") from None

    def _require_core(self, addresses: Sequence[str]) -> None:
        offered = self._client.scheduler_info(n_workers=-1)["workers"]
        for address in addresses:
            if address in offered and not offered[address]["resources"].get("core"):
                raise UsageError(f"{address} offers no core; start workers with --resources core=1")

    def _hand_out(self, call: _Call[Any]) -> None:
        with plugins.PluginErrors("what is to be done elsewhere cannot be handed over"):
            request = pickle.dumps(call.function)
        future = self._client.submit(
            _call_there,
            request,
            key=f"call-{uuid.uuid4().hex}",
            workers=sorted(self._admitted),
            resources=_core(call.share),
        )
        self._handed_out[call] = future
        future.add_done_callback(lambda ended: self._take(call, ended))

    def _take(self, call: _Call[Any], ended: Any) -> None:
        """Fetch what came of a call, and let the cluster forget it: nobody holds its future from here on."""
        from distributed import KilledWorker

        self._handed_out.pop(call, None)
        try:
            call.end(pickle.loads(ended.result()))
        except KilledWorker:  # it, or another call that was waiting or at work there
            if call.alone:
                call.end_as_lost()
            elif not call.made.done():
                self._suspects.append(replace(call, alone=True))
        except (CancelledInLoop, CancelledError):
            call.fail(UsageError("the scheduler is lost"))
        except BaseException as error:
            call.fail(error)
        if self._suspects and not self._handed_out:
            suspect = self._suspects.popleft()
            try:
                self._hand_out(suspect)
            except Exception as error:
                suspect.fail(error)


@dataclass(frozen=True, slots=True, eq=False)
class _Call(Generic[T]):
    """A call that is handed out, alone or not; the first that is said of its end counts."""

    made: Future[T]
    function: Callable[[], T]
    lost: Callable[[], T]
    share: float
    alone: bool = False

    def end(self, value: T) -> None:
        with suppress(InvalidStateError):
            self.made.set_result(value)

    def fail(self, error: BaseException) -> None:
        with suppress(InvalidStateError):
            self.made.set_exception(error)

    def end_as_lost(self) -> None:
        try:
            self.end(self.lost())
        except BaseException as error:
            self.fail(error)


def _call_there(request: bytes) -> bytes:
    """Make a call on a worker; warnings of what is installed are told by whoever asked, too."""
    call = pickle.loads(request)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = call()
    with plugins.PluginErrors("what was done elsewhere cannot be handed back"):
        return pickle.dumps(value)


class RemoteDeadline(Deadline):
    """A deadline for a call on a worker: it says stop as well when nobody waits for the call any more.

    That is so where it was given up, and where the command that asked has ended in whatever way.
    """

    def __init__(self, seconds: float | None = None):
        from distributed import get_worker

        super().__init__(seconds)
        worker = get_worker()
        self._calls, self._key = worker.state.tasks, worker.get_current_task()

    @property
    def stop(self) -> Stop | None:
        """Why to stop now, or None."""
        call = self._calls.get(self._key)
        if call is None or call.state == "cancelled":
            self.interrupt()
        return super().stop


def _core(share: float = 1.0) -> dict[str, float]:
    """Return a share of what a worker has one of, as Dask wants to be told."""
    return {"core": share}


def cores_here() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _machine(address: str) -> str:
    """Return the name or number of a worker's host, by which Dask knows it."""
    return urlsplit(address).hostname or address
