"""Where to draw the nodes of a graph, so that distances on paper are like distances along links.

Each component starts from classical scaling (Torgerson 1952) and is improved by stress majorisation
(Gansner, Koren, North 2004); then what lies too near is moved apart. Nothing is random: the same graph always
gets the same picture.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from operator import mul
from typing import TypeVar

from milp_pips.drawing.separation import Points, separated

Key = TypeVar("Key", bound=Hashable)

SCALING_ROUNDS = 60
STRESS_ROUNDS = 120
WORK = 2_000_000
"""Pairs of nodes looked at while improving one component: large ones get fewer rounds."""

GAP = 1.2
"""Between components, where a link is 1 long."""


def positions(nodes: Iterable[Key], links: Iterable[tuple[Key, Key]]) -> dict[Key, tuple[float, float]]:
    """Return the place (x, y) of every node; x to the right, y down, from 0 up, a usual link is 1 long.

    Nodes in one component lie together, components side by side in rows.
    """
    near: dict[Key, list[Key]] = {node: [] for node in nodes}
    for one, other in links:
        if one != other:
            near[one].append(other)
            near[other].append(one)
    placed: dict[Key, tuple[float, float]] = {}
    parts = [(part, _moved_to_origin(_arranged(part, near))) for part in _components(near)]
    area = sum((_extent(points, 0) + GAP) * (_extent(points, 1) + GAP) for _, points in parts)
    room = max([2 * math.sqrt(area)] + [_extent(points, 0) for _, points in parts])
    left = top = bottom = 0.0
    for part, points in parts:
        if left and left + _extent(points, 0) > room:
            left, top = 0.0, bottom
        placed.update((node, (x + left, y + top)) for node, (x, y) in zip(part, points, strict=True))
        left += _extent(points, 0) + GAP
        bottom = max(bottom, top + _extent(points, 1) + GAP)
    return {node: placed[node] for node in near}


def _components(near: Mapping[Key, Sequence[Key]]) -> Iterator[list[Key]]:
    """Yield the nodes of each component, in the given order."""
    seen: set[Key] = set()
    for start in near:
        if start not in seen:
            reached = _distances(start, near)
            seen.update(reached)
            yield [node for node in near if node in reached]


def _distances(start: Key, near: Mapping[Key, Sequence[Key]]) -> dict[Key, int]:
    """Return the number of links from ``start`` to every node it reaches."""
    steps = {start: 0}
    queue = [start]
    for node in queue:
        for other in near[node]:
            if other not in steps:
                steps[other] = steps[node] + 1
                queue.append(other)
    return steps


def _arranged(part: Sequence[Key], near: Mapping[Key, Sequence[Key]]) -> Points:
    """Return points for the nodes of one component."""
    if len(part) == 1:
        return [(0.0, 0.0)]
    number = {node: i for i, node in enumerate(part)}
    steps = [_distances(node, near) for node in part]
    distances = [[float(step[node]) for node in part] for step in steps]
    points = _scaled(distances)
    for _ in range(min(STRESS_ROUNDS, 1 + WORK // len(part) ** 2)):
        points = _less_stressed(points, distances)
    links = [(number[one], number[other]) for one in part for other in near[one]]
    return _facing(_turned(separated(points, links), links))


def _scaled(distances: list[list[float]]) -> Points:
    """Return the two leading coordinates of classical scaling, by power iteration."""
    n = len(distances)
    squared = [[d * d for d in row] for row in distances]
    means = [sum(row) / n for row in squared]
    mean = sum(means) / n
    inner = [
        [(a + b - d - mean) / 2 for b, d in zip(means, row, strict=True)]
        for a, row in zip(means, squared, strict=True)
    ]
    # The start on a circle, in the order of the nodes, settles what the distances leave open.
    angles = [2 * math.pi * i / n for i in range(n)]
    axes: list[list[float]] = []
    for vector in ([math.cos(angle) for angle in angles], [math.sin(angle) for angle in angles]):
        length = 0.0
        for _ in range(SCALING_ROUNDS):
            product = [sum(map(mul, row, vector)) for row in inner]
            for axis in axes:
                along = sum(map(mul, product, axis)) / (sum(map(mul, axis, axis)) or 1.0)
                product = [p - along * a for p, a in zip(product, axis, strict=True)]
            length = math.sqrt(sum(map(mul, product, product)))
            if length < 1e-9:
                break
            vector = [p / length for p in product]
        axes.append([math.sqrt(length) * v for v in vector])
    # A trace of the circle keeps apart nodes that have the same distances to all others.
    return [
        (x + 0.02 * math.cos(angle), y + 0.02 * math.sin(angle))
        for x, y, angle in zip(*axes, angles, strict=True)
    ]


def _less_stressed(points: Points, distances: list[list[float]]) -> Points:
    """Return the points after one round of majorisation with weights 1 / distance squared.

    Nodes are moved one after the other, each to the weighted mean of where the others want it.
    """
    moved = list(points)
    for i, row in enumerate(distances):
        x, y = moved[i]
        sum_x = sum_y = weights = 0.0
        for (other_x, other_y), wanted in zip(moved, row, strict=True):
            if wanted:
                weight = 1 / (wanted * wanted)
                far = math.hypot(x - other_x, y - other_y) or 1e-9
                sum_x += weight * (other_x + wanted * (x - other_x) / far)
                sum_y += weight * (other_y + wanted * (y - other_y) / far)
                weights += weight
        moved[i] = sum_x / weights, sum_y / weights
    return moved


def _turned(points: Points, links: list[tuple[int, int]]) -> Points:
    """Return the points turned so that links run across and down where most of them can, else the first."""
    real = imaginary = 0.0
    for i, j in links:
        angle = math.atan2(points[j][1] - points[i][1], points[j][0] - points[i][0])
        real += math.cos(4 * angle)
        imaginary += math.sin(4 * angle)
    if math.hypot(real, imaginary) > 0.3 * len(links):
        turn = -math.atan2(imaginary, real) / 4
    else:
        (x1, y1), (x2, y2) = (points[i] for i in links[0])
        turn = -math.atan2(y2 - y1, x2 - x1)
    cos, sin = math.cos(turn), math.sin(turn)
    return [(cos * x - sin * y, sin * x + cos * y) for x, y in points]


def _facing(points: Points) -> Points:
    """Return the points wider than high, with the first node in the top left quarter."""
    if _extent(points, 1) > _extent(points, 0) + 0.1:
        points = [(y, x) for x, y in points]
    middle = [(min(axis) + max(axis)) / 2 for axis in zip(*points, strict=True)]
    flip_x, flip_y = (
        -1 if first > centre + 1e-6 else 1 for first, centre in zip(points[0], middle, strict=True)
    )
    return [(flip_x * x, flip_y * y) for x, y in points]


def _moved_to_origin(points: Points) -> Points:
    left, top = min(x for x, _ in points), min(y for _, y in points)
    return [(x - left, y - top) for x, y in points]


def _extent(points: Points, axis: int) -> float:
    values = [point[axis] for point in points]
    return max(values) - min(values)
