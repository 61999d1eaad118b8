"""Read a tag: compare its light glyphs with the shapes of digits and signs, which are drawn by strokes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise, product
from math import cos, fsum, inf, log, pi, sin, sqrt
from operator import mul
from typing import NamedTuple

from milp_pips.extras.picture.alternatives import Reading, readings
from milp_pips.extras.picture.components import parts_of
from milp_pips.extras.picture.pixels import Pixels
from milp_pips.extras.picture.tags import Grid, Tag

COLUMNS_OF_SHAPE, ROWS_OF_SHAPE = 12, 16
"""The size to which glyphs are scaled before they are compared."""

Point = tuple[float, float]
Line = tuple[Point, ...]
Segment = tuple[float, float, float, float, float]
"""Where it begins, how far it leads to the right and down, and the square of its length."""


class Shape(NamedTuple):
    """A glyph stretched to a box: the coverage of each square, row by row, and the box's form.

    The mean of the coverage is 0 and the sum of its squares 1, so that products sum to a correlation.
    """

    coverage: tuple[float, ...]
    aspect: float
    """Width by height."""

    @staticmethod
    def of(coverage: Sequence[float], aspect: float) -> Shape:
        """Return the shape of a coverage from 0 to 1; one without contrast is like no other."""
        mean = fsum(coverage) / len(coverage)
        spread = sqrt(fsum((x - mean) ** 2 for x in coverage)) or 1.0
        return Shape(tuple((x - mean) / spread for x in coverage), aspect)


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
            _drawn(drawing, WIDTHS.get(glyph, 0.45), thick * (2.6 if glyph == "=" else 1))
            for drawing in styles
            for thick in THICKNESSES
        )
        for glyph, styles in DRAWINGS.items()
    }


def _drawn(drawing: tuple[Line, ...], wide: float, thick: float) -> Shape:
    """Return the drawing as a shape: squares within half a thickness of a stroke are covered."""
    segments = [((a * wide, b), (c * wide, d)) for line in drawing for (a, b), (c, d) in pairwise(line)]
    left = min(min(a, c) for (a, _), (c, _) in segments) - thick / 2
    right = max(max(a, c) for (a, _), (c, _) in segments) + thick / 2
    top, bottom = -thick / 2, 1 + thick / 2
    across, down = (right - left) / COLUMNS_OF_SHAPE, (bottom - top) / ROWS_OF_SHAPE
    edge = (across + down) / 2  # antialiasing
    strokes = [(a, b, c - a, d - b, (c - a) ** 2 + (d - b) ** 2) for (a, b), (c, d) in segments]
    coverage = []
    for row in range(ROWS_OF_SHAPE):
        for column in range(COLUMNS_OF_SHAPE):
            far = _distance(left + (column + 0.5) * across, top + (row + 0.5) * down, strokes)
            coverage.append(min(max((thick / 2 - far) / edge + 0.5, 0.0), 1.0))
    return Shape.of(coverage, STRETCH * (right - left) / (bottom - top))


def _distance(x: float, y: float, segments: Iterable[Segment]) -> float:
    """Return how far a point is from the nearest segment. Each picture needs 50,000 such distances first."""
    nearest = inf
    for a, b, right, down, square in segments:
        u, v = x - a, y - b
        along = u * right + v * down
        if along >= square:
            u, v = u - right, v - down
        elif along > 0.0:
            u, v = u - along / square * right, v - along / square * down
        nearest = min(nearest, u * u + v * v)
    return sqrt(nearest)


SHARPNESS = 28.0
"""How much likelier a glyph is for a better correlation. Chosen by ``benchmarks/pictures.py``."""

TEXTS = re.compile("[=≠]|[<>]?[0-9]|[<>]?[1-9][0-9]")
"""What a tag may say."""


class Patch(NamedTuple):
    """The middle of a tag: how white each pixel is, from 0 to 1, row by row."""

    width: int
    height: int
    coverage: list[float]

    def column(self, x: int) -> list[float]:
        return self.coverage[x :: self.width]

    def line(self, y: int, box: Box) -> list[float]:
        """Return the part of a row that is as wide as the box."""
        return self.coverage[y * self.width + box.left : y * self.width + box.right]


class Box(NamedTuple):
    """The place of a glyph in a patch; right and bottom are exclusive."""

    left: int
    top: int
    right: int
    bottom: int


def read_tag(picture: Pixels, grid: Grid, tag: Tag) -> Reading[str] | None:
    """Return what the tag says, such as ``<12``; None if it has no glyph."""
    patch = _patch(picture, grid, tag)
    boxes = _boxes(patch, grid.pitch)
    if not boxes:
        return None
    found: dict[str, float] = {}
    choices = [list(_splits(patch, box)) for box in boxes]
    for chosen in product(*choices):
        glyphs = [glyph for glyphs in chosen for glyph in glyphs]
        if len(glyphs) > 3:
            continue
        scores = [_scores(patch, box) for box in glyphs]
        for letters in product(*scores):
            text = "".join(letter for letter, _ in letters)
            if TEXTS.fullmatch(text):
                # The mean, so that more glyphs are not less likely in themselves.
                score = SHARPNESS * (fsum(score for _, score in letters) - (len(letters) - 1) * 0.8)
                found[text] = max(found.get(text, score), score)
    return readings(found) if found else None


def _patch(picture: Pixels, grid: Grid, tag: Tag) -> Patch:
    """Return the middle of the tag, without its margin and without the notch."""
    across, down = round(0.29 * grid.pitch), round(0.24 * grid.pitch)
    left, top = int(tag.x) - across, int(tag.y) - down
    toward = [255 - channel for channel in tag.colour]
    length = fsum(channel * channel for channel in toward)
    coverage = []
    for y in range(top, top + 2 * down + 1):
        v = (y + 0.5 - tag.y) / grid.pitch
        for x in range(left, left + 2 * across + 1):
            u = (x + 0.5 - tag.x) / grid.pitch
            if abs(u) + abs(v) > 0.345 or (u < -0.06 and v < -0.09 and u + v < -0.17):
                coverage.append(0.0)
                continue
            colour = picture.colour(x, y)
            share = fsum((c - t) * d for c, t, d in zip(colour, tag.colour, toward, strict=True)) / length
            coverage.append(min(max(share, 0.0), 1.0))
    return Patch(2 * across + 1, 2 * down + 1, coverage)


def _boxes(patch: Patch, pitch: float) -> list[Box]:
    """Return the boxes of glyphs from left to right; parts above one another are one glyph."""
    mask = bytes(share > 0.5 for share in patch.coverage)
    parts = [part for part in parts_of(mask, patch.width) if part.area >= 0.0012 * pitch * pitch]
    boxes: list[Box] = []
    for part in sorted(parts, key=lambda part: part.left):
        box = Box(part.left, part.top, part.right, part.bottom)
        shared = min(box.right, boxes[-1].right) - box.left if boxes else 0
        if boxes and shared > 0.34 * min(box.right - box.left, boxes[-1].right - boxes[-1].left):
            old = boxes.pop()
            box = Box(old.left, min(old.top, box.top), max(old.right, box.right), max(old.bottom, box.bottom))
        boxes.append(box)
    return [box for box in boxes if box.bottom - box.top >= 0.06 * pitch]


def _splits(patch: Patch, box: Box) -> Iterable[tuple[Box, ...]]:
    """Yield the box as one glyph and, if it is wide, as two or three that touch."""
    yield (box,)
    width, height = box.right - box.left, box.bottom - box.top
    if width < 0.95 * height or width < 6:
        return
    middle = range(box.left + round(0.3 * width), box.left + round(0.7 * width) + 1)
    at = min(middle, key=lambda x: fsum(patch.column(x)[box.top : box.bottom]))
    halves = [_trimmed(patch, box._replace(right=at)), _trimmed(patch, box._replace(left=at))]
    yield tuple(halves)
    if width > 1.7 * height:
        for i, half in enumerate(halves):
            for more in list(_splits(patch, half))[1:]:
                yield (*halves[:i], *more, *halves[i + 1 :])


def _trimmed(patch: Patch, box: Box) -> Box:
    """Return the box without empty rows above and below."""
    full = [y for y in range(box.top, box.bottom) if max(patch.line(y, box), default=0) > 0.5]
    return box._replace(top=full[0], bottom=full[-1] + 1) if full else box


HOLES = {"0": 1, "4": 1, "6": 1, "8": 2, "9": 1}
"""How many holes a glyph has; the others have none."""

HOLE = 0.1
"""What a hole too many or too few costs, in correlation, if the glyph is large enough to show its holes."""


def _scores(patch: Patch, box: Box) -> list[tuple[str, float]]:
    """Return how well each glyph fits what is in the box, the likeliest half of them."""
    shape, holes = _shape(patch, box), _count_holes(patch, box)
    weight = HOLE * min(max((box.bottom - box.top - 5) / 8, 0.0), 1.0)
    scored = [
        (
            glyph,
            max(_likeness(shape, each) for each in styles) - weight * abs(holes - HOLES.get(glyph, 0)),
        )
        for glyph, styles in shapes().items()
    ]
    return sorted(scored, key=lambda each: -each[1])[:7]


def _count_holes(patch: Patch, box: Box) -> int:
    """Return how many parts of the background the glyph encloses."""
    width = box.right - box.left + 2
    empty = bytes([1] * width)
    rows = [
        b"\1" + bytes(share <= 0.5 for share in patch.line(y, box)) + b"\1"
        for y in range(box.top, box.bottom)
    ]
    parts = parts_of(b"".join([empty, *rows, empty]), width)
    least = 0.012 * (box.right - box.left) * (box.bottom - box.top)
    return sum(part.area >= least and part.left > 0 for part in parts)


def _shape(patch: Patch, box: Box) -> Shape:
    """Return what is in the box, scaled; its sides lie between pixels, by how white these are."""
    rows = slice(box.top, box.bottom)
    left, top, right, bottom = (float(side) for side in box)
    if box.left > 0:
        left -= 0.8 * max(patch.column(box.left - 1)[rows])
    if box.right < patch.width:
        right += 0.8 * max(patch.column(box.right)[rows])
    if box.top > 0:
        top -= 0.8 * max(patch.line(box.top - 1, box))
    if box.bottom < patch.height:
        bottom += 0.8 * max(patch.line(box.bottom, box))
    columns = _weights(left, right, COLUMNS_OF_SHAPE, patch.width)
    lines = _weights(top, bottom, ROWS_OF_SHAPE, patch.height)
    coverage = [
        fsum(a * b * patch.coverage[y * patch.width + x] for y, a in row for x, b in column)
        for row in lines
        for column in columns
    ]
    return Shape.of(coverage, (right - left) / (bottom - top))


def _weights(start: float, end: float, steps: int, most: int) -> list[list[tuple[int, float]]]:
    """Return the pixels under each of the steps from start to end, with their shares."""
    size = (end - start) / steps
    found = []
    for i in range(steps):
        a, b = start + i * size, start + (i + 1) * size
        pixels = range(max(int(a), 0), min(int(b) + 1, most))
        found.append([(x, max(min(b, x + 1) - max(a, x), 0.0) / size) for x in pixels])
    return found


def _likeness(one: Shape, other: Shape) -> float:
    """Return the correlation of two shapes, less if their boxes differ in form."""
    form = log(one.aspect / other.aspect)
    correlation: float = sum(map(mul, one.coverage, other.coverage))
    return correlation - 0.35 * form * form
