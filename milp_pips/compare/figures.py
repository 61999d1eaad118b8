"""What the runs of a comparison come to: ``compare``'s table and the report show these figures, no others.

Figures are over puzzles, not over runs. A configuration has *solved* a puzzle if each of its runs there, with
any seed and repeat, did what was asked; its *time* there is the median of these runs, infinite if it has not
solved it. Only puzzles that every configuration has run count, so that none is measured on easier ones.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from milp_pips.compare.inference import bootstrap_interval
from milp_pips.compare.records import InstanceRecord, RunRecord

Times: TypeAlias = NDArray[np.float64]
"""Seconds, one row per instance and one column per configuration; infinite where it was not solved."""

SHIFT = 1.0
"""Seconds: times far below this hardly count, so that milliseconds do not decide."""

PENALTY = 10.0
"""How many times its limit an unsolved puzzle counts in PAR-10."""

CONFIDENCE = 0.95
"""How sure an interval is, as is usual."""


VIRTUAL_BEST = "virtual best"
"""What the best choice for each puzzle is called; no configuration is, since a space is in it."""


class Interval(NamedTuple):
    """A median with the ends of its confidence interval; infinite where a time is not known."""

    median: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Standing:
    """The figures of one configuration, over the puzzles that all configurations have run.

    ``unsolved`` puzzles are those neither solved nor answered ``wrong``; ``errors`` counts those of the
    unsolved ones on which it failed, ``missing`` further puzzles that it has not run.

    All times are seconds to state and solve, without reading: the ``median`` and the quartiles ``lower`` and
    ``upper`` are infinite where that puzzle is unsolved; ``mean`` is the shifted geometric mean, in which an
    unsolved puzzle counts as the limit, with the ends ``low`` and ``high`` of its 95 % interval, zero and
    infinite where there are too few puzzles; ``par2`` and ``par10`` are PAR-2 and PAR-10. All are nan where
    there is no puzzle. ``best`` counts the puzzles that no other one has solved in less time.
    """

    configuration: str
    runs: int
    puzzles: int
    solved: int
    unsolved: int
    wrong: int
    errors: int
    missing: int
    median: Interval
    mean: float
    low: float
    high: float
    par2: float
    par10: float
    lower: float
    upper: float
    best: int

    def to_json(self) -> dict[str, Any]:
        """Return the figures of the table as JSON-ready data; what is infinite is None."""
        counts = ("configuration", "runs", "puzzles", "solved", "unsolved", "wrong")
        return {
            **{name: getattr(self, name) for name in counts},
            "median": round(self.median.median, 6) if math.isfinite(self.median.median) else None,
            "mean": round(self.mean, 6),
            "low": round(self.low, 6),
            "high": round(self.high, 6) if math.isfinite(self.high) else None,
            "par2": round(self.par2, 6),
            "par10": round(self.par10, 6),
            "best": self.best,
        }


@dataclass(frozen=True)
class Benchmark:
    """Instances against configurations: runs that may be compared, of one task within the same limits.

    Limits are seconds, and bytes, 0 for none. ``instances`` are those that at least one configuration has
    run; ``runs`` holds, per instance and configuration, the repeats and seeds, and nothing where it was not
    run.
    """

    task: str
    time_limit: float
    memory_limit: int
    configurations: tuple[str, ...]
    instances: tuple[InstanceRecord, ...]
    runs: tuple[tuple[tuple[RunRecord, ...], ...], ...]

    @cached_property
    def times(self) -> Times:
        """Seconds per instance and configuration; not a number where it was not run."""
        return np.array([[time_of(cell) for cell in row] for row in self.runs])

    @cached_property
    def common(self) -> NDArray[np.bool_]:
        """Which instances every configuration has run."""
        return np.logical_not(np.isnan(self.times).any(axis=1))

    def column(self, configuration: int) -> list[RunRecord]:
        """Return all runs of one configuration."""
        return [run for row in self.runs for run in row[configuration]]

    def standings(self) -> tuple[Standing, ...]:
        """Return the figures of each configuration."""
        return tuple(map(self._standing, range(len(self.configurations))))

    def virtual_best(self) -> Standing | None:
        """Return the figures of whoever picks the best configuration for each puzzle; None for a single one.

        It is the best that choosing among them can come to (Xu, Hutter, Hoos and Leyton-Brown 2012); no
        configuration has these figures.
        """
        if len(self.configurations) < 2:
            return None
        times = self.times[self.common].min(axis=1)
        solved = int(np.isfinite(times).sum())
        return Standing(
            configuration=VIRTUAL_BEST,
            runs=sum(row.runs for row in self.standings()),
            puzzles=len(times),
            solved=solved,
            unsolved=len(times) - solved,
            wrong=0,
            errors=0,
            missing=0,
            **self._times_of(times),
            best=solved,
        )

    def best_first(self) -> Benchmark:
        """Return the same with the best configuration first, by puzzles solved, then by mean."""
        standings = self.standings()
        order = sorted(range(len(standings)), key=lambda n: (-standings[n].solved, standings[n].mean))
        runs = tuple(tuple(row[n] for n in order) for row in self.runs)
        return replace(self, configurations=tuple(self.configurations[n] for n in order), runs=runs)

    def _standing(self, number: int) -> Standing:
        cells = [row[number] for row, common in zip(self.runs, self.common, strict=True) if common]
        times = self.times[self.common, number]
        solved = np.isfinite(times)
        quickest = self.times[self.common].min(axis=1)
        wrong = sum(any(run.status == "wrong" for run in cell) for cell in cells)
        return Standing(
            configuration=self.configurations[number],
            runs=sum(map(len, cells)),
            puzzles=len(cells),
            solved=int(solved.sum()),
            unsolved=len(cells) - int(solved.sum()) - wrong,
            wrong=wrong,
            errors=sum(any(run.status == "error" for run in cell) for cell in cells),
            missing=int(np.isnan(self.times[:, number]).sum()),
            **self._times_of(times),
            best=int((solved & (times == quickest)).sum()),
        )

    def _times_of(self, times: Times) -> dict[str, Any]:
        """Return those figures of a standing that come of the times alone."""
        solved = np.isfinite(times)
        counted = np.where(solved, times, self.time_limit)
        lower, _, upper = quartiles(times)
        low, high = bootstrap_interval(np.log(counted + SHIFT))
        some = len(times) > 0
        known = counted.tolist(), solved.tolist(), self.time_limit
        return {
            "median": median_interval(times),
            "mean": shifted_geometric_mean(counted.tolist()) if some else math.nan,
            "low": max(0.0, math.exp(low) - SHIFT),
            "high": math.exp(high) - SHIFT,
            "par2": penalised_average(*known, 2.0) if some else math.nan,
            "par10": penalised_average(*known) if some else math.nan,
            "lower": float(lower),
            "upper": float(upper),
        }


def benchmarks(
    instances: Mapping[int, InstanceRecord], runs: Sequence[RunRecord], configurations: Sequence[str] = ()
) -> list[Benchmark]:
    """Return the runs, sorted into benchmarks, in the order of their first runs.

    Configurations come in the order given; without one the best comes first.
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
    """Return what to call the configuration of each run.

    Threads are named where runs differ in them, rules where those of one configuration do.
    """
    threads = len({run.threads for run in runs}) > 1
    rules: dict[str, set[str]] = defaultdict(set)
    for run in runs:
        rules[str(run.configuration)].add(run.rules)
    found = []
    for run in runs:
        name = str(run.configuration)
        said = [f"rules: {run.rules}"] if len(rules[name]) > 1 else []
        said += [f"{run.threads} thread{'s' * (run.threads != 1)}"] if threads else []
        found.append(f"{name} ({'; '.join(said)})" if said else name)
    return found


def time_of(runs: Sequence[RunRecord]) -> float:
    """Return the time of a configuration on a puzzle from its runs there; not a number without any."""
    times = [run.seconds for run in runs if run.success and run.seconds is not None]
    if not runs:
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
    """Return the mean time, in which what is unsolved counts ``penalty`` times the limit.

    With the penalty 10 this is PAR-10 (Hutter, Hoos, Leyton-Brown and Stützle 2009). Raises StatisticsError,
    a ValueError, if there are no times.
    """
    return statistics.fmean(
        t if success else penalty * limit for t, success in zip(times, solved, strict=True)
    )


def quartiles(times: Times) -> Times:
    """Return the three quartiles of the times that are there; each is one of the times, or infinite."""
    there = np.sort(times[~np.isnan(times)])
    return np.quantile(there, [0.25, 0.5, 0.75], method="inverted_cdf") if len(there) else np.full(3, np.nan)


def median_interval(values: ArrayLike, confidence: float = CONFIDENCE) -> Interval:
    """Return the median and a confidence interval for it.

    The interval runs from one value of the sorted sample to another, the innermost pair for which the sign
    test still gives the confidence, whatever the distribution (Conover, Practical Nonparametric Statistics,
    3rd ed. 1999, section 3.2). Only the order of the values counts, so infinity stands for a time that was
    not reached. With too few values for the confidence (fewer than 6 for 95 %), the ends are infinite, and
    zero: nothing is known. Values must not be negative.
    """
    ordered = np.sort(np.asarray(values, dtype=float))
    count = len(ordered)
    if not count:
        return Interval(math.nan, 0.0, math.inf)
    # The largest rank r with P(Binomial(count, 1/2) < r) <= (1 - confidence) / 2; 0 for none.
    allowed, tail, rank = (1 - confidence) / 2, 0.0, -1
    while tail <= allowed:
        rank += 1
        logarithm = math.lgamma(count + 1) - math.lgamma(rank + 1) - math.lgamma(count - rank + 1)
        tail += math.exp(logarithm - count * math.log(2))
    median = float(np.median(ordered))
    if rank == 0:
        return Interval(median, 0.0, math.inf)
    return Interval(median, float(ordered[rank - 1]), float(ordered[count - rank]))


def aligned(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the rows of a table for the terminal: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        [first.ljust(widths[0]), *(word.rjust(n) for word, n in zip(rest, widths[1:], strict=True))]
        for first, *rest in rows
    ]


def table(standings: Sequence[Standing], time_limit: float) -> str:
    """Return the standings as text, in seconds; ``>`` and the limit where the median puzzle is unsolved."""
    head = (
        "configuration",
        "runs",
        "puzzles",
        "solved",
        "unsolved",
        "wrong",
        "best",
        "median s",
        "mean s",
        "low s",
        "high s",
        "PAR-2 s",
        "PAR-10 s",
    )
    body = [
        (
            row.configuration,
            *(str(n) for n in (row.runs, row.puzzles, row.solved, row.unsolved, row.wrong, row.best)),
            f"{row.median.median:.3f}" if math.isfinite(row.median.median) else f">{time_limit:.3f}",
            f"{row.mean:.3f}",
            *((f"{row.low:.3f}", f"{row.high:.3f}") if math.isfinite(row.high) else ("–", "–")),
            f"{row.par2:.3f}",
            f"{row.par10:.3f}",
        )
        for row in standings
    ]
    return "\n".join("  ".join(words) for words in aligned([head, *body]))
