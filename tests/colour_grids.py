"""Random colour grids, and all fillings of a small one by exhaustive search."""

from __future__ import annotations

import re
from itertools import groupby, product
from random import Random

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from milp_pips.puzzles.colour_grid.puzzle import Clue, Colour, ColourGrid, Pattern, Stretches


@st.composite
def colour_grids(draw: DrawFn, most_cells: int = 9, sides: int = 3) -> ColourGrid:
    """Draw grids as of ``random_colour_grid``."""
    return random_colour_grid(draw(st.randoms(use_true_random=False)), most_cells, sides)


def random_colour_grid(random: Random, most_cells: int = 9, sides: int = 3) -> ColourGrid:
    """Return a grid of two or three colours; most are made from a filling, and so have a solution."""
    height = random.randint(1, sides)
    width = random.randint(1, min(sides, most_cells // height))
    letters = random.choice(("rgb", "rgb", "gbr", "kw"))
    rows = ["".join(random.choice(letters) for _ in range(width)) for _ in range(height)]
    solvable = random.choice((True, False))
    lines = [*rows, *("".join(cells) for cells in zip(*rows, strict=True))]
    clues = [_clue(random, letters, line, solvable) for line in lines]
    names = random.choice((("", "", ""), ("red", "", "#12ab9f")))
    colours = tuple(Colour(letter, name) for letter, name in zip(letters, names, strict=False))
    return ColourGrid("random", colours, tuple(clues[:height]), tuple(clues[height:]))


def expression(random: Random, letters: str, depth: int = 2) -> str:
    """Return a regular expression."""
    if depth == 0 or random.random() < 0.4:
        unit = random.choice((*letters, ".", f"[{letters[:2]}]", f"[^{letters[-1]}]"))
        return unit + random.choice(("", "", "", "*", "+", "?", "{2}", "{1,2}", "{,2}", "{2,}"))
    parts = [expression(random, letters, depth - 1) for _ in range(random.randint(1, 3))]
    if random.random() < 0.5:
        return "".join(parts)
    return f"({'|'.join(parts)})" + random.choice(("", "", "*", "+", "?", "{2}", "{0,2}"))


def _clue(random: Random, letters: str, line: str, obeyed: bool) -> Clue | None:
    if random.random() < 0.15:
        return None
    if random.random() < 0.5:
        shown = line if obeyed else [random.choice(letters) for _ in line]
        return Stretches("".join(letter for letter, _ in groupby(shown)))
    pattern = expression(random, letters)
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
