"""Pictures of puzzles: one small vocabulary, and two outputs for it, terminal text and SVG.

A picture is data until someone looks at it: the outputs are loaded when they are first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from milp_pips.drawing.colours import GREY, PALETTE, distinct_colours, shade
from milp_pips.drawing.vocabulary import (
    Drawing,
    Graph,
    Grid,
    Line,
    Link,
    Node,
    Note,
    Place,
    Square,
    Tray,
    Wall,
    borders,
    draw_squares,
    neighbours,
)

if TYPE_CHECKING:
    from milp_pips.drawing.layout import positions
    from milp_pips.drawing.svg import to_svg
    from milp_pips.drawing.text import terminal_style, to_text

__all__ = [
    "GREY",
    "PALETTE",
    "Drawing",
    "Graph",
    "Grid",
    "Line",
    "Link",
    "Node",
    "Note",
    "Place",
    "Square",
    "Tray",
    "Wall",
    "borders",
    "distinct_colours",
    "draw_squares",
    "neighbours",
    "positions",
    "shade",
    "terminal_style",
    "to_svg",
    "to_text",
]

_HOMES = {"positions": "layout", "terminal_style": "text", "to_svg": "svg", "to_text": "text"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
