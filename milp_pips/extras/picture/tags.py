"""The tags of regions, diamonds on corners of cells, and the grid that they mark.

A diamond is ``TAG_SIZE`` times as wide as a cell, and its centre is a corner of four places of the grid. So
one diamond tells the pitch roughly, and several tell it to a fraction of a pixel.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import atan2, cos, hypot, sin

from milp_pips.extras.picture.components import NO_SCREENSHOT, Part, eroded, parts_of
from milp_pips.extras.picture.pixels import VIVID_PIXEL, Colour, Pixels, distance, median_colour
from milp_pips.problem.errors import InputError

TAG_SIZE = 0.785
"""The width of a diamond by the pitch of the grid, in the screenshots that were measured."""

LEAST_PITCH = 30
"""The smallest pitch in pixels at which digits can be distinguished."""


@dataclass(frozen=True, slots=True)
class Tag:
    """A diamond: its centre, its width and its colour."""

    x: float
    y: float
    size: float
    colour: Colour


@dataclass(frozen=True, slots=True)
class Grid:
    """The places of cells: their pitch, and the left and upper end of the place (0, 0)."""

    pitch: float
    left: float
    top: float

    def corner(self, tag: Tag) -> tuple[int, int]:
        """Return the place whose lower right corner the tag marks."""
        return round((tag.y - self.top) / self.pitch) - 1, round((tag.x - self.left) / self.pitch) - 1

    def at(self, row: float, column: float) -> tuple[float, float]:
        """Return x and y of a point; (0.5, 0.5) is the centre of the first place."""
        return self.left + column * self.pitch, self.top + row * self.pitch


def find_diamonds(picture: Pixels) -> list[Tag]:
    """Return diamonds that stand alone. Raises InputError without any."""
    vivid = picture.kinds.translate(bytes(kind == VIVID_PIXEL for kind in range(256)))
    best: list[Tag] = []
    # Dashes that touch a diamond are thinner than its thinnest part, but how thick are they? Try.
    for by in (2, 3, 4, 6, 8, 10, 13):
        found = _diamonds(picture, vivid, by)
        if len(found) >= len(best):
            best = found
    if not best:
        raise InputError(NO_SCREENSHOT)
    return best


def tilt_of(diamonds: Sequence[Tag]) -> float:
    """Return by how much the picture is turned clockwise, in radians: the lines between diamonds tell it.

    A line leads so many columns to the right and rows down; how it is turned against that is the tilt. Short
    lines come first, whose columns and rows are certain; then, with the tilt that they say, long ones.
    """
    pitch = statistics.median([tag.size for tag in diamonds]) / TAG_SIZE
    tilt = 0.0
    for near, far in ((1.5, 5.5), (3.0, 9.5)):
        turns = []
        for one, other in combinations(diamonds, 2):
            x, y = (other.x - one.x) / pitch, (other.y - one.y) / pitch
            across, down = x * cos(tilt) + y * sin(tilt), y * cos(tilt) - x * sin(tilt)
            columns, rows = round(across), round(down)
            if near < hypot(x, y) < far and max(abs(across - columns), abs(down - rows)) < 0.35:
                turns.append(atan2(down, across) - atan2(rows, columns))
        tilt += statistics.median([turn for turn in turns if abs(turn) < 0.2] or [0.0])
    return tilt


def find_tags(picture: Pixels, best: list[Tag]) -> tuple[list[Tag], Grid]:
    """Return the tags of the picture, from top to bottom, and their grid, by its diamonds.

    Raises InputError if they are on no grid.
    """
    pitch = statistics.median([tag.size for tag in best]) / TAG_SIZE
    if pitch < LEAST_PITCH:
        raise InputError(
            f"the picture is too small: its cells have {pitch:.0f} pixels", expected=f"at least {LEAST_PITCH}"
        )
    grid = _fitted(best, pitch)
    on_grid = [tag for tag in best if _offset(tag, grid) <= 0.08]
    if len(on_grid) * 2 <= len(best):
        raise InputError(NO_SCREENSHOT)
    grid = _fitted(on_grid, grid.pitch)
    # On the grid, diamonds are found even if dashes touch them.
    rows, columns = (int(size / grid.pitch) + 2 for size in (picture.height, picture.width))
    corners = (grid.at(row, column) for row in range(rows) for column in range(columns))
    return [tag for x, y in corners if (tag := _tag_at(picture, grid, x, y))], grid


def _tag_at(picture: Pixels, grid: Grid, x: float, y: float) -> Tag | None:
    """Return the tag on a corner of the grid, if its margin has one vivid colour all around."""
    spots = []
    for far in (0.29, 0.32, 0.35):
        for step in range(24):
            turn = step / 24
            u, v = (1 - abs((4 * (turn + k / 4)) % 4 - 2) for k in (0, 1))  # on a diamond, from -1 to 1
            if u > -0.2 or v > -0.2:  # elsewhere the cell cuts a notch
                spots.append((x + far * u * grid.pitch, y + far * v * grid.pitch))
    colours = [picture.colour(*spot) for spot in spots if picture.kind(*spot) == VIVID_PIXEL]
    if len(colours) < 0.7 * len(spots):
        return None
    colour = median_colour(colours)
    even = sum(distance(each, colour) <= 30 for each in colours)
    return Tag(x, y, TAG_SIZE * grid.pitch, colour) if even >= 0.7 * len(spots) else None


def _diamonds(picture: Pixels, vivid: bytes, by: int) -> list[Tag]:
    """Return the diamonds of one size among the vivid parts that contain squares of ``by`` × ``by``."""
    found = list(_any_diamonds(picture, parts_of(eroded(vivid, picture.width, by), picture.width), by - 1))
    size = statistics.median([tag.size for tag in found]) if found else 0
    if by > 0.11 * size:  # these are pieces of diamonds
        return []
    return [tag for tag in found if abs(tag.size - size) <= 0.05 * size + 1]


def _any_diamonds(picture: Pixels, parts: list[Part], grown: int) -> Iterator[Tag]:
    """Yield the parts that are diamonds; erosion made them smaller by ``grown`` pixels."""
    for part in parts:
        width, height = part.width + grown, part.height + grown
        size = max(width, height)
        if size < 0.7 * LEAST_PITCH or abs(width - height) > 0.12 * size + 2:
            continue
        x, y, area = part.left + width / 2, part.top + height / 2, part.area
        # Every run is inside the diamond and together they fill it, apart from glyphs and the notch.
        half, slack = size / 2, 0.06 * size + grown + 1.5
        outside = sum(
            end - start
            for row, start, end in part.runs
            if abs(row - y) + max(abs(start - x), abs(end - x)) > half + slack + grown
        )
        if outside > 0.03 * area or not 0.2 <= area / (part.width * part.height + 1) <= 0.62:
            continue
        runs = part.runs[:: max(1, len(part.runs) // 40)]
        colour = median_colour(picture.colour((start + end) / 2, row) for row, start, end in runs)
        yield Tag(x, y, (width + height) / 2, colour)


def _offset(tag: Tag, grid: Grid) -> float:
    """Return how far a tag is from the next corner of the grid, by the pitch."""
    across, down = (tag.x - grid.left) / grid.pitch, (tag.y - grid.top) / grid.pitch
    return max(abs(across - round(across)), abs(down - round(down)))


def _fitted(tags: list[Tag], pitch: float) -> Grid:
    """Return the grid that fits most tags: steps are counted from one tag to the next, then fitted."""
    best, most = Grid(pitch, 0.0, 0.0), -1
    for anchor in tags:
        for scale in (1.0, 0.985, 1.015, 0.97, 1.03):
            grid = Grid(pitch * scale, anchor.x, anchor.y)
            for _ in range(3):
                grid = _least_squares([tag for tag in tags if _offset(tag, grid) <= 0.2], grid)
            inside = sum(_offset(tag, grid) <= 0.06 for tag in tags)
            if inside > most:
                best, most = grid, inside
        if most == len(tags):
            break
    # The first place is the first one whose middle is in the picture.
    left, top = ((start + best.pitch / 2) % best.pitch - best.pitch / 2 for start in (best.left, best.top))
    return Grid(best.pitch, left, top)


def _least_squares(tags: list[Tag], grid: Grid) -> Grid:
    """Return the grid with the least sum of squared distances from the tags to the corners they are near."""
    steps, places = [], []
    means = []
    for values, start in (([tag.x for tag in tags], grid.left), ([tag.y for tag in tags], grid.top)):
        counts = [round((value - start) / grid.pitch) for value in values]
        means.append((statistics.fmean(values), statistics.fmean(counts)))
        steps += [count - means[-1][1] for count in counts]
        places += [value - means[-1][0] for value in values]
    spread = sum(step * step for step in steps)
    pitch = sum(s * p for s, p in zip(steps, places, strict=True)) / spread if spread else grid.pitch
    (x, columns), (y, rows) = means
    return Grid(pitch, x - columns * pitch, y - rows * pitch)
