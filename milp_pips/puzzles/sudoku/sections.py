"""The parts of a Sudoku file: sections that begin with a keyword, and the boards drawn in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt

from milp_pips.problem.errors import InputError
from milp_pips.puzzles.located import Line, Lines, quoted
from milp_pips.puzzles.sudoku.puzzle import COMMENT, EMPTY, KEYWORDS, Place, unwritable

FIRST_WORD = "sudoku"
ONE_LINE = ("boxes", "symbols")
"""Sections without lines below their keyword."""
LEAST_ROWS = 2
MAX_SUDOKU_ROWS = 100
"""Rows, and columns, of a board: a Sudoku of 100 × 100 is the largest that people print."""
LEAST_IN_A_LINE = 16
"""Cells of a board that may be written in one line: fewer are a row of a larger board."""


@dataclass(slots=True)
class Section:
    """A section of a file: its keyword, the line that begins it, the words there, and the lines below.

    Rows that follow the first line of the file, or a section of one line, are its givens without the keyword.
    The size of the board, and what says so, for the text of an error, are known once the whole file has been
    looked at.
    """

    keyword: str
    header: Line
    words: list[str]
    lines: list[Line]
    size: int = 0
    reason: str = ""

    @property
    def expected_rows(self) -> str:
        """What is expected where rows are missing, or too many."""
        return f"{self.size} rows, {self.reason}"

    @property
    def end(self) -> Line:
        """The last line."""
        return self.lines[-1] if self.lines else self.header

    @property
    def beyond(self) -> list[Line]:
        """The lines that follow the rows of the board."""
        return self.lines[self.size :] if len(self.lines) > 1 else []

    def fault(self, line: Line, what: str, expected: str = "") -> InputError:
        """Return the error that says what is wrong with a line, or that it was meant to begin a section."""
        from difflib import get_close_matches  # only if something is wrong

        for other in self.lines:
            word = other.words()[0].lower()
            if len(word) > 2 and word.isalpha() and (near := get_close_matches(word, KEYWORDS, 1)):
                return other.fault(f"{quoted(other.words()[0])} begins no section", near[0])
        return line.fault(what, expected)

    def require_end(self) -> None:
        """Raise InputError if the section goes on after the rows of the board."""
        for line in self.beyond:
            goes = "goes" if self.keyword == "solution" else "go"
            what = f"the {self.keyword} {goes} on after row {self.size}: {quoted(line.text)}"
            raise self.fault(line, what, self.expected_rows)

    def board(self) -> dict[Place, tuple[str, Line]]:
        """Return what is drawn at each place of the board, and on which line.

        The board is drawn with one character per cell, or with blanks between the cells, as its first row is.
        Lines that follow its last row are left to the caller. Raises InputError where the board is not as
        many rows of as many cells as it should be.
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
                raise self._misdrawn(row, spaced, labels={mark for mark, _ in found.values()})
            found |= {(row, column): (mark, lines[row]) for column, mark in enumerate(marks)}
        return found

    def areas(self) -> dict[str, tuple[Place, ...]]:
        """Return the cells that bear each label, in order; ``.`` is none. Raises InputError."""
        found: dict[str, list[Place]] = {}
        for place, (label, line) in self.board().items():
            if label != EMPTY:
                if label not in found and (reason := unwritable(label)):
                    raise line.fault(reason)
                found.setdefault(label, []).append(place)
        if not found:
            raise self.end.fault(f"the {self.keyword} have no cell")
        return {label: tuple(cells) for label, cells in found.items()}

    def _misdrawn(self, row: int, spaced: bool, labels: set[str]) -> InputError:
        """Return the error for a line that is no row of the board like the rows before it."""
        line, name = self.lines[row], self.keyword
        if name in ("cages", "groups") and line.words()[0] in labels:  # what follows the rows comes early
            return self.fault(line, self._ends_after(row), self.expected_rows)
        if not spaced and _is_spaced(line):
            what = f"row {row + 1} of the {name} has blanks, row 1 has none"
            return self.fault(line, what, "one character per cell, or blanks between all of them")
        what = f"row {row + 1} of the {name} has {cells_of(len(_marks(line, spaced)))}"
        return self.fault(line, what, f"{self.size}, {self.reason}")

    def _ends_after(self, rows: int) -> str:
        return f"the {self.keyword} {'ends' if self.keyword == 'solution' else 'end'} after row {rows}"


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
    """Return so many cells in words."""
    return f"{number} cell{'' if number == 1 else 's'}"


def _size_of(found: Sequence[Section]) -> tuple[int, str]:
    """Return the size of the board, that of the first row drawn, and what says so.

    Raises InputError where no row is drawn.
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
    """Whether the cells of the row are parted by blanks."""
    return len(row.words()) > 1


def _marks(line: Line, spaced: bool) -> list[str]:
    """Return what is drawn in a row; a single ``…``, as some editors make, stands for three dots."""
    return line.words() if spaced else list("".join(line.words()).replace("…", 3 * EMPTY))


def _side_of_one_line(line: Line) -> int:
    """Return the number of rows of a board whose cells are written in this one line; 0 if it is a row."""
    cells = len(_marks(line, spaced=False))
    side = isqrt(cells)
    is_board = (
        not _is_spaced(line) and side * side == cells and LEAST_IN_A_LINE <= cells <= MAX_SUDOKU_ROWS**2
    )
    return side if is_board else 0
