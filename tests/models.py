"""0-1 models for tests: the formulations of domino covers, and all points of a model."""

from __future__ import annotations

from collections.abc import Iterator

COVERS = ("projected", "aggregated", "implication")

Row = tuple[list[tuple[int, float]], float, float]
"""The columns of a row with their coefficients, and its bounds."""


def all_points(model):
    """Return all 0-1 points of a model, by backtracking with propagation of bounds."""
    import numpy as np

    rows = []
    for i in range(model.size["rows"]):
        columns, values = model.arrays.row(i)
        terms = list(zip(columns.tolist(), values.tolist(), strict=True))
        rows.append((terms, float(model.arrays.row_lower[i]), float(model.arrays.row_upper[i])))
    rows_of = [[row for row in rows if any(j == c for j, _ in row[0])] for c in range(model.size["columns"])]
    return [np.array(point, dtype=float) for point in _points([None] * len(rows_of), rows, rows_of)]


def _points(point: list[int | None], waiting: list[Row], rows_of: list[list[Row]]) -> Iterator[list[int]]:
    """Yield every completion of the point that satisfies the rows; only the waiting ones may be violated."""
    waiting, point = list(waiting), list(point)
    while waiting:
        terms, lower, upper = waiting.pop()
        open_terms = [(j, a) for j, a in terms if point[j] is None]
        fixed = sum(a * point[j] for j, a in terms if point[j] is not None)
        least = fixed + sum(min(a, 0.0) for _, a in open_terms)
        most = fixed + sum(max(a, 0.0) for _, a in open_terms)
        if least > upper or most < lower:
            return
        for j, a in open_terms:
            if least + abs(a) > upper or most - abs(a) < lower:  # one of the two values is impossible
                point[j] = int((a < 0) if least + abs(a) > upper else (a > 0))
                waiting += rows_of[j]
                waiting.append((terms, lower, upper))
                break
    if None not in point:
        yield point
        return
    j = point.index(None)
    for value in (0, 1):
        yield from _points([*point[:j], value, *point[j + 1 :]], rows_of[j], rows_of)
