"""Split a Sudoku file into sections that begin with a keyword, and read the boards drawn in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt

from milp_pips.problem.errors import InputError
from milp_pips.puzzles.located import Line, Lines, quoted
from milp_pips.puzzles.sudoku.puzzle import COMMENT, EMPTY_CELL, KEYWORDS, Place, why_unwritable

FIRST_WORD = "sudoku"
ONE_LINE = ("boxes", "symbols")
"""The sections that have no lines below their keyword."""
LEAST_ROWS = 2
MAX_SUDOKU_ROWS = 100
"""The most rows, and columns, of a board. The largest Sudokus that people print are 100 × 100."""
LEAST_IN_A_LINE = 16
"""The fewest cells of a board in one line. A line with fewer cells is a row of a larger board."""


@dataclass(slots=True)
class Section:
    """A section of a file: its keyword, its first line, the words after the keyword, and the lines below.

    Rows after the first line of the file, or after a section of one line, are givens without their keyword.
    ``size`` is the size of the board, and ``reason`` states its source in errors. Both are set once the whole
    file has been read.
    """

    keyword: str
    header: Line
    words: list[str]
    lines: list[Line]
    size: int = 0
    reason: str = ""

    @property
    def expected_rows(self) -> str:
        """The expected rows, for errors about missing or surplus rows."""
        return f"{self.size} rows, {self.reason}"

    @property
    def end(self) -> Line:
        """The last line of the section."""
        return self.lines[-1] if self.lines else self.header

    @property
    def beyond(self) -> list[Line]:
        """The lines after the rows of the board."""
        return self.lines[self.size :] if len(self.lines) > 1 else []

    def fault(self, line: Line, what: str, expected: str = "") -> InputError:
        """Return the error for a line, or for a line of the section that starts with a misspelt keyword."""
        from difflib import get_close_matches  # only if something is wrong

        for other in self.lines:
            word = other.words()[0].lower()
            if len(word) > 2 and word.isalpha() and (near := get_close_matches(word, KEYWORDS, 1)):
                return other.fault(f"{quoted(other.words()[0])} begins no section", near[0])
        return line.fault(what, expected)

    def require_end(self) -> None:
        """Raise InputError if the section has lines after the rows of the board."""
        for line in self.beyond:
            goes = "goes" if self.keyword == "solution" else "go"
            what = f"the {self.keyword} {goes} on after row {self.size}: {quoted(line.text)}"
            raise self.fault(line, what, self.expected_rows)

    def board(self) -> dict[Place, tuple[str, Line]]:
        """Return the mark at each place of the board, and its line.

        The first row decides whether the board has one character per cell, or blanks between the cells. The
        caller handles the lines after the last row. Raises InputError if the number of rows, or of cells in a
        row, is wrong.
        """
        n, lines = self.size, self.lines
        if not lines:
            raise self.header.fault(f'no row follows "{self.keyword}"', self.expected_rows)
        if len(lines) == 1 and _side_of_one_line(lines[0]) == n:
            return {divmod(i, n): (mark, lines[0]) for i, mark in enumerate(_marks(lines[0], spaced=False))}
        spaced = _is_spaced(lines[0])
        found: dict[Place, tuple[str, Line]] = {}
        for row in range(n):
            if row >= len(lines):
                raise self.fault(self.end, self._ends_after(row), self.expected_rows)
            marks = _marks(lines[row], spaced)
            if len(marks) != n or (not spaced and _is_spaced(lines[row])):
                raise self._misdrawn_fault(row, spaced, labels={mark for mark, _ in found.values()})
            found |= {(row, column): (mark, lines[row]) for column, mark in enumerate(marks)}
        return found

    def areas(self) -> dict[str, tuple[Place, ...]]:
        """Return the cells with each label, in order. ``.`` is not a label. Raises InputError."""
        found: dict[str, list[Place]] = {}
        for place, (label, line) in self.board().items():
            if label != EMPTY_CELL:
                if label not in found and (reason := why_unwritable(label)):
                    raise line.fault(reason)
                found.setdefault(label, []).append(place)
        if not found:
            raise self.end.fault(f"the {self.keyword} have no cell")
        return {label: tuple(cells) for label, cells in found.items()}

    def _misdrawn_fault(self, row: int, spaced: bool, labels: set[str]) -> InputError:
        """Return the error for a line that does not fit the rows of the board above it."""
        line, name = self.lines[row], self.keyword
        if name in ("cages", "groups") and line.words()[0] in labels:  # a line that belongs after the rows
            return self.fault(line, self._ends_after(row), self.expected_rows)
        if not spaced and _is_spaced(line):
            what = f"row {row + 1} of the {name} has blanks, row 1 has none"
            return self.fault(line, what, "one character per cell, or blanks between all of them")
        what = f"row {row + 1} of the {name} has {cells_of(len(_marks(line, spaced)))}"
        return self.fault(line, what, f"{self.size}, {self.reason}")

    def _ends_after(self, rows: int) -> str:
        return f"the {self.keyword} {'ends' if self.keyword == 'solution' else 'end'} after row {rows}"


def sections_of(text: str, file: str) -> list[Section]:
    """Return the sections of a file in order, without comments. Raises InputError."""
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
            found.append(Section(keyword.lower(), line, words, []))
        elif found and found[-1].keyword not in ONE_LINE:
            found[-1].lines.append(line)
        else:
            found.append(Section("givens", line, [], [line]))
    if not found:
        keywords = f"{', '.join(KEYWORDS[:-1])} or {KEYWORDS[-1]}"
        raise lines.fault("the file ends before the board", f"rows of givens, or a section: {keywords}")
    seen: dict[str, Section] = {}
    for section in found:
        before = seen.setdefault(section.keyword, section)
        if before is not section and section.keyword != "groups":
            what = f'there is a second section "{section.keyword}"'
            raise before.fault(section.header, what, f"only the one of line {before.header.number}")
        if section.keyword in ("regions", "givens", "groups", "solution") and section.words:
            what = f'{quoted(" ".join(section.words))} follows "{section.keyword}"'
            raise section.header.fault(what, "rows on the next lines")
    size, reason = _size_of(found)
    for section in found:
        section.size, section.reason = size, reason
    return found


def cells_of(number: int) -> str:
    """Return a number of cells in words, such as ``1 cell``."""
    return f"{number} cell{'' if number == 1 else 's'}"


def _size_of(found: Sequence[Section]) -> tuple[int, str]:
    """Return the size of the board, which the first row gives, and the reason for errors to state.

    Raises InputError if no row is drawn.
    """
    section = next((section for section in found if section.lines), None)
    if section is None:
        raise found[-1].header.fault("no row of the board is drawn", "rows of givens, '.' for an empty cell")
    first = section.lines[0]
    if len(section.lines) == 1 and (side := _side_of_one_line(first)):
        return side, f"as line {first.number} holds {side} × {side} cells"
    width = len(_marks(first, _is_spaced(first)))
    if not LEAST_ROWS <= width <= MAX_SUDOKU_ROWS:
        what = f"row 1 of the {section.keyword} has {cells_of(width)}"
        raise section.fault(first, what, f"{LEAST_ROWS} to {MAX_SUDOKU_ROWS}")
    return width, f"as row 1 on line {first.number} has {width} cells"


def _is_spaced(row: Line) -> bool:
    """Return whether blanks separate the cells of the row."""
    return len(row.words()) > 1


def _marks(line: Line, spaced: bool) -> list[str]:
    """Return the marks in a row. ``…`` counts as three dots, since some editors replace them."""
    return line.words() if spaced else list("".join(line.words()).replace("…", 3 * EMPTY_CELL))


def _side_of_one_line(line: Line) -> int:
    """Return the number of rows of a board that is written in this one line, or 0 if the line is a row."""
    cells = len(_marks(line, spaced=False))
    side = isqrt(cells)
    is_board = (
        not _is_spaced(line) and side * side == cells and LEAST_IN_A_LINE <= cells <= MAX_SUDOKU_ROWS**2
    )
    return side if is_board else 0
