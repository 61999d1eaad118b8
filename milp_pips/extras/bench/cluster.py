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
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from milp_pips.engines.versions import Installed, refuse_other_versions
from milp_pips.extras.bench.campaign import Campaign, PlannedRun
from milp_pips.extras.bench.cgroups import measurer
from milp_pips.extras.bench.measurement import (
    CoreLoad,
    core_load,
    load_warning,
)
from milp_pips.extras.bench.one_run import local_session, run_once
from milp_pips.extras.bench.run import RunExecutor
from milp_pips.extras.bench.store import RunKey, RunRecord, SessionRecord
from milp_pips.problem.errors import UsageError
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.cluster import Workers, open_workers, results_of_each
from milp_pips.runtime.executor import Outcome
from milp_pips.runtime.interruptible import Limits

if TYPE_CHECKING:
    from milp_pips.extras.bench.store import Store

# A core that a process reserves for itself.

FREE_CORE_WAIT_SECONDS = 15.0
"""The seconds to wait for a core: the process that holds one may be terminating."""

_core_sockets: dict[int, socket.socket] = {}
_core_sockets_lock = threading.Lock()


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
    report
        Called with each line about the machines.
    trust
        Whether a scheduler on another host may be used without TLS.
    """

    scheduler: str = "local"
    workers: int | None = None
    report: Callable[[str], object] = field(default=lambda _: None)
    trust: bool = False

    @contextmanager
    def __call__(
        self, campaign: Campaign, store: Store, command: str, measured_by: str | None
    ) -> Iterator[RunExecutor]:
        """Open the workers for a campaign.

        Raises
        ------
        UsageError
            As ``open_workers`` does, or if a machine has other versions.
        """
        hosts = Hosts(self, campaign, store, command)
        opened = open_workers(self.scheduler, self.workers, hosts.threads, hosts.admit, trust=self.trust)
        with opened as workers:

            def start(planned: PlannedRun, key: RunKey) -> Future[Outcome[RunRecord | None]]:
                arguments = planned, key, hosts.sessions, measured_by
                return workers.submit(run_on_worker, arguments, Limits())

            yield RunExecutor(workers, start, lambda: min(hosts.sessions.values()))


class Hosts:
    """The hosts of workers, with their sessions."""

    def __init__(self, cluster: Cluster, campaign: Campaign, store: Store, command: str):
        self._cluster, self._store, self._command = cluster, store, command
        self._solvers = sorted({one.solver for one in campaign.configurations})
        self.threads = campaign.threads
        self.sessions: dict[str, int] = {}

    def admit(self, workers: Workers, addresses: Sequence[str]) -> None:
        """Record a session for each new host. Raises UsageError if it has other versions."""
        found = results_of_each(workers, session_on_worker, (self._solvers, self._command), addresses)
        hosts: dict[str, list[str]] = defaultdict(list)
        for address, session in found.items():
            hosts[session.host].append(address)
        load = results_of_each(workers, load_on_worker, (), [members[0] for members in hosts.values()])
        for host, members in hosts.items():
            if told := load_warning(load[members[0]], self.threads * len(members)):
                self._cluster.report(f"warning: {host}: {told}: times will be longer than without them")
            session = found[members[0]]
            refuse_other_versions(Installed(host, session.package, session.engines), _refuse)
            self.sessions[host] = self._store.add(session)


def _refuse(what: str) -> None:
    raise UsageError(f"{what}: times do not compare")


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
