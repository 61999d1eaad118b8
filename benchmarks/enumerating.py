"""List all solutions of one puzzle by every method, and show how the time per solution grows.

python benchmarks/enumerating.py --level hard PUZZLE
"""

from __future__ import annotations

import argparse
import statistics
import time

from measure import header

import milp_pips
from milp_pips import plugins

WAYS = [
    ("diagram", ""),
    ("native", "cp-sat"),
    ("native", "scip"),
    ("native", "minizinc"),
    ("partition", "highs"),
    ("cuts", "highs"),
    ("cuts", "cbc"),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("puzzle")
    parser.add_argument("--level")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    puzzle = milp_pips.read(arguments.puzzle, arguments.level)
    ways = [(m, s) for m, s in WAYS if not s or not plugins.solver(s).unavailable()]
    totals: dict[tuple[str, str], list[float]] = {way: [] for way in ways}
    tenths: dict[tuple[str, str], tuple[float, float]] = {}
    count = 0
    for _ in range(arguments.rounds):
        for method, solver in ways:
            begun = time.perf_counter()
            stamps = [
                time.perf_counter() for _ in milp_pips.solutions(puzzle, solver, method=method, limit=10**9)
            ]
            count = len(stamps)
            totals[method, solver].append(stamps[-1] - begun)
            part = max(1, count // 10)
            tenths[method, solver] = (
                (stamps[part - 1] - begun) / part,
                (stamps[-1] - stamps[-1 - part]) / part,
            )
    print(header("highspy", "pyscipopt", "ortools"))
    print(f"{puzzle.name}: {count} solutions, {arguments.rounds} interleaved rounds\n")
    print("| method | solver | total s | ms per solution, first tenth | last tenth |")
    print("|---|---|---|---|---|")
    for way in ways:
        first, last = tenths[way]
        total = statistics.median(totals[way])
        print(f"| {way[0]} | {way[1] or '–'} | {total:.3f} | {1000 * first:.2f} | {1000 * last:.2f} |")


if __name__ == "__main__":
    main()
