"""Place the nodes of a graph on paper, so that distances on paper are like distances along links.

Each component starts from classical scaling (Torgerson 1952) and is improved by stress majorisation (Gansner,
Koren, North 2004). Both may put two nodes in one place, such as opposite corners of a cube. So nodes and
links that are too near are then pushed apart in small steps, all at once, which keeps the symmetry of the
picture (position-based dynamics: Müller, Heidelberger, Hennix, Ratcliff 2007). Nothing is random: the same
graph always gets the same picture.

Points are complex numbers x + iy, so that a shift is a sum, and a stretch or a rotation is a product.
"""

from __future__ import annotations

import math
from cmath import phase, rect
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from operator import mul
from typing import TypeAlias, TypeVar

Key = TypeVar("Key", bound=Hashable)
Points: TypeAlias = list[complex]
Push: TypeAlias = tuple[int, complex]
"""A node, and the vector by which to move it."""

COMPONENT_GAP = 1.2
"""The distance between components, in lengths of a link: a little more than between neighbours."""

MIN_NODE_DISTANCE = 0.85
"""The least distance wanted between two nodes, in lengths of a link: room for two tiles."""

CLEAR = 0.5
"""The least distance wanted between a node and a link between other nodes."""

MIN_TILE_DISTANCE = 0.7
"""The least distance guaranteed between two nodes. A tile is 0.69 wide."""

MIN_PUSH = 0.005
"""Rounds stop when all pushes are shorter than this, which is less than half a pixel."""

SCALING_ROUNDS, STRESS_ROUNDS, PUSH_ROUNDS = 60, 120, 150
"""The most rounds of each step. With twice as many, no node of a graph in ``tests/render`` moves by a
fiftieth of a link, except in the cube, which has several equally good pictures."""

STRESS_WORK, PUSH_WORK = 2_000_000, 1_000_000
"""The most pairs of nodes, and of a node and a link, per component. Large ones get fewer rounds."""

MOST_ARRANGED = 1000
"""The most nodes of a component for which distances decide: 5 s and 160 MB, and four times that for twice as
many. A larger one is drawn in columns."""


def positions(nodes: Iterable[Key], links: Iterable[tuple[Key, Key]]) -> dict[Key, tuple[float, float]]:
    """Return the place (x, y) of every node: x to the right, y down, from 0. A usual link is 1 long.

    The nodes of a component are together. Components are side by side, in rows.
    """
    near: dict[Key, list[Key]] = {node: [] for node in nodes}
    for one, other in links:
        if one != other:
            near[one].append(other)
            near[other].append(one)
    # Pack the components' bounding boxes from left to right, in rows at most twice as wide as a square of
    # the same total area.
    parts = [(part, _arrange(part, near)) for part in _components(near)]
    boxes = [_box(points) for _, points in parts]
    area = sum((size.real + COMPONENT_GAP) * (size.imag + COMPONENT_GAP) for _, size in boxes)
    room = max([2 * math.sqrt(area)] + [size.real for _, size in boxes])
    placed: dict[Key, complex] = {}
    left = top = bottom = 0.0
    for (part, points), (corner, size) in zip(parts, boxes, strict=True):
        if left and left + size.real > room:
            left, top = 0.0, bottom
        placed |= {node: p - corner + complex(left, top) for node, p in zip(part, points, strict=True)}
        left += size.real + COMPONENT_GAP
        bottom = max(bottom, top + size.imag + COMPONENT_GAP)
    return {node: (placed[node].real, placed[node].imag) for node in near}


def _components(near: Mapping[Key, Sequence[Key]]) -> Iterator[list[Key]]:
    """Yield the nodes of each component, in the given order."""
    number = {node: i for i, node in enumerate(near)}
    seen: set[Key] = set()
    for start in near:
        if start not in seen:
            reached = _distances(start, near)
            seen.update(reached)
            yield sorted(reached, key=number.__getitem__)


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


def _arrange(part: Sequence[Key], near: Mapping[Key, Sequence[Key]]) -> Points:
    """Return points for the nodes of one component."""
    if len(part) == 1:
        return [0j]
    if len(part) > MOST_ARRANGED:
        return _layers(part, near)
    number = {node: i for i, node in enumerate(part)}
    steps = [_distances(node, near) for node in part]
    distances = [[float(step[node]) for node in part] for step in steps]
    points = _classical_scaling(distances)
    for _ in range(min(STRESS_ROUNDS, 1 + STRESS_WORK // len(part) ** 2)):
        points = _majorise(points, distances)
    links = [(number[one], number[other]) for one in part for other in near[one]]
    return _face(_turn(separate(points, links), links))


def _layers(part: Sequence[Key], near: Mapping[Key, Sequence[Key]]) -> Points:
    """Return points in columns, by the steps from a node at the end of a component."""
    *_, end = _distances(part[0], near)
    steps = _distances(end, near)
    heights = Counter[int]()
    points = []
    for node in part:
        points.append(complex(steps[node], heights[steps[node]]))
        heights[steps[node]] += 1
    return points


def _classical_scaling(distances: list[list[float]]) -> Points:
    """Return the two leading coordinates of classical scaling, by power iteration."""
    n = len(distances)
    squared = [[d * d for d in row] for row in distances]
    means = [sum(row) / n for row in squared]
    mean = sum(means) / n
    inner = [
        [(a + b - d - mean) / 2 for b, d in zip(means, row, strict=True)]
        for a, row in zip(means, squared, strict=True)
    ]
    # Start on a circle, in the order of the nodes. It decides what the distances leave open.
    circle = [rect(1, 2 * math.pi * i / n) for i in range(n)]
    axes: list[list[float]] = []
    for vector in ([p.real for p in circle], [p.imag for p in circle]):
        length = 0.0
        # Power iteration, kept orthogonal to the axes found so far.
        for _ in range(SCALING_ROUNDS):
            image = [sum(map(mul, row, vector)) for row in inner]
            for axis in axes:
                along = sum(map(mul, image, axis)) / (sum(map(mul, axis, axis)) or 1.0)
                image = [p - along * a for p, a in zip(image, axis, strict=True)]
            length = math.sqrt(sum(map(mul, image, image)))
            if length < 1e-9:
                break
            vector = [p / length for p in image]
        axes.append([math.sqrt(length) * v for v in vector])
    # Add a small part of the circle, to separate nodes that have the same distances to all others.
    return [complex(x, y) + 0.02 * p for x, y, p in zip(*axes, circle, strict=True)]


def _majorise(points: Points, distances: list[list[float]]) -> Points:
    """Return the points after one round of majorisation with weights 1 / distance squared.

    Nodes move one after another. Each moves to the weighted mean of the places that fit its distances to the
    others.
    """
    moved = list(points)
    for i, row in enumerate(distances):
        own, total, weights = moved[i], 0j, 0.0
        for other, wanted in zip(moved, row, strict=True):
            if wanted:
                weight = 1 / (wanted * wanted)
                total += weight * (other + wanted * (own - other) / (abs(own - other) or 1e-9))
                weights += weight
        moved[i] = total / weights
    return moved


def separate(points: Points, links: Iterable[tuple[int, int]]) -> Points:
    """Return the points pushed apart, so that no node hides another and no link runs through a node.

    Links are pairs of positions in the list.
    """
    lines = sorted({(min(link), max(link)) for link in links})
    size = _box(points)[1]
    # Enlarge the picture, if necessary, so that its bounding square has room for every node.
    room = MIN_NODE_DISTANCE * (math.sqrt(len(points)) - 1) / max(size.real, size.imag, 1e-3)
    points = [max(1.0, room) * p for p in points]
    # First push nodes and links apart; then push nodes only, as links may have moved them together.
    for _ in range(min(PUSH_ROUNDS, 1 + PUSH_WORK // (len(points) * len(lines) + 1))):
        points, far = _push(points, [*_from_nodes(points), *_from_links(points, lines)])
        if far < MIN_PUSH:
            return points
    for _ in range(PUSH_ROUNDS):
        points, far = _push(points, list(_from_nodes(points)))
        if far < MIN_PUSH:
            break
    nearest = min((abs(points[i] - points[j]) for i, j in _near(points)), default=MIN_TILE_DISTANCE)
    stretch = max(1.0, MIN_TILE_DISTANCE / max(nearest, 1e-3))  # if nodes are still too near
    return [stretch * p for p in points]


def _push(points: Points, pushes: list[Push]) -> tuple[Points, float]:
    """Return the points, each moved by the mean of its pushes, and the length of the longest push."""
    sums, counts = [0j] * len(points), [0] * len(points)
    for node, push in pushes:
        sums[node] += push
        counts[node] += 1
    moved = [p + total / (n or 1) for p, total, n in zip(points, sums, counts, strict=True)]
    return moved, max((abs(push) for _, push in pushes), default=0.0)


def _near(points: Points) -> Iterator[tuple[int, int]]:
    """Yield all pairs of nodes that may be closer than ``MIN_NODE_DISTANCE``, using a grid of that width."""
    squares: dict[tuple[int, int], list[int]] = {}
    for i, p in enumerate(points):
        column, row = math.floor(p.real / MIN_NODE_DISTANCE), math.floor(p.imag / MIN_NODE_DISTANCE)
        for beside in product((column - 1, column, column + 1), (row - 1, row, row + 1)):
            for j in squares.get(beside, ()):
                yield j, i
        squares.setdefault((column, row), []).append(i)


def _from_nodes(points: Points) -> Iterator[Push]:
    """Yield the pushes between nodes that are too near: each node moves half the way."""
    for i, j in _near(points):
        far = abs(points[j] - points[i])
        short = (MIN_NODE_DISTANCE - far) / 2
        if short > 0:
            way = (points[j] - points[i]) / far if far > 1e-9 else 1
            yield i, -short * way
            yield j, short * way


def _from_links(points: Points, lines: list[tuple[int, int]]) -> Iterator[Push]:
    """Yield the pushes between a node and a link that are too near."""
    for i, j in lines:
        length = abs(points[j] - points[i])
        if length < 1e-9:
            continue
        way = (points[j] - points[i]) / length
        for k, p in enumerate(points):
            seen = (p - points[i]) * way.conjugate()  # x along the link, y across it
            short = CLEAR - abs(seen.imag)
            if short > 0 and 0 < seen.real < length and k not in (i, j):
                aside = math.copysign(short / 2, seen.imag) * 1j * way
                yield from ((k, aside), (i, -aside), (j, -aside))


def _turn(points: Points, links: list[tuple[int, int]]) -> Points:
    """Return the points, rotated so that most links, or else the first, are horizontal or vertical."""
    angles = [phase(points[j] - points[i]) for i, j in links]
    fourfold = sum((rect(1, 4 * angle) for angle in angles), 0j)  # links at right angles add up
    turn = phase(fourfold) / 4 if abs(fourfold) > 0.3 * len(links) else angles[0]
    return [p * rect(1, -turn) for p in points]


def _face(points: Points) -> Points:
    """Return the points reflected: wider than high, with the first node in the top left quarter."""
    size = _box(points)[1]
    if size.imag > size.real + 0.1:
        points = [complex(p.imag, p.real) for p in points]
    corner, size = _box(points)
    first = points[0] - corner - size / 2
    flip_x, flip_y = (-1 if offset > 1e-6 else 1 for offset in (first.real, first.imag))
    return [complex(flip_x * p.real, flip_y * p.imag) for p in points]


def _box(points: Points) -> tuple[complex, complex]:
    """Return the top left corner of the bounding box of the points, and its size."""
    across, down = [p.real for p in points], [p.imag for p in points]
    corner = complex(min(across), min(down))
    return corner, complex(max(across), max(down)) - corner
