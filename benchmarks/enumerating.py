"""List all solutions of one puzzle by every method, and show how the time per solution grows.

python benchmarks/enumerating.py --level hard PUZZLE
"""

from __future__ import annotations

import argparse
import statistics
import time

from measure import header

import milp_pips
from milp_pips.engines import registry

WAYS = [
    ("diagram", "", 1),
    ("native", "cp-sat", 1),
    ("native", "sat", 1),
    ("native", "scip", 1),
    ("native", "minizinc", 1),
    ("partition", "highs", 1),
    ("partition", "highs", 2),
    ("cubes", "highs", 1),
    ("cuts", "highs", 1),
    ("partition", "pyomo", 1),
    ("cuts", "pyomo", 1),
]
"""Method, solver, processes."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("puzzle")
    parser.add_argument("--level")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    puzzle = milp_pips.read(arguments.puzzle, arguments.level)
    ways = [way for way in WAYS if not way[1] or not registry.solver(way[1]).unavailable()]
    totals: dict[tuple[str, str, int], list[float]] = {way: [] for way in ways}
    firsts: dict[tuple[str, str, int], list[float]] = {way: [] for way in ways}
    lasts: dict[tuple[str, str, int], list[float]] = {way: [] for way in ways}
    count = milp_pips.count(puzzle, ["placement"]).counts["placement"]
    tenth = max(1, count // 10)
    for _ in range(arguments.rounds):
        for way in ways:
            method, solver, jobs = way
            begun = time.perf_counter()
            # the limit leaves out the last proof and its confirmation, which are not the same for all
            listed = milp_pips.solutions(puzzle, solver, method=method, jobs=jobs, limit=count)
            stamps = [time.perf_counter() for _ in listed]
            assert len(stamps) == count
            totals[way].append(stamps[-1] - begun)
            firsts[way].append((stamps[tenth] - stamps[0]) / tenth)
            lasts[way].append((stamps[-1] - stamps[-1 - tenth]) / tenth)
    print(header("highspy", "pyscipopt", "ortools"))
    print(f"{puzzle.name}: {count} solutions, {arguments.rounds} interleaved rounds\n")
    print("| method | solver | processes | total s | ms per solution, first tenth | last tenth |")
    print("|---|---|---|---|---|---|")
    for way in ways:
        total, first, last = (statistics.median(spent[way]) for spent in (totals, firsts, lasts))
        what = f"{way[0]} | {way[1] or '–'} | {way[2]}"
        print(f"| {what} | {total:.3f} | {1000 * first:.2f} | {1000 * last:.2f} |")


if __name__ == "__main__":
    main()
