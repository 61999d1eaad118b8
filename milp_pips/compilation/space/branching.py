"""What to branch on."""

from __future__ import annotations

from collections import Counter
from heapq import nsmallest
from itertools import product
from typing import NamedTuple, TypeAlias

from milp_pips.compilation.space.split import Part
from milp_pips.problem.problem import DominoCover, Problem

Restriction: TypeAlias = dict[int, tuple[int, ...]]
"""The domains that a branch leaves to some variables."""


class Branches(NamedTuple):
    """Restrictions that share out a part's solutions; the variables of the whole that tell them apart."""

    told_by: frozenset[int]
    domains: list[Restriction]


def candidates(part: Part, visible: frozenset[int], most: int) -> list[Branches]:
    """Return what may be branched on, the best first: ``most`` variables, or dominoes there is one of.

    There is a branch per value of a variable, or per way to lay a domino. The fewest branches are the best;
    of as many, a variable comes before a domino, and of variables the one that most constraints speak of.
    Then the first: a board is filled from its first cells on, which splits it sooner than if it is filled
    here and there. Partners come last: who shares a domino says little to the rules as long as values are
    open (``benchmarks/exact.py --row hundred``). What is branched on is visible, as long as anything open is.
    """
    problem = part.problem
    seen = [v for v, variable in enumerate(problem.variables) if len(variable.domain) > 1]
    seen = [v for v in seen if part.variables[v] in visible] or seen
    speaking = Counter(v for constraint in problem.constraints for v in constraint.variables)
    partners = {v for c in problem.constraints if isinstance(c, DominoCover) for v in c.partners}
    seen = [v for v in seen if v not in partners] or seen
    best = nsmallest(most, seen, key=lambda v: (len(problem.variables[v].domain), -speaking[v]))
    found = [
        Branches(frozenset({part.variables[v]}), [{v: (value,)} for value in problem.variables[v].domain])
        for v in best
    ]
    for cover in problem.constraints:
        if isinstance(cover, DominoCover) and len(found[0].domains) > 2:
            left = [v for v in cover.variables if len(problem.variables[v].domain) > 1]
            told_by = frozenset([part.variables[v] for v in left])
            if told_by <= visible or told_by.isdisjoint(visible):
                found += [Branches(told_by, ways) for ways in ways_to_lay(problem, cover)]
    return nsmallest(most, found, key=lambda branches: len(branches.domains))


def ways_to_lay(problem: Problem, cover: DominoCover) -> list[list[Restriction]]:
    """Return, for each domino that there is one of, what domains each way to lay it leaves to two cells.

    Dominoes with one way, or laid already, are left out.
    """
    ways: dict[tuple[int, int], list[Restriction]] = {
        kind: [] for kind, times in cover.kinds.items() if times == 1
    }
    values = [problem.variables[v].domain for v in cover.values]
    for i, j in cover.edges:
        matched = {cover.partners[i]: (j,), cover.partners[j]: (i,)}
        for a, b in product(values[i], values[j]):
            kind = min(a, b), max(a, b)
            if kind in ways:
                ways[kind].append({cover.values[i]: (a,), cover.values[j]: (b,), **matched})
    return [of for of in ways.values() if len(of) != 1 and not any(_is_gone(problem, way) for way in of)]


def _is_gone(problem: Problem, way: Restriction) -> bool:
    """Return whether nothing else is open to these variables."""
    return all(problem.variables[v].domain == values for v, values in way.items())
