"""Count all puzzles by decision diagrams, both keys, and hold the numbers against a table of known counts.

python benchmarks/counting.py --expected COUNTS.tsv PUZZLES...
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from measure import header, puzzles_of

import milp_pips
from milp_pips.puzzles.family import Puzzle


class Counted(NamedTuple):
    """The counts of a puzzle, and the seconds that they took."""

    name: str
    placements: int
    grids: int
    placements_seconds: float
    grids_seconds: float


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
    counted = measured(puzzles_of(arguments.puzzles))
    right = sum(expected.get(one.name) == [one.placements, one.grids] for one in counted)
    worst = max(counted, key=lambda one: one.placements_seconds)
    largest = max(counted, key=lambda one: one.placements)
    placements = sum(one.placements_seconds for one in counted)
    grids = sum(one.grids_seconds for one in counted)
    print(header())
    print(f"{len(counted)} puzzles, {right} with both counts as expected")
    print(f"placements {placements:.2f} s in all, worst {worst.placements_seconds:.3f} s ({worst.name})")
    print(f"grids {grids:.2f} s more")
    print(f"largest: {largest.placements} placements ({largest.name})")


def measured(puzzles: Sequence[Puzzle[Any]]) -> list[Counted]:
    """Return the counts of every puzzle."""
    counted = []
    for puzzle in puzzles:
        problem = puzzle.state()
        begun = time.perf_counter()
        diagram = milp_pips.compile_diagram(problem)
        count = diagram.count
        compiled = time.perf_counter()
        grids = milp_pips.projected(diagram, problem.keys["grid"]).count
        ended = time.perf_counter()
        counted.append(Counted(puzzle.name, count, grids, compiled - begun, ended - compiled))
    return counted


if __name__ == "__main__":
    main()
