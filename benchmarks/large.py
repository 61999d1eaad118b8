"""First solutions of large generated boards by the default solver: processor seconds, over seeds.

python benchmarks/large.py --dominoes 200 400 1000 --count 10
python benchmarks/large.py --dominoes 400 --rules SUM --region-sizes 4..7
"""

from __future__ import annotations

import argparse
import statistics
from typing import NamedTuple

from measure import header, peak_megabytes, processor_seconds, separate_processes

import milp_pips
from milp_pips.puzzles.puzzle import Puzzle

SEED = 11


class Figures(NamedTuple):
    """The results for boards of one size."""

    solvers: set[str]
    solved: int
    seconds: list[float]
    megabytes: float

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def worst(self) -> float:
        return max(self.seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dominoes", type=int, nargs="+", default=[50, 100, 200, 400, 1000, 2000])
    parser.add_argument("--count", type=int, default=10, help="puzzles of each size")
    parser.add_argument("--rules", help="as for generate")
    parser.add_argument("--region-sizes", default="1..5")
    parser.add_argument("--solver", default="")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds per puzzle")
    arguments = parser.parse_args()
    print(header("highspy"))
    print("| dominoes | solver | solved | median s | worst s | MB |\n|---|---|---|---|---|---|")
    for dominoes in arguments.dominoes:
        found = measured(
            dominoes,
            arguments.count,
            arguments.region_sizes,
            arguments.rules,
            arguments.solver,
            arguments.limit,
            arguments.seed,
        )
        who = "/".join(sorted(found.solvers))
        solved = f"{found.solved} of {len(found.seconds)}"
        figures = f"{found.median:.2f} | {found.worst:.2f} | {found.megabytes:.0f}"
        print(f"| {dominoes} | {who} | {solved} | {figures} |", flush=True)


def measured(
    dominoes: int,
    count: int,
    region_sizes: str = "1..5",
    rules: str | None = None,
    solver: str = "",
    limit: float = 60.0,
    seed: int = SEED,
) -> Figures:
    """Return the results for this many boards; one process makes them, and another solves them."""
    with separate_processes(2) as (make, call):
        boards = make(_boards, dominoes, count, region_sizes, rules, seed)
        call(_solved, make(_boards, 2, 1, "1..5", None, seed)[0], solver, limit)  # loads the engine
        found = [call(_solved, board, solver, limit) for board in boards]
        solvers, solved, seconds = zip(*found, strict=True)
        return Figures(set(solvers), sum(solved), list(seconds), call(peak_megabytes))


def _boards(dominoes: int, count: int, sizes: str, rules: str | None, seed: int) -> list[Puzzle]:
    options = {"rules": rules} if rules else {}
    made = milp_pips.generate(
        style="plain", dominoes=dominoes, count=count, seed=seed, region_sizes=sizes, **options
    )
    return [one.puzzle for one in made]


def _solved(puzzle: Puzzle, solver: str, limit: float) -> tuple[str, bool, float]:
    """Return the solver that solved the puzzle, whether it did, and its processor seconds."""
    begun = processor_seconds()
    result = milp_pips.solve(puzzle, solver, seconds=limit)
    return result.solver, result.status == "solved", processor_seconds() - begun


if __name__ == "__main__":
    main()
