"""The parts that every SVG picture is made of."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

from milp_pips.drawing.colours import deep, ink
from milp_pips.drawing.lettering import printable, width

FONT = "ui-sans-serif, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
PAPER = "#ffffff"
DARK = "#22252b"
MIDDLE = "#767a82"
"""Read equally well on a white and on a black page: for whatever is not on a fill of ours."""

LEAST_SIZE = 7.0
"""Pixels of the smallest writing; longer words stick out instead."""


class Figure(NamedTuple):
    """Some elements, and the width and height that they take from the origin, in pixels."""

    elements: list[str]
    width: float
    height: float


def element(name: str, **attributes: str | float) -> str:
    """Return an empty element; ``stroke_width`` gives the attribute ``stroke-width``."""
    return f"<{name}{_attributes(attributes)}/>"


def lettered(x: float, y: float, text: str, size: float, **attributes: str | float) -> str:
    """Return a text whose middle is at (x, y); ``text_anchor`` moves it sideways as usual."""
    placed: dict[str, str | float] = {
        "x": x,
        "y": y + 0.355 * size,
        "font_size": size,
        "text_anchor": "middle",
    }
    return f"<text{_attributes(placed | attributes)}>{escape(printable(text), quote=False)}</text>"


def fitting(text: str, size: float, room: float) -> float:
    """Return the size, or a smaller one, if still legible, where the text would be wider than the room."""
    return max(min(size, room / (0.6 * max(width(printable(text)), 1))), LEAST_SIZE)


def badge(x: float, y: float, text: str, fill: str, room: float) -> list[str]:
    """Return a mark whose top left is at (x, y): light on a deeper tone of the fill, plain without a fill."""
    size = fitting(text, 13, room - 8)
    length = 0.62 * size * width(printable(text))
    if not fill:
        # Paper behind it keeps the dashes of a cage away from the figures.
        return [
            element("rect", x=x - 2, y=y - 2, width=length + 5, height=16, fill=PAPER),
            lettered(x, y + 6, text, size, text_anchor="start", fill=DARK),
        ]
    long = max(length + 9, 18)
    tone = deep(fill)
    return [
        element("rect", x=x, y=y, width=long, height=18, rx=6, fill=tone),
        lettered(x + long / 2, y + 9, text, size, font_weight="bold", fill=ink(tone)),
    ]


def group(elements: list[str], **attributes: str | float) -> list[str]:
    """Return the elements inside one group."""
    return [f"<g{_attributes(attributes)}>", *elements, "</g>"] if elements else []


def number(value: float) -> str:
    """Return a number of pixels, to a tenth."""
    return f"{round(value, 1) + 0.0:g}"


def _attributes(attributes: dict[str, str | float]) -> str:
    return "".join(
        f' {name.replace("_", "-")}="{escape(value) if isinstance(value, str) else number(value)}"'
        for name, value in attributes.items()
    )
