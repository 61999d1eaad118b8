"""Relaxations as polygons: projected to two linear expressions, before and after rounds of Gomory's cuts.

The vertices of a polygon are found by successive support directions: if a linear program in the direction
across an edge finds a point beyond it, the edge is replaced by two; else it is an edge of the projection.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import hypot
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from milp_pips.compilation.limits import Budget, Unfinished
from milp_pips.extras.lab.puzzle_model import PuzzleModel, formulations_of
from milp_pips.formulations.milp import formulate
from milp_pips.problem.answer import Settings, Shortcuts
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.objective import MAXIMISE, Objective
from milp_pips.problem.parameters import named_keywords, whole
from milp_pips.problem.result import TaskResult
from milp_pips.problem.stopping import Deadline, running_deadline
from milp_pips.tasks.compile import compile_prepared
from milp_pips.tasks.objectives import read_objective
from milp_pips.tasks.pipeline import Prepared, prepare, puzzle_of, settings_of

if TYPE_CHECKING:
    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Puzzle

Point = tuple[float, float]

COORDINATE_TOLERANCE = 1e-6
"""The tolerance of coordinates and of fractional parts: that of HiGHS for a feasible point."""

MIN_FRACTION, ROUNDING = 1e-3, 1e-7
"""A value closer than this to a whole number makes no cut; a factor this close to one is taken for it."""

MAX_SOLUTIONS = 100_000
"""The most solutions of which the convex hull is taken."""


@dataclass(frozen=True)
class Polyhedra(TaskResult):
    """Projections of relaxations to two expressions, and the convex hull of all solutions within them.

    Parameters
    ----------
    name
        The name of the puzzle.
    across, up
        The expressions of the two coordinates, in words.
    points
        The points of all solutions, each once.
    hull
        The vertices of their convex hull, counterclockwise; empty without a solution.
    relaxations
        The vertices of the projection of each formulation; the first one is the one that is cut.
    rounds
        The vertices of the projection of the first formulation after each round of cuts.
    cuts
        The number of cuts after each round.
    seconds
        The time taken.
    """

    name: str
    across: str
    up: str
    points: tuple[Point, ...] = field(repr=False)
    hull: tuple[Point, ...]
    relaxations: dict[str, tuple[Point, ...]]
    rounds: tuple[tuple[Point, ...], ...]
    cuts: tuple[int, ...]
    seconds: float


@named_keywords
def polyhedra(
    puzzle: Puzzle | Problem,
    across: str,
    up: str,
    formulations: Sequence[str] = (),
    settings: Settings = Settings(),
    *,
    rounds: int = 0,
    deadline: Deadline | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> Polyhedra:
    """Return the projections of relaxations to two linear expressions.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem, with at most 100,000 solutions.
    across, up
        The two expressions, in the words of objectives: ``r1c1``, ``sum(A)``, ``flat``.
    formulations
        The formulations to compare; empty for all that the problem has.
    settings, deadline, shortcuts
        As for ``solve``. Nothing is filtered first unless ``rules`` requests it.
    rounds
        Rounds of Gomory's cuts (Gomory 1958) for the first formulation. A round solves the
        relaxation in eight directions and adds a cut for each fractional row of each optimal basis.

    Raises
    ------
    UsageError
        For an unknown formulation, an expression that cannot be read, and too many solutions.
    Unfinished
        If time or memory ran out for the solutions.
    EngineFault
        If a relaxation is not solved, or a cut excludes a solution.
    """
    begun = time.perf_counter()
    whole(0).check("rounds", rounds)
    settings = settings_of(settings, shortcuts)
    with running_deadline(deadline, settings.seconds) as deadline:
        prepared = prepare(puzzle_of(puzzle, "polyhedra"), settings.rules or (), deadline=deadline)
        if prepared.refutation:
            raise UsageError(f"{prepared.puzzle.name}: filtering refutes it: {prepared.refutation}")
        axes = [read_objective(text, MAXIMISE, prepared.problem) for text in (across, up)]
        space = compile_prepared(
            prepared,
            tuple(range(len(prepared.problem.variables))),
            Budget.of_memory(settings.memory),
            deadline,
        )
        if space.count > MAX_SOLUTIONS:
            raise UsageError(
                f"{space.count} solutions are too many to draw; expected at most {MAX_SOLUTIONS}"
            )
        points = {(float(axes[0].value(p)), float(axes[1].value(p))) for p in space.assignments()}
        relaxations, series, cuts = {}, [], []
        for number, name in enumerate(formulations or formulations_of(prepared.filtered)):
            relaxed = _Relaxed(prepared, name, axes)
            relaxations[name or "relaxation"] = relaxed.polygon(deadline)
            for _ in range(0 if number else rounds):
                cuts.append(relaxed.cut(space.assignments(), deadline))
                series.append(relaxed.polygon(deadline))
    spent = time.perf_counter() - begun
    hull = convex_hull(sorted(points))
    return Polyhedra(
        prepared.puzzle.name,
        across,
        up,
        tuple(sorted(points)),
        hull,
        relaxations,
        tuple(series),
        tuple(cuts),
        spent,
    )


class _Relaxed:
    """A relaxation in HiGHS that grows by cuts, with the two coordinates as costs of its columns."""

    def __init__(self, prepared: Prepared, formulation: str, axes: Sequence[Objective]):
        self._model = formulate(prepared.filtered, formulation)
        self._stated, self._columns = PuzzleModel(prepared, self._model), self._model.size["columns"]
        self._axes = np.zeros((2, self._columns))
        for row, axis in zip(self._axes, axes, strict=True):
            for v, a, weight in axis.terms:
                for column in self._stated.columns_of.get((v, a), ()):
                    row[column] += weight
        self._constants = [float(axis.constant) for axis in axes]
        self._highs = self._model.to_highspy()
        for name, value in (("solve_relaxation", True), ("presolve", "off"), ("solver", "simplex")):
            self._highs.setOptionValue(name, value)
        rows = self._model.size["rows"]
        self._matrix = np.zeros((rows, self._columns))
        row_of = np.repeat(np.arange(rows), np.diff(self._model.start))
        self._matrix[row_of, self._model.index] = self._model.value
        self._fixed = self._model.row_lower == self._model.row_upper

    def support(self, direction: Point, deadline: Deadline) -> Any:
        """Return a vertex that is farthest in a direction. Raises EngineFault and Unfinished."""
        if deadline.stop:
            raise Unfinished("a relaxation was not solved", deadline.stop)
        costs = -np.asarray(direction) @ self._axes
        self._highs.changeColsCost(self._columns, np.arange(self._columns, dtype=np.int32), costs)
        self._highs.run()
        status = self._highs.getModelStatus().name
        if status != "kOptimal":
            raise EngineFault(
                f"the relaxation of {self._stated.puzzle.name} is {status[1:].lower()}, not optimal"
            )
        return np.array(self._highs.getSolution().col_value)

    def polygon(self, deadline: Deadline) -> tuple[Point, ...]:
        """Return the vertices of the projection, counterclockwise."""

        def farthest(direction: Point) -> Point:
            p = self._axes @ self.support(direction, deadline)
            x, y = (round(float(p[i]) + self._constants[i], 7) + 0.0 for i in (0, 1))
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

    def cut(self, assignments: Iterable[Sequence[int]], deadline: Deadline) -> int:
        """Add a round of cuts; return how many rows were added so far."""
        new: dict[bytes, tuple[Any, float]] = {}
        for across, up in product((-1.0, 0.0, 1.0), repeat=2):
            if across or up:
                x = self.support((across, up), deadline)
                new |= {np.append(row, most).tobytes(): (row, most) for row, most in self._gomory(x)}
        rows = np.array([row for row, _ in new.values()]).reshape(-1, self._columns)
        most = np.array([right for _, right in new.values()])
        if any(np.any(rows @ self._vector(point) > most) for point in assignments):
            raise EngineFault("a cut excludes a solution")
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
