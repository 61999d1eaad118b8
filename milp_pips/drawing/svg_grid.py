"""Boards of squares as SVG."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from milp_pips.drawing.colours import ink
from milp_pips.drawing.svg_parts import (
    DARK,
    MIDDLE,
    PAPER,
    Figure,
    badge,
    element,
    fitting,
    lettered,
    number,
)
from milp_pips.drawing.vocabulary import Grid, Line, Place, Square, neighbours

UNIT = 48
"""Pixels along the side of a square."""

ITEM = 24
"""Pixels along the side of an item of a clue."""

EDGE = 2
"""Pixels around the board, so that its border is not cut off."""

GAP = 6
"""Pixels between clues and board."""

_PENS: dict[Line, dict[str, str | float]] = {
    Line.FAINT: {"stroke": DARK, "stroke_width": 1, "stroke_opacity": "0.2"},
    Line.THIN: {"stroke": DARK, "stroke_width": 1.2},
    Line.THICK: {"stroke": DARK, "stroke_width": 3},
}


class _Paper:
    """Where the squares of a grid are on paper."""

    def __init__(self, grid: Grid):
        self.first_row, self.first_column = grid.rows.start, grid.columns.start
        beside, above = (max(map(len, clues.values()), default=0) for clues in (grid.left, grid.above))
        self.left = EDGE + (beside and ITEM * beside + GAP)
        self.top = EDGE + (above and ITEM * above + GAP)
        self.width = self.left + UNIT * len(grid.columns) + EDGE
        self.height = self.top + UNIT * len(grid.rows) + EDGE

    def corner(self, place: Place) -> tuple[float, float]:
        """The top left corner of a place: (x, y)."""
        row, column = place
        return self.left + UNIT * (column - self.first_column), self.top + UNIT * (row - self.first_row)


def grid_figure(grid: Grid) -> Figure:
    """Return the board: fills, lines, cages, tiles, then what is written."""
    paper = _Paper(grid)
    lying = {place for tile in grid.tiles for place in tile}
    elements = [_ground(paper, place, square) for place, square in grid.squares.items()]
    elements += _lines(grid, paper, lying)
    dashes: dict[str, str | float] = {"stroke_width": 1.2, "stroke_dasharray": "4 3"}
    elements += [_outline(paper, cage, 4.5, **dashes) for cage in grid.cages]
    for tile in grid.tiles:
        elements += _tile(paper, tile)
    for place, square in grid.squares.items():
        elements += _writing(paper, place, square, PAPER if place in lying else square.fill)
    elements += _clues(grid, paper)
    return Figure(elements, paper.width, paper.height)


def _ground(paper: _Paper, place: Place, square: Square) -> str:
    x, y = paper.corner(place)
    return element("rect", x=x, y=y, width=UNIT, height=UNIT, fill=square.fill or PAPER)


def _lines(grid: Grid, paper: _Paper, lying: Collection[Place]) -> Iterator[str]:
    """Yield a path for each weight of line, faint ones first. Near a tile only thick lines show."""
    strokes: dict[Line, list[str]] = {line: [] for line in _PENS}
    for one, other in sorted({(min(p, q), max(p, q)) for p in grid.squares for q in neighbours(p)}):
        line = grid.line_between(one, other)
        hidden = line < Line.THICK and (one in lying or other in lying)
        if line in strokes and not hidden:
            x, y = paper.corner(other)
            strokes[line].append(f"M{number(x)} {number(y)}{'h' if one[1] == other[1] else 'v'}{UNIT}")
    for line, pen in _PENS.items():
        if strokes[line]:
            yield element("path", d="".join(strokes[line]), fill="none", stroke_linecap="round", **pen)


def _outline(paper: _Paper, places: Collection[Place], inset: float, **pen: str | float) -> str:
    """Return the outline of a set of places, so far inside its border."""
    inside = set(places)
    strokes = []
    for place in sorted(inside):
        x, y = paper.corner(place)
        middle = x + UNIT / 2, y + UNIT / 2
        half = UNIT / 2 - inset
        # The four sides are the top side, turned: `out` points out of the place, `along` clockwise.
        for out, along in (((0, -1), (1, 0)), ((1, 0), (0, 1)), ((0, 1), (-1, 0)), ((-1, 0), (0, -1))):
            if _moved(place, out) in inside:
                continue
            ends = []
            for way in (-1, 1):
                beside = along[0] * way, along[1] * way
                reach = half
                if _moved(place, beside) in inside:
                    diagonal = _moved(_moved(place, beside), out) in inside
                    reach = UNIT / 2 + (inset if diagonal else 0)
                ends.append(tuple(middle[axis] + half * out[axis] + reach * beside[axis] for axis in (0, 1)))
            (x1, y1), (x2, y2) = ends
            strokes.append(f"M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}")
    return element("path", d="".join(strokes), fill="none", stroke=DARK, **pen)


def _moved(place: Place, by: tuple[int, int]) -> Place:
    return place[0] + by[1], place[1] + by[0]


def _tile(paper: _Paper, places: Collection[Place]) -> Iterator[str]:
    """Yield a rounded rectangle, or the outline of a tile of another shape; faint lines part its squares."""
    inset = 4
    rows, columns = ({place[axis] for place in places} for axis in (0, 1))
    high, wide = (max(s) - min(s) + 1 for s in (rows, columns))
    if high * wide == len(places):
        x, y = paper.corner((min(rows), min(columns)))
        yield element(
            "rect",
            x=x + inset,
            y=y + inset,
            width=wide * UNIT - 2 * inset,
            height=high * UNIT - 2 * inset,
            rx=10,
            fill=PAPER,
            fill_opacity="0.85",
            stroke=DARK,
            stroke_width=2,
        )
    else:
        yield _outline(paper, places, inset, stroke_width=2)
    for place in sorted(places):
        x, y = paper.corner(place)
        for other, way in ((_moved(place, (-1, 0)), "v"), (_moved(place, (0, -1)), "h")):
            if other in places:
                start = (x, y + 12) if way == "v" else (x + 12, y)
                path = f"M{number(start[0])} {number(start[1])}{way}{UNIT - 24}"
                yield element("path", d=path, stroke=DARK, stroke_width=1.2, stroke_opacity="0.45")


def _writing(paper: _Paper, place: Place, square: Square, fill: str) -> Iterator[str]:
    x, y = paper.corner(place)
    if square.corner:
        yield from badge(x + 4, y + 4, square.corner, square.fill, UNIT - 8)
    if square.text:
        size = fitting(square.text, 22, UNIT - 12)
        down = 4 if square.corner else 0
        weight: dict[str, str | float] = {"font_weight": "bold"} if square.strong else {}
        yield lettered(
            x + UNIT / 2, y + UNIT / 2 + down, square.text, size, fill=ink(fill or PAPER), **weight
        )


def _clues(grid: Grid, paper: _Paper) -> Iterator[str]:
    for row, items in grid.left.items():
        x, y = paper.corner((row, grid.columns.start))
        for i, item in enumerate(reversed(items)):
            yield from _item(x - GAP - (i + 1) * ITEM, y + (UNIT - ITEM) / 2, item)
    for column, items in grid.above.items():
        x, y = paper.corner((grid.rows.start, column))
        for i, item in enumerate(reversed(items)):
            yield from _item(x + (UNIT - ITEM) / 2, y - GAP - (i + 1) * ITEM, item)


def _item(x: float, y: float, item: Square) -> Iterator[str]:
    if item.fill:
        side = ITEM - 2
        yield element("rect", x=x + 1, y=y + 1, width=side, height=side, rx=4, fill=item.fill)
    text = f"{item.corner} {item.text}".strip()
    colour = ink(item.fill) if item.fill else MIDDLE
    yield lettered(x + ITEM / 2, y + ITEM / 2, text, fitting(text, 14, ITEM - 2), fill=colour)
