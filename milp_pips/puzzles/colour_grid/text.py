"""The text format of colour grids.

The words ``colour grid``; then, if they are to have names or more of them than the clues name, the colours
(``colours r red, g green, b #3366ff``); then ``rows`` and the clue of every row on a line, ``columns`` and
that of every column. A clue is the colours of the line without consecutive repeats (``rgb``), a regular
expression between slashes (``/r+(g|b)*/``), or ``-`` for none.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from milp_pips.errors import InputError
from milp_pips.puzzles.colour_grid.limits import MOST_LINES
from milp_pips.puzzles.colour_grid.palette import NAMED
from milp_pips.puzzles.colour_grid.puzzle import Clue, Colour, ColourGrid, Pattern, Stretches, automaton
from milp_pips.puzzles.located_text import Line, Lines, quoted

NO_CLUE = "-"
CLUES = "colours such as rgb, an expression such as /r+(g|b)*/, or - for no clue"

_FIRST_LINE = re.compile(r"colou?r[ -]grid", re.IGNORECASE)
_COLOURS = re.compile(r"colou?rs\b:?(.*)", re.IGNORECASE)
_COLOUR = re.compile(r"([A-Za-z])(?:\s+(#[0-9a-fA-F]{6}|[A-Za-z]+))?")
_LETTERS = re.compile(r"[A-Za-z]+")
_LETTER = re.compile(r"[A-Za-z]")


class _Written(NamedTuple):
    """A clue as it stands in the file: its line, and what the line is the clue of."""

    line: Line
    of: str


def read(text: str, file: str, name: str) -> ColourGrid:
    """Return the puzzle.

    Raises
    ------
    InputError
        The text is no puzzle; the error names the line.
    """
    lines = Lines(text, file)
    first = lines.required("its first line")
    if not _FIRST_LINE.fullmatch(first.text):
        raise first.fault(f"the first line is {quoted(first.text)}", "colour grid")
    line = lines.required('the line "rows"')
    colours = None
    if listed := _COLOURS.fullmatch(line.text):
        colours = _colours(line, listed[1])
        line = lines.required('the line "rows"')
    if not _is_heading(line, "rows"):
        raise line.fault(f"this is {quoted(line.text)}", "rows" if colours else "rows, or a list of colours")
    written = _written_clues(lines)
    rows, columns = (
        [_clue(*one) for one in written if one.of.startswith(what)] for what in ("row", "column")
    )
    if colours is None:
        letters = "".join(_LETTER.findall("".join(str(clue) for clue in (*rows, *columns) if clue)))
        if not letters:
            what = "no clue names a colour"
            raise lines.fault(what, 'a line such as "colours r red, g green" above the rows')
        colours = [Colour(letter) for letter in dict.fromkeys(letters)]
    puzzle = ColourGrid(name, tuple(colours), tuple(rows), tuple(columns))
    for clue, (line, of) in zip((*rows, *columns), written, strict=True):
        if clue is not None:
            _check(clue, line, of, puzzle.letters)
    return puzzle


def write(puzzle: ColourGrid) -> str:
    """Return the text of a puzzle; reading it gives an equal one."""
    colours = ", ".join(f"{colour.letter} {colour.name}".strip() for colour in puzzle.colours)
    rows = [_shown(clue) for clue in puzzle.rows]
    columns = [_shown(clue) for clue in puzzle.columns]
    return "".join(
        f"{line}\n" for line in ("colour grid", f"colours {colours}", "rows", *rows, "columns", *columns)
    )


def _shown(clue: Clue | None) -> str:
    if clue is None:
        return NO_CLUE
    # A clue may read like the heading of the columns, which has no blanks.
    return " ".join(str(clue)) if str(clue).lower() == "columns" else str(clue)


def _written_clues(lines: Lines) -> list[_Written]:
    """Return the clues of the rows, then those of the columns."""
    written: list[_Written] = []
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
        written.append(_Written(line, f"{what} {count}"))
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
            raise line.fault(f"a colour is {quoted(entry)}", "one letter and, if you like, a name: r red")
        letter, name = found[1], (found[2] or "").lower()
        if name and name[0] != "#" and name not in NAMED:
            raise line.fault(f"there is no colour {quoted(name)}", f"{', '.join(NAMED)}, or #rrggbb")
        if any(colour.letter == letter for colour in colours):
            raise line.fault(f"two colours have the letter {letter}")
        colours.append(Colour(letter, name))
    return colours


def _clue(line: Line, of: str) -> Clue | None:
    """Return the clue that a line writes, its letters not yet held against the colours."""
    text = "".join(line.words())
    if text == NO_CLUE:
        return None
    if text.startswith("/"):
        if len(text) < 2 or not text.endswith("/"):
            raise line.fault(f"{of}: the expression {quoted(text)} has no slash at its end")
        return Pattern(text[1:-1])
    if not _LETTERS.fullmatch(text):
        raise line.fault(f"{of} is {quoted(line.text)}", CLUES)
    for letter, following in pairwise(text):
        if letter == following:
            what = f"{of}: {quoted(text)} names {letter} twice in a row"
            raise line.fault(what, "one letter for each stretch of a colour, however long")
    return Stretches(text)


def _check(clue: Clue, line: Line, of: str, letters: str) -> None:
    if isinstance(clue, Stretches):
        for letter in clue.letters:
            if letter not in letters:
                raise line.fault(f"{of}: {letter} is none of the colours", ", ".join(letters))
    try:
        automaton(clue, letters)
    except InputError as error:
        raise line.fault(f"{of}: {error.what}", error.expected) from None
