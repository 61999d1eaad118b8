"""The raw pixels of a picture file, and the kind of each: paper, ink, a vivid colour or a tint."""

from __future__ import annotations

import io
import statistics
import sys
import warnings
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import sin, sqrt, tan
from typing import TYPE_CHECKING

from milp_pips.problem import INSTALL
from milp_pips.problem.errors import InputError, UsageError
from milp_pips.puzzles.reading import data_of

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_PIXELS = 2_500_000
"""The most pixels that are read; larger pictures are scaled down first, those of phones hardly."""

LEAST_SIDE = 100
"""The smallest width and height of a picture in which a puzzle can be read."""

LIGHT_PIXEL, INK_PIXEL, VIVID_PIXEL, TINTED_PIXEL, GREY_PIXEL = range(5)
"""Kinds of pixels: the light background; dark grey, as pips; the colours of tags and dashes; those of cells;
and grey that may be a cell or the blurred outline of a domino."""
CELL_KINDS = TINTED_PIXEL, GREY_PIXEL

Colour = tuple[int, int, int]


class _Kinds(dict[int, int]):
    """The kind of each packed colour, computed at its first use: screenshots have few colours."""

    def __missing__(self, packed: int) -> int:
        r, g, b, _ = packed.to_bytes(4, sys.byteorder)
        low, high = min(r, g, b), max(r, g, b)
        if low >= 236:
            kind = LIGHT_PIXEL
        elif low <= 108 and high - low >= 50:
            kind = VIVID_PIXEL
        elif low + high < 300 and high - low <= 40:
            kind = INK_PIXEL
        elif low + high < 380 and high - low <= 14:
            kind = GREY_PIXEL
        else:
            kind = TINTED_PIXEL if high - low >= 5 else LIGHT_PIXEL
        self[packed] = kind
        return kind


@dataclass(frozen=True, slots=True)
class Pixels:
    """A picture: ``data`` has four bytes per pixel, red, green, blue and one that is ignored, row by row.

    Raises InputError if the size is not what ``data`` has, or cannot be read.
    """

    width: int
    height: int
    data: bytes = field(repr=False)
    kinds: bytes = field(init=False, repr=False)
    """The kind of every pixel, row by row."""

    def __post_init__(self) -> None:
        if min(self.width, self.height) < LEAST_SIDE:
            raise InputError(
                f"the picture has {self.width} × {self.height} pixels",
                expected=f"at least {LEAST_SIDE} each way",
            )
        if self.width * self.height > MOST_PIXELS:
            raise InputError(
                f"the picture has {self.width} × {self.height} pixels",
                expected=f"at most {MOST_PIXELS} in all",
            )
        if len(self.data) != 4 * self.width * self.height:
            raise InputError("the picture is truncated", expected="four bytes for each pixel")
        kinds = bytes(map(_Kinds().__getitem__, memoryview(self.data).cast("I")))
        object.__setattr__(self, "kinds", kinds)

    def colour(self, x: float, y: float) -> Colour:
        """Return the colour at a place inside the picture; places outside count as the nearest inside."""
        column = min(max(int(x), 0), self.width - 1)
        row = min(max(int(y), 0), self.height - 1)
        at = 4 * (row * self.width + column)
        return self.data[at], self.data[at + 1], self.data[at + 2]

    def kind(self, x: float, y: float) -> int:
        """Return the kind of the pixel at a place; places outside are paper."""
        if 0 <= x < self.width and 0 <= y < self.height:
            return self.kinds[int(y) * self.width + int(x)]
        return LIGHT_PIXEL

    def has(self, x: float, y: float) -> bool:
        """Return whether the place is inside the picture."""
        return 0 <= x < self.width and 0 <= y < self.height

    def is_dark(self) -> bool:
        """Return whether most of the picture is dark."""
        return statistics.median(self.data[1 : len(self.data) : 4 * 997]) < DARK_PICTURE

    def inverted(self) -> Pixels:
        """Return the picture with light for dark."""
        return Pixels(self.width, self.height, self.data.translate(bytes(range(255, -1, -1))))

    def turned(self, angle: float) -> Pixels:
        """Return the picture turned clockwise about its middle by a small angle in radians.

        Three shears are a rotation (Paeth 1986), and a shear only moves rows, or columns, which is fast.
        """
        pixels = array("I", self.data)
        rows = [slice(at, at + self.width) for at in range(0, len(pixels), self.width)]
        columns = [slice(at, None, self.width) for at in range(self.width)]
        for lines, slope in ((rows, -tan(angle / 2)), (columns, sin(angle)), (rows, -tan(angle / 2))):
            for number, line in enumerate(lines):
                moved = pixels[line]
                by = round((number - len(lines) / 2) * slope)
                paper = array("I", [0xFFFFFFFF]) * min(abs(by), len(moved))
                pixels[line] = paper + moved[:-by] if by > 0 else moved[-by:] + paper
        return Pixels(self.width, self.height, pixels.tobytes())


DARK_PICTURE = 110
"""The largest green value of a picture that is dark."""


def median_colour(colours: Iterable[Colour]) -> Colour:
    """Return the median of each channel; at least one colour is needed."""
    r, g, b = (sorted(channel) for channel in zip(*colours, strict=True))
    middle = len(r) // 2
    return r[middle], g[middle], b[middle]


def distance(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the largest difference of two colours in a channel."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


# Decode picture files with Pillow, which is imported late.

MOST_DECODED = 50_000_000
"""The most pixels that are decoded: a file of a few bytes may claim billions."""

PICTURE_FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")


def decode(path: str) -> Pixels:
    """Return the pixels of a picture file, or of standard input for ``-``, scaled down if they are very many.

    Raises UsageError without Pillow, and InputError, one line, for a file that is not a picture.
    """
    try:
        import PIL.Image
    except ImportError:
        raise UsageError(f"reading pictures needs Pillow: {INSTALL.format('picture')}") from None

    data = data_of(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns of large pictures; they are refused here
            with PIL.Image.open(io.BytesIO(data), formats=PICTURE_FORMATS) as image:
                width, height = image.size
                if width * height > MOST_DECODED:
                    raise InputError("too many pixels for a screenshot")
                return pixels_of(image)
    except InputError:
        raise
    except PIL.Image.DecompressionBombError:  # Pillow looks at the size before we can
        raise InputError("too many pixels for a screenshot") from None
    except PIL.UnidentifiedImageError:
        raise InputError("not a picture", expected=f"one of {', '.join(PICTURE_FORMATS)}") from None
    except Exception as error:  # decoders raise errors of many kinds for damaged files
        raise InputError(f"the picture cannot be decoded: {error}") from None


def pixels_of(image: Image) -> Pixels:
    """Return the pixels of a Pillow image, on white, scaled down if they are very many."""
    import PIL.Image

    width, height = image.size
    opaque = PIL.Image.new("RGBA", image.size, "white")
    opaque.alpha_composite(image.convert("RGBA"))
    if width * height > MOST_PIXELS:
        scale = sqrt(MOST_PIXELS / (width * height))
        smaller = max(1, int(width * scale)), max(1, int(height * scale))
        opaque = opaque.resize(smaller, PIL.Image.Resampling.LANCZOS)
    return Pixels(opaque.width, opaque.height, opaque.tobytes())
