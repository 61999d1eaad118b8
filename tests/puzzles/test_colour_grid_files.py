"""Colour grids as files and as pictures: what is read, what is refused with which words, what is drawn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from colour_grids import colour_grids
from hypothesis import given
from hypothesis import strategies as st
from thoroughness import examples

import milp_pips
from milp_pips.algorithms.regular_expressions import UNDERSTOOD
from milp_pips.problem.errors import InputError
from milp_pips.puzzles import family as families
from milp_pips.puzzles.colour_grid.files import write
from milp_pips.puzzles.colour_grid.puzzle import NAMED_COLOURS, Colour, ColourGrid, Pattern, Stretches
from milp_pips.render.text import to_text

FAMILY = families.family("colour-grid")

EXAMPLES = Path(__file__).parents[2] / "examples" / "colour_grid"
CONTENTS = [path.read_text() for path in sorted(EXAMPLES.glob("*.txt"))]
PUBLISHED = milp_pips.read(EXAMPLES / "colour_grid.txt")
FILLING = ("rrgb", "brrg", "bbbb", "grbg")
CLUES = "colours such as rgb, an expression such as /r+(g|b)*/, or - for no clue"
ONE_LETTER = "expected one letter for each stretch of a colour, however long"
AS_BOARD = "as many as the board has"
LETTERS = "expected r, g or b"
NAME = "expected one letter and, if you like, a name: r red"


def grid(rows: str = "rg", columns: str = "-", colours: str = "colours r, g\n") -> str:
    return f"colour grid\n{colours}rows\n{rows}\ncolumns\n{columns}\n"


@pytest.mark.parametrize(
    "content, message",
    [
        ("", "f:1: the file is empty"),
        ("colour grid 4\n", 'f:1: the first line is "colour grid 4"; expected colour grid'),
        ("colour grid\n", 'f:1: the file ends before the line "rows"'),
        ("colour grid\n\n4\n", 'f:3: this is "4"; expected rows, or a list of colours'),
        ("colour grid\ncolours r\n4\n", 'f:3: this is "4"; expected rows'),
        ("colour grid\ncolours r\n", 'f:2: the file ends before the line "rows"'),
        (grid(colours="colours\n"), 'f:2: "" is not a colour; ' + NAME),
        (
            grid(colours="colours r light red, g\n"),
            'f:2: "r light red" is not a colour; ' + NAME,
        ),
        (
            grid(colours="colours r #12345, g\n"),
            'f:2: "r #12345" is not a colour; ' + NAME,
        ),
        (
            grid(colours="colours r rot\n"),
            f'f:2: there is no colour "rot"; expected {", ".join(NAMED_COLOURS)}, or #rrggbb',
        ),
        (grid(colours="colours r, g, r blue\n"), "f:2: two colours have the letter r"),
        ("colour grid\nrows\ncolumns\nr\n", f"f:3: the grid has no row; expected {CLUES}"),
        ("colour grid\nrows\nr\n", 'f:3: the file ends before the line "columns"'),
        ("colour grid\nrows\nr\ncolumns\n", "f:4: the file ends before the clue of column 1"),
        (grid("r1"), f'f:4: row 1 is "r1"; expected {CLUES}'),
        (grid("r-g"), f'f:4: row 1 is "r-g"; expected {CLUES}'),
        (grid("r\nrggr"), 'f:5: row 2: "rggr" names g twice in a row; ' + ONE_LETTER),
        (grid("r", "g\nrx"), "f:7: column 2: x is not one of the colours; expected r, g"),
        (grid("/rg"), 'f:4: row 1: the expression "/rg" has no slash at its end'),
        (grid("/"), 'f:4: row 1: the expression "/" has no slash at its end'),
        (
            grid("/r/g/"),
            'f:4: row 1: character 2, "/", has no meaning in an expression; expected ' + UNDERSTOOD,
        ),
        (
            grid("r", "-\n/(r|x)/"),
            'f:7: column 2: character 4, "x", is not one of the letters; expected r, g',
        ),
        (grid("/r(g/"), 'f:4: row 1: character 2, "(", opens a bracket that is never closed'),
        (
            grid("/r|+/"),
            'f:4: row 1: character 3, "+", repeats nothing; expected a letter or a bracket before it',
        ),
        (grid("/(r|g)*r.{15}/"), "f:4: row 1: the expression needs an automaton of more than 2000 states"),
        (
            grid("/(r{99}){99}/"),
            "f:4: row 1: the expression has more than 5000 parts with repeats written out",
        ),
        (
            grid("-", "-", ""),
            'f:5: no clue names a colour; expected a line such as "colours r red, g green" above the rows',
        ),
        (grid("r\n" * 201), "f:204: the grid has more than 200 rows"),
        (grid("r", "r\n" * 201), "f:206: the grid has more than 200 columns"),
        ("colour grid\nrows\nr\x00\n", "f:3: the file is not text: it contains the character U+0000"),
    ],
)
def test_a_malformed_file_is_refused_with_its_own_message(content, message):
    with pytest.raises(InputError) as refusal:
        FAMILY.read(content, "f")
    assert str(refusal.value) == message


def test_what_the_format_forgives():
    strict = FAMILY.read(grid("rg\n/(r|g)+/", "-\ngr"), "a/f.txt")[""]
    assert strict == ColourGrid(
        "f", (Colour("r"), Colour("g")), (Stretches("rg"), Pattern("(r|g)+")), (None, Stretches("gr"))
    )
    relaxed = "\ufeffColor Grid\r\n\r\ncolors: r , g\r\nRows:\r\n r g\r\n/ (r | g)+ /\r\nCOLUMNS:\r\n-\r\ng r"
    assert FAMILY.read(relaxed, "f")[""] == strict


def test_without_a_list_the_colours_are_those_of_the_clues_in_order():
    found = FAMILY.read(grid("/[ty]{2}/\nb", "tr\n-", ""), "f")[""]
    assert found is not None
    assert found.letters == "tybr"


@examples(12)
@given(puzzle=colour_grids())
def test_reading_what_is_written_gives_the_same_puzzle(puzzle):
    assert FAMILY.read(write(puzzle), puzzle.name)[""] == puzzle


def test_files_are_told_from_other_families():
    for content in CONTENTS:
        assert FAMILY.recognises(content)
        assert FAMILY.recognises("\ufeff\n " + content)
        assert not families.family("pips").recognises(content)
    assert not FAMILY.recognises("2\nAA\nBB\n")
    assert FAMILY.recognises(FAMILY.examples[0])


@examples(12)
@given(data=st.data(), puzzle=colour_grids())
def test_solution_files_hold_any_filling(data, puzzle):
    width = len(puzzle.columns)
    row = st.text(puzzle.letters, min_size=width, max_size=width)
    filling = tuple(data.draw(row) for _ in puzzle.rows)
    assert FAMILY.read_solution(puzzle, FAMILY.write_solution(puzzle, filling), "f") == filling
    assert FAMILY.read_solution(puzzle, json.dumps(FAMILY.to_json(puzzle, filling)), "f") == filling
    assert FAMILY.decode(puzzle, FAMILY.encode(puzzle, filling)) == filling


@pytest.mark.parametrize(
    "content, message",
    [
        ("rrgb\nbrrg\nbbbb\n", "f:3: the solution ends after row 3; expected 4 rows, " + AS_BOARD),
        (
            "rrgb\nbrrg\nbbbb\ngrbg\nrrrr\n",
            'f:5: the solution goes on after row 4: "rrrr"; expected 4 rows, ' + AS_BOARD,
        ),
        ("rrgb\nbrr\n", "f:2: row 2 of the solution has 3 cells; expected 4, " + AS_BOARD),
        ("rrgb\nbr.g\nbbbb\ngrbg\n", "f:2: r2c3 has no symbol; " + LETTERS),
        ("rrgb\nbrxg\nbbbb\ngrbg\n", 'f:2: r2c3 is "x"; ' + LETTERS),
        ('{"grid": [[]]}', "f:1: grid: this list has the length 1; expected 4 rows"),
        (
            '{"grid":\n[["r", "g", "b", "rg"], ["r", "r", "r", "r"], [], []]}',
            "f:2: grid[2]: this list has the length 0; expected 4 cells",
        ),
        (
            '{"grid":\n[["r", "g", "b", "rg"]' + 3 * ', ["r", "r", "r", "r"]' + "]}",
            'f:2: grid[0][3]: r1c4 is "rg"; ' + LETTERS,
        ),
        (
            '{"grid":\n[["r", "g", "b", 1]' + 3 * ', ["r", "r", "r", "r"]' + "]}",
            "f:2: grid[0][3]: r1c4 is 1; " + LETTERS,
        ),
        ("{}", 'f:1: "grid" is missing; expected the rows of the solution'),
    ],
)
def test_a_malformed_solution_is_refused_with_its_own_message(content, message):
    with pytest.raises(InputError) as refusal:
        FAMILY.read_solution(PUBLISHED, content, "f")
    assert str(refusal.value) == message


PICTURES = {
    "solution": (PUBLISHED, FILLING),
    "expressions": (milp_pips.read(EXAMPLES / "expressions.txt"), None),
}


@pytest.mark.parametrize("name", PICTURES)
def test_pictures(name, golden):
    puzzle, filling = PICTURES[name]
    drawing = milp_pips.draw(puzzle, filling)
    golden(f"colour-grid-{name}.txt", to_text(drawing))


def test_a_file_of_no_family_is_told_how_files_start():
    with pytest.raises(InputError) as refusal:
        milp_pips.read_text("\n  coler grid\nrows\n", "f")
    assert str(refusal.value) == 'f:2: no kind of puzzle begins with "coler grid"; expected "colour grid"'
    with pytest.raises(InputError, match="f:1: the file is empty"):
        milp_pips.read_text(" ", "f")
