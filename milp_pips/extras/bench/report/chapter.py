"""The chapter of a report on one task within the same limits: its figures, comparisons and plots."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from milp_pips.extras.bench.figures import FIGURES, TABLE_FIGURES, VIRTUAL_BEST, Benchmark, aligned, cells
from milp_pips.extras.bench.inference import (
    ERROR,
    MIN_PUZZLES,
    holm,
    puzzles_needed,
    sign_test,
    similar_groups,
)
from milp_pips.extras.bench.records import SessionRecord
from milp_pips.extras.bench.report import phrasing as words
from milp_pips.extras.bench.report.axes import Style, to_svg
from milp_pips.extras.bench.report.phrasing import TimeRatio, full_name, seconds_or_more, time_ratio
from milp_pips.extras.bench.report.plots import (
    against_size,
    by_constraint,
    by_folder,
    by_group,
    cactus,
    critical_difference,
    head_to_head,
    phase_seconds,
    phases,
    profile,
)

# Changes between two results files: the same configurations on the same puzzles, before and now.


class Change(NamedTuple):
    """The change of a configuration on the puzzles that both files have.

    ``before`` and ``now`` name the versions of its engine. ``ratio`` is that of the times now to those
    before, and ``p`` is that of the sign test, corrected for the number of configurations. ``gained`` and
    ``lost`` name the puzzles that are solved only now, or only before.
    """

    configuration: str
    before: str
    now: str
    puzzles: int
    ratio: TimeRatio
    p: float
    gained: tuple[str, ...]
    lost: tuple[str, ...]


def changes(before: Sequence[Benchmark], now: Benchmark) -> list[Change]:
    """Return the changes of configurations that both files have run on the same puzzles, task and limits.

    Puzzles are the same if they state the same problem. Configurations are the same only if their threads and
    rules are, too.
    """
    limits = now.task, now.time_limit, now.memory_limit
    old = next((one for one in before if (one.task, one.time_limit, one.memory_limit) == limits), None)
    if old is None:
        return []
    rows = {instance.hash: row for row, instance in enumerate(old.instances)}
    found = []
    known = {_settings(old, column): column for column in range(len(old.configurations))}
    for column, name in enumerate(now.configurations):
        other = known.get(_settings(now, column))
        if other is None:
            continue
        pairs = [
            (rows[instance.hash], row)
            for row, instance in enumerate(now.instances)
            if instance.hash in rows and old.runs[rows[instance.hash]][other] and now.runs[row][column]
        ]
        if not pairs:
            continue
        then = np.array([old.times[row, other] for row, _ in pairs])
        today = np.array([now.times[row, column] for _, row in pairs])
        was, is_now = np.isfinite(then), np.isfinite(today)
        names = [full_name(now, row) for _, row in pairs]
        ratio = time_ratio(today, then)
        found.append(
            Change(
                name,
                _versions(old, other),
                _versions(now, column),
                len(pairs),
                ratio,
                sign_test(ratio.quicker, ratio.slower),
                tuple(name for name, gained in zip(names, is_now & ~was, strict=True) if gained),
                tuple(name for name, lost in zip(names, was & ~is_now, strict=True) if lost),
            )
        )
    corrected = holm([one.p for one in found])
    return [one._replace(p=p) for one, p in zip(found, corrected, strict=True)]


def _settings(benchmark: Benchmark, column: int) -> tuple[str, int, str]:
    """Return the values that identify a configuration, independent of its label."""
    run = benchmark.column(column)[0]
    return str(run.configuration), run.threads, run.rules


def _versions(benchmark: Benchmark, column: int) -> str:
    return ", ".join(sorted({run.version for run in benchmark.column(column)} - {""})) or "–"


MAX_PAIRED_CONFIGURATIONS = 3
"""Up to this many configurations, all pairs are compared and plotted; above, each with the best."""

MOST_FOLDERS = 12
"""The most folders to show, those with the most puzzles: a table has no room for more."""


MODEL_FIGURES = {
    "columns": 1,
    "rows": 1,
    "nonzeros": 1,
    "nodes": 1,
    "peak_bytes": 2**20,
    "processor_seconds": 1,
}
"""The figures on models and work that are shown, with their units."""


class Plot(NamedTuple):
    """A plot with the name of its file, its title, and the text below it."""

    name: str
    title: str
    svg: str
    caption: str = ""


class Chapter:
    """The content of the page on one benchmark; names of plots and anchors begin with the prefix."""

    def __init__(
        self,
        benchmark: Benchmark,
        styles: Mapping[str, Style],
        sessions: Sequence[SessionRecord],
        prefix: str = "",
        earlier: Sequence[Benchmark] = (),
    ):
        self.benchmark, self.prefix = benchmark, prefix
        self.title = words.title(benchmark)
        self.headline = words.headline(benchmark)
        self.alarms = words.alarms(benchmark)
        self.cautions = words.cautions(benchmark, sessions)
        self.standings = benchmark.standings
        self.virtual_best = (benchmark.virtual_best,) if benchmark.virtual_best else ()
        self.counts = {
            count: FIGURES[count]
            for count in ("missing", "wrong", "errors")
            if any(getattr(row, count) for row in self.standings)
        }
        self.folders = {group.name: benchmark.only(group.rows) for group in by_folder(benchmark)}
        largest = sorted(self.folders, key=lambda name: -len(self.folders[name].instances))[:MOST_FOLDERS]
        self.largest = {name: part for name, part in self.folders.items() if name in largest}
        self.changes = changes(earlier, benchmark)
        self.measured_by = words.measured_by(benchmark)
        self.unsolved = words.unsolved(benchmark)
        self.solved_by_all, _ = phase_seconds(benchmark)
        names = benchmark.configurations
        few = len(names) <= MAX_PAIRED_CONFIGURATIONS
        pairs = list(combinations(range(len(names)), 2))
        ratios = [words.compare_columns(benchmark, *pair) for pair in pairs]
        tested = holm([sign_test(ratio.quicker, ratio.slower) for ratio in ratios])
        self.pairs = [
            (names[b], names[a], ratio, p, puzzles_needed(ratio.quicker, ratio.slower, ratio.neither))
            for (a, b), ratio, p in zip(pairs, ratios, tested, strict=True)
            if few or a == 0
        ]
        apart = {frozenset(pair) for pair, p in zip(pairs, tested, strict=True) if p < ERROR}
        self._similar = similar_groups(np.argsort(benchmark.ranks, kind="stable").tolist(), apart)
        joined = {frozenset(pair) for group in self._similar for pair in combinations(group, 2)}
        unjoined = [pair for pair in pairs if not {frozenset(pair)} & (apart | joined)]
        self.similar_names = [[names[number] for number in group] for group in (*self._similar, *unjoined)]
        self.plots = {plot[0]: self._plot(*plot) for plot in self._figures(styles)}
        self.pair_plots = []
        for (a, b), ratio in zip(pairs, ratios, strict=True):
            if (few or (a, b) == (0, 1)) and not math.isnan(ratio.ratio.median):
                title, figure = f"{names[a]} against {names[b]}", head_to_head(benchmark, a, b, styles)
                plot = self._plot(f"pair-{a + 1}-{b + 1}", title, figure)
                self.pair_plots.append(plot._replace(caption=words.largest_differences_text(benchmark, a, b)))

    def _figures(self, styles: Mapping[str, Style]) -> Iterable[tuple[str, str, Any]]:
        """Yield name, title and figure of each plot that has data."""
        benchmark = self.benchmark
        if np.isfinite(benchmark.times[benchmark.common]).any():
            yield "cactus", "Puzzles solved within a time", cactus(benchmark, styles)
            if len(self.standings) > 1:
                yield "profile", "How far from the best", profile(benchmark, styles)
            if len(self.standings) > 2 and self.standings[0].puzzles >= MIN_PUZZLES:
                yield "ranks", "Average ranks", critical_difference(benchmark, self._similar, styles)
        if len({instance.size for instance in benchmark.instances}) > 1:
            yield "size", "Time against size", against_size(benchmark, styles)
        for name, title, groups in (
            ("folder", "Time by folder", [g for g in by_folder(benchmark) if g.name in self.largest]),
            ("constraint", "Time by kind of constraint", by_constraint(benchmark)),
        ):
            if len(groups) > 1:
                yield name, title, by_group(benchmark, groups, styles)
        if self.solved_by_all:
            yield "phases", "Building against solving", phases(benchmark, styles)

    def _plot(self, name: str, title: str, figure: Any) -> Plot:
        name = self.prefix + name
        return Plot(name, title, to_svg(figure, name, f"{title}: {self.title}"))

    @property
    def summary(self) -> list[str]:
        """The lines of the table in Markdown."""
        rows = [cells(row, self._seconds) for row in (*self.standings, *self.virtual_best)]
        return _markdown([["configuration", *(FIGURES[name] for name in TABLE_FIGURES)], *rows])

    @property
    def by_folder(self) -> list[list[str]]:
        """The table of solved puzzles and means by folder, its heads first; empty for one folder."""
        if len(self.folders) < 2:
            return []
        parts = self.largest.values()
        heads = [f"{name} ({len(part.instances)})" for name, part in self.largest.items()]
        rows = zip(*([*part.standings, *filter(None, [part.virtual_best])] for part in parts), strict=True)
        names = [row.configuration for row in self.standings] + [VIRTUAL_BEST for _ in self.virtual_best]
        body = [
            [
                name,
                *(
                    f"{one.solved} of {one.puzzles}, {self._seconds(one.mean)}" if one.puzzles else "–"
                    for one in row
                ),
            ]
            for name, row in zip(names, rows, strict=True)
        ]
        return [["configuration", *heads], *body]

    @property
    def summary_by_folder(self) -> list[str]:
        """The lines of the table by folder in Markdown."""
        return _markdown(self.by_folder) if self.by_folder else []

    def _seconds(self, value: float) -> str:
        return seconds_or_more(value, self.benchmark)

    @property
    def models(self) -> dict[str, list[float]]:
        """The medians of the figures on models and work, a list per configuration; empty if none are known.

        They are over the puzzles for which every configuration that ever reports the figure has reported it;
        each puzzle counts by the median of its runs.
        """
        columns = []
        for what, unit in MODEL_FIGURES.items():
            known = [
                [[value for run in cell if (value := getattr(run, what)) is not None] for cell in row]
                for row in self.benchmark.runs
            ]
            table = np.array(
                [[statistics.median(cell) if cell else math.nan for cell in row] for row in known]
            )
            telling = ~np.isnan(table).all(axis=0)
            rows = ~np.isnan(table[:, telling]).any(axis=1)
            columns.append(
                [
                    float(np.median(column[rows])) / unit if tells and rows.any() else math.nan
                    for column, tells in zip(table.T, telling, strict=True)
                ]
            )
        found = dict(zip(self.benchmark.configurations, map(list, zip(*columns, strict=True)), strict=True))
        return {} if np.isnan(list(found.values())).all() else found

    @property
    def hardest(self) -> list[tuple[str, int, list[tuple[str, str]]]]:
        """The hardest puzzles: name, size, and the result of each configuration with its class."""
        columns = range(len(self.benchmark.configurations))
        return [
            (
                words.full_name(self.benchmark, row),
                self.benchmark.instances[row].size,
                [words.outcome(self.benchmark, row, column) for column in columns],
            )
            for row in words.hardest(self.benchmark)
        ]


def _markdown(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a Markdown table, the heads first, which is also legible as text."""
    first, *rest = aligned([[cell.replace("|", "\\|") for cell in row] for row in rows])
    rule = ["-" * len(first[0]), *("-" * (len(head) - 1) + ":" for head in first[1:])]
    return [f"| {' | '.join(cells)} |" for cells in (first, rule, *rest)]
