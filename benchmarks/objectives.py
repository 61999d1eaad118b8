"""The best solution by every engine: time until it is proved, on boards with random integer weights.

    python benchmarks/objectives.py [--limit 10] [--count 3] [PUZZLES...]

Each board gets three objectives: weights on the values of all cells, on where the dominoes lie, and on four
cells alone. An engine gets the filtered problem. Within the limit it proves an optimum, or has a value and a
bound; two different optima end the run with an error. Without puzzles, boards with 8 to 40 dominoes are made.
Seconds are those of the clock, since some engines run in processes of their own.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict
from random import Random

from measure import header, puzzles_of

import milp_pips
from milp_pips.constraints import covers_of
from milp_pips.engines import registry
from milp_pips.engines.registry import ask
from milp_pips.problem.answer import Answer, Proof, Settings
from milp_pips.problem.objective import MAXIMISE, MINIMISE, Objective
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline
from milp_pips.propagation.fixpoint import DEFAULT_RULES, reduce_domains
from milp_pips.puzzles.puzzle import Puzzle

ENGINES = ("diagram", "highs", "cp-sat", "sat", "clingo", "scip", "cbc")
MOST_WEIGHT = 20
SIZES = (8, 12, 20, 30, 40)


def objectives(problem: Problem, seed: int) -> dict[str, Objective]:
    """Return the objectives of a board by the name of their group."""
    rng, covers = Random(seed), covers_of(problem.constraints)
    partners = {v for cover in covers for v in cover.partners}
    cells = [v for v in range(len(problem.variables)) if v not in partners]
    groups = {"all cells": cells, "places": sorted(partners), "four cells": sorted(rng.sample(cells, 4))}
    found = {}
    for name, variables in groups.items():
        pairs = [(v, a) for v in variables for a in problem.variables[v].domain]
        terms = tuple((v, a, rng.randint(-MOST_WEIGHT, MOST_WEIGHT)) for v, a in pairs)
        found[name] = Objective(terms, rng.choice((MINIMISE, MAXIMISE)), 0, name)
    return found


def boards(paths: list[str], count: int) -> dict[str, list[Puzzle]]:
    """Return the puzzles, or generated boards by their number of dominoes."""
    if paths:
        return {"puzzles": puzzles_of(paths)}
    return {
        f"{n} dominoes": [
            g.puzzle for g in milp_pips.generate(style="plain", dominoes=n, count=count, seed=3)
        ]
        for n in SIZES
    }


def gap(answer: Answer) -> float | None:
    """Return the relative gap of an answer that is not optimal; None without a value or a bound."""
    if answer.value is None or answer.bound is None:
        return None
    return abs(answer.value - answer.bound) / max(1, abs(answer.value))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("puzzles", nargs="*")
    parser.add_argument("--limit", type=float, default=10.0)
    parser.add_argument("--count", type=int, default=3)
    arguments = parser.parse_args()
    able = [name for name in ENGINES if not registry.reason_against(registry.solver(name))]
    print(header("highspy", "ortools", "python-sat", "clingo", "pyscipopt"))
    print(f"limit {arguments.limit:g} s\n")
    print(f"| boards | objective | {' | '.join(able)} |\n|---|---|{'---|' * len(able)}")
    for group, puzzles in boards(arguments.puzzles, arguments.count).items():
        answers: dict[str, dict[str, list[tuple[float, Answer]]]] = defaultdict(lambda: defaultdict(list))
        for seed, puzzle in enumerate(puzzles):
            problem = reduce_domains(milp_pips.state(puzzle), DEFAULT_RULES)
            for kind, objective in objectives(problem, seed).items():
                aimed, optima = problem.with_objective(objective), set[int | None]()
                for name in able:
                    begun = time.perf_counter()
                    answer = ask(name, aimed, Settings(), Deadline(arguments.limit))
                    answers[kind][name].append((time.perf_counter() - begun, answer))
                    if answer.proof is Proof.OPTIMAL:
                        optima.add(answer.value)
                assert len(optima) < 2, (puzzle.name, kind, optima)
        for kind, by_engine in answers.items():
            cells = []
            for name in able:
                runs = by_engine[name]
                proved = sum(answer.proof is Proof.OPTIMAL for _, answer in runs)
                median = statistics.median(seconds for seconds, _ in runs)
                gaps = [g for _, answer in runs if (g := gap(answer)) and answer.proof is not Proof.OPTIMAL]
                open_ = f", gap {statistics.median(gaps):.0%}" if gaps else ""
                cells.append(f"{proved} of {len(runs)}, {median:.3f} s{open_}")
            print(f"| {group} | {kind} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
