"""Test campaigns on workers: whether each run is stored once, the overhead, and mutual disturbance.

    python benchmarks/cluster.py --out build/cluster
    python benchmarks/cluster.py --out build/cluster --only kills --runs 200

``kills``: short runs on two workers. ``kill -9`` kills a worker five times at random moments, and once the
command, which is then restarted. The exit status is 1 unless every run is stored exactly once and the runs
from before the kill of the command are unchanged. ``overhead``: the time of a run beyond its reported
seconds, for short runs and runs of five seconds, for each engine, on one worker. ``shift``: the same runs
alternately with one worker and with two.

The same command resumes after any interruption. All results files stay in ``--out``.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import random
import signal
import sqlite3
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict
from datetime import date, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil
from measure import header

from milp_pips.extras.bench.figures import bootstrap_interval
from milp_pips.extras.bench.store import RunRecord, Store

BOARDS = {
    "tiny": ["--dominoes", "3", "--count", "100", "--style", "plain"],
    "short": ["--dominoes", "3", "--count", "10", "--style", "plain"],
    "long": [
        "--dominoes",
        "150",
        "--count",
        "2",
        "--style",
        "plain",
        "--rules",
        "EQ",
        "--region-sizes",
        "4..7",
    ],
    "paired": ["--dominoes", "15", "--count", "10", "--style", "plain"],
}
"""The puzzles, as arguments of ``generate``; no engine solves the long ones within their limit."""

WORKERS = 5
"""The number of workers to kill."""

LONG_RUN_SECONDS = 5
"""The time limit of long runs in seconds."""

STUCK_SECONDS = 600.0
"""The seconds without a new run after which a campaign counts as stuck."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where to work")
    parser.add_argument("--only", nargs="+", choices=MEASUREMENTS, default=list(MEASUREMENTS))
    parser.add_argument("--runs", type=int, default=10_000, help="kills: runs, in hundreds (default: 10,000)")
    parser.add_argument("--seed", type=int, default=0, help="kills: decides the moments (default: 0)")
    parser.add_argument("--short", type=int, default=20, help="overhead: repeats of ten short runs")
    parser.add_argument("--long", type=int, default=10, help="overhead: repeats of two long runs")
    parser.add_argument("--repeats", type=int, default=5, help="shift: repeats of ten runs each way")
    parser.add_argument("--engines", nargs="+", default=["highs", "cbc", "scip", "cp-sat", "sat"])
    results = Path(__file__).parent / "results" / str(date.today())
    parser.add_argument("--results", type=Path, default=results, help=f"for tables (default: {results.name})")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    arguments.results.mkdir(parents=True, exist_ok=True)
    print(header("distributed"), flush=True)
    return max([MEASUREMENTS[name](arguments) for name in arguments.only])


def boards(kind: str, folder: Path) -> str:
    """Generate the puzzles of a kind unless they exist, and return their folder."""
    made = folder / kind
    if not made.exists():
        unfinished = folder / f"{kind}.unfinished"
        milp_pips("generate", *BOARDS[kind], "--out", str(unfinished))
        unfinished.rename(made)
    return str(made)


def milp_pips(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "milp_pips", *words], check=True, stdout=subprocess.DEVNULL)


def campaign(puzzles: str, out: Path, *words: str, workers: int, scheduler: str = "local") -> list[str]:
    """Return the command of a campaign; it measures uneven machines instead of refusing them."""
    spread = ["--scheduler", scheduler, "--workers", str(workers), "--uneven"]
    return [sys.executable, "-m", "milp_pips", "compare", puzzles, "--out", str(out), *spread, *words]


def runs_in(file: Path) -> tuple[RunRecord, ...]:
    with Store(str(file)) as store:
        return store.runs()


def keep(file: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a table."""
    with file.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


# --- every run exactly once -----------------------------------------------------------------------------


def kills(arguments: argparse.Namespace) -> int:
    """Kill workers and the command, and check that every run is stored once. The status is 1 if not."""
    folder = arguments.out / f"kills-{arguments.runs}"
    folder.mkdir(exist_ok=True)
    repeats = max(1, arguments.runs // 100)
    file, told, kept = folder / "results.sqlite", folder / "kills.jsonl", folder / "kept.json"
    command = campaign(
        boards("tiny", arguments.out), file, "--run", "brute", "--repeats", str(repeats), workers=2
    )
    planned = random_moments(100 * repeats, arguments.seed)
    begun = time.monotonic()
    done = [json.loads(line) for line in told.read_text().splitlines()] if told.exists() else []
    process = None
    try:
        while process is None or process.poll() is None:
            if process is None:
                process = start(command, folder)
            if len(done) == len(planned):
                process.wait()
                continue
            what, after = planned[len(done)]
            wait_for_runs(file, after, process)
            if process.poll() is not None:
                break  # it ended before the moment came
            if not (pid := kill(what, process)):
                continue
            if what == "command":
                process.wait()
                kept.write_text(json.dumps([asdict(run) for run in runs_in(file)]))
            done.append({"killed": what, "after": count(file), "at": datetime.now().isoformat(), "pid": pid})
            with told.open("a") as stream:
                stream.write(json.dumps(done[-1]) + "\n")
            print(f"killed a {what} after {done[-1]['after']} runs", flush=True)
            if what == "command":
                process = None
    finally:
        if process is not None and process.poll() is None:
            end(process)
    faults = list(faults_of(runs_in(file), 100 * repeats, kept, len(planned) - len(done)))
    if process is not None and process.returncode:
        faults.append(f"the command ended with {process.returncode}: see {folder / 'told.txt'}")
    took = time.monotonic() - begun
    verdict = "; ".join(faults) or f"{100 * repeats} runs, each there exactly once, nothing lost"
    print(f"kills: {verdict} ({took:.0f} s this time)", flush=True)
    rows = [*done, {"killed": "", "after": count(file), "at": datetime.now().isoformat(), "pid": ""}]
    keep(arguments.results / "cluster-kills.csv", [{**row, "verdict": ""} for row in rows[:-1]] + [
        {**rows[-1], "verdict": verdict}
    ])  # fmt: skip
    return 1 if faults else 0


def random_moments(runs: int, seed: int) -> list[tuple[str, int]]:
    """Return the processes to kill, each with the number of runs before its kill."""
    rng = random.Random(seed)
    after = sorted(rng.randrange(runs // 50, runs - runs // 20) for _ in range(WORKERS + 1))
    command = rng.randrange(1, WORKERS)  # neither the first nor the last
    return [("command" if n == command else "worker", when) for n, when in enumerate(after)]


def start(command: Sequence[str], folder: Path) -> subprocess.Popen[bytes]:
    with (folder / "told.txt").open("ab") as told:
        return subprocess.Popen(command, stdout=told, stderr=told, start_new_session=True)


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill the command, and wait until its workers have ended."""
    begun = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.wait()
    psutil.wait_procs(begun, timeout=60)


def kill(what: str, process: subprocess.Popen[bytes]) -> int:
    """Kill the command or one of its workers, and return its process number; 0 if there is no worker."""
    time.sleep(random.random())  # a moment within a run
    if what == "command":
        end(process)
        return process.pid
    workers = []
    for child in psutil.Process(process.pid).children():
        with suppress(psutil.Error):
            if "multiprocessing.spawn" in " ".join(child.cmdline()):
                workers.append(child)
    if not workers:
        return 0
    found = random.choice(workers)
    with suppress(psutil.Error):
        found.send_signal(signal.SIGKILL)
    return found.pid


def count(file: Path) -> int:
    """Return the number of runs in a file that is being written; 0 if it does not exist yet."""
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
            return int(connection.execute("select count(*) from run").fetchone()[0])
    except sqlite3.Error:
        return 0


def wait_for_runs(file: Path, wanted: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until this many runs are stored or the command has ended. Raises TimeoutError if it is stuck."""
    last, since = -1, time.monotonic()
    while (now := count(file)) < wanted and process.poll() is None:
        if now != last:
            last, since = now, time.monotonic()
        if time.monotonic() - since > STUCK_SECONDS:
            raise TimeoutError(f"no new run for {STUCK_SECONDS:g} s: {now} in {file}")
        time.sleep(0.2)


def faults_of(runs: Sequence[RunRecord], wanted: int, kept: Path, left: int) -> Iterator[str]:
    """Yield the errors in the final runs."""
    keys = {run.key for run in runs}
    if left:
        yield f"{left} kills were not made: too few runs were left"
    if len(runs) != len(keys):
        yield f"{len(runs) - len(keys)} runs are there twice"
    if len(keys) != wanted:
        yield f"{wanted - len(keys)} runs are missing"
    if unsolved := sum(run.status != "solved" for run in runs):
        yield f"{unsolved} runs have not solved their puzzle"
    if not kept.exists():
        yield "the command was never killed"
    elif (before := json.loads(kept.read_text())) != [asdict(run) for run in runs[: len(before)]]:
        yield "runs from before the command was killed have changed"


# --- the overhead of a run ------------------------------------------------------------------------------


def overhead(arguments: argparse.Namespace) -> int:
    """Measure the time between the starts of two runs on one worker, minus the time that the run reports."""
    rows = []
    kinds = {"short": (arguments.short, 60), "long": (arguments.long, LONG_RUN_SECONDS)}
    for kind, (repeats, limit) in kinds.items():
        puzzles = boards(kind, arguments.out)
        for engine in arguments.engines:
            file = arguments.out / f"overhead-{kind}-{engine}.sqlite"
            words = ["--run", engine, "--repeats", str(repeats), "--time-limit", str(limit)]
            subprocess.run(campaign(puzzles, file, *words, workers=1), check=True)
            rows += [{"kind": kind, "engine": engine, **figures} for figures in run_slots(runs_in(file))]
    keep(arguments.results / "cluster-overhead.csv", rows)
    print("\n| runs | engine | runs measured | reports s | beyond s | of these process s | share |")
    print("|---|---|---|---|---|---|---|")
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["kind"], row["engine"]].append(row)
    for (kind, engine), group in groups.items():
        reports, beyond, process = (
            statistics.median(one[name] for one in group) for name in ("reports", "beyond", "process")
        )
        share = beyond / (reports + beyond)
        figures = f"{reports:.3f} | {beyond:.3f} | {process:.3f} | {share:.1%}"
        print(f"| {kind} | {engine} | {len(group)} | {figures} |")
    return 0


def run_slots(runs: Sequence[RunRecord]) -> Iterator[dict[str, float]]:
    """Yield for each run its reported time, and the additional time until the next run begins.

    ``process`` is the part in the run's own process: its start, the libraries, its end. The rest is the
    validation, the transfer to and from the worker, and the results file. The last run of a session is left
    out, since no run follows it.
    """
    sessions: dict[int, list[RunRecord]] = defaultdict(list)
    for run in runs:
        sessions[run.session].append(run)
    for made in sessions.values():
        made.sort(key=lambda run: run.started)
        for run, following in pairwise(made):
            if run.total_seconds is None or run.wall_seconds is None:
                continue
            passed = (
                datetime.fromisoformat(following.started) - datetime.fromisoformat(run.started)
            ).total_seconds()
            yield {
                "reports": round(run.total_seconds, 4),
                "beyond": round(passed - run.total_seconds, 4),
                "process": round(run.wall_seconds - run.total_seconds, 4),
            }


# --- paired comparisons ---------------------------------------------------------------------------------


def shift(arguments: argparse.Namespace) -> int:
    """Make the same runs with one worker and with two, a repeat of each in turn, and pair them."""

    def make(way: str, puzzles: str, file: Path, words: Sequence[str]) -> None:
        quietly(campaign(puzzles, file, *words, workers={"one": 1, "two": 2}[way]))

    return compare_pairs("shift", ("one", "two"), make, arguments)


def quietly(command: Sequence[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def compare_pairs(
    name: str,
    ways: tuple[str, str],
    make: Callable[[str, str, Path, Sequence[str]], None],
    arguments: argparse.Namespace,
) -> int:
    """Make the same runs in two ways, a repeat of each in turn, and print the ratio of their times."""
    puzzles = boards("paired", arguments.out)
    files = {way: arguments.out / f"{name}-{way}.sqlite" for way in ways}
    engines = [word for engine in arguments.engines for word in ("--run", engine)]
    for repeat in range(1, arguments.repeats + 1):
        for way in ways if repeat % 2 else ways[::-1]:
            words = [*engines, "--repeats", str(repeat), "--time-limit", "60"]
            make(way, puzzles, files[way], words)
    medians = {way: medians_of(runs_in(file)) for way, file in files.items()}
    before, after = (medians[way] for way in ways)
    rows = [
        {"engine": engine, "instance": instance, ways[0]: seconds, ways[1]: after[engine, instance]}
        for (engine, instance), seconds in before.items()
        if (engine, instance) in after
    ]
    keep(arguments.results / f"cluster-{name}.csv", rows)
    print(f"\n| engine | puzzles | median s, {ways[0]} | {ways[1]} | ratio (95 %) |\n|---|---|---|---|---|")
    for engine in arguments.engines:
        pairs = [(row[ways[0]], row[ways[1]]) for row in rows if row["engine"] == engine]
        if not pairs:
            print(f"| {engine} | 0 | – | – | – |")
            continue
        logs = [math.log(then / first) for first, then in pairs]
        low, high = map(math.exp, bootstrap_interval(logs))
        first, then = (statistics.median(column) for column in zip(*pairs, strict=True))
        ratio = f"{math.exp(statistics.mean(logs)):.3f} ({low:.3f} to {high:.3f})"
        print(f"| {engine} | {len(pairs)} | {first:.4f} | {then:.4f} | {ratio} |")
    return 0


def medians_of(runs: Sequence[RunRecord]) -> dict[tuple[str, int], float]:
    """Return the median seconds of the runs of each engine on each puzzle that all have solved."""
    found: dict[tuple[str, int], list[RunRecord]] = defaultdict(list)
    for run in runs:
        found[run.solver, run.instance].append(run)
    return {
        pair: round(statistics.median(run.seconds for run in group if run.seconds), 5)
        for pair, group in found.items()
        if all(run.status == "solved" for run in group)
    }


MEASUREMENTS: dict[str, Callable[[argparse.Namespace], int]] = {
    "kills": kills,
    "overhead": overhead,
    "shift": shift,
}


if __name__ == "__main__":
    os.environ.setdefault("PYTHONPATH", str(Path(__file__).resolve().parent.parent))
    sys.exit(main())
