"""Measure how long unique puzzles take, which sizes can have which grade, and how often rules are chosen.

Without an option: processor seconds and memory for unique puzzles, the median of some seeds for each size.
``--grades`` makes puzzles of each grade and size, and prints how many of three seeds were found within
5 processor seconds, and the worst time; ``limits_of_grade`` of the generator has the sizes.
``--rules FOLDER`` compares the rules of published puzzles with those of new ones of the same sizes.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from measure import header, puzzles_of

import milp_pips
from milp_pips.extras.explain.parameters import GRADES
from milp_pips.extras.generate import pips
from milp_pips.problem import Deadline
from milp_pips.puzzles.pips.puzzle import Pips, Rule

SECONDS = 5.0
"""The processor seconds within which a puzzle of a grade is to be found."""

PATIENCE = 4
"""The seconds by the clock that are waited for each processor second: other programs run, too."""

LARGE_TARGET = 10
"""The least target of a sum that counts as a large figure."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="8,14,20,28,40", help="numbers of dominoes")
    parser.add_argument("--seeds", type=int, default=10, help="puzzles of each size (default: 10)")
    parser.add_argument("--grades", action="store_true", help="puzzles of each grade")
    parser.add_argument("--rules", metavar="FOLDER", help="published puzzles")
    arguments = parser.parse_args()
    list(milp_pips.generate(dominoes=3, unique=True))  # loads what is needed
    sizes = [int(size) for size in arguments.sizes.split(",")]
    print(f"{header('highspy', 'python-sat')}\n")
    if arguments.rules:
        print_rules(arguments.rules)
    elif arguments.grades:
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


def print_rules(folder: str) -> None:
    """Print the shares of kinds of rules among all rules, of published puzzles and of new ones."""
    published = [puzzle for puzzle in puzzles_of([folder]) if isinstance(puzzle, Pips)]
    made = [
        next(milp_pips.generate(dominoes=len(puzzle.dominoes), unique=True, seed=seed)).puzzle
        for seed, puzzle in enumerate(published)
    ]
    columns = [shares(published), shares([puzzle for puzzle in made if isinstance(puzzle, Pips)])]
    print(f"| of all rules | {len(published)} published | as many new |\n|---|---|---|")
    for name in columns[0]:
        print(f"| {name} | {' | '.join(f'{column[name]:.1%}' for column in columns)} |")


def shares(puzzles: Sequence[Pips]) -> dict[str, float]:
    """Return the share of rules of each kind, and of puzzles with ``≠``."""
    counts = Counter[str]()
    for puzzle in puzzles:
        rules = [region for region in puzzle.regions if region.rule is not None]
        counts["rules"] += len(rules)
        for _, cells, rule, target in rules:
            counts["of one cell"] += len(cells) == 1
            counts["of four cells or more"] += len(cells) >= 4
            counts["sum"] += rule is Rule.SUM
            counts["sum of 10 or more"] += rule is Rule.SUM and (target or 0) >= LARGE_TARGET
            counts["equal"] += rule is Rule.EQ
            counts["different"] += rule is Rule.NEQ
            counts["more or less"] += rule not in (Rule.SUM, Rule.EQ, Rule.NEQ)
        counts["with a different"] += any(region.rule is Rule.NEQ for region in rules)
    every = counts.pop("rules")
    with_different = counts.pop("with a different")
    return {name: n / every for name, n in counts.items()} | {
        "puzzles with a different": with_different / max(1, len(puzzles))
    }


if __name__ == "__main__":
    main()
