"""The drawing vocabulary: the content of a picture of a puzzle, as data.

The outputs, terminal text and SVG, decide how a drawing looks. Each is imported at its first use. The classes
are named tuples because they are created at every start, and creating a dataclass takes seven times as long.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from enum import IntEnum
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

__all__ = [
    "GREY",
    "PALETTE",
    "Branch",
    "Clues",
    "Drawing",
    "Graph",
    "Grid",
    "Line",
    "Link",
    "Mark",
    "Node",
    "Note",
    "Place",
    "Square",
    "Tray",
    "Tree",
    "Wall",
    "borders",
    "connected_parts",
    "distinct_colours",
    "draw_squares",
    "fill_in",
    "neighbours",
    "print_text",
]

Place: TypeAlias = tuple[int, int]
"""The place of a square: (row, column). Rows go down, columns to the right. Any integers are allowed."""

Wall: TypeAlias = tuple[Place, Place]
"""The side that two neighbouring places share: both places, the smaller first."""

NO_LABELS: Mapping[Any, Any] = MappingProxyType({})

Key = TypeVar("Key", bound=Hashable)

PALETTE = (
    "#f9c28b",
    "#a5d3f3",
    "#bfe3a2",
    "#f5b5cd",
    "#c3bdf4",
    "#f7e08c",
    "#97dccb",
    "#f1948a",
    "#dcb4ea",
)
"""Soft colours for areas. Dark text is readable on each. Neighbours in the list are easy to tell apart."""

GREY = "#e3e2de"
"""The colour of areas without a rule. Their empty squares have a dot, so that they do not look like holes."""


class Line(IntEnum):
    """The weight of a line. The heavier of two lines is greater."""

    NONE = 0
    FAINT = 1
    """A hairline, if the output has hairlines. Text does not: it puts a dot into empty squares instead."""
    THIN = 2
    THICK = 3


class Mark(IntEnum):
    """The mark of a square or node: a ring around it, or brackets around its content in text."""

    NONE = 0
    SEEN = 1
    """Relevant: a thin ring, round brackets."""
    NEW = 2
    """The result: a thick ring, square brackets."""


class Square(NamedTuple):
    """A square of a board, or an item of a clue beside it. ``fill`` is ``#rrggbb``, or empty for plain.

    The text of a ``strong`` square stands out: it is bold, or in brackets if the output has no bold text.
    ``candidates`` are small texts, each with its own fill, that replace the text of the square. Each has a
    fixed position. An output without room for them, such as text, shows text and fill instead.
    """

    text: str = ""
    corner: str = ""
    fill: str = ""
    strong: bool = False
    mark: Mark = Mark.NONE
    candidates: tuple[tuple[str, str], ...] = ()


Clues: TypeAlias = Mapping[int, tuple[Square, ...]]
"""The clues on one side of a board: the items of a clue, by row or by column."""


class Grid(NamedTuple):
    """A board of squares. Places without a square are blank.

    Parameters
    ----------
    squares
        The squares by place.
    line
        The line on every side of every square that ``walls`` does not list.
    walls
        The lines that differ from ``line``.
    tiles
        Pieces on the board, each given by its places. A tile is drawn whole: it has an outline, and no lines
        within except thick ones, which are dashed.
    cages
        Sets of places with a dashed outline. Text has no room for the outline, so it removes the thin lines
        within a cage and dashes the thick ones.
    left, above
        The clues of a row to the left of the board, and of a column above it. An item is a square of its own;
        items are in reading order, so the last is next to the board.
    right, below
        The clues of a row to the right of the board, and of a column below it. Items are in reading order, so
        the first is next to the board.
    signs
        Signs on walls, one character each: ``<`` and ``>`` between neighbours in a row, ``^`` and ``v``
        between neighbours in a column, with the point towards the smaller; ``●``, ``○``, or any other.
    bonds
        The strength of the bond between two neighbours, from 0 to 1: a bar across their wall. Text has none.
    """

    squares: Mapping[Place, Square]
    line: Line = Line.THIN
    walls: Mapping[Wall, Line] = NO_LABELS
    tiles: tuple[tuple[Place, ...], ...] = ()
    cages: tuple[tuple[Place, ...], ...] = ()
    left: Clues = NO_LABELS
    above: Clues = NO_LABELS
    signs: Mapping[Wall, str] = NO_LABELS
    bonds: Mapping[Wall, float] = NO_LABELS
    right: Clues = NO_LABELS
    below: Clues = NO_LABELS

    @property
    def clues_outward(self) -> tuple[Clues, Clues, Clues, Clues]:
        """The clues to the left, to the right, above and below, each from the board outwards."""
        left, above = (
            {number: items[::-1] for number, items in clues.items()} for clues in (self.left, self.above)
        )
        return left, self.right, above, self.below

    @property
    def rows(self) -> range:
        """The rows from the first square to the last, including empty rows."""
        return _span(row for row, _ in self.squares)

    @property
    def columns(self) -> range:
        """The columns from the first square to the last, including empty columns."""
        return _span(column for _, column in self.squares)

    def line_between(self, one: Place, other: Place) -> Line:
        """Return the line between two neighbouring places, without regard to tiles and cages."""
        if one not in self.squares and other not in self.squares:
            return Line.NONE
        return self.walls.get((min(one, other), max(one, other)), self.line)


class Node(NamedTuple):
    """A node of a graph: its position (x to the right, y down, a usual link is 1 long) and its content.

    ``name`` identifies the node, ``text`` is its value, and ``corner`` is a small text beside it.
    ``candidates`` replace the text, as in a ``Square``.
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
    """A board that is not a grid. A tile is a piece on the nodes with these keys."""

    nodes: Mapping[Hashable, Node]
    links: tuple[Link, ...] = ()
    tiles: tuple[tuple[Hashable, ...], ...] = ()


class Branch(NamedTuple):
    """A node of a tree, and the link to it.

    Parameters
    ----------
    parent
        The index of its parent among the nodes; None for a root.
    link
        The text at the link from the parent: the choice that leads to this node.
    head, words
        The heading of the node, and lines that describe it.
    fill
        Its colour; empty for plain.
    board
        A small picture in the node. Text omits it.
    keep
        Whether a picture of a large tree keeps the node. It folds others into their parents.
    """

    parent: int | None
    link: str
    head: str
    words: tuple[str, ...] = ()
    fill: str = ""
    board: Grid | Graph | None = None
    keep: bool = False


class Tree(NamedTuple):
    """A tree of nodes. Parents come before their children. The children of a node are in order."""

    nodes: tuple[Branch, ...]

    @property
    def children(self) -> list[list[int]]:
        """The indices of the children of every node."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for number, node in enumerate(self.nodes):
            if node.parent is not None:
                found[node.parent].append(number)
        return found


class Note(NamedTuple):
    """A line of words below the picture. ``fill`` is the colour that the note explains, if any."""

    head: str
    words: tuple[str, ...]
    fill: str = ""


class Tray(NamedTuple):
    """Pieces beside the board. A piece is given by the texts of its squares."""

    head: str
    pieces: tuple[tuple[str, ...], ...]


def print_text(self: object, printer: Any, _cycle: bool) -> None:
    """Print an object as its text, not as its fields. IPython calls this as ``_repr_pretty_``."""
    printer.text(str(self))


class Drawing(NamedTuple):
    """A picture of a puzzle or of its solution.

    Parameters
    ----------
    title
        The name of the picture. It is not drawn.
    board
        A grid of squares, a graph, or a tree.
    notes, tray
        The notes and the pieces below the board.
    places
        The position on the board of each variable that is visible: a place of a ``Grid``, or the key of a
        node of a ``Graph``.
    texts
        The text of a variable with a value, by both, where it is not the name of the value.
    """

    title: str
    board: Grid | Graph | Tree
    notes: tuple[Note, ...] = ()
    tray: Tray | None = None
    places: Mapping[int, Hashable] = NO_LABELS
    texts: Mapping[tuple[int, int], str] = NO_LABELS

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
    """Return the drawing with these texts and marks, given by place, and these tiles added to its board.

    The rest of the drawing stays: lines, corners, colours, clues and notes.
    """
    board: Any = _board_of(drawing)
    name = "squares" if isinstance(board, Grid) else "nodes"
    contents = dict(getattr(board, name))
    for key in texts.keys() | marks.keys():
        item = contents[key]
        contents[key] = item._replace(text=texts.get(key, item.text), mark=marks.get(key, item.mark))
    return drawing._replace(board=board._replace(**{name: contents, "tiles": (*board.tiles, *tiles)}))


def draw_squares(drawing: Drawing, squares: Mapping[int, Square], *, keep_lines: bool = False) -> Drawing:
    """Return the drawing's board with only these squares, given by variable.

    Removes the puzzle's own content: lines of several weights, clues, pieces, marks, notes and tray. A grid
    keeps only these squares and the signs between them. A graph keeps all nodes and links, and a node gets
    the text, the corner, the fill, the mark and the candidates of its square. Variables that are not visible
    are left out. With ``keep_lines``, a grid keeps its lines, cages and clues; so does one without lines,
    whose clues are the names of its squares.
    """
    seen = {drawing.places[v]: square for v, square in squares.items() if v in drawing.places}
    board = _board_of(drawing)
    if isinstance(board, Grid):
        kept = cast("dict[Place, Square]", seen)
        signs = {wall: sign for wall, sign in board.signs.items() if kept.keys() >= set(wall)}
        plain = board._replace(tiles=()) if keep_lines or board.line is Line.NONE else Grid({})
        return Drawing(drawing.title, plain._replace(squares=kept, signs=signs), places=drawing.places)
    nodes = {}
    for key, node in board.nodes.items():
        text, corner, fill, _, mark, candidates = seen.get(key, Square())
        fills = (fill,) if fill else ()
        nodes[key] = Node(node.x, node.y, node.name, text, corner, fills, mark, candidates)
    return Drawing(drawing.title, Graph(nodes, board.links), places=drawing.places)


def _board_of(drawing: Drawing) -> Grid | Graph:
    """Return the board, which has squares or nodes. Raises TypeError for a tree."""
    if isinstance(drawing.board, Tree):
        raise TypeError("a tree has no squares")
    return drawing.board


def borders(group: Mapping[Place, Hashable], *, within: Line = Line.THIN) -> dict[Wall, Line]:
    """Return the walls of a board whose squares form groups, including its outer border.

    ``group`` has the group of every square. The line is ``within`` if both sides belong to the same group,
    else thick.
    """
    walls = {}
    for place, name in group.items():
        for other in neighbours(place):
            alike = other in group and group[other] == name
            walls[min(place, other), max(place, other)] = within if alike else Line.THICK
    return walls


def distinct_colours(near: Mapping[Key, Iterable[Key]]) -> dict[Key, str]:
    """Return a colour of the palette for every key, different from the colours of its neighbours.

    Greedy: each key, in the given order, gets the colour that is rarest among its neighbours, then rarest so
    far. A key can share a neighbour's colour only if it has at least as many neighbours as there are colours.
    ``near`` is symmetric.
    """
    colours: dict[Key, str] = {}
    used: Counter[str] = Counter()
    for key, others in near.items():
        taken = Counter(colours[other] for other in others if other in colours)
        colours[key] = min(PALETTE, key=lambda colour: (taken[colour], used[colour]))
        used[colours[key]] += 1
    return colours


def connected_parts(cells: Iterable[Place]) -> list[list[Place]]:
    """Return the connected parts of the cells, each in the order of a breadth-first search."""
    left = dict.fromkeys(cells)
    parts = []
    for start in list(left):
        if start not in left:
            continue
        del left[start]
        part = [start]
        for cell in part:  # the loop appends to the list
            for other in neighbours(cell):
                if other in left:
                    del left[other]
                    part.append(other)
        parts.append(part)
    return parts


def neighbours(place: Place) -> tuple[Place, Place, Place, Place]:
    """Return the places to the right, below, to the left and above."""
    row, column = place
    return (row, column + 1), (row + 1, column), (row, column - 1), (row - 1, column)


def _span(numbers: Iterable[int]) -> range:
    seen = set(numbers)
    return range(min(seen), max(seen) + 1) if seen else range(0)
