"""The cells of the board and the regions they belong to, by their colours and the dashes between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from milp_pips.extras.picture.pixels import (
    GREY_PIXEL,
    TINTED_PIXEL,
    VIVID_PIXEL,
    Colour,
    Pixels,
    distance,
    median_colour,
)
from milp_pips.extras.picture.tags import Grid, Tag
from milp_pips.render.vocabulary import Place

ACROSS = tuple(i / 50 for i in range(-5, 6))
"""Where dashes and gaps are looked for around the border of two places, by the pitch."""

BEIGE = (22, 28)
"""How much more red than green, and than blue, a cell without a rule has."""


@dataclass(frozen=True, slots=True)
class Square:
    """A cell: its colour, and whether it is likely to be one: half of what speaks for a cell is seen."""

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
    tinted = sum(picture.kind(*spot) in (TINTED_PIXEL, GREY_PIXEL) for spot in spots) / len(spots)
    even = sum(distance(each, colour) <= 20 for each in colours) / len(spots)
    if tinted < 0.6 or even < 0.6 or sum(colour) > 3 * 232:
        return None
    sides = 0
    for down, across in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        gap = [
            picture.colour(
                x + grid.pitch * (across * 0.5 + along * down), y + grid.pitch * (down * 0.5 + along * across)
            )
            for along in (-0.1, -0.08, -0.06, -0.04, -0.02, 0, 0.02, 0.04, 0.06, 0.08, 0.1)
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
    together, doubted = dict[Place, list[Place]](), set[Place]()
    dashed = set[Place]()
    for cell in cells:
        row, column = cell
        for other in ((row, column + 1), (row + 1, column), (row, column - 1), (row - 1, column)):
            dashes = _dashes(picture, grid, centres, cell, other)
            if other not in cells:
                if dashes > 0.25:
                    dashed.add(cell)
                continue
            alike = distance(cells[cell].colour, cells[other].colour)
            if alike <= 10 and dashes <= 0.12:
                together.setdefault(cell, []).append(other)
                clear = alike <= 6 and dashes <= 0.08
            else:
                clear = alike >= 13 or dashes >= 0.25
                if dashes > 0.25:
                    dashed.add(cell)
            if not clear:
                doubted.add(cell)
    areas, seen = [], set[Place]()
    for cell in sorted(cells):
        if cell in seen:
            continue
        members = list(_reached(cell, together))
        seen.update(members)
        owned = tuple(marked[each] for each in sorted(members) if each in marked)
        r, g, b = median_colour(cells[each].colour for each in members)
        beige = max(abs(r - g - BEIGE[0]), abs(r - b - BEIGE[1])) <= 12
        free = beige and not owned
        last = max(members)
        doubtful = (
            not doubted.isdisjoint(members)
            or len(owned) != (not free)
            or (bool(owned) and last not in marked)
        )
        areas.append(Area(tuple(sorted(members)), owned, free, doubtful))
    return areas


def _reached(start: Place, together: Mapping[Place, list[Place]]) -> Iterator[Place]:
    seen, open_ = {start}, [start]
    while open_:
        cell = open_.pop()
        yield cell
        for other in together.get(cell, ()):
            if other not in seen:
                seen.add(other)
                open_.append(other)


def _dashes(
    picture: Pixels, grid: Grid, centres: list[tuple[float, float, float]], cell: Place, other: Place
) -> float:
    """Return which part of the side between two places has a dash across it; tags are left out."""
    (row, column), (below, right) = cell, other
    down, across = below - row, right - column
    x, y = grid.at(row + 0.5 + down / 2, column + 0.5 + across / 2)
    seen = dashes = 0
    steps = max(16, round(grid.pitch * 0.8))
    reach = [
        offset * grid.pitch for offset in (-0.1, -0.08, -0.06, -0.04, -0.02, 0.0, 0.02, 0.04, 0.06, 0.08, 0.1)
    ]
    for step in range(steps + 1):
        along = (step / steps - 0.5) * 0.8 * grid.pitch
        u, v = x + along * down, y + along * across
        if any(abs(u - cx) + abs(v - cy) < size + 0.1 * grid.pitch for cx, cy, size in centres):
            continue
        seen += 1
        dashes += any(picture.kind(u + offset * across, v + offset * down) == VIVID_PIXEL for offset in reach)
    return dashes / seen if seen else 0.0
