"""A drawing as text for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

from milp_pips.drawing.lettering import plain, printable, ranged_left, width, wrapped
from milp_pips.drawing.terminal import Span, painted
from milp_pips.drawing.text_grid import grid_lines
from milp_pips.drawing.vocabulary import Drawing, Graph, Grid, Note, Tray

COLUMNS = 72
"""Where lines of words are wrapped."""


def to_text(drawing: Drawing, *, unicode: bool = True, colour: bool = False) -> str:
    """Return the drawing as lines of text, each ended by a newline.

    A board of squares is drawn; a graph is told in words, its tiles first. Notes and tray follow.

    Parameters
    ----------
    unicode
        Whether box characters may be used; the text is ASCII otherwise.
    colour
        Whether fills are shown by terminal codes. They never say anything that the text does not.
    """
    write = printable if unicode else plain
    notes = list(drawing.notes)
    match drawing.board:
        case Grid():
            lines = list(grid_lines(drawing.board, unicode))
        case Graph():
            lines = [[(line, "")] for line in _tile_lines(drawing.board, write)]
            notes += _graph_notes(drawing.board)
    if drawing.tray is not None and drawing.tray.pieces:
        notes.append(_tray_note(drawing.tray))
    if lines and notes:
        lines.append([])
    lines += _note_lines(notes, write)
    return "".join(painted(line, colour) + "\n" for line in lines)


def _tile_lines(graph: Graph, write: Callable[[str], str]) -> Iterator[str]:
    """One line per tile: the nodes it lies on, and what it shows there."""
    pairs = [
        (
            write("─".join(graph.nodes[key].name for key in tile)),
            write("|".join(graph.nodes[key].text for key in tile)),
        )
        for tile in graph.tiles
    ]
    room = max((width(names) for names, _ in pairs), default=0)
    for names, texts in pairs:
        yield f"{ranged_left(names, room)}  {texts}"


def _graph_notes(graph: Graph) -> Iterator[Note]:
    """The values of nodes under no tile; without tiles the links too, and nodes that have neither."""
    covered: set[Hashable] = {key for tile in graph.tiles for key in tile}
    values = (node for key, node in graph.nodes.items() if node.text and key not in covered)
    words = tuple(f"{node.name}={node.text}" for node in values)
    if words:
        yield Note("values", words)
    if graph.links and not graph.tiles:
        names = {key: node.name for key, node in graph.nodes.items()}
        linked = {key for link in graph.links for key in (link.one, link.other)}
        pairs = [f"{names[link.one]}─{names[link.other]}" for link in graph.links]
        alone = [names[key] for key, node in graph.nodes.items() if key not in linked and not node.text]
        yield Note("links", tuple(pairs + alone))


def _tray_note(tray: Tray) -> Note:
    return Note(tray.head, tuple("-".join(piece) for piece in tray.pieces))


def _note_lines(notes: list[Note], write: Callable[[str], str]) -> Iterator[list[Span]]:
    room = max((width(write(note.head)) for note in notes), default=0)
    for note in notes:
        head = write(note.head)
        first = ranged_left(head, room) + ": " if head else ""
        lines = wrapped(first, tuple(write(word) for word in note.words), COLUMNS)
        for i, line in enumerate(lines):
            if i == 0 and note.fill:
                yield [(line[: len(head)], note.fill), (line[len(head) :], "")]
            else:
                yield [(line, "")]
