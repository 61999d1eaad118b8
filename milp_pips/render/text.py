"""Draw pictures as terminal text: boards of squares in box characters or ASCII, graphs and trees in words.

The functions on printable text and its width come first; the other output needs them, too.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from itertools import chain, groupby
from operator import itemgetter
from typing import TextIO, TypeAlias

from milp_pips.render.vocabulary import (
    GREY,
    Clues,
    Drawing,
    Graph,
    Grid,
    Line,
    Mark,
    Note,
    Place,
    Square,
    Tree,
    neighbours,
)

__all__ = ["Span", "junction", "terminal_style", "to_text"]

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
        "★": "*",
        "…": "...",
        "─": "-",
        "–": "-",
        "—": "-",
        "→": "->",
        "Σ": "sum",
    }
)

_DIRECTIONS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Characters that would reverse the direction of the rest of the line."""


def printable(text: str) -> str:
    """Return the text on one line, with ``�`` for characters that cannot be printed or stored in a file."""
    if text.isascii() and text.isprintable():  # nearly all, in a tenth of the time
        return text
    line = "".join(" " if c in "\t\r\n" else c for c in text)
    hidden = ("Cc", "Cs", "Cn", "Zl", "Zp")
    return "".join("�" if unicodedata.category(c) in hidden or c in _DIRECTIONS else c for c in line)


def plain(text: str) -> str:
    """Return the text in printable ASCII; characters without a usual spelling become escapes."""
    escaped = printable(text).translate(_SPELLINGS).encode("ascii", "backslashreplace")
    return escaped.decode("ascii")


def width(text: str) -> int:
    """Return the number of terminal columns that the text takes."""
    if text.isascii() and text.isprintable():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    marks = sum(unicodedata.category(c) in ("Mn", "Me", "Cf") for c in text)
    return len(text) + wide - marks


def centre(text: str, columns: int) -> str:
    """Return the text centred in a given number of columns, or one column left of the centre."""
    spare = max(columns - width(text), 0)
    return " " * (spare // 2) + text + " " * (spare - spare // 2)


def pad(text: str, columns: int) -> str:
    """Return the text, padded with blanks to a given number of columns."""
    return text + " " * max(columns - width(text), 0)


def wrap(first: str, words: tuple[str, ...], columns: int) -> list[str]:
    """Return ``first`` and the words, separated by blanks, on lines of at most ``columns`` columns.

    Further lines are indented by the width of ``first``. A word that is too long gets a line of its own.
    """
    rows: list[list[str]] = [[]]
    room = columns - width(first)
    for word in words:
        if rows[-1] and width(" ".join([*rows[-1], word])) > room:
            rows.append([])
        rows[-1].append(word)
    starts = [first] + [" " * width(first)] * (len(rows) - 1)
    return [(start + " ".join(row)).rstrip() for start, row in zip(starts, rows, strict=True)]


TEXT_COLUMNS = 72
"""Lines of words are wrapped at this width. They fit a terminal of 80 columns even if indented."""

MIN_SQUARE_WIDTH = 3
"""The fewest characters within a square: one, and a blank on either side."""

LIGHT, HEAVY, DASHED = 1, 2, 3
"""Weights of lines in text. 0 is no line. Only heavy lines can be dashed."""

_ACROSS = {True: (" ", "─", "━", "┅"), False: (" ", "-", "=", "= ")}
_DOWN = {True: " │┃┇", False: " |#:"}
"""The characters of lines, by whether Unicode may be used and by weight."""

Span: TypeAlias = tuple[str, str]
"""A piece of a line of text: its characters, and the fill behind them or an empty string."""

_BRACKETS = {Mark.NONE: ("", ""), Mark.SEEN: ("(", ")"), Mark.NEW: ("[", "]")}
"""The brackets around the text of a marked square."""

_SAMPLE = "┏┅┇┼╋─│·≠≤≥"


def terminal_style(stream: TextIO) -> tuple[bool, bool]:
    """Return ``(unicode, colour)``: whether the stream can show box characters, and colours.

    Colours need a terminal that is not dumb, and ``NO_COLOR`` must not be set (no-color.org). A stream in
    memory has no encoding and accepts every character.
    """
    encoding = getattr(stream, "encoding", None)
    try:
        _SAMPLE.encode(encoding or "utf-8")
        unicode = True
    except (UnicodeEncodeError, LookupError):
        unicode = False
    colour = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return unicode, colour


def to_text(drawing: Drawing, *, unicode: bool = True, colour: bool = False) -> str:
    """Return the drawing as lines of text, each ended by a newline.

    A board of squares is drawn. A graph is described in words, its tiles first; a tree has a line for each
    node, indented. Notes and tray follow.

    Parameters
    ----------
    unicode
        Whether box characters may be used. Otherwise the text is ASCII.
    colour
        Whether fills are shown by terminal codes. They add no information to the text.
    """
    write = printable if unicode else plain
    notes = list(drawing.notes)
    match drawing.board:
        case Grid():
            lines = list(_GridText(drawing.board, unicode, colour).lines())
        case Graph():
            lines = [[(line, "")] for line in _tile_lines(drawing.board, write)]
            notes += _graph_notes(drawing.board)
        case Tree():
            lines = [[(line, "")] for line in _branch_lines(drawing.board, write, unicode)]
    if drawing.tray is not None and drawing.tray.pieces:
        notes.append(Note(drawing.tray.head, tuple(map("-".join, drawing.tray.pieces))))
    if lines and notes:
        lines.append([])
    lines += _note_lines(notes, write)
    return "".join(_paint(line, colour) + "\n" for line in lines)


def _tile_lines(graph: Graph, write: Callable[[str], str]) -> Iterator[str]:
    """Yield one line per tile: the names of its nodes, and their texts."""
    tiles = [[graph.nodes[key] for key in tile] for tile in graph.tiles]
    names = [write("─".join(node.name for node in tile)) for tile in tiles]
    room = max(map(width, names), default=0)
    for tile, name in zip(tiles, names, strict=True):
        yield f"{pad(name, room)}  {write('|'.join(node.text for node in tile))}"


def _branch_lines(tree: Tree, write: Callable[[str], str], unicode: bool) -> Iterator[str]:
    """Yield one line per node, indented below its parent: the link to it, its head and its words."""
    fork, end, down = ("├─ ", "└─ ", "│  ") if unicode else ("|- ", "`- ", "|  ")
    children = tree.children
    roots = [number for number, node in enumerate(tree.nodes) if node.parent is None]
    waiting = [(number, "", "") for number in reversed(roots)]
    while waiting:
        number, before, below = waiting.pop()
        node = tree.nodes[number]
        link = f"{node.link}: " if node.link else ""
        yield before + write(f"{link}{', '.join((node.head, *node.words))}")
        last = children[number][-1:]
        waiting += [
            (child, below + (end if child in last else fork), below + ("   " if child in last else down))
            for child in reversed(children[number])
        ]


def _graph_notes(graph: Graph) -> Iterator[Note]:
    """Yield notes on a graph: the values of nodes under no tile, the links, and the marked nodes.

    Links are listed only if there are no tiles, with the nodes that have neither a link nor a text.
    """
    covered: set[Hashable] = {key for tile in graph.tiles for key in tile}
    values = (node for key, node in graph.nodes.items() if node.text and key not in covered)
    words = tuple(f"{node.name}={node.text}" for node in values)
    if words:
        yield Note("values", words)
    names = {key: node.name for key, node in graph.nodes.items()}
    if graph.links and not graph.tiles:
        linked = {key for link in graph.links for key in (link.one, link.other)}
        pairs = [f"{names[link.one]}─{names[link.other]}" for link in graph.links]
        alone = [names[key] for key, node in graph.nodes.items() if key not in linked and not node.text]
        yield Note("links", tuple(pairs + alone))
    marked = [_bracketed(names[key], node.mark) for key, node in graph.nodes.items() if node.mark]
    if marked:
        yield Note("marked", tuple(marked))


def _bracketed(text: str, mark: Mark) -> str:
    """Return the text in the brackets of its mark. An empty text becomes a blank."""
    opening, closing = _BRACKETS[mark]
    return f"{opening}{text or ' '}{closing}"


def _note_lines(notes: list[Note], write: Callable[[str], str]) -> Iterator[list[Span]]:
    room = max((width(write(note.head)) for note in notes), default=0)
    for note in notes:
        head = write(note.head)
        first = pad(head, room) + ": " if head else ""
        lines = wrap(first, tuple(write(word) for word in note.words), TEXT_COLUMNS)
        for i, line in enumerate(lines):
            if i == 0 and note.fill:
                yield [(line[: len(head)], note.fill), (line[len(head) :], "")]
            else:
                yield [(line, "")]


def _paint(spans: Iterable[Span], colour: bool) -> str:
    """Return one line of text without trailing blanks, with colour codes (ISO 6429) if requested."""
    if not colour:
        return "".join(text for text, _ in spans).rstrip(" ")
    from milp_pips.render.colours import ink, terminal_colour  # plain text needs no colours

    runs = [("".join(text for text, _ in run), fill) for fill, run in groupby(spans, key=itemgetter(1))]
    if runs and not runs[-1][1]:
        runs[-1] = runs[-1][0].rstrip(" "), ""
    return "".join(
        f"\x1b[38;5;{terminal_colour(ink(fill))};48;5;{terminal_colour(fill)}m{text}\x1b[0m" if fill else text
        for text, fill in runs
    )


class _GridText:
    """Writes a grid: computes the widths of its parts and the visible lines."""

    def __init__(self, grid: Grid, unicode: bool, colour: bool):
        self.grid, self.unicode, self.colour = grid, unicode, colour
        self._befores: dict[Place, int] = {}
        self.columns = grid.columns  # found once: each search of them goes through all squares
        self.write: Callable[[str], str] = printable if unicode else plain
        self.tile = _number_of_set(grid.tiles)
        self.cage = _number_of_set(grid.cages)
        squares = grid.squares.values()
        self.corner = max((width(self.write(square.corner)) for square in squares), default=0)
        text = max((width(self.write(square.text)) for square in squares), default=0)
        if any(square.mark for square in squares):
            text = max(text, 1)
        # Corner and text share the line only if the board has both.
        self.both = bool(self.corner and text)
        content = self.corner + text if self.both else max(self.corner, text)
        if self.both and any(square.strong or square.mark for square in squares):
            content += 1  # room for the opening bracket; the closing bracket uses the blank after the text
        self.left, self.right, self.above, self.below = grid.clues_outward
        items = chain(*self.above.values(), *self.below.values())
        clue = max((width(self._item(item)[0]) for item in items), default=0)
        self.inner = max(MIN_SQUARE_WIDTH, content + 2, clue)
        self.margin = max(map(_length, map(self._row_clue, self.left.values())), default=0)

    def lines(self) -> Iterator[list[Span]]:
        """Yield the lines of the board: a line for every row between border lines, and the column clues."""
        grid = self.grid
        if grid.squares:
            has_lines = bool(grid.line > Line.NONE or grid.walls or grid.tiles or grid.cages or grid.signs)
            yield from reversed(list(self._column_clues(self.above)))
            for row in grid.rows:
                if has_lines:
                    yield self._border_above(row)
                yield self._squares_of(row)
            if has_lines:
                yield self._border_above(grid.rows.stop)
            yield from self._column_clues(self.below)

    def _column_clues(self, clues: Clues) -> Iterator[list[Span]]:
        """Yield the lines with the clues above or below, one item per line, from the board outwards."""
        height = max(map(len, clues.values()), default=0)
        for line in range(height):
            spans: list[Span] = [(" " * self.margin, "")]
            for column in self.columns:
                items = clues.get(column, ())
                text, fill = self._item(items[line]) if line < len(items) else ("", "")
                spare = self.inner - width(text)
                spans += [(" " * (1 + spare // 2), ""), (text, fill), (" " * (spare - spare // 2), "")]
            yield spans

    def _border_above(self, row: int) -> list[Span]:
        """Return the border line between a row and the row above it."""
        spans: list[Span] = [(" " * self.margin, "")]
        columns = self.columns
        left = 0
        for column in range(columns.start, columns.stop + 1):
            one, other = (row - 1, column), (row, column)
            up, right, down = self._before(one), self._weight(one, other), self._before(other)
            arms = (min(arm, HEAVY) for arm in (up, right, down, left))
            corners = (row - 1, column - 1), one, other, (row, column - 1)
            spans.append(self._span(junction(*arms, unicode=self.unicode), *corners))
            left = right
            if column < columns.stop:
                line = (_ACROSS[self.unicode][right] * self.inner)[: self.inner]
                if sign := self._sign(one, other):
                    before = (self.inner - width(sign)) // 2
                    line = line[:before] + sign + line[before + width(sign) :]
                spans.append(self._span(line, one, other))
        return spans

    def _squares_of(self, row: int) -> list[Span]:
        """Return the line with the squares of a row, between its clues."""
        clue = self._row_clue(self.left.get(row, ()))
        spans: list[Span] = [(" " * (self.margin - _length(clue)), ""), *reversed(clue)]
        columns = self.columns
        for column in range(columns.start, columns.stop + 1):
            before, place = (row, column - 1), (row, column)
            line = _DOWN[self.unicode][self._before(place)]
            spans.append(self._span(self._sign(before, place) or line, before, place))
            if column < columns.stop:
                spans.append((self._inside(place), self._fill_of(place)))
        return spans + self._row_clue(self.right.get(row, ()))

    def _inside(self, place: Place) -> str:
        square = self.grid.squares.get(place, Square())
        corner, text = self.write(square.corner), self.write(square.text)
        if square.mark:
            shown = text or ("" if corner else self._dot(place))
            text = _bracketed(shown, square.mark)
        elif square.strong and text:
            text = f"[{text}]"
        if self.both and (corner or text):
            rest = self.inner - self.corner - 1
            return pad(corner, self.corner) + " " + centre(text, rest)
        return centre(corner or text or self._dot(place), self.inner)

    def _dot(self, place: Place) -> str:
        """Return a dot for an empty square that has an open side or is grey, to show that it is a square."""
        if place not in self.grid.squares:
            return ""
        is_open = any(self._weight(place, other) == 0 for other in neighbours(place))
        return self.write("·") if is_open or self._fill_of(place) == GREY else ""

    def _before(self, place: Place) -> int:
        """Return the weight of the line to the left of a place, which is part of three lines of text."""
        found = self._befores.get(place)
        if found is None:
            found = self._befores[place] = self._weight((place[0], place[1] - 1), place)
        return found

    def _weight(self, one: Place, other: Place) -> int:
        """Return the weight of the line between two neighbouring places."""
        line = self.grid.line_between(one, other)
        tile = self.tile.get(one)
        if tile is not None and tile == self.tile.get(other):
            return DASHED if line is Line.THICK else 0
        if tile is not None or other in self.tile:
            line = max(line, Line.THIN)
        cage = self.cage.get(one)
        if cage is not None and cage == self.cage.get(other):
            return DASHED if line is Line.THICK else 0
        return {Line.THIN: LIGHT, Line.THICK: HEAVY}.get(line, 0)

    def _sign(self, one: Place, other: Place) -> str:
        """Return the sign on the wall between two places, or ``?`` if it needs more than one column."""
        sign = self.write(self.grid.signs.get((one, other), ""))
        return sign if width(sign) <= 1 else "?"

    def _span(self, between: str, *places: Place) -> Span:
        """Return the text between places. It has a fill if it is blank and all places have the same fill."""
        if not self.colour:
            return between, ""
        fills = {self._fill_of(place) for place in places}
        return between, fills.pop() if len(fills) == 1 and not between.strip() else ""

    def _fill_of(self, place: Place) -> str:
        return self.grid.squares[place].fill if place in self.grid.squares else ""

    def _row_clue(self, items: Iterable[Square]) -> list[Span]:
        """Return the items of a clue to the left or to the right, from the board outwards."""
        return [span for item in items for span in ((" ", ""), self._item(item))]

    def _item(self, item: Square) -> Span:
        return self.write(f"{item.corner} {item.text}".strip()), item.fill


def _length(spans: list[Span]) -> int:
    return sum(width(text) for text, _ in spans)


def _number_of_set(sets: tuple[tuple[Place, ...], ...]) -> Mapping[Place, int]:
    return {place: number for number, places in enumerate(sets) for place in places}


_JUNCTIONS = " ╴╸╷┐┑╻┒┓╶─╾┌┬┭┎┰┱╺╼━┍┮┯┏┲┳╵┘┙│┤┥╽┧┪└┴┵├┼┽┟╁╅┕┶┷┝┾┿┢╆╈╹┚┛╿┦┩┃┨┫┖┸┹┞╀╃┠╂╉┗┺┻┡╄╇┣╊╋"
"""Junctions of lines. The index has the weights of the four arms in base 3: up, right, down, left."""


def junction(up: int, right: int, down: int, left: int, *, unicode: bool) -> str:
    """Return the character where lines of these weights meet. 0 is no line."""
    if unicode:
        return _JUNCTIONS[27 * up + 9 * right + 3 * down + left]
    heaviest = max(up, right, down, left)
    if heaviest == 0:
        return " "
    if heaviest == HEAVY:
        return "=" if not (up or down) else "#"
    if not (left or right):
        return "|"
    return "-" if not (up or down) else "+"
