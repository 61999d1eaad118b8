"""Objectives: random problems with random linear objectives, by every engine, against brute force."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import agreement
import constraints
from agreement import engines
from frame import Case, Failure

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from problems import solutions

import milp_pips
from milp_pips.engines import registry
from milp_pips.problem.errors import UsageError
from milp_pips.problem.objective import MAXIMISE, MINIMISE, Objective
from milp_pips.problem.problem import Problem

LIMIT = agreement.LIMIT
GOAL = "boards", 5_000
prepare = agreement.prepare

MOST_BY_ENGINE = 6
"""Most solutions that an engine is asked for by cuts."""


def draw(rng: Random, problem: Problem) -> Objective:
    """Return an objective on the variables of the key ``all``: ties, great weights, or on few of them."""
    variables = [v for v in problem.keys["all"] if rng.random() < rng.choice((0.2, 0.7, 1.0))]
    most = rng.choice((1, 5, 60, 1_000_000))
    terms = [(v, a, rng.randint(-most, most)) for v in variables for a in problem.variables[v].domain]
    return Objective(tuple(t for t in terms if t[2]), rng.choice((MINIMISE, MAXIMISE)), rng.randint(-9, 9))


def run(case: Case) -> None:
    """Try one problem with an objective: the optimum, the best solutions, and those near the optimum."""
    rng, number = case.random, case.number
    problem = constraints.draw(rng)
    objective = draw(rng, problem)
    problem = problem.with_objective(objective)
    case.note(repr(problem))
    key = problem.keys["all"]
    points = {tuple(point[v] for v in key): objective.value(point) for point in solutions(problem)}
    values = sorted(points.values(), reverse=objective.sense == MAXIMISE)
    case.counts["boards"] += 1
    case.counts["boards without a solution"] += not values

    def wrong(what: str) -> Failure:
        return Failure(what, problem=repr(problem), values=values[:20])

    able = [n for n in engines() if "objective" in registry.solver(n).features]
    for name in ("", "brute", able[number % len(able)]):
        case.alive()
        result = milp_pips.solve(problem, name)
        found = result.objective
        case.counts[f"optima by {name or 'auto'}"] += 1
        if result.fault or result.status != ("solved" if values else "infeasible"):
            raise wrong(f"solve by {name or 'auto'}: {result.summary()}")
        if found and (found.value != values[0] or not found.is_optimal or found.bound != values[0]):
            raise wrong(f"solve by {name or 'auto'}: {found}, not {values[0]}")
    for name in ("", able[number // 2 % len(able)]):
        k = rng.randint(1, MOST_BY_ENGINE if name else 40)
        case.alive()
        try:
            best = milp_pips.solutions(problem, name, best=k, distinct="all")
            listed = list(best)
        except UsageError as error:
            raise wrong(f"best {k} by {name}: {error}") from error
        given = [tuple(solution.assignment[v] for v in key) for solution in listed]
        case.counts[f"lists of the best by {name or 'diagram'}"] += 1
        if [points.get(each) for each in given] != values[:k] or len(set(given)) < len(given):
            raise wrong(f"best {k} by {name or 'diagram'}: {given}")
        if not best.summary or not best.summary.complete:
            raise wrong(f"best {k} by {name or 'diagram'} is not confirmed: {best.summary}")
    within = rng.choice((0, 1, rng.randint(0, 50)))
    near = [value for value in values if abs(value - values[0]) <= within]
    listed = list(milp_pips.solutions(problem, within=within, distinct="all"))
    if sorted(points[tuple(s.assignment[v] for v in key)] for s in listed) != sorted(near):
        raise wrong(f"within {within}: {len(listed)} solutions, not {len(near)}")
    if milp_pips.count(problem, ["all"], within=within).counts["all"] != len(near):
        raise wrong(f"count within {within} is not {len(near)}")
    case.counts["lists near the optimum"] += 1
