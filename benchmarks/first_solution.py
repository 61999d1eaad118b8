"""Compare the default solver with others on the first solution of the same puzzles.

    python benchmarks/first_solution.py --level hard PUZZLES...
    python benchmarks/first_solution.py --dominoes 50 --count 3 --rounds 1 --against cp-sat/baseline
    python benchmarks/first_solution.py --large 200 400 1000 --count 10
    python benchmarks/first_solution.py --large 400 --rules SUM --region-sizes 4..7

The others are: ``pulp``, the textbook model as most people would write it in PuLP, solved by HiGHS; any
``SOLVER/FORMULATION`` of this package on the unfiltered problem; or ``filtered SOLVER``. The time runs from
the puzzle in memory to the validated solution, in processor seconds. Each has its own persistent process;
they take turns on every puzzle.

``--large`` measures the default, or a solver that is named, alone: on generated boards of each size.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from typing import NamedTuple

import pulp
from measure import header, peak_megabytes, processor_seconds, puzzles_of, separate_processes

import milp_pips
from milp_pips.engines import registry
from milp_pips.problem.answer import Settings
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.pips.puzzle import Pips, Rule
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.tasks.pipeline import prepare

OURS, FILTERED = "default", "filtered "
AGAINST = ("pulp", "cp-sat/native", "cp-sat/baseline")
LIMIT = 300.0
"""The time limit in seconds."""

SEED = 11


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("puzzles", nargs="*", help="puzzle files or directories")
    parser.add_argument("--level")
    parser.add_argument("--dominoes", type=int, help="generated puzzles of this size in place of files")
    parser.add_argument("--count", type=int, default=3, help="how many, of each size")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--against", nargs="+", default=list(AGAINST))
    parser.add_argument("--large", type=int, nargs="+", metavar="DOMINOES", help="measure one solver alone")
    parser.add_argument("--rules", help="of large boards, as for generate")
    parser.add_argument("--region-sizes", default="1..5", help="of large boards")
    parser.add_argument("--solver", default="", help="for large boards")
    arguments = parser.parse_args()
    if arguments.large:
        show_large(arguments)
        return
    if arguments.dominoes:
        puzzles = generated(arguments.dominoes, arguments.count)
    else:
        puzzles = puzzles_of(arguments.puzzles, arguments.level)
    spent = measured(puzzles, [OURS, *arguments.against], arguments.rounds)
    print(header("highspy", "pulp", "ortools"))
    print(f"{len(puzzles)} puzzles, {arguments.rounds} interleaved rounds\n")
    print("| solver | median of a puzzle, ms | worst ms | total s | ratio of totals |")
    print("|---|---|---|---|---|")
    for name, seconds in spent.items():
        figures = f"{1000 * statistics.median(seconds):.1f} | {1000 * max(seconds):.1f} | {sum(seconds):.3f}"
        print(f"| {name} | {figures} | {sum(seconds) / sum(spent[OURS]):.1f} |")


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


def show_large(arguments: argparse.Namespace) -> None:
    """Print what one solver takes on boards of each size."""
    print(header("highspy"))
    print("| dominoes | solver | solved | median s | worst s | MB |\n|---|---|---|---|---|---|")
    for dominoes in arguments.large:
        found = on_large_boards(
            dominoes, arguments.count, arguments.region_sizes, arguments.rules, arguments.solver
        )
        who = "/".join(sorted(found.solvers))
        solved = f"{found.solved} of {len(found.seconds)}"
        figures = f"{found.median:.2f} | {found.worst:.2f} | {found.megabytes:.0f}"
        print(f"| {dominoes} | {who} | {solved} | {figures} |", flush=True)


def on_large_boards(
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


def generated(dominoes: int, count: int, seed: int = SEED) -> list[Puzzle]:
    """Return generated puzzles with all rules and regions of 1 to 5 cells."""
    made = milp_pips.generate(style="plain", dominoes=dominoes, count=count, seed=seed, region_sizes="1..5")
    return [one.puzzle for one in made]


def measured(puzzles: Sequence[Puzzle], names: Sequence[str], rounds: int) -> dict[str, list[float]]:
    """Return the seconds of each solver on every puzzle, medians over the rounds."""
    warm = generated(2, 1)[0]
    with separate_processes(len(names)) as processes:
        for call, name in zip(processes, names, strict=True):
            call(seconds_of, name, warm)
        spent: dict[str, list[list[float]]] = {name: [[] for _ in puzzles] for name in names}
        for _ in range(rounds):
            for number, puzzle in enumerate(puzzles):
                for call, name in zip(processes, names, strict=True):
                    spent[name][number].append(call(seconds_of, name, puzzle))
    return {name: [statistics.median(s) for s in of_puzzles] for name, of_puzzles in spent.items()}


def seconds_of(name: str, puzzle: Puzzle) -> float:
    """Return the time to solve the puzzle; called in the process of ``name``."""
    begun = processor_seconds()
    if name == OURS or name.startswith(FILTERED):
        solver = "" if name == OURS else name.removeprefix(FILTERED)
        found = milp_pips.solve(puzzle, solver, seconds=LIMIT)
        assert found.status == "solved", puzzle.name
    elif name == "pulp":
        assert isinstance(puzzle, Pips)
        status = textbook_model(puzzle).solve(pulp.HiGHS(msg=False, threads=1))
        assert status == pulp.LpStatusOptimal, puzzle.name
    else:
        solver, _, formulation = name.partition("/")
        problem = milp_pips.state(puzzle)
        answer = registry.solver(solver).solve(problem, Settings(formulation), Deadline(LIMIT))
        assert prepare(puzzle).judge(answer.point, name) is not None, (puzzle.name, answer.stop)
    return processor_seconds() - begun


def textbook_model(puzzle: Pips) -> pulp.LpProblem:
    """Return the textbook model: x[d, e, w] for every domino, edge and direction; y[cell, value]."""
    problem = pulp.LpProblem("pips")
    pips = sorted({p for d in puzzle.dominoes for p in d})
    ways = [
        (d, e, w)
        for d in range(len(puzzle.dominoes))
        for e in range(len(puzzle.edges))
        for w in ((0, 1) if puzzle.dominoes[d][0] != puzzle.dominoes[d][1] else (0,))
    ]
    x = pulp.LpVariable.dicts("x", ways, cat="Binary")
    number = {cell: i for i, cell in enumerate(puzzle.cells)}
    y = pulp.LpVariable.dicts("y", [(i, v) for i in number.values() for v in pips], cat="Binary")
    covering = {i: [] for i in number.values()}
    for d, e, w in ways:
        a, b = puzzle.dominoes[d] if w == 0 else puzzle.dominoes[d][::-1]
        i, j = (number[cell] for cell in puzzle.edges[e])
        covering[i].append((d, e, w))
        covering[j].append((d, e, w))
        problem += x[d, e, w] <= y[i, a]
        problem += x[d, e, w] <= y[j, b]
    for i, ways_here in covering.items():
        problem += pulp.lpSum(x[way] for way in ways_here) == 1
        problem += pulp.lpSum(y[i, v] for v in pips) == 1
    for d in range(len(puzzle.dominoes)):
        problem += pulp.lpSum(x[way] for way in ways if way[0] == d) == 1
    for region in puzzle.regions:
        cells = [number[cell] for cell in region.cells]
        total = pulp.lpSum(v * y[i, v] for i in cells for v in pips)
        match region.rule:
            case Rule.EQ:
                for i in cells[1:]:
                    for v in pips:
                        problem += y[cells[0], v] == y[i, v]
            case Rule.NEQ:
                for v in pips:
                    problem += pulp.lpSum(y[i, v] for i in cells) <= 1
            case Rule.SUM:
                problem += total == region.target
            case Rule.LT:
                problem += total <= region.target - 1
            case Rule.GT:
                problem += total >= region.target + 1
            case Rule.LE:
                problem += total <= region.target
            case Rule.GE:
                problem += total >= region.target
    return problem


if __name__ == "__main__":
    main()
