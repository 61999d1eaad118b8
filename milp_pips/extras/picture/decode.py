"""Decode picture files with Pillow, which is imported late."""

from __future__ import annotations

import io
import warnings
from math import sqrt
from typing import TYPE_CHECKING

from milp_pips.extras.picture.pixels import MOST_PIXELS, Pixels
from milp_pips.problem import INSTALL
from milp_pips.problem.errors import InputError, UsageError
from milp_pips.puzzles.reading import data_of

if TYPE_CHECKING:
    from PIL.Image import Image

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
