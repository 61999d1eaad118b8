"""Benders' decomposition by logic (Hooker and Ottosson 2003), which lists all solutions by their layouts.

A master chooses a layout, a tiling without values; the subproblem finds the values. The edges of a layout
without a further solution make a cut for the master. Strengthened, the cut names only a minimal set of edges
with which there is no further solution.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from milp_pips.compilation.limits import Unfinished
from milp_pips.constraints import covers_of
from milp_pips.engines.highs import STATUSES, empty_model
from milp_pips.extras.lab.puzzle_model import PuzzleModel
from milp_pips.problem.answer import Proof, Stop
from milp_pips.problem.stopping import Deadline

Point = tuple[int, ...]

Listed = tuple[Counter[str], list[Point]]
"""The counts of a loop, by the names of fields of ``CutLoop``, and the points that it has listed."""

NO_GOOD, RELAXED, MINIMAL = "", "relaxed", "minimal"
"""Benders' cuts: all edges of a layout; those that the relaxation needs to be empty; a minimal set."""


class Programs:
    """A model in HiGHS that is solved again and again from its root, and the counts of a ``CutLoop``."""

    def __init__(self, highs: Any, counts: Counter[str], what: str = "solves"):
        self._highs, self._counts, self._what = highs, counts, what
        highs.setOptionValue("threads", 1)

    def solve(
        self, deadline: Deadline, closed: Sequence[int] = (), *, relaxed: bool = False
    ) -> list[float] | None:
        """Return a point in which the ``closed`` columns are 0; None if there is none. Raises Unfinished."""
        for j in closed:
            self._highs.changeColBounds(j, 0.0, 0.0)
        self._highs.setOptionValue("solve_relaxation", relaxed)
        if deadline.remaining is not None:
            self._highs.setOptionValue("time_limit", self._highs.getRunTime() + deadline.remaining)
        self._highs.run()
        if self._highs.getModelStatus().name == "kSolveError":  # presolve has made a point that breaks a row
            self._highs.setOptionValue("presolve", "off")
            self._highs.run()
            self._highs.setOptionValue("presolve", "choose")
        info, status = self._highs.getInfo(), self._highs.getModelStatus().name
        self._counts.update({
            self._what: 1, "nodes": max(0, int(info.mip_node_count)),
            "iterations": max(0, int(info.simplex_iteration_count)),
        })  # fmt: skip
        proof, _ = STATUSES.get(status, (Proof.NONE, None))
        x = list(self._highs.getSolution().col_value) if proof is Proof.FEASIBLE else None
        for j in closed:  # which discards status and solution
            self._highs.changeColBounds(j, 0.0, 1.0)
        if proof is Proof.NONE:
            raise Unfinished(f"HiGHS ends as {status}", deadline.stop or Stop.ERROR)
        return x

    def exclude(self, columns: Sequence[int], least: int = 1) -> None:
        """Add the cut that at least ``least`` of the columns are 0."""
        count = len(columns)
        index, ones = np.array(columns, np.int32), np.ones(count)
        self._highs.addRow(-self._highs.inf, count - least, count, index, ones)
        self._counts.update(cuts=1, terms=count)

    def add(self, low: float, high: float, terms: Sequence[tuple[int, float]]) -> None:
        """Add the row low <= Σ factor · column <= high."""
        index, factors = zip(*terms, strict=True)
        self._highs.addRow(low, high, len(index), np.array(index, np.int32), np.array(factors, float))


def benders(
    stated: PuzzleModel, columns: Sequence[int], least: int, strengthen: str, deadline: Deadline
) -> Listed:
    """Choose layouts in a master, and find their values in a subproblem.

    The subproblem is the model with the places on all other edges closed at the cells of some edges. If it
    has no point, no solution has these edges together. To strengthen a cut, edges are left out one by one
    while that stays so, or while even the relaxation has no point, which is quicker to decide.
    """
    counts, points, model = Counter[str](), list[Point](), stated.model
    (cover,) = covers_of(stated.problem.constraints)
    near = [[k for k, edge in enumerate(cover.edges) if i in edge] for i in range(len(cover.values))]
    at = {frozenset(cover.values[i] for i in edge): k for k, edge in enumerate(cover.edges)}
    edge_of = {j: at[frozenset(ends)] for j, (_, *ends) in stated.places.items()}
    layouts, own = empty_model(), Counter[str]()
    edges = [layouts.addBinary() for _ in cover.edges]
    for some in near:
        layouts.addConstr(layouts.qsum(edges[k] for k in some) == 1)
    master = Programs(layouts, counts)
    values, plain = (Programs(model.to_highspy(), own, "subproblems") for _ in range(2))

    def find(program: Programs, chosen: Sequence[int], *, relaxed: bool = False) -> list[float] | None:
        """Return a point with these edges, if there is one."""
        covered = {i for k in chosen for i in cover.edges[k]}
        others = {k for i in covered for k in near[i]}.difference(chosen)
        closed = [j for j, k in edge_of.items() if k in others]
        return program.solve(deadline, closed, relaxed=relaxed)

    while (layout := master.solve(deadline)) is not None:
        core = [k for k, y in enumerate(layout) if y > 0.5]
        before = len(points)
        while (x := find(values, core)) is not None:
            points.append(model.decode(x))
            values.exclude([j for j in columns if x[j] > 0.5], least)
        relaxed = strengthen == RELAXED
        if strengthen and len(points) == before and find(plain, core, relaxed=relaxed) is None:
            for k in list(core):
                if find(plain, fewer := [other for other in core if other != k], relaxed=relaxed) is None:
                    core = fewer
        master.exclude(core)
    counts.update({name: own[name] for name in ("subproblems", "nodes", "iterations")})
    return counts, points
