"""Relaxations as polygons: projected to two linear expressions, before and after rounds of Gomory's cuts.

The vertices of a polygon are found by successive support directions: if a linear program in the direction
across an edge finds a point beyond it, the edge is replaced by two; else it is an edge of the projection.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import hypot
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

import milp_pips
from milp_pips.extras.lab.puzzle_model import PuzzleModel, state_model
from milp_pips.problem.answer import Settings
from milp_pips.problem.objective import MAXIMISE
from milp_pips.problem.stopping import Deadline
from milp_pips.tasks.objectives import read_objective

Point = tuple[float, float]

COORDINATE_TOLERANCE = 1e-6
"""The tolerance of coordinates and of fractional parts: that of HiGHS for a feasible point."""

MIN_FRACTION, ROUNDING = 1e-3, 1e-7
"""A value closer than this to a whole number makes no cut; a factor this close to one is taken for it."""

COLOURS = "#c2410c", "#b58900", "#2563a8", "#7c3aed"


class Polyhedra(NamedTuple):
    """Projections of relaxations to two expressions, and the convex hull of all solutions within them.

    ``points`` are those of all solutions, each once; ``relaxations`` the vertices by formulation; ``rounds``
    those of the first formulation after each round of cuts, and ``cuts`` their number by then. Vertices are
    counterclockwise.
    """

    across: str
    up: str
    points: list[Point]
    hull: tuple[Point, ...]
    relaxations: dict[str, tuple[Point, ...]]
    rounds: list[tuple[Point, ...]]
    cuts: list[int]


def polyhedra(puzzle: Any, across: str, up: str, formulations: Sequence[str], rounds: int = 0) -> Polyhedra:
    """Return the projections of relaxations to two linear expressions, in the words of objectives.

    A round of cuts (Gomory 1958) solves the relaxation of the first formulation in eight directions and adds
    a cut for each fractional row of each optimal basis.
    """
    assignments = list(milp_pips.compile(puzzle).assignments())
    relaxations, series, cuts = {}, [], []
    for number, name in enumerate(formulations):
        relaxed = Relaxed(
            state_model(puzzle, Settings(formulation=name), "polyhedra", Deadline()), across, up
        )
        relaxations[name] = relaxed.polygon()
        for _ in range(0 if number else rounds):
            cuts.append(relaxed.cut(assignments))
            series.append(relaxed.polygon())
    points = sorted({relaxed.place(point) for point in assignments})
    return Polyhedra(across, up, points, convex_hull(points), relaxations, series, cuts)


class Relaxed:
    """A relaxation in HiGHS that grows by cuts, with the two coordinates as costs of its columns."""

    def __init__(self, stated: PuzzleModel, across: str, up: str):
        self._stated, self._model = stated, stated.model
        self._columns = self._model.size["columns"]
        self._expressions = [read_objective(text, MAXIMISE, stated.problem) for text in (across, up)]
        self._axes = np.zeros((2, self._columns))
        for row, axis in zip(self._axes, self._expressions, strict=True):
            for v, a, weight in axis.terms:
                for column in stated.columns_of.get((v, a), ()):
                    row[column] += weight
        self._highs = self._model.to_highspy()
        for name, value in (("solve_relaxation", True), ("presolve", "off"), ("solver", "simplex")):
            self._highs.setOptionValue(name, value)
        rows = self._model.size["rows"]
        self._matrix = np.zeros((rows, self._columns))
        row_of = np.repeat(np.arange(rows), np.diff(self._model.arrays.start))
        self._matrix[row_of, self._model.arrays.index] = self._model.arrays.value
        self._fixed = self._model.arrays.row_lower == self._model.arrays.row_upper

    def place(self, assignment: Sequence[int]) -> Point:
        """Return the coordinates of a solution."""
        across, up = (float(one.value(assignment)) for one in self._expressions)
        return across, up

    def support(self, direction: Point) -> Any:
        """Return a vertex that is farthest in a direction."""
        costs = -np.asarray(direction) @ self._axes
        self._highs.changeColsCost(self._columns, np.arange(self._columns, dtype=np.int32), costs)
        self._highs.run()
        assert self._highs.getModelStatus().name == "kOptimal"
        return np.array(self._highs.getSolution().col_value)

    def polygon(self) -> tuple[Point, ...]:
        """Return the vertices of the projection, counterclockwise."""

        def farthest(direction: Point) -> Point:
            p = self._axes @ self.support(direction)
            x, y = (round(float(p[i]) + self._expressions[i].constant, 7) + 0.0 for i in (0, 1))
            return x, y

        # Invariant: a point of the projection is in the polygon found so far or beyond an edge in `waiting`.
        corners = [farthest(direction) for direction in ((0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0))]
        found, waiting = set(corners), list(zip(corners, corners[1:] + corners[:1], strict=True))
        while waiting:
            p, q = waiting.pop()
            across, up = q[1] - p[1], p[0] - q[0]  # the outward normal of a counterclockwise edge
            long = hypot(across, up)
            if long < COORDINATE_TOLERANCE:
                continue
            normal = across / long, up / long
            r = farthest(normal)
            if (r[0] - p[0]) * normal[0] + (r[1] - p[1]) * normal[1] > COORDINATE_TOLERANCE:
                found.add(r)
                waiting += [(p, r), (r, q)]
        return convex_hull(sorted(found))

    def cut(self, assignments: Iterable[Sequence[int]]) -> int:
        """Add a round of cuts, none of which excludes a solution; return how many rows were added so far."""
        new: dict[bytes, tuple[Any, float]] = {}
        for across, up in product((-1.0, 0.0, 1.0), repeat=2):
            if across or up:
                x = self.support((across, up))
                new |= {np.append(row, most).tobytes(): (row, most) for row, most in self._gomory(x)}
        rows = np.array([row for row, _ in new.values()]).reshape(-1, self._columns)
        most = np.array([right for _, right in new.values()])
        for point in assignments:
            assert np.all(rows @ self._vector(point) <= most), "a cut excludes a solution"
        for row, right in zip(rows, most, strict=True):
            index = np.flatnonzero(row).astype(np.int32)
            self._highs.addRow(-self._highs.getInfinity(), right, len(index), index, row[index])
            self._matrix = np.vstack([self._matrix, row])
            self._fixed = np.append(self._fixed, False)
        return len(self._matrix) - self._model.size["rows"]

    def _gomory(self, x: Any) -> Iterator[tuple[Any, float]]:
        """Yield ``(row, most)`` with row · x <= most, both whole, for each fractional row of the basis.

        All rows are whole, so the activities r = A x are, too. A row of the optimal basis says that a basic
        column plus Σ g · t is f, where t >= 0 are the distances of nonbasic columns and activities from
        their bounds. So the column plus Σ floor(g) · t is at most floor(f) (Gomory 1958).
        """
        basis, (_, basic) = self._highs.getBasis(), self._highs.getBasicVariables()
        activity, unit = self._matrix @ x, np.eye(self._columns)
        for number, column in enumerate(basic):
            if column < 0 or min(x[column] % 1, -x[column] % 1) < MIN_FRACTION:
                continue
            u = np.asarray(self._highs.getBasisInverseRow(number)[1])
            row, most = unit[column].copy(), float(np.floor(x[column]))
            for factors, statuses, values, rows, fixed in (
                (u @ self._matrix, basis.col_status, x, unit, np.zeros(self._columns, bool)),
                (-u, basis.row_status, activity, self._matrix, self._fixed),
            ):
                for k in np.flatnonzero((np.abs(factors) > ROUNDING) & ~fixed):
                    if statuses[k].name != "kBasic":
                        sign = -1.0 if statuses[k].name == "kUpper" else 1.0  # t = sign · (r - its bound)
                        g = np.floor(sign * factors[k] + ROUNDING) * sign
                        row += g * rows[k]
                        most += g * round(values[k])
            yield row, most

    def _vector(self, assignment: Sequence[int]) -> Any:
        """Return the 0-1 vector of an assignment: a column is 1 if all that it means holds."""
        model = self._model
        holds = np.asarray(assignment)[model.pair_variables[model.pairs]] == model.pair_values[model.pairs]
        x = np.ones(self._columns)
        x[np.unique(model.pair_columns[~holds])] = 0
        for column, ((a, b), one, other) in self._stated.places.items():
            if (assignment[one], assignment[other]) != (a, b):
                x[column] = 0
        return x


def convex_hull(points: Sequence[Point]) -> tuple[Point, ...]:
    """Return the vertices of the convex hull of sorted points, counterclockwise (Andrew 1979)."""

    def half(ordered: Sequence[Point]) -> list[Point]:
        chain: list[Point] = []
        for p in ordered:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], p) <= COORDINATE_TOLERANCE:
                chain.pop()
            chain.append(p)
        return chain[:-1]

    unique = list(dict.fromkeys(points))
    return tuple(unique) if len(unique) < 3 else (*half(unique), *half(unique[::-1]))


def _turn(p: Point, q: Point, r: Point) -> float:
    """Return twice the area of a triangle; positive if its corners are counterclockwise."""
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])


def contains(outer: Sequence[Point], inner: Iterable[Point]) -> bool:
    """Return whether all points are in a convex polygon."""
    edges = list(zip(outer, (*outer[1:], *outer[:1]), strict=True))
    return all(_turn(p, q, r) >= -1e-5 for p, q in edges for r in inner)


def area(corners: Sequence[Point]) -> float:
    """Return the area of a polygon."""
    edges = zip(corners, (*corners[1:], *corners[:1]), strict=True)
    return abs(sum(p[0] * q[1] - q[0] * p[1] for p, q in edges)) / 2


def plot(axes: Axes, found: Polyhedra, polygons: dict[str, Sequence[Point]]) -> None:
    """Plot polygons by name, with the hull and the points of all solutions inside."""
    for (name, corners), colour in zip(polygons.items(), COLOURS, strict=False):
        axes.fill(*zip(*corners, strict=True), color=colour, alpha=0.25, label=name)
    axes.fill(*zip(*found.hull, strict=True), color="#2f9e44", alpha=0.4, label="hull of all solutions")
    axes.plot(*zip(*found.points, strict=True), "o", color="#2f9e44", markersize=4)
    axes.set_xlabel(found.across)
    axes.set_ylabel(found.up)
    axes.legend(fontsize="small")
