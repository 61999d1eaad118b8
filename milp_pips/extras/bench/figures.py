"""Summarise the runs of a comparison: ``compare``'s table and the report show these figures and no others.

Figures are over puzzles, not over runs. A configuration has *solved* a puzzle if each of its runs on it, with
any seed and repeat, completed the task. Its *time* is the median of these runs, infinite if it has not solved
the puzzle. Only puzzles that every configuration has run count, so that none is measured on easier ones.

Importing this module loads pandas, which takes a third of a second; the interval of a mean of six values or
more loads ``scipy.stats``, which takes twice as long.
"""

from __future__ import annotations

import json
import math
import statistics
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache, cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from milp_pips.extras.bench.store import InstanceRecord, RunRecord
from milp_pips.problem.answer import UNLESS_DEFAULT, TaskResult, Unbounded
from milp_pips.problem.objective import MAXIMISE

# Statistical inference: confidence intervals, and sign tests.

RESAMPLES = 2000
"""The number of bootstrap samples: the ends of an interval then vary by a few hundredths of its width."""

MIN_PUZZLES = 6
"""The least number of puzzles for a 95 % interval: the sign test gives none for fewer either."""

INTERVAL_CONFIDENCE = 0.95
"""The conventional confidence of an interval."""

NUMBERS_PER_DRAW = 2**20
"""Roughly how many numbers are drawn at once, which bounds the memory."""


class Interval(NamedTuple):
    """A median with the ends of its confidence interval; infinite if a time is unknown."""

    median: float
    low: float
    high: float


def bootstrap_interval(values: ArrayLike) -> tuple[float, float]:
    """Return a confidence interval for the mean of the population from which the values were drawn.

    It is the percentile interval of the means of bootstrap samples (Efron 1979). The result is reproducible
    and independent of the order of the values. With fewer than six values the ends are infinite.
    """
    ordered = np.sort(np.asarray(values, dtype=float))
    if len(ordered) < MIN_PUZZLES:
        return -math.inf, math.inf
    from scipy import stats

    low, high = stats.bootstrap(
        (ordered,),
        np.mean,
        n_resamples=RESAMPLES,
        batch=max(1, NUMBERS_PER_DRAW // len(ordered)),
        confidence_level=INTERVAL_CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    return float(low), float(high)


def median_interval(values: ArrayLike) -> Interval:
    """Return the median and a confidence interval for it.

    The interval runs from one value of the sorted sample to another: the innermost pair for which the sign
    test still gives the confidence, whatever the distribution (Conover, Practical Nonparametric Statistics,
    3rd ed. 1999, section 3.2). Only the order of the values counts, so infinity can stand for a time that was
    not reached. With too few values for the confidence (fewer than 6 for 95 %), the ends are zero and
    infinity. Values must not be negative.
    """
    ordered = np.sort(np.asarray(values, dtype=float))
    if not len(ordered):
        return Interval(math.nan, 0.0, math.inf)
    places = _median_places(len(ordered))
    ends = (0.0, math.inf) if places is None else (float(ordered[place]) for place in places)
    return Interval(float(np.median(ordered)), *ends)


@cache
def _median_places(count: int) -> tuple[int, int] | None:
    """Return the places of the ends of a median's interval in a sorted sample; None if it is too small."""
    if count < MIN_PUZZLES:
        return None
    # The sign test by itself: scipy.stats has the interval as well, but takes a second to load.
    below = range(count // 2)
    low = bisect_right(below, 1 - INTERVAL_CONFIDENCE, key=lambda k: sign_test(k, count - k)) - 1
    return low, count - 1 - low


@cache
def sign_test(quicker: int, slower: int) -> float:
    """Return the probability of a split at least this uneven if both sides are equally likely.

    It is the two-sided p-value of the sign test (Arbuthnott 1710; Conover 1999, section 3.4): exact, and
    without an assumption on times. Ties are left out; without any pair it is 1.
    """
    pairs, ways, tail = quicker + slower, 1, 0
    for k in range(min(quicker, slower) + 1):  # ways: the number of choices of k of the pairs
        tail += ways
        ways = ways * (pairs - k) // (k + 1)
    return min(1.0, 2 * tail / (1 << pairs))


def holm(values: Sequence[float]) -> list[float]:
    """Return p-values of several tests, each corrected for multiple testing (Holm 1979).

    Each keeps its place. Together, those below an error are wrong no more often than that error.
    """
    order = np.argsort(values, kind="stable")
    corrected = np.asarray(values, dtype=float)[order] * np.arange(len(values), 0, -1)
    corrected[:] = np.maximum.accumulate(np.minimum(corrected, 1.0))
    return [float(corrected[place]) for place in np.argsort(order)]


# The figures of a configuration, and the tables from which they are computed.

Times: TypeAlias = "pd.Series[float]"
"""Seconds by instance; infinite for unsolved instances, nan for those that were not run."""

SHIFT = 1.0
"""The shift in seconds: times far below it hardly count, so that milliseconds do not decide."""

PENALTY = 10.0
"""The multiple of the limit that an unsolved puzzle counts in PAR-10."""

VIRTUAL_BEST = "virtual best"
"""The name of the best choice for each puzzle; it contains a space, so no configuration has this name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing(TaskResult):
    """The figures of a configuration, or of the virtual best, over the puzzles that all have run.

    All times are seconds for stating and solving, without reading. Times are nan without any puzzle. The
    virtual best has no runs, and so none of the figures that have a default.
    """

    configuration: str = field(default=VIRTUAL_BEST, metadata=UNLESS_DEFAULT)
    """The configuration: solver, formulation and options."""
    runs: int | None = field(default=None, metadata=UNLESS_DEFAULT)
    """Number of runs behind the figures."""
    puzzles: int
    """Number of puzzles that all configurations have run."""
    solved: int
    """Number of puzzles that were solved: of which every run finished its task."""
    unsolved: int
    """Number of puzzles that are neither solved nor answered wrongly."""
    wrong: int | None = field(default=None, metadata=UNLESS_DEFAULT)
    """Number of puzzles with a wrong answer."""
    errors: int | None = field(default=None, metadata=UNLESS_DEFAULT)
    """Number of unsolved puzzles on which a run failed."""
    missing: int | None = field(default=None, metadata=UNLESS_DEFAULT)
    """Number of further puzzles that the configuration has not run."""
    best: int | None = field(default=None, metadata=UNLESS_DEFAULT)
    """Number of puzzles that no other configuration has solved in less time."""
    rank: float | None = field(default=None, metadata=UNLESS_DEFAULT)
    """Average rank over the puzzles, 1 for the least time; unsolved puzzles share the last ranks."""
    median: Unbounded
    """Median seconds; infinite, null in JSON, if half of the puzzles are unsolved."""
    median_low: Unbounded
    """Lower end of the median's 95 % interval; null for fewer than six puzzles, or beyond the time limit."""
    median_high: Unbounded
    """Upper end of that interval; null for fewer than six puzzles, or beyond the time limit."""
    mean: Unbounded
    """Shifted geometric mean of seconds, with a shift of 1 s; an unsolved puzzle counts as the time limit."""
    mean_low: Unbounded
    """Lower end of its 95 % bootstrap interval; null for fewer than six puzzles."""
    mean_high: Unbounded
    """Upper end of that interval; null for fewer than six puzzles."""
    par2: Unbounded
    """Mean seconds; an unsolved puzzle counts as twice the time limit."""
    par10: Unbounded
    """Mean seconds; an unsolved puzzle counts as ten times the time limit."""
    processor: float | None = field(default=None, metadata=UNLESS_DEFAULT)
    """Median processor seconds; null if unknown. If they are less than the median time, runs have waited."""
    load: float | None = field(default=None, metadata=UNLESS_DEFAULT)
    """Median load of the system at the start of the runs; null if unknown."""


HEADS = {"missing": "not run", "par2": "PAR-2", "par10": "PAR-10"}
HEADS |= {f"{name}_{end}": end for name in ("median", "mean") for end in ("low", "high")}
FIGURES = {
    each.name: HEADS.get(each.name, each.name) for each in fields(Standing) if each.name != "configuration"
}
"""Every figure of a configuration: its name, also used in JSON, and its head in a table."""

TABLE_FIGURES = tuple(
    name for name in FIGURES if name not in ("errors", "missing", "median_low", "median_high")
)
"""The figures in the table of ``compare`` and in the report's summary; the page shows the others as well."""


@dataclass(frozen=True)
class Benchmark:
    """Instances against configurations: comparable runs of one task within the same limits.

    Limits are seconds, and bytes, 0 for none. ``instances`` has a row for each instance that at least one
    configuration has run, by its id: the fields of its record, and ``title``, its name with the folder if
    another one has the same name. ``runs`` has a row for each run, with all repeats and seeds: the fields of
    its record and the record itself (``record``), its ``configuration``, whether it completed the task
    (``success``), its ``seconds``, and its ``processor`` seconds in the same clock. The last two are infinite
    without success.
    """

    task: str
    time_limit: float
    memory_limit: int
    configurations: tuple[str, ...]
    instances: pd.DataFrame
    runs: pd.DataFrame

    def table(self, value: str) -> pd.DataFrame:
        """Return the medians of a column of ``runs``, a row per instance and a column per configuration.

        A median is infinite if one of the runs is, and nan if one is unknown or there is none.
        """
        runs = self.runs.assign(unknown=self.runs[value].isna(), infinite=np.isinf(self.runs[value]))
        cells = runs.groupby(["instance", "configuration"])
        # A function that pandas calls for each cell would take half of the time of a report.
        medians = cells[value].median().mask(cells.unknown.any(), math.nan)
        medians = medians.mask(cells.infinite.any(), math.inf)
        return medians.unstack().reindex(index=self.instances.index, columns=[*self.configurations])

    @cached_property
    def times(self) -> pd.DataFrame:
        """The seconds per instance and configuration; nan if it was not run."""
        return self.table("seconds")

    @cached_property
    def shared(self) -> pd.DataFrame:
        """The rows of ``times`` for the instances that every configuration has run."""
        return self.times.dropna()

    def only(self, instances: Sequence[int]) -> Benchmark:
        """Return the benchmark restricted to these instances."""
        runs = self.runs[self.runs.instance.isin(instances)]
        return replace(self, instances=self.instances.loc[[*instances]], runs=runs)

    @cached_property
    def ranks(self) -> Times:
        """The average rank of each configuration over the puzzles that all have run; nan without any.

        Equal times share the mean of their ranks, so unsolved instances share the last ones.
        """
        return self.shared.rank(axis=1).mean()

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """The figures of each configuration."""
        return tuple(map(self._standing, self.configurations))

    @cached_property
    def virtual_best(self) -> Standing | None:
        """The figures of choosing the best configuration for each puzzle; None for a single configuration.

        It is the best that algorithm selection can reach (Xu, Hutter, Hoos and Leyton-Brown 2012); no
        configuration has these figures.
        """
        if len(self.configurations) < 2:
            return None
        return Standing(**self._figures_of(self.shared.min(axis=1)))

    @property
    def rows(self) -> tuple[Standing, ...]:
        """The rows of a table of figures: the configurations, then the virtual best, if there is one."""
        return (*self.standings, *filter(None, [self.virtual_best]))

    def best_first(self) -> Benchmark:
        """Return the benchmark sorted by configurations, the best first: by puzzles solved, then by mean.

        Its runs are sorted by instance, then by configuration.
        """
        solved = np.isfinite(self.shared)
        logarithms = np.log(self.shared.where(solved, self.time_limit) + SHIFT).sum()
        names = [self.configurations[n] for n in np.lexsort((logarithms, -solved.sum()))]
        place = self.runs.configuration.map(names.index)
        runs = self.runs.iloc[np.lexsort((place, self.runs.instance))]
        return replace(self, configurations=tuple(names), runs=runs)

    def _standing(self, name: str) -> Standing:
        times = self.shared[name]
        runs = self.runs[(self.runs.configuration == name) & self.runs.instance.isin(times.index)]
        with_status = runs.groupby("status").instance.nunique()
        figures = self._figures_of(times)
        return Standing(
            **figures | {"unsolved": figures["unsolved"] - int(with_status.get("wrong", 0))},
            configuration=name,
            runs=len(runs),
            wrong=int(with_status.get("wrong", 0)),
            errors=int(with_status.get("error", 0)),
            missing=int(self.times[name].isna().sum()),
            best=int((np.isfinite(times) & (times == self.shared.min(axis=1))).sum()),
            rank=float(self.ranks[name]),
            processor=float(self._processor[name].median(skipna=False)),
            load=float(runs.load.median()),
        )

    @cached_property
    def _processor(self) -> pd.DataFrame:
        return self.table("processor").loc[self.shared.index]

    def _figures_of(self, times: Times) -> dict[str, Any]:
        """Return the figures that depend on times alone."""
        solved = np.isfinite(times)
        counted = times.where(solved, self.time_limit)
        median, *ends = median_interval(times)
        low, high = bootstrap_interval(np.log(counted + SHIFT))
        enough = len(times) >= MIN_PUZZLES
        return {
            "puzzles": len(times),
            "solved": int(solved.sum()),
            "unsolved": int((~solved).sum()),
            "median": median,
            "median_low": ends[0] if enough else math.nan,
            "median_high": ends[1] if enough else math.nan,
            "mean": shifted_geometric_mean(counted),
            "mean_low": max(0.0, math.exp(low) - SHIFT) if enough else math.nan,
            "mean_high": math.exp(high) - SHIFT if enough else math.nan,
            "par2": penalised_average(times, self.time_limit, 2.0),
            "par10": penalised_average(times, self.time_limit),
        }


def benchmarks(
    instances: Mapping[int, InstanceRecord], runs: Sequence[RunRecord], configurations: Sequence[str] = ()
) -> list[Benchmark]:
    """Return the runs grouped into benchmarks, in the order of their first runs.

    Configurations come in the given order; without one the best comes first. Their rules are part of the name
    if those of one configuration differ.
    """
    if not runs:
        return []
    puzzles = pd.DataFrame.from_dict({number: asdict(one) for number, one in instances.items()}, "index")
    columns = (each.name for each in fields(RunRecord))
    table = pd.DataFrame({name: [getattr(run, name) for run in runs] for name in columns})
    table["record"] = runs
    table["configuration"] = [str(run.configuration) for run in runs]
    table["success"] = [run.success for run in runs]
    seconds = pd.Series([run.seconds for run in runs], dtype=float)
    table["seconds"] = seconds.fillna(math.inf).where(table.success, math.inf)
    table["processor"] = table.clock_processor_seconds.astype(float).where(table.success, math.inf)
    found = []
    for (task, time_limit, memory_limit), chosen in table.groupby(
        ["task", "time_limit", "memory_limit"], sort=False
    ):
        several = chosen.groupby("configuration").rules.transform("nunique") > 1
        named = chosen.configuration.where(~several, chosen.configuration + " (rules: " + chosen.rules + ")")
        rows = puzzles[puzzles.index.isin(chosen.instance)]
        title = rows.name.mask(rows.name.duplicated(keep=False), rows.folder + "/" + rows.name)
        names = tuple(configurations or dict.fromkeys(named))
        tables = rows.assign(title=title), chosen.assign(configuration=named)
        benchmark = Benchmark(task, time_limit, memory_limit, names, *tables)
        found.append(benchmark if configurations else benchmark.best_first())
    return found


def shifted_geometric_mean(times: ArrayLike, shift: float = SHIFT) -> float:
    """Return ``(∏ (t + shift))^(1/n) - shift`` (Achterberg, *Constraint Integer Programming*, 2007).

    The geometric mean keeps a few long times from deciding, the shift a few very short ones. It is nan
    without times.
    """
    shifted = np.asarray(times, dtype=float) + shift
    return float(np.exp(np.log(shifted).mean()) - shift) if len(shifted) else math.nan


def penalised_average(times: ArrayLike, limit: float, penalty: float = PENALTY) -> float:
    """Return the mean time, in which an infinite time, of an unsolved instance, counts ``penalty`` limits.

    With the penalty 10 this is PAR-10 (Hutter, Hoos, Leyton-Brown and Stützle 2009). It is nan without times.
    """
    counted = np.nan_to_num(np.asarray(times, dtype=float), posinf=penalty * limit)
    return float(counted.mean()) if len(counted) else math.nan


# The best solution: what engines have found and proved by when.


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimisation(TaskResult):
    """The figures of a configuration in a task with an objective."""

    configuration: str
    """The configuration: solver, formulation and options."""
    puzzles: int
    """Number of puzzles that all configurations have run and that have a known value."""
    proved: int
    """Number of puzzles whose optimum was proved and confirmed."""
    best: int
    """Number of puzzles on which it found the best value that any run has."""
    to_best: Unbounded
    """Median seconds until then; infinite, null in JSON, if it was found on less than half of the puzzles."""
    gap: float
    """Mean relative gap between value and bound at the end: 0 if proved, 1 without a value."""
    integral: float
    """Mean primal integral in seconds (Berthold 2013)."""
    integral_low: Unbounded
    """Lower end of its 95 % bootstrap interval; null for fewer than six puzzles."""
    integral_high: Unbounded
    """Upper end of that interval; null for fewer than six puzzles."""


def primal_gap(value: int | None, best: int) -> float:
    """Return the gap of a value to the best known one: from 0, which is the same, to 1, which is none.

    It is ``|value - best| / max(|value|, |best|)``, and 1 if the signs differ (Berthold, *Measuring the
    impact of primal heuristics*, 2013).
    """
    if value is None or value * best < 0:
        return 1.0
    return abs(value - best) / max(abs(value), abs(best), 1)


def primal_integral(incumbents: Sequence[tuple[float, int]], best: int, limit: float) -> float:
    """Return the integral of the primal gap over the time to the limit, in seconds (Berthold 2013)."""
    total, since, value = 0.0, 0.0, None
    for seconds, found in incumbents:
        total += primal_gap(value, best) * (min(seconds, limit) - since)
        since, value = min(seconds, limit), found
    return total + primal_gap(value, best) * (limit - since)


class AimedRun(NamedTuple):
    """What a run in a task with an objective has found, which may be nothing; see ``RunRecord``."""

    configuration: str
    instance: Hashable
    proved: bool = False
    value: int | None = None
    bound: int | None = None
    incumbents: Sequence[tuple[float, int]] = ()


def optimisations(benchmark: Benchmark) -> list[Optimisation]:
    """Return the figures of each configuration in a task with an objective.

    Runs with a wrong answer have no value.
    """
    runs = benchmark.runs[benchmark.runs.instance.isin(benchmark.shared.index)]
    aimed = []
    for name, run in zip(runs.configuration, runs.record, strict=True):
        found = run.success, run.value, run.bound, json.loads(run.incumbents)
        aimed.append(AimedRun(name, run.instance, *(() if run.status == "wrong" else found)))
    return optimisations_of(aimed, benchmark.task.startswith(MAXIMISE), benchmark.time_limit)


def optimisations_of(runs: Sequence[AimedRun], maximise: bool, limit: float) -> list[Optimisation]:
    """Return the figures of each configuration, in the order of their first runs.

    The best known value of an instance is the best that any of the runs has; instances without one do not
    count. ``limit`` is the time limit in seconds.
    """
    # First the best value of each instance over all runs, since every gap is relative to it.
    known: dict[Hashable, int] = {}
    for run in runs:
        if run.value is not None:
            better = max if maximise else min
            known[run.instance] = better(run.value, known.get(run.instance, run.value))
    rows = []
    for run in runs:
        if (best := known.get(run.instance)) is None:
            continue
        reached = [seconds for seconds, value in run.incumbents if value == best and seconds <= limit]
        gap = 0.0 if run.proved else 1.0
        if not run.proved and run.value is not None and run.bound is not None:
            gap = primal_gap(run.value, run.bound)
        integral = primal_integral(run.incumbents, best, limit)
        rows.append(
            (run.configuration, run.instance, run.proved, min(reached, default=math.inf), gap, integral)
        )
    columns = ["configuration", "instance", "proved", "to_best", "gap", "integral"]
    table = pd.DataFrame(rows, columns=columns)
    return [
        _optimisation(str(name), of_one.groupby("instance"))
        for name, of_one in table.groupby("configuration", sort=False)
    ]


def _optimisation(name: str, cells: Any) -> Optimisation:
    """Return the figures of one configuration: the puzzle is the unit, with the median of its runs."""
    medians, proved = cells[["to_best", "gap", "integral"]].median(), cells.proved.all()
    low, high = bootstrap_interval(medians.integral)
    enough = len(medians) >= MIN_PUZZLES
    return Optimisation(
        configuration=name,
        puzzles=len(medians),
        proved=int(proved.sum()),
        best=int(np.isfinite(medians.to_best).sum()),
        to_best=float(medians.to_best.median()),
        gap=float(medians.gap.mean()),
        integral=float(medians.integral.mean()),
        integral_low=low if enough else math.nan,
        integral_high=high if enough else math.nan,
    )


OPTIMISATION_COLUMNS: dict[str, Callable[[Optimisation], str]] = {
    "configuration": lambda row: row.configuration,
    "proved": lambda row: f"{row.proved} of {row.puzzles}",
    "best found": lambda row: f"{row.best} of {row.puzzles}",
    "best after s": lambda row: _three_decimals(row.to_best),
    "gap": lambda row: f"{row.gap:.1%}",
    "primal integral s": lambda row: _three_decimals(row.integral),
    "low": lambda row: _three_decimals(row.integral_low),
    "high": lambda row: _three_decimals(row.integral_high),
}
"""The columns of the table of a task with an objective: its heads, and the text of each cell."""


def optimisation_rows(found: Sequence[Optimisation]) -> list[list[str]]:
    """Return the table of a task with an objective as text, its heads first; empty without figures."""
    body = [[cell(row) for cell in OPTIMISATION_COLUMNS.values()] for row in found]
    return [[*OPTIMISATION_COLUMNS], *body] if found else []


def _three_decimals(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else "–"


# Whether runs disturbed one another, judged by their processor time compared with the wall clock.

MIN_RUN_SECONDS = 0.1
"""The seconds below which a run is not examined: it may wait a few milliseconds for a program it starts."""

UNDISTURBED_SHARE = 0.9
"""The least share of its time for which an undisturbed run has the processor: all 90 runs of a second and
more in a study of 22 November 2026 had that share, including the start of the process."""

TOLERATED_SHARE = 0.05
"""The share of runs that may have less without a warning (always at least one): systems do other work too."""


def disturbance_warning(runs: Iterable[RunRecord]) -> str:
    """Return a sentence on runs that had the processor for less time than they took; empty if few or none.

    Only solved runs with one thread are examined: threads wait for one another, and a program that was
    stopped has not reported its processor time.
    """
    shares = [
        run.clock_processor_seconds / run.seconds
        for run in runs
        if run.success and run.threads == 1 and run.clock_processor_seconds is not None
        if run.seconds is not None and run.seconds >= MIN_RUN_SECONDS
    ]
    waited = [share for share in shares if share < UNDISTURBED_SHARE]
    if len(waited) <= max(1, TOLERATED_SHARE * len(shares)):
        return ""
    return (
        f"{len(waited)} of {len(shares)} runs of {MIN_RUN_SECONDS:g} s and more had the processor for less "
        f"than {UNDISTURBED_SHARE:.0%} of their time (median {statistics.median(waited):.0%}): runs "
        "disturbed one another, or something else ran, so their times do not compare"
    )


# Figures as text.


def aligned(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the rows of a terminal table with the first column aligned left and the others right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        [first.ljust(widths[0]), *(word.rjust(n) for word, n in zip(rest, widths[1:], strict=True))]
        for first, *rest in rows
    ]


def cells(row: Standing, seconds: Callable[[float], str]) -> list[str]:
    """Return a line of the table: a name, and ``TABLE_FIGURES`` as text; a dash if undefined."""
    found = [row.configuration]
    for name in TABLE_FIGURES:
        value = getattr(row, name)
        if value is None or math.isnan(value):
            found.append("–")
        elif name in ("rank", "load"):
            found.append(f"{value:.{2 if name == 'rank' else 1}f}")
        else:
            found.append(str(value) if isinstance(value, int) else seconds(value))
    return found


def table(standings: Sequence[Standing], time_limit: float) -> str:
    """Return the standings as text, in seconds; ``>`` and the limit if the median puzzle is unsolved."""
    counts = ("runs", "puzzles", "solved", "unsolved", "wrong", "best", "rank", "load")
    head = ["configuration", *(f"{FIGURES[name]}{'' if name in counts else ' s'}" for name in TABLE_FIGURES)]

    def seconds(value: float) -> str:
        return f"{value:.3f}" if math.isfinite(value) else f">{time_limit:.3f}"

    body = [cells(row, seconds) for row in standings]
    return "\n".join("  ".join(words) for words in aligned([head, *body]))


def duration(seconds: float) -> str:
    """Return a measured time with its unit and two or three digits: ``1.8 ms``, ``125 ms``, ``13.0 s``."""
    if seconds < 0.9995:
        return f"{1000 * seconds:.{0 if seconds >= 0.00995 else 1}f} ms"
    return f"{_three_digits(seconds)} s"


def limit(seconds: float) -> str:
    """Return a time that was set, not measured: ``10 s``."""
    return f"{1000 * seconds:g} ms" if seconds < 1 else f"{seconds:,g} s"


def multiple(ratio: float) -> str:
    """Return a ratio of times as ``1.93×``; ``∞`` if one has no time, a dash if neither has."""
    if math.isnan(ratio):
        return "–"
    return "∞" if math.isinf(ratio) else f"{_three_digits(ratio)}×"


def _three_digits(value: float) -> str:
    """Return a number with three digits, or all those before the point."""
    return f"{value:,.{min(3, max(0, 2 - math.floor(math.log10(value)))) if value else 2}f}"


def seconds_or_more(seconds: float, benchmark: Benchmark) -> str:
    """Return a time; ``> limit`` if it was not reached, a dash for none."""
    if math.isnan(seconds):
        return "–"
    return f"> {limit(benchmark.time_limit)}" if math.isinf(seconds) else duration(seconds)
