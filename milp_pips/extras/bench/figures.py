"""Summarise the runs of a comparison: ``compare``'s table and the report show these figures and no others.

Figures are over puzzles, not over runs. A configuration has *solved* a puzzle if each of its runs on it, with
any seed and repeat, completed the task. Its *time* is the median of these runs, infinite if it has not solved
the puzzle. Only puzzles that every configuration has run count, so that none is measured on easier ones.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from milp_pips.extras.bench.inference import MIN_PUZZLES, bootstrap_interval, median_interval, ranks
from milp_pips.extras.bench.records import InstanceRecord, RunRecord

Times: TypeAlias = NDArray[np.float64]
"""Seconds, one row per instance and one column per configuration; infinite for unsolved instances."""

SHIFT = 1.0
"""The shift in seconds: times far below it hardly count, so that milliseconds do not decide."""

PENALTY = 10.0
"""The multiple of the limit that an unsolved puzzle counts in PAR-10."""

VIRTUAL_BEST = "virtual best"
"""The name of the best choice for each puzzle; it contains a space, so no configuration has this name."""


FIGURES = {
    "runs": "runs",
    "puzzles": "puzzles",
    "solved": "solved",
    "unsolved": "unsolved",
    "wrong": "wrong",
    "errors": "errors",
    "missing": "not run",
    "best": "best",
    "rank": "rank",
    "median": "median",
    "median_low": "low",
    "median_high": "high",
    "mean": "mean",
    "mean_low": "low",
    "mean_high": "high",
    "par2": "PAR-2",
    "par10": "PAR-10",
    "processor": "processor",
    "load": "load",
}
"""Every figure of a configuration: its name, also used in JSON, and its head in a table."""

TABLE_FIGURES = tuple(
    name for name in FIGURES if name not in ("errors", "missing", "median_low", "median_high")
)
"""The figures in the table of ``compare`` and in the report's summary; the page shows the others as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The figures of one column of times, over the puzzles that all configurations have run.

    All times are seconds for stating and solving, without reading. ``median`` comes with the ends of its 95 %
    interval and is infinite if that puzzle is unsolved. ``mean`` is the shifted geometric mean, in which an
    unsolved puzzle counts as the limit, with the ends of its 95 % interval. ``par2`` and ``par10`` are PAR-2
    and PAR-10. ``unsolved`` counts the puzzles that are not solved. Times are nan without any puzzle,
    intervals if there are too few.
    """

    puzzles: int
    solved: int
    unsolved: int
    median: float
    median_low: float
    median_high: float
    mean: float
    mean_low: float
    mean_high: float
    par2: float
    par10: float

    def to_json(self) -> dict[str, Any]:
        """Return the figures as JSON-ready data; None for infinite or undefined values."""
        known = {name: getattr(self, name) for name in FIGURES if hasattr(self, name)}
        return {name: round(value, 6) if math.isfinite(value) else None for name, value in known.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing(Figures):
    """The figures of one configuration.

    ``unsolved`` counts puzzles neither solved nor answered ``wrong``; ``errors`` counts those of them on
    which the configuration failed, ``missing`` further puzzles that it has not run. ``best`` counts the
    puzzles that no other configuration has solved in less time, and ``rank`` is the average rank.
    ``processor`` is the median processor time, as ``median`` is that of wall-clock time: if it is less, runs
    have waited. ``load`` is the median system load at the start of its runs. Both are nan if unknown.
    """

    configuration: str
    runs: int
    wrong: int
    errors: int
    missing: int
    best: int
    rank: float
    processor: float
    load: float

    def to_json(self) -> dict[str, Any]:
        """Return the name and the figures as JSON-ready data; None for infinite or undefined values."""
        return {"configuration": self.configuration, **Figures.to_json(self)}


@dataclass(frozen=True)
class Benchmark:
    """Instances against configurations: comparable runs of one task within the same limits.

    Limits are seconds, and bytes, 0 for none. ``instances`` are those that at least one configuration has
    run. ``runs`` holds, per instance and configuration, the runs with all repeats and seeds; empty if it was
    not run.
    """

    task: str
    time_limit: float
    memory_limit: int
    configurations: tuple[str, ...]
    instances: tuple[InstanceRecord, ...]
    runs: tuple[tuple[tuple[RunRecord, ...], ...], ...]

    @cached_property
    def times(self) -> Times:
        """The seconds per instance and configuration; nan if it was not run."""
        return np.array([[time_of(cell) for cell in row] for row in self.runs])

    @cached_property
    def common(self) -> NDArray[np.bool_]:
        """A mask of the instances that every configuration has run."""
        return np.logical_not(np.isnan(self.times).any(axis=1))

    def column(self, configuration: int) -> list[RunRecord]:
        """Return all runs of one configuration."""
        return [run for row in self.runs for run in row[configuration]]

    def only(self, rows: Sequence[int]) -> Benchmark:
        """Return the benchmark restricted to these instances."""
        return replace(
            self,
            instances=tuple(self.instances[row] for row in rows),
            runs=tuple(self.runs[row] for row in rows),
        )

    @cached_property
    def ranks(self) -> NDArray[np.float64]:
        """The average rank of each configuration over the puzzles that all have run; nan without any."""
        found = ranks(self.times[self.common])
        return found.mean(axis=0) if len(found) else np.full(len(self.configurations), math.nan)

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """The figures of each configuration."""
        return tuple(map(self._standing, range(len(self.configurations))))

    @cached_property
    def virtual_best(self) -> Figures | None:
        """The figures of choosing the best configuration for each puzzle; None for a single configuration.

        It is the best that algorithm selection can reach (Xu, Hutter, Hoos and Leyton-Brown 2012); no
        configuration has these figures.
        """
        if len(self.configurations) < 2:
            return None
        times = self.times[self.common].min(axis=1)
        return Figures(unsolved=int(np.isinf(times).sum()), **self._figures_of(times))

    def best_first(self) -> Benchmark:
        """Return the benchmark sorted by configurations, the best first: by puzzles solved, then by mean."""
        times = self.times[self.common]
        solved = np.isfinite(times)
        logarithms = np.log(np.where(solved, times, self.time_limit) + SHIFT).sum(axis=0)
        order = np.lexsort((logarithms, -solved.sum(axis=0))).tolist()
        runs = tuple(tuple(row[n] for n in order) for row in self.runs)
        return replace(self, configurations=tuple(self.configurations[n] for n in order), runs=runs)

    def _standing(self, number: int) -> Standing:
        cells = [row[number] for row, common in zip(self.runs, self.common, strict=True) if common]
        times = self.times[self.common, number]
        solved = np.isfinite(times)
        quickest = self.times[self.common].min(axis=1)
        wrong = sum(any(run.status == "wrong" for run in cell) for cell in cells)
        processor = np.array([time_of(cell, "clock_processor_seconds") for cell in cells])
        loads = [run.load for cell in cells for run in cell if run.load is not None]
        return Standing(
            configuration=self.configurations[number],
            runs=sum(map(len, cells)),
            unsolved=len(cells) - int(solved.sum()) - wrong,
            wrong=wrong,
            errors=sum(any(run.status == "error" for run in cell) for cell in cells),
            missing=int(np.isnan(self.times[:, number]).sum()),
            best=int((solved & (times == quickest)).sum()),
            rank=float(self.ranks[number]),
            processor=math.nan if np.isnan(processor).any() else median_interval(processor).median,
            load=statistics.median(loads) if loads else math.nan,
            **self._figures_of(times),
        )

    def _figures_of(self, times: Times) -> dict[str, Any]:
        """Return the figures that depend on times alone."""
        solved = np.isfinite(times)
        counted = np.where(solved, times, self.time_limit)
        median, *ends = median_interval(times)
        low, high = bootstrap_interval(np.log(counted + SHIFT))
        some, enough = len(times) > 0, len(times) >= MIN_PUZZLES
        known = counted.tolist(), solved.tolist(), self.time_limit
        return {
            "puzzles": len(times),
            "solved": int(solved.sum()),
            "median": median,
            "median_low": ends[0] if enough else math.nan,
            "median_high": ends[1] if enough else math.nan,
            "mean": shifted_geometric_mean(counted.tolist()) if some else math.nan,
            "mean_low": max(0.0, math.exp(low) - SHIFT) if enough else math.nan,
            "mean_high": math.exp(high) - SHIFT if enough else math.nan,
            "par2": penalised_average(*known, 2.0) if some else math.nan,
            "par10": penalised_average(*known) if some else math.nan,
        }


def benchmarks(
    instances: Mapping[int, InstanceRecord], runs: Sequence[RunRecord], configurations: Sequence[str] = ()
) -> list[Benchmark]:
    """Return the runs grouped into benchmarks, in the order of their first runs.

    Configurations come in the given order; without one the best comes first.
    """
    together: dict[tuple[str, float, int], list[RunRecord]] = defaultdict(list)
    for run in runs:
        together[run.task, run.time_limit, run.memory_limit].append(run)
    found = []
    for limits, chosen in together.items():
        cells: dict[tuple[int, str], list[RunRecord]] = defaultdict(list)
        for name, run in zip(configuration_labels(chosen), chosen, strict=True):
            cells[run.instance, name].append(run)
        names = tuple(configurations) or tuple(dict.fromkeys(name for _, name in cells))
        tried = {number for number, _ in cells}
        rows = tuple(instance for number, instance in instances.items() if number in tried)
        table = tuple(tuple(tuple(cells[row.id, name]) for name in names) for row in rows)
        benchmark = Benchmark(*limits, names, rows, table)
        found.append(benchmark if configurations else benchmark.best_first())
    return found


def configuration_labels(runs: Sequence[RunRecord]) -> list[str]:
    """Return the label of the configuration of each run.

    Rules are part of the label if those of one configuration differ.
    """
    rules: dict[str, set[str]] = defaultdict(set)
    for run in runs:
        rules[str(run.configuration)].add(run.rules)
    found = []
    for run in runs:
        name = str(run.configuration)
        found.append(f"{name} (rules: {run.rules})" if len(rules[name]) > 1 else name)
    return found


def time_of(runs: Sequence[RunRecord], clock: str = "seconds") -> float:
    """Return the time of a configuration on a puzzle from its runs; nan without any.

    It is infinite unless all runs completed the task. ``clock`` names another time than the usual one, which
    is nan if a run does not report it.
    """
    times = [seconds for run in runs if run.success and (seconds := getattr(run, clock)) is not None]
    if not runs or (clock != "seconds" and all(run.success for run in runs) and len(times) < len(runs)):
        return math.nan
    return statistics.median(times) if len(times) == len(runs) else math.inf


def shifted_geometric_mean(times: Sequence[float], shift: float = SHIFT) -> float:
    """Return ``(∏ (t + shift))^(1/n) - shift`` (Achterberg, *Constraint Integer Programming*, 2007).

    The geometric mean keeps a few long times from deciding, the shift a few very short ones. Raises
    StatisticsError, a ValueError, if there are no times.
    """
    return statistics.geometric_mean(t + shift for t in times) - shift


def penalised_average(
    times: Sequence[float], solved: Sequence[bool], limit: float, penalty: float = PENALTY
) -> float:
    """Return the mean time, in which an unsolved instance counts ``penalty`` times the limit.

    With the penalty 10 this is PAR-10 (Hutter, Hoos, Leyton-Brown and Stützle 2009). Raises StatisticsError,
    a ValueError, if there are no times.
    """
    return statistics.fmean(
        t if success else penalty * limit for t, success in zip(times, solved, strict=True)
    )


def aligned(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the rows of a terminal table with the first column aligned left and the others right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        [first.ljust(widths[0]), *(word.rjust(n) for word, n in zip(rest, widths[1:], strict=True))]
        for first, *rest in rows
    ]


def cells(row: Figures, seconds: Callable[[float], str]) -> list[str]:
    """Return a line of the table: a name, and ``TABLE_FIGURES`` as text; a dash if undefined."""
    found = [row.configuration if isinstance(row, Standing) else VIRTUAL_BEST]
    for name in TABLE_FIGURES:
        value = getattr(row, name, math.nan)
        if math.isnan(value):
            found.append("–")
        elif name == "rank":
            found.append(f"{value:.2f}")
        elif name == "load":
            found.append(f"{value:.1f}")
        else:
            found.append(str(value) if isinstance(value, int) else seconds(value))
    return found


def table(standings: Sequence[Figures], time_limit: float) -> str:
    """Return the standings as text, in seconds; ``>`` and the limit if the median puzzle is unsolved."""
    counts = ("runs", "puzzles", "solved", "unsolved", "wrong", "best", "rank", "load")
    head = ["configuration", *(f"{FIGURES[name]}{'' if name in counts else ' s'}" for name in TABLE_FIGURES)]

    def seconds(value: float) -> str:
        return f"{value:.3f}" if math.isfinite(value) else f">{time_limit:.3f}"

    body = [cells(row, seconds) for row in standings]
    return "\n".join("  ".join(words) for words in aligned([head, *body]))
