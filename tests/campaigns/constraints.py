"""Constraints: random problems of all classes of constraints, with auxiliary variables, by every engine."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import agreement
from agreement import LISTINGS, Trial, engines
from boards import Board
from frame import Case

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from problems import any_constraint, random_domino_problem, random_problem, solutions

from milp_pips.problem.problem import Problem
from milp_pips.puzzles.bare import BareProblem, Values

LIMIT = agreement.LIMIT
GOAL = "boards", 2_000
prepare = agreement.prepare

MAX_POINTS = 20_000
"""Most points of a problem without dominoes: brute force tries all of them."""

EVERY_LISTING = (
    *LISTINGS,
    *(("clingo", "native"), ("cpmpy", "native"), ("cdcl", "native"), ("minizinc", "native")),
    *(("clingo", "partition"), ("cpmpy", "cuts"), ("sat", "cuts"), ("cbc", "cuts"), ("pulp", "cuts")),
)


def draw(rng: Random) -> Problem:
    """Return a random problem, with random keys and auxiliary variables."""
    if rng.random() < 0.3:
        problem = random_domino_problem(rng, tidy=rng.random() < 0.5)
        scope = list(problem.constraints[0].variables[: len(problem.constraints[0].variables) // 2])
    else:
        problem = random_problem(rng)
        scope = list(range(len(problem.variables)))
    values = sorted({value for v in scope for value in problem.variables[v].domain})
    if values:
        more = [any_constraint(rng, scope, values) for _ in range(rng.randint(1, 2))]
        problem = problem.with_constraints(more)
    hidden: tuple[int, ...] = ()
    if rng.random() < 0.5:
        hidden = tuple(sorted(rng.sample(scope, rng.randint(0, len(scope) // 2))))
    left = [v for v in range(len(problem.variables)) if v not in hidden]
    keys = {"all": tuple(left), "some": tuple(sorted(rng.sample(left, rng.randint(0, len(left)))))}
    return replace(problem, keys=keys, auxiliary=hidden)


def board_of(problem: Problem) -> Board:
    """Return the problem as a board that the campaign ``agreement`` can try."""

    def find() -> dict[str, Collection[Any]]:
        points = solutions(problem)
        return {
            key: {tuple(point[v] for v in named) for point in points} for key, named in problem.keys.items()
        }

    def view(solution: Values, key: str) -> Sequence[int]:
        return tuple(solution[problem.variables[v].name] for v in problem.keys[key])

    return Board(repr(problem), BareProblem(problem), view, find)


def run(case: Case) -> None:
    """Try one problem: count it, solve it and list it, by engines that take turns."""
    rng, number = case.random, case.number
    problem = draw(rng)
    case.note(repr(problem))
    trial = Trial(case, board_of(problem))
    keys = list(problem.keys)
    case.counts["boards"] += 1
    case.counts["boards without a solution"] += not trial.board.main
    case.counts["boards with auxiliary variables"] += bool(problem.auxiliary)
    for constraint in problem.constraints:
        case.counts[type(constraint).__name__] += 1
    trial.count()
    trial.listed("", "diagram", rng.choice(keys))
    trial.listed("brute", "native", rng.choice(keys))
    names = [name for name in engines() if name != "two-stage"]
    name = names[number % len(names)]
    trial.solved("")
    trial.solved(name, rng.choice(("", *engines()[name])))
    if len(trial.board.main) <= agreement.FEW:
        solver, method = EVERY_LISTING[number % len(EVERY_LISTING)]
        trial.listed(solver, method, rng.choice(keys))
    trial.sampled(rng.choice(keys))
