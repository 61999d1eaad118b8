"""Measure each way to confirm that a solution is the only one, and what the whole confirmation takes.

    python benchmarks/confirming.py examples/pips examples/sudoku examples/colour_grid --limit 4

Each way runs by itself in a fresh process, without the time to load its library. ``whole`` is the time that
``solve --unique`` takes longer than ``solve``, with all libraries loaded.
"""

from __future__ import annotations

import argparse
import time
from importlib import import_module

from measure import header

import milp_pips
from milp_pips.constraints import NoGood
from milp_pips.engines.defaults import SECOND_OPINIONS
from milp_pips.engines.execution import ask
from milp_pips.engines.registry import available
from milp_pips.problem.answer import Settings
from milp_pips.problem.errors import EngineFault, InputError, UsageError
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.puzzles.reading import files_of, read_levels, text_of
from milp_pips.runtime.executor import call_in_process
from milp_pips.runtime.interruptible import Limits
from milp_pips.tasks.pipeline import prepare, rules_for


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--limit", type=float, default=4.0, help="seconds for each way")
    arguments = parser.parse_args()
    print(header("highspy", "ortools", "pyscipopt"))
    print(f"\n| puzzle | open values | answer | whole | {' | '.join(SECOND_OPINIONS)} |")
    print("|---" * (4 + len(SECOND_OPINIONS)) + "|")
    for path in files_of(arguments.files):
        for puzzle in read_levels(text_of(path), path).values():
            if not isinstance(puzzle, InputError):
                print(row(puzzle, arguments.limit), flush=True)


def row(puzzle: Puzzle, limit: float) -> str:
    """Return the row of a puzzle: seconds, or ``–`` for a way that does not decide."""
    times = []
    for unique in (False, False, True, True):  # the first of each loads libraries
        begun = time.perf_counter()
        result = milp_pips.solve(puzzle, unique=unique, seconds=10 * limit)
        times.append(time.perf_counter() - begun)
    cells = [f"{times[1]:.2f}", f"{times[3] - times[1]:.2f}"]
    problem = prepare(puzzle, rules_for(Settings())).problem.node_consistent()
    if result.solution is not None:
        point = prepare(puzzle, rules_for(Settings())).point_of(result.solution)
        variables = next(iter(problem.keys.values()))
        problem = problem.with_constraints([NoGood(variables, tuple([point[v] for v in variables]))])
    for name in SECOND_OPINIONS:
        taken = call_in_process(measure, (name, problem, limit), Limits(Deadline(limit + 20))).value
        cells.append("–" if taken is None else f"{taken:.2f}")
    return f"| {puzzle.name} | {problem.open_values} | {' | '.join(cells)} |"


def measure(name: str, problem: Problem, limit: float, _deadline: Deadline) -> float | None:
    """Return the seconds that a solver takes to decide, or None; runs in a process of its own."""
    solver = available(name)
    for module in solver.requires:
        import_module(module)
    begun = time.perf_counter()
    try:
        answer = ask(name, problem, Settings(options=dict(solver.without_presolve)), Deadline(limit))
    except (UsageError, EngineFault):
        return None
    decided = answer.point is not None or answer.proof.name == "INFEASIBLE"
    return time.perf_counter() - begun if decided else None


if __name__ == "__main__":
    main()
