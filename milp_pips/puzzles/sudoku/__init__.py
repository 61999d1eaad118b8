"""Sudoku of any size and kind: boxes or jigsaw regions, any symbols and how often each, cages, groups.

``text`` is the format of its files; see there.
"""

from __future__ import annotations

import os.path
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from milp_pips.puzzles.family import Generator
    from milp_pips.puzzles.sudoku.puzzle import Sudoku

name = "sudoku"

examples = (
    "sudoku\n53..7....\n6..195...",
    "sudoku\nregions\nAAABBB\nAABBBC",
    "sudoku\nsymbols 1 2 3 4 5 6 7 8 9 π π π",
    "sudoku\ncages\naab\na.b\na 15\nb 3",
)


def recognises(text: str) -> bool:
    """Whether the first word of the text is ``sudoku``."""
    return text.removeprefix("\ufeff").lstrip()[:40].lower().split(maxsplit=1)[:1] == ["sudoku"]


def read(text: str, file: str) -> Mapping[str, Sudoku | None]:
    """Return the puzzle of a file, of the level ``""``; its name is the file's stem.

    Raises
    ------
    InputError
        The file cannot be read as a Sudoku; the error names the line.
    """
    from milp_pips.puzzles.sudoku import text as plain_text

    return {"": plain_text.read(text, file, os.path.splitext(os.path.basename(file))[0])}


def generator() -> Generator:
    """Return how new puzzles are made."""
    from milp_pips.puzzles.sudoku import generation

    return generation
