"""Measure all figures that have a goal, print a table, and add a dated row to the history.

    python benchmarks/goals.py PUZZLES...
    python benchmarks/goals.py --only startup,batch

``PUZZLES`` are the New York Times' files; without them the goals on these puzzles are skipped. ``--history
FILE`` names the file for the row (default: ``benchmarks/history.csv``).
"""

from __future__ import annotations

import argparse
import csv
import datetime
import os
import platform
import statistics
import sys
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import batch
import counting
import first_solution
import large
import lists
import start_up
from measure import header, puzzles_of, ratio

from milp_pips.puzzles.puzzle import Puzzle

HISTORY = Path(__file__).parent / "history.csv"

ONE_RULE = ("SUM", "EQ", "NEQ", "LT", "GT")


class Goal(NamedTuple):
    """A figure: its name in the history, its description, its value, whether more is better, and the goal."""

    name: str
    about: str
    value: float
    goal: float
    more: bool = False
    unit: str = "s"

    @property
    def met(self) -> bool:
        return self.value >= self.goal if self.more else self.value <= self.goal


def hard(puzzles: list[Puzzle], rounds: int) -> Iterator[Goal]:
    spent = first_solution.measured(puzzles, [first_solution.OURS, *first_solution.AGAINST], rounds)
    ours = spent[first_solution.OURS]
    about = f"{len(puzzles)} hard puzzles, first solution"
    yield Goal("hard_median_ms", f"{about}: median", 1000 * statistics.median(ours), 8.0, unit="ms")
    for name, key, goal in (
        ("straightforward PuLP + HiGHS", "pulp", 10.0),
        ("plain CP-SAT", "cp-sat/native", 1.0),
        ("the notebook's CP-SAT model", "cp-sat/baseline", 1.0),
    ):
        quicker = sum(spent[key]) / sum(ours)
        yield Goal(f"hard_against_{key}", f"{about}: total against {name}", quicker, goal, True, "times")


def generated(dominoes: int, goal: float, count: int) -> Iterator[Goal]:
    puzzles = first_solution.generated(dominoes, count)
    spent = first_solution.measured(puzzles, [first_solution.OURS, "cp-sat/baseline"], 1)
    quicker = sum(spent["cp-sat/baseline"]) / sum(spent[first_solution.OURS])
    about = f"{dominoes} dominoes, {count} boards: total against the notebook's CP-SAT model"
    yield Goal(f"generated_{dominoes}_against_baseline", about, quicker, goal, True, "times")


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


def startup(rounds: int) -> Iterator[Goal]:
    spent = start_up.measured(rounds)
    about = "solve of a small puzzle, whole process, against import highspy"
    yield Goal("start_up", about, ratio(spent[start_up.SOLVE], spent[start_up.IMPORT]), 1.5, unit="times")


def folder(puzzles: int) -> Iterator[Goal]:
    (seconds,) = batch.measured(puzzles, 3, 10, ["diagram"], 1)["diagram"]
    about = f"folder of {puzzles} small puzzles, one process, the solver diagram"
    yield Goal("folder", about, puzzles / seconds, 100.0, True, "a second")


def all_solutions(rounds: int) -> Iterator[Goal]:
    for engine, (count, ours, own) in lists.measured(lists.a_board(), rounds).items():
        about = f"{count} solutions through {engine}, against its own loop"
        yield Goal(f"list_{engine}", about, ratio(ours, own), 2.0, unit="times")


def groups(paths: list[str], count: int) -> dict[str, Callable[[], Iterator[Goal]]]:
    """Return the measurements by name; ``count`` is the number of boards of each size."""
    found: dict[str, Callable[[], Iterator[Goal]]] = {}
    if paths:
        found["hard"] = lambda: hard(puzzles_of(paths, "hard"), 5)
        found["counts"] = lambda: counts(puzzles_of(paths))
    found["startup"] = lambda: startup(21)
    found["lists"] = lambda: all_solutions(3)
    found["folder"] = lambda: folder(100 * count)
    found["50"] = lambda: generated(50, 15.0, count)
    found["100"] = lambda: generated(100, 40.0, -(-count // 3))
    for dominoes, median, worst in ((200, 1.0, 5.0), (400, 1.5, 5.0), (1000, 2.5, 15.0), (2000, 5.0, 15.0)):
        found[str(dominoes)] = lambda d=dominoes, m=median, w=worst: boards(d, count, m, w)
    found["10000"] = lambda: boards(10_000, -(-count // 4), None, 40.0, 2000.0)
    for rules in ONE_RULE:
        for sizes in ("1..3", "4..7"):
            found[f"{rules} {sizes}"] = lambda r=rules, s=sizes: one_rule(r, s, count)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("puzzles", nargs="*", help="puzzle files or directories")
    parser.add_argument("--only", default="", help="names of groups, separated by commas")
    parser.add_argument("--count", type=int, default=10, help="boards of each size (default: 10)")
    parser.add_argument("--history", type=Path, default=HISTORY)
    arguments = parser.parse_args()
    measured: list[Goal] = []
    wanted = arguments.only.split(",") if arguments.only else []
    for name, group in groups(arguments.puzzles, arguments.count).items():
        if not wanted or name in wanted:
            print(name, file=sys.stderr, flush=True)
            measured += group()
    print(header("highspy", "pulp", "ortools"))
    print("\n| work | goal | measured | |\n|---|---|---|---|")
    for goal in measured:
        bound = f"{'≥' if goal.more else '≤'} {goal.goal:g} {goal.unit}"
        print(f"| {goal.about} | {bound} | {goal.value:.3g} | {'met' if goal.met else 'missed'} |")
    remember(arguments.history, measured)


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


if __name__ == "__main__":
    main()
