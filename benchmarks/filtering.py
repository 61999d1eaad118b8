"""What filtering the domains first is worth: each engine on the same puzzles, without and with it.

    python benchmarks/filtering.py --level hard PUZZLES...
    python benchmarks/filtering.py --random 20 --only highs,cp-sat

Without and with take turns on every puzzle; the time of filtering itself is counted. Seconds of the processor
stand beside those of the clock, for a machine that others use, too.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable

from engines import ENTRANTS
from measure import header

import milp_pips
from milp_pips import plugins
from milp_pips.answer import Settings
from milp_pips.diagram import compile_diagram
from milp_pips.filtering import filter_domains
from milp_pips.problem import Problem
from milp_pips.reading import files_of
from milp_pips.watch import Watch

LEFT_OUT = {"pulp", "pyomo", "brute"}
"""The first two solve the model of highs and cbc; backtracking takes minutes."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("puzzles", nargs="*", help="puzzle files or directories")
    parser.add_argument("--level")
    parser.add_argument("--random", type=int, metavar="DOMINOES", help="random puzzles in place of files")
    parser.add_argument("--seeds", type=int, default=8, help="how many random puzzles")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=20.0, help="seconds per puzzle")
    parser.add_argument("--only", default="", help="names of solvers, separated by commas")
    arguments = parser.parse_args()
    if arguments.random:
        problems = [
            milp_pips.state(made.puzzle)
            for made in milp_pips.generate(dominoes=arguments.random, count=arguments.seeds)
        ]
    else:
        puzzles = (milp_pips.read_all(f, arguments.level).values() for f in files_of(arguments.puzzles))
        problems = [milp_pips.state(puzzle) for some in puzzles for puzzle in some]
    wanted = arguments.only.split(",") if arguments.only else [name for name, _ in ENTRANTS] + ["diagram"]
    print(header("highspy", "pulp", "pyscipopt", "ortools"))
    print(
        f"{len(problems)} puzzles, {arguments.rounds} rounds; median of a puzzle, total, total processor time"
    )
    print(f"taken: {shrunk(problems)}\n")
    print("| solver | formulation | plain ms | s | CPU s | filtered ms | s | CPU s | CPU ratio |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, way in [*ENTRANTS, ("diagram", "")]:
        if name in LEFT_OUT or name not in wanted:
            continue
        if name == "diagram":
            work: Callable[[Problem], object] = compile_diagram
        elif plugins.solver(name).unavailable():
            continue
        else:
            work = engine(name, way, arguments.limit)
        sides = compared(problems, work, arguments.rounds)
        figures = [f"{1000 * m:.1f} | {s:.2f} | {cpu:.2f}" for m, s, cpu in sides]
        print(
            f"| {name} | {way or '–'} | {' | '.join(figures)} | {sides[0][2] / sides[1][2]:.1f} |", flush=True
        )


def engine(name: str, way: str, limit: float) -> Callable[[Problem], object]:
    solver = plugins.solver(name)
    return lambda problem: solver.solve(problem, Settings(way), Watch(limit))


def compared(
    problems: list[Problem], work: Callable[[Problem], object], rounds: int
) -> list[tuple[float, float, float]]:
    """Return median, total and processor seconds, without filtering and with it."""
    clock: list[list[float]] = [[], []]
    processor = [0.0, 0.0]
    work(problems[0])  # the engine is loaded here
    for problem in problems:
        spent: list[list[float]] = [[], []]
        for _ in range(rounds):
            for side in (0, 1):
                begun, worked = time.perf_counter(), processor_seconds()
                work(filter_domains(problem) if side else problem)
                spent[side].append(time.perf_counter() - begun)
                processor[side] += (processor_seconds() - worked) / rounds
        for side in (0, 1):
            clock[side].append(statistics.median(spent[side]))
    return [(statistics.median(times), sum(times), cpu) for times, cpu in zip(clock, processor, strict=True)]


def processor_seconds() -> float:
    """Return what this process and the programs that it has run have used."""
    return sum(os.times()[:4])


def shrunk(problems: list[Problem]) -> str:
    """Return how many values are left, and how long filtering takes."""
    before = after = 0
    spent = []
    for problem in problems:
        begun = time.process_time()
        filtered = filter_domains(problem)
        spent.append(time.process_time() - begun)
        before += sum(len(variable.domain) for variable in problem.variables)
        after += sum(len(variable.domain) for variable in filtered.variables)
    median = 1000 * statistics.median(spent)
    return f"{before} values of variables become {after}; filtering takes {median:.2f} ms (median)"


if __name__ == "__main__":
    main()
