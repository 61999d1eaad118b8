"""Linear models: random ones with general integers, projections and objectives, against brute force."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import agreement
from agreement import engines
from frame import Case, Failure

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from linear_models import near, random_model, solutions

import milp_pips
from milp_pips.engines.defaults import MODEL_SOLVERS

if TYPE_CHECKING:
    from milp_pips.formulations.model import Model
    from milp_pips.tasks.listers import Enumeration

LIMIT = agreement.LIMIT
GOAL = "models", 1_000
prepare = agreement.prepare

METHODS = ("auto", "partition", "cuts", "cubes")


def run(case: Case) -> None:
    """Try one model: all solutions, their number, the optimum, and all near the optimum."""
    rng = case.random
    mixed = case.number % 3 == 0
    model = random_model(rng, mixed=mixed)
    case.note(repr(model))
    whole = [j for j, column in enumerate(model.columns) if column.integer]
    over = tuple(sorted(rng.sample(whole, rng.randint(1, len(whole))))) if rng.random() < 0.5 else None
    names = None if over is None else [model.columns[j].name for j in over]
    expected = solutions(model, over)
    names_of_engines = engines()
    if mixed:
        engine = rng.choice(("", "", *(name for name in MODEL_SOLVERS if name in names_of_engines)))
    else:
        engine = rng.choice(("", *names_of_engines))
    method = "auto" if mixed or engine not in ("highs", "sat", "scip", "pyomo") else rng.choice(METHODS)
    case.counts["models"] += 1
    case.counts["mixed models"] += mixed
    case.counts["models without a solution"] += not expected

    def wrong(what: str, found: object) -> Failure:
        return Failure(f"{what} by {engine or 'auto'}, {method}", model=repr(model), found=repr(found))

    def listed(**wanted: object) -> list[tuple[int, ...]]:
        case.alive()
        found = milp_pips.solutions(model, engine, method=method, over=names, **wanted)
        given = [tuple(solution.values()) for solution in found]
        case.counts[f"lists by {engine or 'auto'}{', mixed' * mixed}"] += 1
        if found.summary is None or not found.summary.complete or len(set(given)) < len(given):
            raise wrong("list", (given, found.summary))
        return given

    if sorted(listed()) != sorted(expected):
        raise wrong("all solutions", sorted(expected))
    counted = milp_pips.count(model, over=names)
    if not counted.complete or counted.counts != {"assignment": len(expected)}:
        raise wrong("count", counted)
    result = milp_pips.solve(model, engine if "objective" in _features(engine) else "")
    if result.status != ("solved" if expected else "infeasible"):
        raise wrong("solve", result)
    if expected and (not mixed or _are_binary(model, whole if over is None else over)):
        _check_diverse(case, milp_pips.solutions(model, over=names, diverse=3), set(expected), wrong)
    if not (expected and model.has_objective):
        return
    values = solutions(model).values()
    best = max(values) if model.sense == "maximise" else min(values)
    if (
        result.objective is None
        or not result.objective.is_optimal
        or abs(result.objective.value - best) > 1e-6
    ):
        raise wrong("optimum", (result, best))
    within = rng.choice((0, 1, 2))
    if set(listed(within=within)) != near(expected, model.sense, within):
        raise wrong(f"within {within}", near(expected, model.sense, within))


def _are_binary(model: Model, columns: Sequence[int]) -> bool:
    return all(set(model.columns[j].values or (2,)) <= {0, 1} for j in columns)


def _check_diverse(
    case: Case, found: Enumeration, every: set[tuple[int, ...]], wrong: Callable[[str, object], Failure]
) -> None:
    """Check that each solution is as far as possible from those before it."""
    listed = [tuple(solution.values()) for solution in found]
    case.counts["diverse lists"] += 1

    def least(one: tuple[int, ...], others: list[tuple[int, ...]]) -> int:
        return min(sum(a != b for a, b in zip(one, other, strict=True)) for other in others)

    right = len(listed) == min(3, len(every)) and set(listed) <= every
    for i, one in enumerate(listed):
        right = right and (i == 0 or least(one, listed[:i]) == max(least(any_, listed[:i]) for any_ in every))
    if not right or found.summary is None or not found.summary.complete:
        raise wrong("diverse", (listed, found.summary))


def _features(engine: str) -> frozenset[str]:
    from milp_pips.engines import registry

    return frozenset(registry.solver(engine).features) if engine else frozenset({"objective"})
