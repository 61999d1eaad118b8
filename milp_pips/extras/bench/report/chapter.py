"""The chapter of a report on one task within the same limits: its figures, comparisons and plots.

It holds what the chapter says; the templates beside this file say it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from milp_pips.extras.bench import figures
from milp_pips.extras.bench.figures import Benchmark, Interval, Standing
from milp_pips.extras.bench.measurement import objective_of
from milp_pips.extras.bench.report import plots
from milp_pips.extras.bench.store import RunRecord, SessionRecord

TASK_TITLES = {
    "first": "Find one solution",
    "prove": "Find one solution, and another or the proof that there is none",
    "all": "List all solutions",
}

MAX_PAIRED_CONFIGURATIONS = 3
"""Up to this many configurations, all pairs are compared and plotted; above, each with the best."""

MOST_FOLDERS = 12
"""The most folders to show, those with the most puzzles: a table has no room for more."""

MOST_HARD = 15
"""The number of puzzles in the table of the hardest."""

MODEL_FIGURES = {
    "columns": 1,
    "rows": 1,
    "nonzeros": 1,
    "nodes": 1,
    "peak_bytes": 2**20,
    "processor_seconds": 1,
}
"""The figures on models and work that are shown, with their units."""


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

    @property
    def p(self) -> float:
        """The p-value of the sign test."""
        return figures.sign_test(self.quicker, self.slower)


def time_ratio(first: ArrayLike, second: ArrayLike) -> TimeRatio:
    """Compare two columns of times of the same instances by the median of their ratios.

    Infinity is a time that was not reached: the ratio is then infinite or zero, beyond every known ratio
    whatever the limit was. Times of zero count as one microsecond. Instances without one of the times, which
    is nan, do not count.
    """
    both = np.maximum(np.array([first, second], dtype=float), plots.MIN_SECONDS)
    both = both[:, ~np.isnan(both).any(axis=0)]
    known = np.isfinite(both).any(axis=0)
    ratios = np.divide(*both[:, known])
    quicker, slower = int((ratios < 1).sum()), int((ratios > 1).sum())
    return TimeRatio(figures.median_interval(ratios), quicker, slower, int((~known).sum()))


class Plot(NamedTuple):
    """A plot with the name of its file and its title."""

    name: str
    title: str
    svg: str


class WrongAnswer(NamedTuple):
    """A wrong answer, and the number of runs that gave it."""

    configuration: str
    puzzle: str
    message: str
    runs: int


class HardPuzzle(NamedTuple):
    """A puzzle, and for each configuration its time and a run that did not complete the task."""

    title: str
    size: int
    outcomes: list[tuple[float, RunRecord | None]]


class UnsolvedRun(NamedTuple):
    """A run that did not complete the task, with the names of its puzzle and configuration."""

    puzzle: str
    configuration: str
    run: RunRecord


class Pair(NamedTuple):
    """Two configurations: the ratio of their times, and its corrected p."""

    first: str
    second: str
    ratio: TimeRatio
    p: float


class Chapter:
    """The content of the page on one benchmark; names of plots and anchors begin with the prefix.

    Without ``plotted`` it has no plots.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        styles: Mapping[str, plots.Style],
        sessions: Sequence[SessionRecord],
        prefix: str = "",
        plotted: bool = True,
    ):
        self.benchmark, self.prefix, self.plotted = benchmark, prefix, plotted
        memory = f", {benchmark.memory_limit / 2**20:g} MB of memory" if benchmark.memory_limit else ""
        task = TASK_TITLES.get(benchmark.task, f"Find the best solution: {benchmark.task}")
        self.title = f"{task} (limit {benchmark.time_limit:g} s{memory})"
        self.standings, self.runs, names = benchmark.standings, benchmark.runs, benchmark.configurations
        self.counts = {
            count: figures.FIGURES[count]
            for count in ("missing", "wrong", "errors")
            if any(getattr(row, count) for row in self.standings)
        }
        self.used = [one for one in sessions if one.id in {*self.runs.session}]
        folders = dict(benchmark.instances.groupby("folder").groups)
        only = benchmark.only if len(folders) > 1 else lambda _: benchmark  # whose figures are known
        self.folders = {name: only(rows) for name, rows in folders.items()}
        largest = sorted(self.folders, key=lambda name: -len(self.folders[name].instances))[:MOST_FOLDERS]
        self.largest = {name: part for name, part in self.folders.items() if name in largest}
        times = {name: benchmark.times[name].to_numpy() for name in names}
        ratios = {(a, b): time_ratio(times[b], times[a]) for a, b in combinations(names, 2)}
        tested = figures.holm([ratio.p for ratio in ratios.values()])
        pairs = [Pair(b, a, ratio, p) for ((a, b), ratio), p in zip(ratios.items(), tested, strict=True)]
        few = len(names) <= MAX_PAIRED_CONFIGURATIONS
        self.pairs = [pair for pair in pairs if few or pair.second == names[0]]
        drawn = self._figures(styles) if plotted else ()
        self.plots = {figure[0]: self._plot(*figure) for figure in drawn}
        self.pair_plots = []
        for (a, b), ratio in ratios.items():
            if plotted and (few or (a, b) == names[:2]) and not math.isnan(ratio.ratio.median):
                name = f"pair-{names.index(a) + 1}-{names.index(b) + 1}"
                drawing = plots.head_to_head(benchmark, a, b, styles)
                self.pair_plots.append(self._plot(name, f"{a} against {b}", drawing))

    def _figures(self, styles: Mapping[str, plots.Style]) -> Iterable[tuple[str, str, Any]]:
        """Yield name, title and figure of each plot that has data."""
        benchmark = self.benchmark
        if np.isfinite(benchmark.shared).any(axis=None):
            yield "cactus", "Puzzles solved within a time", plots.cactus(benchmark, styles)
        if benchmark.instances["size"].nunique() > 1:
            yield "size", "Time against size", plots.against_size(benchmark, styles)

    def _plot(self, name: str, title: str, figure: Any) -> Plot:
        name = self.prefix + name
        return Plot(name, title, plots.to_svg(figure, name, f"{title}: {self.title}"))

    # What a reader must know before trusting the numbers.

    @property
    def wrong(self) -> Iterator[WrongAnswer]:
        """The wrong answers."""
        wrong = self.runs[self.runs.status == "wrong"]
        counts = wrong.groupby(["instance", "configuration", "message"], sort=False).size()
        for (number, name, message), count in counts.items():
            yield WrongAnswer(name, self.benchmark.instances.title[number], message, count)

    @property
    def missing(self) -> dict[str, int]:
        """The number of puzzles that each configuration has not run, if there are any."""
        return {row.configuration: row.missing for row in self.standings if row.missing}

    @property
    def versions(self) -> dict[str, list[str]]:
        """The versions of each engine that ran in several."""
        known = self.runs[self.runs.version != ""].groupby("solver", sort=False).version.unique()
        return {solver: sorted(versions) for solver, versions in known.items() if len(versions) > 1}

    @property
    def measured_by(self) -> list[str]:
        """The methods that measured memory and processor time."""
        return sorted(self.runs.measured_by.unique())

    @property
    def disturbance(self) -> str:
        """A sentence on runs that had to wait for the processor; empty if few or none had to."""
        return figures.disturbance_warning(self.runs.record)

    # Tables.

    @property
    def summary(self) -> list[list[str]]:
        """The table of all figures, its heads first."""
        rows = [figures.cells(row, self._seconds) for row in self.benchmark.rows]
        return [["configuration", *(figures.FIGURES[name] for name in figures.TABLE_FIGURES)], *rows]

    @property
    def optimisation(self) -> list[list[str]]:
        """The table of a task with an objective, its heads first; empty for other tasks."""
        return (
            figures.optimisation_rows(figures.optimisations(self.benchmark))
            if objective_of(self.benchmark.task)
            else []
        )

    @property
    def by_folder(self) -> list[list[str]]:
        """The table of solved puzzles and means by folder, its heads first; empty for one folder."""
        if len(self.folders) < 2:
            return []
        heads = [f"{name} ({len(part.instances)})" for name, part in self.largest.items()]

        def cell(row: Standing) -> str:
            return f"{row.solved} of {row.puzzles}, {self._seconds(row.mean)}" if row.puzzles else "–"

        columns = [map(cell, part.rows) for part in self.largest.values()]
        names = [row.configuration for row in self.benchmark.rows]
        return [["configuration", *heads], *map(list, zip(names, *columns, strict=True))]

    def _seconds(self, value: float) -> str:
        return figures.seconds_or_more(value, self.benchmark)

    @property
    def models(self) -> pd.DataFrame:
        """The medians of the figures on models and work, a row per configuration; empty if none are known.

        They are over the puzzles for which every configuration that ever reports the figure has reported it;
        each puzzle counts by the median of its runs.
        """
        runs = self.runs.set_index(["instance", "configuration"])[[*MODEL_FIGURES]].astype(float)
        table = runs.groupby(level=[0, 1]).median().unstack()
        medians = {
            name: table[name].dropna(axis=1, how="all").dropna().median() / unit
            for name, unit in MODEL_FIGURES.items()
        }
        found = pd.DataFrame(medians, index=[*self.benchmark.configurations], dtype=float)
        return found if found.notna().any(axis=None) else found.iloc[:0]

    @property
    def hardest(self) -> Iterator[HardPuzzle]:
        """The hardest puzzles, unsolved by most configurations first, then the slowest.

        The run that did not complete the task is preferably one with a wrong answer.
        """
        times = self.benchmark.times
        unsolved = np.isinf(times).sum(axis=1) / times.notna().sum(axis=1)
        slowest = times.where(np.isfinite(times)).max(axis=1).fillna(0.0)
        # The last key of ``lexsort`` counts first.
        order = np.lexsort((-slowest, -unsolved))[:MOST_HARD]
        runs = self.runs[~self.runs.success]
        wrong_first = runs.sort_values("status", key=lambda status: status != "wrong", kind="stable")
        first = wrong_first.groupby(["instance", "configuration"]).record.first()
        for number in times.index[order]:
            puzzle = self.benchmark.instances.loc[number]
            outcomes = [(time, first.get((number, name))) for name, time in times.loc[number].items()]
            yield HardPuzzle(puzzle.title, puzzle["size"], outcomes)

    @property
    def unsolved(self) -> list[UnsolvedRun]:
        """Every run that did not complete the task."""
        runs = self.runs[~self.runs.success]
        titles = runs.instance.map(self.benchmark.instances.title)
        return list(map(UnsolvedRun, titles, runs.configuration, runs.record))


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table, the heads first, which is also legible as text."""
    first, *rest = figures.aligned([[cell.replace("|", "\\|") for cell in row] for row in rows])
    rule = ["-" * len(first[0]), *("-" * (len(head) - 1) + ":" for head in first[1:])]
    return "\n".join(f"| {' | '.join(words)} |" for words in (first, rule, *rest))
