"""Count all puzzles by decision diagrams, by both keys, and compare the counts with a table of known ones.

    python benchmarks/counting.py --expected COUNTS.tsv PUZZLES...
    python benchmarks/counting.py --memory

The second command measures the bytes per node, which convert memory limits into node budgets
(``milp_pips/compilation/limits.py``).
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from measure import header, puzzles_of

import milp_pips
from milp_pips.compilation.limits import Budget, Unfinished
from milp_pips.compilation.solution_set import SolutionSet, compile_problem
from milp_pips.puzzles.puzzle import Puzzle


class CountResult(NamedTuple):
    """The counts of a puzzle, and the processor seconds that they took."""

    name: str
    placements: int
    grids: int
    placements_seconds: float
    grids_seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("puzzles", nargs="*", help="puzzle files or directories")
    parser.add_argument("--expected", help="lines of puzzle, placements and grids, separated by tabs")
    parser.add_argument("--memory", action="store_true", help="measure bytes per node in place of time")
    arguments = parser.parse_args()
    if not (arguments.memory or arguments.puzzles):
        parser.error("name puzzles to count")
    if arguments.memory:
        print(header())
        print(bytes_per_node())
        return
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


def bytes_per_node(nodes: int = 50_000) -> str:
    """Return the bytes per node of a random board with this many nodes: of a diagram, of a projection."""
    (made,) = milp_pips.generate(style="plain", dominoes=20, count=1)
    problem = milp_pips.state(made.puzzle)
    limit = Budget(nodes)
    whole = peak_bytes(lambda: compile_problem(problem, None, limit, method="diagram")) / nodes
    some = compile_problem(problem, method="diagram", widths=(1000,))
    view = peak_bytes(lambda: some.project("grid", Budget(3 * nodes))) / nodes
    return f"20 dominoes: {whole:.0f} bytes per node of a diagram, {view:.0f} of a projection"


def peak_bytes(work: Callable[[], SolutionSet]) -> int:
    tracemalloc.start()
    try:
        work()
        print("finished within its budget, so that fewer nodes were made:")
    except Unfinished:
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def measured(puzzles: Sequence[Puzzle]) -> list[CountResult]:
    """Return the counts of every puzzle."""
    counted = []
    for puzzle in puzzles:
        problem = milp_pips.state(puzzle)
        begun = time.process_time()
        diagram = compile_problem(problem, method="diagram")
        count = diagram.count
        compiled = time.process_time()
        grids = diagram.project("grid").count
        ended = time.process_time()
        counted.append(CountResult(puzzle.name, count, grids, compiled - begun, ended - compiled))
    return counted


if __name__ == "__main__":
    main()
