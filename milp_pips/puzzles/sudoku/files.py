"""Read and write Sudokus and their solutions as files.

The line ``sudoku`` and rows of givens are enough for an ordinary Sudoku. A file may have sections, which
begin with a keyword and come in any order. Only ``groups`` may occur more than once. Lines that begin with
``#`` are comments.

- ``boxes``: the numbers of rows and columns of a box, on the same line. The default on a board of nine rows
  is 3 and 3.
- ``regions``: rows of labels, for a jigsaw Sudoku. ``.`` is a cell in no region.
- ``symbols``: the symbols of a row, each as often as it occurs there. The default is 1, 2, 3…
- ``givens``: rows of symbols. ``.`` or ``0`` is an empty cell. The keyword may be left out after the first
  line and after ``boxes`` and ``symbols``.
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
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from milp_pips.puzzles.located import Line, Lines, Located, Part, board_rows, load, quoted
from milp_pips.puzzles.sudoku.puzzle import (
    EMPTY_CELL,
    Cage,
    Group,
    Place,
    Region,
    Rows,
    Sudoku,
    boxes,
    cell_name,
    codes,
    number_of,
    symbols_text,
    usual_boxes,
    usual_symbols,
    why_unwritable,
)
from milp_pips.puzzles.sudoku.sections import FIRST_WORD, MAX_SUDOKU_ROWS, Section, cells_of, sections_of

WITH_REPEATS = "with repeats"
MAX_CAGE_SUM = 999_999_999
OPEN_CELL = "?"
"""The mark of a cell that the player has not filled yet."""


def read(text: str, file: str) -> Mapping[str, Sudoku]:
    """Return the puzzle of a file. Its name is the file's stem.

    Regions, cages and groups are in the order in which they appear on the board. Raises InputError, which
    names the line.
    """
    sections = sections_of(text, file)
    found = {section.keyword: section for section in sections}
    n = sections[0].size
    holds = _symbols(found["symbols"], n) if "symbols" in found else usual_symbols(n)
    regions = _regions(found.get("boxes"), found.get("regions"), n)
    cages, repeats = _cages(found["cages"], holds) if "cages" in found else ((), False)
    givens = _rows(found["givens"], holds) if "givens" in found else (("",) * n,) * n
    groups = _groups([section for section in sections if section.keyword == "groups"], holds)
    solution = _rows(found["solution"], holds, complete=True) if "solution" in found else None
    name = os.path.splitext(os.path.basename(file))[0]
    return {"": Sudoku(name, holds, givens, regions, cages, repeats, groups, solution)}


def _rows(section: Section, holds: Sequence[str], complete: bool = False, open_too: bool = False) -> Rows:
    """Return the symbols drawn in a section of rows.

    With ``complete``, no cell may be empty. With ``open_too``, ``?`` is an empty cell as well.
    """
    n, known = section.size, set(holds)
    empty = ({EMPTY_CELL, "0", OPEN_CELL} if open_too else {EMPTY_CELL, "0"}) - known
    board = section.board()
    section.require_end()
    for place, (mark, line) in board.items():
        if mark in empty and complete:
            raise line.fault(f"{cell_name(place)} has no symbol", symbols_text(holds))
        if mark not in known and mark not in empty:
            blank = (
                f", or '{OPEN_CELL}' for an open cell"
                if open_too
                else f", or '{EMPTY_CELL}' for an empty cell"
            )
            expected = symbols_text(holds) + ("" if complete else blank)
            raise line.fault(f"{cell_name(place)} is {quoted(mark)}", expected)
    return tuple(tuple("" if board[r, c][0] in empty else board[r, c][0] for c in range(n)) for r in range(n))


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
        labelled = jigsaw.areas()
        jigsaw.require_end()
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
    labelled = section.areas()
    for symbol in holds:
        if number_of(symbol) is None:
            raise header.fault(f"cages add up numbers, but the symbol {quoted(symbol)} is not a number")
    sums: dict[str, tuple[int, Line]] = {}
    for line in section.beyond:
        label, *words = line.words()
        if len(words) != 1:
            what = f"{quoted(line.text)} does not give the sum of a cage"
            raise section.fault(line, what, "the cage's label and its sum")
        if label not in labelled:
            raise section.fault(line, f"cage {quoted(label)} has a sum, but no cell on the board")
        if label in sums:
            what = f"cage {quoted(label)} has a second sum"
            raise line.fault(what, f"only the one on line {sums[label][1].number}")
        total = line.integer(words[0], f"the sum of cage {quoted(label)}", -MAX_CAGE_SUM, MAX_CAGE_SUM)
        sums[label] = total, line
    for label in labelled:
        if label not in sums:
            what = f"cage {quoted(label)} has no sum"
            raise section.end.fault(what, f"a line such as {quoted(f'{label} 15')}")
    cages = tuple(Cage(label, cells, sums[label][0]) for label, cells in labelled.items())
    return cages, bool(remark)


def _groups(sections: Iterable[Section], holds: Sequence[str]) -> tuple[Group, ...]:
    groups: list[Group] = []
    begun: dict[str, Line] = {}
    for section in sections:
        labelled = section.areas()
        own: dict[str, tuple[str, ...]] = {}
        for line in section.beyond:
            label, symbols = _read_group(section, line, labelled, holds)
            if label in own:
                raise line.fault(f"group {quoted(label)} has a second list of symbols")
            own[label] = symbols
        for label, cells in labelled.items():
            if label in begun:
                where = f"another label than on the board below line {begun[label].number}"
                raise section.header.fault(f"there is a second group {quoted(label)}", where)
            begun[label] = section.header
            if label not in own and len(cells) > section.size:
                raise section.end.fault(
                    f"group {quoted(label)} has {len(cells)} cells, more than a row",
                    f"a line that begins with {quoted(label)} and lists its symbols",
                )
            groups.append(Group(label, cells, own.get(label)))
    return tuple(groups)


def _read_group(
    section: Section, line: Line, labelled: Mapping[str, Sequence[Place]], holds: Sequence[str]
) -> tuple[str, tuple[str, ...]]:
    """Return the label of a group and its symbols from a line."""
    label, *words = line.words()
    if label not in labelled:
        raise section.fault(line, f"group {quoted(label)} has symbols, but no cell on the board")
    cells = len(labelled[label])
    symbols = tuple(words[0]) if len(words) == 1 and len(words[0]) == cells else tuple(words)
    for symbol in symbols:
        if symbol not in holds:
            raise line.fault(f"group {quoted(label)} holds {quoted(symbol)}", symbols_text(holds))
    if len(symbols) != cells:
        what = f"group {quoted(label)} holds {len(symbols)} symbols, but has {cells} cells"
        raise line.fault(what, f"{cells} symbols")
    return label, symbols


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
    n = puzzle.size
    if not _is_json(text):
        return _rows(_only_section(text, file, n), puzzle.holds, complete=True)
    return tuple(
        tuple(_json_symbol(cell, (r, c), puzzle.holds) for c, cell in enumerate(row))
        for r, row in enumerate(board_rows(load(text, file), n, n))
    )


def read_board(puzzle: Sudoku, text: str, file: str) -> dict[int, int]:
    """Return the symbols of a partly filled board, by variable as in ``encode``.

    An open cell is ``?``, ``.`` or ``0``, in JSON null. A given may be open in the file. Raises InputError,
    also if the file has another symbol in place of a given.
    """
    n, code, filled = puzzle.size, codes(puzzle.holds), dict[int, int]()
    found: dict[Place, tuple[str, Located]] = {}
    if _is_json(text):
        for r, row in enumerate(board_rows(load(text, file), n, n)):
            for c, cell in enumerate(row):
                symbol = "" if cell.value is None else _json_symbol(cell, (r, c), puzzle.holds)
                found[r, c] = symbol, cell
    else:
        section = _only_section(text, file, n)
        rows = _rows(section, puzzle.holds, open_too=True)
        found = {(r, c): (rows[r][c], line) for (r, c), (_, line) in section.board().items()}
    for (r, c), (symbol, where) in found.items():
        given = puzzle.givens[r][c]
        if given and symbol and symbol != given:
            raise where.fault(f"{cell_name((r, c))} is {symbol}, but {given} is given there")
        if symbol:
            filled[n * r + c] = code[symbol]
    return filled


def _is_json(text: str) -> bool:
    return text.removeprefix("\ufeff").lstrip().startswith("{")


def _only_section(text: str, file: str, n: int) -> Section:
    """Return the rows of a file that has nothing else, as a section. Raises InputError."""
    reason = "as many as the board has"
    return Section("solution", Line(1, "", file), [], list(Lines(text, file)), n, reason)


def _json_symbol(part: Part, cell: Place, holds: Sequence[str]) -> str:
    symbol = str(part.value) if type(part.value) is int else part.value
    if not isinstance(symbol, str) or symbol not in holds:
        raise part.fault(f"{cell_name(cell)} is {part.shown}", symbols_text(holds))
    return symbol
