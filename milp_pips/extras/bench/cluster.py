"""Run a campaign on a cluster: workers make the runs, and only this process writes the results.

A worker makes one run at a time, on a core of its own. If a worker dies, its run
is made again; it is still written only once, because its key is unique in the results file. Hosts are checked
before they make runs, and regularly while they do.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from milp_pips.compilation.solution_set import compile_problem
from milp_pips.constraints import AllDifferent
from milp_pips.engines.versions import Installed, refuse_other_versions
from milp_pips.extras.bench.campaign import Campaign, PlannedRun
from milp_pips.extras.bench.cgroups import measurer
from milp_pips.extras.bench.measurement import (
    REFUSED_SLOWDOWN,
    REPORTED_SLOWDOWN,
    CoreLoad,
    core_load,
    load_warning,
)
from milp_pips.extras.bench.one_run import local_session, run_once
from milp_pips.extras.bench.run import RunExecutor
from milp_pips.extras.bench.store import RunKey, RunRecord, SessionRecord
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.problem import Problem, Variable
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.cluster import WORKER_WAIT_SECONDS, Workers, open_workers, results_of_each
from milp_pips.runtime.executor import Outcome, call_in_process
from milp_pips.runtime.interruptible import Limits

if TYPE_CHECKING:
    from milp_pips.extras.bench.store import Store

# The speed of a core, alone and beside others; and a core that a process reserves for itself.
#
# The reference is to count the Latin squares of order 5 with a given first row by decision diagrams. It uses
# only Python and memory, and is the same on every machine, so its time depends on the machine alone.

ORDER, SQUARES = 5, 1344
"""The reference: 161,280 Latin squares of order 5 (Euler 1782), divided by 5! for the given first row."""

REFERENCE_REPETITIONS = 9
"""The number of repetitions of the reference; the fastest counts, because it suffers least from noise."""

FREE_CORE_WAIT_SECONDS = 15.0
"""The seconds to wait for a core: the process that holds one may be terminating."""

_core_sockets: dict[int, socket.socket] = {}
_core_sockets_lock = threading.Lock()


def reference_seconds() -> float:
    """Return the seconds of the reference on this core, in a separate process. Raises EngineFault."""
    outcome = call_in_process(count_squares, (), Limits(Deadline(120.0)))
    if outcome.value is None:
        raise EngineFault(f"the reference puzzle could not be counted: {outcome.fault or 'no time'}")
    return outcome.value


def count_squares(_deadline: Deadline) -> float:
    """Return the least seconds of several runs of the reference; called in a worker process."""
    spent = []
    for _ in range(REFERENCE_REPETITIONS):
        problem = latin_squares(ORDER)
        begun = time.perf_counter()
        found = compile_problem(problem).count
        spent.append(time.perf_counter() - begun)
        if found != SQUARES:
            raise EngineFault(f"this machine counts {found} Latin squares, not {SQUARES}")
    return min(spent)


def latin_squares(order: int) -> Problem:
    """Return the problem whose solutions are the Latin squares of an order with a given first row."""
    size = range(order)
    variables = [Variable(f"{r},{c}", tuple(size) if r else (c,)) for r in size for c in size]
    rows = [AllDifferent(tuple(order * r + c for c in size)) for r in size]
    columns = [AllDifferent(tuple(order * r + c for r in size)) for c in size]
    return Problem(tuple(variables), tuple(rows + columns), {"cells": tuple(range(order * order))})


def keep_to_own_cores(count: int) -> None:
    """Bind this thread, and what it starts, to cores that no other process of ours has reserved.

    The process holds them until it ends, in whatever way. Anything that needs fewer cores is bound to some of
    them. On systems other than Linux this does nothing. Raises UsageError if no core becomes free.
    """
    if sys.platform != "linux":
        return
    until = time.monotonic() + FREE_CORE_WAIT_SECONDS
    with _core_sockets_lock:
        while len(_core_sockets) < count:
            for core in sorted(os.sched_getaffinity(os.getpid()) - set(_core_sockets)):
                if len(_core_sockets) < count:
                    with suppress(OSError):  # another process holds it
                        _core_sockets[core] = _name_of(core)
            if len(_core_sockets) < count:
                if time.monotonic() > until:
                    place = os.uname().nodename
                    raise UsageError(f"{place} has no core free for a worker: start fewer, or wait")
                time.sleep(0.2)
    with suppress(OSError):
        os.sched_setaffinity(0, [*_core_sockets][:count])


def _name_of(core: int) -> socket.socket:
    """Bind the socket name that stands for a core, which only one process can hold. Raises OSError if taken.

    It is one of Linux's abstract socket names, which leave nothing behind when their process is killed.
    Another user, or a different ``TMPDIR``, has different names.
    """
    place = zlib.crc32(os.fsencode(os.environ.get("TMPDIR", "")))
    name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        name.bind(f"\0milp_pips-core-{os.getuid()}-{place}-{core}")
    except OSError:
        name.close()
        raise
    return name


SPEED_TOLERANCE = 0.05
"""The relative difference in speed between machines beyond which runs are refused as not comparable."""

SPEED_ROUNDS = 3
"""Most rounds of measurements before the campaign, of which the best counts."""

SPEED_CHECK_INTERVAL = 300.0
"""The seconds between two checks of the machines during the campaign; a check takes a core about a second."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """The place where the runs of a campaign are made: the executor that ``compare`` opens.

    Parameters
    ----------
    scheduler
        The address of a Dask scheduler, or ``local`` for workers on this machine.
    workers
        The number of workers to start locally or to wait for; None for all local cores, or for one worker of
        a remote scheduler.
    uneven
        Whether to continue if machines differ in speed, or if their cores disturb one another.
    report
        Called with each line about the machines.
    trust
        Whether a scheduler on another host may be used without TLS.
    """

    scheduler: str = "local"
    workers: int | None = None
    uneven: bool = False
    report: Callable[[str], object] = field(default=lambda _: None)
    trust: bool = False

    @contextmanager
    def __call__(
        self, campaign: Campaign, store: Store, command: str, measured_by: str | None
    ) -> Iterator[RunExecutor]:
        """Open the workers for a campaign; their hosts are checked regularly.

        Raises
        ------
        UsageError
            As ``open_workers`` does, or if the machines are not comparable.
        """
        hosts = Hosts(self, campaign, store, command)
        opened = open_workers(self.scheduler, self.workers, hosts.threads, hosts.admit, trust=self.trust)
        with opened as workers:

            def start(planned: PlannedRun, key: RunKey) -> Future[Outcome[RunRecord | None]]:
                hosts.compare_with_before(workers)
                arguments = planned, key, hosts.sessions, measured_by
                return workers.submit(run_on_worker, arguments, Limits())

            yield RunExecutor(workers, start, lambda: min(hosts.sessions.values()))


class Hosts:
    """The hosts of workers: their sessions, and their speeds."""

    def __init__(self, cluster: Cluster, campaign: Campaign, store: Store, command: str):
        self._cluster, self._store, self._command = cluster, store, command
        self._solvers = sorted({one.solver for one in campaign.configurations})
        self.threads = campaign.threads
        self.sessions: dict[str, int] = {}
        self._alone: dict[str, float] = {}
        self._expected: dict[str, float] = {}
        self._measuring: dict[str, Any] = {}
        self._measured = time.monotonic()

    def admit(self, workers: Workers, addresses: Sequence[str]) -> None:
        """Measure the workers of new hosts, alone and together.

        Raises UsageError if they are not comparable.
        """
        found = results_of_each(workers, session_on_worker, (self._solvers, self._command), addresses)
        hosts: dict[str, list[str]] = defaultdict(list)
        for address, session in found.items():
            hosts[session.host].append(address)
        self._require_idle(workers, hosts)
        alone, beside = self._measure(workers, hosts)
        for host, members in hosts.items():
            session = found[members[0]]
            refuse_other_versions(Installed(host, session.package, session.engines), self._refuse)
            slowdown = max(beside[one] / alone[one] for one in members)
            if slowdown > REPORTED_SLOWDOWN:
                what = (
                    f"the cores of {host} disturb one another: the reference puzzle takes {slowdown:.2f} "
                    "times as long with all at work"
                )
                if slowdown < REFUSED_SLOWDOWN:
                    self._cluster.report(f"warning: {what}")
                else:
                    self._refuse(f"{what}; wait until the machine is quiet, or use one worker")
            self._alone |= {f"{host} ({one})": alone[one] for one in members}
            self._expected[host] = max(beside[one] for one in members)
            self.sessions[host] = self._store.add(
                replace(
                    session,
                    reference_seconds=max(alone[one] for one in members),
                    disturbance=slowdown,
                )
            )
        quick, slow = (pick(self._alone, key=self._alone.__getitem__) for pick in (min, max))
        if self._alone[slow] > self._limit * self._alone[quick]:
            self._refuse(
                "machines or cores differ in speed: the reference puzzle takes "
                f"{self._alone[quick]:.3f} s on {quick} and {self._alone[slow]:.3f} s on {slow}"
            )

    def _require_idle(self, workers: Workers, hosts: Mapping[str, Sequence[str]]) -> None:
        """Raise UsageError if other programs take cores that workers need; only warn for a single worker."""
        load = results_of_each(workers, load_on_worker, (), [members[0] for members in hosts.values()])
        for host, members in hosts.items():
            if told := load_warning(load[members[0]], self.threads * len(members)):
                if len(members) > 1:
                    self._refuse(f"{host}: {told}; wait until they end, or use one worker")
                else:
                    self._cluster.report(f"warning: {host}: {told}: times will be longer than without them")

    def _measure(
        self, workers: Workers, hosts: Mapping[str, Sequence[str]]
    ) -> tuple[dict[str, float], dict[str, float]]:
        """Return the seconds of the reference by worker, alone and with all at work: the best of some rounds.

        A virtual machine differs by a factor of two between two measurements, at no load.
        """
        alone: dict[str, float] = {}
        beside: dict[str, float] = {}
        every = [address for members in hosts.values() for address in members]
        for _ in range(SPEED_ROUNDS):
            for round_ in zip_longest(*hosts.values()):
                self._keep_best(alone, workers, [one for one in round_ if one])
            self._keep_best(beside, workers, every)
            if all(beside[one] <= REPORTED_SLOWDOWN * alone[one] for one in every):
                break
        return alone, beside

    def _keep_best(self, best: dict[str, float], workers: Workers, addresses: Sequence[str]) -> None:
        measured = results_of_each(workers, reference_on_worker, (self.threads,), addresses)
        for address, (_, seconds) in measured.items():
            best[address] = min(seconds, best.get(address, seconds))

    def compare_with_before(self, workers: Workers) -> None:
        """Measure all workers again when it is time. Raises UsageError if a host has changed its speed."""
        since = time.monotonic() - self._measured
        overdue = since > SPEED_CHECK_INTERVAL + WORKER_WAIT_SECONDS  # a worker has not answered in time
        if since > SPEED_CHECK_INTERVAL and (overdue or not self._measuring):
            self._measured = time.monotonic()
            self._measuring = workers.submit_to_each(reference_on_worker, (self.threads,), workers.addresses)
        for address, future in list(self._measuring.items()):
            if future.done():
                del self._measuring[address]
                measured = None if future.exception() else future.result().value
                if measured is not None:  # else the worker is lost
                    self._require_same_speed(*measured)

    def _require_same_speed(self, host: str, seconds: float) -> None:
        change = seconds / self._expected[host]
        if not 1 / self._limit < change < self._limit:
            self._refuse(
                f"{host} has changed its speed: the reference puzzle takes {change:.2f} times its first time"
            )

    @property
    def _limit(self) -> float:
        """Return the tolerated ratio of speeds: on one machine, configurations alternate over all cores."""
        return REFUSED_SLOWDOWN if len(self.sessions) == 1 else 1 + SPEED_TOLERANCE

    def _refuse(self, what: str) -> None:
        """Raise UsageError, or only print the message if uneven machines are allowed."""
        if not self._cluster.uneven:
            raise UsageError(f"{what}; times do not compare (--uneven goes on nevertheless)")
        self._cluster.report(f"warning: {what}")


def run_on_worker(
    planned: PlannedRun,
    key: RunKey,
    sessions: Mapping[str, int],
    measured_by: str | None,
    deadline: Deadline,
) -> RunRecord | None:
    """Make a run on this worker's own core; called on the worker."""
    keep_to_own_cores(key.threads)
    session = sessions[socket.gethostname()]
    return run_once(planned, key, session, measurer(measured_by), deadline)


def session_on_worker(solvers: Sequence[str], command: str, _deadline: Deadline) -> SessionRecord:
    """Return the session record of this worker's machine; called on the worker."""
    return local_session(solvers, command, socket.gethostname())


def load_on_worker(_deadline: Deadline) -> CoreLoad:
    """Return the load of this worker's machine while its workers are idle; called on the worker."""
    return core_load()


def reference_on_worker(threads: int, _deadline: Deadline) -> tuple[str, float]:
    """Return this worker's host name, and the seconds of the reference per core; called on the worker."""
    keep_to_own_cores(threads)
    return socket.gethostname(), reference_seconds()
