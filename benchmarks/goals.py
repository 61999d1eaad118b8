"""Measure all figures that have a goal, print a table, and add a dated row to the history.

    python benchmarks/goals.py PUZZLES...
    python benchmarks/goals.py --only startup,counts
    python benchmarks/goals.py --history

``PUZZLES`` are files and folders with published puzzles; a goal is skipped if its puzzles are not there.
``--history`` measures nothing, and shows the figures of all dates. All seconds are those of the processor.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import os
import platform
import sys
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path

import counting
import large
import rivals
from measure import Goal, header, puzzles_of

from milp_pips.puzzles.puzzle import Puzzle

HISTORY = Path(__file__).parent / "history.csv"

ONE_RULE = ("SUM", "EQ", "NEQ", "LT", "GT")


def boards(dominoes: int, count: int, median: float | None, worst: float, mb: float = 0) -> Iterator[Goal]:
    found = large.measured(dominoes, count)
    yield from solved(f"boards_{dominoes}", f"{dominoes} dominoes, {count} boards", found)
    if median is not None:
        yield Goal(f"boards_{dominoes}_median", f"{dominoes} dominoes: median", found.median, median)
    yield Goal(f"boards_{dominoes}_worst", f"{dominoes} dominoes: worst", found.worst, worst)
    if mb:
        yield Goal(f"boards_{dominoes}_mb", f"{dominoes} dominoes: memory", found.megabytes, mb, unit="MB")


def one_rule(rules: str, sizes: str, count: int) -> Iterator[Goal]:
    found = large.measured(400, count, sizes, rules)
    name = f"only_{rules}_{sizes}"
    about = f"400 dominoes, {rules} only, regions of {sizes}"
    yield from solved(name, about, found)
    yield Goal(f"{name}_median", f"{about}: median", found.median, 4.0)


def solved(name: str, about: str, found: large.Figures) -> Iterator[Goal]:
    count = len(found.seconds)
    yield Goal(f"{name}_solved", f"{about}: solved", found.solved, count, True, f"of {count}")


def counts(puzzles: list[Puzzle]) -> Iterator[Goal]:
    counted = counting.measured(puzzles)
    spent = [one.placements_seconds for one in counted]
    yield Goal("count_total", f"placements of {len(puzzles)} puzzles counted: in all", sum(spent), 0.7)
    yield Goal("count_worst", f"placements of {len(puzzles)} puzzles counted: worst", max(spent), 0.1)


def groups(paths: list[str], count: int) -> dict[str, Callable[[], Iterator[Goal]]]:
    """Return the measurements by name; ``count`` is the number of boards of each size."""
    puzzles = puzzles_of(paths)
    found = rivals.groups(puzzles, count)
    if puzzles:
        found["counts"] = lambda: counts([one for one in puzzles if one.family == "pips"])
    for dominoes, median, worst in ((200, 1.0, 5.0), (400, 1.5, 5.0), (1000, 2.5, 15.0), (2000, 5.0, 15.0)):
        found[str(dominoes)] = lambda d=dominoes, m=median, w=worst: boards(d, count, m, w)
    found["10000"] = lambda: boards(10_000, -(-count // 4), None, 40.0, 2000.0)
    found["50000"] = lambda: boards(50_000, 1, None, 40.0, 400.0)
    for rules in ONE_RULE:
        for sizes in ("1..3", "4..7"):
            found[f"{rules} {sizes}"] = lambda r=rules, s=sizes: one_rule(r, s, count)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("puzzles", nargs="*", help="puzzle files or directories")
    parser.add_argument("--only", default="", help="names of groups, separated by commas")
    parser.add_argument("--count", type=int, default=10, help="boards of each size (default: 10)")
    parser.add_argument("--history", action="store_true", help="show the figures by date")
    parser.add_argument("--file", type=Path, default=HISTORY, help=f"the history (default: {HISTORY.name})")
    arguments = parser.parse_args()
    if arguments.history:
        print(by_date(arguments.file))
        return
    measured: list[Goal] = []
    wanted = arguments.only.split(",") if arguments.only else []
    print(header("highspy", "pulp", "ortools"))
    print("\n| work | goal | measured | |\n|---|---|---|---|", flush=True)
    try:
        for name, group in groups(arguments.puzzles, arguments.count).items():
            if not wanted or name in wanted:
                print(name, file=sys.stderr, flush=True)
                for goal in group():
                    measured.append(goal)
                    bound = f"{'≥' if goal.more else '≤'} {goal.goal:g} {goal.unit}"
                    verdict = "met" if goal.met else "missed"
                    print(f"| {goal.about} | {bound} | {goal.value:.3g} | {verdict} |", flush=True)
    finally:  # also after Ctrl-C
        remember(arguments.file, measured)


def remember(history: Path, measured: list[Goal]) -> None:
    """Add a row; columns that the file does not have yet are added at its end."""
    row: dict[str, str] = {
        "date": str(datetime.date.today()),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in ("milp-pips", "highspy", "pulp", "ortools")},
        **{goal.name: f"{goal.value:.4g}" for goal in measured},
    }
    rows = list(csv.DictReader(history.read_text().splitlines())) if history.exists() else []
    names = list(dict.fromkeys(name for one in [*rows, row] for name in one))
    with history.open("w", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows([*rows, row])


def by_date(history: Path) -> str:
    """Return a Markdown table of the history: a line for each figure, a column for each date."""
    rows = list(csv.DictReader(history.read_text().splitlines()))
    names = [name for name in rows[0] if name != "date"]
    dates = [row["date"] for row in rows]
    lines = [["figure", *dates], ["---"] * (len(dates) + 1)]
    lines += [[name, *((row[name] or "–") for row in rows)] for name in names]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    main()
