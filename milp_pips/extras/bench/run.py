"""Make those runs of a campaign that are missing, and write each into the results file as it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from milp_pips.extras.bench import require_libraries
from milp_pips.extras.bench.campaign import Campaign, PlannedRun
from milp_pips.extras.bench.cgroups import measurer
from milp_pips.extras.bench.measurement import objective_of
from milp_pips.extras.bench.one_run import local_session, lost_run, run_once
from milp_pips.extras.bench.store import RunKey, RunRecord, Store, mark_contradicted
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.executor import Executor, Outcome, Threads, completed_calls
from milp_pips.runtime.interruptible import Limits
from milp_pips.runtime.writing import temporary_files_in_one_folder

if TYPE_CHECKING:
    from milp_pips.extras.bench.figures import Optimisation, Standing

REMOTE_RUN_POLL = 0.5
"""The seconds between two checks of the deadline while workers make runs."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The state of a campaign in its results file: its runs so far, and how many are planned.

    ``standings`` has a row per configuration, over the puzzles that all configurations have run.
    ``virtual_best`` holds the figures of the best choice among them, None if there is none. ``wrong``
    contains every run on these puzzles, of this campaign or another, whose answer is wrong. A comparison that
    was ``interrupted`` has no standings: the libraries that compute them take seconds to load. In a task with
    an objective, ``optimisations`` has the figures on it for each configuration.
    """

    runs: tuple[RunRecord, ...]
    planned: int
    standings: tuple[Standing, ...]
    wrong: tuple[RunRecord, ...]
    virtual_best: Standing | None = None
    interrupted: bool = False
    optimisations: tuple[Optimisation, ...] = ()


class RunExecutor(NamedTuple):
    """A place where runs are made.

    ``start`` submits a run to the executor; its value is None if it was given up. ``session`` returns the
    session of a run that was lost.
    """

    executor: Executor
    start: Callable[[PlannedRun, RunKey], Future[Outcome[RunRecord | None]]]
    session: Callable[[], int]


OpenExecutor = Callable[[Campaign, Store, str, str | None], AbstractContextManager[RunExecutor]]
"""Opens the executor of a campaign; the further arguments are the results file, to which it writes its
sessions, the command, and the method that measures."""


@contextmanager
def open_local_executor(
    deadline: Deadline, campaign: Campaign, store: Store, command: str, measured_by: str | None
) -> Iterator[RunExecutor]:
    """Open the executor that makes one run at a time on this machine."""
    method = measurer(measured_by)
    session = store.add(local_session((one.solver for one in campaign.configurations), command))
    with Threads(1) as executor:

        def start(planned: PlannedRun, key: RunKey) -> Future[Outcome[RunRecord | None]]:
            return executor.submit(run_once, (planned, key, session, method), Limits(deadline))

        yield RunExecutor(executor, start, lambda: session)


def compare(
    campaign: Campaign,
    out: str,
    *,
    command: str = "",
    executor: OpenExecutor | None = None,
    measured_by: str | None = None,
    on_progress: Callable[[int, int], object] = lambda _made, _left: None,
) -> Comparison:
    """Make the runs that the results file lacks, and return the comparison from it.

    The first Ctrl-C cancels the runs that have not ended; before and after them it raises KeyboardInterrupt.

    Parameters
    ----------
    campaign
        The runs to make.
    out
        The results file; created if it does not exist. Every run is stored safely as soon as it has ended.
    command
        The command to record in the file.
    executor
        Opens the executor of the runs, such as ``milp_pips.extras.bench.cluster.Cluster``; by default
        this machine.
    measured_by
        The method that measures memory and processor time, ``benchexec`` or ``psutil``; None for the first
        that works.
    on_progress
        Called with the numbers of runs made now and still to be made, at first and after each run.

    Raises
    ------
    UsageError
        For an option or a combination that a solver refuses, if the method of measuring does not work, or if
        a library of the extra ``compare`` is not installed.
    InputError
        If the file cannot be written.
    """
    require_libraries("compare", "pandas", "scipy")
    deadline = Deadline()
    with Store(out, new=True) as store:
        ids = {instance.record.hash: store.add(instance.record) for instance in campaign.instances}
        # What the file lacks is what is left to do: so the same command continues after any end.
        plan = {campaign.key(run, ids[run.instance.record.hash]): run for run in campaign.plan()}
        known = {run.key for run in store.runs()}
        waiting = [key for key in plan if key not in known]
        if waiting:
            on_progress(0, len(waiting))
            make = executor or partial(open_local_executor, deadline)
            with (
                temporary_files_in_one_folder(),
                make(campaign, store, command, measured_by) as opened,
                deadline,
            ):
                _make_runs(opened, plan, waiting, store, deadline, on_progress)
        kept, records = store.runs(), store.instances()
    runs = tuple(run for run in kept if run.key in plan)
    wrong = tuple(run for run in kept if run.status == "wrong" and run.instance in ids.values())
    if deadline.interrupted:
        return Comparison(runs, len(plan), (), wrong, interrupted=True)
    from milp_pips.extras.bench.figures import (
        benchmarks,
        optimisations,
    )  # loads pandas and SciPy: not before the runs

    found = benchmarks(records, runs, list(map(str, campaign.configurations)))
    if not found or found[0].shared.empty:
        return Comparison(runs, len(plan), (), wrong)
    figures = tuple(optimisations(found[0])) if objective_of(campaign.task) else ()
    return Comparison(
        runs, len(plan), found[0].standings, wrong, found[0].virtual_best, optimisations=figures
    )


def _make_runs(
    place: RunExecutor,
    plan: Mapping[RunKey, PlannedRun],
    waiting: Sequence[RunKey],
    store: Store,
    deadline: Deadline,
    on_progress: Callable[[int, int], object],
) -> None:
    """Make the missing runs, and write each as soon as it has ended."""
    keys: dict[Future[Outcome[RunRecord | None]], RunKey] = {}
    made = 0

    def start(key: RunKey) -> Future[Outcome[RunRecord | None]]:
        future = place.start(plan[key], key)
        keys[future] = key
        return future

    calls = (partial(start, key) for key in waiting)
    for _, ended in completed_calls(place.executor, calls, deadline, REMOTE_RUN_POLL):
        for future in ended:
            outcome, key = future.result(), keys.pop(future)
            run = lost_run(key, place.session(), outcome.fault) if outcome.fault else outcome.value
            if run is not None:
                # Stored before anything else is done with it: a kill loses the open runs alone.
                store.add(run)
                mark_contradicted(store, run.instance)
        made += len(ended)
        on_progress(made, len(waiting) - made)
