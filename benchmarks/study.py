"""Run the study: MIP × CP × SAT × ASP on published and new puzzles, for four tasks.

    python benchmarks/study.py run --quick --out build/study
    python benchmarks/study.py run --published FOLDER --out build/study
    python benchmarks/study.py run --only dominoes rules --out build/study
    python benchmarks/study.py tables benchmarks/results/DATE

Each file in ``study/`` defines a group: its puzzles (the options of ``milp-pips generate``, one of them
varied), and the comparison on them (the options of ``milp-pips compare``);
``study/engines.toml`` has lists of engines that groups name. ``run`` makes the puzzles,
runs them by ``milp-pips compare``, smallest puzzles first, and makes a report of each group. It skips
engines that are not installed; an engine that has solved nothing at one size does not run at larger sizes.
The same command resumes after any interruption. ``DIR/GROUP.csv`` has all runs, and ``DIR/study.json`` the
settings and versions; ``benchmarks/results/DATE`` keeps these files. ``tables`` fills the tables of
docs/study.md and benchmarks/results/study.md from such folders.
"""

from __future__ import annotations

import argparse
import csv
import json
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import instances
from study_groups import GROUPS, Campaign, Group, Series, group, solver_of
from study_tables import DOCUMENTS, fill

from milp_pips.extras.bench.store import InstanceRecord, RunRecord, Store
from milp_pips.problem.errors import MilpPipsError

LIMIT = 5
"""The default time limit of a run in seconds: a thousand runs should fit into half an hour."""

QUICK: Mapping[str, Any] = {"time-limit": 2, "seed": [0]}
QUICK_POINTS, QUICK_COUNT, QUICK_JOBS = 1, 1, 2
"""For ``--quick``: the points of each series, the puzzles at each point, and the runs at a time."""

PROBE = Path(__file__).parent.parent / "examples" / "pips" / "easy.txt"
"""The puzzle that an engine must solve to show that it runs on this machine."""

RUN_COLUMNS = (
    *("folder", "name", "size", "task", "rules", "configuration", "solver", "formulation", "seed"),
    *("started", "status", "stop", "solutions", "complete", "success", "seconds", "build_seconds"),
    *("solve_seconds", "wall_seconds", "processor_seconds", "time_limit", "peak_bytes", "columns", "rows"),
    *("nonzeros", "nodes", "version", "load", "value", "bound", "incumbents"),
)
"""The columns of the tables of runs. ``folder`` is the series with its value; ``seconds`` are those for
building and solving."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    run = verbs.add_parser("run", help="make the puzzles and the runs that are missing")
    run.add_argument("--out", type=Path, required=True, metavar="DIR", help="where to work")
    run.add_argument("--published", type=Path, metavar="FOLDER", help="days in the New York Times' format")
    run.add_argument("--quick", action="store_true", help="a few small puzzles of each kind")
    run.add_argument("--only", nargs="+", choices=GROUPS, metavar="GROUP", help=", ".join(GROUPS))
    run.add_argument("--engines", nargs="+", metavar="SOLVER", help="of each group's solvers these only")
    run.add_argument("--jobs", type=int, metavar="N", help="runs at a time (default: 1, the fair way)")
    tables = verbs.add_parser("tables", help="fill the tables of the documents from results that were kept")
    tables.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    tables.add_argument("--document", type=Path, action="append", metavar="FILE")
    arguments = parser.parse_args()
    try:
        if arguments.verb == "run":
            Study(arguments).run()
        else:
            for document in arguments.document or DOCUMENTS:
                fill(document, arguments.folders)
    except (MilpPipsError, OSError) as error:
        sys.exit(f"study.py: {error}")
    except KeyboardInterrupt:
        sys.exit("interrupted: the same command goes on from here")


class Study:
    """A requested run of the study."""

    def __init__(self, arguments: argparse.Namespace):
        self.out: Path = arguments.out
        self.quick: bool = arguments.quick
        self.jobs: int = arguments.jobs or (QUICK_JOBS if arguments.quick else 1)
        self.engines: list[str] | None = arguments.engines
        self.days = sorted(arguments.published.glob("*.json")) if arguments.published else []
        if arguments.published and not self.days:
            raise FileNotFoundError(f"{arguments.published}: no *.json files in it")
        groups = map(group, arguments.only or GROUPS)
        self.groups = [one for one in groups if arguments.only or arguments.quick or not one.when_named]
        self.left_out: dict[str, str] = {}

    def run(self) -> None:
        """Execute all missing runs, and write their results."""
        self.out.mkdir(parents=True, exist_ok=True)
        if self._read_notes().get("quick", self.quick) != self.quick:
            raise FileExistsError(f"{self.out}: a quick look and a whole study need a folder each")
        self._add_notes(quick=self.quick)
        self.left_out = dict(self._absent())
        for name, reason in self.left_out.items():
            print(f"left out: {name}: {reason}", flush=True)
        for one in self.groups:
            begun = time.monotonic()
            for series in one.series:
                if series.published and not self.days:
                    print(f"left out: {one.title}, by {series.name}: no --published FOLDER", flush=True)
            results = self.out / one.name / "results.sqlite"
            try:
                for campaign in one.campaigns:
                    for series in campaign.series:
                        self._run_series(results, one, campaign, series)
            finally:
                if results.exists():
                    self._keep(one, results)
            if results.exists():
                milp_pips("report", str(results), "--out", str(results.parent / "report"))
            print(f"{one.name}: {time.monotonic() - begun:.0f} s", flush=True)

    def _absent(self) -> Iterator[tuple[str, str]]:
        """Yield the solvers that do not solve a small puzzle on this machine, each with its last message."""
        named = {solver_of(name) for one in self.groups for c in one.campaigns for name in c.configurations}
        for name in sorted(named if self.engines is None else named & set(self.engines)):
            words = command("solve", str(PROBE), f"--solver={name}", "--json")
            tried = subprocess.run(words, capture_output=True, text=True, check=False)
            if tried.returncode:
                message = " ".join(tried.stderr.split()) or f"exit status {tried.returncode}"
                yield name, message.removeprefix("milp-pips: ")[:200]

    def _run_series(self, results: Path, of: Group, campaign: Campaign, series: Series) -> None:
        """Run one campaign on one series, one point after another."""
        names = [name for name in campaign.configurations if self._is_included(solver_of(name))]
        if not names or (series.published and not self.days):
            return
        values = series.values[: QUICK_POINTS if self.quick else None]
        for value in values:
            point = series.point(value)
            which = self._puzzles(series, value, results.parent)
            quick = QUICK if self.quick else {}
            options = {**which, "time-limit": LIMIT, **campaign.names, **quick, "run": names, "out": results}
            results.parent.mkdir(exist_ok=True)
            several = ["--scheduler=local", f"--workers={self.jobs}"] if self.jobs > 1 else []
            milp_pips(*words_of_comparison(options), *several)
            if series.grows and value != values[-1]:
                able = configurations_solving(results, of, campaign, point)
                for name in (name for name in names if name not in able):
                    print(f"{name} has solved nothing at {point}: not asked at larger ones", flush=True)
                names = [name for name in names if name in able]
            if not names:
                return

    def _is_included(self, solver: str) -> bool:
        return solver not in self.left_out and (self.engines is None or solver in self.engines)

    def _puzzles(self, series: Series, value: Any, folder: Path) -> dict[str, Any]:
        """Return the arguments of ``compare`` for the puzzles of a point; generate them if necessary."""
        count = QUICK_COUNT if self.quick else series.count
        if series.published:
            days = self.days[:: max(1, len(self.days) // count)][:count]
            return {"paths": [str(day.resolve()) for day in days], "level": value}
        point = folder / series.point(value)
        if not point.exists():
            unfinished = point.with_name(f"{point.name}.unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
            if series.made:
                instances.write(getattr(instances, series.made)(count, value), unfinished)
            else:
                options = {**series.options, series.vary: value, "count": count}
                words = [f"--{n}" if v is True else f"--{n}={v}" for n, v in options.items()]
                milp_pips("generate", *words, "--out", str(unfinished))
            unfinished.rename(point)
        return {"paths": [str(point)]}

    def _keep(self, which: Group, results: Path) -> None:
        """Write the table of a group's runs, and the settings and versions of their sessions."""
        with Store(str(results)) as store:
            records, runs, sessions = store.instances(), store.runs(), store.sessions()
        with (self.out / f"{which.name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, RUN_COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(row(records[run.instance], run, which) for run in runs)
        notes, last = self._read_notes(), sessions[-1]
        engines = notes.get("engines", {})
        for one in sessions:
            engines |= one.engines
        self._add_notes(
            started=notes.get("started", sessions[0].started[:10]),
            jobs=self.jobs,
            **{name: getattr(last, name) for name in ("processor", "cores", "python", "package")},
            engines=dict(sorted(engines.items())),
            left_out=self.left_out,
        )

    def _read_notes(self) -> dict[str, Any]:
        """Return the notes on the runs so far."""
        file = self.out / "study.json"
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        return found

    def _add_notes(self, **more: Any) -> None:
        """Add notes on the runs to ``study.json``."""
        text = json.dumps({**self._read_notes(), **more}, indent=2)
        (self.out / "study.json").write_text(f"{text}\n", encoding="utf-8")


def point_of(record: InstanceRecord, series: Iterable[Series]) -> str:
    """Return the point of a puzzle: its folder, or the level of a published puzzle."""
    levels = (one for one in series if one.published and record.level in one.values)
    return next((one.point(record.level) for one in levels), record.folder)


def configurations_solving(results: Path, of: Group, campaign: Campaign, point: str) -> Collection[str]:
    """Return the configurations that have completed a campaign's task on a puzzle of this point."""
    with Store(str(results)) as store:
        of_point = {n for n, one in store.instances().items() if point_of(one, of.series) == point}
        runs = [run for run in store.runs() if run.instance in of_point and run.success]
    named = [(str(run.configuration), run) for run in runs]
    return {name for name, run in named if of.includes(campaign, run.task, name, run.rules)}


def row(record: InstanceRecord, run: RunRecord, of: Group) -> dict[str, object]:
    """Return the row of a run in the table."""
    own = {name: getattr(run, name) for name in RUN_COLUMNS if hasattr(run, name)}
    own |= {"complete": int(run.complete), "success": int(run.success), "started": run.started[:19]}
    seconds = {n: round(v, 4) for n, v in own.items() if n.endswith("seconds") and isinstance(v, float)}
    puzzle = {"folder": point_of(record, of.series), "name": record.name, "size": record.size}
    return {**puzzle, **own, **seconds, "rules": run.rules.replace(",", " ")}


def words_of_comparison(options: Mapping[str, Any]) -> list[str]:
    """Return the words of the command ``compare`` with these options, of which ``paths`` are the puzzles."""
    words = ["compare"]
    for name, value in options.items():
        values = value if isinstance(value, list | tuple) else [value]
        words += values if name == "paths" else [f"--{name}={one}" for one in values]
    return words


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "milp_pips", *words]


def milp_pips(*words: str) -> None:
    """Run a command of the package and print it; on Ctrl-C wait until it has ended."""
    print(f"$ milp-pips {shlex.join(words)}", flush=True)
    with subprocess.Popen(command(*words), stdout=subprocess.DEVNULL) as process:
        try:
            status = process.wait()
        except KeyboardInterrupt:
            try:
                process.wait(2)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
            raise
    if status == -signal.SIGINT or status == 130:
        raise KeyboardInterrupt
    if status:
        sys.exit(status)


if __name__ == "__main__":
    main()
