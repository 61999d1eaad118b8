"""Pictures of puzzles: one small vocabulary, and two outputs for it, terminal text and SVG."""

from __future__ import annotations

from milp_pips.drawing.colours import GREY, PALETTE, distinct_colours, shade
from milp_pips.drawing.terminal import terminal_style
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
    neighbours,
)

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
    "neighbours",
    "shade",
    "terminal_style",
    "to_svg",
    "to_text",
]


def to_text(drawing: Drawing, *, unicode: bool = True, colour: bool = False) -> str:
    """Return the drawing as lines of text, in box characters or ASCII, on wish with terminal colours."""
    from milp_pips.drawing import text

    return text.to_text(drawing, unicode=unicode, colour=colour)


def to_svg(drawing: Drawing) -> str:
    """Return the drawing as an SVG document."""
    from milp_pips.drawing import svg

    return svg.to_svg(drawing)
