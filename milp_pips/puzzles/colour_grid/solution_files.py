"""Fillings as files: the letters of every row on a line, or JSON with ``grid``, a list of letters per row."""

from __future__ import annotations

from milp_pips.puzzles.colour_grid.puzzle import ColourGrid, Filling
from milp_pips.puzzles.located_json import load
from milp_pips.puzzles.located_text import Lines, Place, quoted


def read(puzzle: ColourGrid, text: str, file: str = "") -> Filling:
    """Return the filling in a file, text or JSON; whether it obeys the clues is not judged here.

    Blanks between the letters of a text make no difference.

    Raises
    ------
    InputError
        The file cannot be read as a filling of this grid; the error names the line.
    """
    height = len(puzzle.rows)
    rows: list[str] = []
    if text.removeprefix("\ufeff").lstrip().startswith("{"):
        grid = load(text, file).member("grid", "the rows of the filling")
        for part in grid.elements(f"{height} rows", height):
            cells = part.elements("the letters of a row")
            rows.append(_row(puzzle, [cell.value for cell in cells], part, len(rows) + 1))
        return tuple(rows)
    lines = Lines(text, file)
    for line in lines:
        if len(rows) == height:
            raise line.fault(f"there is a row {height + 1}", f"{height} rows")
        rows.append(_row(puzzle, list("".join(line.words())), line, len(rows) + 1))
    if len(rows) < height:
        raise lines.fault(f"the filling ends after row {len(rows)}", f"{height} rows")
    return tuple(rows)


def _row(puzzle: ColourGrid, letters: list[object], place: Place, number: int) -> str:
    if len(letters) != len(puzzle.columns):
        raise place.fault(f"row {number} has {len(letters)} cells", str(len(puzzle.columns)))
    for column, letter in enumerate(letters, 1):
        if not isinstance(letter, str) or len(letter) != 1 or letter not in puzzle.letters:
            what = f"the colour of r{number}c{column} is {quoted(str(letter))}"
            raise place.fault(what, " or ".join(puzzle.letters))
    return "".join(map(str, letters))
