"""A drawing as SVG."""

from __future__ import annotations

from html import escape

from milp_pips.drawing.lettering import printable, width, wrapped
from milp_pips.drawing.svg_graph import graph_figure
from milp_pips.drawing.svg_grid import grid_figure
from milp_pips.drawing.svg_parts import (
    DARK,
    FONT,
    MIDDLE,
    PAPER,
    Figure,
    element,
    fitting,
    group,
    lettered,
    number,
)
from milp_pips.drawing.vocabulary import Drawing, Graph, Grid, Note, Tray

MARGIN = 12
"""Pixels around the picture, and between its parts."""

LEAST_WIDTH = 260
"""Pixels that notes and tray may take where the board is narrower."""

LINE = 20
"""Pixels from one line of words to the next."""

HALF = 22
"""Pixels along the side of a square of a piece in the tray."""


def to_svg(drawing: Drawing) -> str:
    """Return the drawing as an SVG document, for files and web pages alike.

    It brings its colours along, asks for no font, and can be read on a light and on a dark page.
    """
    match drawing.board:
        case Grid():
            board = grid_figure(drawing.board)
        case Graph():
            board = graph_figure(drawing.board)
    room = max(board.width, LEAST_WIDTH)
    below = [figure for figure in (_notes(drawing.notes, room), _tray(drawing.tray, room)) if figure.elements]
    wide = max([board.width, *(figure.width for figure in below)])
    elements: list[str] = []
    y = float(MARGIN)
    for figure in (board, *below):
        x = MARGIN + ((wide - board.width) / 2 if figure is board else 0)
        elements += group(figure.elements, transform=f"translate({number(x)} {number(y)})")
        y += figure.height + MARGIN
    across, down = number(wide + 2 * MARGIN), number(y)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {down}" width="{across}" '
            f'height="{down}" role="img" font-family="{escape(FONT)}">',
            f"<title>{escape(printable(drawing.title), quote=False)}</title>",
            *elements,
            "</svg>\n",
        ]
    )


def _notes(notes: tuple[Note, ...], room: float) -> Figure:
    """Return lines of words, each note after a patch of the colour it explains."""
    indent = 20 if any(note.fill for note in notes) else 0
    elements: list[str] = []
    wide = y = 0.0
    for note in notes:
        if note.fill:
            elements.append(element("rect", x=0, y=y + 3, width=14, height=14, rx=4, fill=note.fill))
        first = printable(note.head) + ": " if note.head else ""
        words = tuple(printable(word) for word in note.words)
        for line in wrapped(first, words, int((room - indent) / 7)):
            text = line.lstrip()
            x = indent + 7.0 * (width(line) - width(text))
            elements.append(lettered(x, y + LINE / 2, text, 13, text_anchor="start", fill=MIDDLE))
            wide = max(wide, x + 7.5 * width(text))
            y += LINE
    return Figure(elements, wide, y)


def _tray(tray: Tray | None, room: float) -> Figure:
    """Return the pieces in rows under their heading."""
    if tray is None or not tray.pieces:
        return Figure([], 0, 0)
    elements = [lettered(0, LINE / 2, tray.head, 13, text_anchor="start", fill=MIDDLE)] if tray.head else []
    wide = x = 0.0
    y = float(LINE + 4) if tray.head else 0.0
    for piece in tray.pieces:
        long = HALF * len(piece)
        if x and x + long > room:
            x, y = 0.0, y + HALF + 8
        elements += _piece(x + 1, y + 1, piece)
        wide = max(wide, x + long + 2)
        x += long + 9
    return Figure(elements, wide, y + HALF + 2)


def _piece(x: float, y: float, piece: tuple[str, ...]) -> list[str]:
    long = HALF * len(piece)
    parts = [
        element("rect", x=x, y=y, width=long, height=HALF, rx=6, fill=PAPER, stroke=DARK, stroke_width=1.4)
    ]
    for i, text in enumerate(piece):
        if i:
            path = f"M{number(x + i * HALF)} {number(y + 5)}v{HALF - 10}"
            parts.append(element("path", d=path, stroke=DARK, stroke_width=1, stroke_opacity="0.45"))
        size = fitting(text, 14, HALF - 4)
        parts.append(lettered(x + (i + 0.5) * HALF, y + HALF / 2, text, size, fill=DARK))
    return parts
