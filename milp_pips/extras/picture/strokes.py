"""The shapes of digits and signs, drawn by strokes: what glyphs on tags are compared with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from math import cos, hypot, pi, sin
from typing import NamedTuple

COLUMNS_OF_SHAPE, ROWS_OF_SHAPE = 12, 16
"""The size to which glyphs are scaled before they are compared."""

Point = tuple[float, float]
Line = tuple[Point, ...]


class Shape(NamedTuple):
    """A glyph stretched to a box: the coverage of each square, row by row, and the box's form."""

    coverage: tuple[float, ...]
    aspect: float
    """Width by height."""


def _arc(x: float, y: float, rx: float, ry: float, first: float, last: float) -> Line:
    """Return an arc around (x, y); angles are in degrees, 0 is right and 90 is down."""
    steps = max(2, round(abs(last - first) / 18))
    angles = (pi / 180 * (first + (last - first) * i / steps) for i in range(steps + 1))
    return tuple((x + rx * cos(a), y + ry * sin(a)) for a in angles)


BOWL = _arc(0.5, 0.685, 0.5, 0.315, 0, 360)
SIXES = (
    (BOWL, _arc(0.53, 0.5, 0.53, 0.5, 180, 318)),
    (BOWL, _arc(0.58, 0.5, 0.58, 0.5, 180, 295)),
    (BOWL, ((0.06, 0.55), (0.65, 0.0))),
)
"""A six whose upper end turns down, one with an open end, and one with a straight stem."""


def _turned(lines: Sequence[Line]) -> tuple[Line, ...]:
    return tuple(tuple((1 - x, 1 - y) for x, y in line) for line in lines)


DRAWINGS: dict[str, tuple[tuple[Line, ...], ...]] = {
    "0": ((_arc(0.5, 0.5, 0.5, 0.5, 0, 360),),),
    "1": (
        (((0.0, 0.2), (0.55, 0.0), (0.55, 1.0)), ((0.0, 1.0), (1.0, 1.0))),
        (((0.0, 0.25), (0.9, 0.0), (0.9, 1.0)),),
    ),
    "2": (((*_arc(0.5, 0.29, 0.47, 0.29, 185, 375), (0.75, 0.6), (0.0, 1.0), (1.0, 1.0)),),),
    "3": (
        (_arc(0.47, 0.245, 0.44, 0.245, 200, 440), _arc(0.47, 0.73, 0.53, 0.27, 275, 520)),
        (((0.05, 0.0), (0.95, 0.0), (0.5, 0.4)), _arc(0.47, 0.68, 0.53, 0.32, 270, 520)),
    ),
    "4": ((((0.76, 1.0), (0.76, 0.0), (0.0, 0.7), (1.0, 0.7)),),),
    "5": (
        (((0.9, 0.0), (0.15, 0.0), (0.08, 0.45)), _arc(0.46, 0.67, 0.54, 0.33, 225, 515)),
        (((0.8, 0.0), (0.15, 0.0), (0.12, 0.42)), _arc(0.4, 0.69, 0.6, 0.31, 240, 500)),
    ),
    "6": SIXES,
    "7": ((((0.0, 0.0), (1.0, 0.0), (0.35, 1.0)),), (((0.0, 0.0), (1.0, 0.0), (0.6, 0.4), (0.4, 1.0)),)),
    "8": ((_arc(0.5, 0.24, 0.43, 0.24, 0, 360), _arc(0.5, 0.74, 0.5, 0.26, 0, 360)),),
    "9": tuple(map(_turned, SIXES)),
    "<": ((((1.0, 0.0), (0.0, 0.5), (1.0, 1.0)),),),
    ">": ((((0.0, 0.0), (1.0, 0.5), (0.0, 1.0)),),),
    "=": ((((0.0, 0.0), (1.0, 0.0)), ((0.0, 1.0), (1.0, 1.0))),),
    "≠": ((((0.0, 0.28), (1.0, 0.28)), ((0.0, 0.72), (1.0, 0.72)), ((0.22, 1.0), (0.78, 0.0))),),
}
"""The strokes of each glyph, in one or more styles, from (0, 0) at the upper left to (1, 1)."""

WIDTHS = {"1": 0.34, "<": 0.55, ">": 0.55, "=": 1.8, "≠": 0.75}
"""How wide the strokes are by their height, before they get their thickness; 0.45 for the others."""

THICKNESSES = (0.15, 0.21, 0.27)
"""The thickness of strokes by their height, from regular to heavy."""

STRETCH = 1.15
"""How much wider glyphs are than the strokes are drawn: so upright strokes are thicker than level ones."""


@lru_cache(maxsize=1)
def shapes() -> dict[str, tuple[Shape, ...]]:
    """Return the shapes of every glyph."""
    return {
        glyph: tuple(
            _shape(drawing, WIDTHS.get(glyph, 0.45), thick * (2.6 if glyph == "=" else 1))
            for drawing in styles
            for thick in THICKNESSES
        )
        for glyph, styles in DRAWINGS.items()
    }


def _shape(drawing: tuple[Line, ...], wide: float, thick: float) -> Shape:
    """Return the drawing as a shape: squares within half a thickness of a stroke are covered."""
    segments = [((a * wide, b), (c * wide, d)) for line in drawing for (a, b), (c, d) in pairwise(line)]
    left = min(min(a, c) for (a, _), (c, _) in segments) - thick / 2
    right = max(max(a, c) for (a, _), (c, _) in segments) + thick / 2
    top, bottom = -thick / 2, 1 + thick / 2
    across, down = (right - left) / COLUMNS_OF_SHAPE, (bottom - top) / ROWS_OF_SHAPE
    edge = (across + down) / 2  # antialiasing
    coverage = []
    for row in range(ROWS_OF_SHAPE):
        for column in range(COLUMNS_OF_SHAPE):
            point = left + (column + 0.5) * across, top + (row + 0.5) * down
            far = min(_distances(point, segments))
            coverage.append(min(max((thick / 2 - far) / edge + 0.5, 0.0), 1.0))
    return Shape(tuple(coverage), STRETCH * (right - left) / (bottom - top))


def _distances(point: Point, segments: list[tuple[Point, Point]]) -> Iterator[float]:
    x, y = point
    for (a, b), (c, d) in segments:
        length = (c - a) ** 2 + (d - b) ** 2
        t = min(max(((x - a) * (c - a) + (y - b) * (d - b)) / length, 0.0), 1.0) if length else 0.0
        yield hypot(x - a - t * (c - a), y - b - t * (d - b))
