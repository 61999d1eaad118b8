"""Sudoku of any size: boxes or jigsaw regions, any symbols (also repeated ones), cages and groups.

``files`` describes the format of its files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from milp_pips.puzzles.family import Family, Format, functions_of, lazy

if TYPE_CHECKING:
    from milp_pips.puzzles.sudoku.puzzle import Rows, Sudoku


def recognises(text: str) -> bool:
    """Return whether the first word of the text is ``sudoku``."""
    return text.removeprefix("\ufeff").lstrip()[:40].lower().split(maxsplit=1)[:1] == ["sudoku"]


FAMILY: Family[Sudoku, Rows] = Family(
    name="sudoku",
    examples=(
        "sudoku\n53..7....\n6..195...",
        "sudoku\nregions\nAAABBB\nAABBBC",
        "sudoku\nsymbols 1 2 3 4 5 6 7 8 9 π π π",
        "sudoku\ncages\naab\na.b\na 15\nb 3",
    ),
    recognises=recognises,
    variants=("diagonals",),
    formats=lambda: {
        "text": Format(".txt", lazy("milp_pips.puzzles.sudoku.files:write"), with_solution=True),
    },
    **functions_of(
        "milp_pips.puzzles.sudoku",
        puzzle="state decode encode check draw plain",
        files="read to_json read_solution read_board write_solution",
    ),
)
