"""Boards of squares as lines of text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain

from milp_pips.drawing.boxes import HEAVY, LIGHT, horizontal, junction, vertical
from milp_pips.drawing.lettering import centred, plain, printable, ranged_left, width
from milp_pips.drawing.terminal import Span
from milp_pips.drawing.vocabulary import Grid, Line, Place, Square, neighbours

LEAST_WIDTH = 3
"""Characters within a square, at least."""


def grid_lines(grid: Grid, unicode: bool) -> Iterator[list[Span]]:
    """Yield the lines of the board, clues first: a line for every row, border lines around them."""
    if not grid.squares:
        return
    board = _Board(grid, unicode)
    yield from board.clues_above()
    for row in grid.rows:
        yield board.border_above(row)
        yield board.squares_of(row)
    yield board.border_above(grid.rows.stop)


class _Board:
    """A grid being written: knows how wide everything is and which lines show."""

    def __init__(self, grid: Grid, unicode: bool):
        self.grid, self.unicode = grid, unicode
        self.write: Callable[[str], str] = printable if unicode else plain
        self.tile = _number_of_set(grid.tiles)
        self.cage = _number_of_set(grid.cages)
        squares = grid.squares.values()
        self.corner = max((width(self.write(square.corner)) for square in squares), default=0)
        text = max((width(self.write(square.text)) for square in squares), default=0)
        # A mark in the corner and a text share the line only where a board has both.
        self.both = bool(self.corner and text)
        content = self.corner + text if self.both else max(self.corner, text)
        if self.both and any(square.strong for square in squares):
            content += 1  # room for the first bracket; the last has the room that every text has behind it
        clue = max((width(self._item(item)[0]) for item in chain(*grid.above.values())), default=0)
        self.inner = max(LEAST_WIDTH, content + 2, clue)
        self.margin = max((_length(self._clue(row)) for row in grid.left), default=0)

    def clues_above(self) -> Iterator[list[Span]]:
        """The clues of the columns, one item on a line, the last items next to the board."""
        height = max((len(items) for items in self.grid.above.values()), default=0)
        for line in range(height):
            spans: list[Span] = [(" " * self.margin, "")]
            for column in self.grid.columns:
                items = self.grid.above.get(column, ())
                at = line - height + len(items)
                text, fill = self._item(items[at]) if at >= 0 else ("", "")
                spare = self.inner - width(text)
                spans += [(" " * (1 + spare // 2), ""), (text, fill), (" " * (spare - spare // 2), "")]
            yield spans

    def border_above(self, row: int) -> list[Span]:
        """The border line between a row and the one above it."""
        spans: list[Span] = [(" " * self.margin, "")]
        columns = self.grid.columns
        for column in range(columns.start, columns.stop + 1):
            corners = ((row - 1, column - 1), (row - 1, column), (row, column), (row, column - 1))
            up, right, down, left = (self._weight(corners[i], corners[(i + 1) % 4])[0] for i in range(4))
            spans.append(self._span(junction(up, right, down, left, self.unicode), *corners))
            if column < columns.stop:
                one, other = (row - 1, column), (row, column)
                line = horizontal(*self._weight(one, other), self.inner, self.unicode)
                spans.append(self._span(line, one, other))
        return spans

    def squares_of(self, row: int) -> list[Span]:
        """The line on which the squares of a row are written."""
        clue = self._clue(row)
        spans: list[Span] = [(" " * (self.margin - _length(clue)), ""), *clue]
        columns = self.grid.columns
        for column in range(columns.start, columns.stop + 1):
            before, here = (row, column - 1), (row, column)
            line = vertical(*self._weight(before, here), self.unicode)
            spans.append(self._span(line, before, here))
            if column < columns.stop:
                spans.append((self._inside(here), self._fill_of(here)))
        return spans

    def _inside(self, place: Place) -> str:
        square = self.grid.squares.get(place, Square())
        corner, text = self.write(square.corner), self.write(square.text)
        if square.strong and text:
            text = f"[{text}]"
        if self.both and (corner or text):
            rest = self.inner - self.corner - 1
            return ranged_left(corner, self.corner) + " " + centred(text, rest)
        return centred(corner or text or self._dot(place), self.inner)

    def _dot(self, place: Place) -> str:
        """What tells an empty square from its neighbours where no line does."""
        if place not in self.grid.squares:
            return ""
        is_open = any(self._weight(place, other)[0] == 0 for other in neighbours(place))
        return self.write("·") if is_open else ""

    def _weight(self, one: Place, other: Place) -> tuple[int, bool]:
        """The weight of the line between two neighbouring places, and whether it is dashed."""
        line = self.grid.line_between(one, other)
        tile = self.tile.get(one)
        if tile is not None and tile == self.tile.get(other):
            return 0, False
        if tile is not None or other in self.tile:
            line = max(line, Line.THIN)
        cage = self.cage.get(one)
        if cage is not None and cage == self.cage.get(other):
            return (HEAVY, True) if line is Line.THICK else (0, False)
        return {Line.THIN: LIGHT, Line.THICK: HEAVY}.get(line, 0), False

    def _span(self, between: str, *places: Place) -> Span:
        """What stands between places: filled where there is no line and all of them have one fill."""
        fills = {self._fill_of(place) for place in places}
        return between, fills.pop() if len(fills) == 1 and not between.strip() else ""

    def _fill_of(self, place: Place) -> str:
        return self.grid.squares[place].fill if place in self.grid.squares else ""

    def _clue(self, row: int) -> list[Span]:
        return [span for item in self.grid.left.get(row, ()) for span in (self._item(item), (" ", ""))]

    def _item(self, item: Square) -> Span:
        return self.write(f"{item.corner} {item.text}".strip()), item.fill


def _length(spans: list[Span]) -> int:
    return sum(width(text) for text, _ in spans)


def _number_of_set(sets: tuple[tuple[Place, ...], ...]) -> Mapping[Place, int]:
    return {place: number for number, places in enumerate(sets) for place in places}
