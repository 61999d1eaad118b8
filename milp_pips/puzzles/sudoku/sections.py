"""The parts of a Sudoku file: sections that begin with a keyword, and the boards drawn in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isqrt
from typing import NamedTuple

from milp_pips.errors import InputError
from milp_pips.puzzles.located_text import Line, Lines, quoted
from milp_pips.puzzles.sudoku.limits import LEAST_ROWS, MOST_ROWS
from milp_pips.puzzles.sudoku.puzzle import Place
from milp_pips.puzzles.sudoku.symbols import COMMENT, EMPTY, KEYWORDS, unwritable

FIRST_WORD = "sudoku"
WITH_REPEATS = "with repeats"
SECTIONS = ", ".join(KEYWORDS[:-1]) + f" or {KEYWORDS[-1]}"
ONE_LINE = ("boxes", "symbols")
"""Sections without lines below their keyword."""
LEAST_IN_A_LINE = 16
"""Cells of a board that may be written in one line: fewer are a row of a larger board."""


@dataclass(slots=True)
class Section:
    """A section of a file: its keyword, the line that begins it, the words there, and the lines below.

    Rows that follow the first line of the file, or a section of one line, are its givens without the keyword.
    """

    keyword: str
    header: Line
    words: list[str]
    lines: list[Line] = field(default_factory=list)

    @property
    def end(self) -> Line:
        """The last line."""
        return self.lines[-1] if self.lines else self.header

    def fault(self, line: Line, what: str, expected: str = "") -> InputError:
        """Return the error that says what is wrong with a line, or that it was meant to begin a section."""
        from difflib import get_close_matches  # only if something is wrong

        for other in self.lines:
            word = other.words()[0].lower()
            if len(word) > 2 and word.isalpha() and (near := get_close_matches(word, KEYWORDS, 1)):
                return other.fault(f"{quoted(other.words()[0])} begins no section", near[0])
        return line.fault(what, expected)


class Size(NamedTuple):
    """The number of rows and columns, and what says so, for the text of an error."""

    number: int
    reason: str


def sections_of(text: str, file: str) -> list[Section]:
    """Return the sections of a file, in order, without its comments. Raises InputError."""
    lines = Lines(text, file)
    first = lines.required(quoted(FIRST_WORD))
    if first.text.lower() != FIRST_WORD:
        raise first.fault(f"the first line is {quoted(first.text)}", quoted(FIRST_WORD))
    found: list[Section] = []
    for line in lines:
        if line.text.startswith(COMMENT):
            continue
        keyword, *words = line.words()
        if keyword.lower() in KEYWORDS:
            found.append(Section(keyword.lower(), line, words))
        elif found and found[-1].keyword not in ONE_LINE:
            found[-1].lines.append(line)
        else:
            found.append(Section("givens", line, [], [line]))
    if not found:
        raise lines.fault("the file ends before the board", f"rows of givens, or a section: {SECTIONS}")
    seen: dict[str, Section] = {}
    for section in found:
        before = seen.setdefault(section.keyword, section)
        if before is not section and section.keyword != "groups":
            what = f'there is a second section "{section.keyword}"'
            raise before.fault(section.header, what, f"only the one of line {before.header.number}")
        if section.keyword in ("regions", "givens", "groups", "solution") and section.words:
            what = f'{quoted(" ".join(section.words))} follows "{section.keyword}"'
            raise section.header.fault(what, "rows on the next lines")
    return found


def size_of(found: Sequence[Section]) -> Size:
    """Return the size of the board: that of the first row drawn. Raises InputError where none is."""
    for section in found:
        if section.lines:
            first = section.lines[0]
            if len(section.lines) == 1 and (side := _side_of_one_line(first)):
                return Size(side, f"as line {first.number} holds {side} × {side} cells")
            width = len(marks_of(first, is_spaced(section.lines)))
            if not LEAST_ROWS <= width <= MOST_ROWS:
                what = f"row 1 of the {section.keyword} has {width} cell{'' if width == 1 else 's'}"
                raise section.fault(first, what, f"{LEAST_ROWS} to {MOST_ROWS}")
            return Size(width, f"as row 1 on line {first.number} has {width} cells")
    last = found[-1].header
    raise last.fault("no row of the board is drawn", "rows of givens, '.' for an empty cell")


def drawn(section: Section, size: Size) -> dict[Place, tuple[str, Line]]:
    """Return what is drawn at each place of the board, and on which line.

    The board is drawn with one character per cell, or with blanks between the cells, as its first row is.
    Lines that follow its last row are left to the caller.

    Raises
    ------
    InputError
        The board is not as many rows of as many cells as it should be.
    """
    n, lines, name = size.number, section.lines, section.keyword
    if not lines:
        raise section.header.fault(f'no row follows "{name}"', f"{n} rows, {size.reason}")
    if len(lines) == 1 and _side_of_one_line(lines[0]) == n:
        marks = marks_of(lines[0], spaced=False)
        return {(i // n, i % n): (mark, lines[0]) for i, mark in enumerate(marks)}
    spaced = is_spaced(lines)
    board: dict[Place, tuple[str, Line]] = {}
    for row in range(n):
        if row >= len(lines):
            raise section.fault(section.end, _ends(name, row), f"{n} rows, {size.reason}")
        marks = marks_of(lines[row], spaced)
        if len(marks) != n or (not spaced and is_spaced(lines[row:])):
            raise _misdrawn(section, size, row, {mark for mark, _ in board.values()})
        board.update({(row, column): (mark, lines[row]) for column, mark in enumerate(marks)})
    return board


def beyond(section: Section, size: Size) -> list[Line]:
    """Return the lines that follow the rows of the board."""
    return section.lines[size.number :] if len(section.lines) > 1 else []


def ended(section: Section, size: Size) -> None:
    """Raise InputError if the section goes on after the rows of the board."""
    for line in beyond(section, size):
        goes = "goes" if section.keyword == "solution" else "go"
        what = f"the {section.keyword} {goes} on after row {size.number}: {quoted(line.text)}"
        raise section.fault(line, what, f"{size.number} rows, {size.reason}")


def areas(section: Section, size: Size) -> dict[str, list[Place]]:
    """Return the cells that bear each label, in order; ``.`` is none. Raises InputError."""
    found: dict[str, list[Place]] = {}
    for place, (label, line) in drawn(section, size).items():
        if label != EMPTY:
            if label not in found and (reason := unwritable(label)):
                raise line.fault(reason)
            found.setdefault(label, []).append(place)
    if not found:
        raise section.end.fault(f"the {section.keyword} have no cell")
    return found


def is_spaced(lines: Sequence[Line]) -> bool:
    """Whether the cells of the board are parted by blanks."""
    return len(lines[0].words()) > 1


def marks_of(line: Line, spaced: bool) -> list[str]:
    """Return what is drawn in a row; a single ``…``, as some editors make, stands for three dots."""
    return line.words() if spaced else list("".join(line.words()).replace("…", 3 * EMPTY))


def _side_of_one_line(line: Line) -> int:
    """Return the number of rows of a board whose cells are written in this one line; 0 if it is a row."""
    cells = len(marks_of(line, spaced=False))
    side = isqrt(cells)
    is_board = not is_spaced([line]) and side * side == cells and LEAST_IN_A_LINE <= cells <= MOST_ROWS**2
    return side if is_board else 0


def _misdrawn(section: Section, size: Size, row: int, labels: set[str]) -> InputError:
    """Return the error for a line that is no row of the board like the rows before it."""
    line, name = section.lines[row], section.keyword
    spaced, words = is_spaced(section.lines), line.words()
    if name in ("cages", "groups") and words[0] in labels:  # what follows the rows comes early
        return section.fault(line, _ends(name, row), f"{size.number} rows, {size.reason}")
    if not spaced and len(words) > 1:
        what = f"row {row + 1} of the {name} has blanks, row 1 has none"
        return section.fault(line, what, "one character per cell, or blanks between all of them")
    cells = len(marks_of(line, spaced))
    what = f"row {row + 1} of the {name} has {cells} cell{'' if cells == 1 else 's'}"
    return section.fault(line, what, f"{size.number}, {size.reason}")


def _ends(name: str, rows: int) -> str:
    return f"the {name} {'ends' if name == 'solution' else 'end'} after row {rows}"
