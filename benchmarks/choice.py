"""Where the default changes from HiGHS to the search: both on the same puzzles, by what filtering leaves.

    python benchmarks/choice.py PUZZLES...

Generated boards of 8 to 30 dominoes are added, with all rules and with one only.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
from collections.abc import Iterator

from first_solution import generated, measured
from measure import header, puzzles_of

import milp_pips
from milp_pips.defaults import count_open_values
from milp_pips.filtering import filter_domains
from milp_pips.puzzles.family import Puzzle

SOLVERS = ("highs", "lns")
BORDERS = (0, 20, 60, 140, 250, 10**9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("puzzles", nargs="*", help="puzzle files or directories")
    puzzles = [*puzzles_of(parser.parse_args().puzzles), *some_generated()]
    spent = measured(puzzles, [f"filtered {solver}" for solver in SOLVERS], 1)
    left = [count_open_values(filter_domains(milp_pips.state(puzzle))) for puzzle in puzzles]
    print(header("highspy"))
    print("\n| open values | puzzles | HiGHS, mean s | worst | `lns`, mean s | worst |")
    print("|---|---|---|---|---|---|")
    for low, high in itertools.pairwise(BORDERS):
        rows = [number for number, count in enumerate(left) if low <= count < high]
        cells = [[seconds[row] for row in rows] for seconds in spent.values()]
        shown = " | ".join(f"{statistics.mean(times):.3f} | {max(times):.3f}" for times in cells if times)
        span = f"{low} or more" if high == BORDERS[-1] else f"{low} to {high - 1}"
        print(f"| {span} | {len(rows)} | {shown} |")


def some_generated() -> Iterator[Puzzle]:
    for dominoes in (8, 10, 12, 14, 16, 18, 20, 25, 30):
        yield from generated(dominoes, 6, seed=5)
    for dominoes in (12, 16, 20, 25, 30):
        for rule in ("SUM", "EQ", "NEQ", "LT"):
            made = milp_pips.generate(dominoes=dominoes, count=2, seed=5, region_sizes="1..3", rules=rule)
            yield from (one.puzzle for one in made)


if __name__ == "__main__":
    main()
