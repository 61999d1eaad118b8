"""Colour grids: fill the grid with colours so that every row and column obeys its clue."""

from __future__ import annotations

import os.path
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from milp_pips.puzzles.colour_grid.puzzle import ColourGrid
    from milp_pips.puzzles.family import Generator

name = "colour-grid"

examples = ("colour grid\nrows\nrgb\n/(r|g)+b?/\ncolumns\n…", "colours r red, g green, b #3366ff")

_FIRST_LINE = re.compile(r"\s*colou?r[ -]grid\b", re.IGNORECASE)


def recognises(text: str) -> bool:
    """Whether the text starts with the words "colour grid"."""
    return _FIRST_LINE.match(text.removeprefix("\ufeff")) is not None


def read(text: str, file: str) -> Mapping[str, ColourGrid | None]:
    """Return the puzzle of a file, named by the file's stem, under the level ``""``. Raises InputError."""
    from milp_pips.puzzles.colour_grid import text as plain_text

    return {"": plain_text.read(text, file, os.path.splitext(os.path.basename(file))[0])}


def generator() -> Generator:
    """Return how new puzzles are made."""
    from milp_pips.puzzles.colour_grid import generation

    return generation
