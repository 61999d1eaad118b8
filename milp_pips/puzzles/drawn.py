"""Boards whose cells hold symbols, drawn in files: a line for each row of marks, or JSON.

A row of text has one character per cell, or blanks between its cells. A board may be written as a single line
of characters. JSON has ``grid``: the same rows, with numbers as numbers and other symbols as strings; or
``values``: the symbols by the name of the cell.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from milp_pips.problem.errors import InputError
from milp_pips.puzzles.located import Line, Lines, Located, Part, board_rows, is_json, load, quoted
from milp_pips.render.vocabulary import Place, connected_parts

EMPTY_CELL, OPEN_CELL = ".", "?"
"""The mark of an empty cell, and of a cell that the player has not filled yet."""
OPEN_CELLS = (EMPTY_CELL, OPEN_CELL, "0")
LEAST_IN_A_LINE = 16
"""The fewest cells of a board in one line. A line with fewer cells is a row of a larger board."""

Board: TypeAlias = dict[Place, tuple[str, Located]]
"""The mark or the symbol in each cell, and its place in the file."""


def warn_of_separate_areas(
    areas: Mapping[str, Iterable[Place]], lines: Mapping[int, Line], kind: str
) -> None:
    """Warn of each label whose cells are not connected: it may have been meant for two regions.

    ``lines`` are those of the rows, and ``kind`` is what has the label, such as ``region``.
    """
    for label, cells in areas.items():
        first, *others = connected_parts(sorted(cells))
        if others:
            where = " and ".join(cell_name(part[0]) for part in (first, *others))
            what = f"{kind} {quoted(label)} has {1 + len(others)} separate areas, at {where}"
            fault = lines[others[0][0][0]].fault(what, f"a label of its own for each {kind}")
            warnings.warn(str(fault), stacklevel=2)


@dataclass(slots=True)
class Section:
    """A section of a file: its keyword, its first line, the words after the keyword, and the lines below.

    ``height`` and ``width`` are the size of the board, and ``reason`` states its source in errors. They are
    set once the whole file has been read. ``keywords`` are those of all sections, and ``labelled`` is whether
    lines that begin with a label of the board follow its rows.
    """

    keyword: str
    header: Line
    words: list[str]
    lines: list[Line]
    height: int = 0
    width: int = 0
    reason: str = ""
    keywords: Collection[str] = ()
    labelled: bool = False

    @property
    def end(self) -> Line:
        """The last line of the section."""
        return self.lines[-1] if self.lines else self.header

    @property
    def beyond(self) -> list[Line]:
        """The lines after the rows of the board."""
        return self.lines[self.height :] if len(self.lines) > 1 else []

    def fault(self, line: Line, what: str, expected: str = "") -> InputError:
        """Return the error for a line, or for a line of the section that starts with a misspelt keyword."""
        from difflib import get_close_matches  # only if something is wrong

        for other in self.lines:
            word = other.words()[0].lower()
            if len(word) > 2 and word.isalpha() and (near := get_close_matches(word, self.keywords, 1)):
                return other.fault(f"{quoted(other.words()[0])} begins no section", near[0])
        return line.fault(what, expected)

    def board(self) -> Board:
        """Return the mark at each place of the board, and its line.

        The first row decides whether the board has one character per cell, or blanks between the cells. The
        caller handles the lines after the last row. Raises InputError if the number of rows, or of cells in a
        row, is wrong.
        """
        lines, height, width = self.lines, self.height, self.width
        if not lines:
            raise self.header.fault(f'no row follows "{self.keyword}"', self._rows)
        spaced = is_spaced(lines[0])
        if len(lines) == 1 and height > 1 and not spaced:
            marks = marks_of(lines[0], spaced)
            if len(marks) == height * width >= LEAST_IN_A_LINE:
                return {divmod(i, width): (mark, lines[0]) for i, mark in enumerate(marks)}
        found: Board = {}
        for row in range(height):
            if row >= len(lines):
                raise self.fault(self.end, self._ends_after(row), self._rows)
            marks = marks_of(lines[row], spaced)
            if len(marks) != width or (not spaced and is_spaced(lines[row])):
                raise self._misdrawn_fault(row, spaced, labels={mark for mark, _ in found.values()})
            found |= {(row, column): (mark, lines[row]) for column, mark in enumerate(marks)}
        return found

    def _misdrawn_fault(self, row: int, spaced: bool, labels: Collection[str]) -> InputError:
        """Return the error for a line that does not fit the rows of the board above it."""
        line = self.lines[row]
        if self.labelled and line.words()[0] in labels:  # a line that belongs after the rows
            return self.fault(line, self._ends_after(row), self._rows)
        if not spaced and is_spaced(line):
            what = f"row {row + 1} of the {self.keyword} has blanks, row 1 has none"
            return self.fault(line, what, "one character per cell, or blanks between all of them")
        what = f"row {row + 1} of the {self.keyword} has {cells_of(len(marks_of(line, spaced)))}"
        return self.fault(line, what, f"{self.width}, {self.reason}")

    @property
    def _rows(self) -> str:
        return f"{self.height} rows, {self.reason}"

    def _ends_after(self, rows: int) -> str:
        return f"the {self.keyword} {'ends' if self.keyword == 'solution' else 'end'} after row {rows}"

    def last_board(self) -> Board:
        """Return the marks as ``board`` does. Raises InputError if more lines follow."""
        found = self.board()
        for line in self.beyond:
            goes = "goes" if self.keyword == "solution" else "go"
            what = f"the {self.keyword} {goes} on after row {self.height}: {quoted(line.text)}"
            raise self.fault(line, what, self._rows)
        return found


def read_symbols(
    text: str, file: str, size: tuple[int, int], symbols: Sequence[str], partly: bool = False
) -> Board:
    """Return the symbols on a board of this height and width, in a file of text or JSON. Raises InputError.

    If ``partly``, a cell may be open: its mark is ``?``, ``.``, ``0`` or null, and its symbol is empty.
    """
    if is_json(text):
        rows = board_rows(load(text, file), *size)
        board: Board = {
            (r, c): (_mark(cell), cell) for r, row in enumerate(rows) for c, cell in enumerate(row)
        }
    else:
        lines = list(Lines(text, file))
        reason = "as many as the board has"
        board = Section("solution", Line(1, "", file), [], lines, *size, reason).last_board()
    if partly:
        return require_symbols(board, symbols, OPEN_CELLS, f"'{OPEN_CELL}' for an open cell")
    return require_symbols(board, symbols)


def require_symbols(
    board: Board, symbols: Sequence[str], empty: Collection[str] = (), blank: str = ""
) -> Board:
    """Return the board with an empty string for the marks in ``empty``. Raises InputError for other marks.

    ``blank`` describes the mark of an empty cell for errors.
    """
    known, found = set(symbols), dict(board)
    for place, (mark, where) in board.items():
        if mark in known:
            continue
        if mark not in empty:
            shown = where.shown if isinstance(where, Part) else quoted(mark)
            what = "has no symbol" if mark in OPEN_CELLS and not empty else f"is {shown}"
            expected = symbols_text(symbols) + (f", or {blank}" if blank else "")
            raise where.fault(f"{cell_name(place)} {what}", expected)
        found[place] = "", where
    return found


def _mark(cell: Part) -> str:
    """Return the mark in a cell of JSON: a string, or a number as one; ``.`` for null."""
    if cell.value is None:
        return EMPTY_CELL
    return str(cell.value) if type(cell.value) in (str, int) else ""


def is_spaced(row: Line) -> bool:
    """Return whether blanks separate the cells of the row."""
    return len(row.words()) > 1


def marks_of(line: Line, spaced: bool) -> list[str]:
    """Return the marks in a row. ``…`` counts as three dots, since some editors replace them."""
    return line.words() if spaced else list("".join(line.words()).replace("…", 3 * EMPTY_CELL))


def cells_of(number: int) -> str:
    """Return a number of cells in words, such as ``1 cell``."""
    return f"{number} cell{'' if number == 1 else 's'}"


def cell_name(place: Place) -> str:
    """Return a cell's name for people: ``r1c2``, counted from 1."""
    return f"r{place[0] + 1}c{place[1] + 1}"


def symbols_text(symbols: Sequence[str]) -> str:
    """Return the symbols as an error names them: ``1 to 9``, or ``1, 2, 3 or π``."""
    different = list(dict.fromkeys(symbols))
    if len(different) > 2 and different == [str(number) for number in range(1, len(different) + 1)]:
        return f"1 to {len(different)}"
    if len(different) > 20:
        different[19:-1] = ["…"]
    return " or ".join(filter(None, [", ".join(different[:-1]), different[-1]]))
