"""Make the runs of a campaign that are not made yet, and write each into the results file as it comes."""

from __future__ import annotations

import os
import platform
import signal
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from milp_pips import __version__, plugins
from milp_pips.answer import Settings, Stop
from milp_pips.comparison.campaign import Campaign, Planned
from milp_pips.comparison.instance import Instance
from milp_pips.comparison.measurement import Measured, Request, measure
from milp_pips.comparison.records import InstanceRecord, RunKey, RunRecord, SessionRecord
from milp_pips.comparison.standings import Standing, contradicted, standings
from milp_pips.comparison.store import Store
from milp_pips.comparison.verdict import verdict
from milp_pips.engines import available
from milp_pips.watch import Watch
from milp_pips.worker import Reply, call_in_worker

UNLIMITED = 2**62
"""Bytes that no run uses: memory is looked at, but not limited."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a results file says of a campaign.

    Parameters
    ----------
    runs
        Its runs.
    planned
        How many there are to be.
    standings
        One row per configuration, over the runs that all configurations have made.
    wrong
        Every run on its puzzles that the file has and whose answer is wrong.
    """

    runs: tuple[RunRecord, ...]
    planned: int
    standings: tuple[Standing, ...]
    wrong: tuple[RunRecord, ...]

    @property
    def finished(self) -> bool:
        """Whether all runs are made."""
        return len(self.runs) == self.planned


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
    if watch is None:
        with Watch() as watch:
            return compare(campaign, out, jobs=jobs, command=command, watch=watch, tell=tell)
    with Store(out, new=True) as store:
        ids = {instance.hash: store.add_instance(_record(instance)) for instance in campaign.instances}
        plan = {campaign.key(planned, ids[planned.instance.hash]): planned for planned in campaign.plan()}
        made = {run.key for run in store.runs()}
        waiting = deque(key for key in plan if key not in made)
        if waiting:
            session = store.add_session(_session(campaign, command))
            tell(0, len(waiting))
            count = len(waiting)
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
        kept = store.runs()
    runs = tuple(run for run in kept if run.key in plan)
    wrong = tuple(run for run in kept if run.status == "wrong" and run.instance in ids.values())
    rows = standings(runs, campaign.configurations, float(campaign.time_limit))
    return Comparison(runs, len(plan), rows, wrong)


def run_once(planned: Planned, key: RunKey, session: int, watch: Watch) -> RunRecord | None:
    """Make one run in a process of its own and judge it; None if the watch said stop.

    Raises UsageError, as the solver does.
    """
    instance, configuration = planned.instance, planned.configuration
    settings = Settings(configuration.formulation, key.threads, key.seed, dict(configuration.options))
    where = plugins.location("milp_pips.solvers", configuration.solver.partition(":")[0])
    request = Request(configuration.solver, where, instance.puzzle, key.task, settings, key.time_limit)
    started, begun = _now(), time.perf_counter()
    reply = call_in_worker(measure, (request,), watch, memory=key.memory_limit or UNLIMITED)
    run = RunRecord(0, *key, session, started, wall_seconds=time.perf_counter() - begun)
    run = replace(run, read_seconds=instance.seconds, peak_bytes=reply.ran.peak + reply.ran.peak_started)
    if isinstance(reply.value, Measured):
        run = _judged(run, reply.value, reply, instance, configuration.solver, watch)
    elif reply.ran.stop is Stop.MEMORY:
        run = replace(run, status="unknown", stop="memory")
    elif reply.ran.status == -signal.SIGALRM:
        run = replace(run, status="unknown", stop="time", message="did not stop at the limit: was killed")
    else:
        run = replace(run, status="error", stop="error", message=reply.last_words)
    return None if watch.stop else run


def _judged(
    run: RunRecord, measured: Measured, reply: Reply, instance: Instance, who: str, watch: Watch
) -> RunRecord:
    """Return the run with what was measured and what it is worth."""
    found = measured.found
    peak = measured.peak + max(measured.peak_started, reply.ran.peak_started)
    judgement = verdict(instance.puzzle, run.task, found, who, run.formulation, watch)
    if judgement.status in ("solved", "infeasible"):
        if measured.seconds > run.time_limit:
            judgement = judgement._replace(
                status="unknown", stop=Stop.TIME, message="answered after the limit"
            )
        elif 0 < run.memory_limit < peak:
            judgement = judgement._replace(
                status="unknown", stop=Stop.MEMORY, message="answered with more memory than the limit"
            )
    return replace(
        run,
        **{**judgement._asdict(), "stop": judgement.stop.value},
        build_seconds=found.seconds.get("build"),
        solve_seconds=found.seconds.get("solve"),
        total_seconds=instance.seconds + measured.seconds,
        peak_bytes=peak,
        columns=found.size.get("columns"),
        rows=found.size.get("rows"),
        nonzeros=found.size.get("nonzeros"),
        nodes=found.statistics.get("nodes", found.statistics.get("branches")),
        version=measured.version,
    )


def _keep(store: Store, run: RunRecord | None) -> None:
    """Write a run, and call those wrong that it contradicts or that contradict it."""
    if run is not None:
        store.add_run(run)
        for wrong, message in contradicted(store.runs_of(run.instance)).items():
            store.refute(wrong, message)


def _record(instance: Instance) -> InstanceRecord:
    return InstanceRecord(
        0,
        instance.hash,
        instance.name,
        instance.level,
        instance.puzzle.family,
        instance.path,
        instance.folder,
        instance.size,
        instance.constraints,
        instance.text,
    )


def _session(campaign: Campaign, command: str) -> SessionRecord:
    solvers = sorted({configuration.solver for configuration in campaign.configurations})
    return SessionRecord(
        0,
        _now(),
        command,
        platform.platform(),
        _processor(),
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        platform.python_version(),
        __version__,
        {name: available(name).version() for name in solvers},
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
