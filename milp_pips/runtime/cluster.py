"""Spread calls over workers on this machine or those of a Dask scheduler; each runs one call at a time.

On this machine a worker is a process of its own. A worker of Dask runs its calls in such a process, which an
engine may crash. Each call is pickled here, so that a value that cannot be pickled leads to an error of one
line. Dask replaces a worker that dies and repeats its call; the caller still gets one result. Dask gives a
call up after it has lost four workers.
"""

from __future__ import annotations

import ipaddress
import logging
import math
import os
import pickle
import time
import uuid
import warnings
from asyncio import CancelledError as CancelledInLoop
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import contextmanager, suppress
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

from milp_pips.problem import INSTALL, Deadline, Stop, SubDeadline, UsageError
from milp_pips.problem.plugins import PluginErrors
from milp_pips.runtime.executor import Arguments, Executor, Function, Outcome, OwnProcess, OwnProcesses
from milp_pips.runtime.interruptible import Limits

T = TypeVar("T")

WORKER_POLL = 2.0
"""Seconds between two checks for new workers."""

SCHEDULER_ANSWER_SECONDS = 10.0
"""Seconds in which a scheduler must answer."""

WORKER_WAIT_SECONDS = 120.0
"""Seconds to wait for workers, and for their replies about their hosts."""

ATTEMPTS = 4
"""How often a worker of this machine makes a call in all if its process dies; workers of Dask do the same."""

CORE = {"core": 1.0}
"""The Dask resource that a call takes; each worker has one."""

Admit = Callable[["Workers", Sequence[str]], None]
"""Called with the addresses of workers on new hosts; raises UsageError if they must not be used."""


@contextmanager
def open_workers(
    scheduler: str, count: int | None, threads: int, admit: Admit, *, trust: bool = False
) -> Iterator[Workers]:
    """Yield the workers of a scheduler.

    Parameters
    ----------
    scheduler
        The scheduler's address, or ``local`` for workers on this machine.
    count
        The number of workers to start on this machine, or to wait for on a remote scheduler. None means
        all cores of this machine, or one remote worker.
    threads
        Cores that a call takes.
    admit
        Checks new hosts before they get calls.
    trust
        Whether a scheduler on another host may be used without TLS.

    Raises
    ------
    UsageError
        If the scheduler is not to be trusted, ``distributed`` is not installed, no scheduler answers at the
        address, there are too few workers or cores, or the workers are not of the kind that is needed.
    """
    if scheduler == "local":
        cores = available_cores()
        count = count or cores // threads
        if not 1 <= count * threads <= cores:
            raise UsageError(f"{count or 1} workers need {(count or 1) * threads} cores: there are {cores}")
        with OwnProcesses(count, attempts=ATTEMPTS) as processes:
            admit(processes, processes.addresses)
            yield processes
        return
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise UsageError(f"a cluster needs distributed: {INSTALL.format('cluster')}") from None
    _require_safe(scheduler, trust)
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # this module reports what is lost
    with _client_of(scheduler, count or 1) as client:
        workers = DaskWorkers(client, admit)
        workers._check_for_workers()
        yield workers


def _require_safe(scheduler: str, trust: bool) -> None:
    """Raise UsageError for a scheduler on another host without TLS, unless it is trusted.

    Calls and results are pickles. So a scheduler can run programs on every connected machine, this one
    included, and so can anything that can reach its port or change its messages.
    """
    from distributed.security import Security

    if scheduler.startswith("tls://"):
        if Security().get_connection_args("client").get("ssl_context") is None:
            where = "Dask's configuration, under distributed.comm.tls"
            raise UsageError(f"{scheduler} needs certificates: name them in {where}")
    elif not (trust or _is_local(scheduler)):
        raise UsageError(
            f"{scheduler} is on another host without TLS, and can run programs on this machine: use tls:// "
            "with certificates in Dask's configuration, or --trust on a network of your own"
        )


def _is_local(address: str) -> bool:
    """Return whether an address belongs to this process or to this machine's loopback interface."""
    if address.startswith("inproc://"):
        return True
    try:
        host = urlsplit(address if "://" in address else f"tcp://{address}").hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@contextmanager
def _client_of(scheduler: str, count: int) -> Iterator[Any]:
    """Yield the client of a remote scheduler as soon as the scheduler has that many workers."""
    import distributed

    try:
        client = distributed.Client(scheduler, timeout=SCHEDULER_ANSWER_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"no scheduler at {scheduler}: {' '.join(str(error).split())}") from None
    with client:
        try:
            client.wait_for_workers(count, timeout=WORKER_WAIT_SECONDS)
        except OSError:
            raise UsageError(
                f"{scheduler} did not have {count} workers within {WORKER_WAIT_SECONDS:g} s"
            ) from None
        yield client


class Workers(Executor, Protocol):
    """Workers on hosts that were admitted: an ``Executor`` that can also address each worker."""

    @property
    def addresses(self) -> list[str]:
        """The addresses of the current workers."""

    def submit_to_each(
        self, function: Function[T], arguments: Arguments, addresses: Sequence[str]
    ) -> dict[str, Future[Outcome[T]]]:
        """Return the futures of a call that runs on each of these workers, by worker address."""


def results_of_each(
    workers: Workers, function: Function[T], arguments: Arguments, addresses: Sequence[str]
) -> dict[str, T]:
    """Return the results of a call on each of these workers, by address. Raises UsageError."""
    results = {}
    for address, future in workers.submit_to_each(function, arguments, addresses).items():
        try:
            outcome = future.result(timeout=WORKER_WAIT_SECONDS)
        except TimeoutError:
            raise UsageError(f"a worker has not answered within {WORKER_WAIT_SECONDS:g} s") from None
        if outcome.value is None:
            raise UsageError(f"the worker {address} does not answer: {outcome.fault}")
        results[address] = outcome.value
    return results


class DaskWorkers:
    """The workers of a Dask scheduler, as ``Workers``; only workers on admitted hosts get calls.

    They ignore all limits but the seconds of a call, and stop a call whose outcome is not needed.
    """

    def __init__(self, client: Any, admit: Admit):
        self._client, self._admit = client, admit
        self._admitted: set[str] = set()
        self._open: dict[Future[Outcome[Any]], Any] = {}
        self._checked_at = -math.inf
        self._width = 1

    @property
    def room(self) -> int:
        """How many calls to submit at a time: two for each worker, so that no worker waits."""
        return 2 * self._width

    @property
    def addresses(self) -> list[str]:
        """The addresses of the current workers."""
        return list(self._client.nthreads())

    def submit(self, function: Function[T], arguments: Arguments, limits: Limits) -> Future[Outcome[T]]:
        """Submit a call and return the future of its outcome.

        The future raises what the function raises, and UsageError if the scheduler is lost.

        Raises EngineFault for a call that cannot be pickled, and UsageError if a new host is not admitted.
        """
        # A worker that has joined since the last call is checked before it can get this one.
        self._check_for_workers()
        workers = sorted(self._admitted)
        return self._start(f"call-{uuid.uuid4().hex}", (function, arguments, limits.seconds), workers)

    def give_up(self) -> None:
        """End all open calls; results that workers still compute are dropped."""
        for future, remote in list(self._open.items()):
            with suppress(InvalidStateError):
                future.set_result(Outcome(stop=Stop.INTERRUPTED))
            remote.cancel()

    def _check_for_workers(self) -> None:
        """Check for new workers and admit their hosts. Raises UsageError if a new host is not admitted."""
        if time.monotonic() - self._checked_at < WORKER_POLL:
            return
        addresses = self.addresses
        self._width = max(1, len(addresses))
        new = [address for address in addresses if _host_of(address) not in self._admitted]
        # First ask whether it offers cores: a worker without them would never start the call that admits
        # it.
        if new:
            self._require_core(new)
            self._admit(self, new)
            self._admitted |= set(map(_host_of, new))
        self._checked_at = time.monotonic()

    def submit_to_each(
        self, function: Function[T], arguments: Arguments, addresses: Sequence[str]
    ) -> dict[str, Future[Outcome[T]]]:
        """Return the futures of a call that runs on each of these workers, by worker address."""
        return {
            address: self._start(f"ask-{uuid.uuid4().hex}", (function, arguments, None), [address], 1)
            for address in addresses
        }

    def _require_core(self, addresses: Sequence[str]) -> None:
        offered = self._client.scheduler_info(n_workers=-1)["workers"]
        for address in addresses:
            if address in offered and not offered[address]["resources"].get("core"):
                raise UsageError(f"{address} offers no core; start workers with --resources core=1")

    def _start(
        self, key: str, call: tuple[Any, ...], workers: Sequence[str], priority: int = 0
    ) -> Future[Outcome[Any]]:
        """Send a call to one of these workers and return the future of its outcome."""
        with PluginErrors("a call cannot be sent to a worker"):
            request = pickle.dumps(call)
        where = {"workers": workers, "resources": CORE, "priority": priority}
        remote = self._client.submit(_call_on_worker, request, key=key, **where)
        future: Future[Outcome[Any]] = Future()
        self._open[future] = remote
        remote.add_done_callback(lambda ended: self._receive(future, ended))
        return future

    def _receive(self, future: Future[Outcome[Any]], ended: Any) -> None:
        """Fetch the outcome of a call and drop Dask's future, so that the cluster forgets the call."""
        from distributed import KilledWorker

        self._open.pop(future, None)
        with suppress(InvalidStateError):  # the call was given up
            try:
                outcome = ended.result()
                value = None if outcome.value is None else pickle.loads(outcome.value)
                future.set_result(outcome._replace(value=value))
            except KilledWorker:
                future.set_result(Outcome(fault="every worker that started it was lost"))
            except (CancelledInLoop, CancelledError):
                future.set_exception(UsageError("the scheduler is lost"))
            except InvalidStateError:
                raise
            except BaseException as error:
                future.set_exception(error)


_process: OwnProcess | None = None
"""The process in which this worker runs its calls."""


def _call_on_worker(request: bytes) -> Outcome[bytes]:
    """Return the outcome of a pickled call, with a pickled value; runs on the worker.

    The call runs in a process of its own, so that an engine cannot end the worker.
    """
    global _process
    if _process is None or _process.ended:
        _process = OwnProcess(trusted=True)
    return _process.submit(_run_pickled, (request,), Limits(RemoteDeadline()))


def _run_pickled(request: bytes, deadline: Deadline) -> bytes:
    """Run a pickled call and return its pickled result.

    Warnings about installed packages are suppressed, since the caller prints them, too.
    """
    function, arguments, seconds = pickle.loads(request)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = function(*arguments, SubDeadline(deadline, seconds))
    with PluginErrors("a result cannot be sent back from a worker"):
        return pickle.dumps(value)


class RemoteDeadline(Deadline):
    """A deadline for a call on a worker, which also stops the call if its result is no longer needed.

    That is the case if the call was given up, or if the command that submitted it has ended in any way.
    """

    def __init__(self) -> None:
        from distributed import get_worker

        super().__init__()
        worker = get_worker()
        self._calls, self._key = worker.state.tasks, worker.get_current_task()

    @property
    def stop(self) -> Stop | None:
        """The reason to stop now, or None."""
        call = self._calls.get(self._key)
        if call is None or call.state == "cancelled":
            self.interrupt()
        return super().stop


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _host_of(address: str) -> str:
    """Return the name or IP address of a worker's host, as in the worker's Dask address."""
    return urlsplit(address).hostname or address
