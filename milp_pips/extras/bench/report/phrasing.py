"""The sentences of a report: times with their units, comparisons, warnings, and results."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from milp_pips.extras.bench.figures import SHIFT, Benchmark
from milp_pips.extras.bench.inference import Interval, median_interval
from milp_pips.extras.bench.measurement import REPORTED_SLOWDOWN, disturbance_warning
from milp_pips.extras.bench.records import RunRecord, SessionRecord

MIN_SECONDS = 1e-6
"""The least seconds that every time counts, so that it has a logarithm: the resolution of the clock."""

FEW_PUZZLES = 20
"""With fewer puzzles there is a warning: of 20 the 95 % interval of a median spans the 6th to the 15th."""

WORST, APART = 6, 2.0
"""The number of puzzles of two configurations that are named, and the least ratio between their times."""

TASK_TITLES = {
    "first": "Find one solution",
    "prove": "Find one solution, and another or the proof that there is none",
    "all": "List all solutions",
}


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


def title(benchmark: Benchmark) -> str:
    """Return a short description of the task."""
    memory = f", {benchmark.memory_limit / 2**20:g} MB of memory" if benchmark.memory_limit else ""
    return f"{TASK_TITLES.get(benchmark.task, benchmark.task)} (limit {benchmark.time_limit:g} s{memory})"


class TimeRatio(NamedTuple):
    """The ratio of the times of two configurations over the same instances.

    ``ratio`` is the median of the ratios with its interval. ``quicker`` and ``slower`` count the instances on
    which the one was quicker or slower than the other, ``neither`` those that neither solved: they carry no
    information and are in no ratio.
    """

    ratio: Interval
    quicker: int
    slower: int
    neither: int


def time_ratio(first: ArrayLike, second: ArrayLike) -> TimeRatio:
    """Compare two columns of times of the same instances by the median of their ratios.

    Infinity is a time that was not reached: the ratio is then infinite or zero, beyond every known ratio
    whatever the limit was. Times of zero count as one microsecond.
    """
    a = np.maximum(np.asarray(first, dtype=float), MIN_SECONDS)
    b = np.maximum(np.asarray(second, dtype=float), MIN_SECONDS)
    known = np.isfinite(a) | np.isfinite(b)
    a, b = a[known], b[known]
    ratios = np.divide(a, b, out=np.zeros_like(a), where=np.isfinite(b))
    return TimeRatio(median_interval(ratios), int((a < b).sum()), int((b < a).sum()), int((~known).sum()))


def compare_columns(benchmark: Benchmark, first: int, second: int) -> TimeRatio:
    """Return the ratio of the second's times to the first's, on the instances that both have run."""
    a, b = benchmark.times[:, first], benchmark.times[:, second]
    both = ~(np.isnan(a) | np.isnan(b))
    return time_ratio(b[both], a[both])


def rows_of_largest_difference(benchmark: Benchmark, first: int, second: int) -> list[int]:
    """Return the rows on which two configurations differ most, by the ratio of their times.

    Unsolved instances count as the limit.
    """
    most = max(benchmark.time_limit, MIN_SECONDS)
    a, b = np.clip(benchmark.times[:, [first, second]], MIN_SECONDS, most).T
    apart = np.abs(np.log(a / b))
    return [int(row) for row in np.argsort(-apart, kind="stable")[:WORST] if apart[row] > np.log(APART)]


def largest_differences_text(benchmark: Benchmark, first: int, second: int) -> str:
    """Return the names of these puzzles with the two times of each; empty if there are none."""
    differences = []
    for row in rows_of_largest_difference(benchmark, first, second):
        a, b = (seconds_or_more(float(benchmark.times[row, column]), benchmark) for column in (first, second))
        differences.append(f"{full_name(benchmark, row)} ({a}, {b})")
    names = benchmark.configurations
    return f"{names[first]} and {names[second]} differ most on {_joined(differences)}." if differences else ""


def hardest(benchmark: Benchmark, most: int = 15) -> list[int]:
    """Return the rows of the hardest instances: unsolved by most configurations first, then the slowest."""

    def difficulty(row: int) -> tuple[float, float]:
        times = benchmark.times[row]
        run = times[~np.isnan(times)]
        known = run[np.isfinite(run)]
        return -float(np.isinf(run).mean()), -float(known.max(initial=0.0))

    return sorted(range(len(benchmark.instances)), key=difficulty)[:most]


def unsolved(benchmark: Benchmark) -> list[tuple[str, str, RunRecord]]:
    """Return every run that did not complete the task, with the names of its instance and configuration."""
    return [
        (full_name(benchmark, number), name, run)
        for number, row in enumerate(benchmark.runs)
        for name, cell in zip(benchmark.configurations, row, strict=True)
        for run in cell
        if not run.success
    ]


def full_name(benchmark: Benchmark, row: int) -> str:
    """Return the name of an instance, with its folder if another one has the same name."""
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
                f"{configuration} gave a wrong answer to {name}"
                + (f" ({count} runs)" if count > 1 else "")
                + (f": {message}" if message else "")
                for message, count in wrong.items()
            ]
    return found


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def cautions(benchmark: Benchmark, sessions: Sequence[SessionRecord]) -> list[str]:
    """Return the warnings that a reader needs before trusting the numbers, a sentence each."""
    found = []
    count, common = len(benchmark.instances), int(benchmark.common.sum())
    for number, name in enumerate(benchmark.configurations):
        missing = int(np.isnan(benchmark.times[:, number]).sum())
        if missing:
            found.append(f"{name} has not been run on {missing} of the {count} puzzles.")
    if found:
        found.append(
            "Counts, ranks, means, quartiles, the cactus plot and the profile are over the "
            f"{common} puzzles that all configurations have run."
        )
    if 0 < common < FEW_PUZZLES:
        found.append(f"With {common} puzzle{'s' * (common != 1)}, little of this can be generalised.")
    versions: dict[str, set[str]] = defaultdict(set)
    used = set()
    for run in (run for row in benchmark.runs for cell in row for run in cell):
        used.add(run.session)
        versions[run.solver].add(run.version)
    for solver, which in versions.items():
        if len(which - {""}) > 1:
            found.append(f"{solver} ran in several versions: {_joined(sorted(which - {''}))}.")
    if len({run.measured_by for row in benchmark.runs for cell in row for run in cell}) > 1:
        found.append(
            f"Runs were measured by {measured_by(benchmark)}: their memory and processor time do not compare."
        )
    if waited := disturbance_warning(run for row in benchmark.runs for cell in row for run in cell):
        found.append(f"{waited}.")
    found += [
        f"The cores of {s.host} disturb one another: the reference puzzle takes {s.disturbance:.2f} times as "
        "long with all at work."
        for s in sessions
        if s.id in used and s.disturbance is not None and s.disturbance > REPORTED_SLOWDOWN
    ]
    machines = {(s.machine, s.processor) for s in sessions if s.id in used}
    if len(machines) > 1:
        found.append(f"The runs were made on {len(machines)} different machines: times do not compare.")
    return found


def measured_by(benchmark: Benchmark) -> str:
    """Return the method that measured memory and processor time."""
    return _joined(sorted({run.measured_by for row in benchmark.runs for cell in row for run in cell}))


def headline(benchmark: Benchmark) -> str:
    """Return the main result, in two or three sentences."""
    table, common = benchmark.standings, int(benchmark.common.sum())
    allowed = f"with a limit of {limit(benchmark.time_limit)}"
    if not common:
        return f"No puzzle has been run by all {len(table)} configurations {allowed}: nothing compares yet."
    best, *backups = table
    on_these = f"On {common} puzzle{'s' * (common != 1)} {allowed}"
    if not best.solved:
        none = f"none of the {len(table)} configurations" if backups else best.configuration
        return f"{on_these}: {none} solved {'any' if backups else 'none'}."
    text = (
        f"{on_these}: {best.configuration} solved "
        f"{'all' if best.solved == common else f'{best.solved} of {common}'}, in {duration(best.mean)} "
        f"on average (geometric, shifted by {SHIFT:g} s)."
    )
    if backups:
        rival, last = backups[0], backups[-1]
        text += (
            f" Next is {rival.configuration} with {rival.solved} solved and {duration(rival.mean)}; "
            f"{_in_words(compare_columns(benchmark, 0, 1).ratio)}."
        )
        if last is not rival:
            text += f" Last is {last.configuration}: {last.solved} solved, {duration(last.mean)}."
    return text


def _in_words(ratio: Interval) -> str:
    """Return the comparison of a configuration's time in words: ``… it takes 1.93× the time (…)``."""
    span = f"95 % interval {multiple(ratio.low)} to {multiple(ratio.high)}"
    clear = ratio.low > 1 or ratio.high < 1
    return (
        f"on the median puzzle it takes {multiple(ratio.median)} the time ({span}"
        f"{'' if clear else ': no clear difference'})"
    )


def outcome(benchmark: Benchmark, row: int, column: int) -> tuple[str, str]:
    """Return one cell of a table of instances against configurations: a time, or why there is none.

    The first part is its class on the page: ``bad`` for a fault, ``late`` for any other missing time.
    """
    cell = benchmark.runs[row][column]
    if not cell:
        return "late", "not run"
    time = float(benchmark.times[row, column])
    if math.isfinite(time):
        return "", duration(time)
    if any(run.status == "wrong" for run in cell):
        return "bad", "WRONG"
    failed = next(run for run in cell if not run.success)
    return "bad" if failed.status == "error" else "late", why_unsolved(failed)


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
