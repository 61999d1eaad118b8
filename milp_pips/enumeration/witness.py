"""Exact points and multipliers: the basis of an LP solved in fractions.

An engine's floats say which columns and rows are basic. That alone determines the vertex, the multipliers
and, where the vertex misses a bound, a ray that refutes the rows. All are judged exactly by whoever takes
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from milp_pips.engines.highs_lp import Basis
    from milp_pips.enumeration.tree_box import TreeBox
    from milp_pips.enumeration.whole import WholeModel
    from milp_pips.formulations.exact import Number

MOST_UNKNOWNS = 300
"""The most equations that are solved in fractions."""

LONG = 2**128
"""Equations with longer numbers are divided by what these have in common."""

Equation = tuple[dict[int, int], int]
"""Coefficients of unknowns, and the right side, in whole numbers."""


def exact_vertex(whole: WholeModel, box: TreeBox, basis: Basis) -> list[Number] | None:
    """Return the vertex of a basis over the box; None if the basis is singular, or too large."""
    point: list[int | None] = []
    for j, place in enumerate(basis.columns):
        end = None if place == 0 else box.low[j] if place == -1 else box.high[j]
        point.append(None if place == 0 else end or 0)
    equations: list[Equation] = []
    for row, place in zip(whole.rows, basis.rows, strict=True):
        if place in (-1, 1):
            side = row.low if place == -1 else row.high
            if side is None:
                side = row.high if place == -1 else row.low
            rest = side or 0
            left: dict[int, int] = {}
            for j, factor in row.terms:
                value = point[j]
                if value is None:
                    left[j] = factor
                else:
                    rest -= factor * value
            equations.append((left, rest))
    solved = solve(equations)
    if solved is None:
        return None
    return [solved.get(j, 0) if value is None else value for j, value in enumerate(point)]


def exact_duals(whole: WholeModel, basis: Basis) -> tuple[list[tuple[int, int]], int] | None:
    """Return the multipliers of a basis as whole numbers, with their scale; None if it is singular."""
    solved = _multipliers(whole, basis, {j: whole.cost[j] for j, b in enumerate(basis.columns) if b == 0}, {})
    if solved is None:
        return None
    scale = lcm(*(value.denominator for value in solved.values()))
    return [(i, int(value * scale)) for i, value in solved.items() if value], scale


def exact_rays(whole: WholeModel, box: TreeBox, basis: Basis) -> Iterator[list[tuple[int, int]]]:
    """Yield rays that may refute the rows over the box, up to their signs: one for each bound that is missed.

    They come from the rows and columns, basic ones, whose bounds the vertex of the basis misses.
    """
    point = exact_vertex(whole, box, basis)
    if point is None:
        return
    missed: list[tuple[dict[int, int], dict[int, int]]] = []
    for i, row in enumerate(whole.rows):
        total = sum([factor * point[j] for j, factor in row.terms])
        if (row.low is not None and total < row.low) or (row.high is not None and total > row.high):
            missed.append(({}, {i: 1}))
    for j, value in enumerate(point):
        low, high = box.low[j], box.high[j]
        if (low is not None and value < low) or (high is not None and value > high):
            missed.append(({j: 1}, {}))
    for costs, fixed in missed:
        solved = _multipliers(whole, basis, costs, fixed)
        if solved is not None:
            scale = lcm(*(value.denominator for value in solved.values()))
            yield [(i, int(value * scale)) for i, value in solved.items() if value]


def _multipliers(
    whole: WholeModel, basis: Basis, costs: Mapping[int, int], fixed: dict[int, int]
) -> dict[int, Number] | None:
    """Return multipliers by which each basic column has the given cost; those of basic rows are ``fixed``."""
    equations: list[Equation] = []
    for j, place in enumerate(basis.columns):
        if place == 0:
            rest = costs.get(j, 0)
            left: dict[int, int] = {}
            for i, factor in whole.column_terms[j]:
                if basis.rows[i] != 0:
                    left[i] = factor
                elif i in fixed:
                    rest -= factor * fixed[i]
            equations.append((left, rest))
    solved = solve(equations)
    return None if solved is None else {**solved, **fixed}


def solve(equations: list[Equation], most: int = MOST_UNKNOWNS) -> dict[int, Number] | None:
    """Return a solution of linear equations in fractions, without the unknowns that stay free, which are 0.

    None if there is none, or more than ``most`` equations. The equation with the fewest unknowns comes
    first, which keeps most of a basis sparse (Markowitz 1957).
    """
    if len(equations) > most:
        return None
    left = [dict(terms) for terms, _ in equations]
    right = [side for _, side in equations]
    holders: dict[int, set[int]] = {}
    for e, terms in enumerate(left):
        for unknown in terms:
            holders.setdefault(unknown, set()).add(e)
    waiting, order = set(range(len(left))), list[tuple[int, int]]()
    while waiting:
        e = min(waiting, key=lambda e: len(left[e]))
        waiting.remove(e)
        terms = left[e]
        if not terms:
            if right[e]:
                return None
            continue
        # The unknown in the fewest equations changes the fewest others.
        pivot = min(terms, key=lambda unknown: len(holders[unknown]))
        order.append((e, pivot))
        for unknown in terms:
            holders[unknown].discard(e)
        for other in list(holders[pivot]):
            right[other] = _eliminated(left[other], right[other], terms, right[e], pivot)
            for unknown in terms:
                (holders[unknown].add if unknown in left[other] else holders[unknown].discard)(other)
    solved: dict[int, Number] = {}
    for e, pivot in reversed(order):
        rest: Number = right[e]
        for unknown, factor in left[e].items():
            if unknown != pivot:
                rest -= factor * solved.get(unknown, 0)
        value = Fraction(rest, left[e][pivot])
        solved[pivot] = value.numerator if value.denominator == 1 else value
    return solved


def _eliminated(terms: dict[int, int], side: int, by: dict[int, int], by_side: int, pivot: int) -> int:
    """Remove the pivot from an equation by another one; return the new right side."""
    common = gcd(by[pivot], terms[pivot])
    times, less = by[pivot] // common, terms[pivot] // common
    if times != 1:
        side *= times
        for unknown in terms:
            terms[unknown] *= times
    side -= less * by_side
    for unknown, factor in by.items():
        value = terms.get(unknown, 0) - less * factor
        if value:
            terms[unknown] = value
        else:
            terms.pop(unknown, None)
    if abs(side) > LONG or any(abs(value) > LONG for value in terms.values()):
        common = gcd(side, *terms.values())
        if common > 1:
            side //= common
            for unknown in terms:
                terms[unknown] //= common
    return side
