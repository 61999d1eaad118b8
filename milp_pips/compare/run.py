"""Make the runs of a campaign that are not made yet, and write each into the results file as it comes."""

from __future__ import annotations

import os
import platform
import signal
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime

from milp_pips import __version__, plugins
from milp_pips.answer import Stop
from milp_pips.compare.campaign import Campaign, Instance, PlannedRun
from milp_pips.compare.figures import Standing, benchmarks
from milp_pips.compare.measurement import Measurement, measure
from milp_pips.compare.records import RunKey, RunRecord, SessionRecord
from milp_pips.compare.store import Store
from milp_pips.compare.verdict import verdict
from milp_pips.plugins import available
from milp_pips.process.worker import call_in_worker
from milp_pips.watch import Watch, watching

UNLIMITED = 2**62
"""Bytes that no run uses: memory is looked at, but not limited."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a results file says of a campaign: its runs so far, and how many are planned.

    ``standings`` has a row per configuration, over the puzzles that all configurations have run. ``wrong`` is
    every run on its puzzles, of this campaign or another, whose answer is wrong.
    """

    runs: tuple[RunRecord, ...]
    planned: int
    standings: tuple[Standing, ...]
    wrong: tuple[RunRecord, ...]


def compare(
    campaign: Campaign,
    out: str,
    *,
    jobs: int = 1,
    command: str = "",
    watch: Watch | None = None,
    tell: Callable[[int, int], object] = lambda _made, _left: None,
) -> Comparison:
    """Make the runs that the results file does not have, and return what it says in the end.

    Parameters
    ----------
    campaign
        What to run.
    out
        The results file; made if it is not there. Every run is safe in it as soon as it has ended.
    jobs
        How many runs to make at a time; more than one disturb each other's times.
    command
        The command that is noted in the file.
    watch
        A watch that is running already; when it says stop, runs that have not ended are given up.
    tell
        Called with the numbers of runs made now and still to be made, at first and after each run.

    Raises
    ------
    UsageError
        For an option or a combination that a solver refuses.
    InputError
        If the file cannot be written.
    """
    with watching(watch, None) as watch, Store(out, new=True) as store:
        ids = {instance.record.hash: store.add(instance.record) for instance in campaign.instances}
        plan = {campaign.key(run, ids[run.instance.record.hash]): run for run in campaign.plan()}
        known = {run.key for run in store.runs()}
        waiting = deque(key for key in plan if key not in known)
        if waiting:
            session = store.add(_session(campaign, command))
            count = len(waiting)
            tell(0, count)
            with ThreadPoolExecutor(jobs) as pool:
                running: set[Future[RunRecord | None]] = set()
                try:
                    while running or (waiting and not watch.stop):
                        while waiting and len(running) < jobs and not watch.stop:
                            key = waiting.popleft()
                            running.add(pool.submit(run_once, plan[key], key, session, watch))
                        ended, running = wait(running, return_when=FIRST_COMPLETED)
                        for future in ended:
                            _keep(store, future.result())
                        left = len(waiting) + len(running)
                        tell(count - left, left)
                except BaseException:
                    watch.interrupt()  # nobody waits for the other runs any more
                    raise
        kept, records = store.runs(), store.instances()
    runs = tuple(run for run in kept if run.key in plan)
    wrong = tuple(run for run in kept if run.status == "wrong" and run.instance in ids.values())
    found = benchmarks(records, runs, list(map(str, campaign.configurations)))
    standings = found[0].standings() if found and found[0].common.any() else ()
    return Comparison(runs, len(plan), standings, wrong)


def run_once(planned: PlannedRun, key: RunKey, session: int, watch: Watch) -> RunRecord | None:
    """Make one run in a process of its own and judge it; None if the watch said stop.

    Raises UsageError, as the solver does.
    """
    instance = planned.instance
    solver, _, variant = planned.configuration.solver.partition(":")
    where = plugins.location("milp_pips.solvers", solver)
    request = where, variant, instance.puzzle, key.task, planned.settings
    started, begun = _now(), time.perf_counter()
    reply = call_in_worker(measure, request, watch, memory=key.memory_limit or UNLIMITED)
    run = RunRecord(
        **asdict(key),
        session=session,
        started=started,
        read_seconds=instance.seconds,
        wall_seconds=time.perf_counter() - begun,
        peak_bytes=reply.ran.peak + reply.ran.peak_started,
    )
    if isinstance(reply.value, Measurement):
        run = _assess(run, reply.value, reply.ran.peak_started, instance, watch)
    elif reply.ran.stop is Stop.MEMORY:
        run = replace(run, status="unknown", stop="memory")
    elif reply.ran.status == -signal.SIGALRM:
        run = replace(run, status="unknown", stop="time", message="did not stop at the limit: was killed")
    else:
        run = replace(run, status="error", stop="error", message=reply.last_words)
    return None if watch.stop else run


def _assess(
    run: RunRecord, measurement: Measurement, peak_started: int, instance: Instance, watch: Watch
) -> RunRecord:
    """Return the run with what was measured and what it is worth."""
    outcome = measurement.outcome
    peak = measurement.peak + max(measurement.peak_started, peak_started)
    worth = verdict(instance.puzzle, run.task, outcome, run.solver, run.formulation, watch)
    if worth.status in ("solved", "infeasible"):
        if measurement.seconds > run.time_limit:
            worth = worth._replace(status="unknown", stop=Stop.TIME, message="answered after the limit")
        elif 0 < run.memory_limit < peak:
            message = "answered with more memory than the limit"
            worth = worth._replace(status="unknown", stop=Stop.MEMORY, message=message)
    return replace(
        run,
        **{**worth._asdict(), "stop": worth.stop.value},
        build_seconds=outcome.seconds.get("build"),
        solve_seconds=outcome.seconds.get("solve"),
        total_seconds=instance.seconds + measurement.seconds,
        peak_bytes=peak,
        columns=outcome.size.get("columns"),
        rows=outcome.size.get("rows"),
        nonzeros=outcome.size.get("nonzeros"),
        nodes=outcome.statistics.get("nodes", outcome.statistics.get("branches")),
        version=measurement.version,
    )


def _keep(store: Store, run: RunRecord | None) -> None:
    """Write a run, and call those wrong that it contradicts or that contradict it."""
    if run is not None:
        store.add(run)
        refute_contradicted(store, run.instance)


def refute_contradicted(store: Store, instance: int) -> None:
    """Call those runs of an instance wrong that another one has shown to be."""
    for wrong, message in contradicted(store.runs(instance)).items():
        store.refute(wrong, message)


def contradicted(runs: Sequence[RunRecord]) -> dict[int, str]:
    """Return which of an instance's runs another one has shown to be wrong, by id, and how.

    A run that says "no further solution" after n of them is wrong if another has more checked solutions.
    """
    most = max(runs, key=lambda run: run.solutions, default=None)
    found: dict[int, str] = {}
    for run in runs:
        if most is not None and run.complete and run.status != "wrong" and run.solutions < most.solutions:
            claim = f"says that the solutions are {run.solutions}" if run.solutions else "says infeasible"
            found[run.id] = f"{claim}, but {most.configuration} has {most.solutions}, checked"
    return found


def _session(campaign: Campaign, command: str) -> SessionRecord:
    solvers = sorted({configuration.solver for configuration in campaign.configurations})
    return SessionRecord(
        id=0,
        started=_now(),
        command=command,
        machine=platform.platform(),
        processor=_processor(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        python=platform.python_version(),
        package=__version__,
        engines={name: available(name).version() for name in solvers},
    )


def _processor() -> str:
    """Return the name of the processor; the machine's architecture where the system does not tell."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
