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
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

import counting
import first_solution
import lists
from default import killer
from instances import colour_grid
from measure import (
    DEFAULT,
    Goal,
    header,
    interleaved,
    measure_solving,
    peak_megabytes,
    processor_seconds,
    puzzles_of,
    race,
    ratio,
    separate_processes,
)

import milp_pips
from milp_pips.compilation.solution_set import compile_problem
from milp_pips.puzzles.puzzle import Puzzle

HISTORY = Path(__file__).parent / "history.csv"

ONE_RULE = ("SUM", "EQ", "NEQ", "LT", "GT")

Group = Callable[[], Iterator[Goal]]

LISTED, COUNTED, MILLIONS = "2025-10-18-hard", "2025-10-28-hard", "2025-09-15-hard"
"""Published puzzles with 10,464 solutions, with a large diagram, and with 2,764,800 placements."""

PUZZLE = Path(__file__).parent.parent / "examples" / "pips" / "notebook.txt"
IMPORT, SOLVE = "import highspy", "milp_pips solve notebook.txt --solver highs"
START = "milp_pips solve notebook.txt"

LIMIT = 20.0
"""Seconds of a solver on one board; a board that is not solved counts twice as much."""


def boards(dominoes: int, count: int, median: float | None, worst: float, mb: float = 0) -> Iterator[Goal]:
    found = first_solution.on_large_boards(dominoes, count)
    yield from solved(f"boards_{dominoes}", f"{dominoes} dominoes, {count} boards", found)
    if median is not None:
        yield Goal(f"boards_{dominoes}_median", f"{dominoes} dominoes: median", found.median, median)
    yield Goal(f"boards_{dominoes}_worst", f"{dominoes} dominoes: worst", found.worst, worst)
    if mb:
        yield Goal(f"boards_{dominoes}_mb", f"{dominoes} dominoes: memory", found.megabytes, mb, unit="MB")


def commands(dominoes: int, generated: float, solved: float, mb: float) -> Iterator[Goal]:
    """Measure the commands that generate a board and solve it."""
    with tempfile.TemporaryDirectory() as folder:
        made, seconds, _ = _command("generate", "--dominoes", str(dominoes))
        yield Goal(f"generate_{dominoes}", f"{dominoes} dominoes: generated", seconds, generated)
        file = Path(folder) / "board.txt"
        file.write_bytes(made)
        answer, seconds, peak = _command("solve", str(file), "--json")
        assert json.loads(answer)["status"] == "solved"
        yield Goal(f"solve_{dominoes}", f"{dominoes} dominoes: read, solved, written", seconds, solved)
        yield Goal(f"solve_{dominoes}_mb", f"{dominoes} dominoes: memory", peak, mb, unit="MB")


def _command(*arguments: str) -> tuple[bytes, float, float]:
    """Return the output of a command of milp-pips, its processor seconds and its peak memory in MB."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen([sys.executable, "-m", "milp_pips", *arguments], stdout=output)
        _, status, used = os.wait4(process.pid, 0)
        assert status == 0
        output.seek(0)
        return output.read(), used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def one_rule(rules: str, sizes: str, count: int) -> Iterator[Goal]:
    found = first_solution.on_large_boards(400, count, sizes, rules)
    name = f"only_{rules}_{sizes}"
    about = f"400 dominoes, {rules} only, regions of {sizes}"
    yield from solved(name, about, found)
    yield Goal(f"{name}_median", f"{about}: median", found.median, 4.0)


def solved(name: str, about: str, found: first_solution.Figures) -> Iterator[Goal]:
    count = len(found.seconds)
    yield Goal(f"{name}_solved", f"{about}: solved", found.solved, count, True, f"of {count}")


def counts(puzzles: list[Puzzle]) -> Iterator[Goal]:
    counted = counting.measured(puzzles)
    spent = [one.placements_seconds for one in counted]
    yield Goal("count_total", f"placements of {len(puzzles)} puzzles counted: in all", sum(spent), 0.7)
    yield Goal("count_worst", f"placements of {len(puzzles)} puzzles counted: worst", max(spent), 0.1)


def groups(paths: list[str], count: int) -> dict[str, Group]:
    """Return the measurements by name; ``count`` is the number of boards of each size."""
    puzzles = puzzles_of(paths)
    found = groups_of_rivals(puzzles, count)
    if puzzles:
        found["counts"] = lambda: counts([one for one in puzzles if one.family == "pips"])
    for dominoes, median, worst in ((200, 1.0, 5.0), (400, 1.5, 5.0), (1000, 2.5, 15.0), (2000, 5.0, 15.0)):
        found[str(dominoes)] = lambda d=dominoes, m=median, w=worst: boards(d, count, m, w)
    found["10000"] = lambda: boards(10_000, -(-count // 4), None, 40.0, 2000.0)
    found["50000"] = lambda: commands(50_000, 30.0, 15.0, 350.0)
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


# Ratios to other programs and to engines by themselves; ``regressions.py`` measures the quick ones.


def groups_of_rivals(puzzles: Sequence[Puzzle], count: int) -> dict[str, Group]:
    """Return the measurements by name; ``count`` is the number of generated boards of each size."""
    named = {puzzle.name: puzzle for puzzle in puzzles}
    pips = [puzzle for puzzle in puzzles if puzzle.family == "pips"]
    hard = [puzzle for puzzle in pips if puzzle.name.endswith("-hard")]
    large = [puzzle for puzzle in puzzles if puzzle.family == "sudoku" and len(puzzle.cells) == 625]
    found: dict[str, Group] = {}
    if pips:
        found["levels"] = lambda: levels(pips)
        found["hard"] = lambda: hard_ones(hard)
    found["startup"] = lambda: startup(21)
    found["firsts"] = lambda: firsts(hard or first_solution.generated(8, 10), 5)
    found["lists"] = lambda: all_solutions(named.get(LISTED) or lists.a_board(), 3)
    if puzzle := named.get(MILLIONS):
        found["millions"] = lambda: millions(puzzle)
    if counted := named.get(COUNTED):
        found["alone"] = lambda: count_alone(counted)
    if large:
        found["sudoku25"] = lambda: against("sudoku25", "Sudokus 25×25", large, ["cp-sat", "sat"])
    found["sums"] = lambda: against("sums", "80 dominoes, sums of 1 to 3", sums(3), ["sat", "lns"])
    found["bounds"] = bounds
    found["generate"] = generate
    found["50"] = lambda: against_notebook(50, 15.0, count)
    found["100"] = lambda: against_notebook(100, 40.0, -(-count // 3))
    return found


def levels(puzzles: Sequence[Puzzle]) -> Iterator[Goal]:
    names = [first_solution.OURS, "cp-sat/native", "cp-sat/baseline"]
    spent = first_solution.measured(puzzles, names, 3)
    best = min(sum(spent[name]) for name in names[1:])
    about = f"{len(puzzles)} levels, first solution, against plain CP-SAT"
    yield Goal("levels_against_cp-sat", about, sum(spent[first_solution.OURS]) / best, 0.25, unit="times")


def hard_ones(puzzles: Sequence[Puzzle]) -> Iterator[Goal]:
    spent = first_solution.measured(puzzles, [first_solution.OURS, *first_solution.AGAINST], 3)
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


def against_notebook(dominoes: int, goal: float, count: int) -> Iterator[Goal]:
    puzzles = first_solution.generated(dominoes, count)
    spent = first_solution.measured(puzzles, [first_solution.OURS, "cp-sat/baseline"], 1)
    quicker = sum(spent["cp-sat/baseline"]) / sum(spent[first_solution.OURS])
    about = f"{dominoes} dominoes, {count} boards: total against the notebook's CP-SAT model"
    yield Goal(f"generated_{dominoes}_against_baseline", about, quicker, goal, True, "times")


def startup(rounds: int) -> Iterator[Goal]:
    spent = start_up(rounds)
    about = "solve of a small puzzle by HiGHS, whole process, against import highspy"
    yield Goal("start_up", about, ratio(spent[SOLVE], spent[IMPORT]), 1.5, unit="times")
    about = "the same by the default solver"
    yield Goal("start_up_default", about, ratio(spent[START], spent[IMPORT]), 0.8, unit="times")


def start_up(rounds: int) -> dict[str, list[float]]:
    """Return the seconds of whole processes that import HiGHS, or solve a small puzzle by it, by round."""
    with tempfile.TemporaryDirectory() as folder:
        # as installed, both are byte-compiled: the first, uncounted round does that
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}

        def run(*words: str) -> None:
            subprocess.run([sys.executable, *words], check=True, capture_output=True, env=environment)

        solve = ("-m", "milp_pips", "solve", str(PUZZLE))
        ways = {
            IMPORT: lambda: run("-c", IMPORT),
            SOLVE: lambda: run(*solve, "--solver", "highs"),
            START: lambda: run(*solve),
        }
        return interleaved(ways, rounds)


def firsts(puzzles: Sequence[Puzzle], rounds: int, *engines: str) -> Iterator[Goal]:
    ways = {name: way for name, way in lists.FIRST.items() if not engines or way.engine in engines}
    for name, (count, ours, own) in lists.measured(puzzles, rounds, ways).items():
        about = (
            f"{count} first solutions through {name.removeprefix('first, ')}, against the engine by itself"
        )
        yield Goal(f"first_{name.removeprefix('first, ')}", about, ratio(ours, own), 2.0, unit="times")


def all_solutions(puzzle: Puzzle, rounds: int, *engines: str) -> Iterator[Goal]:
    ways = {name: way for name, way in lists.WAYS.items() if not engines or way.engine in engines}
    for name, (count, ours, own) in lists.measured([puzzle], rounds, ways).items():
        about = f"{count} solutions through {name}, against its own loop"
        yield Goal(f"list_{name}", about, ratio(ours, own), 2.0, unit="times")


def millions(puzzle: Puzzle) -> Iterator[Goal]:
    with separate_processes() as (call,):
        count, seconds, megabytes = call(_json_lines, puzzle)
    about = f"{count} solutions as lines of JSON"
    yield Goal("millions", about, seconds, 6.0)
    yield Goal("millions_mb", f"{about}: memory", megabytes, 200.0, unit="MB")
    with tempfile.TemporaryDirectory() as folder, separate_processes() as (call,):
        _, seconds, _ = call(_json_lines, puzzle, f"{folder}/lines.jsonl")
    yield Goal("millions_to_file", f"{about}, to a file", seconds, 9.0)


def _json_lines(puzzle: Puzzle, out: str = "") -> tuple[int, float, float]:
    begun = processor_seconds()
    count = sum(1 for _ in milp_pips.solutions(puzzle, out=out).json_lines())
    return count, processor_seconds() - begun, peak_megabytes()


def count_alone(puzzle: Puzzle) -> Iterator[Goal]:
    with separate_processes() as (call,):
        rounds = [call(_counts, puzzle) for _ in range(4)][1:]
    value = statistics.median(ours / alone for ours, alone in rounds)
    yield Goal("count_alone", f"count of {puzzle.name}, against its diagram alone", value, 1.2, unit="times")


def _counts(puzzle: Puzzle) -> tuple[float, float]:
    """Return the seconds of a count of placements, and of filtering and compiling one diagram."""
    begun = processor_seconds()
    counted = milp_pips.count(puzzle, ["placement"])
    ours, begun = processor_seconds() - begun, processor_seconds()
    space = compile_problem(lists.filtered(puzzle), "placement", method="diagram")
    assert counted.complete
    assert space.count == counted.counts["placement"]
    return ours, processor_seconds() - begun


def sums(count: int) -> list[Puzzle]:
    """Return boards of 80 dominoes with pips to 12, sums only, and regions of 1 to 3 cells."""
    options: Any = {"style": "plain", "dominoes": 80, "max_pip": 12, "rules": "SUM", "region_sizes": "1..3"}
    return [one.puzzle for one in milp_pips.generate(**options, count=count)]


def against(name: str, about: str, puzzles: Sequence[Puzzle], engines: Sequence[str]) -> Iterator[Goal]:
    """Yield the ratio of the default's seconds to those of the best of the engines (PAR2)."""
    found = race(puzzles, [DEFAULT, *engines], LIMIT)
    par2 = {who: sum(run.processor if run.done else 2 * LIMIT for run in of) for who, of in found.items()}
    ours = par2.pop(DEFAULT)
    best = min(par2, key=par2.__getitem__)
    yield Goal(name, f"{len(puzzles)} {about}, default against {best}", ours / par2[best], 1.3, unit="times")


def bounds() -> Iterator[Goal]:
    boards = [killer(16, 0.3)(1), colour_grid(40, 1)]
    below = 0
    for board in boards:
        with separate_processes() as (call,):
            solved = call(measure_solving, board, DEFAULT, LIMIT)
            counted = call(_lower_bound, board, max(solved.seconds, 1.0))
        below += solved.done and not counted
    yield Goal(
        "bounds", "killer 16×16, colour grid 40×40: count below what solve finds", below, 0, unit="of 2"
    )


def _lower_bound(puzzle: Puzzle, seconds: float) -> int:
    counted = milp_pips.count(puzzle, seconds=seconds)
    return min([n for n in (*counted.counts.values(), *counted.at_least.values()) if n is not None])


def generate() -> Iterator[Goal]:
    works: dict[str, tuple[float, dict[str, Any]]] = {
        "14 dominoes": (0.2, {"dominoes": 14, "unique": True}),
        "20 dominoes": (3.0, {"dominoes": 20, "unique": True}),
        "50 dominoes": (60.0, {"dominoes": 50, "unique": True}),
        **{
            f"8 dominoes, {each}": (3.0, {"dominoes": 8, "grade": each})
            for each in ("easy", "medium", "hard")
        },
    }
    for name, (goal, options) in works.items():
        with separate_processes() as (call,):
            value = statistics.median(call(_generate, options, seed) for seed in range(3))
        yield Goal(f"generate_{name}", f"a unique puzzle, {name}: median of 3 seeds", value, goal)


def _generate(options: dict[str, Any], seed: int) -> float:
    """Return the time to make a puzzle, or to state that there is none of this size and grade."""
    begun = processor_seconds()
    with suppress(milp_pips.UsageError):
        assert next(milp_pips.generate(**options, seed=seed)).puzzle
    return processor_seconds() - begun


if __name__ == "__main__":
    main()
