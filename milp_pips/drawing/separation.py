"""Points of a graph moved apart, so that no node hides another and no link runs through a node.

Distances along links alone may want two nodes in one place, such as opposite corners of a cube. Whatever is
too near is pushed apart, all at once and a little at a time (position-based dynamics: Müller, Heidelberger,
Hennix, Ratcliff 2007), which keeps the symmetry of the picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import product
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

ROUNDS = 150
WORK = 1_000_000
"""Pairs of a node and a link looked at: large graphs get fewer rounds."""


class Push(NamedTuple):
    """A node that is to move, and by how much."""

    node: int
    x: float
    y: float


def separated(points: Points, links: Iterable[tuple[int, int]]) -> Points:
    """Return the points moved apart as far as needed; links are pairs of positions in the list."""
    lines = sorted({(min(link), max(link)) for link in links})
    points = _scaled(points, _room(points))
    for _ in range(min(ROUNDS, 1 + WORK // (len(points) * len(lines) + 1))):
        points, far = _moved(points, [*_from_nodes(points), *_from_links(points, lines)])
        if far < ENOUGH:
            return points
    for _ in range(ROUNDS):
        points, far = _moved(points, [*_from_nodes(points)])
        if far < ENOUGH:
            break
    nearest = min((math.dist(points[i], points[j]) for i, j in _near(points)), default=LEAST)
    return _scaled(points, max(1.0, LEAST / max(nearest, 1e-3)))  # whatever the rounds have left


def _room(points: Points) -> float:
    """Return the factor at which a square as wide as the picture has a place for every node."""
    extent: float = max(max(axis) - min(axis) for axis in zip(*points, strict=True))
    return max(1.0, APART * (math.sqrt(len(points)) - 1) / max(extent, 1e-3))


def _scaled(points: Points, factor: float) -> Points:
    return [(factor * x, factor * y) for x, y in points]


def _moved(points: Points, pushes: list[Push]) -> tuple[Points, float]:
    """Return the points, each moved by the mean of its pushes, and the length of the longest push."""
    sums = [[0.0, 0.0, 0.0] for _ in points]
    for node, x, y in pushes:
        total = sums[node]
        total[0] += x
        total[1] += y
        total[2] += 1
    moved = [(x + a / (n or 1), y + b / (n or 1)) for (x, y), (a, b, n) in zip(points, sums, strict=True)]
    return moved, max((math.hypot(push.x, push.y) for push in pushes), default=0.0)


def _near(points: Points) -> Iterator[tuple[int, int]]:
    """Yield all pairs of nodes that may be less than ``APART`` from one another, by a grid of that width."""
    squares: dict[tuple[int, int], list[int]] = {}
    for i, (x, y) in enumerate(points):
        column, row = math.floor(x / APART), math.floor(y / APART)
        for beside in product((column - 1, column, column + 1), (row - 1, row, row + 1)):
            for j in squares.get(beside, ()):
                yield j, i
        squares.setdefault((column, row), []).append(i)


def _from_nodes(points: Points) -> Iterator[Push]:
    """Yield how two nodes that are too near push one another, half the way each."""
    for i, j in _near(points):
        (x1, y1), (x2, y2) = points[i], points[j]
        dx, dy = x2 - x1, y2 - y1
        far = math.hypot(dx, dy)
        short = (APART - far) / 2
        if short > 0:
            dx, dy = (dx / far, dy / far) if far > 1e-9 else (1.0, 0.0)
            yield Push(i, -short * dx, -short * dy)
            yield Push(j, short * dx, short * dy)


def _from_links(points: Points, lines: list[tuple[int, int]]) -> Iterator[Push]:
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
