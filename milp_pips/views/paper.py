"""SVG documents as PNG and PDF, by the library typst, which needs no other program."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from milp_pips.problem import INSTALL
from milp_pips.problem.errors import UsageError

RESOLUTION = 192
"""Pixels per inch of a PNG: two for each pixel of the drawing."""

MOST_PNG_PIXELS = 60_000_000
"""Most pixels of a PNG; a larger one gets a lower resolution. It takes 240 MB to draw."""

_PAGES = b"""#set page(width: auto, height: auto, margin: 0pt)
#json(bytes(sys.inputs.pages)).map(page => image(bytes(page), format: "svg")).join(pagebreak())"""


def require_typst() -> Any:
    """Return the library. Raises UsageError, with what to type, if it is not installed."""
    try:
        import typst
    except ImportError:
        raise UsageError(f"PNG and PDF need typst: {INSTALL.format('paper')}") from None
    return typst


def to_pdf(pages: Sequence[str]) -> bytes:
    """Return a PDF document with a page for each SVG document."""
    return _compile(pages, format="pdf")


def to_png(svg: str) -> bytes:
    """Return an SVG document as PNG."""
    sides = re.search(r'width="([\d.]+)" height="([\d.]+)"', svg)
    pixels = float(sides[1]) * float(sides[2]) if sides else 1.0
    return _compile([svg], format="png", ppi=min(RESOLUTION, 96 * (MOST_PNG_PIXELS / pixels) ** 0.5))


def _compile(pages: Sequence[str], **options: Any) -> bytes:
    made = require_typst().compile(_PAGES, sys_inputs={"pages": json.dumps(pages)}, **options)
    return bytes(made[0] if isinstance(made, list) else made)
