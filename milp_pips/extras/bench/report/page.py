"""Convert a results file to the files of a report: the page, its plots, a summary, and a table of all runs.

The templates beside this file determine the look and explain the figures.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from milp_pips.extras.bench.figures import FIGURES, SHIFT, VIRTUAL_BEST, Benchmark, benchmarks
from milp_pips.extras.bench.records import InstanceRecord, RunRecord, SessionRecord
from milp_pips.extras.bench.report import phrasing as words
from milp_pips.extras.bench.report.axes import default_looks, palette
from milp_pips.extras.bench.report.chapter import Chapter
from milp_pips.extras.bench.report.phrasing import multiple, seconds_or_more
from milp_pips.extras.bench.store import Store
from milp_pips.problem.errors import InputError, UsageError
from milp_pips.runtime.writing import write_file

if TYPE_CHECKING:
    from jinja2 import Environment

# The tables of all runs, for spreadsheets (CSV) and for data frames (Parquet), and of all figures.

INSTANCE_COLUMNS = ("name", "level", "family", "folder", "path", "size", "hash")
RUN_COLUMNS = ("id", *(field.name for field in fields(RunRecord) if field.name not in ("id", "instance")))


def to_csv(instances: Mapping[int, InstanceRecord], runs: Iterable[RunRecord]) -> str:
    """Return one line per run, in the order in which they were made; unknown values are empty.

    The columns are those of the instance, then those of the run as in the results file.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(INSTANCE_COLUMNS + RUN_COLUMNS)
    for run in runs:
        values = [getattr(run, name) for name in RUN_COLUMNS]
        writer.writerow(
            [
                _cell(value)
                for value in [*(getattr(instances[run.instance], name) for name in INSTANCE_COLUMNS), *values]
            ]
        )
    return stream.getvalue()


def figures_to_csv(benchmarks: Iterable[tuple[Benchmark, Mapping[str, Benchmark]]]) -> str:
    """Return one line per configuration, with its figures, for each benchmark and each folder of it.

    The folder is empty for the whole; the virtual best follows the configurations. Infinite and unknown
    values are empty, as they are null in JSON.
    """
    stream = io.StringIO()
    about = ("task", "time_limit", "memory_limit", "folder", "configuration")
    writer = csv.DictWriter(stream, (*about, *FIGURES), lineterminator="\n")
    writer.writeheader()
    for whole, parts in benchmarks:
        for folder, one in [("", whole), *parts.items()]:
            best = [one.virtual_best.to_json()] if one.virtual_best else []
            for row in [*(row.to_json() for row in one.standings), *best]:
                line = {
                    "task": whole.task,
                    "time_limit": whole.time_limit,
                    "memory_limit": whole.memory_limit,
                    "folder": folder,
                    "configuration": VIRTUAL_BEST,
                    **row,
                }
                writer.writerow({name: _cell(value) for name, value in line.items()})
    return stream.getvalue()


def _cell(value: object) -> object:
    """Return a table cell that no spreadsheet interprets as a formula, whatever its text begins with."""
    if isinstance(value, bool):
        return int(value)
    return (
        f"'{value}"
        if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
        else value
    )


def to_parquet(instances: Mapping[int, InstanceRecord], runs: Iterable[RunRecord]) -> bytes:
    """Return the same table as a Parquet file, in which numbers keep their type and unknown values are null.

    Raises UsageError if PyArrow is not installed.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UsageError("Parquet needs pyarrow: pip install 'milp-pips[parquet]'") from None
    kinds = {
        "int": pyarrow.int64(),
        "float": pyarrow.float64(),
        "str": pyarrow.string(),
        "bool": pyarrow.bool_(),
    }
    rows = list(runs)
    columns: dict[str, Any] = {}
    for record, names in ((InstanceRecord, INSTANCE_COLUMNS), (RunRecord, RUN_COLUMNS)):
        types = {field.name: str(field.type).removesuffix(" | None") for field in fields(record)}
        for name in names:
            of = [instances[run.instance] if record is InstanceRecord else run for run in rows]
            columns[name] = pyarrow.array([getattr(one, name) for one in of], kinds[types[name]])
    stream = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), stream)
    return stream.getvalue()


MAX_OPEN_RUNS, MAX_LISTED_RUNS = 12, 300
"""Up to the first number, all unsolved runs are shown openly, as fits on a screen. A longer list opens on a
click and contains at most the second number."""


class Report(NamedTuple):
    """A summary in Markdown, and the content of every file by its name; ``report.html`` is the page."""

    summary: str
    files: Mapping[str, str | bytes]

    def __str__(self) -> str:
        return self.summary

    def _repr_markdown_(self) -> str:
        return self.summary

    def write(self, directory: str | Path) -> None:
        """Write all files into a directory, which is created if necessary.

        Raises InputError and OutputError.
        """
        for name, content in self.files.items():
            write_file(os.path.join(directory, name), content, make_directory=True)


def report(path: str | Path, *, parquet: bool = False, since: str | Path | None = None) -> Report:
    """Return the report of a results file.

    Parameters
    ----------
    path
        The results file.
    parquet
        Whether to include the table of all runs as a Parquet file.
    since
        An earlier results file; the report then includes the changes since.

    Raises
    ------
    InputError
        If it is not a results file, or contains no runs.
    UsageError
        If Matplotlib or Jinja, or PyArrow if requested, is not installed.
    """
    environment = _environment()
    with Store(str(path)) as store:
        sessions, instances, runs = store.sessions(), store.instances(), store.runs()
    earlier: list[Benchmark] = []
    about_since: dict[str, object] = {"since": None}
    if since is not None:
        with Store(str(since)) as store:
            earlier = benchmarks(store.instances(), store.runs())
            about_since = {
                "since": Path(since).name,
                "since_days": _days(store.runs()),
                "machines_differ": _machines(store.sessions()) != _machines(sessions),
            }
    if not runs:
        raise InputError("there are no runs in it", str(path))
    found = benchmarks(instances, runs)
    styles = palette([name for each in found for name in each.configurations])
    with default_looks():
        chapters = [
            Chapter(each, styles, sessions, f"{number}-{each.task}-" if len(found) > 1 else "", earlier)
            for number, each in enumerate(found, 1)
        ]
    page = environment.get_template("page.html.jinja").render(
        name=Path(path).name,
        runs=runs,
        days=_days(runs),
        chapters=chapters,
        sessions=[(each, _entries(each, [r for r in runs if r.session == each.id])) for each in sessions],
        styles=styles,
        **about_since,
    )
    plots = {plot.name: plot.svg for each in chapters for plot in [*each.plots.values(), *each.pair_plots]}
    files: dict[str, str | bytes] = {
        "report.html": page,
        "runs.csv": to_csv(instances, runs),
        "figures.csv": figures_to_csv([(each.benchmark, each.folders) for each in chapters]),
        **{f"{name}.svg": f"<?xml version='1.0' encoding='utf-8'?>\n{svg}\n" for name, svg in plots.items()},
    }
    if parquet:
        files["runs.parquet"] = to_parquet(instances, runs)
    summary = environment.get_template("summary.md.jinja").render(chapters=chapters, **about_since).rstrip()
    return Report(summary, files)


def _days(runs: Sequence[RunRecord]) -> str:
    """Return the first and the last day of runs."""
    days = sorted({run.started[:10] for run in runs})
    return " to ".join(dict.fromkeys([*days[:1], *days[-1:]]))


def _machines(sessions: Sequence[SessionRecord]) -> set[tuple[str, str]]:
    return {(session.machine, session.processor) for session in sessions}


def _environment() -> Environment:
    """Return the environment that renders the templates: it escapes HTML and control characters."""
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
        loader=jinja2.PackageLoader("milp_pips.extras.bench.report", "."),
        autoescape=lambda name: name != "summary.md.jinja",
        undefined=jinja2.StrictUndefined,
        finalize=printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "few_runs": MAX_OPEN_RUNS,
        "most_runs": MAX_LISTED_RUNS,
        "shift": SHIFT,
        "virtual_best": VIRTUAL_BEST,
    }
    environment.filters |= {
        "multiple": multiple,
        "seconds": seconds_or_more,
        "whole": lambda value: "–" if math.isnan(value) else "∞" if math.isinf(value) else f"{value:,.0f}",
        "load": lambda value: "–" if math.isnan(value) else f"{value:.1f}",
        "rank": lambda value: "–" if math.isnan(value) else f"{value:.2f}",
        "likely": lambda p: f"{p:.3f}" if p >= 0.001 else "< 0.001",
        "why_unsolved": words.why_unsolved,
    }
    return environment


def _entries(session: SessionRecord, runs: Sequence[RunRecord]) -> dict[str, str]:
    """Return the entries of a session."""
    limits = sorted({f"{run.time_limit:g} s" for run in runs})
    slowed = session.disturbance
    memory = sorted({f"{run.memory_limit / 2**20:g} MB" for run in runs if run.memory_limit})
    return {
        "command": session.command,
        "machine": f"{session.machine}, {session.processor}, {session.cores} cores",
        "versions": f"milp_pips {session.package}, Python {session.python}",
        "engines": ", ".join(f"{name} {version}" for name, version in sorted(session.engines.items())),
        "runs": f"{len(runs):,}",
        "limits": ", ".join([*limits, *memory]) or "none",
        **({} if slowed is None else {"all cores at work": f"{slowed:.2f} times the time of one alone"}),
        "threads": ", ".join(map(str, sorted({run.threads for run in runs}))) or "–",
        "domains reduced by": "; ".join(sorted({run.rules for run in runs})) or "–",
    }
