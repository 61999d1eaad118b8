"""Random linear models, and their solutions by brute force, which shares no code with the package."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random

from milp_pips.formulations.model import Model
from milp_pips.formulations.rows import Column, Row

HALF = Fraction(1, 2)


def random_model(rng: Random, *, mixed: bool = False) -> Model:
    """Return a small model with integer columns; ``mixed``: and one continuous column without a cost."""
    count = rng.randint(1, 5)
    columns = []
    for j in range(count):
        low = rng.choice((0, 0, 0, -2, 1))
        high = low + rng.choice((1, 1, 2, 3))
        cost = rng.choice((0, 1, -1, 2, 5, HALF)) if rng.random() < 0.7 else 0
        columns.append(Column(f"x[{j}]", Fraction(low), Fraction(high), True, Fraction(cost)))
    if mixed:
        low, high = rng.choice(((0, None), (0, 2), (None, 3), (-1, HALF)))
        bounds = [None if bound is None else Fraction(bound) for bound in (low, high)]
        columns.append(Column("flow", *bounds))
    rows = []
    for i in range(rng.randint(0, 4)):
        chosen = rng.sample(range(len(columns)), rng.randint(1, len(columns)))
        terms = {j: Fraction(rng.choice((1, 1, -1, 2, -3, HALF, Fraction("0.1")))) for j in chosen}
        middle = sum(a * rng.randint(0, 1) for a in terms.values()) + rng.choice((0, 0, 1))
        sides = rng.choice(
            ((middle, middle), (None, middle), (middle, None), (middle - 1, middle + 1), (None, None))
        )
        rows.append(Row(f"row {i}", terms, *sides))
    constant = Fraction(rng.choice((0, 0, 3, HALF)))
    return Model(tuple(columns), tuple(rows), rng.choice(("minimise", "maximise")), constant, "random")


def solutions(model: Model, over: tuple[int, ...] | None = None) -> dict[tuple[int, ...], Fraction]:
    """Return the values of the chosen columns in all solutions, each with the best value of the objective.

    At most one column, the last one, is continuous, and has no cost.
    """
    whole = [j for j, column in enumerate(model.columns) if column.integer]
    found: dict[tuple[int, ...], Fraction] = {}
    sign = -1 if model.sense == "maximise" else 1
    for values in product(*(range(int(model.columns[j].low), int(model.columns[j].high) + 1) for j in whole)):
        point = dict(zip(whole, values, strict=True))
        if not _is_feasible(model, point):
            continue
        value = model.constant + sum(model.columns[j].cost * a for j, a in point.items())
        key = tuple(point[j] for j in (whole if over is None else over))
        found[key] = value if key not in found else sign * min(sign * value, sign * found[key])
    return found


def _is_feasible(model: Model, point: dict[int, int]) -> bool:
    """Return whether some value of the continuous column, if there is one, goes with the integer ones."""
    free = [j for j, column in enumerate(model.columns) if not column.integer]
    low = high = None
    if free:
        low, high = model.columns[free[0]].low, model.columns[free[0]].high
    for row in model.rows:
        total = sum((a * point[j] for j, a in row.terms.items() if j in point), Fraction(0))
        times = row.terms.get(free[0], Fraction(0)) if free else Fraction(0)
        for side, is_low in ((row.low, True), (row.high, False)):
            if side is None:
                continue
            if not times:
                if total < side if is_low else total > side:
                    return False
                continue
            edge = (side - total) / times
            if is_low == (times > 0):
                low = edge if low is None else max(low, edge)
            else:
                high = edge if high is None else min(high, edge)
    return low is None or high is None or low <= high


def near(found: dict[tuple[int, ...], Fraction], sense: str, within: Fraction) -> set[tuple[int, ...]]:
    """Return those solutions whose value is at most so far from the best one."""
    if not found:
        return set()
    best = max(found.values()) if sense == "maximise" else min(found.values())
    return {key for key, value in found.items() if abs(value - best) <= within}
