"""A problem with one domino cover, taken apart and joined: where the dominoes lie, which values.

A layout and a grid of values go together if the pairs of values under the dominoes are the dominoes. Each
kind of domino is given a large random number. If the pairs that a layout makes of a grid of values are the
given dominoes, their numbers add up to the same total; the converse holds almost surely and is checked. So a
whole block of layouts and a block of grids are compared by one product of matrices, layouts × edges times
edges × grids.

Neither stage has to be over before the join begins. Both are listed in turns, and every block is compared
with all that the other stage has given so far (the symmetric join of databases: Wilschut and Apers 1991), so
that each pair is met once. When one stage is over, nothing of the other needs to be kept any more: memory
follows the smaller of the two numbers, whichever that is.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from milp_pips.enumeration.methods import Listing, list_natively, usual_method
from milp_pips.enumeration.subproblems import list_by_partition
from milp_pips.problem.answer import Proof, Settings, Stop
from milp_pips.problem.problem import (
    Cardinality,
    Constraint,
    DominoCover,
    LinearSum,
    Problem,
    Relation,
    Variable,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from milp_pips.engines.contract import Points
    from milp_pips.problem.stopping import Deadline

Block: TypeAlias = "NDArray[np.uint8] | NDArray[np.int64]"
"""Points of one stage, one per row."""

BLOCK_POINTS = 512
"""Most points in a block: enough for the join to work in bulk, few enough to check the deadline often."""

LAYOUTS_AHEAD = 256
"""Layouts that are listed before the first grid of values: there are mostly few of them."""

MAX_POINT_BYTES = 2**28
"""Bytes that the kept points may take: a quarter of a gigabyte, which is some million points."""


class Split(NamedTuple):
    """The two problems that a problem with one domino cover falls into, and what neither of them states.

    Parameters
    ----------
    links
        Where dominoes may lie: a 0-1 variable per edge; of the edges at a cell, one is chosen. Its points are
        the perfect matchings of the graph, the *layouts*. Key ``layout``.
    values
        The variables of the whole problem, the partners fixed to anything; its constraints, but of the cover
        only how often the dominoes show each value. Key ``values``: all variables but the partners.
    edges
        The edges that the variables of ``links`` stand for.
    cover
        The cover.
    rest
        Constraints that speak of partners, which are left for the join.
    """

    links: Problem
    values: Problem
    edges: tuple[tuple[int, int], ...]
    cover: DominoCover
    rest: tuple[Constraint, ...]

    def point(self, layout: Sequence[int], values: Sequence[int]) -> tuple[int, ...] | None:
        """Return the point of the whole problem that a point of each part makes; None if they do not fit."""
        point = list(values)
        for (i, j), laid in zip(self.edges, layout, strict=True):
            if laid:
                point[self.cover.partners[i]], point[self.cover.partners[j]] = j, i
        fits = self.cover.holds(point) and all(constraint.holds(point) for constraint in self.rest)
        return tuple(point) if fits else None


def split(problem: Problem, cover: DominoCover) -> Split:
    """Return the two parts of a problem whose only domino cover this is."""
    partners = set(cover.partners)
    edges = _edges(problem, cover)
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


def _edges(problem: Problem, cover: DominoCover) -> tuple[tuple[int, int], ...]:
    """Return the edges that the domains of the partners allow."""
    allowed = [set(problem.variables[v].domain) for v in cover.partners]
    return tuple((i, j) for i, j in cover.edges if j in allowed[i] and i in allowed[j])


def _links(problem: Problem, cover: DominoCover, edges: tuple[tuple[int, int], ...]) -> Problem:
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
    """Return how often the dominoes show each value; never, for the values on no domino."""
    times = Counter(pip for domino in cover.dominoes for pip in domino)
    possible = {value for v in cover.values for value in problem.variables[v].domain}
    bounds = tuple((value, times[value], times[value]) for value in sorted(possible | times.keys()))
    return Cardinality(cover.values, bounds, cover.label)


class Stages:
    """Both stages of a problem that is taken apart, on their way through an engine.

    Parameters
    ----------
    split
        The parts.
    engine, settings, deadline
        Who lists the points of each, how, and until when.
    """

    def __init__(self, split: Split, engine: str, settings: Settings, deadline: Deadline):
        self._split, self._deadline = split, deadline
        self._links = Stage(list_points(engine, split.links, "layout", settings, deadline))
        self._values = Stage(list_points(engine, split.values, "values", settings, deadline))

    def counts(self) -> dict[str, int]:
        """Return how many points each stage has; what is not known in full ends in ``so far``."""
        stages = {"layouts": self._links, "grids of values": self._values}
        return {what if stage.complete else f"{what} so far": stage.seen for what, stage in stages.items()}

    def points(self) -> Points:
        """Yield every point of the whole problem once, and return proof and stop; see ``Points``.

        ``Stop.MEMORY`` says that neither stage has ended within ``MAX_POINT_BYTES``. At the end the engines
        are let go.
        """
        try:
            return (yield from self._join())
        finally:
            self._links.close()
            self._values.close()

    def _join(self) -> Points:
        links, values = self._links, self._values
        fingerprints = Fingerprints(self._split)
        layouts: list[Block] = []
        grids: list[Block] = []
        while not (links.ended and values.ended):
            of_links = values.ended or (not links.ended and links.seen < max(LAYOUTS_AHEAD, values.seen))
            stage, other = (links, values) if of_links else (values, links)
            taken = stage.block()
            if taken:
                rows = np.array(taken, dtype=np.int64).reshape(len(taken), -1)  # there may be no columns
                block: Block = rows.astype(np.uint8) if of_links else rows
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
                break  # nothing goes together with nothing
            if stage.ended:
                (grids if of_links else layouts).clear()  # they have met everything
            if sum(block.nbytes for block in (*layouts, *grids)) > MAX_POINT_BYTES:
                return Proof.NONE, Stop.MEMORY
        return Proof.COMPLETE, Stop.FINISHED


class Stage:
    """The points of one problem, taken in blocks.

    ``seen`` counts the points taken; once the stage has ``ended``, ``proof`` and ``stop`` say how.
    """

    def __init__(self, points: Points):
        self._points = points
        self.seen = 0
        self.ended = False
        self.proof, self.stop = Proof.NONE, Stop.FINISHED

    @property
    def complete(self) -> bool:
        """Whether all points have been taken."""
        return self.proof is Proof.COMPLETE

    def block(self) -> list[tuple[int, ...]]:
        """Return the next points: as many as so far, up to ``BLOCK_POINTS``; fewer when the stage ends.

        Since blocks start small and double, nothing waits long for being joined, and few blocks are small.
        """
        points: list[tuple[int, ...]] = []
        size = min(max(self.seen, 1), BLOCK_POINTS)
        while len(points) < size:
            try:
                points.append(next(self._points))
            except StopIteration as end:
                self.ended = True
                self.proof, self.stop = end.value
                break
        self.seen += len(points)
        return points

    def close(self) -> None:
        """Let the engine go."""
        self._points.close()


class Fingerprints:
    """The numbers of the dominoes, and the total that they add up to; exact in floating point.

    Parameters
    ----------
    split
        The parts that are to be joined.
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
        # A pair that is no domino weighs more than all dominoes together. Below 2^53 all sums are exact.
        self._number = np.full((len(place), len(place)), 2.0**52)
        for (a, b), number in numbers.items():
            if a in place and b in place:
                self._number[place[a], place[b]] = self._number[place[b], place[a]] = number
        self._total = float(sum(numbers[kind] * times for kind, times in cover.kinds.items()))

    def alike(self, layouts: Block, grids: Block) -> list[list[int]]:
        """Return the rows of both blocks whose pairs add up to the total of the dominoes."""
        shown = np.searchsorted(self._pips, grids[:, self._cells])
        on_edges = self._number[shown[:, self._one], shown[:, self._other]]
        totals = layouts.astype(np.float64) @ on_edges.T
        return np.argwhere(totals == self._total).tolist()


def list_points(engine: str, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Points:
    """Yield every point that differs in the key: by the engine itself if it can, else by partition."""
    if not all(variable.domain for variable in problem.variables):
        return Proof.COMPLETE, Stop.FINISHED
    if not all(constraint.variables or constraint.holds(()) for constraint in problem.constraints):
        return Proof.COMPLETE, Stop.FINISHED  # no engine need be asked about a cell without a neighbour
    if not problem.variables:
        yield ()
        return Proof.COMPLETE, Stop.FINISHED
    listing = Listing(problem, key, engine, settings)
    method = list_natively if usual_method(listing.engine) == "native" else list_by_partition
    return (yield from method(listing, deadline))
