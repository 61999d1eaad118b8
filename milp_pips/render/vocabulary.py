"""The drawing vocabulary: what a picture of a puzzle shows.

A drawing is data. Terminal text and SVG decide how it looks; each is imported when it is first used.
The classes are named tuples, since every start makes these classes, and a dataclass takes seven times as
long.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from enum import IntEnum
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, cast

Place: TypeAlias = tuple[int, int]
"""Where a square lies: (row, column). Rows go down, columns to the right; any integers will do."""

Wall: TypeAlias = tuple[Place, Place]
"""The side that two neighbouring places share, the smaller place first."""

NO_LABELS: Mapping[Any, Any] = MappingProxyType({})


class Line(IntEnum):
    """How a line is drawn; the heavier of two is the greater."""

    NONE = 0
    FAINT = 1
    """A hairline where the output has one. Text has none: it puts a dot into empty squares instead."""
    THIN = 2
    THICK = 3


class Mark(IntEnum):
    """How a square or node is pointed at: a ring around it, in text brackets around what it shows."""

    NONE = 0
    SEEN = 1
    """Look here: a thin ring, round brackets."""
    NEW = 2
    """This is what it is about: a thick ring, square brackets."""


class Square(NamedTuple):
    """A square of a board, or an item of a clue beside it. ``fill`` is ``#rrggbb``, or empty for plain.

    The text of a ``strong`` square stands out: it is bold, or in brackets where nothing can be bold.
    ``candidates`` are small texts, each on a fill of its own, that stand in the square in place of its text,
    each always at the same spot; where there is no room for that, as in text, text and fill say it.
    """

    text: str = ""
    corner: str = ""
    fill: str = ""
    strong: bool = False
    mark: Mark = Mark.NONE
    candidates: tuple[tuple[str, str], ...] = ()


class Grid(NamedTuple):
    """A board of squares; places without a square are blank.

    Parameters
    ----------
    squares
        The squares by place.
    line
        The line on every side of every square, where ``walls`` says nothing else.
    walls
        The lines that differ from ``line``.
    tiles
        Pieces that lie on the board, each given by its places. A tile is drawn whole: an outline around
        it, no line within but thick ones, which are dashed.
    cages
        Sets of places held together by a dashed outline. Where text has no room for it, the lines within
        the cage give way: thin ones vanish, thick ones are dashed.
    left, above
        Clues of a row and of a column, read towards the board.
    signs
        What stands on a wall, one character each: ``<`` and ``>`` between neighbours in a row, ``^`` and
        ``v`` between those in a column, the smaller end at the smaller; ``●``, ``○``, or any other.
    bonds
        Neighbours that hold together so much, from 0 to 1: a bar across their wall. Text has none.
    """

    squares: Mapping[Place, Square]
    line: Line = Line.THIN
    walls: Mapping[Wall, Line] = NO_LABELS
    tiles: tuple[tuple[Place, ...], ...] = ()
    cages: tuple[tuple[Place, ...], ...] = ()
    left: Mapping[int, tuple[Square, ...]] = NO_LABELS
    above: Mapping[int, tuple[Square, ...]] = NO_LABELS
    signs: Mapping[Wall, str] = NO_LABELS
    bonds: Mapping[Wall, float] = NO_LABELS

    @property
    def rows(self) -> range:
        """The rows from the first square to the last, empty ones among them."""
        return _span(row for row, _ in self.squares)

    @property
    def columns(self) -> range:
        """The columns from the first square to the last, empty ones among them."""
        return _span(column for _, column in self.squares)

    def line_between(self, one: Place, other: Place) -> Line:
        """Return the line between two neighbouring places, whatever tiles or cages lie there."""
        if one not in self.squares and other not in self.squares:
            return Line.NONE
        return self.walls.get((min(one, other), max(one, other)), self.line)


class Node(NamedTuple):
    """A node of a graph: where it is (x to the right, y down, a usual link is 1 long) and what is on it.

    ``name`` tells the node from the others, ``text`` is its value; ``corner`` is a small mark beside it.
    ``candidates`` stand in place of the text, as in a ``Square``.
    """

    x: float
    y: float
    name: str
    text: str = ""
    corner: str = ""
    fills: tuple[str, ...] = ()
    mark: Mark = Mark.NONE
    candidates: tuple[tuple[str, str], ...] = ()


class Link(NamedTuple):
    """A link between two nodes, given by their keys."""

    one: Hashable
    other: Hashable
    line: Line = Line.THIN
    colour: str = ""


class Graph(NamedTuple):
    """A board that is no grid. A tile is a piece that lies on the nodes with these keys."""

    nodes: Mapping[Hashable, Node]
    links: tuple[Link, ...] = ()
    tiles: tuple[tuple[Hashable, ...], ...] = ()


class Branch(NamedTuple):
    """A node of a tree, and the link to it.

    Parameters
    ----------
    parent
        The number of its parent among the nodes; None for a root.
    link
        What stands at the link from the parent: what was chosen there.
    head, words
        What the node is called, and lines that tell of it.
    fill
        Its colour; empty for plain.
    board
        A picture in it, drawn small. Text has none.
    """

    parent: int | None
    link: str
    head: str
    words: tuple[str, ...] = ()
    fill: str = ""
    board: Grid | Graph | None = None


class Tree(NamedTuple):
    """Nodes that grow from one another, parents before children; children stand in their order."""

    nodes: tuple[Branch, ...]

    @property
    def children(self) -> list[list[int]]:
        """The numbers of the children of every node."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for number, node in enumerate(self.nodes):
            if node.parent is not None:
                found[node.parent].append(number)
        return found


class Note(NamedTuple):
    """A line of words below the picture; ``fill`` is the colour that the note explains, if any."""

    head: str
    words: tuple[str, ...]
    fill: str = ""


class Tray(NamedTuple):
    """Pieces that lie beside the board; a piece is given by the texts of its squares."""

    head: str
    pieces: tuple[tuple[str, ...], ...]


def print_text(self: object, printer: Any, _cycle: bool) -> None:
    """Show an object as its text, not as its fields; as ``_repr_pretty_`` it is what IPython asks for."""
    printer.text(str(self))


class Drawing(NamedTuple):
    """A picture of a puzzle or of its solution.

    Parameters
    ----------
    title
        What the picture is called; it is not drawn.
    board
        The squares of a grid, the nodes of a graph, or a tree.
    notes, tray
        What stands below the board.
    places
        Where each variable of the problem that is seen stands on the board: a place of a ``Grid``, a node's
        key of a ``Graph``.
    """

    title: str
    board: Grid | Graph | Tree
    notes: tuple[Note, ...] = ()
    tray: Tray | None = None
    places: Mapping[int, Hashable] = NO_LABELS

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        print_text(self, printer, cycle)

    def __str__(self) -> str:
        return str(import_module("milp_pips.render.text").to_text(self))

    def _repr_svg_(self) -> str:
        return str(import_module("milp_pips.render.svg").to_svg(self))


def fill_in(
    drawing: Drawing,
    texts: Mapping[Hashable, str],
    tiles: Iterable[tuple[Hashable, ...]] = (),
    marks: Mapping[Hashable, Mark] = NO_LABELS,
) -> Drawing:
    """Return the drawing with these texts and marks on its board, given by place, and tiles laid upon it.

    All that the puzzle says there stays: lines, corners, colours, clues and notes.
    """
    board: Grid | Graph
    match drawing.board:
        case Grid() as grid:
            squares = dict(grid.squares)
            for key in texts.keys() | marks.keys():
                place = cast(Place, key)
                square = squares[place]
                squares[place] = square._replace(
                    text=texts.get(key, square.text), mark=marks.get(key, square.mark)
                )
            laid = cast("tuple[tuple[Place, ...], ...]", tuple(tiles))
            board = grid._replace(squares=squares, tiles=(*grid.tiles, *laid))
        case Graph() as graph:
            nodes = dict(graph.nodes)
            for key in texts.keys() | marks.keys():
                node = nodes[key]
                nodes[key] = node._replace(text=texts.get(key, node.text), mark=marks.get(key, node.mark))
            board = graph._replace(nodes=nodes, tiles=(*graph.tiles, *tiles))
        case Tree():
            raise TypeError("a tree has no squares to fill in")
    return drawing._replace(board=board)


def draw_squares(drawing: Drawing, squares: Mapping[int, Square], *, keep_lines: bool = False) -> Drawing:
    """Return the drawing's board with nothing on it but these squares, given by variable.

    What the puzzle says there gives way: lines of several weights, clues, pieces, marks, notes and tray. Of a
    grid the squares alone are left, and the signs between them; of a graph all nodes and links are, and a
    node takes the text, the corner, the fill, the mark and the candidates of its square. Variables that are
    not seen are left out. With ``keep_lines`` a grid keeps its lines, cages and clues.
    """
    seen = {drawing.places[v]: square for v, square in squares.items() if v in drawing.places}
    board: Grid | Graph
    match drawing.board:
        case Grid():
            kept = cast("dict[Place, Square]", seen)
            signs = {wall: sign for wall, sign in drawing.board.signs.items() if kept.keys() >= set(wall)}
            board = drawing.board._replace(squares=kept, tiles=(), signs=signs)
            if not keep_lines:
                board = Grid(kept, signs=signs)
        case Graph():
            nodes = {}
            for key, node in drawing.board.nodes.items():
                square = seen.get(key, Square())
                nodes[key] = node._replace(
                    text=square.text,
                    corner=square.corner,
                    fills=(square.fill,) if square.fill else (),
                    mark=square.mark,
                    candidates=square.candidates,
                )
            board = Graph(nodes, drawing.board.links)
        case Tree():
            raise TypeError("a tree has no squares")
    return Drawing(drawing.title, board, places=drawing.places)


def borders(
    group: Mapping[Place, Hashable], *, between: Line = Line.THICK, within: Line = Line.THIN
) -> dict[Wall, Line]:
    """Return the walls of a board whose squares fall into groups, its outer border among them.

    ``group`` names the group of every square. The line is ``within`` where both sides are of one group,
    else ``between``.
    """
    walls = {}
    for place, name in group.items():
        for other in neighbours(place):
            alike = other in group and group[other] == name
            walls[min(place, other), max(place, other)] = within if alike else between
    return walls


def neighbours(place: Place) -> tuple[Place, Place, Place, Place]:
    """Return the places above, to the right, below and to the left."""
    row, column = place
    return (row - 1, column), (row, column + 1), (row + 1, column), (row, column - 1)


def _span(numbers: Iterable[int]) -> range:
    seen = set(numbers)
    return range(min(seen), max(seen) + 1) if seen else range(0)
