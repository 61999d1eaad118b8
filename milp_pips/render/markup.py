"""Elements of an SVG document: rectangles, paths, writing that is made to fit, marks in corners."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple, TypeAlias

from milp_pips.render.colours import deep, ink

# Words as an output can show them: free of control characters, and in ASCII where there is nothing else.

_SPELLINGS = str.maketrans(
    {
        "≠": "!=",
        "≤": "<=",
        "≥": ">=",
        "−": "-",
        "×": "x",
        "π": "pi",
        "·": ".",
        "•": "*",
        "●": "*",
        "○": "o",
        "…": "...",
        "─": "-",
        "–": "-",
        "—": "-",
        "→": "->",
        "Σ": "sum",
    }
)

_DIRECTIONS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""They would turn round the writing of the rest of the line."""


def printable(text: str) -> str:
    """Return the text on one line, with ``�`` for what cannot be printed or stored in a file."""
    line = "".join(" " if c in "\t\r\n" else c for c in text)
    hidden = ("Cc", "Cs", "Cn", "Zl", "Zp")
    return "".join("�" if unicodedata.category(c) in hidden or c in _DIRECTIONS else c for c in line)


def plain(text: str) -> str:
    """Return the text in printable ASCII; characters without a usual spelling become escapes."""
    escaped = printable(text).translate(_SPELLINGS).encode("ascii", "backslashreplace")
    return escaped.decode("ascii")


def width(text: str) -> int:
    """Return how many columns of a terminal the text takes."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    marks = sum(unicodedata.category(c) in ("Mn", "Me", "Cf") for c in text)
    return len(text) + wide - marks


def centre(text: str, columns: int) -> str:
    """Return the text in the middle of so many columns, rather left than right."""
    spare = max(columns - width(text), 0)
    return " " * (spare // 2) + text + " " * (spare - spare // 2)


def pad(text: str, columns: int) -> str:
    """Return the text followed by blanks up to so many columns."""
    return text + " " * max(columns - width(text), 0)


def wrap(first: str, words: tuple[str, ...], columns: int) -> list[str]:
    """Return ``first`` and the words, parted by blanks, on lines of at most so many columns.

    Further lines are indented by the width of ``first``; a word too long for a line stands alone.
    """
    rows: list[list[str]] = [[]]
    room = columns - width(first)
    for word in words:
        if rows[-1] and width(" ".join([*rows[-1], word])) > room:
            rows.append([])
        rows[-1].append(word)
    starts = [first] + [" " * width(first)] * (len(rows) - 1)
    return [(start + " ".join(row)).rstrip() for start, row in zip(starts, rows, strict=True)]


PAPER = "#ffffff"
DARK = "#22252b"
MIDDLE = "#767a82"
"""Read equally well on a white and on a black page: for whatever is not on a fill of ours."""

LEAST_SIZE = 7.0
"""Pixels of the smallest writing; longer words stick out instead."""

Pen: TypeAlias = Mapping[str, str | float]
"""Attributes of a stroke."""


class Figure(NamedTuple):
    """Some elements, and the width and height that they take from the origin, in pixels."""

    elements: list[str]
    width: float
    height: float


def badge(x: float, y: float, text: str, fill: str, room: float) -> list[str]:
    """Return a mark whose top left is at (x, y): light on a deeper tone of the fill, plain without a fill."""
    size = fitting_size(text, 13, room - 8)
    length = 0.62 * size * width(printable(text))
    if not fill:
        # Paper behind it keeps the dashes of a cage away from the figures.
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
    """Return the size, or a smaller one, if still legible, where the text would be wider than the room."""
    return max(min(size, room / (0.6 * max(width(printable(text)), 1))), LEAST_SIZE)


def write(
    x: float, y: float, text: str, size: float, room: float = math.inf, **attributes: str | float
) -> str:
    """Return a text, made to fit, whose middle is at (x, y); ``text_anchor`` moves it sideways as usual."""
    size = fitting_size(text, size, room)
    placed: Pen = {"x": x, "y": y + 0.355 * size, "font_size": size, "text_anchor": "middle"}
    return f"<text{_attributes({**placed, **attributes})}>{escape(printable(text), quote=False)}</text>"


def rect(x: float, y: float, width: float, height: float, **attributes: str | float) -> str:
    """Return a rectangle whose top left is at (x, y)."""
    return element("rect", **{"x": x, "y": y, "width": width, "height": height, **attributes})


def element(name: str, **attributes: str | float) -> str:
    """Return an empty element; ``stroke_width`` gives the attribute ``stroke-width``."""
    return f"<{name}{_attributes(attributes)}/>"


def _attributes(attributes: Pen) -> str:
    return "".join(
        f' {name.replace("_", "-")}="{escape(value) if isinstance(value, str) else number(value)}"'
        for name, value in attributes.items()
    )


def point(x: float, y: float) -> str:
    """Return a point as paths and transforms name it."""
    return f"{number(x)} {number(y)}"


def number(value: float) -> str:
    """Return a number of pixels, to a tenth."""
    return f"{round(value, 1) + 0.0:g}"


def path_through(points: Sequence[complex]) -> str:
    """Return the commands of a path of straight lines through the points x + iy."""
    if len(points) == 1:  # a line of no length would have no round ends in some viewers
        points = [points[0], points[0] + 0.1]
    return "M" + "L".join(point(p.real, p.imag) for p in points)
