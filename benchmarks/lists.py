"""List all solutions, or find first ones, by each engine through this package and by its own loop.

    python benchmarks/lists.py [--level hard] [--rounds 3] [PUZZLE]
    python benchmarks/lists.py --first [--level hard] [PUZZLES...]
    python benchmarks/lists.py --whole [PUZZLE]

Both state and filter the same problem; without that the engines would take much longer.
An engine's own loop collects each solution whole, pips and where the dominoes lie: CP-SAT by its callback, a
SAT solver by blocking clauses, clingo by its iterator, HiGHS by cuts on a live model (the first solutions,
since each solve is harder) and by bounds on it, SCIP by a constraint handler that records a solution and cuts
it off. Cubes compete with the bounds. SCIP and HiGHS list the first solutions of a long list only. Ours also
checks each solution, and confirms in a second way that the list is complete. Of several puzzles the first
one is listed. ``--whole`` lists all solutions by HiGHS and SCIP, in their usual way and in another. Seconds
are those of the processor. Without puzzles, generated boards are used.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from first_solution import generated
from measure import header, puzzles_of, ratio, separate_processes

import milp_pips
from milp_pips.engines import registry
from milp_pips.problem.answer import Settings
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline
from milp_pips.propagation import DEFAULT_RULES, reduce_domains
from milp_pips.puzzles.puzzle import Puzzle

MOST_BY_CUTS, MOST_BY_MIP = 60, 400
"""Solutions that are listed by cuts, and by the MIP engines otherwise."""


def by_cp_sat(problem: Problem, limit: int) -> int:
    from ortools.sat.python import cp_model

    from milp_pips.engines.cp_sat import NativeModel

    stated = NativeModel(problem)
    found: list[list[int]] = []

    class Collector(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
        def on_solution_callback(self) -> None:
            found.append(list(self.response_proto.solution))

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    if limit > 1:
        solver.parameters.enumerate_all_solutions = True
        solver.parameters.linearization_level = 0
    solver.solve(stated.model, Collector())
    return len(found)


def by_sat(problem: Problem, limit: int) -> int:
    from pysat.solvers import Solver

    from milp_pips.engines.sat import DEFAULT_SAT_SOLVER
    from milp_pips.formulations.cnf import CnfEncoding

    stated, found = CnfEncoding(problem), list[tuple[int, ...]]()
    (key, *_) = problem.keys.values()
    with Solver(DEFAULT_SAT_SOLVER, bootstrap_with=stated.clauses) as solver:
        while len(found) < limit and solver.solve():
            found.append(stated.decode(solver.get_model()))
            solver.add_clause([-stated.literal(v, found[-1][v]) for v in key])
    return len(found)


def by_clingo(problem: Problem, limit: int) -> int:
    from milp_pips.engines.clingo import grounded

    (key, *_) = problem.keys.values()
    control, found = grounded(problem, key, Settings(), Deadline()), list[list[tuple[int, int]]]()
    with control.solve(yield_=True) as handle:
        for model in islice(handle, limit):
            atoms = [atom.arguments for atom in model.symbols(shown=True)]
            found.append([(variable.number, value.number) for variable, value in atoms])
    return len(found)


def by_cuts(problem: Problem, limit: int) -> int:
    import highspy
    import numpy as np

    highs, found = milp_pips.formulate(problem, "projected").to_highspy(), 0
    while found < limit and (ones := _ones(highs)) is not None:
        highs.addRow(-highspy.kHighsInf, len(ones) - 1.0, len(ones), ones, np.ones(len(ones)))
        found += 1
    return found


def by_bounds(problem: Problem, limit: int) -> int:
    """Beside a solution with the columns s1 to sk at 1: s1 to s(i-1) at 1 and si at 0, for each i."""
    import numpy as np

    highs, found = milp_pips.formulate(problem, "projected").to_highspy(), 0
    held, waiting = np.empty(0, np.int32), [(list[int](), list[int]())]
    while found < limit and waiting:
        highs.changeColsBounds(len(held), held, np.zeros(len(held)), np.ones(len(held)))
        chosen, refused = waiting.pop()
        held = np.array([*chosen, *refused], np.int32)
        fixed = np.repeat([1.0, 0.0], [len(chosen), len(refused)])
        highs.changeColsBounds(len(held), held, fixed, fixed)
        if (ones := _ones(highs)) is not None:
            found += 1
            free = [column for column in ones.tolist() if column not in chosen]
            waiting += [([*chosen, *free[:i]], [*refused, free[i]]) for i in range(len(free))]
    return found


def _ones(highs: Any) -> Any:
    """Return the columns at 1 in a solution of the model; None if there is none."""
    import highspy
    import numpy as np

    highs.run()
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    return np.flatnonzero(np.asarray(highs.getSolution().col_value) > 0.5).astype(np.int32)


def by_scip(problem: Problem, limit: int) -> int:
    from pyscipopt import SCIP_PARAMSETTING, SCIP_RESULT, Conshdlr, quicksum

    from milp_pips.engines.scip import LoadedScip

    loaded = LoadedScip(milp_pips.formulate(problem, "projected"), Settings(), Deadline())
    scip, x, found = loaded.scip, loaded.x, list[list[int]]()
    if limit == 1:
        scip.optimize()
        return min(1, int(scip.getNSols()))

    class Collector(Conshdlr):  # type: ignore[misc]
        def consenfolp(self, *_: Any) -> dict[str, Any]:
            ones = [i for i, column in enumerate(x) if scip.getSolVal(None, column) > 0.5]
            found.append(ones)
            if len(found) >= limit:
                scip.interruptSolve()
            scip.addCons(quicksum(x[i] for i in ones) <= len(ones) - 1)
            return {"result": SCIP_RESULT.CONSADDED}

        def consenfops(self, _constraints: Any, _useful: int, infeasible: bool, *_: Any) -> dict[str, Any]:
            return {"result": SCIP_RESULT.INFEASIBLE} if infeasible else self.consenfolp()

        def conscheck(self, *_: Any) -> dict[str, Any]:
            return {"result": SCIP_RESULT.INFEASIBLE}

        def conslock(self, _constraint: Any, kind: Any, positive: int, negative: int) -> None:
            for column in x:
                scip.addVarLocksType(column, kind, positive + negative, positive + negative)

    scip.setPresolve(SCIP_PARAMSETTING.OFF)
    for name in ("misc/allowstrongdualreds", "misc/allowweakdualreds", "constraints/countsols/active"):
        scip.setParam(name, False)
    scip.setParam("misc/usesymmetry", 0)
    priority = -9999999
    scip.includeConshdlr(
        Collector(), "collector", "", enfopriority=priority, chckpriority=priority, needscons=False
    )
    scip.optimize()
    return len(found)


class Way(NamedTuple):
    """An engine, the method by which we list, the engine's own loop, and the most solutions to list.

    Without a method it is the way to a first solution.
    """

    engine: str
    method: str
    loop: Callable[[Problem, int], int]
    limit: int | None = None


WAYS = {
    "cp-sat": Way("cp-sat", "native", by_cp_sat),
    "sat": Way("sat", "native", by_sat),
    "clingo": Way("clingo", "native", by_clingo),
    "highs, cuts": Way("highs", "cuts", by_cuts, MOST_BY_CUTS),
    "highs, partition": Way("highs", "partition", by_bounds, MOST_BY_MIP),
    "highs, cubes": Way("highs", "cubes", by_bounds, MOST_BY_MIP),
    "scip": Way("scip", "native", by_scip, MOST_BY_MIP),
}
FIRST = {
    f"first, {engine}": Way(engine, "", loop, 1)
    for engine, loop in {
        "cp-sat": by_cp_sat,
        "sat": by_sat,
        "clingo": by_clingo,
        "highs": by_cuts,
        "scip": by_scip,
    }.items()
}


def measured(
    puzzles: Sequence[Puzzle], rounds: int, ways: Mapping[str, Way] = WAYS
) -> dict[str, tuple[int, list[float], list[float]]]:
    """Return for each way the number of solutions, and our seconds and the engine's own in each round.

    Each way has a process of its own, in which ours and the engine's loop take turns.
    """
    able = {name: way for name, way in ways.items() if not registry.solver(way.engine).unavailable()}
    found: dict[str, tuple[int, list[float], list[float]]] = {}
    with separate_processes(len(able)) as processes:
        for counted in range(-1, rounds):  # the first round warms up
            for call, (name, way) in zip(processes, able.items(), strict=True):
                each = [call(one_round, puzzle, way) for puzzle in puzzles]
                count, us, it = (sum(of) for of in zip(*each, strict=True))
                if counted >= 0:
                    found.setdefault(name, (count, [], []))[1].append(us)
                    found[name][2].append(it)
    return found


def one_round(puzzle: Puzzle, way: Way) -> tuple[int, float, float]:
    """Return the number of solutions, our seconds and the engine's own."""

    def ours() -> int:
        if not way.method:
            return int(milp_pips.solve(puzzle, way.engine).status == "solved")
        listed = milp_pips.solutions(puzzle, way.engine, method=way.method, limit=way.limit)
        return sum(1 for _ in listed)

    count, us = _timed(ours)
    same, it = _timed(lambda: way.loop(filtered(puzzle), way.limit or count + 1))
    assert count == same, (way, count, same)
    return count, us, it


def filtered(puzzle: Puzzle) -> Problem:
    return reduce_domains(milp_pips.state(puzzle), DEFAULT_RULES)


def _timed(work: Callable[[], int]) -> tuple[int, float]:
    begun = time.process_time()
    return work(), time.process_time() - begun


def a_board(least: int = 2_000, most: int = 20_000) -> Puzzle:
    """Return a generated board with so many solutions."""
    made: Any = milp_pips.generate(style="plain", dominoes=9, count=100, seed=5)
    for each in islice(made, 100):
        if least <= milp_pips.count(each.puzzle, ["placement"]).counts["placement"] <= most:
            return each.puzzle
    raise AssertionError("no such board among 100")


METHODS = (
    ("diagram", "", 1),
    ("native", "cp-sat", 1),
    ("native", "sat", 1),
    ("native", "scip", 1),
    ("native", "minizinc", 1),
    ("partition", "highs", 1),
    ("partition", "highs", 2),
    ("cubes", "highs", 1),
    ("cuts", "highs", 1),
    ("partition", "pyomo", 1),
    ("cuts", "pyomo", 1),
)
"""Method, solver, processes."""


def show_methods(puzzle: Puzzle, rounds: int) -> None:
    """Print how long each method takes for all solutions, and how the time per solution grows."""
    ways = [way for way in METHODS if not way[1] or not registry.solver(way[1]).unavailable()]
    spent: dict[tuple[str, str, int], list[tuple[float, ...]]] = {way: [] for way in ways}
    count = milp_pips.count(puzzle, ["placement"]).counts["placement"]
    tenth = max(1, count // 10)
    for _ in range(rounds):
        for way in ways:
            method, solver, jobs = way
            begun = time.perf_counter()
            # the limit leaves out the last proof and its confirmation, which are not the same for all
            listed = milp_pips.solutions(puzzle, solver, method=method, jobs=jobs, limit=count)
            stamps = [time.perf_counter() for _ in listed]
            assert len(stamps) == count
            first, last = stamps[tenth] - stamps[0], stamps[-1] - stamps[-1 - tenth]
            spent[way].append((stamps[-1] - begun, 1000 * first / tenth, 1000 * last / tenth))
    print(f"{puzzle.name}: {count} solutions, {rounds} interleaved rounds\n")
    print("| method | solver | processes | total s | ms per solution, first tenth | last tenth |")
    print("|---|---|---|---|---|---|")
    for (method, solver, jobs), times in spent.items():
        total, first, last = map(statistics.median, zip(*times, strict=True))
        print(f"| {method} | {solver or '–'} | {jobs} | {total:.3f} | {first:.2f} | {last:.2f} |")


WHOLE = (("highs", "auto"), ("highs", "cubes"), ("scip", "auto"), ("scip", "native"))


def show_whole(puzzle: Puzzle) -> None:
    """Print how long a MIP engine takes for all solutions, each in a process of its own."""
    print(f"{puzzle.name}\n\n| engine | method | solutions | s |\n|---|---|---|---|")
    for engine, method in WHOLE:
        with separate_processes() as (call,):
            found, seconds, used = call(whole_list, puzzle, engine, method)
        print(f"| {engine} | {used} | {found} | {seconds:.1f} |", flush=True)


def whole_list(puzzle: Puzzle, engine: str, method: str) -> tuple[int, float, str]:
    """Return the number of solutions, the seconds, and the method that listed them."""
    listed = milp_pips.solutions(puzzle, engine, method=method)
    count, seconds = _timed(lambda: sum(1 for _ in listed))
    return count, seconds, listed.method


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("puzzles", nargs="*")
    parser.add_argument("--level")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--first", action="store_true", help="first solutions")
    parser.add_argument("--methods", action="store_true", help="all solutions of one puzzle, by each method")
    parser.add_argument("--whole", action="store_true", help="all solutions by HiGHS and by SCIP")
    parser.add_argument("--only", nargs="+", choices=[*WAYS, *FIRST], help="some of the ways")
    arguments = parser.parse_args()
    puzzles = puzzles_of(arguments.puzzles, arguments.level)
    if arguments.first:
        ways, puzzles = FIRST, puzzles or generated(14, 10)
    else:
        ways, puzzles = WAYS, puzzles[:1] or [a_board()]
    ways = {name: way for name, way in ways.items() if name in (arguments.only or ways)}
    print(header("highspy", "ortools", "clingo", "python-sat", "pyscipopt"))
    if arguments.whole:
        show_whole(puzzles[0])
        return
    if arguments.methods:
        show_methods(puzzles[0], arguments.rounds)
        return
    print(
        f"{puzzles[0].name}, {len(puzzles)} in all, {arguments.rounds} interleaved rounds, processor time\n"
    )
    print("| engine | solutions | ours, median s | its own loop | ratio |\n|---|---|---|---|---|")
    for name, (count, us, it) in measured(puzzles, arguments.rounds, ways).items():
        medians = statistics.median(us), statistics.median(it)
        print(f"| {name} | {count} | {medians[0]:.3g} | {medians[1]:.3g} | {ratio(us, it):.2f} |")


if __name__ == "__main__":
    main()
