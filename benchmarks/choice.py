"""Measure the default choice of solvers: the thresholds where it changes, and the gain by backup solvers.

    python benchmarks/choice.py border PUZZLES...
    python benchmarks/choice.py rivals --limit 60 [--kinds sudoku ...] [--solvers cp-sat ...]

``border`` runs backtracking, the SAT solver and HiGHS on the same puzzles, grouped by the number of open
values after filtering. It adds generated boards of 5 to 14 dominoes. On boards of 40 to 160 dominoes it runs
the neighbourhood search and the SAT solver, grouped by the open values of cells. ``rivals`` runs the default
and each engine alone on boards that are hard for some engine, each in its own process with its library
loaded; they take turns on every board. It prints processor time as well, since wall-clock time on a busy
machine is not reliable.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from first_solution import generated, measured
from instances import colour_grid, equal_only, full_set, sudoku
from measure import header, puzzles_of, separate_processes

import milp_pips
from milp_pips.engines.defaults import count_open_values
from milp_pips.problem.problem import Problem
from milp_pips.propagation.fixpoint import filter_domains
from milp_pips.puzzles.puzzle import Puzzle

ENGINES = ("sat", "cp-sat", "highs", "scip", "lns")

KINDS: Mapping[str, Callable[[], Iterator[Puzzle]]] = {
    "sudoku": lambda: (sudoku(box, share, 1) for box in (3, 4, 5) for share in (0.3, 0.4, 0.44, 0.5)),
    "colour grid": lambda: (colour_grid(size, seed) for size in (10, 20, 30, 40) for seed in (1, 2)),
    "full set": lambda: (
        full_set(most, share, seed)
        for most in (9, 12, 15, 18)
        for share in (0.2, 0.4, 0.6, 0.8)
        for seed in (1, 2)
    ),
    "equal only": lambda: (equal_only(n, seed) for n in (40, 60, 80, 110, 150) for seed in range(1, 5)),
}


class SolveResult(NamedTuple):
    """Whether a board was solved in time, by which solver, wall-clock seconds, and processor seconds."""

    solved: bool
    solver: str
    seconds: float
    processor: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("border").add_argument("puzzles", nargs="*", help="puzzle files or directories")
    rivals = verbs.add_parser("rivals")
    rivals.add_argument("--limit", type=float, default=60.0, help="seconds for each board")
    rivals.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    rivals.add_argument("--solvers", nargs="+", default=["", *ENGINES], help="an empty name is the default")
    arguments = parser.parse_args()
    if arguments.verb == "border":
        show_border(arguments.puzzles)
    else:
        show_rivals(arguments.kinds, arguments.solvers, arguments.limit)


def show_border(paths: Sequence[str]) -> None:
    """Print the times of the solvers, by the number of values that filtering leaves open."""
    print(header("highspy"))
    small = [*puzzles_of(paths), *(one for n in (5, 6, 8, 10, 12, 14) for one in generated(n, 8, seed=5))]
    show_times(
        small, ("brute", "sat", "highs"), (0, 1, 50, 100, 150, 250), lambda filtered: filtered.open_values
    )
    show_times(list(large_ones()), ("lns", "sat"), (0, 400, 600, 800, 1000, 1300, 1700), count_open_values)


def show_times(
    puzzles: Sequence[Puzzle],
    solvers: Sequence[str],
    borders: Sequence[int],
    count_open: Callable[[Problem], int],
) -> None:
    """Print the mean and the worst seconds of each solver between consecutive thresholds."""
    spent = measured(puzzles, [f"filtered {solver}" for solver in solvers], 3)
    left = [count_open(filter_domains(milp_pips.state(puzzle))) for puzzle in puzzles]
    columns = "".join(f" `{solver}`, mean s | worst |" for solver in solvers)
    print(f"\n| open values | puzzles |{columns}")
    print("|---|---|" + "---|---|" * len(solvers))
    for low, high in itertools.pairwise([*borders, 10**9]):
        rows = [number for number, count in enumerate(left) if low <= count < high]
        cells = [[seconds[row] for row in rows] for seconds in spent.values()]
        shown = " | ".join(f"{statistics.mean(times):.4f} | {max(times):.4f}" for times in cells if times)
        span = f"{low} or more" if high == 10**9 else f"{low} to {high - 1}" if high > low + 1 else f"{low}"
        print(f"| {span} | {len(rows)} | {shown} |")


def large_ones() -> Iterator[Puzzle]:
    for dominoes in (40, 60, 80, 100, 130, 160):
        yield from generated(dominoes, 2, seed=5)
        yield from (one.puzzle for one in milp_pips.generate(dominoes=dominoes, count=2, seed=5))
        yield from by_rule(dominoes, 1)


def by_rule(dominoes: int, count: int) -> Iterator[Puzzle]:
    for rule in ("SUM", "EQ", "NEQ", "LT"):
        made = milp_pips.generate(
            style="plain", dominoes=dominoes, count=count, seed=5, region_sizes="1..3", rules=rule
        )
        yield from (one.puzzle for one in made)


def show_rivals(kinds: Sequence[str], solvers: Sequence[str], limit: float) -> None:
    """Print the number of boards of each kind that each solver solves in time, and its total time."""
    print(header("highspy", "ortools", "pyscipopt"))
    print(f"limit {limit:g} s\n\n| boards | solver | solved | all s | all s of processors | by whom |")
    print("|---|---|---|---|---|---|")
    for kind in kinds:
        found: dict[str, list[SolveResult]] = {solver: [] for solver in solvers}
        with separate_processes(len(solvers)) as processes:
            for puzzle in [generated(2, 1)[0], *KINDS[kind]()]:
                for call, solver in zip(processes, solvers, strict=True):
                    found[solver].append(call(measure_solving, puzzle, solver, limit))
        for solver, (_, *boards) in found.items():  # the first has loaded the engine
            count = sum(board.solved for board in boards)
            seconds, processor = (sum(times) for times in zip(*(b[2:] for b in boards), strict=True))
            who = ", ".join(sorted({board.solver for board in boards if board.solved}))
            row = f"{solver or 'default'} | {count} of {len(boards)} | {seconds:.1f} | {processor:.1f}"
            print(f"| {kind} | {row} | {who} |", flush=True)


def measure_solving(puzzle: Puzzle, solver: str, limit: float) -> SolveResult:
    """Return the result for a board; called in the process of the solver."""
    begun, spent = time.perf_counter(), sum(os.times()[:4])
    result = milp_pips.solve(puzzle, solver, seconds=limit)
    seconds, processor = time.perf_counter() - begun, sum(os.times()[:4]) - spent
    return SolveResult(result.status == "solved", result.solver, seconds, processor)


if __name__ == "__main__":
    main()
