"""The text format, read: the word ``sudoku``, then rows of givens and sections that begin with a keyword.

``sudoku`` and rows of givens alone are an ordinary Sudoku. Sections come in any order, each once at most but
for ``groups``. Lines that begin with ``#`` are comments.

- ``boxes`` and the numbers of rows and columns of a box; on a board of nine rows 3 and 3 if nothing is said;
- ``regions``: rows of labels, for a jigsaw Sudoku; ``.`` for a cell in no region;
- ``symbols``: what a row holds, a symbol as often as it occurs there; 1, 2, 3… if nothing is said;
- ``givens``: rows of symbols, ``.`` or ``0`` for an empty cell; the keyword may be left out where no other
  section would go on;
- ``cages``: rows of labels, then a line ``label sum`` for each cage; ``cages with repeats`` if a number may
  occur twice in a cage;
- ``groups``: rows of labels, then, where a group does not hold what a row holds, its label and its symbols;
- ``solution``: rows of symbols.

A row is written with one character per cell, or with blanks between the cells. A board of givens or of the
solution may stand in a single line of characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from milp_pips.puzzles.located_text import Line, quoted
from milp_pips.puzzles.sudoku.limits import LARGEST_SUM, MOST_ROWS
from milp_pips.puzzles.sudoku.puzzle import (
    Cage,
    Group,
    Region,
    Rows,
    Sudoku,
    boxes,
    cell_name,
    usual_boxes,
)
from milp_pips.puzzles.sudoku.sections import (
    WITH_REPEATS,
    Section,
    Size,
    areas,
    beyond,
    drawn,
    ended,
    sections_of,
    size_of,
)
from milp_pips.puzzles.sudoku.symbols import EMPTY, listed, number_of, unwritable, usual_symbols


def read(text: str, file: str, name: str) -> Sudoku:
    """Return the puzzle; its regions, cages and groups in the order in which they appear on the board.

    Raises
    ------
    InputError
        The text is no puzzle; the error names the line.
    """
    found = sections_of(text, file)
    size = size_of(found)
    by_keyword = {section.keyword: section for section in found}
    holds = _symbols(by_keyword.get("symbols"), size)
    regions = _regions(by_keyword.get("boxes"), by_keyword.get("regions"), size)
    givens, solution = by_keyword.get("givens"), by_keyword.get("solution")
    cages, repeats = _cages(by_keyword.get("cages"), size, holds)
    return Sudoku(
        name,
        holds,
        symbols_drawn(givens, size, holds) if givens else ((("",) * size.number,) * size.number),
        regions,
        cages,
        repeats,
        _groups([section for section in found if section.keyword == "groups"], size, holds),
        symbols_drawn(solution, size, holds, complete=True) if solution else None,
    )


def symbols_drawn(section: Section, size: Size, holds: Sequence[str], complete: bool = False) -> Rows:
    """Return the symbols drawn in a section of rows; ``complete`` where no cell may be empty.

    Raises
    ------
    InputError
        The rows are not those of the board, or hold what is no symbol.
    """
    n, known = size.number, set(holds)
    empty = {EMPTY, "0"} - known
    board = drawn(section, size)
    ended(section, size)
    for place, (mark, line) in board.items():
        if mark in empty and complete:
            raise line.fault(f"{cell_name(place)} has no symbol", listed(holds))
        if mark not in known and mark not in empty:
            expected = listed(holds) + ("" if complete else f", or '{EMPTY}' for an empty cell")
            raise line.fault(f"{cell_name(place)} is {quoted(mark)}", expected)
    return tuple(tuple("" if board[r, c][0] in empty else board[r, c][0] for c in range(n)) for r in range(n))


def _symbols(section: Section | None, size: Size) -> tuple[str, ...]:
    if section is None:
        return usual_symbols(size.number)
    line, words = section.header, section.words
    symbols = tuple(words[0] if len(words) == 1 else words)
    for symbol in symbols:
        if reason := unwritable(symbol):
            raise line.fault(reason)
    if len(symbols) != size.number:
        raise line.fault(
            f"there are {len(symbols)} symbols for the {size.number} cells of a row",
            f"{size.number}, a symbol as often as a row holds it",
        )
    return symbols


def _regions(shape: Section | None, jigsaw: Section | None, size: Size) -> tuple[Region, ...]:
    n = size.number
    if shape is not None and jigsaw is not None:
        later = max(shape.header, jigsaw.header)
        raise later.fault("there are boxes and regions", "only one of them; other areas are groups")
    if jigsaw is not None:
        labelled = areas(jigsaw, size)
        ended(jigsaw, size)
        for label, cells in labelled.items():
            if len(cells) != n:
                first = jigsaw.lines[cells[0][0]] if len(jigsaw.lines) > 1 else jigsaw.lines[0]
                raise first.fault(
                    f"region {label} has {len(cells)} cell{'' if len(cells) == 1 else 's'}",
                    f"{n}, as many as a row",
                )
        return tuple(Region(f"region {label}", tuple(cells)) for label, cells in labelled.items())
    if shape is None:
        return boxes(n, *usual_boxes(n))
    header = shape.header
    if len(shape.words) != 2:
        raise header.fault(
            f"the boxes are {quoted(' '.join(shape.words))}", "the numbers of rows and columns of a box"
        )
    what = ("the number of rows of a box", "the number of columns of a box")
    height, width = (header.integer(w, t, 1, MOST_ROWS) for w, t in zip(shape.words, what, strict=True))
    if height * width != n:
        raise header.fault(
            f"boxes of {height} × {width} have {height * width} cell{'' if height * width == 1 else 's'}",
            f"{n}, as many as a row",
        )
    return boxes(n, height, width)


def _cages(section: Section | None, size: Size, holds: Sequence[str]) -> tuple[tuple[Cage, ...], bool]:
    if section is None:
        return (), False
    header = section.header
    remark = " ".join(section.words).lower()
    if remark not in ("", WITH_REPEATS):
        raise header.fault(
            f'{quoted(" ".join(section.words))} follows "cages"', f'nothing, or "{WITH_REPEATS}"'
        )
    labelled = areas(section, size)
    for symbol in holds:
        if number_of(symbol) is None:
            raise header.fault(f"cages add up numbers, but the symbol {quoted(symbol)} is none")
    sums: dict[str, tuple[int, Line]] = {}
    for line in beyond(section, size):
        label, *words = line.words()
        if len(words) != 1:
            raise section.fault(
                line, f"{quoted(line.text)} is no sum of a cage", "the cage's label and its sum"
            )
        if label not in labelled:
            raise section.fault(line, f"cage {quoted(label)} has a sum, but no cell on the board")
        if label in sums:
            what = f"cage {quoted(label)} has a second sum"
            raise line.fault(what, f"only the one on line {sums[label][1].number}")
        total = line.integer(words[0], f"the sum of cage {quoted(label)}", -LARGEST_SUM, LARGEST_SUM)
        sums[label] = total, line
    for label in labelled:
        if label not in sums:
            raise section.end.fault(
                f"cage {quoted(label)} has no sum", f"a line such as {quoted(f'{label} 15')}"
            )
    cages = tuple(Cage(label, tuple(cells), sums[label][0]) for label, cells in labelled.items())
    return cages, remark == WITH_REPEATS


def _groups(found: Iterable[Section], size: Size, holds: Sequence[str]) -> tuple[Group, ...]:
    groups: list[Group] = []
    begun: dict[str, Section] = {}
    for section in found:
        labelled = areas(section, size)
        own: dict[str, tuple[str, ...]] = {}
        for line in beyond(section, size):
            label, symbols = _held(section, line, labelled, holds)
            if label in own:
                raise line.fault(f"group {quoted(label)} has a second list of symbols")
            own[label] = symbols
        for label, cells in labelled.items():
            if label in begun:
                where = f"another label than on the board below line {begun[label].header.number}"
                raise section.header.fault(f"there is a second group {quoted(label)}", where)
            begun[label] = section
            if label not in own and len(cells) > size.number:
                raise section.end.fault(
                    f"group {quoted(label)} has {len(cells)} cells, more than a row",
                    f"a line that begins with {quoted(label)} and lists its symbols",
                )
            groups.append(Group(label, tuple(cells), own.get(label)))
    return tuple(groups)


def _held(
    section: Section, line: Line, labelled: dict[str, list[tuple[int, int]]], holds: Sequence[str]
) -> tuple[str, tuple[str, ...]]:
    label, *words = line.words()
    if label not in labelled:
        raise section.fault(line, f"group {quoted(label)} has symbols, but no cell on the board")
    cells = len(labelled[label])
    symbols = tuple(words[0]) if len(words) == 1 and len(words[0]) == cells else tuple(words)
    for symbol in symbols:
        if symbol not in holds:
            raise line.fault(f"group {quoted(label)} holds {quoted(symbol)}", listed(holds))
    if len(symbols) != cells:
        raise line.fault(
            f"group {quoted(label)} holds {len(symbols)} symbols, but has {cells} cells", f"{cells} symbols"
        )
    return label, symbols
