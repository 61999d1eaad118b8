"""Boards that are no grid as SVG."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from milp_pips.drawing.colours import GREY, ink
from milp_pips.drawing.svg_parts import (
    DARK,
    MIDDLE,
    PAPER,
    Figure,
    badge,
    element,
    fitting,
    lettered,
    number,
)
from milp_pips.drawing.vocabulary import Graph, Line, Node

UNIT = 84
"""Pixels along a usual link."""

RADIUS = 22
"""Pixels from the middle of a node to its rim."""

TILE = 29
"""Pixels from the middle of a node to the rim of a tile that lies on it."""

EDGE = TILE + 4

_WEIGHTS = {Line.NONE: 0.0, Line.FAINT: 1.0, Line.THIN: 2.0, Line.THICK: 5.0}


def graph_figure(graph: Graph) -> Figure:
    """Return the board: links, tiles as capsules around their nodes, then the nodes."""
    if not graph.nodes:
        return Figure([], 0, 0)
    left = min(node.x for node in graph.nodes.values())
    top = min(node.y for node in graph.nodes.values())
    at = {
        key: (EDGE + UNIT * (node.x - left), EDGE + UNIT * (node.y - top))
        for key, node in graph.nodes.items()
    }
    elements = []
    for link in graph.links:
        weight = _WEIGHTS[link.line]
        if weight:
            path = _path((at[link.one], at[link.other]))
            elements.append(element("path", d=path, stroke=link.colour or MIDDLE, stroke_width=weight))
    for tile in graph.tiles:
        path = _path([at[key] for key in tile])
        # A thick line with round ends, and a thinner one upon it, leave the outline of a capsule.
        for colour, thick in ((DARK, 2 * TILE), (PAPER, 2 * TILE - 4)):
            elements.append(
                element(
                    "path",
                    d=path,
                    fill="none",
                    stroke=colour,
                    stroke_width=thick,
                    stroke_linecap="round",
                    stroke_linejoin="round",
                )
            )
        elements += [_halving(at[one], at[other]) for one, other in pairwise(tile)]
    for key, node in graph.nodes.items():
        elements += _node(*at[key], node)
    width, height = (max(point[axis] for point in at.values()) + EDGE for axis in (0, 1))
    return Figure(elements, width, height)


def _path(points: list[tuple[float, float]] | tuple[tuple[float, float], ...]) -> str:
    # A line of no length would have no round ends in some viewers.
    points = [*points, (points[0][0] + 0.1, points[0][1])] if len(points) == 1 else list(points)
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)


def _halving(one: tuple[float, float], other: tuple[float, float]) -> str:
    """Return the short line across the middle of two nodes of a tile."""
    (x1, y1), (x2, y2) = one, other
    far = math.hypot(x2 - x1, y2 - y1) or 1.0
    across = (y1 - y2) / far * 16, (x2 - x1) / far * 16
    x, y = (x1 + x2) / 2, (y1 + y2) / 2
    path = _path(((x - across[0], y - across[1]), (x + across[0], y + across[1])))
    return element("path", d=path, stroke=DARK, stroke_width=1.2, stroke_opacity="0.45")


def _node(x: float, y: float, node: Node) -> Iterator[str]:
    fills = node.fills or (PAPER,)
    yield element("circle", cx=x, cy=y, r=RADIUS, fill=fills[0])
    if len(fills) > 1:
        yield from _slices(x, y, fills)
    yield element("circle", cx=x, cy=y, r=RADIUS, fill="none", stroke=DARK, stroke_width=1.5)
    colour = ink(fills[0])
    if node.text:
        size = fitting(node.text, 19, 2 * RADIUS - 12)
        yield lettered(x, y - 4, node.text, size, font_weight="bold", fill=colour)
        yield lettered(x, y + 12, node.name, fitting(node.name, 11, 30), fill=colour)  # clear of the mark
    else:
        yield lettered(x, y, node.name, fitting(node.name, 17, 2 * RADIUS - 8), fill=colour)
    if node.corner:
        tone = fills[0] if len(fills) == 1 else GREY
        yield from badge(x - RADIUS - 8, y - RADIUS - 8, node.corner, tone, 2 * RADIUS)


def _slices(x: float, y: float, fills: tuple[str, ...]) -> Iterator[str]:
    """Yield one slice of the node for each of its fills, from the top clockwise."""
    for i, fill in enumerate(fills):
        start, end = (2 * math.pi * (i + k) / len(fills) - math.pi / 2 for k in (0, 1))
        points = [(x + RADIUS * math.cos(a), y + RADIUS * math.sin(a)) for a in (start, end)]
        (x1, y1), (x2, y2) = points
        arc = f"A{RADIUS} {RADIUS} 0 0 1 {number(x2)} {number(y2)}"
        yield element("path", d=f"M{number(x)} {number(y)}L{number(x1)} {number(y1)}{arc}Z", fill=fill)
