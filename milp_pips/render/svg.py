"""Draw pictures as SVG: boards of squares, graphs and trees, with notes and a tray below them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from html import escape
from itertools import combinations, pairwise
from typing import Any, NamedTuple

from milp_pips.render.colours import ink, shade
from milp_pips.render.markup import (
    DARK,
    MIDDLE,
    PAPER,
    Figure,
    Pen,
    badge,
    element,
    number,
    path_through,
    point,
    rect,
    write,
)
from milp_pips.render.text import printable, width, wrap
from milp_pips.render.trees import fold, tree_figure
from milp_pips.render.vocabulary import (
    GREY,
    Drawing,
    Graph,
    Grid,
    Line,
    Mark,
    Node,
    Note,
    Place,
    Square,
    Tray,
    Tree,
    neighbours,
)

__all__ = ["Measures", "document", "figure", "measures", "to_svg"]

FONT = "ui-sans-serif, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
MARGIN = 12
"""Pixels around the picture, and between its parts."""

MIN_NOTE_WIDTH = 260
"""Pixels that notes and tray may take if the board is narrower."""

LINE_HEIGHT = 20
"""Pixels from one line of text to the next."""

HALF_SIZE = 22
"""Pixels of the side of a square of a piece in the tray."""

SQUARE = 48
"""Pixels of the side of a square of the board."""

BORDER = 2
"""Pixels around a board of squares, so that its outermost lines are not cut off."""

ITEM = 24
"""Pixels of the side of an item of a clue."""

CLUE_GAP = 6
"""Pixels between clues and board."""

INSET = 4
"""Pixels from the side of a square to the rim of a tile that lies on it."""

LINK = 84
"""Pixels of a usual link of a graph."""

RADIUS = 22
"""Pixels from the middle of a node to its rim."""

TILE = 29
"""Pixels from the middle of a node to the rim of a tile that lies on it."""

WALLS: dict[Line, Pen] = {
    Line.FAINT: {"stroke": DARK, "stroke_width": 1, "stroke_opacity": "0.2"},
    Line.THIN: {"stroke": DARK, "stroke_width": 1.2},
    Line.THICK: {"stroke": DARK, "stroke_width": 3},
}
LINKS = {Line.NONE: 0.0, Line.FAINT: 1.0, Line.THIN: 2.0, Line.THICK: 5.0}
RINGS: dict[Mark, Pen] = {
    Mark.SEEN: {"stroke": DARK, "stroke_width": 1.6, "stroke_dasharray": "1 3.2", "stroke_linecap": "round"},
    Mark.NEW: {"stroke": "#b3261e", "stroke_width": 3.5},
}
"""The ring around a marked square or node: dotted for SEEN, thick for NEW."""

CROSSING: Pen = {"stroke_width": 3, "stroke_dasharray": "6 5"}
"""The stroke of a thick line that runs within a tile."""

RING = 5.5
"""Pixels from the side of a square to the ring that marks it."""

SIGN = 17
"""Pixels of a sign on a wall. A disc of paper of this size covers the wall behind it."""

BOND = 15.0
"""Pixels of the bar between two bonded squares, from one square to the other."""

TURNED = {"^": "<", "v": ">"}
"""Signs that are drawn as another sign, rotated clockwise by 90°: same size, and centred on their wall."""

SEAM: Pen = {"stroke": DARK, "stroke_width": 1.2, "stroke_opacity": "0.45"}
"""The line between the squares of one tile."""


def to_svg(*drawings: Drawing) -> str:
    """Return the drawing, or several drawings in rows, as an SVG document for files and pages.

    It has its own colours, needs no special font, and is readable on a light and on a dark page.
    """
    figures = [figure(drawing) for drawing in drawings]
    titles = [f"<title>{escape(printable(drawing.title), quote=False)}</title>" for drawing in drawings]
    if len(figures) == 1:
        (whole,), head = figures, titles
    else:
        head, whole = [f"<title>{len(figures)} pictures</title>"], _in_rows(titles, figures)
    return document(head, whole)


def document(head: Sequence[str], whole: Figure) -> str:
    """Return an SVG document of the figure. ``head`` has the elements before it, such as a title."""
    across, down = number(whole.width), number(whole.height)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {down}" width="{across}" '
            f'height="{down}" role="img" font-family="{escape(FONT)}">',
            *head,
            *whole.elements,
            "</svg>\n",
        ]
    )


SLIDE = 16 / 9
"""The width of a slide over its height."""


def _in_rows(titles: list[str], figures: list[Figure]) -> Figure:
    """Return figures in rows that bring the whole near to the shape of a slide, without many gaps."""
    wide = max((each.width for each in figures), default=0.0)
    high = max((each.height for each in figures), default=0.0)
    count = max(1, len(figures))

    def off(across: int) -> float:
        rows = math.ceil(count / across)
        shape = across * wide / (rows * high) if high else SLIDE
        return abs(math.log(shape / SLIDE)) + (rows * across - count) / count

    across = min(range(1, count + 1), key=off)
    elements = list[str]()
    for k, (title, each) in enumerate(zip(titles, figures, strict=True)):
        row, column = divmod(k, across)
        corner = point(column * wide, row * high)
        elements += [f'<g transform="translate({corner})">', title, *each.elements, "</g>"]
    return Figure(elements, across * wide, math.ceil(len(figures) / across) * high)


def figure(drawing: Drawing) -> Figure:
    """Return a drawing with its notes and tray below the board, and margins around it."""
    notes = drawing.notes
    if isinstance(drawing.board, Tree):  # the legend of a tree is beside its root
        tree, legend = fold(drawing.board), _notes(notes, MIN_NOTE_WIDTH)
        boards = [node.board and _board_figure(node.board) for node in tree.nodes]
        board, notes = tree_figure(tree, boards, legend), ()
    else:
        board = _board_figure(drawing.board)
    room = max(board.width, MIN_NOTE_WIDTH)
    below = [part for part in (_notes(notes, room), _tray(drawing.tray, room)) if part.elements]
    wide = max([board.width, *(part.width for part in below)])
    elements: list[str] = []
    y = float(MARGIN)
    for part in (board, *below):
        x = MARGIN + ((wide - board.width) / 2 if part is board else 0)
        if part.elements:
            elements += [f'<g transform="translate({point(x, y)})">', *part.elements, "</g>"]
        y += part.height + MARGIN
    return Figure(elements, wide + 2 * MARGIN, y)


class Measures(NamedTuple):
    """The size of a picture, and (x, y, width, height) of its squares by place, in pixels."""

    width: float
    height: float
    squares: Mapping[Any, tuple[float, float, float, float]]


def measures(drawing: Drawing) -> Measures | None:
    """Return the measures of a single drawing in ``to_svg``; None if its board is not a grid."""
    if not isinstance(drawing.board, Grid):
        return None
    whole, paper = figure(drawing), _Paper(drawing.board)
    left = (whole.width - paper.width) / 2
    corners = {place: paper.corner(place) for place in drawing.board.squares}
    squares = {
        place: (left + x, MARGIN + y, float(SQUARE), float(SQUARE)) for place, (x, y) in corners.items()
    }
    return Measures(whole.width, whole.height, squares)


def _board_figure(board: Grid | Graph) -> Figure:
    match board:
        case Grid():
            return _grid_figure(board)
        case Graph():
            return _graph_figure(board)


def _notes(notes: tuple[Note, ...], room: float) -> Figure:
    """Return the notes as lines of text, each after a patch of the colour that it explains."""
    indent = 20 if any(note.fill for note in notes) else 0
    elements: list[str] = []
    wide = y = 0.0
    for note in notes:
        if note.fill:
            elements.append(rect(0, y + 3, 14, 14, rx=4, fill=note.fill))
        first = printable(note.head) + ": " if note.head else ""
        words = tuple(printable(word) for word in note.words)
        for line in wrap(first, words, int((room - indent) / 7)):
            text = line.lstrip()
            x = indent + 7.0 * (width(line) - width(text))
            elements.append(write(x, y + LINE_HEIGHT / 2, text, 13, text_anchor="start", fill=MIDDLE))
            wide = max(wide, x + 7.5 * width(text))
            y += LINE_HEIGHT
    return Figure(elements, wide, y)


def _tray(tray: Tray | None, room: float) -> Figure:
    """Return the pieces in rows below their heading."""
    if tray is None or not tray.pieces:
        return Figure([], 0, 0)
    elements = (
        [write(0, LINE_HEIGHT / 2, tray.head, 13, text_anchor="start", fill=MIDDLE)] if tray.head else []
    )
    wide = x = 0.0
    y = float(LINE_HEIGHT + 4) if tray.head else 0.0
    for piece in tray.pieces:
        long = HALF_SIZE * len(piece)
        if x and x + long > room:
            x, y = 0.0, y + HALF_SIZE + 8
        elements += _piece(x + 1, y + 1, piece)
        wide = max(wide, x + long + 2)
        x += long + 9
    return Figure(elements, wide, y + HALF_SIZE + 2)


def _piece(x: float, y: float, piece: tuple[str, ...]) -> Iterator[str]:
    wide = HALF_SIZE * len(piece)
    yield rect(x, y, wide, HALF_SIZE, rx=6, fill=PAPER, stroke=DARK, stroke_width=1.4)
    for i, text in enumerate(piece):
        if i:
            path = f"M{point(x + i * HALF_SIZE, y + 5)}v{HALF_SIZE - 10}"
            yield element("path", d=path, stroke=DARK, stroke_width=1, stroke_opacity="0.45")
        yield write(x + (i + 0.5) * HALF_SIZE, y + HALF_SIZE / 2, text, 14, HALF_SIZE - 4, fill=DARK)


# --------------------------------------------------------------------------------------- boards of squares


class _Paper:
    """The positions of the squares of a grid on paper."""

    def __init__(self, grid: Grid):
        self.first_row, self.first_column = grid.rows.start, grid.columns.start
        items = [max(map(len, clues.values()), default=0) for clues in grid.clues_outward]
        self.left, right, self.top, bottom = (BORDER + (most and ITEM * most + CLUE_GAP) for most in items)
        self.width = self.left + SQUARE * len(grid.columns) + right
        self.height = self.top + SQUARE * len(grid.rows) + bottom

    def corner(self, place: Place) -> tuple[float, float]:
        """Return the top left corner of a place: (x, y)."""
        row, column = place
        return self.left + SQUARE * (column - self.first_column), self.top + SQUARE * (row - self.first_row)

    def wall(self, one: Place, other: Place, inset: int = 0) -> str:
        """Return the path along the side that two neighbouring places share, the smaller place first."""
        x, y = self.corner(other)
        across = one[1] == other[1]
        start = point(x + inset, y) if across else point(x, y + inset)
        return f"M{start}{'h' if across else 'v'}{SQUARE - 2 * inset}"

    def middle(self, one: Place, other: Place) -> tuple[float, float]:
        """Return the middle (x, y) of that side."""
        x, y = self.corner(other)
        return (x + SQUARE / 2, y) if one[1] == other[1] else (x, y + SQUARE / 2)


def _grid_figure(grid: Grid) -> Figure:
    """Return the board: fills, lines, cages and tiles, then the texts, bonds, signs and clues."""
    paper = _Paper(grid)
    lying = {place for tile in grid.tiles for place in tile}
    elements = [
        rect(*paper.corner(place), SQUARE, SQUARE, fill=(not square.candidates and square.fill) or PAPER)
        for place, square in grid.squares.items()
    ]
    elements += _walls(grid, paper, lying)
    dashes: Pen = {"stroke_width": 1.2, "stroke_dasharray": "4 3"}
    elements += [_outline(paper, cage, INSET + 0.5, dashes) for cage in grid.cages]
    for tile in grid.tiles:
        elements += _tile(paper, tile)
    within = [pair for tile in grid.tiles for pair in _neighbours_within(tile)]
    if hidden := "".join(paper.wall(*pair) for pair in within if grid.line_between(*pair) is Line.THICK):
        elements.append(element("path", d=hidden, fill="none", stroke=DARK, **CROSSING))
    for place, square in grid.squares.items():
        if square.mark:
            x, y = (edge + RING for edge in paper.corner(place))
            side = SQUARE - 2 * RING
            elements.append(rect(x, y, side, side, rx=9, fill="none", **RINGS[square.mark]))
        elements += _writing(*paper.corner(place), square, PAPER if place in lying else square.fill)
    elements += _bonds(grid, paper)
    elements += _signs(grid, paper)
    elements += _clues(grid, paper)
    return Figure(elements, paper.width, paper.height)


def _walls(grid: Grid, paper: _Paper, lying: Collection[Place]) -> Iterator[str]:
    """Yield a path for each weight of line, faint lines first. At a tile, only thick lines are drawn."""
    strokes: dict[Line, list[str]] = {line: [] for line in WALLS}
    for one, other in sorted({(min(p, q), max(p, q)) for p in grid.squares for q in neighbours(p)}):
        line = grid.line_between(one, other)
        hidden = line < Line.THICK and (one in lying or other in lying)
        if line in strokes and not hidden:
            strokes[line].append(paper.wall(one, other))
    for line, pen in WALLS.items():
        if strokes[line]:
            yield element("path", d="".join(strokes[line]), fill="none", stroke_linecap="round", **pen)


def _outline(paper: _Paper, places: Collection[Place], inset: float, pen: Pen) -> str:
    """Return the outline of a set of places, ``inset`` pixels inside its border."""
    inside = {complex(column, row) for row, column in places}
    half = SQUARE / 2
    strokes = []
    for row, column in sorted(set(places)):
        cell, middle = complex(column, row), complex(*paper.corner((row, column))) + half * (1 + 1j)
        # The four sides are the top side, rotated: `out` points out of the place, `along` points clockwise.
        for out, along in ((-1j, 1), (1, 1j), (1j, -1), (-1, -1j)):
            if cell + out in inside:
                continue
            ends = []
            for aside in (-along, along):
                reach = half - inset
                if cell + aside in inside:
                    reach = half + (inset if cell + aside + out in inside else 0)
                ends.append(middle + (half - inset) * out + reach * aside)
            strokes.append(path_through(ends))
    return element("path", d="".join(strokes), fill="none", stroke=DARK, **pen)


def _tile(paper: _Paper, places: Collection[Place]) -> Iterator[str]:
    """Yield the outline of a tile, a rounded rectangle if possible, and faint lines between its squares."""
    rows, columns = ({place[axis] for place in places} for axis in (0, 1))
    high, wide = (max(lines) - min(lines) + 1 for lines in (rows, columns))
    if high * wide == len(places):
        x, y = paper.corner((min(rows), min(columns)))
        sides = wide * SQUARE - 2 * INSET, high * SQUARE - 2 * INSET
        yield rect(
            x + INSET, y + INSET, *sides, rx=10, fill=PAPER, fill_opacity="0.85", stroke=DARK, stroke_width=2
        )
    else:
        yield _outline(paper, places, INSET, {"stroke_width": 2})
    for one, other in _neighbours_within(places):
        yield element("path", d=paper.wall(one, other, 12), **SEAM)


def _neighbours_within(tile: Collection[Place]) -> list[tuple[Place, Place]]:
    """Return the pairs of neighbouring places of a tile, the smaller place first."""
    return [(one, other) for one, other in combinations(sorted(tile), 2) if other in neighbours(one)]


def _writing(x: float, y: float, square: Square, fill: str) -> Iterator[str]:
    if square.candidates:
        side = SQUARE - 2 * INSET
        yield from _candidates(x + INSET, y + INSET, side, side, square.candidates)
        return
    if square.corner:
        yield from badge(x + 4, y + 4, square.corner, square.fill, SQUARE - 8)
    if square.fill == GREY and not square.text:
        yield element("circle", cx=x + SQUARE / 2, cy=y + SQUARE / 2, r=3, fill=MIDDLE)
    if square.text:
        below = 0 if not square.corner else 8 if square.fill else 4  # keep clear of the corner
        y += SQUARE / 2 + below
        is_bold = square.strong or square.mark is Mark.NEW
        weight: Pen = {"font_weight": "bold"} if is_bold else {}
        colour = ink(fill or PAPER)
        room = SQUARE - (12 if square.mark is Mark.NONE else 2 * RING + 6)
        yield write(x + SQUARE / 2, y, square.text, 22, room, fill=colour, **weight)


def _candidates(
    x: float, y: float, wide: float, high: float, candidates: tuple[tuple[str, str], ...]
) -> Iterator[str]:
    """Yield small texts in rows of equal length, each on its fill, starting at the top left (x, y)."""
    across = math.ceil(math.sqrt(len(candidates)))
    wide, high = wide / across, high / math.ceil(len(candidates) / across)
    for i, (text, fill) in enumerate(candidates):
        left, top = x + i % across * wide, y + i // across * high
        yield rect(left + 0.5, top + 0.5, wide - 1, high - 1, rx=2, fill=fill)
        yield write(left + wide / 2, top + high / 2, text, min(12, high - 2), wide - 1, fill=ink(fill))


def _bonds(grid: Grid, paper: _Paper) -> Iterator[str]:
    """Yield a bar across each wall with a bond. Stronger bonds are thicker and darker."""
    for (one, other), strength in grid.bonds.items():
        (x, y), thick = paper.middle(one, other), 3 + 9 * strength
        wide, high = (thick, BOND) if one[1] == other[1] else (BOND, thick)
        fill = shade(strength)
        yield rect(x - wide / 2, y - high / 2, wide, high, rx=2, fill=fill, stroke=PAPER, stroke_width=1)


def _signs(grid: Grid, paper: _Paper) -> Iterator[str]:
    """Yield the signs on walls, each on a disc of paper."""
    for (one, other), sign in grid.signs.items():
        x, y = paper.middle(one, other)
        yield element("circle", cx=x, cy=y, r=SIGN / 2, fill=PAPER)
        turn = {"transform": f"rotate(90 {point(x, y)})"} if sign in TURNED else {}
        shown = TURNED.get(sign, sign)
        yield write(x, y, shown, SIGN, SIGN, font_weight="bold", fill=DARK, **turn)


def _clues(grid: Grid, paper: _Paper) -> Iterator[str]:
    """Yield the items of all clues, from the board outwards."""
    left, right, above, below = grid.clues_outward
    rows, columns = grid.rows, grid.columns
    # Where each clue starts: the square of the board next to it, and the direction away from the board.
    starts: list[tuple[Place, complex, tuple[Square, ...]]] = [
        *(((row, columns.start), -1, items) for row, items in left.items()),
        *(((row, columns.stop - 1), 1, items) for row, items in right.items()),
        *(((rows.start, column), -1j, items) for column, items in above.items()),
        *(((rows.stop - 1, column), 1j, items) for column, items in below.items()),
    ]
    for place, out, items in starts:
        first = complex(*paper.corner(place)) + (SQUARE - ITEM) / 2 * (1 + 1j)
        for i, item in enumerate(items):
            at = first + ((SQUARE + ITEM) / 2 + CLUE_GAP + i * ITEM) * out
            yield from _item(at.real, at.imag, item)


def _item(x: float, y: float, item: Square) -> Iterator[str]:
    if item.fill:
        yield rect(x + 1, y + 1, ITEM - 2, ITEM - 2, rx=4, fill=item.fill)
    text = f"{item.corner} {item.text}".strip()
    colour = ink(item.fill) if item.fill else MIDDLE
    yield write(x + ITEM / 2, y + ITEM / 2, text, 14, ITEM - 2, fill=colour)


# ------------------------------------------------------------------------------------------------- graphs


def _graph_figure(graph: Graph) -> Figure:
    """Return the board: links, tiles as capsules around their nodes, then the nodes."""
    if not graph.nodes:
        return Figure([], 0, 0)
    edge = TILE + 4
    left, top = (min(axis) for axis in zip(*((n.x, n.y) for n in graph.nodes.values()), strict=True))
    at = {
        key: complex(edge + LINK * (node.x - left), edge + LINK * (node.y - top))
        for key, node in graph.nodes.items()
    }
    elements = []
    for link in graph.links:
        weight = LINKS[link.line]
        if weight:
            path = path_through([at[link.one], at[link.other]])
            elements.append(element("path", d=path, stroke=link.colour or MIDDLE, stroke_width=weight))
    ends: Pen = {"stroke_linecap": "round", "stroke_linejoin": "round"}
    for tile in graph.tiles:
        path = path_through([at[key] for key in tile])
        # A thick line with round ends and a thinner line on top of it give the outline of a capsule.
        for colour, thick in ((DARK, 2 * TILE), (PAPER, 2 * TILE - 4)):
            elements.append(element("path", d=path, fill="none", stroke=colour, stroke_width=thick, **ends))
        for one, other in pairwise(at[key] for key in tile):
            middle, across = (one + other) / 2, 16j * (other - one) / (abs(other - one) or 1.0)
            elements.append(element("path", d=path_through([middle - across, middle + across]), **SEAM))
    for key, node in graph.nodes.items():
        elements += _node(at[key].real, at[key].imag, node)
    wide, high = max(p.real for p in at.values()), max(p.imag for p in at.values())
    return Figure(elements, wide + edge, high + edge)


def _node(x: float, y: float, node: Node) -> Iterator[str]:
    fills = (PAPER,) if node.candidates else node.fills or (PAPER,)
    yield element("circle", cx=x, cy=y, r=RADIUS, fill=fills[0])
    if len(fills) > 1:
        yield from _slices(x, y, fills)
    yield element("circle", cx=x, cy=y, r=RADIUS, fill="none", stroke=DARK, stroke_width=1.5)
    if node.mark:
        yield element("circle", cx=x, cy=y, r=RADIUS + 3.5, fill="none", **RINGS[node.mark])
    colour = ink(fills[0])
    if node.candidates:
        half = RADIUS * 0.75
        yield from _candidates(x - half, y - half, 2 * half, 1.6 * half, node.candidates)
        yield write(x, y + 15, node.name, 9, 24, fill=colour)
    elif node.text:
        yield write(x, y - 4, node.text, 19, 2 * RADIUS - 12, font_weight="bold", fill=colour)
        yield write(x, y + 12, node.name, 11, 30, fill=colour)  # clear of the mark
    else:
        yield write(x, y, node.name, 17, 2 * RADIUS - 8, fill=colour)
    if node.corner:
        tone = fills[0] if len(fills) == 1 else GREY
        yield from badge(x - RADIUS - 8, y - RADIUS - 8, node.corner, tone, 2 * RADIUS)


def _slices(x: float, y: float, fills: tuple[str, ...]) -> Iterator[str]:
    """Yield one slice of the node for each of its fills, from the top clockwise."""
    angles = (2 * math.pi * i / len(fills) - math.pi / 2 for i in range(len(fills) + 1))
    rim = [point(x + RADIUS * math.cos(angle), y + RADIUS * math.sin(angle)) for angle in angles]
    for fill, (start, end) in zip(fills, pairwise(rim), strict=True):
        path = f"M{point(x, y)}L{start}A{RADIUS} {RADIUS} 0 0 1 {end}Z"
        yield element("path", d=path, fill=fill)
