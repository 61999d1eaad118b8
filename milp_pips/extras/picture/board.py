"""The cells of the board and their regions, by colours and dashes; the dominoes in the tray, by pips."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum, log

from milp_pips.algorithms.connectivity import Groups
from milp_pips.extras.picture.alternatives import Reading, readings
from milp_pips.extras.picture.components import Part, parts_of
from milp_pips.extras.picture.pixels import (
    CELL_KINDS,
    GREY_PIXEL,
    INK_PIXEL,
    VIVID_PIXEL,
    Colour,
    Pixels,
    distance,
    median_colour,
)
from milp_pips.extras.picture.tags import Grid, Tag
from milp_pips.render.vocabulary import Place, neighbours

ACROSS = tuple(i / 50 for i in range(-5, 6))
"""The distances from a border at which dashes and gaps are searched, in pitches."""

BEIGE = (22, 28)
"""How much more red than green, and than blue, a cell without a rule has."""


@dataclass(frozen=True, slots=True)
class Square:
    """A cell: its colour, and whether it may be none, since only some of the signs of a cell were seen."""

    colour: Colour
    is_doubtful: bool


def find_cells(picture: Pixels, grid: Grid, bottom: float) -> dict[Place, Square]:
    """Return the cells of the board above ``bottom``, the upper end of the tray."""
    found = {}
    for row in range(int((bottom - grid.top) / grid.pitch) + 1):
        for column in range(int((picture.width - grid.left) / grid.pitch) + 1):
            square = _square(picture, grid, row, column)
            if square:
                found[row, column] = square
    return found


def _square(picture: Pixels, grid: Grid, row: int, column: int) -> Square | None:
    """Return the cell at a place if one is there: one tint, with gaps of another around it."""
    x, y = grid.at(row + 0.5, column + 0.5)
    if not picture.has(x, y):
        return None
    spots = [(x + grid.pitch * i / 24, y + grid.pitch * j / 24) for i in range(-4, 5) for j in range(-4, 5)]
    colours = [picture.colour(*spot) for spot in spots]
    colour = median_colour(colours)
    tinted = sum(picture.kind(*spot) in CELL_KINDS for spot in spots) / len(spots)
    even = sum(distance(each, colour) <= 20 for each in colours) / len(spots)
    if tinted < 0.6 or even < 0.6 or sum(colour) > 3 * 232:
        return None
    sides = 0
    for down, across in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        u, v = x + grid.pitch * across / 2, y + grid.pitch * down / 2
        gap = [
            picture.colour(u + grid.pitch * along * down, v + grid.pitch * along * across) for along in ACROSS
        ]
        sides += distance(median_colour(gap), colour) >= 5
    if sides < 2:
        return None
    return Square(colour, tinted < 0.9 or even < 0.9 or sides < 3)


@dataclass(frozen=True, slots=True)
class Area:
    """Connected cells of one region, in reading order; its tags; and whether it is free of any rule."""

    cells: tuple[Place, ...]
    tags: tuple[int, ...]
    is_free: bool
    is_doubtful: bool


def find_areas(picture: Pixels, grid: Grid, cells: Mapping[Place, Square], tags: list[Tag]) -> list[Area]:
    """Return the areas of the board in reading order. A tag that marks no cell is in none."""
    centres = [(tag.x, tag.y, tag.size * 0.56) for tag in tags]
    marked = {grid.corner(tag): i for i, tag in enumerate(tags)}
    places, doubted = sorted(cells), set[Place]()
    number, groups = {place: i for i, place in enumerate(places)}, Groups(len(places))
    # Cells belong together unless something separates them: a dash, or another colour.
    for cell in places:
        for other in neighbours(cell):
            if other not in cells:
                continue
            dashes = _dashes(picture, grid, centres, cell, other)
            alike = distance(cells[cell].colour, cells[other].colour)
            if alike <= 10 and dashes <= 0.12:
                groups.join((number[cell], number[other]))
                clear = alike <= 6 and dashes <= 0.08
            else:
                clear = alike >= 13 or dashes >= 0.25
            if not clear:
                doubted.add(cell)
    areas = []
    for numbers in groups.sets(range(len(places))):
        members = [places[i] for i in numbers]
        owned = tuple(marked[each] for each in members if each in marked)
        r, g, b = median_colour(cells[each].colour for each in members)
        beige = max(abs(r - g - BEIGE[0]), abs(r - b - BEIGE[1])) <= 12
        free = beige and not owned
        last = max(members)
        unlike = len(owned) != (not free) or (bool(owned) and last not in marked)
        doubtful = unlike or not doubted.isdisjoint(members)
        areas.append(Area(tuple(members), owned, free, doubtful))
    return areas


def _dashes(
    picture: Pixels, grid: Grid, centres: list[tuple[float, float, float]], cell: Place, other: Place
) -> float:
    """Return which part of the side between two places has a dash across it; tags are left out."""
    (row, column), (below, right) = cell, other
    down, across = below - row, right - column
    x, y = grid.at(row + 0.5 + down / 2, column + 0.5 + across / 2)
    seen = dashes = 0
    steps = max(16, round(grid.pitch * 0.8))
    reach = [offset * grid.pitch for offset in ACROSS]
    for step in range(steps + 1):
        along = (step / steps - 0.5) * 0.8 * grid.pitch
        u, v = x + along * down, y + along * across
        if any(abs(u - cx) + abs(v - cy) < size + 0.1 * grid.pitch for cx, cy, size in centres):
            continue
        seen += 1
        dashes += VIVID_PIXEL in (picture.kind(u + offset * across, v + offset * down) for offset in reach)
    return dashes / seen if seen else 0.0


# The dominoes in the tray below the board: dark rings, twice as wide as high, with pips in fixed spots.

COLUMNS = ((0.148, 0.256, 0.365), (0.63, 0.738, 0.852))
"""Where the left, middle and right spots of each half are, by the width of a domino."""

SPOT_ROWS = (0.295, 0.5, 0.705)
"""Where the upper, middle and lower spots are, by its height."""

FACES = {
    0: ("... ... ...",),
    1: ("... .o. ...",),
    2: ("o.. ... ..o", "..o ... o.."),
    3: ("o.. .o. ..o", "..o .o. o.."),
    4: ("o.o ... o.o",),
    5: ("o.o .o. o.o",),
    6: ("ooo ... ooo", "o.o o.o o.o"),
}
"""The spots of each number of pips; a face may be turned."""


@dataclass(frozen=True, slots=True)
class Domino:
    """A domino: where its upper side is, and the numbers of pips of its left and right half."""

    top: int
    halves: tuple[Reading[int], Reading[int]]


def find_dominoes(picture: Pixels) -> list[Domino]:
    """Return the dominoes in the tray, in rows from top to bottom."""
    rings = _rings(picture)
    if not rings:
        return []
    height = statistics.median([ring.height for ring in rings])
    rings.sort(key=lambda ring: (round(ring.top / height * 2), ring.left))
    return [Domino(ring.top, (_half(picture, ring, 0), _half(picture, ring, 1))) for ring in rings]


def _rings(picture: Pixels) -> list[Part]:
    """Return the outlines of the dominoes: the largest group of rings of one size."""
    ink = picture.kinds.translate(bytes(kind in (INK_PIXEL, GREY_PIXEL) for kind in range(256)))
    rings = [part for part in parts_of(ink, picture.width) if _is_ring(picture, part)]
    groups = [
        [ring for ring in rings if abs(ring.width - one.width) <= 0.06 * one.width + 1] for one in rings
    ]
    return max(groups, key=len, default=[])


def _is_ring(picture: Pixels, part: Part) -> bool:
    if part.width < 24 or not 1.6 <= part.width / part.height <= 2.4:
        return False
    # Just inside the border it is light almost everywhere; pips are further in.
    inside = [
        picture.kind(part.left + across * part.width, part.top + down * part.height)
        for across in (0.06, 0.3, 0.42, 0.55, 0.7, 0.94)
        for down in (0.13, 0.4, 0.6)
    ]
    return part.area < 0.5 * part.width * part.height and sum(kind == INK_PIXEL for kind in inside) <= 4


def _half(picture: Pixels, ring: Part, half: int) -> Reading[int]:
    """Return the number of pips of a half, with its alternatives."""
    paper = statistics.median(_lights(picture, ring, 0.045 if half == 0 else 0.955, 0.5, 0.02))
    spots = []
    for down in SPOT_ROWS:
        for across in COLUMNS[half]:
            dark = statistics.fmean(_lights(picture, ring, across, down, 0.028))
            share = (paper - dark) / max(paper - 68, 1)  # the ink of pips has 68 of 255
            spots.append(1 / (1 + exp(-14 * (min(max(share, 0.0), 1.0) - 0.5))))
    likelihoods = {pips: max(_likelihood(face, spots) for face in faces) for pips, faces in FACES.items()}
    return readings(likelihoods)


def _likelihood(face: str, spots: Sequence[float]) -> float:
    """Return the logarithm of the likelihood of a face, of the probabilities that the spots are pips."""
    marks = face.replace(" ", "")
    return fsum(log(p if mark == "o" else 1 - p) for mark, p in zip(marks, spots, strict=True))


def _lights(picture: Pixels, ring: Part, across: float, down: float, radius: float) -> Iterator[float]:
    """Yield the lightness of pixels in a disk around a spot; the radius is by the width of the domino."""
    x, y = ring.left + across * ring.width, ring.top + down * ring.height
    reach = max(radius * ring.width, 0.5)
    steps = max(1, round(reach))
    for i in range(-steps, steps + 1):
        for j in range(-steps, steps + 1):
            if i * i + j * j <= steps * steps:
                yield sum(picture.colour(x + reach * i / steps, y + reach * j / steps)) / 3
