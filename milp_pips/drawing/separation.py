"""Points of a graph moved apart, so that no node hides another and no link runs through a node.

Distances along links alone may want two nodes in one place, such as opposite corners of a cube. Whatever is
too near is pushed apart, all at once and a little at a time (position-based dynamics: Müller, Heidelberger,
Hennix, Ratcliff 2007), which keeps the symmetry of the picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple, TypeAlias

Points: TypeAlias = list[tuple[float, float]]

APART = 0.85
"""Distance that two nodes should have at least, where a link is 1 long: room for two tiles."""

CLEAR = 0.5
"""Distance that a node should have at least from a link between others."""

LEAST = 0.7
"""Distance that two nodes do have at least; a tile is 0.69 wide."""

ENOUGH = 0.005
"""Pushes shorter than this are not worth another round."""

ROUNDS = 300
WORK = 3_000_000
"""Pairs of nodes, or of a node and a link, looked at: large graphs get fewer rounds."""


class Push(NamedTuple):
    """A node that is to move, and by how much."""

    node: int
    x: float
    y: float


def separated(points: Points, links: Iterable[tuple[int, int]]) -> Points:
    """Return the points moved apart as far as needed; links are pairs of positions in the list."""
    lines = sorted({(min(link), max(link)) for link in links})
    work = len(points) * (len(points) + len(lines))
    for _ in range(min(ROUNDS, 1 + WORK // (work + 1))):
        pushes = [*_from_nodes(points), *_from_links(points, lines)]
        points = _moved(points, pushes)
        if all(math.hypot(push.x, push.y) < ENOUGH for push in pushes):
            break
    nearest = min((math.dist(one, other) for one, other in combinations(points, 2)), default=LEAST)
    factor = max(1.0, LEAST / max(nearest, 1e-3))  # whatever the rounds have left
    return [(factor * x, factor * y) for x, y in points]


def _moved(points: Points, pushes: list[Push]) -> Points:
    """Return the points, each moved by the mean of its pushes."""
    sums = [[0.0, 0.0, 0.0] for _ in points]
    for node, x, y in pushes:
        total = sums[node]
        total[0] += x
        total[1] += y
        total[2] += 1
    return [(x + a / (n or 1), y + b / (n or 1)) for (x, y), (a, b, n) in zip(points, sums, strict=True)]


def _from_nodes(points: Points) -> Iterable[Push]:
    """Yield how two nodes that are too near push one another, half the way each."""
    for (i, (x1, y1)), (j, (x2, y2)) in combinations(enumerate(points), 2):
        dx, dy = x2 - x1, y2 - y1
        if abs(dx) < APART and abs(dy) < APART:
            far = math.hypot(dx, dy)
            short = (APART - far) / 2
            if short > 0:
                dx, dy = (dx / far, dy / far) if far > 1e-9 else (1.0, 0.0)
                yield Push(i, -short * dx, -short * dy)
                yield Push(j, short * dx, short * dy)


def _from_links(points: Points, lines: list[tuple[int, int]]) -> Iterable[Push]:
    """Yield how a node and a link that are too near push one another."""
    for i, j in lines:
        (x1, y1), (x2, y2) = points[i], points[j]
        dx, dy = x2 - x1, y2 - y1
        length = math.hypot(dx, dy)
        if length < 1e-9:
            continue
        dx, dy = dx / length, dy / length
        for k, (x, y) in enumerate(points):
            across = dx * (y - y1) - dy * (x - x1)
            short = CLEAR - abs(across)
            if short > 0 and 0 < dx * (x - x1) + dy * (y - y1) < length and k not in (i, j):
                side = math.copysign(short / 2, across)
                yield Push(k, -dy * side, dx * side)
                yield Push(i, dy * side, -dx * side)
                yield Push(j, dy * side, -dx * side)
