"""Draw puzzles as screenshots of a phone or a desktop show them; ``pictures.py`` and tests read them again.

The drawing shares nothing with the reader: Pillow draws it, and its fonts write the tags.
"""

from __future__ import annotations

import io
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import cos, pi, sin
from typing import cast

from PIL import Image, ImageChops, ImageDraw, ImageFont

from milp_pips.puzzles.pips.puzzle import Pips
from milp_pips.render.vocabulary import Place

FONTS = (
    "DejaVuSans-Bold.ttf",
    "DejaVuSansCondensed-Bold.ttf",
    "DejaVuSerif-Bold.ttf",
    "LiberationSans-Bold.ttf",
    "LiberationSansNarrow-Bold.ttf",
)

SHARP = 2
"""Everything is drawn so many times larger, then scaled down."""

Colour = tuple[int, int, int]
Box = tuple[float, float, float, float]

PHONE_COLOURS: tuple[tuple[Colour, Colour, Colour], ...] = (
    ((146, 81, 202), (131, 66, 176), (194, 162, 191)),
    ((219, 19, 122), (236, 0, 76), (231, 160, 175)),
    ((0, 130, 147), (0, 101, 112), (157, 190, 192)),
    ((209, 86, 9), (201, 77, 0), (231, 187, 140)),
    ((70, 79, 177), (0, 52, 118), (178, 165, 192)),
    ((84, 118, 1), (76, 110, 0), (182, 175, 138)),
)
"""Tag, dashes and cells of each region colour."""

DESKTOP_COLOURS: tuple[tuple[Colour, Colour, Colour], ...] = (
    ((137, 84, 196), (119, 68, 170), (190, 165, 188)),
    ((201, 48, 121), (221, 44, 82), (226, 164, 174)),
    ((56, 128, 145), (43, 104, 119), (176, 190, 190)),
    ((194, 94, 39), (194, 88, 33), (226, 190, 156)),
    ((32, 63, 114), (20, 55, 120), (165, 161, 172)),
    ((91, 117, 33), (80, 108, 25), (182, 175, 143)),
)

FRAME, FREE, INK = (217, 188, 177), (224, 203, 197), (68, 68, 68)


@dataclass(frozen=True)
class Look:
    """How a screenshot is drawn; lengths are by the pitch of the grid unless they are pixels.

    ``gap`` is between cells, ``inset`` from the border of a place to the dashes of its region, ``dash`` their
    thickness, ``frame`` how far the frame goes beyond the cells.
    """

    size: tuple[int, int]
    pitch: int
    colours: Sequence[tuple[Colour, Colour, Colour]]
    gap: float
    inset: float
    dash: float
    frame: float
    font: str
    bars: bool
    """Whether the texts of a phone or page are around the puzzle."""


def look_of(puzzle: Pips, device: str, rng: random.Random) -> Look:
    """Return how the device shows the puzzle: ``phone`` or ``desktop``."""
    rows, columns = puzzle.extent
    font = rng.choice(FONTS)
    if device == "phone":
        pitch = min(180, int(1140 / (columns + 0.4)), 1450 // rows)
        tight = rng.random() < 0.5
        inset, dash, frame = (0.012, 0.02, 0.05) if tight else (0.05, 0.034, 0.1)
        return Look((1170, 2532), pitch, PHONE_COLOURS, 0.06, inset, dash, frame, font, True)
    pitch = min(106, int(960 / (columns + 0.4)), 1000 // rows)
    return Look((rng.choice((988, 1074)), 1834), pitch, DESKTOP_COLOURS, 0.06, 0.05, 0.036, 0.1, font, False)


def screenshot(puzzle: Pips, look: Look, rng: random.Random) -> Image.Image:
    """Return the picture of the board, the line below it and the tray."""
    width, height = look.size
    image = Image.new("RGB", (width * SHARP, height * SHARP), "white")
    pen = ImageDraw.Draw(image)
    rows, columns = puzzle.extent
    tray = _tray_height(puzzle, look)
    line = height - tray - 40
    first = 380 if look.bars else 30
    top = first + max(0.0, line - 60 - first - rows * look.pitch) * rng.uniform(0.0, 0.7)
    left = (width - (columns + 0.2) * look.pitch) / 2
    _draw_board(pen, puzzle, look, left * SHARP, top * SHARP, rng)
    pen.line((0, line * SHARP, width * SHARP, line * SHARP), (220, 220, 220), 2 * SHARP)
    _draw_tray(pen, puzzle, look, (line + 30) * SHARP)
    if look.bars:
        _draw_bars(pen, look)
    return image.resize(look.size, Image.Resampling.BOX)


def _draw_board(
    pen: ImageDraw.ImageDraw, puzzle: Pips, look: Look, left: float, top: float, rng: random.Random
) -> None:
    p = look.pitch * SHARP
    cells = cast("tuple[Place, ...]", puzzle.cells)
    region_of = {cell: i for i, region in enumerate(puzzle.regions) for cell in region.cells if region.rule}
    colours = _coloured(puzzle, len(look.colours), rng)

    def box(cell: Place, grown: float) -> Box:
        row, column = cell
        x, y = left + column * p, top + row * p
        return x - grown * p, y - grown * p, x + p + grown * p, y + p + grown * p

    for cell in cells:
        pen.rounded_rectangle(box(cell, look.frame), look.frame * 1.4 * p, FRAME)
    for cell in cells:
        pen.rounded_rectangle(box(cell, -look.gap), 0.12 * p, FREE)
    for cell, region in region_of.items():  # the tint fills the gaps to cells of the same region
        between = tuple(round(0.955 * channel) for channel in look.colours[colours[region]][2])
        x0, y0, x1, y1 = box(cell, -look.inset)
        pen.rounded_rectangle((x0, y0, x1, y1), 0.1 * p, between)
        row, column = cell
        gap = 2 * look.inset * p
        if region_of.get((row, column + 1)) == region:
            pen.rectangle((x1 - 0.1 * p, y0, x1 + gap + 0.1 * p, y1), between)
        if region_of.get((row + 1, column)) == region:
            pen.rectangle((x0, y1 - 0.1 * p, x1, y1 + gap + 0.1 * p), between)
    for cell, region in region_of.items():
        pen.rounded_rectangle(box(cell, -look.gap), 0.12 * p, look.colours[colours[region]][2])
    for cell, region in region_of.items():
        same = {
            side: region_of.get((cell[0] + side[0], cell[1] + side[1])) == region
            for side in ((0, 1), (0, -1), (1, 0), (-1, 0))
        }
        _draw_dashes(pen, look, box(cell, -look.inset), same, look.colours[colours[region]][1])
    for i, region in enumerate(puzzle.regions):
        if region.rule:
            row, column = max(cast("tuple[Place, ...]", region.cells))
            tag, _, tint = look.colours[colours[i]]
            _draw_tag(pen, look, region.sign, left + (column + 1) * p, top + (row + 1) * p, (tag, tint), p)


def _coloured(puzzle: Pips, count: int, rng: random.Random) -> dict[int, int]:
    """Return a colour for each region; neighbours have different ones, if that is possible."""
    at = {cell: i for i, region in enumerate(puzzle.regions) for cell in region.cells}
    near: dict[int, set[int]] = {}
    for a, b in puzzle.edges:
        if a in at and b in at and at[a] != at[b]:
            near.setdefault(at[a], set()).add(at[b])
            near.setdefault(at[b], set()).add(at[a])
    colours: dict[int, int] = {}
    for i, region in enumerate(puzzle.regions):
        if region.rule:
            free = set(range(count)) - {colours.get(other) for other in near.get(i, ())}
            colours[i] = rng.choice(sorted(free) or range(count))
    return colours


def _draw_dashes(
    pen: ImageDraw.ImageDraw, look: Look, box: Box, same: Mapping[Place, bool], colour: Colour
) -> None:
    """Draw dashes along the sides of a cell behind which another region begins."""
    p = look.pitch * SHARP
    x0, y0, x1, y1 = box
    thick = max(1, round(look.dash * p))
    right = x1 + 2 * look.inset * p * same[0, 1]
    low = y1 + 2 * look.inset * p * same[1, 0]
    period = (0.125 if look.inset < 0.03 else 0.21) * p
    for side, start, end, across in (
        ((-1, 0), x0, right, y0 + thick / 2),
        ((1, 0), x0, right, y1 - thick / 2),
        ((0, -1), y0, low, x0 + thick / 2),
        ((0, 1), y0, low, x1 - thick / 2),
    ):
        at = start + period / 4
        while at < end and not same[side]:
            stop = min(at + period / 2, end)
            line = (at, across, stop, across) if side[0] else (across, at, across, stop)
            pen.line(line, colour, thick)
            at += period


def _draw_tag(
    pen: ImageDraw.ImageDraw,
    look: Look,
    sign: str,
    x: float,
    y: float,
    colours: tuple[Colour, Colour],
    p: int,
) -> None:
    """Draw a diamond with round corners; the corner of the cell, in its tint, cuts a notch into it."""
    tag, tint = colours
    half, soft = 0.3925 * p, 0.075 * p
    inner = half - soft
    corners = [(x, y - inner), (x + inner, y), (x, y + inner), (x - inner, y)]
    pen.polygon(corners, tag)
    for (a, b), (c, d) in pairwise([*corners, corners[0]]):
        pen.line((a, b, c, d), tag, round(2 * soft))
    for a, b in corners:
        pen.ellipse((a - soft, b - soft, a + soft, b + soft), tag)
    u, v, turn = x - 0.208 * p, y - 0.23 * p, 0.12 * p
    angles = [pi / 2 * (1 - i / 24) for i in range(25)]
    edge = [(u + turn * cos(angle), v + turn * sin(angle)) for angle in angles]
    pen.polygon([(x - half, v + turn), *edge, (u + turn, y - half), (x - half, y - half)], tint)
    _draw_sign(pen, look, sign, x, y, p)


def _draw_sign(pen: ImageDraw.ImageDraw, look: Look, sign: str, x: float, y: float, p: int) -> None:
    white = (255, 255, 255)
    if sign in ("=", "≠"):
        w, bar, off = 0.15 * p, 0.064 * p, 0.066 * p
        for down in (-off, off):
            pen.rectangle((x - w, y + 0.02 * p + down - bar / 2, x + w, y + 0.02 * p + down + bar / 2), white)
        if sign == "≠":
            pen.line((x - 0.1 * p, y + 0.2 * p, x + 0.1 * p, y - 0.16 * p), white, round(0.05 * p))
        return
    size = (0.27, 0.26, 0.185)[len(sign) - 1] * p
    font = ImageFont.truetype(look.font, round(size))
    pen.text((x, y + 0.015 * p), sign, white, font, anchor="mm")


def _tray_height(puzzle: Pips, look: Look) -> int:
    _, height, _, down = _domino_size(puzzle, look)
    return -(-len(puzzle.dominoes) // 4) * down + 30 + (height - down) + 20


def _domino_size(puzzle: Pips, look: Look) -> tuple[int, int, int, int]:
    """Return width and height of a domino, and the steps to the next."""
    if look.bars:
        width = 222 if len(puzzle.dominoes) <= 12 else 210
        return width, round(width * 0.507), width + 30, round(width * 0.62)
    return 154, 80, 172, 94


def _draw_tray(pen: ImageDraw.ImageDraw, puzzle: Pips, look: Look, top: float) -> None:
    width, height, across, down = (value * SHARP for value in _domino_size(puzzle, look))
    for first in range(0, len(puzzle.dominoes), 4):
        row = puzzle.dominoes[first : first + 4]
        left = (look.size[0] * SHARP - (len(row) - 1) * across - width) / 2
        y = top + first // 4 * down
        for i, pips in enumerate(row):
            _draw_domino(pen, pips, left + i * across, y, width, height)


FACES = {
    0: (),
    1: ((1, 1),),
    2: ((0, 0), (2, 2)),
    3: ((0, 0), (1, 1), (2, 2)),
    4: ((0, 0), (2, 0), (0, 2), (2, 2)),
    5: ((0, 0), (2, 0), (0, 2), (2, 2), (1, 1)),
    6: ((0, 0), (1, 0), (2, 0), (0, 2), (1, 2), (2, 2)),
}
"""Column and row of each pip."""


def _draw_domino(
    pen: ImageDraw.ImageDraw, pips: tuple[int, int], x: float, y: float, width: int, height: int
) -> None:
    edge = max(1, round(width / 69))
    pen.rounded_rectangle((x, y, x + width, y + height), 0.15 * height, (175, 175, 175), INK, edge)
    pen.rounded_rectangle((x, y, x + width, y + 0.93 * height), 0.15 * height, (247, 247, 247))
    pen.rounded_rectangle((x, y, x + width, y + height), 0.15 * height, None, INK, edge)
    middle = x + 0.486 * width
    pen.line((middle, y + 0.15 * height, middle, y + 0.82 * height), (220, 220, 220), edge)
    radius = 0.046 * width
    for half, number in enumerate(pips):
        for column, row in FACES[number]:
            u = x + width * (0.148 + 0.486 * half + 0.1085 * column)
            v = y + height * (0.3 + 0.2 * row)
            pen.ellipse((u - radius, v - radius, u + radius, v + radius), INK)


def _draw_bars(pen: ImageDraw.ImageDraw, look: Look) -> None:
    font = ImageFont.truetype("DejaVuSans-Bold.ttf", 42 * SHARP)
    plain = ImageFont.truetype("DejaVuSans.ttf", 36 * SHARP)
    height = look.size[1] * SHARP
    pen.text((95 * SHARP, 50 * SHARP), "15:57", "black", font)
    pen.rounded_rectangle((1040 * SHARP, 56 * SHARP, 1108 * SHARP, 92 * SHARP), 10 * SHARP, (255, 204, 0))
    pen.text((665 * SHARP, 185 * SHARP), "Clear", (18, 18, 18), plain)
    pen.ellipse((825 * SHARP, 183 * SHARP, 885 * SHARP, 243 * SHARP), None, (18, 18, 18), 6 * SHARP)
    pen.text((42 * SHARP, 300 * SHARP), "Place all the dominoes within the board.", (18, 18, 18), plain)
    pen.rounded_rectangle(
        (378 * SHARP, height - 38 * SHARP, 794 * SHARP, height - 24 * SHARP), 7 * SHARP, "black"
    )


def worn(image: Image.Image, kind: str, rng: random.Random) -> Image.Image:
    """Return the picture as it may arrive: ``scaled``, ``cropped``, ``jpeg``, ``noisy`` or unchanged."""
    if kind == "scaled":
        factor = rng.uniform(0.45, 1.2)
        size = round(image.width * factor), round(image.height * factor)
        return image.resize(size, rng.choice((Image.Resampling.BILINEAR, Image.Resampling.LANCZOS)))
    if kind == "cropped":
        top = rng.randrange(200 if image.height > 2000 else 20)  # the board begins below
        return image.crop(
            (rng.randrange(9), top, image.width - rng.randrange(9), image.height - rng.randrange(12))
        )
    if kind == "jpeg":
        file = io.BytesIO()
        image.save(file, "JPEG", quality=rng.randrange(55, 96))
        return Image.open(file).convert("RGB")
    if kind == "noisy":
        bands = [Image.effect_noise(image.size, rng.uniform(1, 6)) for _ in range(3)]  # around 128
        return ImageChops.add(image, Image.merge("RGB", bands), offset=-128)
    return image
