"""List all solutions of one puzzle as assignments, as objects and as lines of JSON, side by side.

python benchmarks/decoding.py --level hard PUZZLE

``seen`` also reads all attributes of each object. Times are processor times, medians of interleaved rounds.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterable

from measure import header

import milp_pips


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("puzzle")
    parser.add_argument("--level")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    puzzle = milp_pips.read(arguments.puzzle, arguments.level)
    diagram = milp_pips.compile(puzzle, method="diagram", rules=())
    ways: dict[str, Callable[[], Iterable[object]]] = {
        "assignments": diagram.assignments,
        "objects": lambda: milp_pips.solutions(puzzle),
        "seen": lambda: ((solution.values, solution.dominoes) for solution in milp_pips.solutions(puzzle)),
        "lines of JSON": lambda: milp_pips.solutions(puzzle).json_lines(),
    }
    spent: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(arguments.rounds):
        for way, listed in ways.items():
            begun = time.process_time()
            assert sum(1 for _ in listed()) == diagram.count
            spent[way].append(time.process_time() - begun)
    print(header())
    print(f"{puzzle.name}: {diagram.count} solutions, {arguments.rounds} interleaved rounds\n")
    print("| listed as | s | times the assignments |")
    print("|---|---|---|")
    least = statistics.median(spent["assignments"])
    for way in ways:
        median = statistics.median(spent[way])
        print(f"| {way} | {median:.2f} | {median / least:.1f} |")


if __name__ == "__main__":
    main()
