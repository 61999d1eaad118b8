"""Measure the reasons of linear models without a solution.

    python benchmarks/model_reasons.py [--quick] [FILES...]

Rows: a set cover whose budget is one too small; random models with planted conflicts of two to six rows,
whose reasons HiGHS checks one by one; and FILES, MPS or LP, whose reasons are compared with those of SCIP's
``generateIIS``, if pyscipopt has it: SCIP has rows and bounds, of which the rows are compared.
Seconds are processor seconds.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
import pulp
from any_model import cover

import milp_pips
from milp_pips.extras.explain.model_items import ModelItems
from milp_pips.extras.explain.model_reasons import ModelExplanation
from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.objects import model_of
from milp_pips.formulations.rows import Column, Row

SEEDS = (1, 2, 3)
"""The set covers."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--quick", action="store_true", help="a tenth of the random models")
    arguments = parser.parse_args()
    print("| model | rows × columns | reasons | sizes | seconds | |\n|---|---|---|---|---|---|")
    for seed in SEEDS:
        measure(f"cover {seed}", small_budget(seed), reasons=1)
    measure_planted(50 if arguments.quick else 500)
    for file in arguments.files:
        puzzle = milp_pips.read(str(file))
        given = getattr(puzzle, "given", None) or puzzle.model
        found = measure(file.stem, given, reasons=3)
        if found.reasons:
            print(f"|  | | | {rows_of(found)} rows | | SCIP: {by_scip(file)} |", flush=True)


def small_budget(seed: int) -> Model:
    """Return the 60 rows of a cover of 40 columns, and one that allows one column fewer than they need."""
    problem = cover(60, 40, seed)
    best = milp_pips.solve(problem).objective
    assert best is not None
    problem += pulp.lpSum(problem.variables()) <= best.value - 1, "budget"
    problem.setObjective(pulp.LpAffineExpression())
    model = model_of(problem)
    assert model is not None
    return model


def measure(name: str, model: Model, reasons: int) -> ModelExplanation:
    """Print a line about the reasons of a model, and return them."""
    begun = time.process_time()
    found = milp_pips.explain(model, reasons=reasons)
    spent = time.process_time() - begun
    assert isinstance(found, ModelExplanation)
    sizes = ", ".join(f"{len(reason.items)}{'' if reason.minimal else '?'}" for reason in found.reasons)
    shape = f"{len(model.rows)} × {len(model.columns)}"
    how = f"{found.status}; {'confirmed' if found.confirmed_by else 'not confirmed'}; {found.stop}"
    print(f"| {name} | {shape} | {len(found.reasons)} | {sizes} | {spent:.2f} | {how} |", flush=True)
    return found


def measure_planted(count: int) -> None:
    """Check all reasons of random models with HiGHS, and look for the planted conflict among them."""
    seconds, faults, planted = list[float](), 0, 0
    for seed in range(count):
        model, conflict = with_conflict(seed)
        begun = time.process_time()
        found = milp_pips.explain(model, reasons=50, seconds=5)
        seconds.append(time.process_time() - begun)
        assert isinstance(found, ModelExplanation)
        items = found.items
        sets = [[items.number_of[item] for item in reason.items] for reason in found.reasons]
        faults += not sets or not all(is_minimal(items, chosen) for chosen in sets)
        planted += any({i for i in chosen if i < len(model.rows)} == conflict for chosen in sets)
    print(
        f"| {count} random | 8 to 14 × 6 | all minimal but {faults} | planted among them: {planted} | "
        f"median {statistics.median(seconds):.2f}, most {max(seconds):.2f} | |",
        flush=True,
    )


def with_conflict(seed: int) -> tuple[Model, set[int]]:
    """Return a model, and the rows whose sum says 0 >= 1: no others have a conflict by their making."""
    rng = Random(seed)
    point = [rng.randint(0, 5) for _ in range(6)]
    columns = tuple(Column(f"x{j}", 0, 9, rng.random() < 0.5) for j in range(6))
    size = rng.randint(2, 6)
    left = [[rng.randint(-3, 3) for _ in columns] for _ in range(size - 1)]
    left.append([-sum(row[j] for row in left) for j in range(6)])
    sides = [sum(map(int.__mul__, row, point)) for row in left]
    lowest = [*sides[:-1], sides[-1] + 1]
    rows = [(row, side) for row, side in zip(left, lowest, strict=True)]
    for _ in range(8):
        row = [rng.randint(-3, 3) for _ in columns]
        rows.append((row, sum(map(int.__mul__, row, point)) - rng.randint(0, 4)))
    order = rng.sample(range(len(rows)), len(rows))
    stated = tuple(
        Row(f"r{k}", {j: a for j, a in enumerate(rows[i][0]) if a}, rows[i][1]) for k, i in enumerate(order)
    )
    return Model(columns, stated), {k for k, i in enumerate(order) if i < size}


def has_point(model: Model) -> bool:
    """Return whether HiGHS finds a point."""
    highs = model.to_highspy()
    if count := highs.getNumCol():
        highs.changeColsCost(count, np.arange(count, dtype=np.int32), np.zeros(count))
    highs.run()
    return highs.getModelStatus().name in ("kOptimal", "kModelEmpty")


def is_minimal(items: ModelItems, chosen: Sequence[int]) -> bool:
    """Return whether items clash, and do not without any one of them."""
    rests = ([i for i in chosen if i != left_out] for left_out in chosen)
    return not has_point(items.part(chosen).model) and all(
        has_point(items.part(rest).model) for rest in rests
    )


def rows_of(found: ModelExplanation) -> int:
    """Return the fewest rows of a reason."""
    return min(sum(item.kind == "row" for item in reason.items) for reason in found.reasons)


def by_scip(file: Path) -> str:
    """Return the rows and the seconds of SCIP's irreducible subsystem."""
    try:
        from pyscipopt import Model as Scip
    except ImportError:
        return "not installed"
    scip = Scip()
    scip.hideOutput()
    scip.readProblem(str(file))
    scip.setParam("iis/time", 60.0)
    begun = time.process_time()
    sub = scip.generateIIS().getSubscip()
    return f"{sub.getNConss()} rows in {time.process_time() - begun:.2f} s"


if __name__ == "__main__":
    main()
