"""Random colour grids, and all fillings of a small one by exhaustive search."""

from __future__ import annotations

import re
from itertools import groupby, product

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from milp_pips.puzzles.colour_grid.puzzle import Clue, Colour, ColourGrid, Pattern, Stretches

UNITS = st.sampled_from(["r", "g", "b", ".", "[rg]", "[^r]"])
REPEATS = st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,2}", "{,2}", "{2,}"])
PARTS = st.tuples(UNITS, REPEATS).map("".join)
PATTERNS = st.one_of(
    st.lists(PARTS, max_size=4).map("".join),
    st.tuples(PARTS, PARTS, REPEATS).map(lambda p: f"({p[0]}|{p[1]}){p[2]}.*"),
)


@st.composite
def colour_grids(draw: DrawFn, most_cells: int = 9, sides: int = 3) -> ColourGrid:
    """Draw grids of two or three colours; most are made from a filling, and so have a solution."""
    height = draw(st.integers(1, sides))
    width = draw(st.integers(1, min(sides, most_cells // height)))
    letters = draw(st.sampled_from(["rgb", "rgb", "gbr"]))
    rows = ["".join(draw(st.sampled_from(letters)) for _ in range(width)) for _ in range(height)]
    solvable = draw(st.booleans())
    lines = [*rows, *("".join(cells) for cells in zip(*rows, strict=True))]
    clues = [draw(_clues(line, solvable)) for line in lines]
    names = draw(st.sampled_from([("", "", ""), ("red", "", "#12ab9f")]))
    colours = tuple(Colour(letter, name) for letter, name in zip(letters, names, strict=True))
    return ColourGrid("random", colours, tuple(clues[:height]), tuple(clues[height:]))


@st.composite
def _clues(draw: DrawFn, line: str, obeyed: bool) -> Clue | None:
    if draw(st.integers(0, 5)) == 0:
        return None
    if draw(st.booleans()):
        shown = line if obeyed else "".join(draw(st.lists(st.sampled_from("rgb"), min_size=1, max_size=3)))
        return Stretches("".join(letter for letter, _ in groupby(shown)))
    pattern = draw(PATTERNS)
    if obeyed and not re.fullmatch(pattern, line):
        pattern = f"{pattern}|{line}"
    return Pattern(pattern)


def fillings(puzzle: ColourGrid) -> set[tuple[str, ...]]:
    """Return every filling that obeys all clues; ``re`` matches the patterns."""
    every = ["".join(letters) for letters in product(puzzle.letters, repeat=len(puzzle.columns))]
    allowed = [[line for line in every if _obeys(clue, line)] for clue in puzzle.rows]
    return {
        filling
        for filling in product(*allowed)
        if all(
            _obeys(clue, "".join(cells))
            for clue, cells in zip(puzzle.columns, zip(*filling, strict=True), strict=True)
        )
    }


def _obeys(clue: Clue | None, line: str) -> bool:
    if clue is None:
        return True
    if isinstance(clue, Stretches):
        return [letter for letter, _ in groupby(line)] == list(clue.letters)
    return re.fullmatch(clue.expression, line) is not None
