"""Elements of an SVG document: rectangles, paths, fitted text, badges."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple, TypeAlias

from milp_pips.render.colours import deep, ink
from milp_pips.render.text import printable, width

PAPER = "#ffffff"
DARK = "#22252b"
MIDDLE = "#767a82"
"""A grey that is readable on a white and on a black page, for text and lines outside our fills."""

MIN_FONT_SIZE = 7.0
"""The smallest font size in pixels. Words that are too long at this size stick out."""

Pen: TypeAlias = Mapping[str, str | float]
"""Attributes of a stroke."""


class Figure(NamedTuple):
    """Some elements, and their width and height from the origin, in pixels."""

    elements: list[str]
    width: float
    height: float


def badge(x: float, y: float, text: str, fill: str, room: float) -> list[str]:
    """Return a badge with its top left at (x, y): light text on a deep tone of the fill, or plain text."""
    size = fitting_size(text, 13, room - 8)
    length = 0.62 * size * width(printable(text))
    if not fill:
        # Paper behind the text hides the dashes of a cage.
        return [
            rect(x - 2, y - 2, length + 5, 16, fill=PAPER),
            write(x, y + 6, text, size, text_anchor="start", fill=DARK),
        ]
    long = max(length + 9, 18)
    tone = deep(fill)
    return [
        rect(x, y, long, 18, rx=6, fill=tone),
        write(x + long / 2, y + 9, text, size, font_weight="bold", fill=ink(tone)),
    ]


def fitting_size(text: str, size: float, room: float) -> float:
    """Return the font size, reduced if the text would be wider than the room, but to no less than legible."""
    return max(min(size, room / (0.6 * max(width(printable(text)), 1))), MIN_FONT_SIZE)


def write(
    x: float, y: float, text: str, size: float, room: float = math.inf, **attributes: str | float
) -> str:
    """Return a text element, fitted to the room and centred at (x, y); ``text_anchor`` can change that."""
    size = fitting_size(text, size, room)
    placed: Pen = {"x": x, "y": y + 0.355 * size, "font_size": size, "text_anchor": "middle"}
    return f"<text{_attributes({**placed, **attributes})}>{escape(printable(text), quote=False)}</text>"


def rect(x: float, y: float, width: float, height: float, **attributes: str | float) -> str:
    """Return a rectangle with its top left at (x, y)."""
    return element("rect", **{"x": x, "y": y, "width": width, "height": height, **attributes})


def element(name: str, **attributes: str | float) -> str:
    """Return an empty element. ``stroke_width`` becomes the attribute ``stroke-width``."""
    return f"<{name}{_attributes(attributes)}/>"


def _attributes(attributes: Pen) -> str:
    return "".join(
        f' {name.replace("_", "-")}="{escape(value) if isinstance(value, str) else number(value)}"'
        for name, value in attributes.items()
    )


def point(x: float, y: float) -> str:
    """Return a point in the notation of paths and transforms."""
    return f"{number(x)} {number(y)}"


def number(value: float) -> str:
    """Return a number of pixels, rounded to a tenth."""
    return f"{round(value, 1) + 0.0:g}"


def path_through(points: Sequence[complex]) -> str:
    """Return the commands of a path of straight lines through the points x + iy."""
    if len(points) == 1:  # some viewers draw no round ends on a line of length 0
        points = [points[0], points[0] + 0.1]
    return "M" + "L".join(point(p.real, p.imag) for p in points)
