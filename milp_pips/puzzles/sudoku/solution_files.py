"""Solutions as files and as JSON.

A solution file holds the board's rows, with one character per cell or blanks between the cells. JSON holds
``grid``: the same rows, numbers as numbers and other symbols as texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from milp_pips.puzzles.located_json import Part, load
from milp_pips.puzzles.located_text import Line, Lines
from milp_pips.puzzles.sudoku.puzzle import Rows, Sudoku, cell_name
from milp_pips.puzzles.sudoku.sections import Section, Size
from milp_pips.puzzles.sudoku.symbols import listed, number_of
from milp_pips.puzzles.sudoku.text import symbols_drawn
from milp_pips.puzzles.sudoku.writing import rows_text

if TYPE_CHECKING:
    from collections.abc import Sequence


def to_json(solution: Rows) -> dict[str, Any]:
    """Return ``grid``; null where there is no symbol."""
    return {"grid": [[_spoken(symbol) for symbol in row] for row in solution]}


def write(solution: Rows) -> str:
    """Return the text of a solution file, with blanks between the cells."""
    return "".join(f"{line}\n" for line in rows_text(solution))


def read(puzzle: Sudoku, text: str, file: str = "") -> Rows:
    """Return the solution in a file, text or JSON; whether it is right is not judged here.

    Raises
    ------
    InputError
        The file cannot be read as a solution of this board; the error names the line.
    """
    if text.removeprefix("\ufeff").lstrip().startswith("{"):
        return _read_json(puzzle, load(text, file))
    lines = list(Lines(text, file))
    section = Section("solution", Line(1, "", file), [], lines)
    size = Size(puzzle.size, "as many as the board has")
    return symbols_drawn(section, size, puzzle.holds, complete=True)


def _read_json(puzzle: Sudoku, document: Part) -> Rows:
    n = puzzle.size
    rows = document.member("grid", "the rows of the solution").elements(f"{n} rows", n)
    cells = [row.elements(f"{n} cells", n) for row in rows]
    return tuple(
        tuple(_symbol(part, cell_name((r, c)), puzzle.holds) for c, part in enumerate(row))
        for r, row in enumerate(cells)
    )


def _symbol(part: Part, cell: str, holds: Sequence[str]) -> str:
    value = part.value
    symbol = str(value) if type(value) is int else value
    if not isinstance(symbol, str) or symbol not in holds:
        raise part.fault(f"{cell} is {part.shown}", listed(holds))
    return symbol


def _spoken(symbol: str) -> int | str | None:
    number = number_of(symbol)
    return number if number is not None else symbol or None
