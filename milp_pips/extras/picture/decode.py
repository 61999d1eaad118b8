"""Decode picture files with Pillow, which is imported late."""

from __future__ import annotations

import warnings
from math import sqrt

from milp_pips.extras.picture.pixels import MOST_PIXELS, Pixels
from milp_pips.problem.errors import InputError, UsageError
from milp_pips.puzzles.reading import data_of, name_of

MOST_DECODED = 50_000_000
"""The most pixels that are decoded: a file of a few bytes may claim billions."""

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")


def decode(path: str) -> Pixels:
    """Return the pixels of a picture file, or of standard input for ``-``, scaled down if they are very many.

    Raises UsageError without Pillow, and InputError, one line, for a file that is no picture.
    """
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        raise UsageError("reading pictures needs Pillow: pip install 'milp-pips[picture]'") from None
    import io

    name = name_of(path)
    try:
        data = data_of(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns of large pictures; they are refused below
            with Image.open(io.BytesIO(data), formats=FORMATS) as image:
                width, height = image.size
                if width * height > MOST_DECODED:
                    raise InputError(f"{width} × {height} pixels are too many for a screenshot", name)
                image.draft("RGB", (width, height))
                opaque = Image.new("RGBA", image.size, "white")
                opaque.alpha_composite(image.convert("RGBA"))
        if width * height > MOST_PIXELS:
            scale = sqrt(MOST_PIXELS / (width * height))
            size = max(1, int(width * scale)), max(1, int(height * scale))
            opaque = opaque.resize(size, Image.Resampling.LANCZOS)
        return Pixels(*opaque.size, opaque.tobytes())
    except UnidentifiedImageError:
        raise InputError("not a picture", name, expected=f"one of {', '.join(FORMATS)}") from None
    except InputError as error:
        raise InputError(error.what, name, expected=error.expected) from None
    except (Image.DecompressionBombError, MemoryError):
        raise InputError("too many pixels for a screenshot", name) from None
    except Exception as error:  # Pillow's decoders raise errors of many kinds for damaged files
        raise InputError(f"the picture is damaged: {error}", name) from None
