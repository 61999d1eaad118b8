"""Colour grids: fill the grid with colours so that every row and column obeys its clue.

``files`` describes the format of its files.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from milp_pips.puzzles.family import Family, Format, functions_of, lazy

if TYPE_CHECKING:
    from milp_pips.puzzles.colour_grid.puzzle import ColourGrid, Filling

_FIRST_LINE = re.compile(r"\s*colou?r[ -]grid\b", re.IGNORECASE)


def recognises(text: str) -> bool:
    """Return whether the text starts with the words "colour grid"."""
    return _FIRST_LINE.match(text.removeprefix("\ufeff")) is not None


FAMILY: Family[ColourGrid, Filling] = Family(
    name="colour-grid",
    examples=("colour grid\nrows\nrgb\n/(r|g)+b?/\ncolumns\n…", "colours r red, g green, b #3366ff"),
    recognises=recognises,
    formats=lambda: {
        "text": Format(".txt", lazy("milp_pips.puzzles.colour_grid.files:write"), with_solution=False),
    },
    **functions_of(
        "milp_pips.puzzles.colour_grid",
        puzzle="state decode encode check draw outline plain",
        files="read to_json read_solution read_board write_solution",
    ),
)
