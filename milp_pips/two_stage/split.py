"""A problem with one domino cover, taken apart: where the dominoes lie, and which values the cells take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from milp_pips.problem import Cardinality, Constraint, DominoCover, LinearSum, Problem, Relation, Variable


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
        Problem(fixed.variables, (_shown(problem, cover), *plain), {"values": visible}),
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


def _shown(problem: Problem, cover: DominoCover) -> Cardinality:
    """Return how often the dominoes show each value; never, for the values on no domino."""
    times = Counter(pip for domino in cover.dominoes for pip in domino)
    possible = {value for v in cover.values for value in problem.variables[v].domain}
    bounds = tuple((value, times[value], times[value]) for value in sorted(possible | times.keys()))
    return Cardinality(cover.values, bounds, cover.label)
