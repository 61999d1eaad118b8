"""Sheets of puzzles for printing: SVG pages in black and white, and answers apart from the puzzles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from milp_pips.render.colours import is_grey
from milp_pips.render.markup import DARK, MIDDLE, PAPER, Figure, element, point, rect, write
from milp_pips.render.svg import document, figure
from milp_pips.render.text import printable, width
from milp_pips.render.vocabulary import Clues, Drawing, Graph, Grid

SIZES = {"a4": (793.7, 1122.5), "letter": (816.0, 1056.0)}
"""Width and height of a sheet, in pixels of 1/96 inch."""

SHEET_MARGIN = 48.0
"""Pixels to the sides of a sheet: 12.7 mm, which every printer can print."""

PUZZLE_GAP = 26.0
"""Pixels between two puzzles of a sheet."""

HEADING = 22.0
"""Pixels of the line above a puzzle."""

MOST_SCALE = 1.7
"""The scale of small boards: a square has 22 mm, enough to write in."""

ANSWER_SCALE = 0.5
"""The scale of answers: a square has 6 mm."""

LEAST_WIDTH = 130.0
"""Pixels of an answer's title."""

UPSIDE_DOWN_SHARE = 0.24
"""The part of a puzzle's room that its answer takes at the bottom."""

HATCHES = (
    (8, "M-2 2L2 -2M0 8L8 0M6 10L10 6", 1.0),
    (8, "M-2 6L2 10M0 0L8 8M6 -2L10 2", 1.0),
    (7, "M0 3.5H7", 1.0),
    (7, "M3.5 0V7", 1.0),
    (9, "M4.5 4.4V4.6", 2.6),
    (10, "M0 5H10M5 0V10", 0.8),
    (10, "M0 10L10 0M0 0L10 10", 0.8),
    (12, "M-3 3L3 -3M0 12L12 0M9 15L15 9", 3.0),
    (12, "M-3 9L3 15M0 0L12 12M9 -3L15 3", 3.0),
    (12, "M0 6H12", 3.0),
    (12, "M6 0V12", 3.0),
    (8, "M2 2V6", 1.2),
)
"""Patterns for areas: the side of the tile, the path in it, and its width. Neighbours differ most."""


_DEFINITIONS = "".join(
    f'<pattern id="hatch{k}" width="{side}" height="{side}" patternUnits="userSpaceOnUse">'
    + rect(0, 0, side, side, fill=PAPER)
    + element("path", d=path, stroke="#8d8d8d", stroke_width=thick, fill="none", stroke_linecap="square")
    + "</pattern>"
    for k, (side, path, thick) in enumerate(HATCHES)
)


class Entry(NamedTuple):
    """A puzzle of a book, with its answer if there is one to print."""

    title: str
    puzzle: Drawing
    answer: Drawing | None = None


class Room(NamedTuple):
    """A rectangle on a sheet."""

    x: float
    y: float
    width: float
    height: float


def to_sheets(
    entries: Sequence[Entry], size: str = "a4", per_sheet: int = 1, *, upside_down: bool = False
) -> list[str]:
    """Return the SVG documents of all sheets: one or four puzzles on each, the answers on the last.

    Areas are hatched, not coloured. If ``upside_down``, each answer is below its puzzle instead.
    """
    named = [
        _in_black_and_white(entry)._replace(title=f"{number}. {printable(entry.title)}")
        for number, entry in enumerate(entries, 1)
    ]
    across = 1 if per_sheet == 1 else 2
    pages: list[list[str]] = []
    for first in range(0, len(named), per_sheet):
        rooms = _rooms(size, across, across)
        together = zip(named[first : first + per_sheet], rooms, strict=False)
        pages.append([part for entry, room in together for part in _puzzle(entry, room, upside_down)])
    if not upside_down:
        pages += _answers(size, named)
    return [_page(size, number, elements) for number, elements in enumerate(pages, 1)]


def _page(size: str, number: int, elements: list[str]) -> str:
    """Return the document of a sheet, on white paper, with its number at the bottom."""
    wide, high = SIZES[size]
    head = [
        f"<title>Sheet {number}</title>",
        f"<defs>{_DEFINITIONS}</defs>",
        rect(0, 0, wide, high, fill=PAPER),
    ]
    foot = write(wide / 2, high - SHEET_MARGIN / 2, str(number), 11, fill=MIDDLE)
    return document(head, Figure([*elements, foot], wide, high))


def _rooms(size: str, across: int, down: int) -> Iterator[Room]:
    """Yield the rooms of a sheet, row by row."""
    wide, high = SIZES[size]
    width = (wide - 2 * SHEET_MARGIN - (across - 1) * PUZZLE_GAP) / across
    height = (high - 2 * SHEET_MARGIN - (down - 1) * PUZZLE_GAP) / down
    for row in range(down):
        for column in range(across):
            yield Room(
                SHEET_MARGIN + column * (width + PUZZLE_GAP),
                SHEET_MARGIN + row * (height + PUZZLE_GAP),
                width,
                height,
            )


def _puzzle(entry: Entry, room: Room, upside_down: bool) -> Iterator[str]:
    """Yield a puzzle below its title, and its answer below it if that is printed upside down."""
    below = room.height * UPSIDE_DOWN_SHARE if upside_down and entry.answer else 0.0
    yield from _title(entry.title, room)
    board = Room(room.x, room.y + HEADING, room.width, room.height - HEADING - below)
    yield from _fit(figure(entry.puzzle), board, MOST_SCALE)
    if below and entry.answer:
        at = Room(room.x, room.y + room.height - below, room.width, below)
        yield f'<g transform="translate({point(2 * at.x + at.width, 2 * at.y + at.height)}) rotate(180)">'
        yield from _fit(figure(entry.answer), at, ANSWER_SCALE)
        yield "</g>"


def _answers(size: str, entries: Sequence[Entry]) -> Iterator[list[str]]:
    """Yield the sheets of answers, in rows from left to right, all at one scale unless one is too wide."""
    wide, high = SIZES[size]
    sheet: list[str] = []
    x = y = row = 0.0
    for entry in entries:
        if entry.answer is None:
            continue
        each = figure(entry.answer)
        most = Room(0, 0, wide - 2 * SHEET_MARGIN, high - 2 * SHEET_MARGIN - 2 * HEADING)
        scale = min(ANSWER_SCALE, _scale(each, most))
        room = Room(x, y, max(scale * each.width, LEAST_WIDTH), scale * each.height + HEADING)
        if x + room.width > wide - SHEET_MARGIN:
            x, y, row = SHEET_MARGIN, y + row + PUZZLE_GAP / 2, 0.0
        if not sheet or y + room.height > high - SHEET_MARGIN:
            if sheet:
                yield sheet
            sheet = [_words("Answers", SHEET_MARGIN, SHEET_MARGIN, 18)]
            x, y, row = SHEET_MARGIN, SHEET_MARGIN + 1.5 * HEADING, 0.0
        sheet += _title(entry.title, room._replace(x=x, y=y), 11)
        sheet += _fit(each, room._replace(x=x, y=y + HEADING, height=room.height - HEADING), scale)
        x, row = x + room.width + PUZZLE_GAP, max(row, room.height)
    if sheet:
        yield sheet


def _title(title: str, room: Room, size: float = 14) -> Iterator[str]:
    longest = int(room.width / (0.64 * size))
    shown = title if width(title) <= longest else f"{title[: longest - 1]}…"
    yield _words(shown, room.x, room.y + 6, size)


def _words(text: str, x: float, y: float, size: float) -> str:
    return write(x, y, text, size, text_anchor="start", font_weight="bold", fill=DARK)


def _scale(each: Figure, room: Room) -> float:
    """Return the scale at which the figure fills the room."""
    return min(room.width / max(each.width, 1), room.height / max(each.height, 1))


def _fit(each: Figure, room: Room, most: float) -> Iterator[str]:
    """Yield the figure at the top of the room, in its middle, as large as it fits."""
    scale = min(_scale(each, room), most)
    corner = point(room.x + (room.width - scale * each.width) / 2, room.y)
    yield f'<g transform="translate({corner}) scale({scale:.3f})">'
    yield from each.elements
    yield "</g>"


def _in_black_and_white(entry: Entry) -> Entry:
    """Return the entry with a pattern for each colour that a note explains. Greys stay, other colours go."""
    explained = dict.fromkeys(note.fill for note in entry.puzzle.notes if not is_grey(note.fill or PAPER))
    patterns = {fill: f"url(#hatch{k % len(HATCHES)})" for k, fill in enumerate(explained)}

    def plain(fill: str) -> str:
        return patterns.get(fill) or (fill if fill and is_grey(fill) else "")

    def clues(side: Clues) -> Clues:  # in items this small, letters are easier to read without a pattern
        return {
            line: tuple(item._replace(fill=item.fill * is_grey(item.fill or PAPER)) for item in items)
            for line, items in side.items()
        }

    def redraw(drawing: Drawing) -> Drawing:
        board = drawing.board
        if isinstance(board, Grid):
            board = board._replace(
                squares={
                    place: each._replace(fill=plain(each.fill)) for place, each in board.squares.items()
                },
                left=clues(board.left),
                right=clues(board.right),
                above=clues(board.above),
                below=clues(board.below),
            )
        elif isinstance(board, Graph):
            nodes = {
                key: node._replace(fills=tuple(filter(None, map(plain, node.fills))))
                for key, node in board.nodes.items()
            }
            board = board._replace(nodes=nodes)
        notes = tuple(note._replace(fill=plain(note.fill)) for note in drawing.notes)
        return drawing._replace(board=board, notes=notes)

    # The puzzle shows the notes and the pieces already, so its answer does not.
    answer = entry.answer and redraw(entry.answer)._replace(notes=(), tray=None)
    return entry._replace(puzzle=redraw(entry.puzzle), answer=answer)
