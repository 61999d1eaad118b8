"""Read and write colour grids and their fillings as files.

The file of a puzzle starts with the line ``colour grid``. An optional line lists the colours (``colours r
red, g green, b #3366ff``). It is needed to name colours, or if the clues do not mention all of them. Then
come the line ``rows`` and a line with the clue of every row, and the line ``columns`` and a line with the
clue of every column. A clue is the colours of the row or column without consecutive repeats (``rgb``), a
regular expression between slashes (``/r+(g|b)*/``), or ``-`` for no clue.

The file of a filling has the letters of each row on a line, or is JSON with ``grid``: a list of letters for
every row.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Mapping
from typing import Any

from milp_pips.problem.errors import InputError
from milp_pips.puzzles.colour_grid.puzzle import (
    NAMED_COLOURS,
    Clue,
    Colour,
    ColourGrid,
    Filling,
    Pattern,
    Stretches,
    automaton,
    check_clue,
)
from milp_pips.puzzles.drawn import Board, read_symbols
from milp_pips.puzzles.located import Line, Lines, is_json, quoted
from milp_pips.puzzles.regular_expressions import StepBudget

MOST_LINES = 200
"""The most rows, and the most columns. A file with more is noise or a mistake."""
NO_CLUE = "-"
CLUES = "colours such as rgb, an expression such as /r+(g|b)*/, or - for no clue"

_TITLE_LINE = re.compile(r"colou?r[ -]grid", re.IGNORECASE)
_COLOURS = re.compile(r"colou?rs\b:?(.*)", re.IGNORECASE)
_COLOUR = re.compile(r"([A-Za-z])(?:\s+(#[0-9a-fA-F]{6}|[A-Za-z]+))?")
_LETTERS = re.compile(r"[A-Za-z]+")


def read(text: str, file: str) -> Mapping[str, ColourGrid]:
    """Return the puzzle of a file. Its name is the file's stem. Raises InputError, which names the line."""
    lines = Lines(text, file)
    first = lines.required("its first line")
    if not _TITLE_LINE.fullmatch(first.text):
        raise first.fault(f"the first line is {quoted(first.text)}", "colour grid")
    line = lines.required('the line "rows"')
    colours = None
    if listed := _COLOURS.fullmatch(line.text):
        colours = _colours(line, listed[1])
        line = lines.required('the line "rows"')
    if not _is_heading(line, "rows"):
        raise line.fault(f"this is {quoted(line.text)}", "rows" if colours else "rows, or a list of colours")
    written = _clue_lines(lines)
    clues = {of: _clue(line, of) for of, line in written.items()}
    if colours is None:
        letters = "".join("".join(_LETTERS.findall(str(clue))) for clue in clues.values() if clue)
        if not letters:
            what = "no clue names a colour"
            raise lines.fault(what, 'a line such as "colours r red, g green" above the rows')
        colours = [Colour(letter) for letter in dict.fromkeys(letters)]
    rows, columns = (
        tuple(clue for of, clue in clues.items() if of.startswith(what)) for what in ("row", "column")
    )
    letters, budget = "".join(colour.letter for colour in colours), StepBudget()
    for of, clue in clues.items():
        try:
            if clue is not None:
                check_clue(clue, letters)
                automaton(clue, letters, budget)
        except InputError as error:
            raise written[of].fault(f"{of}: {error.what}", error.expected) from None
    return {"": ColourGrid(os.path.splitext(os.path.basename(file))[0], tuple(colours), rows, columns)}


def _clue_lines(lines: Lines) -> dict[str, Line]:
    """Return the line of each clue by its row or column, such as ``row 2``. Rows come first."""
    written: dict[str, Line] = {}
    what, count = "row", 0
    for line in lines:
        if what == "row" and _is_heading(line, "columns"):
            if not count:
                raise line.fault("the grid has no row", CLUES)
            what, count = "column", 0
            continue
        count += 1
        if count > MOST_LINES:
            raise line.fault(f"the grid has more than {MOST_LINES} {what}s")
        written[f"{what} {count}"] = line
    if what == "row":
        raise lines.fault('the file ends before the line "columns"')
    if not count:
        raise lines.fault("the file ends before the clue of column 1")
    return written


def _is_heading(line: Line, heading: str) -> bool:
    return line.text.lower() in (heading, f"{heading}:")


def _colours(line: Line, listed: str) -> list[Colour]:
    colours: list[Colour] = []
    for entry in map(str.strip, listed.split(",")):
        found = _COLOUR.fullmatch(entry)
        if found is None:
            raise line.fault(f"{quoted(entry)} is not a colour", "one letter and, if you like, a name: r red")
        letter, name = found[1], (found[2] or "").lower()
        if name and name[0] != "#" and name not in NAMED_COLOURS:
            raise line.fault(f"there is no colour {quoted(name)}", f"{', '.join(NAMED_COLOURS)}, or #rrggbb")
        if any(colour.letter == letter for colour in colours):
            raise line.fault(f"two colours have the letter {letter}")
        colours.append(Colour(letter, name))
    return colours


def _clue(line: Line, of: str) -> Clue | None:
    """Return the clue of a line, without comparing its letters with the colours."""
    text = "".join(line.words())
    if text == NO_CLUE:
        return None
    if text.startswith("/"):
        if len(text) < 2 or not text.endswith("/"):
            raise line.fault(f"{of}: the expression {quoted(text)} has no slash at its end")
        return Pattern(text[1:-1])
    if not _LETTERS.fullmatch(text):
        raise line.fault(f"{of} is {quoted(line.text)}", CLUES)
    return Stretches(text)


def write(puzzle: ColourGrid) -> str:
    """Return the text of a puzzle. Reading it gives an equal puzzle."""
    colours = ", ".join(f"{colour.letter} {colour.name}".strip() for colour in puzzle.colours)
    rows, columns = ([_clue_text(clue) for clue in clues] for clues in (puzzle.rows, puzzle.columns))
    return "\n".join(["colour grid", f"colours {colours}", "rows", *rows, "columns", *columns, ""])


def _clue_text(clue: Clue | None) -> str:
    text = NO_CLUE if clue is None else str(clue)
    # A clue may look like the heading "columns". Blanks tell it apart.
    return " ".join(text) if text.lower() == "columns" else text


def to_json(_puzzle: ColourGrid, filling: Filling) -> dict[str, Any]:
    """Return ``grid``, the letters of every row."""
    return {"grid": [list(row) for row in filling]}


def write_solution(_puzzle: ColourGrid, filling: Filling) -> str:
    """Return the text of a solution file: a line of letters for each row."""
    return "".join(f"{row}\n" for row in filling)


def read_solution(puzzle: ColourGrid, text: str, file: str) -> Filling:
    """Return the filling in a file, text or JSON, without checking the clues.

    Blanks between the letters of a text are ignored. Raises InputError, which names the line.
    """
    letters = [letter for letter, _ in _letters(puzzle, text, file).values()]
    width = len(puzzle.columns)
    return tuple("".join(letters[start : start + width]) for start in range(0, len(letters), width))


def read_board(puzzle: ColourGrid, text: str, file: str) -> dict[int, int]:
    """Return the colours of a partly filled grid, by variable as in ``encode``. Raises InputError."""
    found = enumerate(_letters(puzzle, text, file, partly=True).values())
    return {v: puzzle.letters.index(letter) for v, (letter, _) in found if letter}


def _letters(puzzle: ColourGrid, text: str, file: str, partly: bool = False) -> Board:
    if not is_json(text):
        text = text.replace(" ", "").replace("\t", "")
    return read_symbols(text, file, (len(puzzle.rows), len(puzzle.columns)), puzzle.letters, partly)
