"""Read, build and solve, against straightforward PuLP + HiGHS on the same puzzles in the same run.

python benchmarks/first_solution.py --level hard PUZZLES...
"""

from __future__ import annotations

import argparse
import statistics

import pulp
from measure import header, interleaved, table
from straightforward_pulp import model

import milp_pips
from milp_pips.reading import files_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("puzzles", nargs="+", help="puzzle files or directories")
    parser.add_argument("--level")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    files = list(files_of(arguments.puzzles))
    single: list[float] = []

    def ours() -> None:
        for file in files:
            for puzzle in milp_pips.read_all(file, arguments.level).values():
                result = milp_pips.solve(puzzle)
                assert result.status == "solved", puzzle.name
                single.append(result.seconds["total"])

    def theirs() -> None:
        for file in files:
            for puzzle in milp_pips.read_all(file, arguments.level).values():
                assert model(puzzle).solve(pulp.HiGHS(msg=False, threads=1)) == pulp.LpStatusOptimal, (
                    puzzle.name
                )

    spent = interleaved({"milp_pips": ours, "straightforward PuLP + HiGHS": theirs}, arguments.rounds)
    print(header("highspy", "pulp"))
    print(f"{len(files)} files, level {arguments.level}, {arguments.rounds} interleaved rounds\n")
    print(table(spent, "milp_pips"))
    print(f"\nmedian of a single puzzle with milp_pips: {1000 * statistics.median(single):.1f} ms")


if __name__ == "__main__":
    main()
