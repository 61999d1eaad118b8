"""Run every engine and formulation on the same puzzles: median, total and worst of build + solve, and solved.

    python benchmarks/engines.py --level hard --rounds 3 PUZZLES...

Engines run in this process, one after another on each puzzle, so drift of the machine affects all alike;
every point is validated against the rules.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

from measure import header

import milp_pips
from milp_pips.engines import registry
from milp_pips.problem.answer import Settings
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.reading import files_of
from milp_pips.tasks.pipeline import prepare

ENTRANTS = [
    *(("highs", way) for way in ("projected", "aggregated", "implication")),
    *(("cbc", way) for way in ("projected", "aggregated", "implication")),
    *(("scip", way) for way in ("projected", "aggregated", "implication")),
    ("pulp", "projected"),
    ("pyomo", "projected"),
    *(("cp-sat", way) for way in ("native", "baseline", "equality", "pruning")),
    ("minizinc", ""),
    ("sat", ""),
    ("brute", ""),
    ("diagram", "restricted"),
    ("diagram", "exact"),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("puzzles", nargs="+", help="puzzle files or directories")
    parser.add_argument("--level")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds per puzzle; brute gets a tenth")
    parser.add_argument("--only", default="", help="names of solvers, separated by commas")
    arguments = parser.parse_args()
    puzzles = [
        p for f in files_of(arguments.puzzles) for p in milp_pips.read_all(f, arguments.level).values()
    ]
    wanted = arguments.only.split(",") if arguments.only else [name for name, _ in ENTRANTS]
    entrants = [
        (name, way) for name, way in ENTRANTS if name in wanted and not registry.solver(name).unavailable()
    ]
    spent: dict[tuple[str, str], list[list[float]]] = {entrant: [] for entrant in entrants}
    unsolved: dict[tuple[str, str], set[str]] = {entrant: set() for entrant in entrants}
    for number in range(arguments.rounds):
        for entrant in entrants:
            spent[entrant].append([])
        for puzzle in puzzles:
            problem = milp_pips.state(puzzle)
            for name, way in entrants:
                limit = arguments.limit / 10 if name == "brute" else arguments.limit
                begun = time.perf_counter()
                answer = registry.solver(name).solve(problem, Settings(way), Deadline(limit))
                spent[name, way][-1].append(time.perf_counter() - begun)
                if prepare(puzzle, ()).judge(answer.point, name) is None:
                    unsolved[name, way].add(puzzle.name)
        print(f"round {number + 1} done", file=sys.stderr, flush=True)
    print(header("highspy", "pulp", "pyomo", "pyscipopt", "ortools"))
    print(f"{len(puzzles)} puzzles, level {arguments.level}, limit {arguments.limit:g} s")
    print(f"{arguments.rounds} interleaved rounds\n")
    print("| solver | formulation | median ms | total s | worst s | solved |")
    print("|---|---|---|---|---|---|")
    for name, way in entrants:
        by_puzzle = [statistics.median(times) for times in zip(*spent[name, way], strict=True)]
        figures = f"{1000 * statistics.median(by_puzzle):.1f} | {sum(by_puzzle):.2f} | {max(by_puzzle):.2f}"
        solved = f"{len(puzzles) - len(unsolved[name, way])} of {len(puzzles)}"
        print(f"| {name} | {way or '–'} | {figures} | {solved} |")
    for entrant, names in unsolved.items():
        if names:
            print(f"\n{' '.join(entrant)} did not solve {', '.join(sorted(names))}")


if __name__ == "__main__":
    main()
