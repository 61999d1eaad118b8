"""List all solutions through this package, and by each engine's own loop on the same filtered problem.

    python benchmarks/lists.py [--level hard] [--rounds 3] [PUZZLE]

An engine's own loop collects each solution whole, pips and where the dominoes lie: CP-SAT by its callback, a
SAT solver by blocking clauses, clingo by its iterator, HiGHS by cuts on a live model (the first solutions,
since each solve is harder). Ours also checks each solution, and confirms in a second way that the list is
complete. Seconds are those of the processor. Without a puzzle, a generated board is listed.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from itertools import islice
from typing import Any

from measure import header, ratio

import milp_pips
from milp_pips.engines import registry
from milp_pips.problem.answer import Settings
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline
from milp_pips.propagation import DEFAULT_RULES, reduce_domains
from milp_pips.puzzles.puzzle import Puzzle

MOST_BY_CUTS = 60
"""Solutions that are listed by cuts."""


def by_cp_sat(problem: Problem, _limit: int) -> int:
    from ortools.sat.python import cp_model

    from milp_pips.engines.cp_sat import NativeModel

    stated = NativeModel(problem)
    found: list[list[int]] = []

    class Collector(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
        def on_solution_callback(self) -> None:
            found.append(list(self.response_proto.solution))

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.linearization_level = 0
    solver.solve(stated.model, Collector())
    return len(found)


def by_sat(problem: Problem, _limit: int) -> int:
    from pysat.solvers import Solver

    from milp_pips.engines.sat import DEFAULT_SAT_SOLVER
    from milp_pips.formulations.cnf import CnfEncoding

    stated, found = CnfEncoding(problem), list[tuple[int, ...]]()
    (key, *_) = problem.keys.values()
    with Solver(DEFAULT_SAT_SOLVER, bootstrap_with=stated.clauses) as solver:
        while solver.solve():
            found.append(stated.decode(solver.get_model()))
            solver.add_clause([-stated.literal(v, found[-1][v]) for v in key])
    return len(found)


def by_clingo(problem: Problem, _limit: int) -> int:
    from milp_pips.engines.clingo import grounded

    (key, *_) = problem.keys.values()
    control, found = grounded(problem, key, Settings(), Deadline()), list[list[tuple[int, int]]]()
    with control.solve(yield_=True) as handle:
        for model in handle:
            atoms = [atom.arguments for atom in model.symbols(shown=True)]
            found.append([(variable.number, value.number) for variable, value in atoms])
    return len(found)


def by_highs(problem: Problem, limit: int) -> int:
    import highspy
    import numpy as np

    model = milp_pips.formulate(problem, "projected")
    highs, found = model.to_highspy(), 0
    while found < limit:
        highs.run()
        if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            break
        ones = np.flatnonzero(np.asarray(highs.getSolution().col_value) > 0.5).astype(np.int32)
        highs.addRow(-highspy.kHighsInf, len(ones) - 1.0, len(ones), ones, np.ones(len(ones)))
        found += 1
    return found


LOOPS: dict[str, tuple[str, Callable[[Problem, int], int]]] = {
    "cp-sat": ("native", by_cp_sat),
    "sat": ("native", by_sat),
    "clingo": ("native", by_clingo),
    "highs": ("cuts", by_highs),
}
"""The method by which we list with each engine, and the engine's own loop."""


def measured(puzzle: Puzzle, rounds: int) -> dict[str, tuple[int, list[float], list[float]]]:
    """Return for each engine the number of solutions, and our seconds and its own in each round."""
    problem = reduce_domains(milp_pips.state(puzzle), DEFAULT_RULES)
    able = {name: way for name, way in LOOPS.items() if not registry.solver(name).unavailable()}
    found: dict[str, tuple[int, list[float], list[float]]] = {}
    for _ in range(rounds + 1):  # the first round warms up
        for name, (method, loop) in able.items():
            limit = MOST_BY_CUTS if method == "cuts" else None

            def ours(name: str = name, method: str = method, limit: int | None = limit) -> int:
                return sum(1 for _ in milp_pips.solutions(puzzle, name, method=method, limit=limit))

            def own(loop: Callable[[Problem, int], int] = loop) -> int:
                return loop(problem, MOST_BY_CUTS)

            (count, us), (same, it) = _timed(ours), _timed(own)
            assert count == same, (name, count, same)
            _, spent, spent_by_it = found.setdefault(name, (count, [], []))
            spent.append(us)
            spent_by_it.append(it)
    return {name: (count, us[1:], it[1:]) for name, (count, us, it) in found.items()}


def _timed(work: Callable[[], int]) -> tuple[int, float]:
    begun = time.process_time()
    return work(), time.process_time() - begun


def a_board() -> Puzzle:
    """Return a generated board with 2,000 to 20,000 solutions."""
    made: Any = milp_pips.generate(style="plain", dominoes=9, count=100, seed=5)
    for each in islice(made, 100):
        if 2_000 <= milp_pips.count(each.puzzle, ["placement"]).counts["placement"] <= 20_000:
            return each.puzzle
    raise AssertionError("no such board among 100")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("puzzle", nargs="?")
    parser.add_argument("--level")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    puzzle = milp_pips.read(arguments.puzzle, arguments.level) if arguments.puzzle else a_board()
    print(header("highspy", "ortools", "clingo", "python-sat"))
    print(f"{puzzle.name}, {arguments.rounds} interleaved rounds, processor time\n")
    print("| engine | solutions | ours, median s | its own loop | ratio |\n|---|---|---|---|---|")
    for name, (count, us, it) in measured(puzzle, arguments.rounds).items():
        medians = statistics.median(us), statistics.median(it)
        print(f"| {name} | {count} | {medians[0]:.2f} | {medians[1]:.2f} | {ratio(us, it):.2f} |")


if __name__ == "__main__":
    main()
