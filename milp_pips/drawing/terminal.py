"""What a terminal can show, and how it is told to show colours."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TextIO, TypeAlias

from milp_pips.drawing.colours import ink, terminal_colour

Span: TypeAlias = tuple[str, str]
"""A piece of a line of text: the characters, and the fill behind them or the empty string."""

_SAMPLE = "┏┅┇┼╋─│·≠≤≥"


def terminal_style(stream: TextIO) -> tuple[bool, bool]:
    """Return ``(unicode, colour)``: whether the stream can show box characters, and colours.

    Colours need a terminal that is not dumb, and a person who has not set ``NO_COLOR`` (no-color.org).
    A stream in memory has no encoding and takes every character.
    """
    encoding = getattr(stream, "encoding", None)
    try:
        _SAMPLE.encode(encoding or "utf-8")
        unicode = True
    except (UnicodeEncodeError, LookupError):
        unicode = False
    colour = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return unicode, colour


def painted(spans: Iterable[Span], colour: bool) -> str:
    """Return one line of text without blanks at its end, with colour codes (ISO 6429) where wanted."""
    line: list[list[str]] = []
    for text, fill in spans:
        if line and line[-1][1] == (fill if colour else ""):
            line[-1][0] += text
        else:
            line.append([text, fill if colour else ""])
    while line and not line[-1][1] and not line[-1][0].strip(" "):
        line.pop()
    if line and not line[-1][1]:
        line[-1][0] = line[-1][0].rstrip(" ")
    return "".join(_coloured(text, fill) if fill else text for text, fill in line)


def _coloured(text: str, fill: str) -> str:
    return f"\x1b[38;5;{terminal_colour(ink(fill))};48;5;{terminal_colour(fill)}m{text}\x1b[0m"
