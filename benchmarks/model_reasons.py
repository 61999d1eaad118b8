"""Measure the reasons of linear models without a solution.

    python benchmarks/model_reasons.py [--quick] [FILES...]

Rows: a set cover whose budget is one too small; random models with planted conflicts of two to six rows,
whose reasons Z3 checks exactly, with each item left out in turn; and FILES, MPS or LP, whose first reasons
are compared with those of SCIP's ``generateIIS``, if pyscipopt has it. SCIP leaves out rows alone, so rows
are compared. Seconds are processor seconds.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pulp
import z3
from any_model import cover

import milp_pips
from milp_pips.extras.explain.model_items import ModelItems
from milp_pips.extras.explain.model_reasons import ModelExplanation, explain_model
from milp_pips.formulations.model import Model
from milp_pips.formulations.reading.objects import model_of
from milp_pips.formulations.rows import Column, Row
from milp_pips.problem import Deadline
from milp_pips.puzzles.linear import LinearPuzzle
from milp_pips.tasks.pipeline import puzzle_of

SEEDS = (1, 2, 3, 4, 5)
"""The set covers."""

MOST_REASONS = 15
"""The most reasons of a random model."""


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
        first = measure(f"{file.stem}, first", given, reasons=0)
        found = measure(file.stem, given, reasons=3)
        if first.reasons:
            rows = f"{rows_of(first)}, {rows_of(found)} rows"
            print(f"|  | | | {rows} | | SCIP: {by_scip(file)} |", flush=True)


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
    puzzle = puzzle_of(model, "explain")
    assert isinstance(puzzle, LinearPuzzle)
    begun = time.process_time()
    found = explain_model(puzzle, Deadline(None), reasons)
    spent = time.process_time() - begun
    sizes = ", ".join(f"{len(reason.items)}{'' if reason.minimal else '?'}" for reason in found.reasons)
    shape = f"{len(model.rows)} × {len(model.columns)}"
    how = f"{found.status}; {'confirmed' if found.confirmed_by else 'not confirmed'}; {found.stop}"
    print(f"| {name} | {shape} | {len(found.reasons)} | {sizes} | {spent:.2f} | {how} |", flush=True)
    return found


def measure_planted(count: int) -> None:
    """Check all reasons of random models with Z3, and look for the planted conflict where it is minimal."""
    seconds, faults, planted, minimal, unfinished = list[float](), 0, 0, 0, 0
    for seed in range(count):
        model, conflict = with_conflict(seed)
        begun = time.process_time()
        found = milp_pips.explain(model, reasons=MOST_REASONS, seconds=2)
        seconds.append(time.process_time() - begun)
        assert isinstance(found, ModelExplanation)
        items = found.items
        sets = [[items.number_of[item] for item in reason.items] for reason in found.reasons]
        faults += not sets or not all(is_minimal(items, chosen) for chosen in sets)
        if is_minimal(items, conflict):
            minimal += 1
            planted += conflict in sets
            is_cut = bool(found.remark) or found.stop.value == "time" or len(sets) == MOST_REASONS
            unfinished += is_cut and conflict not in sets
    print(
        f"| {count} random | 8 to 14 × 6 | all minimal but {faults} | planted ones {minimal} minimal, "
        f"{planted} found, {unfinished} not yet | median {statistics.median(seconds):.2f}, "
        f"most {max(seconds):.2f} | |",
        flush=True,
    )


def with_conflict(seed: int) -> tuple[Model, list[int]]:
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
    return Model(columns, stated), [k for k, i in enumerate(order) if i < size]


def has_point(model: Model) -> bool:
    """Return whether Z3 finds a point, in exact arithmetic."""
    solver, columns = z3.Solver(), []
    for j, column in enumerate(model.columns):
        columns.append(z3.Int(f"c{j}") if column.integer else z3.Real(f"c{j}"))
        between(solver, columns[j], column)
    for row in model.rows:
        between(
            solver, z3.Sum([z3.Q(a.numerator, a.denominator) * columns[j] for j, a in row.terms.items()]), row
        )
    found = solver.check()
    assert found != z3.unknown
    return bool(found == z3.sat)


def between(solver: z3.Solver, left: z3.ArithRef, of: Row | Column) -> None:
    """State the sides of a row or the bounds of a column."""
    if of.low is not None:
        solver.add(left >= z3.Q(of.low.numerator, of.low.denominator))
    if of.high is not None:
        solver.add(left <= z3.Q(of.high.numerator, of.high.denominator))


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
