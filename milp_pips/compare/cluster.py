"""A campaign on a cluster of Dask's: runs go to workers, results are written here alone.

A worker makes one run at a time, on a core of its own. Dask replaces one that dies, and its run is made anew;
it is written once all the same, since its key is the key of the results file. Hosts are checked before they
make runs, and time and again while they do.
"""

from __future__ import annotations

import logging
import math
import signal
import socket
import time
import uuid
from asyncio import CancelledError as CancelledInLoop
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from milp_pips.compare.campaign import Campaign, PlannedRun
from milp_pips.compare.cgroups import measurer
from milp_pips.compare.one_run import cores_here, now, run_once, session_here
from milp_pips.compare.records import RunKey, RunRecord, SessionRecord
from milp_pips.compare.yardstick import keep_to_own_cores, reference_seconds
from milp_pips.errors import UsageError
from milp_pips.watch import Watch

if TYPE_CHECKING:
    from milp_pips.compare.store import Store

TOLERANCE = 0.05
"""By what share speeds may differ, or cores slow one another, before runs are refused as not comparable."""

EVERY = 300.0
"""Seconds between two checks of the machines at work; one takes a core about a second."""

LOOK = 2.0
"""Seconds between two looks at who has come."""

ANSWER = 10.0
"""Seconds in which a scheduler must answer."""

PATIENCE = 120.0
"""Seconds to wait for workers, and for the check of a host."""

LOSSES = 3
"""How often a run is given out anew after Dask has given it up, each time having lost four workers by it."""

CORE = {"core": 1.0}
"""What a worker has one of, and a run takes."""


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
    """

    scheduler: str = "local"
    workers: int | None = None
    uneven: bool = False
    tell: Callable[[str], object] = field(default=lambda _: None)

    @contextmanager
    def __call__(
        self, campaign: Campaign, store: Store, command: str, measured_by: str | None
    ) -> Iterator[Workers]:
        """Open the workers for a campaign.

        Raises
        ------
        UsageError
            If ``distributed`` is not installed, nobody answers at the address, there are not so many workers
            or cores, or the machines do not compare.
        """
        client, local = _connected(self.scheduler, self.workers, campaign.threads)
        try:
            opened = Workers(client, self, campaign, store, command, measured_by)
            opened.look()
            yield opened
        finally:
            client.close()
            if local is not None:
                local.close()


def _connected(scheduler: str, workers: int | None, threads: int) -> tuple[Any, Any]:
    """Return a client with enough workers, and their cluster if it is one of our own."""
    try:
        import distributed
    except ImportError:
        raise UsageError("a cluster needs distributed: pip install 'milp-pips[cluster]'") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what is lost is told here
    if scheduler == "local":
        cores = cores_here()
        count = workers or cores // threads
        if not 1 <= count * threads <= cores:
            raise UsageError(f"{count or 1} workers need {(count or 1) * threads} cores: there are {cores}")
        local = distributed.LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            resources=CORE,
            memory_limit=0,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        )
        client = distributed.Client(local, set_as_default=False)

        class DeafToCtrlC(distributed.WorkerPlugin):  # type: ignore[misc]
            """Lets the client alone hear what the terminal tells all of them; it ends the others."""

            def setup(self, worker: object) -> None:  # noqa: ARG002
                signal.signal(signal.SIGINT, lambda *_: None)

        client.register_plugin(DeafToCtrlC())
        return client, local
    try:
        client = distributed.Client(scheduler, timeout=ANSWER, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"no scheduler at {scheduler}: {' '.join(str(error).split())}") from None
    try:
        client.wait_for_workers(workers or 1, timeout=PATIENCE)
    except OSError:
        client.close()
        raise UsageError(f"{scheduler} has not {workers or 1} workers within {PATIENCE:g} s") from None
    return client, None


class Workers:
    """The workers of a cluster as a crew, and what is known of their hosts."""

    def __init__(
        self,
        client: Any,
        cluster: Cluster,
        campaign: Campaign,
        store: Store,
        command: str,
        measured_by: str | None,
    ):
        self._client, self._cluster, self._store, self._command = client, cluster, store, command
        self._solvers = sorted({one.solver for one in campaign.configurations})
        self._measured_by = measured_by
        self._threads = campaign.threads
        self._checked: set[str] = set()
        self._sessions: dict[str, int] = {}
        self._alone: dict[str, float] = {}
        self._expected: dict[str, float] = {}
        self._handed_out: dict[Future[RunRecord | None], Any] = {}
        self._measuring: dict[str, Any] = {}
        self._looked = -math.inf
        self._measured = time.monotonic()
        self._width = 1

    @property
    def room(self) -> int:
        """How many runs are handed out at a time: one more for each worker, so that it need not wait."""
        return 2 * self._width

    def submit(self, planned: PlannedRun, key: RunKey) -> Future[RunRecord | None]:
        """Have a run made by a worker of a host that has been checked."""
        self.look()
        made: Future[RunRecord | None] = Future()
        self._hand_out(made, planned, key, LOSSES)
        return made

    def give_up(self) -> None:
        """Let all runs end that have not ended: what a worker has begun nobody hears of."""
        for made, future in list(self._handed_out.items()):
            with suppress(InvalidStateError):
                made.set_result(None)
            future.cancel()

    def look(self) -> None:
        """Check new hosts, and now and then all. Raises UsageError where they do not compare."""
        if time.monotonic() - self._looked < LOOK:
            return
        addresses = list(self._client.nthreads())
        self._width = max(1, len(addresses))
        new = [address for address in addresses if _machine(address) not in self._checked]
        if new:
            self._check(new)
        since = time.monotonic() - self._measured
        if since > EVERY and (not self._measuring or since > EVERY + PATIENCE):  # else one takes its time
            self._measured = time.monotonic()
            self._measuring = self._ask(reference_there, addresses, self._threads)
        for address, future in list(self._measuring.items()):
            if future.done():
                del self._measuring[address]
                if future.status == "finished":
                    self._compare_with_before(*future.result())
        self._looked = time.monotonic()

    def _hand_out(self, made: Future[RunRecord | None], planned: PlannedRun, key: RunKey, left: int) -> None:
        future = self._client.submit(
            make_there,
            planned,
            key,
            self._sessions,
            self._measured_by,
            key=f"run-{uuid.uuid4().hex}",
            workers=sorted(self._checked),
            resources=CORE,
        )
        self._handed_out[made] = future
        future.add_done_callback(lambda ended: self._take(made, planned, key, left, ended))

    def _take(
        self, made: Future[RunRecord | None], planned: PlannedRun, key: RunKey, left: int, ended: Any
    ) -> None:
        """Fetch what came of a run, and let the cluster forget it: nobody holds its future from here on."""
        from distributed import KilledWorker

        self._handed_out.pop(made, None)
        try:
            found = ended.result()
        except KilledWorker:
            if left and not made.done():
                self._hand_out(made, planned, key, left - 1)
                return
            found = _lost(key, min(self._sessions.values()))
        except (CancelledInLoop, CancelledError):
            with suppress(InvalidStateError):
                made.set_exception(UsageError("the scheduler is lost: the same command goes on"))
            return
        except BaseException as error:
            with suppress(InvalidStateError):
                made.set_exception(error)
            return
        with suppress(InvalidStateError):
            made.set_result(found)

    def _check(self, addresses: Sequence[str]) -> None:
        """Measure the workers of new hosts, alone and together, and let runs go to them."""
        offered = self._client.scheduler_info()["workers"]
        for address in addresses:
            if address in offered and not offered[address]["resources"].get("core"):
                raise UsageError(f"{address} offers no core; start workers with --resources core=1")
        found = self._answers(session_there, addresses, self._solvers, self._command)
        hosts: dict[str, list[str]] = defaultdict(list)
        for address, session in found.items():
            hosts[session.host].append(address)
        alone: dict[str, float] = {}
        for turn in zip_longest(*hosts.values()):
            measured = self._answers(reference_there, [one for one in turn if one], self._threads)
            alone |= {address: seconds for address, (_, seconds) in measured.items()}
        beside = self._answers(reference_there, addresses, self._threads)
        for host, members in hosts.items():
            session = found[members[0]]
            self._refuse_other_versions(session)
            slowdown = max(beside[one][1] / alone[one] for one in members)
            if slowdown > 1 + TOLERANCE:
                self._refuse(
                    f"the cores of {host} disturb one another: the reference puzzle takes {slowdown:.2f} "
                    "times as long with all at work"
                )
            self._alone |= {f"{host} ({one})": alone[one] for one in members}
            self._expected[host] = max(beside[one][1] for one in members)
            self._sessions[host] = self._store.add(
                replace(
                    session,
                    reference_seconds=max(alone[one] for one in members),
                    disturbance=slowdown,
                )
            )
        quick, slow = (pick(self._alone, key=self._alone.__getitem__) for pick in (min, max))
        if self._alone[slow] > (1 + TOLERANCE) * self._alone[quick]:
            self._refuse(
                "machines or cores differ in speed: the reference puzzle takes "
                f"{self._alone[quick]:.3f} s on {quick} and {self._alone[slow]:.3f} s on {slow}"
            )
        self._checked |= set(map(_machine, addresses))

    def _refuse_other_versions(self, session: SessionRecord) -> None:
        here = session_here(self._solvers, "")
        if session.package != here.package:
            raise UsageError(f"{session.host} has milp_pips {session.package}, this machine {here.package}")
        for name, version in here.engines.items():
            if session.engines[name] != version:
                there = session.engines[name]
                self._refuse(f"{session.host} has {name} {there}, this machine {version}")

    def _compare_with_before(self, host: str, seconds: float) -> None:
        change = seconds / self._expected[host]
        if not 1 / (1 + TOLERANCE) < change < 1 + TOLERANCE:
            self._refuse(
                f"{host} has changed its speed: the reference puzzle takes {change:.2f} times its first time"
            )

    def _refuse(self, what: str) -> None:
        """Raise UsageError, or only tell, as the person wants it."""
        if not self._cluster.uneven:
            raise UsageError(f"{what}; times do not compare (--uneven goes on nevertheless)")
        self._cluster.tell(f"warning: {what}")

    def _ask(self, function: Callable[..., object], addresses: Sequence[str], *arguments: object) -> Any:
        """Return the futures of a function's values on these workers, by their addresses."""
        return {
            address: self._client.submit(
                function,
                *arguments,
                key=f"ask-{uuid.uuid4().hex}",
                workers=[address],
                resources=CORE,
                priority=1,
            )
            for address in addresses
        }

    def _answers(self, function: Callable[..., object], addresses: Sequence[str], *arguments: object) -> Any:
        """Return the values of a function on these workers, by their addresses."""
        asked: Mapping[str, Any] = self._ask(function, addresses, *arguments)
        try:
            return {address: future.result(timeout=PATIENCE) for address, future in asked.items()}
        except TimeoutError:
            raise UsageError(f"a worker has not answered within {PATIENCE:g} s") from None


def make_there(
    planned: PlannedRun, key: RunKey, sessions: Mapping[str, int], measured_by: str | None
) -> RunRecord | None:
    """Make a run on the core that this worker has for itself; called there."""
    keep_to_own_cores(key.threads)
    return run_once(planned, key, sessions[socket.gethostname()], Watch(), measurer(measured_by))


def session_there(solvers: Sequence[str], command: str) -> SessionRecord:
    """Return what is to be known of this worker's machine; called there."""
    return session_here(solvers, command, socket.gethostname())


def reference_there(threads: int) -> tuple[str, float]:
    """Return the name of this worker's host, and what the reference takes a core there; called there."""
    keep_to_own_cores(threads)
    return socket.gethostname(), reference_seconds()


def _machine(address: str) -> str:
    """Return the name or number of a worker's host, by which Dask knows it."""
    return urlsplit(address).hostname or address


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
