"""A file that is no puzzle gets one line about what it looks like."""

from __future__ import annotations

import pytest

from milp_pips.problem.errors import InputError
from milp_pips.puzzles.reading import read_text

ANY = "a puzzle in one of the formats of docs/formats.md"
BOARD = (
    "this is no puzzle: it looks like rows of a board, but no dominoes",
    "rules and dominoes below, or the name of a family above",
)
SUDOKU = (
    'this is no puzzle: it looks like rows of a Sudoku without a first line "sudoku"',
    'the line "sudoku" before the rows',
)
LIKE = {
    "AAB\nACB\nCCB\n": BOARD,
    "..##..\n######": BOARD,
    "A A B\nA C B\n": BOARD,
    "12.4\n....\n4...\n..31\n": SUDOKU,
    "53..7....6..195.": SUDOKU,
    "A = 3\nB > 4": (
        "this is no puzzle: it looks like rules, but no board",
        "the rows of a board above the rules, and dominoes below",
    ),
    "<!DOCTYPE html>\n<p>2</p>": ("this is no puzzle: it looks like a page of HTML or XML", ANY),
    "a,b,c\n1,2,3\n": ("this is no puzzle: it looks like a table with commas", ANY),
    "max: 3x + 2y;\nc1: x + y <= 4;\n": (
        "this is no puzzle: it looks like a linear model in a format that is not read",
        "an MPS file, or an LP file of CPLEX",
    ),
    "import os\nprint(1)\n": (
        "this is no puzzle: it looks like a program in Python",
        "a file that it writes, or milp_pips.solutions(model) in it",
    ),
    "two\nwords\n": ("this is no puzzle: it looks like other text, without the rows of a board", ANY),
    "Sudku\n12..\n": ('no kind of puzzle begins with "Sudku"', '"sudoku"'),
    "star batle 2\nAAB\n": ('no kind of puzzle begins with "star batle 2"', '"star-battle"'),
}


@pytest.mark.parametrize("content", LIKE)
def test_a_file_that_is_no_puzzle_is_told_what_it_looks_like(content):
    with pytest.raises(InputError) as refused:
        read_text(content, "f")
    what, expected = LIKE[content]
    assert str(refused.value) == f"f:1: {what}; expected {expected}"
