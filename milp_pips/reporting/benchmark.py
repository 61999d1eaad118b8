"""The runs that may be compared with one another: same task, same limits."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from milp_pips.comparison.records import InstanceRecord, RunRecord
from milp_pips.comparison.statistics import shifted_geometric_mean
from milp_pips.reporting.profiles import SHORTEST, Times

TASKS = {
    "first": "Find one solution",
    "prove": "Find one solution, and another or the proof that there is none",
    "all": "List all solutions",
}


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Instances against configurations.

    Parameters
    ----------
    task
        ``first``, ``prove`` or ``all``.
    time_limit, memory_limit
        Seconds, and bytes, 0 for none.
    configurations
        What tells the configurations apart, such as ``highs projected``; best first.
    instances
        The instances that at least one configuration has run.
    runs
        Per instance and configuration, the runs: repeats and seeds. None where it was not run.
    times
        Seconds per instance and configuration, the median of its runs: infinite where that is an unsolved
        run, not a number where there is none.
    """

    task: str
    time_limit: float
    memory_limit: int
    configurations: tuple[str, ...]
    instances: tuple[InstanceRecord, ...]
    runs: tuple[tuple[tuple[RunRecord, ...], ...], ...]
    times: Times

    @property
    def common(self) -> NDArray[np.bool_]:
        """Which instances every configuration has run."""
        return np.logical_not(np.isnan(self.times).any(axis=1))

    @property
    def ceiling(self) -> float:
        """Seconds at which plots show what was not solved: the limit, which no logarithm may find to be 0."""
        return max(self.time_limit, SHORTEST)

    @property
    def title(self) -> str:
        """What was asked, in a few words."""
        memory = f", {self.memory_limit / 2**20:g} MB of memory" if self.memory_limit else ""
        return f"{TASKS.get(self.task, self.task)} (limit {self.time_limit:g} s{memory})"

    def column(self, configuration: int) -> list[RunRecord]:
        """Return all runs of one configuration."""
        return [run for row in self.runs for run in row[configuration]]


def time_of(run: RunRecord) -> float:
    """Return the seconds to the answer; infinite without one."""
    return run.seconds if run.success and run.seconds is not None else math.inf


def benchmarks(instances: Sequence[InstanceRecord], runs: Sequence[RunRecord]) -> list[Benchmark]:
    """Return the runs, sorted into benchmarks, in the order of their first runs."""
    together: dict[tuple[str, float, int], list[RunRecord]] = defaultdict(list)
    for run in runs:
        together[run.task, run.time_limit, run.memory_limit].append(run)
    return [_benchmark(key, instances, chosen) for key, chosen in together.items()]


def _benchmark(
    key: tuple[str, float, int], instances: Sequence[InstanceRecord], runs: Sequence[RunRecord]
) -> Benchmark:
    labels = configuration_labels(runs)
    names = list(dict.fromkeys(labels))
    ran = {run.instance for run in runs}
    rows = [instance for instance in instances if instance.id in ran]
    cells: dict[tuple[int, str], list[RunRecord]] = defaultdict(list)
    for run, label in zip(runs, labels, strict=True):
        cells[run.instance, label].append(run)
    table = np.array([[_median([time_of(r) for r in cells[row.id, name]]) for name in names] for row in rows])
    order = _best_first(table, key[1])
    return Benchmark(
        *key,
        tuple(names[c] for c in order),
        tuple(rows),
        tuple(tuple(tuple(cells[row.id, names[c]]) for c in order) for row in rows),
        table[:, order],
    )


def configuration_labels(runs: Sequence[RunRecord]) -> list[str]:
    """Return what to call the configuration of each run: threads are named where runs differ in them."""
    if len({run.threads for run in runs}) == 1:
        return [str(run.configuration) for run in runs]
    return [f"{run.configuration} ({run.threads} thread{'s' * (run.threads != 1)})" for run in runs]


def _median(times: Sequence[float]) -> float:
    """Return the median; infinite where half of the runs or more were not solved."""
    if not times:
        return math.nan
    ordered = sorted(times)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def _best_first(times: Times, limit: float) -> list[int]:
    """Return the columns: most solved first, then by shifted geometric mean.

    Only rows without a gap count, as long as there are any.
    """
    complete = times[~np.isnan(times).any(axis=1)]
    counted = complete if len(complete) else times

    def rank(column: int) -> tuple[float, float]:
        own = counted[:, column][~np.isnan(counted[:, column])]
        return -float(np.isfinite(own).mean()), shifted_geometric_mean(np.minimum(own, limit).tolist())

    return sorted(range(times.shape[1]), key=rank)
