"""Measure the gain by filtering: each engine on the same puzzles, without and with it.

    python benchmarks/filtering.py --level hard PUZZLES...
    python benchmarks/filtering.py --random 20 --only highs,cp-sat
    python benchmarks/filtering.py --thorough PUZZLES...

The two variants take turns on every puzzle; the time of filtering itself is included. The tables have both
wall-clock and processor seconds, for a machine with other work.

``--thorough`` measures filtering of large boards and rules, without and with the rules reserved for them:
kinds of dominoes, perfect matchings, flows. For the given puzzles it shows the gain by these rules.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from measure import header, processor_seconds

import milp_pips
from milp_pips.compilation.solution_set import compile_problem
from milp_pips.constraints import DominoCover
from milp_pips.engines import registry
from milp_pips.problem.answer import Settings
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline
from milp_pips.propagation import fixpoint
from milp_pips.propagation.fixpoint import filter_domains
from milp_pips.puzzles.reading import files_of

LEFT_OUT = {"pulp", "pyomo", "brute"}
"""Engines that are left out: the first two solve the model of highs and cbc, backtracking takes minutes."""

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
    parser.add_argument("puzzles", nargs="*", help="puzzle files or directories")
    parser.add_argument("--level")
    parser.add_argument("--random", type=int, metavar="DOMINOES", help="random puzzles in place of files")
    parser.add_argument("--seeds", type=int, default=8, help="how many random puzzles")
    parser.add_argument("--thorough", action="store_true", help="large boards, and what only they get")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=20.0, help="seconds per puzzle")
    parser.add_argument("--only", default="", help="names of solvers, separated by commas")
    arguments = parser.parse_args()
    if arguments.thorough:
        measure_thorough(arguments.puzzles, arguments.rounds)
        return
    if arguments.random:
        problems = [
            milp_pips.state(made.puzzle)
            for made in milp_pips.generate(style="plain", dominoes=arguments.random, count=arguments.seeds)
        ]
    else:
        puzzles = (milp_pips.read_all(f, arguments.level).values() for f in files_of(arguments.puzzles))
        problems = [milp_pips.state(puzzle) for some in puzzles for puzzle in some]
    wanted = arguments.only.split(",") if arguments.only else [name for name, _ in ENTRANTS] + ["diagram"]
    print(header("highspy", "pulp", "pyscipopt", "ortools"))
    print(
        f"{len(problems)} puzzles, {arguments.rounds} rounds; median of a puzzle, total, total processor time"
    )
    print(f"taken: {measure_filtering(problems)}\n")
    print("| solver | formulation | plain ms | s | CPU s | filtered ms | s | CPU s | CPU ratio |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, way in [*ENTRANTS, ("diagram", "")]:
        if name in LEFT_OUT or name not in wanted:
            continue
        if name == "diagram":
            work: Callable[[Problem], object] = partial(compile_problem, method="diagram")
        elif registry.solver(name).unavailable():
            continue
        else:
            work = engine(name, way, arguments.limit)
        sides = compare_variants(problems, work, arguments.rounds)
        figures = [f"{1000 * m:.1f} | {s:.2f} | {cpu:.2f}" for m, s, cpu in sides]
        print(
            f"| {name} | {way or '–'} | {' | '.join(figures)} | {sides[0][2] / sides[1][2]:.1f} |", flush=True
        )


def measure_thorough(puzzles: list[str], rounds: int) -> None:
    """Print the open values after filtering, and its processor time, without and with the thorough rules."""
    print(header())
    print("| boards | values too many | thorough | cells with several partners | thorough | ms | thorough |")
    print("|---|---|---|---|---|---|---|")
    sets = {f"double-{n}, every pip given": given_boards(n) for n in (6, 10, 14, 18, 25)}
    sets |= {f"Sudokus {n}, {share:.0%} given": thin_sudokus(n, share) for n, share in ((9, 0.3), (16, 0.4))}
    if puzzles:
        sets["puzzles"] = [
            milp_pips.state(puzzle) for f in files_of(puzzles) for puzzle in milp_pips.read_all(f).values()
        ]
    for name, problems in sets.items():
        figures: list[tuple[int, int]] = []
        spent: list[list[float]] = [[], []]
        for counted in range(rounds):
            for thorough in (False, True):
                fixpoint.LARGE_BOARD = fixpoint.LARGE_RULE = 0 if thorough else 10**9
                begun = time.process_time()
                reduced = [filter_domains(problem) for problem in problems]
                spent[thorough].append(1000 * (time.process_time() - begun) / len(problems))
                if not counted:
                    figures.append(still_open(reduced))
        (values, cells), (values_left, cells_left) = figures
        took = " | ".join(f"{statistics.median(side):.1f}" for side in spent)
        print(f"| {name} | {values} | {values_left} | {cells} | {cells_left} | {took} |", flush=True)


def given_boards(pips: int) -> list[Problem]:
    """Return boards with all pips given, to be covered by a full set."""
    dominoes = (pips + 1) * (pips + 2) // 2
    return problems_of(
        "pips", dominoes=dominoes, set=f"double-{pips}", region_sizes="1..1", rules="SUM", count=5
    )


def thin_sudokus(size: int, share: float) -> list[Problem]:
    """Return Sudokus with a random share of the cells given."""
    rng, problems = random.Random(1), []
    for made in milp_pips.generate("sudoku", seed=1, size=size, count=10):
        rows = [[symbol if rng.random() < share else "" for symbol in row] for row in made.puzzle.published]
        problems.append(milp_pips.state(replace(made.puzzle, givens=tuple(map(tuple, rows)))))
    return problems


def problems_of(family: str, **wanted: object) -> list[Problem]:
    return [milp_pips.state(made.puzzle) for made in milp_pips.generate(family, seed=1, **wanted)]


def still_open(problems: list[Problem]) -> tuple[int, int]:
    """Return the number of surplus values of all cells, and of cells with more than one possible partner."""
    partners = [
        {v for c in p.constraints if isinstance(c, DominoCover) for v in c.partners} for p in problems
    ]
    sizes = [
        (v in partner_variables, len(variable.domain))
        for problem, partner_variables in zip(problems, partners, strict=True)
        for v, variable in enumerate(problem.variables)
    ]
    return sum(size - 1 for is_partner, size in sizes if not is_partner), sum(
        size > 1 for is_partner, size in sizes if is_partner
    )


def engine(name: str, way: str, limit: float) -> Callable[[Problem], object]:
    solver = registry.solver(name)
    return lambda problem: solver.solve(problem, Settings(way), Deadline(limit))


def compare_variants(
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


def measure_filtering(problems: list[Problem]) -> str:
    """Return the number of values left, and the time of filtering."""
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
