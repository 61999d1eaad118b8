"""Count all puzzles by decision diagrams, both keys, and hold the numbers against a table of known counts.

python benchmarks/counting.py --expected COUNTS.tsv PUZZLES...
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from measure import header

import milp_pips
from milp_pips.reading import files_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("puzzles", nargs="+", help="puzzle files or directories")
    parser.add_argument("--expected", help="lines of puzzle, placements and grids, separated by tabs")
    arguments = parser.parse_args()
    expected: dict[str, list[int]] = {}
    if arguments.expected:
        for line in Path(arguments.expected).read_text().splitlines()[1:]:
            name, *numbers = line.split("\t")
            expected[name] = [int(number) for number in numbers]
    placements, grids, worst, right, counted = 0.0, 0.0, ("", 0.0), 0, 0
    largest = ("", 0)
    for file in files_of(arguments.puzzles):
        if file.endswith(".tsv"):
            continue
        for puzzle in milp_pips.read_all(file).values():
            problem = puzzle.state()
            begun = time.perf_counter()
            diagram = milp_pips.compile_diagram(problem)
            count = diagram.count
            spent = time.perf_counter() - begun
            placements += spent
            worst = max(worst, (puzzle.name, spent), key=lambda pair: pair[1])
            largest = max(largest, (puzzle.name, count), key=lambda pair: pair[1])
            begun = time.perf_counter()
            seen = milp_pips.projected(diagram, problem.keys["grid"]).count
            grids += time.perf_counter() - begun
            counted += 1
            right += expected.get(puzzle.name) == [count, seen]
    print(header())
    print(f"{counted} puzzles, {right} with both counts as expected")
    print(
        f"placements {placements:.2f} s in all, worst {worst[1]:.3f} s ({worst[0]}); grids {grids:.2f} s more"
    )
    print(f"largest: {largest[1]} placements ({largest[0]})")


if __name__ == "__main__":
    main()
