"""Compare PySAT's solvers on the same formulas, and measure the time to encode them.

    python benchmarks/clauses.py [PUZZLES...] --solvers glucose4 cadical195 --limit 20

The formulas encode filtered puzzles: the given files, generated boards of 20 to 200 dominoes, full sets,
boards with one rule, Sudokus of 25 rows and colour grids. The table has processor seconds, including loading;
the solvers take turns on every formula.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

from first_solution import generated
from instances import colour_grid, equal_only, full_set, nonogram, sudoku
from measure import header, puzzles_of
from pysat.solvers import Solver

import milp_pips
from milp_pips.formulations.cnf import CnfEncoding
from milp_pips.propagation.fixpoint import filter_domains
from milp_pips.puzzles.puzzle import Puzzle

SOLVERS = ("glucose4", "glucose3", "minisat22", "maplesat", "mergesat3", "cadical153", "cadical195")
CONFLICTS = 2_000
"""The conflicts between two checks of the clock; Lingeling and Kissat, which cannot pause, are left out."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("puzzles", nargs="*", help="puzzle files or directories")
    parser.add_argument("--level")
    parser.add_argument("--solvers", nargs="+", default=list(SOLVERS))
    parser.add_argument("--limit", type=float, default=20.0, help="seconds for each puzzle")
    arguments = parser.parse_args()
    print(header("python-sat"))
    print(f"limit {arguments.limit:g} s; seconds of the processor in all, worst in brackets\n")
    print(f"| puzzles | clauses, most | stated | {' | '.join(arguments.solvers)} |")
    print("|---" * (3 + len(arguments.solvers)) + "|")
    for kind, puzzles in kinds(arguments.puzzles, arguments.level):
        clauses, stating = 0, list[float]()
        solving: dict[str, list[float]] = {name: [] for name in arguments.solvers}
        for puzzle in puzzles:
            problem = filter_domains(milp_pips.state(puzzle))
            begun = time.process_time()
            statement = CnfEncoding(problem)
            stating.append(time.process_time() - begun)
            clauses = max(clauses, len(statement.clauses))
            for name in arguments.solvers:
                solving[name].append(measure_solver(statement, name, arguments.limit))
        cells = [shown_times(times, arguments.limit) for times in (stating, *solving.values())]
        print(f"| {len(stating)} {kind} | {clauses:,} | {' | '.join(cells)} |", flush=True)


def kinds(paths: list[str], level: str | None) -> Iterator[tuple[str, list[Puzzle]]]:
    """Yield each kind of puzzles with its name."""
    if paths:
        yield "named", puzzles_of(paths, level)
    for dominoes in (20, 50, 100, 200):
        yield f"boards of {dominoes} dominoes", generated(dominoes, 4)
    yield "full sets", [full_set(most, share, 1) for most in (9, 12) for share in (0.4, 0.8)]
    yield "boards of 40 dominoes, EQ alone", [equal_only(40, seed) for seed in (1, 2)]
    yield (
        "Sudokus, 25×25",
        [
            *(sudoku(5, share, seed) for share in (0.4, 0.44, 0.5) for seed in (1, 2)),
            *(made.puzzle for made in milp_pips.generate("sudoku", size=25, count=4, seed=1)),
        ],
    )
    yield "colour grids, 20×20 to 40×40", [colour_grid(size, 1) for size in (20, 30, 40)]
    yield "nonograms, 20×20 and 30×30", [nonogram(size, size, seed) for size in (20, 30) for seed in (1, 2)]


def measure_solver(statement: CnfEncoding, name: str, limit: float) -> float:
    """Return the seconds that a PySAT solver takes; the limit or more if it has not finished by then."""
    begun, found = time.process_time(), None
    solver = Solver(name=name, bootstrap_with=statement.clauses)
    while found is None and time.process_time() - begun < limit:
        solver.conf_budget(CONFLICTS)
        found = solver.solve_limited(expect_interrupt=True)
    seconds = time.process_time() - begun
    solver.delete()
    assert found is not False
    return limit if found is None else seconds


def shown_times(times: list[float], limit: float) -> str:
    late = sum(seconds >= limit for seconds in times)
    return f"{sum(times):.2f} ({max(times):.2f})" + (f", {late} not solved" if late else "")


if __name__ == "__main__":
    main()
