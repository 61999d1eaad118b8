"""Read and write Sudokus and their solutions as files.

The line ``sudoku`` and rows of givens are enough for an ordinary Sudoku. A file may have sections, which
begin with a keyword and come in any order. Only ``groups`` may occur more than once. Lines that begin with
``#`` are comments.

- ``boxes``: the numbers of rows and columns of a box, on the same line. The default on a board of nine rows
  is 3 and 3.
- ``regions``: rows of labels, for a jigsaw Sudoku. ``.`` is a cell in no region.
- ``diagonals``: both diagonals are groups.
- ``symbols``: the symbols of a row, each as often as it occurs there. The default is 1, 2, 3…
- ``givens``: rows of symbols. ``.`` or ``0`` is an empty cell. The keyword may be left out after the first
  line and after ``boxes``, ``diagonals`` and ``symbols``.
- ``cages``: rows of labels, then a line ``label sum`` for each cage. With ``cages with repeats``, a number
  may occur twice in a cage.
- ``groups``: rows of labels, then a line with label and symbols for each group whose symbols differ from
  those of a row.
- ``solution``: rows of symbols.

A row has one character per cell, or blanks between its cells. A board of givens or of the solution may be
written as a single line of characters. A solution file has the rows of the solution only. JSON has ``grid``:
the same rows, with numbers as numbers and other symbols as strings.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isqrt
from typing import Any

from milp_pips.puzzles.drawn import (
    EMPTY_CELL,
    LEAST_IN_A_LINE,
    Board,
    Section,
    cell_name,
    cells_of,
    is_spaced,
    marks_of,
    read_symbols,
    require_symbols,
    symbols_text,
    warn_of_separate_areas,
)
from milp_pips.puzzles.located import Line, Lines, quoted
from milp_pips.puzzles.sudoku.puzzle import (
    COMMENT,
    KEYWORDS,
    Cage,
    Group,
    Region,
    Rows,
    Sudoku,
    boxes,
    codes,
    number_of,
    usual_boxes,
    usual_symbols,
    why_unwritable,
)
from milp_pips.render.vocabulary import Place

FIRST_WORD = "sudoku"
ONE_LINE, OF_ROWS, LABELLED = (
    ("boxes", "diagonals", "symbols"),
    ("regions", "givens", "solution"),
    ("cages", "groups"),
)
"""The sections without lines below their keyword, with rows of a board alone, and with more lines below."""
LEAST_ROWS = 2
MAX_SUDOKU_ROWS = 100
"""The most rows, and columns, of a board. The largest Sudokus that people print are 100 × 100."""
DIAGONAL_LABELS = ("diagonal-down", "diagonal-up")
WITH_REPEATS = "with repeats"
MAX_CAGE_SUM = 999_999_999

_COMMENT_LINE = re.compile(f"^{re.escape(COMMENT)}.*")


def read(text: str, file: str) -> Mapping[str, Sudoku]:
    """Return the puzzle of a file. Its name is the file's stem.

    Regions, cages and groups are in the order in which they appear on the board. Raises InputError, which
    names the line.
    """
    sections = _sections_of(text, file)
    found = {section.keyword: section for section in sections}
    n = sections[0].height
    holds = _symbols(found["symbols"], n) if "symbols" in found else usual_symbols(n)
    regions = _regions(found.get("boxes"), found.get("regions"), n)
    cages, repeats = _cages(found["cages"], holds) if "cages" in found else ((), False)
    givens = (("",) * n,) * n
    if "givens" in found:
        board = found["givens"].last_board()
        blank = f"'{EMPTY_CELL}' for an empty cell"
        givens = _rows(require_symbols(board, holds, (EMPTY_CELL, "0"), blank), n)
    groups = tuple(_groups([section for section in sections if section.keyword == "groups"], holds))
    if "diagonals" in found:
        taken = {group.label for group in groups}.intersection(DIAGONAL_LABELS)
        if taken:
            what = f"there are diagonals, and a group {quoted(min(taken))}"
            raise found["diagonals"].header.fault(what, "another label for the group")
        down, up = ([(r, r) for r in range(n)], [(r, n - 1 - r) for r in range(n)])
        groups += tuple(Group(*one) for one in zip(DIAGONAL_LABELS, (tuple(down), tuple(up)), strict=True))
    solution = None
    if "solution" in found:
        solution = _rows(require_symbols(found["solution"].last_board(), holds), n)
    name = os.path.splitext(os.path.basename(file))[0]
    return {"": Sudoku(name, holds, givens, regions, cages, repeats, groups, solution)}


def _rows(board: Board, n: int) -> Rows:
    return tuple(tuple(board[r, c][0] for c in range(n)) for r in range(n))


# --------------------------------------------------------------------------------------------- sections


def _sections_of(text: str, file: str) -> list[Section]:
    """Return the sections of a file in order. Raises InputError.

    Rows after the first line of the file, or after a section of one line, are givens without their keyword.
    """
    lines = Lines(text, file, _COMMENT_LINE)
    first = lines.required(quoted(FIRST_WORD))
    if first.text.lower() != FIRST_WORD:
        raise first.fault(f"the first line is {quoted(first.text)}", quoted(FIRST_WORD))
    found: list[Section] = []
    for line in lines:
        word, *words = line.words()
        keyword = word.lower()
        if keyword in KEYWORDS:
            found.append(Section(keyword, line, words, [], keywords=KEYWORDS, labelled=keyword in LABELLED))
        elif found and found[-1].keyword not in ONE_LINE:
            found[-1].lines.append(line)
        else:
            found.append(Section("givens", line, [], [line], keywords=KEYWORDS))
    if not found:
        keywords = f"{', '.join(KEYWORDS[:-1])} or {KEYWORDS[-1]}"
        raise lines.fault("the file ends before the board", f"rows of givens, or a section: {keywords}")
    seen: dict[str, Section] = {}
    for section in found:
        before = seen.setdefault(section.keyword, section)
        if before is not section and section.keyword != "groups":
            what = f'there is a second section "{section.keyword}"'
            raise before.fault(section.header, what, f"only the one of line {before.header.number}")
        if section.keyword in (*OF_ROWS, "diagonals", "groups") and section.words:
            what = f'{quoted(" ".join(section.words))} follows "{section.keyword}"'
            expected = "nothing" if section.keyword == "diagonals" else "rows on the next lines"
            raise section.header.fault(what, expected)
    size, reason = _size_of(found)
    for section in found:
        section.height, section.width, section.reason = size, size, reason
    return found


def _size_of(found: Sequence[Section]) -> tuple[int, str]:
    """Return the size of the board, which the first row gives, and the reason for errors to state.

    Raises InputError if no row is drawn.
    """
    section = next((section for section in found if section.lines), None)
    if section is None:
        raise found[-1].header.fault("no row of the board is drawn", "rows of givens, '.' for an empty cell")
    first = section.lines[0]
    width = len(marks_of(first, is_spaced(first)))
    side = isqrt(width)
    in_a_line = len(section.lines) == 1 and not is_spaced(first) and width >= LEAST_IN_A_LINE
    if in_a_line and side * side == width and side <= MAX_SUDOKU_ROWS:
        return side, f"as line {first.number} holds {side} × {side} cells"
    if not LEAST_ROWS <= width <= MAX_SUDOKU_ROWS:
        what = f"row 1 of the {section.keyword} has {cells_of(width)}"
        raise section.fault(first, what, f"{LEAST_ROWS} to {MAX_SUDOKU_ROWS}")
    return width, f"as row 1 on line {first.number} has {width} cells"


def _areas(section: Section, connected: str = "") -> dict[str, tuple[Place, ...]]:
    """Return the cells with each label, in order. ``.`` is not a label. Raises InputError.

    ``connected`` is what has the label if its cells should be connected: if they are not, there is a warning.
    """
    found: dict[str, list[Place]] = {}
    board = section.board() if section.labelled else section.last_board()
    for place, (label, line) in board.items():
        if label != EMPTY_CELL:
            if label not in found and (reason := why_unwritable(label)):
                raise line.fault(reason)
            found.setdefault(label, []).append(place)
    if not found:
        raise section.end.fault(f"the {section.keyword} have no cell")
    if connected:
        lines = {row: line for (row, _), (_, line) in board.items() if isinstance(line, Line)}
        warn_of_separate_areas(found, lines, connected)
    return {label: tuple(cells) for label, cells in found.items()}


def _labelled_lines(
    section: Section, areas: Mapping[str, object], kind: str, what: str
) -> Iterator[tuple[str, list[str], Line]]:
    """Yield the label, the other words and the line below the rows. Raises InputError, also for a second one.

    ``kind`` is what has the label, such as ``cage``, and ``what`` is what the line gives.
    """
    seen: dict[str, Line] = {}
    for line in section.beyond:
        label, *words = line.words()
        name = f"{kind} {quoted(label)}"
        if label not in areas:
            raise section.fault(line, f"{name} has a {what}, but no cell on the board")
        if label in seen:
            raise line.fault(f"{name} has a second {what}", f"only the one on line {seen[label].number}")
        seen[label] = line
        yield label, words, line


# ------------------------------------------------------------------------------------------- their rules


def _symbols(section: Section, n: int) -> tuple[str, ...]:
    line, words = section.header, section.words
    symbols = tuple(words[0] if len(words) == 1 else words)
    for symbol in symbols:
        if reason := why_unwritable(symbol):
            raise line.fault(reason)
    if len(symbols) != n:
        raise line.fault(
            f"there are {len(symbols)} symbols for the {n} cells of a row",
            f"{n}, a symbol as often as a row holds it",
        )
    return symbols


def _regions(shape: Section | None, jigsaw: Section | None, n: int) -> tuple[Region, ...]:
    if shape is not None and jigsaw is not None:
        later = max(shape.header, jigsaw.header)
        raise later.fault("there are boxes and regions", "only one of them; other areas are groups")
    if jigsaw is not None:
        labelled = _areas(jigsaw, "region")
        for label, cells in labelled.items():
            if len(cells) != n:
                first = jigsaw.lines[cells[0][0]] if len(jigsaw.lines) > 1 else jigsaw.lines[0]
                raise first.fault(f"region {label} has {cells_of(len(cells))}", f"{n}, as many as a row")
        return tuple(Region(f"region {label}", cells) for label, cells in labelled.items())
    if shape is None:
        return boxes(n, *usual_boxes(n))
    line = shape.header
    if len(shape.words) != 2:
        what = f"the boxes are {quoted(' '.join(shape.words))}"
        raise line.fault(what, "the numbers of rows and columns of a box")
    height = line.integer(shape.words[0], "the number of rows of a box", 1, MAX_SUDOKU_ROWS)
    width = line.integer(shape.words[1], "the number of columns of a box", 1, MAX_SUDOKU_ROWS)
    if height * width != n:
        what = f"boxes of {height} × {width} have {cells_of(height * width)}"
        raise line.fault(what, f"{n}, as many as a row")
    return boxes(n, height, width)


def _cages(section: Section, holds: Sequence[str]) -> tuple[tuple[Cage, ...], bool]:
    """Return the cages, and whether a number may occur twice in a cage."""
    header, remark = section.header, " ".join(section.words)
    if remark.lower() not in ("", WITH_REPEATS):
        raise header.fault(f'{quoted(remark)} follows "cages"', f'nothing, or "{WITH_REPEATS}"')
    areas = _areas(section, "cage")
    for symbol in holds:
        if number_of(symbol) is None:
            raise header.fault(f"cages add up numbers, but the symbol {quoted(symbol)} is not a number")
    sums: dict[str, int] = {}
    for line in section.beyond:
        if len(line.words()) != 2:
            what = f"{quoted(line.text)} does not give the sum of a cage"
            raise section.fault(line, what, "the cage's label and its sum")
    for label, (total,), line in _labelled_lines(section, areas, "cage", "sum"):
        what = f"the sum of cage {quoted(label)}"
        sums[label] = line.integer(total, what, -MAX_CAGE_SUM, MAX_CAGE_SUM)
    if without := next((label for label in areas if label not in sums), None):
        expected = f"a line such as {quoted(f'{without} 15')}"
        raise section.end.fault(f"cage {quoted(without)} has no sum", expected)
    return tuple(Cage(label, cells, sums[label]) for label, cells in areas.items()), bool(remark)


def _groups(sections: Iterable[Section], holds: Sequence[str]) -> Iterator[Group]:
    begun: dict[str, Line] = {}
    for section in sections:
        areas, own = _areas(section), dict[str, tuple[str, ...]]()
        for label, words, line in _labelled_lines(section, areas, "group", "list of symbols"):
            cells = len(areas[label])
            own[label] = tuple(words[0]) if len(words) == 1 and len(words[0]) == cells else tuple(words)
            for symbol in own[label]:
                if symbol not in holds:
                    raise line.fault(f"group {quoted(label)} holds {quoted(symbol)}", symbols_text(holds))
            if len(own[label]) != cells:
                what = f"group {quoted(label)} holds {len(own[label])} symbols, but has {cells} cells"
                raise line.fault(what, f"{cells} symbols")
        for label, places in areas.items():
            if label in begun:
                where = f"another label than on the board below line {begun[label].number}"
                raise section.header.fault(f"there is a second group {quoted(label)}", where)
            begun[label] = section.header
            if label not in own and len(places) > section.width:
                raise section.end.fault(
                    f"group {quoted(label)} has {len(places)} cells, more than a row",
                    f"a line that begins with {quoted(label)} and lists its symbols",
                )
            yield Group(label, places, own.get(label))


# ------------------------------------------------------------------------------- writing, and solutions


def write(puzzle: Sudoku) -> str:
    """Return the text of a puzzle, with blanks between the cells.

    Reading it gives an equal puzzle if the regions, the cages and their cells are in the order in which they
    appear on the board. Regions are numbered if the format cannot represent their names.
    """
    n = puzzle.size
    text = f"{FIRST_WORD}\n{write_solution(puzzle, puzzle.givens)}"
    if puzzle.holds != usual_symbols(n):
        text += f"symbols {' '.join(puzzle.holds)}\n"
    shapes = ((height, n // height) for height in range(1, n + 1) if n % height == 0)
    shape = next((shape for shape in shapes if boxes(n, *shape) == puzzle.regions), None)
    if shape is None:
        labels = [region.name.removeprefix("region ") for region in puzzle.regions]
        if any(map(why_unwritable, labels)) or any(not r.name.startswith("region ") for r in puzzle.regions):
            labels = [str(number) for number in range(1, len(labels) + 1)]
        text += "regions\n" + _areas_text(n, zip(labels, (r.cells for r in puzzle.regions), strict=True))
    elif shape != usual_boxes(n):
        text += f"boxes {shape[0]} {shape[1]}\n"
    if puzzle.cages:
        text += f"cages {WITH_REPEATS}\n" if puzzle.repeats else "cages\n"
        text += _areas_text(n, ((cage.label, cage.cells) for cage in puzzle.cages))
        text += "".join(f"{cage.label} {cage.total}\n" for cage in puzzle.cages)
    for group in puzzle.groups:
        text += "groups\n" + _areas_text(n, [(group.label, group.cells)])
        if group.holds is not None:
            text += f"{group.label} {' '.join(group.holds)}\n"
    if puzzle.published is not None:
        text += f"solution\n{write_solution(puzzle, puzzle.published)}"
    return text


def _areas_text(size: int, labelled: Iterable[tuple[str, Sequence[Place]]]) -> str:
    label_of = {place: label for label, cells in labelled for place in cells}
    return "".join(
        " ".join(label_of.get((r, c), EMPTY_CELL) for c in range(size)) + "\n" for r in range(size)
    )


def write_solution(_puzzle: Sudoku, solution: Rows) -> str:
    """Return the text of a solution file: rows with blanks between the cells."""
    return "".join(" ".join(symbol or EMPTY_CELL for symbol in row) + "\n" for row in solution)


def to_json(_puzzle: Sudoku, solution: Rows) -> dict[str, Any]:
    """Return ``grid``: rows of numbers, or strings for other symbols, or null for no symbol."""
    numbers = {symbol: number_of(symbol) for row in solution for symbol in row}
    written = {symbol: symbol or None if number is None else number for symbol, number in numbers.items()}
    return {"grid": [[written[symbol] for symbol in row] for row in solution]}


def read_solution(puzzle: Sudoku, text: str, file: str) -> Rows:
    """Return the solution in a file, text or JSON, without checking the rules.

    Raises InputError, which names the line.
    """
    return _rows(read_symbols(text, file, (puzzle.size, puzzle.size), puzzle.holds), puzzle.size)


def read_board(puzzle: Sudoku, text: str, file: str) -> dict[int, int]:
    """Return the symbols of a partly filled board, by variable as in ``encode``.

    A given may be open. Raises InputError, also if the file has another symbol in place of a given.
    """
    n, code, filled = puzzle.size, codes(puzzle.holds), dict[int, int]()
    for (r, c), (symbol, where) in read_symbols(text, file, (n, n), puzzle.holds, partly=True).items():
        given = puzzle.givens[r][c]
        if given and symbol and symbol != given:
            raise where.fault(f"{cell_name((r, c))} is {symbol}, but {given} is given there")
        if symbol:
            filled[n * r + c] = code[symbol]
    return filled
