"""From a results file to the files of a report."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from milp_pips.comparison.store import Store
from milp_pips.errors import InputError
from milp_pips.reporting.benchmark import benchmarks
from milp_pips.reporting.chapter import Chapter
from milp_pips.reporting.csv_file import to_csv
from milp_pips.reporting.figures import palette, require_matplotlib, same_looks
from milp_pips.reporting.markdown import to_markdown
from milp_pips.reporting.page import page


class Report(NamedTuple):
    """A summary in Markdown, and the text of every file by its name; ``report.html`` is the page."""

    summary: str
    files: Mapping[str, str]

    def write(self, directory: str | Path) -> None:
        """Write all files into a directory, which is made if it is not there. Raises InputError."""
        try:
            os.makedirs(directory, exist_ok=True)
            for name, text in self.files.items():
                Path(directory, name).write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise InputError(f"cannot write: {error.strerror}", str(error.filename or directory)) from None


def report(path: str | Path) -> Report:
    """Return the report of a results file.

    Raises
    ------
    InputError
        If it is no results file, or there are no runs in it.
    UsageError
        If Matplotlib is not installed.
    """
    require_matplotlib()
    with Store(str(path)) as store:
        sessions, instances, runs = store.sessions(), store.instances(), store.runs()
    if not runs:
        raise InputError("there are no runs in it", str(path))
    found = benchmarks(list(instances.values()), runs)
    styles = palette([name for each in found for name in each.configurations])
    with same_looks():
        chapters = [
            Chapter(each, styles, f"{number}-{each.task}-" if len(found) > 1 else "")
            for number, each in enumerate(found, 1)
        ]
    files = {
        "report.html": page(Path(path).name, sessions, chapters, runs),
        "runs.csv": to_csv(instances, runs),
        **{f"{name}.svg": _file(svg) for chapter in chapters for name, svg in chapter.figures.items()},
    }
    return Report(to_markdown(found, sessions), files)


def _file(svg: str) -> str:
    return f"<?xml version='1.0' encoding='utf-8'?>\n{svg}\n"
