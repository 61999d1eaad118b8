"""Write a results file as a report: the page, its plots, a summary, and tables of all runs and figures.

The templates beside this file determine the look, phrase the results, and explain the figures.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from milp_pips.extras.bench import require_libraries
from milp_pips.extras.bench.store import InstanceRecord, RunRecord, SessionRecord, Store
from milp_pips.problem.errors import InputError
from milp_pips.runtime.writing import write_file

if TYPE_CHECKING:
    from jinja2 import Environment

    from milp_pips.extras.bench.report.chapter import Chapter

# The tables of all runs and of all figures, as CSV.

INSTANCE_COLUMNS = ("name", "level", "family", "folder", "path", "size", "hash")
RUN_COLUMNS = ("id", *(field.name for field in fields(RunRecord) if field.name not in ("id", "instance")))


def rows_of_runs(instances: Mapping[int, InstanceRecord], runs: Iterable[RunRecord]) -> Iterator[list[Any]]:
    """Yield one row per run: the columns of its instance, then those of the run as in the results file."""
    for run in runs:
        instance = instances[run.instance]
        yield [getattr(instance, name) for name in INSTANCE_COLUMNS] + [
            getattr(run, name) for name in RUN_COLUMNS
        ]


def rows_of_figures(chapters: Iterable[Chapter]) -> Iterator[list[Any]]:
    """Yield one row per configuration, with its figures, for each chapter and each folder of it.

    The folder is empty for the whole; the virtual best follows the configurations. Infinite and unknown
    values are missing, as they are null in JSON.
    """
    from milp_pips.extras.bench.figures import FIGURES

    for chapter in chapters:
        for folder, part in [("", chapter.benchmark), *chapter.folders.items()]:
            for row in part.rows:
                found = row.to_json()
                head = [part.task, part.time_limit, part.memory_limit, folder, row.configuration]
                yield head + [found.get(name) for name in FIGURES]


def to_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table as CSV in which no spreadsheet takes a text for a formula; missing values are empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([int(value) if isinstance(value, bool) else _escaped(value) for value in row])
    return text.getvalue()


def _escaped(value: Any) -> Any:
    """Return the value; a text that a spreadsheet would take for a formula gets an apostrophe."""
    is_formula = isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{value}" if is_formula else value


def _in_file_names(task: str) -> str:
    """Return a task, which a stranger's results file names, as a part of the names of files."""
    return re.sub("[^a-z]+", "-", task.lower()).strip("-")[:40]


# The page.

FEW_PUZZLES = 20
"""With fewer puzzles there is a warning: of 20 the 95 % interval of a median spans the 6th to the 15th."""

MAX_PLOTTED_CHAPTERS = 12
"""The number of chapters with plots: drawing them takes a third of a second for each, and a file may have a
different limit for each run."""

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


def report(path: str | Path) -> Report:
    """Return the report of a results file.

    Parameters
    ----------
    path
        The results file.

    Raises
    ------
    InputError
        If it is not a results file, or contains no runs.
    UsageError
        If a library of the extra ``report`` is not installed.
    """
    require_libraries("report", "matplotlib", "jinja2", "pandas", "scipy")
    from milp_pips.extras.bench.figures import FIGURES, benchmarks
    from milp_pips.extras.bench.report.chapter import Chapter
    from milp_pips.extras.bench.report.plots import default_looks, palette

    with Store(str(path)) as store:
        sessions, instances, runs = store.sessions(), store.instances(), store.runs()
    if not runs:
        raise InputError("there are no runs in it", str(path))
    rows = rows_of_runs(instances, runs)
    files: dict[str, str | bytes] = {"runs.csv": to_csv([*INSTANCE_COLUMNS, *RUN_COLUMNS], rows)}
    found = benchmarks(instances, runs)
    styles = palette([name for each in found for name in each.configurations])
    with default_looks():
        chapters = [
            Chapter(
                each,
                styles,
                sessions,
                f"{number}-{_in_file_names(each.task)}-" if len(found) > 1 else "",
                plotted=number <= MAX_PLOTTED_CHAPTERS,
            )
            for number, each in enumerate(found, 1)
        ]
    said: dict[str, object] = {
        "name": Path(path).name,
        "days": _days(runs),
        "sessions": sessions,
        "runs": runs,
    }
    said |= {"chapters": chapters, "styles": styles}
    page = _environment(True).get_template("page.html.jinja").render(said)
    summary = _environment(False).get_template("summary.md.jinja").render(said)
    plots = {plot.name: plot.svg for each in chapters for plot in [*each.plots.values(), *each.pair_plots]}
    heads = ["task", "time_limit", "memory_limit", "folder", "configuration", *FIGURES]
    files = {
        "report.html": page,
        **files,
        "figures.csv": to_csv(heads, rows_of_figures(chapters)),
        **{f"{name}.svg": f"<?xml version='1.0' encoding='utf-8'?>\n{svg}\n" for name, svg in plots.items()},
    }
    return Report(summary.rstrip(), files)


def _days(runs: Sequence[RunRecord]) -> str:
    """Return the first and the last day of runs."""
    days = sorted({run.started[:10] for run in runs})
    return " to ".join(dict.fromkeys([*days[:1], *days[-1:]]))


def _machines(sessions: Sequence[SessionRecord]) -> set[tuple[str, str]]:
    return {(session.machine, session.processor) for session in sessions}


@cache
def _environment(escape: bool) -> Environment:
    """Return the environment that renders templates: it escapes control characters and, on request, HTML."""
    import jinja2

    from milp_pips.extras.bench import figures
    from milp_pips.extras.bench.report.chapter import markdown

    def printable(value: object) -> object:
        if not isinstance(value, str) or hasattr(value, "__html__"):
            return value
        return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in value)

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("milp_pips.extras.bench.report", "."),
        autoescape=escape,
        undefined=jinja2.StrictUndefined,
        finalize=printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "few_puzzles": FEW_PUZZLES,
        "most_plotted": MAX_PLOTTED_CHAPTERS,
        "few_runs": MAX_OPEN_RUNS,
        "most_runs": MAX_LISTED_RUNS,
        "shift": figures.SHIFT,
        "virtual_best": figures.VIRTUAL_BEST,
    }
    environment.filters |= {
        "duration": figures.duration,
        "limit": figures.limit,
        "multiple": figures.multiple,
        "seconds": figures.seconds_or_more,
        "joined": lambda names: " and ".join([*filter(None, [", ".join(names[:-1])]), *names[-1:]]),
        "listed": lambda values, form="{}", by=", ": by.join(map(form.format, sorted({*values}))),
        "machines": _machines,
        "markdown": markdown,
        "megabytes": lambda size: size / 2**20,
        "whole": lambda value: "–" if math.isnan(value) else "∞" if math.isinf(value) else f"{value:,.0f}",
        "load": lambda value: "–" if math.isnan(value) else f"{value:.1f}",
        "rank": lambda value: "–" if math.isnan(value) else f"{value:.2f}",
        "likely": lambda p: f"{p:.3f}" if p >= 0.001 else "< 0.001",
    }
    return environment
