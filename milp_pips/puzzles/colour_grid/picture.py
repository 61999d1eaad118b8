"""Draw a colour grid, empty or filled, with its clues on the left and above."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from milp_pips.puzzles.colour_grid.files import NAMED_COLOURS
from milp_pips.puzzles.colour_grid.puzzle import Clue, Colour, ColourGrid, Filling, Stretches
from milp_pips.render.colours import PALETTE
from milp_pips.render.vocabulary import Drawing, Grid, Note, Square

_PART = re.compile(r"\{[^}]*\}|\[\^?|[^(|[][*+?]?|[(|]")
"""A part of an expression: a letter or closing bracket and its repeat, ``{2,3}``, ``(``, ``[`` or ``|``."""


def draw(puzzle: ColourGrid, filling: Filling | None) -> Drawing:
    """Return the grid with its clues. A grid without a filling also lists the colours that have names.

    A pattern is drawn part by part between slashes, as in a file.
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
        {number: _clue_items(clue, fill) for number, clue in enumerate(clues) if clue is not None}
        for clues in (puzzle.rows, puzzle.columns)
    )
    board = Grid(squares, left=left, above=above)
    if filling is not None:
        return Drawing(puzzle.name, board)
    notes = tuple(Note(c.letter, (c.name,), fill[c.letter]) for c in puzzle.colours if c.name)
    return Drawing(puzzle.name, board, notes, places=dict(enumerate(squares)))


def fills(colours: Sequence[Colour]) -> dict[str, str]:
    """Return the ``#rrggbb`` of every letter.

    A letter without a name takes the first named colour with that initial, else a colour of the palette. It
    takes a colour that no other letter has, as long as there is one.
    """
    found = {c.letter: NAMED_COLOURS.get(c.name, c.name) for c in colours if c.name}
    for colour in colours:
        if not colour.name:
            alike = [fill for name, fill in NAMED_COLOURS.items() if name[0] == colour.letter.lower()]
            free = [fill for fill in (*alike, *PALETTE) if fill not in found.values()]
            found[colour.letter] = free[0] if free else PALETTE[len(found) % len(PALETTE)]
    return found


def outline(puzzle: ColourGrid) -> dict[str, Any]:
    """Return ``colours``: the ``#rrggbb`` of every letter."""
    return {"colours": fills(puzzle.colours)}


def _clue_items(clue: Clue, fill: Mapping[str, str]) -> tuple[Square, ...]:
    if isinstance(clue, Stretches):
        return tuple(Square(letter, fill=fill[letter]) for letter in clue.letters)
    parts = ("/", *_PART.findall(clue.expression), "/")
    return tuple(Square(part, fill=fill.get(part[0], "")) for part in parts)
