"""The numbers of a benchmark: one row per configuration, head-to-head comparisons, and what went wrong."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from milp_pips.comparison.records import RunRecord, SessionRecord
from milp_pips.comparison.statistics import SHIFT, penalised_average, shifted_geometric_mean
from milp_pips.reporting.benchmark import Benchmark
from milp_pips.reporting.figures import duration, limit, multiple
from milp_pips.reporting.intervals import Comparison, Interval, compare_times, median_interval
from milp_pips.reporting.spreads import quartiles


class Row(NamedTuple):
    """The numbers of one configuration.

    ``solved``, ``mean`` (the shifted geometric one), ``par10``, ``median`` and the quartiles are over the
    instances that every configuration has run, ``missing`` counts those that this one has not; ``wrong`` and
    ``errors`` count its runs. Means and quartiles are in seconds, not a number where there is no instance.
    """

    configuration: str
    solved: int
    missing: int
    wrong: int
    errors: int
    mean: float
    par10: float
    median: Interval
    lower: float
    upper: float
    peak_bytes: float
    columns: float
    rows: float
    nodes: float


def rows(benchmark: Benchmark) -> list[Row]:
    """Return the numbers of every configuration."""
    shared, ceiling = benchmark.times[benchmark.common], benchmark.time_limit
    found = []
    for number, name in enumerate(benchmark.configurations):
        times, runs = shared[:, number], benchmark.column(number)
        solved = np.isfinite(times)
        counted = [float(t) for t in np.where(solved, times, ceiling)]
        spread = quartiles(times)
        found.append(
            Row(
                name,
                int(solved.sum()),
                int(np.isnan(benchmark.times[:, number]).sum()),
                sum(run.status == "wrong" for run in runs),
                sum(run.status == "error" for run in runs),
                shifted_geometric_mean(counted) if counted else math.nan,
                penalised_average(counted, [bool(s) for s in solved], ceiling) if counted else math.nan,
                median_interval(times),
                float(spread[0]),
                float(spread[2]),
                _middle([run.peak_bytes for run in runs]),
                _middle([run.columns for run in runs]),
                _middle([run.rows for run in runs]),
                _middle([run.nodes for run in runs]),
            )
        )
    return found


def _middle(values: Sequence[int | None]) -> float:
    known = [value for value in values if value is not None]
    return float(np.median(known)) if known else math.nan


class Pair(NamedTuple):
    """Two configurations by their columns, and how the second compares with the first."""

    first: int
    second: int
    comparison: Comparison


def pairs(benchmark: Benchmark, most: int = 3) -> list[Pair]:
    """Return all pairs of up to ``most`` configurations; of more, each against the best one."""
    count = len(benchmark.configurations)
    chosen = [(a, b) for a in range(count) for b in range(a + 1, count) if count <= most or a == 0]
    return [Pair(a, b, compare(benchmark, a, b)) for a, b in chosen]


def compare(benchmark: Benchmark, first: int, second: int) -> Comparison:
    """Return how many times as long the second takes as the first, on the instances that both have run."""
    a, b = benchmark.times[:, first], benchmark.times[:, second]
    both = ~(np.isnan(a) | np.isnan(b))
    return compare_times(b[both], a[both])


def hardest(benchmark: Benchmark, most: int = 15) -> list[int]:
    """Return the rows of the hardest instances: unsolved by most configurations first, then the slowest."""

    def difficulty(row: int) -> tuple[float, float]:
        times = benchmark.times[row]
        there = times[~np.isnan(times)]
        known = there[np.isfinite(there)]
        return -float(np.isinf(there).mean()), -float(known.max(initial=0.0))

    return sorted(range(len(benchmark.instances)), key=difficulty)[:most]


def unsolved(benchmark: Benchmark) -> list[tuple[str, str, RunRecord]]:
    """Return every run that did not do what was asked, with the names of its instance and configuration."""
    return [
        (full_name(benchmark, number), name, run)
        for number, row in enumerate(benchmark.runs)
        for name, cell in zip(benchmark.configurations, row, strict=True)
        for run in cell
        if not run.success
    ]


def full_name(benchmark: Benchmark, row: int) -> str:
    """Return the name of an instance, with its folder where another one has the same name."""
    names = Counter(instance.name for instance in benchmark.instances)
    instance = benchmark.instances[row]
    return f"{instance.folder}/{instance.name}" if names[instance.name] > 1 else instance.name


def alarms(benchmark: Benchmark) -> list[str]:
    """Return one sentence for each wrong answer."""
    found = []
    for number, row in enumerate(benchmark.runs):
        name = full_name(benchmark, number)
        for configuration, cell in zip(benchmark.configurations, row, strict=True):
            wrong = Counter(run.message for run in cell if run.status == "wrong")
            found += [
                f"{configuration} gave a wrong answer to {name}{times(count)}"
                + (f": {message}" if message else "")
                for message, count in wrong.items()
            ]
    return found


def times(count: int) -> str:
    """Return how often something happened, in brackets; nothing for once."""
    return "" if count == 1 else f" ({count} runs)"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def cautions(benchmark: Benchmark, sessions: Sequence[SessionRecord]) -> list[str]:
    """Return what must be known before the numbers are believed, a sentence each."""
    found = []
    count, common = len(benchmark.instances), int(benchmark.common.sum())
    for number, name in enumerate(benchmark.configurations):
        missing = int(np.isnan(benchmark.times[:, number]).sum())
        if missing:
            found.append(f"{name} has not been run on {missing} of the {count} puzzles.")
    if found:
        found.append(
            f"Counts, means, quartiles, the cactus plot and the profile are over the {common} puzzles that "
            "all configurations have run."
        )
    if 0 < common < 20:
        found.append(f"With {common} puzzle{'s' * (common != 1)}, little of this can be generalised.")
    versions: dict[str, set[str]] = defaultdict(set)
    used = set()
    for run in (run for row in benchmark.runs for cell in row for run in cell):
        used.add(run.session)
        versions[run.solver].add(run.version)
    for solver, which in versions.items():
        if len(which - {""}) > 1:
            found.append(f"{solver} ran in several versions: {_listed(sorted(which - {''}))}.")
    machines = {(s.machine, s.processor) for s in sessions if s.id in used}
    if len(machines) > 1:
        found.append(f"The runs were made on {len(machines)} different machines: times do not compare.")
    return found


def headline(benchmark: Benchmark) -> str:
    """Return what came out, in two or three sentences."""
    table, common = rows(benchmark), int(benchmark.common.sum())
    allowed = f"with a limit of {limit(benchmark.time_limit)}"
    if not common:
        return f"No puzzle has been run by all {len(table)} configurations {allowed}: nothing compares yet."
    best, *rivals = table
    text = (
        f"On {common} puzzle{'s' * (common != 1)} {allowed}: {best.configuration} solved "
        f"{'all' if best.solved == common else f'{best.solved} of {common}'}, in {duration(best.mean)} "
        f"on average (geometric, shifted by {SHIFT:g} s)."
    )
    if rivals:
        rival, last = rivals[0], rivals[-1]
        text += (
            f" Next is {rival.configuration} with {rival.solved} solved and {duration(rival.mean)}; "
            f"{in_words(compare(benchmark, 0, 1))}."
        )
        if last is not rival:
            text += f" Last is {last.configuration}: {last.solved} solved, {duration(last.mean)}."
    return text


def in_words(comparison: Comparison) -> str:
    """Return how the second configuration compares with the first: ``it takes 1.9 times as long (…)``."""
    ratio = comparison.ratio
    if math.isnan(ratio.median):
        return "neither solved any of the puzzles of both"
    span = f"95 % interval {multiple(ratio.low)} to {multiple(ratio.high)}"
    clear = ratio.low > 1 or ratio.high < 1
    return (
        f"on the median puzzle it takes {multiple(ratio.median)} the time ({span}"
        f"{'' if clear else ': no clear difference'})"
    )


def seconds_or_more(seconds: float, benchmark: Benchmark) -> str:
    """Return a time; ``> limit`` for one that was not reached, a dash for none."""
    if math.isnan(seconds):
        return "–"
    return f"> {limit(benchmark.time_limit)}" if math.isinf(seconds) else duration(seconds)


def outcome(benchmark: Benchmark, row: int, column: int) -> str:
    """Return one cell of a table of instances against configurations: a time, or why there is none."""
    cell = benchmark.runs[row][column]
    if not cell:
        return "not run"
    time = float(benchmark.times[row, column])
    if math.isfinite(time):
        return duration(time)
    if any(run.status == "wrong" for run in cell):
        return "WRONG"
    return why_unsolved(next(run for run in cell if not run.success))


def why_unsolved(run: RunRecord) -> str:
    """Return why a run has no time, in a few words."""
    spent = run.wall_seconds if run.seconds is None else run.seconds
    after = "" if spent is None else f", {duration(spent)}"
    if run.status in ("wrong", "error"):
        return {"wrong": "WRONG", "error": "error"}[run.status] + after
    if run.status in ("solved", "infeasible"):
        return f"unconfirmed{after}"
    if run.stop == "time":
        return f"> {limit(run.time_limit)}"
    return ("no answer" if run.stop == "finished" else run.stop) + after
