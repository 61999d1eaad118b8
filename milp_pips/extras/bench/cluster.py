"""A campaign on a cluster: runs go to workers, results are written here alone.

A worker makes one run at a time, on a core of its own, and has the next one ready. A run that its worker does
not survive is made anew, and written once all the same, since its key is the key of the results file. Hosts
are checked before they make runs, and time and again while they do.
"""

from __future__ import annotations

import socket
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from milp_pips.engines.versions import Installed, refuse_other_versions
from milp_pips.extras.bench.campaign import Campaign, PlannedRun
from milp_pips.extras.bench.cgroups import measurer
from milp_pips.extras.bench.disturbance import REFUSED, TOLD
from milp_pips.extras.bench.one_run import RunSlots, now, run_once, session_here
from milp_pips.extras.bench.records import RunKey, RunRecord, SessionRecord
from milp_pips.extras.bench.yardstick import keep_to_own_cores, reference_seconds
from milp_pips.problem.errors import UsageError
from milp_pips.runtime.cluster import WORKER_WAIT_SECONDS, RemoteDeadline, Workers, open_workers
from milp_pips.runtime.temporary import keep_temporary_files_in_one_folder

if TYPE_CHECKING:
    from milp_pips.extras.bench.store import Store

SPEED_TOLERANCE = 0.05
"""By what share the speeds of several machines may differ before runs are refused as not comparable."""

CORES_PER_RUN = 0.5
"""Of a core that a run takes, where a worker has threads enough: one has its turn, and one waits for it."""

EVERY = 300.0
"""Seconds between two checks of the machines at work; one takes a core about a second."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where the runs of a campaign are made: the crew that ``compare`` opens.

    Parameters
    ----------
    scheduler
        Address of a scheduler of Dask's, or ``local`` for workers on this machine.
    workers
        How many workers there are to be: started on this machine, or waited for; None for all cores here, and
        for one worker elsewhere.
    uneven
        Whether to go on where machines differ in speed, or their cores disturb one another.
    tell
        Called with a line of what is found out about the machines.
    trust
        Whether a scheduler on another host may be used without TLS.
    """

    scheduler: str = "local"
    workers: int | None = None
    uneven: bool = False
    tell: Callable[[str], object] = field(default=lambda _: None)
    trust: bool = False

    @contextmanager
    def __call__(
        self, campaign: Campaign, store: Store, command: str, measured_by: str | None
    ) -> Iterator[MeasuredWorkers]:
        """Open the workers for a campaign.

        Raises
        ------
        UsageError
            As ``open_workers`` does, or if the machines do not compare.
        """
        hosts = Hosts(self, campaign, store, command)
        opened = open_workers(self.scheduler, self.workers, hosts.threads, hosts.admit, trust=self.trust)
        with opened as workers:
            yield MeasuredWorkers(workers, hosts, measured_by)


class MeasuredWorkers:
    """The workers of a cluster as a crew, whose hosts are checked now and then."""

    def __init__(self, workers: Workers, hosts: Hosts, measured_by: str | None):
        self._workers, self._hosts, self._measured_by = workers, hosts, measured_by

    @property
    def room(self) -> int:
        """How many runs are handed out at a time."""
        return self._workers.room

    def submit(self, planned: PlannedRun, key: RunKey) -> Future[RunRecord | None]:
        """Have a run made by a worker of a host that has been checked."""
        self._hosts.compare_with_before(self._workers)
        call = partial(make_there, planned, key, self._hosts.sessions, self._measured_by)
        return self._workers.submit(
            call, lambda: _lost(key, min(self._hosts.sessions.values())), CORES_PER_RUN
        )

    def give_up(self) -> None:
        """Let all runs end that have not ended."""
        self._workers.give_up()


class Hosts:
    """What is known of the hosts of workers: their sessions, and how quick they are."""

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

        Raises UsageError where they do not compare.
        """
        reference = partial(reference_there, self.threads)
        found = workers.answers(partial(session_there, self._solvers, self._command), addresses)
        hosts: dict[str, list[str]] = defaultdict(list)
        for address, session in found.items():
            hosts[session.host].append(address)
        alone: dict[str, float] = {}
        for turn in zip_longest(*hosts.values()):
            measured = workers.answers(reference, [one for one in turn if one])
            alone |= {address: seconds for address, (_, seconds) in measured.items()}
        beside = workers.answers(reference, addresses)
        for host, members in hosts.items():
            session = found[members[0]]
            refuse_other_versions(Installed(host, session.package, session.engines), self._refuse)
            slowdown = max(beside[one][1] / alone[one] for one in members)
            if slowdown > TOLD:
                what = (
                    f"the cores of {host} disturb one another: the reference puzzle takes {slowdown:.2f} "
                    "times as long with all at work"
                )
                if slowdown < REFUSED:
                    self._cluster.tell(f"warning: {what}")
                else:
                    self._refuse(what)
            self._alone |= {f"{host} ({one})": alone[one] for one in members}
            self._expected[host] = max(beside[one][1] for one in members)
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

    def compare_with_before(self, workers: Workers) -> None:
        """Measure all workers now and then. Raises UsageError where a host has changed its speed."""
        since = time.monotonic() - self._measured
        if since > EVERY and (
            not self._measuring or since > EVERY + WORKER_WAIT_SECONDS
        ):  # else one takes its time
            self._measured = time.monotonic()
            asked = workers.ask(partial(reference_there, self.threads), workers.addresses)
            self._measuring = dict(asked)
        for address, future in list(self._measuring.items()):
            if future.done():
                del self._measuring[address]
                if future.status == "finished":
                    self._hold_to_before(*future.result())

    def _hold_to_before(self, host: str, seconds: float) -> None:
        change = seconds / self._expected[host]
        if not 1 / self._limit < change < self._limit:
            self._refuse(
                f"{host} has changed its speed: the reference puzzle takes {change:.2f} times its first time"
            )

    @property
    def _limit(self) -> float:
        """By what factor speeds may differ: on one machine, configurations take turns on all cores."""
        return REFUSED if len(self.sessions) == 1 else 1 + SPEED_TOLERANCE

    def _refuse(self, what: str) -> None:
        """Raise UsageError, or only tell, as the person wants it."""
        if not self._cluster.uneven:
            raise UsageError(f"{what}; times do not compare (--uneven goes on nevertheless)")
        self._cluster.tell(f"warning: {what}")


ONE_AT_A_TIME = RunSlots(1)
"""Of the runs of this worker."""


def make_there(
    planned: PlannedRun, key: RunKey, sessions: Mapping[str, int], measured_by: str | None
) -> RunRecord | None:
    """Make a run on the core that this worker has for itself; called there."""
    keep_to_own_cores(key.threads)
    keep_temporary_files_in_one_folder()
    session = sessions[socket.gethostname()]
    return run_once(planned, key, session, RemoteDeadline(), measurer(measured_by), ONE_AT_A_TIME)


def session_there(solvers: Sequence[str], command: str) -> SessionRecord:
    """Return what is to be known of this worker's machine; called there."""
    return session_here(solvers, command, socket.gethostname())


def reference_there(threads: int) -> tuple[str, float]:
    """Return the name of this worker's host, and what the reference takes a core there; called there."""
    keep_to_own_cores(threads)
    return socket.gethostname(), reference_seconds()


def _lost(key: RunKey, session: int) -> RunRecord:
    """Return the run that no worker survives."""
    return RunRecord(
        **asdict(key),
        session=session,
        started=now(),
        status="error",
        stop="error",
        message="each worker that began it was lost",
    )
