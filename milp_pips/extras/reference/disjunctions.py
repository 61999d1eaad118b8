"""Linearisations of "all values differ" as one choice per pair of variables: u < v or u > v.

The column ``less[u, v]`` is 1 if u < v. With the numbers of the values, u is ``Σ a · [u = a]``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations
from math import inf
from typing import Any

from milp_pips.constraints import AllDifferent
from milp_pips.formulations.milp import Linearisation
from milp_pips.problem.constraint import Row, RowBuilder

LOOSE_M = 100.0
"""The M of ``loose_big_m``: a number that someone has chosen because it is surely large enough."""


def big_m(builder: RowBuilder, different: AllDifferent, m: float | None = None) -> Iterator[Row]:
    """Yield ``u - v + 1 <= M (1 - less)`` and ``v - u + 1 <= M less``; without ``m``, each M is the smallest.

    The smallest M of a row is the greatest value of its left side over the domains.
    """
    for (u, v), label, less in _choices(builder, different):
        difference = [*_number(builder, u), *_number(builder, v, -1.0)]
        up = m or float(max(builder.domain(u)) - min(builder.domain(v)) + 1)
        down = m or float(max(builder.domain(v)) - min(builder.domain(u)) + 1)
        yield Row("either", (*label, "less"), -inf, up - 1.0, [*difference, (less, up)])
        reverse = [(item, -a) for item, a in difference]
        yield Row("either", (*label, "greater"), -inf, -1.0, [*reverse, (less, -down)])


def hull(builder: RowBuilder, different: AllDifferent) -> Iterator[Row]:
    """Yield the convex hull of the two cases, each relaxed, by disaggregated columns (Balas 1979).

    ``part[u, a]`` is the share of ``[u = a]`` in the case u < v; the rest of it is in the other case. The
    parts of a variable sum to ``less``, and each case has its own inequality.
    """
    for (u, v), label, less in _choices(builder, different):
        parts, whole = [], []
        for w, sign in ((u, 1.0), (v, -1.0)):
            name, mine = builder.name(w), []
            for item, _, a in builder.pairs_of((w,)):
                of_part = *label, name, builder.written(a, w)
                part = builder.add_column("part", of_part)
                yield Row("part", of_part, -inf, 0.0, [(part, 1.0), (item, -1.0)])
                mine.append((part, 1.0))
                parts.append((part, sign * a))
            yield Row("parts", (*label, name), 0.0, 0.0, [*mine, (less, -1.0)])
            whole += _number(builder, w, sign)
        yield Row("either", (*label, "less"), -inf, 0.0, [*parts, (less, 1.0)])
        rest = [*parts, *((item, -a) for item, a in whole)]
        yield Row("either", (*label, "greater"), -inf, -1.0, [*rest, (less, -1.0)])


def _choices(
    builder: RowBuilder, different: AllDifferent
) -> Iterator[tuple[tuple[int, int], tuple[Any, ...], int]]:
    """Yield each pair of variables with its label and its column ``less``."""
    for u, v in combinations(different.variables, 2):
        label = different.label, builder.name(u), builder.name(v)
        yield (u, v), label, builder.add_column("less", label)


def _number(builder: RowBuilder, v: int, sign: float = 1.0) -> list[tuple[int, float]]:
    """Return the terms of a variable's number."""
    return [(item, sign * a) for item, _, a in builder.pairs_of((v,))]


BIG_M = Linearisation((AllDifferent,), big_m)
LOOSE_BIG_M = Linearisation((AllDifferent,), partial(big_m, m=LOOSE_M))
HULL = Linearisation((AllDifferent,), hull)
