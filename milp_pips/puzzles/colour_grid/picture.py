"""The picture of a colour grid, empty or filled, with its clues on the left and above."""

from __future__ import annotations

import re

from milp_pips.drawing import Drawing, Grid, Note, Square
from milp_pips.puzzles.colour_grid.palette import fills
from milp_pips.puzzles.colour_grid.puzzle import Clue, ColourGrid, Filling, Stretches

_PART = re.compile(r"\{[^}]*\}|\[\^?|[^(|[][*+?]?|[(|]")
"""A letter or a closing bracket with its repeat, a counted repeat, an opening bracket, a bar."""


def draw(puzzle: ColourGrid, filling: Filling | None = None) -> Drawing:
    """Return the grid with its clues and, while it is empty, a list of the colours that have names.

    A pattern stands between slashes, part by part, as it does in a file.
    """
    fill = fills(puzzle.colours)
    height, width = len(puzzle.rows), len(puzzle.columns)
    letters = filling or (" " * width,) * height
    squares = {
        (r, c): Square(letters[r][c].strip(), fill=fill.get(letters[r][c], ""))
        for r in range(height)
        for c in range(width)
    }
    left, above = (
        {number: _items(clue, fill) for number, clue in enumerate(clues) if clue is not None}
        for clues in (puzzle.rows, puzzle.columns)
    )
    named = [colour for colour in puzzle.colours if colour.name and filling is None]
    notes = tuple(Note(colour.letter, (colour.name,), fill[colour.letter]) for colour in named)
    return Drawing(puzzle.name, Grid(squares, left=left, above=above), notes)


def _items(clue: Clue, fill: dict[str, str]) -> tuple[Square, ...]:
    if isinstance(clue, Stretches):
        return tuple(Square(letter, fill=fill[letter]) for letter in clue.letters)
    parts = ("/", *_PART.findall(clue.expression), "/")
    return tuple(Square(part, fill=fill.get(part[0], "")) for part in parts)
