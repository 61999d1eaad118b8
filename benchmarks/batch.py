"""Measure how many small puzzles of a folder one process solves per second, for each engine.

python benchmarks/batch.py --puzzles 1000 --dominoes 3 10
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from measure import header, interleaved

import milp_pips
from milp_pips.engines import registry
from milp_pips.puzzles.pips.text import write

SOLVERS = ("default", "diagram", "highs", "cp-sat", "sat", "scip", "cbc", "brute")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--puzzles", type=int, default=1000)
    parser.add_argument("--dominoes", type=int, nargs=2, default=(3, 10), help="least and most of a puzzle")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default=",".join(SOLVERS), help="names of solvers, separated by commas")
    arguments = parser.parse_args()
    least, most = arguments.dominoes
    spent = measured(arguments.puzzles, least, most, arguments.only.split(","), arguments.rounds)
    print(header("highspy", "pulp", "pyscipopt", "ortools"))
    print(
        f"{arguments.puzzles} puzzles of {least} to {most} dominoes, {arguments.rounds} interleaved rounds\n"
    )
    print("| solver | median s | puzzles a second |\n|---|---|---|")
    for name, seconds in spent.items():
        median = statistics.median(seconds)
        print(f"| {name} | {median:.2f} | {arguments.puzzles / median:.0f} |")


def measured(puzzles: int, least: int, most: int, solvers: list[str], rounds: int) -> dict[str, list[float]]:
    """Return the seconds of whole processes that solve a folder, by solver, round by round."""
    names = [n for n in solvers if n == "default" or not registry.solver(n).unavailable()]
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(puzzles):
            puzzle = next(
                milp_pips.generate(style="plain", dominoes=least + seed % (most - least + 1), seed=seed)
            ).puzzle
            Path(folder, f"{puzzle.name}.txt").write_text(write(puzzle))

        def solve(*words: str) -> None:
            command = [sys.executable, "-m", "milp_pips", "solve", folder, *words]
            solved = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            assert solved.count('"status": "solved"' if "--json" in words else "solved by") == puzzles

        def task(name: str) -> Callable[[], None]:
            words = () if name == "default" else ("--solver", name)
            return lambda: solve("--json", *words)

        return interleaved({**{name: task(name) for name in names}, "default, drawn": solve}, rounds)


if __name__ == "__main__":
    main()
