"""Measure what chose the defaults: engines and backups, the SAT solver, second opinions, costly reductions.

    python benchmarks/choice.py border PUZZLES...
    python benchmarks/choice.py rivals --limit 60 [--kinds sudoku ...] [--solvers cp-sat ...]
    python benchmarks/choice.py formulas [PUZZLES...] --solvers glucose4 cadical195 --limit 20
    python benchmarks/choice.py opinions examples/pips examples/sudoku --limit 4
    python benchmarks/choice.py reductions [PUZZLES...] --rounds 5

``border`` runs backtracking, the SAT solver and HiGHS on the same puzzles, grouped by the number of open
values after filtering. It adds generated boards of 5 to 14 dominoes. On boards of 40 to 160 dominoes it runs
the neighbourhood search and the SAT solver, grouped by the open values of cells. ``rivals`` runs the default
and each engine alone on boards that are hard for some engine, each in its own process with its library
loaded; they take turns on every board. ``formulas`` runs PySAT's solvers in turns on the clauses of filtered
puzzles, in processor seconds. ``opinions`` confirms that a solution is the only one by each way, in a fresh
process; ``whole`` is the time that ``solve --unique`` takes longer than ``solve``. ``reductions`` measures
filtering without and with the rules that only large boards and rules get.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from first_solution import generated, measured
from instances import colour_grid, equal_only, full_set, nonogram, sudoku
from measure import header, measure_confirmation, puzzles_of, separate_processes
from pysat.solvers import Solver

import milp_pips
from milp_pips import propagation
from milp_pips.constraints import DominoCover, NoGood
from milp_pips.engines.defaults import SECOND_OPINIONS, count_open_values
from milp_pips.formulations.cnf import CnfEncoding
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline
from milp_pips.propagation import filter_domains
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.runtime.executor import call_in_process
from milp_pips.runtime.interruptible import Limits
from milp_pips.tasks.pipeline import prepare
from milp_pips.tasks.query import Run

ENGINES = ("sat", "cp-sat", "highs", "scip", "lns")

SAT_SOLVERS = ("glucose4", "glucose3", "minisat22", "maplesat", "mergesat3", "cadical153", "cadical195")
CONFLICTS = 2_000
"""The conflicts between two checks of the clock; Lingeling and Kissat, which cannot pause, are left out."""

KINDS: Mapping[str, Callable[[], Iterator[Puzzle]]] = {
    "sudoku": lambda: (sudoku(box, share, 1) for box in (3, 4, 5) for share in (0.3, 0.4, 0.44, 0.5)),
    "colour grid": lambda: (colour_grid(size, seed) for size in (10, 20, 30, 40) for seed in (1, 2)),
    "full set": lambda: (
        full_set(most, share, seed)
        for most in (9, 12, 15, 18)
        for share in (0.2, 0.4, 0.6, 0.8)
        for seed in (1, 2)
    ),
    "equal only": lambda: (equal_only(n, seed) for n in (40, 60, 80, 110, 150) for seed in range(1, 5)),
}


class SolveResult(NamedTuple):
    """Whether a board was solved in time, by which solver, wall-clock seconds, and processor seconds."""

    solved: bool
    solver: str
    seconds: float
    processor: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("border").add_argument("puzzles", nargs="*", help="puzzle files or directories")
    rivals = verbs.add_parser("rivals")
    rivals.add_argument("--limit", type=float, default=60.0, help="seconds for each board")
    rivals.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    rivals.add_argument("--solvers", nargs="+", default=["", *ENGINES], help="an empty name is the default")
    formulas = verbs.add_parser("formulas")
    formulas.add_argument("puzzles", nargs="*", help="puzzle files or directories")
    formulas.add_argument("--level")
    formulas.add_argument("--solvers", nargs="+", default=list(SAT_SOLVERS))
    formulas.add_argument("--limit", type=float, default=20.0, help="seconds for each puzzle")
    opinions = verbs.add_parser("opinions")
    opinions.add_argument("puzzles", nargs="+", help="puzzles with one solution, which is to be confirmed")
    opinions.add_argument("--limit", type=float, default=60.0, help="seconds for each way")
    reductions = verbs.add_parser("reductions")
    reductions.add_argument("puzzles", nargs="*", help="puzzle files or directories")
    reductions.add_argument("--rounds", type=int, default=3)
    arguments = vars(parser.parse_args())
    show = {
        "border": show_border,
        "rivals": show_rivals,
        "formulas": show_formulas,
        "opinions": show_opinions,
        "reductions": show_reductions,
    }[arguments.pop("verb")]
    show(**arguments)


def show_border(puzzles: Sequence[str]) -> None:
    """Print the times of the solvers, by the number of values that filtering leaves open."""
    print(header("highspy"))
    small = [*puzzles_of(puzzles), *(one for n in (5, 6, 8, 10, 12, 14) for one in generated(n, 8, seed=5))]
    show_times(
        small, ("brute", "sat", "highs"), (0, 1, 50, 100, 150, 250), lambda filtered: filtered.open_values
    )
    show_times(list(large_ones()), ("lns", "sat"), (0, 400, 600, 800, 1000, 1300, 1700), count_open_values)


def show_times(
    puzzles: Sequence[Puzzle],
    solvers: Sequence[str],
    borders: Sequence[int],
    count_open: Callable[[Problem], int],
) -> None:
    """Print the mean and the worst seconds of each solver between consecutive thresholds."""
    spent = measured(puzzles, [f"filtered {solver}" for solver in solvers], 3)
    left = [count_open(filter_domains(milp_pips.state(puzzle))) for puzzle in puzzles]
    columns = "".join(f" `{solver}`, mean s | worst |" for solver in solvers)
    print(f"\n| open values | puzzles |{columns}")
    print("|---|---|" + "---|---|" * len(solvers))
    for low, high in itertools.pairwise([*borders, 10**9]):
        rows = [number for number, count in enumerate(left) if low <= count < high]
        cells = [[seconds[row] for row in rows] for seconds in spent.values()]
        shown = " | ".join(f"{statistics.mean(times):.4f} | {max(times):.4f}" for times in cells if times)
        span = f"{low} or more" if high == 10**9 else f"{low} to {high - 1}" if high > low + 1 else f"{low}"
        print(f"| {span} | {len(rows)} | {shown} |")


def large_ones() -> Iterator[Puzzle]:
    for dominoes in (40, 60, 80, 100, 130, 160):
        yield from generated(dominoes, 2, seed=5)
        yield from (one.puzzle for one in milp_pips.generate(dominoes=dominoes, count=2, seed=5))
        yield from by_rule(dominoes, 1)


def by_rule(dominoes: int, count: int) -> Iterator[Puzzle]:
    for rule in ("SUM", "EQ", "NEQ", "LT"):
        made = milp_pips.generate(
            style="plain", dominoes=dominoes, count=count, seed=5, region_sizes="1..3", rules=rule
        )
        yield from (one.puzzle for one in made)


def show_rivals(kinds: Sequence[str], solvers: Sequence[str], limit: float) -> None:
    """Print the number of boards of each kind that each solver solves in time, and its total time."""
    print(header("highspy", "ortools", "pyscipopt"))
    print(f"limit {limit:g} s\n\n| boards | solver | solved | all s | all s of processors | by whom |")
    print("|---|---|---|---|---|---|")
    for kind in kinds:
        found: dict[str, list[SolveResult]] = {solver: [] for solver in solvers}
        with separate_processes(len(solvers)) as processes:
            for puzzle in [generated(2, 1)[0], *KINDS[kind]()]:
                for call, solver in zip(processes, solvers, strict=True):
                    found[solver].append(call(measure_solving, puzzle, solver, limit))
        for solver, (_, *boards) in found.items():  # the first has loaded the engine
            count = sum(board.solved for board in boards)
            seconds, processor = (sum(times) for times in zip(*(b[2:] for b in boards), strict=True))
            who = ", ".join(sorted({board.solver for board in boards if board.solved}))
            row = f"{solver or 'default'} | {count} of {len(boards)} | {seconds:.1f} | {processor:.1f}"
            print(f"| {kind} | {row} | {who} |", flush=True)


def measure_solving(puzzle: Puzzle, solver: str, limit: float) -> SolveResult:
    """Return the result for a board; called in the process of the solver."""
    begun, spent = time.perf_counter(), sum(os.times()[:4])
    result = milp_pips.solve(puzzle, solver, seconds=limit)
    seconds, processor = time.perf_counter() - begun, sum(os.times()[:4]) - spent
    return SolveResult(result.status == "solved", result.solver, seconds, processor)


def show_formulas(puzzles: list[str], level: str | None, solvers: Sequence[str], limit: float) -> None:
    """Print the seconds of PySAT's solvers on the same formulas, and the time to encode them."""
    print(header("python-sat"))
    print(f"limit {limit:g} s; seconds of the processor in all, worst in brackets\n")
    print(f"| puzzles | clauses, most | stated | {' | '.join(solvers)} |")
    print("|---" * (3 + len(solvers)) + "|")
    for kind, boards in kinds_of_formulas(puzzles, level):
        clauses, stating = 0, list[float]()
        solving: dict[str, list[float]] = {name: [] for name in solvers}
        for puzzle in boards:
            problem = filter_domains(milp_pips.state(puzzle))
            begun = time.process_time()
            statement = CnfEncoding(problem)
            stating.append(time.process_time() - begun)
            clauses = max(clauses, len(statement.clauses))
            for name in solvers:
                solving[name].append(measure_solver(statement, name, limit))
        cells = [total_and_worst(times, limit) for times in (stating, *solving.values())]
        print(f"| {len(stating)} {kind} | {clauses:,} | {' | '.join(cells)} |", flush=True)


def kinds_of_formulas(paths: list[str], level: str | None) -> Iterator[tuple[str, list[Puzzle]]]:
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


def total_and_worst(times: list[float], limit: float) -> str:
    late = sum(seconds >= limit for seconds in times)
    return f"{sum(times):.2f} ({max(times):.2f})" + (f", {late} not solved" if late else "")


def show_opinions(puzzles: Sequence[str], limit: float) -> None:
    """Print a row for each puzzle of some files."""
    print(header("highspy", "ortools", "pyscipopt"))
    print(f"\n| puzzle | open values | answer | whole | {' | '.join(SECOND_OPINIONS)} |")
    print("|---" * (4 + len(SECOND_OPINIONS)) + "|")
    for puzzle in puzzles_of(puzzles):
        print(opinion_row(puzzle, limit), flush=True)


def opinion_row(puzzle: Puzzle, limit: float) -> str:
    """Return the row of a puzzle: seconds, or ``–`` for a way that does not decide."""
    times = []
    for unique in (False, False, True, True):  # the first of each loads libraries
        begun = time.perf_counter()
        result = milp_pips.solve(puzzle, unique=unique, seconds=10 * limit)
        times.append(time.perf_counter() - begun)
    cells = [f"{times[1]:.2f}", f"{times[3] - times[1]:.2f}"]
    problem = prepare(puzzle, Run()).problem.node_consistent()
    if result.solution is not None:
        point = prepare(puzzle, Run()).point_of(result.solution)
        variables = next(iter(problem.keys.values()))
        problem = problem.with_constraints([NoGood(variables, tuple([point[v] for v in variables]))])
    for name in SECOND_OPINIONS:
        taken = call_in_process(
            measure_confirmation, (name, problem, limit), Limits(Deadline(limit + 20))
        ).value
        cells.append("–" if taken is None else f"{taken:.2f}")
    return f"| {puzzle.name} | {problem.open_values} | {' | '.join(cells)} |"


def show_reductions(puzzles: Sequence[str], rounds: int) -> None:
    """Print the open values after filtering, and its processor time, without and with the thorough rules."""
    print(header())
    print("| boards | values too many | thorough | cells with several partners | thorough | ms | thorough |")
    print("|---|---|---|---|---|---|---|")
    sets = {f"double-{n}, every pip given": given_boards(n) for n in (6, 10, 14, 18, 25)}
    sets |= {f"Sudokus {n}, {share:.0%} given": thin_sudokus(n, share) for n, share in ((9, 0.3), (16, 0.4))}
    if puzzles:
        sets["puzzles"] = [milp_pips.state(puzzle) for puzzle in puzzles_of(puzzles)]
    for name, problems in sets.items():
        figures: list[tuple[int, int]] = []
        spent: list[list[float]] = [[], []]
        for counted in range(rounds):
            for thorough in (False, True):
                propagation.LARGE_BOARD = propagation.LARGE_RULE = 0 if thorough else 10**9
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


if __name__ == "__main__":
    main()
