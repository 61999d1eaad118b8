"""Measure how long unique puzzles take, and which sizes can have which grade.

Without an option: processor seconds and memory for unique puzzles, the median of some seeds for each size.
``--grades`` makes puzzles of each grade and size, and prints how many of three seeds were found within
5 processor seconds, and the worst time; ``limits_of_grade`` of the generator has the sizes.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Sequence
from contextlib import suppress

from measure import header

import milp_pips
from milp_pips.extras.explain.parameters import GRADES
from milp_pips.extras.generate import pips
from milp_pips.problem import Deadline

SECONDS = 5.0
"""The processor seconds within which a puzzle of a grade is to be found."""

PATIENCE = 4
"""The seconds by the clock that are waited for each processor second: other programs run, too."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="8,14,20,28,40", help="numbers of dominoes")
    parser.add_argument("--seeds", type=int, default=10, help="puzzles of each size (default: 10)")
    parser.add_argument("--grades", action="store_true", help="puzzles of each grade")
    arguments = parser.parse_args()
    list(milp_pips.generate(dominoes=3, unique=True))  # loads what is needed
    sizes = [int(size) for size in arguments.sizes.split(",")]
    print(f"{header('highspy', 'python-sat')}\n")
    if arguments.grades:
        print_grades(sizes)
    else:
        print_times(sizes, range(arguments.seeds))


def print_times(sizes: Sequence[int], seeds: range) -> None:
    """Print the processor seconds of unique puzzles, and the memory of the process so far."""
    print("| dominoes | median s | most s | drafts | memory so far, MB |\n|---|---|---|---|---|")
    for size in sizes:
        spent, drafts = list[float](), list[int]()
        for seed in seeds:
            begun = time.process_time()
            (made,) = milp_pips.generate(dominoes=size, unique=True, seed=seed)
            spent.append(time.process_time() - begun)
            drafts.append(made.tries)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(
            f"| {size} | {statistics.median(spent):.2f} | {max(spent):.2f} | {max(drafts)} | {memory} |",
            flush=True,
        )


def print_grades(sizes: Sequence[int]) -> None:
    """Print how many of three seeds lead to a puzzle of each grade and size, and the most seconds."""
    pips.limits_of_grade = {}  # these are what is to be found
    print(f"| grade | {' | '.join(map(str, sizes))} |\n|---|{'---|' * len(sizes)}")
    for grade in GRADES:
        cells = list[str]()
        for size in sizes:
            found, most = 0, 0.0
            for seed in range(3):
                begun = time.process_time()
                with Deadline(PATIENCE * SECONDS) as deadline, suppress(milp_pips.UsageError):
                    made = list(milp_pips.generate(dominoes=size, grade=grade, seed=seed, deadline=deadline))
                    most = max(most, time.process_time() - begun)
                    found += bool(made) and time.process_time() - begun <= SECONDS
            cells.append(f"{found}; {most:.1f} s")
        print(f"| {grade} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
