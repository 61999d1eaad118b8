"""From a results file to the files of a report: the page, its plots, a summary, and a table of all runs.

What a page shows is gathered here; what it looks like, and how it explains its figures, is in the templates
beside this file.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from milp_pips.compare.figures import SHIFT, Benchmark, aligned, benchmarks
from milp_pips.compare.inference import holm, puzzles_needed, sign_test
from milp_pips.compare.records import RunRecord, SessionRecord
from milp_pips.compare.store import Store
from milp_pips.errors import InputError, UsageError
from milp_pips.report import words
from milp_pips.report.axes import Style, palette, same_looks, to_svg
from milp_pips.report.changes import changes
from milp_pips.report.plots import (
    against_size,
    by_constraint,
    by_folder,
    by_group,
    cactus,
    head_to_head,
    phase_seconds,
    phases,
    profile,
)
from milp_pips.report.tables import to_csv, to_parquet
from milp_pips.report.words import multiple, seconds_or_more

if TYPE_CHECKING:
    from jinja2 import Environment

FEW = 3
"""Up to so many configurations, all pairs are compared and plotted; of more, each with the best one."""

FEW_RUNS = 12
"""Up to so many unsolved runs are listed openly, as fit on a screen; of more, the list opens on a click."""


class Report(NamedTuple):
    """A summary in Markdown, and what is in every file by its name; ``report.html`` is the page."""

    summary: str
    files: Mapping[str, str | bytes]

    def __str__(self) -> str:
        return self.summary

    def _repr_markdown_(self) -> str:
        return self.summary

    def write(self, directory: str | Path) -> None:
        """Write all files into a directory, which is made if it is not there. Raises InputError."""
        try:
            os.makedirs(directory, exist_ok=True)
            for name, content in self.files.items():
                data = content if isinstance(content, bytes) else content.encode()
                Path(directory, name).write_bytes(data)
        except OSError as error:
            raise InputError(f"cannot write: {error.strerror}", str(error.filename or directory)) from None


def report(path: str | Path, *, parquet: bool = False, since: str | Path | None = None) -> Report:
    """Return the report of a results file.

    Parameters
    ----------
    path
        The results file.
    parquet
        Whether to have the table of all runs as a Parquet file, too.
    since
        An earlier results file: what has changed since is told, too.

    Raises
    ------
    InputError
        If it is no results file, or there are no runs in it.
    UsageError
        If Matplotlib or Jinja, or PyArrow where it is needed, is not installed.
    """
    environment = _environment()
    with Store(str(path)) as store:
        sessions, instances, runs = store.sessions(), store.instances(), store.runs()
    earlier: list[Benchmark] = []
    if since is not None:
        with Store(str(since)) as store:
            earlier = benchmarks(store.instances(), store.runs())
    if not runs:
        raise InputError("there are no runs in it", str(path))
    found = benchmarks(instances, runs)
    styles = palette([name for each in found for name in each.configurations])
    with same_looks():
        chapters = [
            Chapter(each, styles, sessions, f"{number}-{each.task}-" if len(found) > 1 else "", earlier)
            for number, each in enumerate(found, 1)
        ]
    days = sorted({run.started[:10] for run in runs})
    page = environment.get_template("page.html.jinja").render(
        name=Path(path).name,
        since=None if since is None else Path(since).name,
        runs=runs,
        days=days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}",
        chapters=chapters,
        sessions=[(each, _entries(each, [r for r in runs if r.session == each.id])) for each in sessions],
        styles=styles,
    )
    plots = {plot.name: plot.svg for each in chapters for plot in [*each.plots.values(), *each.pair_plots]}
    files: dict[str, str | bytes] = {
        "report.html": page,
        "runs.csv": to_csv(instances, runs),
        **{f"{name}.svg": f"<?xml version='1.0' encoding='utf-8'?>\n{svg}\n" for name, svg in plots.items()},
    }
    if parquet:
        files["runs.parquet"] = to_parquet(instances, runs)
    summary = (
        environment.get_template("summary.md.jinja")
        .render(chapters=chapters, since=None if since is None else Path(since).name)
        .rstrip()
    )
    return Report(summary, files)


def _environment() -> Environment:
    """Return what renders the templates: HTML is escaped, and nothing shows control characters."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise UsageError("plots need matplotlib: pip install 'milp-pips[report]'") from None
    try:
        import jinja2
    except ImportError:
        raise UsageError("the page needs jinja2: pip install 'milp-pips[report]'") from None

    def printable(value: object) -> object:
        if not isinstance(value, str) or hasattr(value, "__html__"):
            return value
        return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in value)

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("milp_pips.report", "."),
        autoescape=lambda name: name != "summary.md.jinja",
        undefined=jinja2.StrictUndefined,
        finalize=printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"few_runs": FEW_RUNS, "shift": SHIFT, "infinite": math.inf}
    environment.filters |= {
        "multiple": multiple,
        "seconds": seconds_or_more,
        "whole": lambda value: "–" if math.isnan(value) else "∞" if math.isinf(value) else f"{value:,.0f}",
        "likely": lambda p: f"{p:.3f}" if p >= 0.001 else "< 0.001",
        "why_unsolved": words.why_unsolved,
    }
    return environment


def _entries(session: SessionRecord, runs: Sequence[RunRecord]) -> dict[str, str]:
    """Return what is told of a session."""
    limits = sorted({f"{run.time_limit:g} s" for run in runs})
    memory = sorted({f"{run.memory_limit / 2**20:g} MB" for run in runs if run.memory_limit})
    return {
        "command": session.command,
        "machine": f"{session.machine}, {session.processor}, {session.cores} cores",
        "versions": f"milp_pips {session.package}, Python {session.python}",
        "engines": ", ".join(f"{name} {version}" for name, version in sorted(session.engines.items())),
        "runs": f"{len(runs):,}",
        "limits": ", ".join([*limits, *memory]) or "none",
        "threads": ", ".join(map(str, sorted({run.threads for run in runs}))) or "–",
        "domains reduced by": "; ".join(sorted({run.rules for run in runs})) or "–",
    }


class Plot(NamedTuple):
    """A plot by the name of its file, with its title."""

    name: str
    title: str
    svg: str


class Chapter:
    """What the page shows of one benchmark; names of plots, and anchors, begin with the prefix."""

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
        self.standings = benchmark.standings()
        best = benchmark.virtual_best()
        self.virtual_best = (best,) if best else ()
        self.counts = {
            count: head
            for count, head in (("missing", "not run"), ("wrong", "wrong"), ("errors", "errors"))
            if any(getattr(row, count) for row in self.standings)
        }
        self.changes = changes(earlier, benchmark)
        self.unsolved = words.unsolved(benchmark)
        self.solved_by_all, _ = phase_seconds(benchmark)
        names = benchmark.configurations
        few = len(names) <= FEW
        pairs = [pair for pair in combinations(range(len(names)), 2) if few or pair[0] == 0]
        ratios = [(a, b, words.compare_columns(benchmark, a, b)) for a, b in pairs]
        self.plots = {plot[0]: self._plot(*plot) for plot in self._figures(styles)}
        tested = holm([sign_test(ratio.quicker, ratio.slower) for _, _, ratio in ratios])
        self.pairs = [
            (names[b], names[a], ratio, p, puzzles_needed(ratio.quicker, ratio.slower, ratio.neither))
            for (a, b, ratio), p in zip(ratios, tested, strict=True)
        ]
        self.pair_plots = []
        for a, b, found in ratios:
            if (few or b == 1) and not math.isnan(found.ratio.median):
                title, figure = f"{names[a]} against {names[b]}", head_to_head(benchmark, a, b, styles)
                self.pair_plots.append(self._plot(f"pair-{a + 1}-{b + 1}", title, figure))

    def _figures(self, styles: Mapping[str, Style]) -> Iterable[tuple[str, str, Any]]:
        """Yield name, title and figure of each plot that has something to show."""
        benchmark = self.benchmark
        if np.isfinite(benchmark.times[benchmark.common]).any():
            yield "cactus", "Puzzles solved within a time", cactus(benchmark, styles)
            if len(self.standings) > 1:
                yield "profile", "How far from the best", profile(benchmark, styles)
        if len({instance.size for instance in benchmark.instances}) > 1:
            yield "size", "Time against size", against_size(benchmark, styles)
        for name, title, groups in (
            ("folder", "Time by folder", by_folder(benchmark)),
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
        heads = ["configuration", "solved", f"mean (shift {SHIFT:g} s)", "PAR-2", "PAR-10", "median"]
        body = [
            [row.configuration.replace("|", "\\|"), f"{row.solved}/{row.puzzles}"]
            + [
                seconds_or_more(value, self.benchmark)
                for value in (row.mean, row.par2, row.par10, row.median.median, row.lower, row.upper)
            ]
            + [str(row.best)]
            for row in (*self.standings, *self.virtual_best)
        ]
        first, *rest = aligned([[*heads, "quartile", "quartile", "best"], *body])
        rule = ["-" * len(first[0]), *("-" * (len(head) - 1) + ":" for head in first[1:])]
        return [f"| {' | '.join(cells)} |" for cells in (first, rule, *rest)]

    @property
    def models(self) -> dict[str, list[float]]:
        """Medians of what is known of the models and of memory, a list per configuration; or nothing."""
        units = {"columns": 1, "rows": 1, "nodes": 1, "peak_bytes": 2**20}
        found = {}
        for number, name in enumerate(self.benchmark.configurations):
            runs = self.benchmark.column(number)
            known = [[getattr(run, what) for run in runs if getattr(run, what) is not None] for what in units]
            found[name] = [
                float(np.median(values)) / unit if values else math.nan
                for values, unit in zip(known, units.values(), strict=True)
            ]
        return {} if np.isnan(list(found.values())).all() else found

    @property
    def hardest(self) -> list[tuple[str, int, list[tuple[str, str]]]]:
        """The hardest puzzles: name, size, and what each configuration made of it, with its class."""
        columns = range(len(self.benchmark.configurations))
        return [
            (
                words.full_name(self.benchmark, row),
                self.benchmark.instances[row].size,
                [words.outcome(self.benchmark, row, column) for column in columns],
            )
            for row in words.hardest(self.benchmark)
        ]
