"""Split a problem with one domino cover into layouts and grids of values, enumerate both, and join them.

A layout and a grid of values match if the pairs of values under the layout's dominoes are the given dominoes.
Each kind of domino gets a large random number. If a layout and a grid match, the numbers of their pairs add
up to the total of the given dominoes; the converse holds almost surely and is checked. So one product of
matrices, layouts × edges times edges × grids, compares a block of layouts with a block of grids.

The join does not wait for either stage to end. Both are listed in turns, and every block is compared with all
earlier blocks of the other stage (the symmetric join of databases: Wilschut and Apers 1991), so each pair is
compared once. Once one stage has ended, blocks of the other need not be kept: memory grows with the smaller
of the two numbers of points.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from milp_pips.constraints import Cardinality, DominoCover, LinearSum, Relation
from milp_pips.engines.contract import PointIterator, Points
from milp_pips.enumeration.methods import Listing, list_natively, lists_by_itself
from milp_pips.enumeration.subproblems import list_by_partition
from milp_pips.problem.answer import Proof, Settings, Stop
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.problem import Problem, Variable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from milp_pips.problem.stopping import Deadline

Block: TypeAlias = "NDArray[np.uint8] | NDArray[np.int64]"
"""Points of one stage, one per row."""

BLOCK_POINTS = 512
"""Most points in a block: enough for the join to work in bulk, few enough to check the deadline often."""

LAYOUTS_AHEAD = 256
"""Number of layouts listed before the first grid of values: most problems have few layouts."""

MAX_POINT_BYTES = 2**28
"""Memory limit of the kept points, in bytes: a quarter of a gigabyte, some million points."""


class Split(NamedTuple):
    """The two subproblems of a problem with one domino cover, and the constraints that neither states.

    Parameters
    ----------
    links
        The problem of placing dominoes: a 0-1 variable per edge, and exactly one chosen edge at each cell.
        Its points are the perfect matchings of the graph, the *layouts*. Key ``layout``.
    values
        The problem of the values: the variables of the whole problem, with partners fixed arbitrarily, and
        its constraints, with the cover relaxed to how often the dominoes show each value. Key ``values``: all
        variables but the partners.
    edges
        The edges of the variables of ``links``.
    cover
        The cover.
    rest
        Constraints on partners, which the join checks.
    """

    links: Problem
    values: Problem
    edges: tuple[tuple[int, int], ...]
    cover: DominoCover
    rest: tuple[Constraint, ...]

    def point(self, layout: Sequence[int], values: Sequence[int]) -> tuple[int, ...] | None:
        """Return the point of the whole problem made of a point of each part; None if they do not match."""
        point = list(values)
        for (i, j), laid in zip(self.edges, layout, strict=True):
            if laid:
                point[self.cover.partners[i]], point[self.cover.partners[j]] = j, i
        fits = self.cover.holds(point) and all(constraint.holds(point) for constraint in self.rest)
        return tuple(point) if fits else None


def split(problem: Problem, cover: DominoCover) -> Split:
    """Return the two parts of a problem with this domino cover, which must be its only one."""
    partners = set(cover.partners)
    near = [set(problem.variables[v].domain) for v in cover.partners]
    edges = tuple((i, j) for i, j in cover.edges if j in near[i] and i in near[j])
    others = [constraint for constraint in problem.constraints if constraint is not cover]
    plain = [constraint for constraint in others if partners.isdisjoint(constraint.variables)]
    fixed = problem.restricted({v: problem.variables[v].domain[:1] for v in partners})
    visible = tuple(v for v in range(len(problem.variables)) if v not in partners)
    return Split(
        _links(problem, cover, edges),
        Problem(fixed.variables, (_pip_counts(problem, cover), *plain), {"values": visible}),
        edges,
        cover,
        tuple(constraint for constraint in others if not partners.isdisjoint(constraint.variables)),
    )


def _links(problem: Problem, cover: DominoCover, edges: tuple[tuple[int, int], ...]) -> Problem:
    """Return the problem of the layouts: a perfect matching of the cells by the edges."""
    names = [problem.variables[v].name for v in cover.values]
    at: list[list[int]] = [[] for _ in names]
    for e, edge in enumerate(edges):
        for i in edge:
            at[i].append(e)
    return Problem(
        tuple(Variable(f"{names[i]} - {names[j]}", (0, 1)) for i, j in edges),
        tuple(
            LinearSum(tuple(near), Relation.EQ, 1, f"one domino on {name}")
            for name, near in zip(names, at, strict=True)
        ),
        {"layout": tuple(range(len(edges)))},
    )


def _pip_counts(problem: Problem, cover: DominoCover) -> Cardinality:
    """Return the constraint on how often the cells show each value: as often as the dominoes do."""
    times = Counter(pip for domino in cover.dominoes for pip in domino)
    possible = {value for v in cover.values for value in problem.variables[v].domain}
    bounds = tuple((value, times[value], times[value]) for value in sorted(possible | times.keys()))
    return Cardinality(cover.values, bounds, cover.label)


class Stages:
    """The two stages of a split problem, listed by an engine and joined.

    Parameters
    ----------
    split
        The parts.
    engine, settings, deadline
        The solver that lists the points of both parts, its settings, and the deadline.
    """

    def __init__(self, split: Split, engine: str, settings: Settings, deadline: Deadline):
        self._split, self._deadline = split, deadline
        self._links = Stage(list_points(engine, split.links, "layout", settings, deadline))
        self._values = Stage(list_points(engine, split.values, "values", settings, deadline))

    def counts(self) -> dict[str, int]:
        """Return the number of points of each stage; the name of an incomplete stage ends in ``so far``."""
        stages = {"layouts": self._links, "grids of values": self._values}
        return {what if stage.complete else f"{what} so far": stage.seen for what, stage in stages.items()}

    def points(self) -> Points:
        """Yield every point of the whole problem once, and return proof and stop; see ``Points``.

        ``Stop.MEMORY`` means that neither stage has ended within ``MAX_POINT_BYTES``. The engines are closed
        at the end.
        """
        try:
            return (yield from self._join())
        finally:
            self._links.close()
            self._values.close()

    def _join(self) -> Points:
        """Yield the points; invariant: every kept pair of blocks has been compared exactly once."""
        links, values = self._links, self._values
        fingerprints = Fingerprints(self._split)
        layouts: list[Block] = []
        grids: list[Block] = []
        while not (links.ended and values.ended):
            # Take the next block from the stage with fewer points, after the first LAYOUTS_AHEAD layouts.
            of_links = values.ended or (not links.ended and links.seen < max(LAYOUTS_AHEAD, values.seen))
            stage, other = (links, values) if of_links else (values, links)
            taken = stage.block()
            if taken:
                rows = np.array(taken, dtype=np.int64).reshape(len(taken), -1)  # there may be no columns
                block: Block = rows.astype(np.uint8) if of_links else rows
                # Compare the block with all kept blocks of the other stage.
                for kept in grids if of_links else layouts:
                    if self._deadline.stop:
                        return Proof.NONE, self._deadline.stop
                    pair = (block, kept) if of_links else (kept, block)
                    for row, column in fingerprints.alike(*pair):
                        point = self._split.point(pair[0][row].tolist(), pair[1][column].tolist())
                        if point is not None:
                            yield point
                if not other.ended:
                    (layouts if of_links else grids).append(block)
            if stage.ended and not stage.complete:
                return Proof.NONE, stage.stop
            if stage.ended and not stage.seen:
                break  # without points in this stage, nothing matches
            if stage.ended:
                (grids if of_links else layouts).clear()  # compared with all blocks of this stage
            if sum(block.nbytes for block in (*layouts, *grids)) > MAX_POINT_BYTES:
                return Proof.NONE, Stop.MEMORY
        return Proof.COMPLETE, Stop.FINISHED


class Stage(PointIterator[tuple[int, ...]]):
    """The points of one problem, taken in blocks; ``seen`` is the number of points taken."""

    def __init__(self, points: Points):
        super().__init__(points)
        self._points = iter(self)
        self.seen = 0

    @property
    def complete(self) -> bool:
        """Whether all points have been taken."""
        return self.proof is Proof.COMPLETE

    def block(self) -> list[tuple[int, ...]]:
        """Return the next points: as many as so far, up to ``BLOCK_POINTS``; fewer when the stage ends.

        Blocks start small and double, so that the first points are joined soon and few blocks are small.
        """
        size = min(max(self.seen, 1), BLOCK_POINTS)
        points = [*islice(self._points, size)]
        self.seen += len(points)
        return points

    def close(self) -> None:
        """Close the engine."""
        self._points.close()


class Fingerprints:
    """The random numbers of the dominoes and their total; all sums are exact in floating point.

    Parameters
    ----------
    split
        The parts to join.
    """

    def __init__(self, split: Split):
        cover, variables = split.cover, split.values.variables
        self._pips = np.array(sorted({a for v in cover.values for a in variables[v].domain}), dtype=np.int64)
        self._cells = np.array(cover.values, dtype=np.intp)
        ends = np.array(split.edges, dtype=np.intp).reshape(-1, 2)
        self._one, self._other = ends[:, 0], ends[:, 1]
        rng = random.Random(0)
        numbers = {kind: 1 + rng.getrandbits(51 - len(cover.dominoes).bit_length()) for kind in cover.kinds}
        place = {int(pip): i for i, pip in enumerate(self._pips)}
        # A pair that is not a domino weighs more than all dominoes together. Below 2^53 all sums are exact.
        self._number = np.full((len(place), len(place)), 2.0**52)
        for (a, b), number in numbers.items():
            if a in place and b in place:
                self._number[place[a], place[b]] = self._number[place[b], place[a]] = number
        self._total = float(sum(numbers[kind] * times for kind, times in cover.kinds.items()))

    def alike(self, layouts: Block, grids: Block) -> list[list[int]]:
        """Return the pairs (row of ``layouts``, row of ``grids``) whose numbers add up to the total."""
        shown = np.searchsorted(self._pips, grids[:, self._cells])
        on_edges = self._number[shown[:, self._one], shown[:, self._other]]
        totals = layouts.astype(np.float64) @ on_edges.T
        return np.argwhere(totals == self._total).tolist()


def list_points(engine: str, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Points:
    """Yield the points that differ in the key, by the engine's own enumeration or else by partition."""
    if not all(variable.domain for variable in problem.variables):
        return Proof.COMPLETE, Stop.FINISHED
    if not all(constraint.variables or constraint.holds(()) for constraint in problem.constraints):
        return Proof.COMPLETE, Stop.FINISHED  # a cell without a neighbour: infeasible without an engine
    if not problem.variables:
        yield ()
        return Proof.COMPLETE, Stop.FINISHED
    listing = Listing(problem, key, engine, settings)
    method = list_natively if lists_by_itself(listing.engine, problem) else list_by_partition
    return (yield from method(listing, deadline))
