"""The families of ``extras``: their files and pictures, and their counts by brute force and many engines."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path

import pytest

import milp_pips
from milp_pips.puzzles.family import MORE_FAMILIES, family
from milp_pips.render.text import to_text
from milp_pips.testing import FamilyConformance

EXAMPLES = Path(__file__).parents[3] / "examples" / "families"
TABLE = dict(re.findall(r"^\| `(.*?)` \|.*\| (\d+) \|$", (EXAMPLES / "README.md").read_text("utf-8"), re.M))


def read(text):
    return milp_pips.read_text(text, "f")[""]


def numbers(puzzle):
    """The number of solutions, by the default engines."""
    return milp_pips.count(puzzle).counts["grid"]


def listed(puzzle, solver="brute"):
    return {tuple(map(tuple, solution)) for solution in milp_pips.solutions(puzzle, solver)}


SKYSCRAPERS = "skyscrapers\n# . . . . #\n3 . . . . .\n. . 1 . . .\n. 1 . . . .\n. . . . . .\n# 1 . . 3 #\n"
SLITHERLINK = "slitherlink\n3..\n.2.\n..1\n"
KAKURO = "kakuro\n#  8\\  18\\  #\n\\15  .  .  11\\\n\\18  .  .  .\n#  \\4  .  .\n"
STARS = "star-battle 1\nBBBCCA\nBBBCCF\nBBBBBF\nDDBFFF\nDDDFFF\nDDEEEE\n"
SMALL = {
    "kakuro": KAKURO,
    "star-battle": STARS,
    "skyscrapers": SKYSCRAPERS,
    "binairo": "binairo\n1..0\n..0.\n....\n0...\n",
    "slitherlink": SLITHERLINK,
}


class TestKakuro(FamilyConformance):
    family = "kakuro"
    texts = (KAKURO, "kakuro\n# 4\\ 6\\\n\\3 . .\n\\7 . .\n", "kakuro\n5\\ # 17\\\n. # .\n. . .\n")


class TestStarBattle(FamilyConformance):
    family = "star-battle"
    texts = (STARS, "star-battle 1\nAAAA\nBBBB\nCCCC\nDDDD\n")


class TestSkyscrapers(FamilyConformance):
    family = "skyscrapers"
    texts = (
        SKYSCRAPERS,
        "skyscrapers\n# 2 . . #\n. . . . .\n. . . . 2\n. . 3 . .\n# . . . #\n",
        "skyscrapers\ndiagonals\nheights 3\n# 3 . . . #\n"
        + ". . . . . .\n" * 3
        + ". . . - . .\n# . . . . #\n",
    )


class TestBinairo(FamilyConformance):
    family = "binairo"
    texts = (SMALL["binairo"], "binairo\n..\n.1\n", "binairo\nequal lines\n1..0\n..0.\n....\n0...\n")


class TestSlitherlink(FamilyConformance):
    family = "slitherlink"
    texts = (SLITHERLINK, "slitherlink\n4..\n..0\n", "slitherlink\n.2\n..\n")


def test_each_family_has_an_example():
    assert {path.name for path in EXAMPLES.glob("*.txt")} == set(TABLE)
    assert {name.replace("-", "_") for name in MORE_FAMILIES} == {name.removesuffix(".txt") for name in TABLE}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name == "slitherlink.txt")) for name in TABLE]
)
def test_the_examples_have_the_numbers_of_solutions_in_their_table(name):
    puzzle = milp_pips.read(EXAMPLES / name)
    assert numbers(puzzle) == int(TABLE[name])
    assert len(listed(puzzle, "sat")) == int(TABLE[name])


# Brute force, from the rules alone.


def test_lines_of_a_binairo_may_be_equal_where_the_heading_says_so():
    blank = "....\n" * 4
    assert numbers(read(f"binairo\n{blank}")) == 72  # OEIS A253316
    assert numbers(read(f"binairo\nequal lines\n{blank}")) == 90  # OEIS A058527


def test_the_check_of_slitherlink_accepts_single_loops_alone():
    puzzle, said = read("slitherlink\n...\n...\n"), Counter()
    for inside in product((0, 1), repeat=6):
        said[family("slitherlink").check(puzzle, (inside[:3], inside[3:]))] += 1
    assert set(said) == {None, "there is no loop", "the loop touches itself", "there is more than one loop"}
    assert said[None] == 40  # the cycles of a grid of 3 x 4 points


# Files, pictures and hints.


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kakuro 3\n", 'f:1: this is "kakuro 3"; expected kakuro'),
        ("kakuro\n", "f:1: there is no row; expected the rows of the board"),
        ("kakuro\n# 3\\ 4\\\n\\7 .\n", "f:3: row 2 has 2 cells; expected 3, as in the first row"),
        ("kakuro\n# 15\n", 'f:2: a cell is "15"; expected . or # or sums down\\across: 4\\10, 4\\, \\10'),
        ("kakuro\n# #\n# #\n", "f:3: there is no cell to fill; expected a . for each"),
        ("kakuro\n# 4\\ #\n# # .\n", 'f:2: no cell to fill is below "4\\"; expected a run for each sum'),
        ("kakuro\n. \\4\n", 'f:2: no cell to fill is to the right of "\\4"; expected a run for each sum'),
        ("kakuro\n# " + ". " * 10, "f:2: the run across from r1c2 has 10 cells; expected at most 9"),
        ("star-battle\n", 'f:1: this is "star-battle"; expected star-battle 2'),
        ("star-battle x\n", 'f:1: the number of stars is "x"; expected a whole number from 1 to 9'),
        ("star-battle 1\nA.\nBB\n", 'f:2: a cell is "."; expected a letter for its region'),
        (
            "star-battle 1\nABC\nABC\nABB\nABB\n",
            "f:5: the board has 4 rows, 3 columns and 3 regions; "
            "expected as many rows as columns and as regions",
        ),
        ("binairo\n012\n", 'f:2: a cell is "2"; expected 0, 1, or . for an open cell'),
        (
            "binairo\n01.\n01.\n",
            "f:3: the board has 2 rows of 3 cells; expected even numbers of rows and of columns",
        ),
        ("skyscrapers\n# x #\n", 'f:2: a cell is "x"; expected a number, . or, in a corner, #'),
        (
            "skyscrapers\n# . #\n. . .\n",
            "f:3: there are 2 rows of 3 marks; expected a square of up to 20 rows, with clues on all sides",
        ),
        (
            "skyscrapers\n# . #\n. # .\n# . #\n",
            'f:3: mark 2 is "#"; expected # in the four corners and nowhere else',
        ),
        ("skyscrapers\n# 2 #\n. . .\n# . #\n", 'f:2: a mark is "2"; expected a whole number from 1 to 1'),
        (
            "skyscrapers\nheights 2\n# . #\n. . .\n# . #\n",
            'f:2: the greatest height is "2"; expected a whole number from 1 to 1',
        ),
        (
            "skyscrapers\nheights 1\n# - . #\n. . . .\n. . . .\n# . . #\n",
            'f:3: mark 2 is "-"; expected a number or . around the board',
        ),
        (
            "skyscrapers\nheights 1\n# . . #\n. 2 . .\n. . . .\n# . . #\n",
            "f:4: r1c1 is 2; expected at most 1",
        ),
        (
            "skyscrapers\ndiagonals\ndiagonals\n# . #\n. . .\n# . #\n",
            'f:3: this is "diagonals"; expected diagonals or heights 4, each once, or a row',
        ),
        ("slitherlink\n5.\n..\n", 'f:2: a cell is "5"; expected 0 to 4, or . for no clue'),
        ("slitherlink\n...\n", "f:2: the board is a single line; expected at least 2 rows and 2 columns"),
        (
            "slitherlink\n" + f"{'.' * 60}\n" * 60,
            "f:43: the board is too large; expected at most 2,500 cells",
        ),
    ],
)
def test_faults_name_the_line(text, message):
    with pytest.raises(milp_pips.InputError) as refusal:
        milp_pips.read_text(text, "f")
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("kakuro", "###\n#12\n#1#\n", 's:3: r3c3 is "#"; expected 1 to 9'),
        ("kakuro", "###\n112\n#12\n", "s:2: r2c1 is not a cell to fill; expected #"),
        (
            "star-battle",
            "AB\n",
            "s:1: row 1 of the solution has 2 cells; expected 6, as many as the board has",
        ),
        ("binairo", "2101\n" * 4, 's:1: r1c1 is "2"; expected 0 or 1'),
    ],
)
def test_faults_of_solution_files_name_the_cell(name, text, message):
    puzzle = read("kakuro\n# 4\\ 6\\\n\\3 . .\n\\7 . .\n" if name == "kakuro" else SMALL[name])
    with pytest.raises(milp_pips.InputError) as refusal:
        family(name).read_solution(puzzle, text, "s")
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("kakuro", {(1, 1): 9}, "the run down from r2c2: 9 + 1 is 10, not 8"),
        ("kakuro", {(1, 1): 1}, "the run down from r2c2 has a digit twice: 1, 1"),
        ("star-battle", {(0, 5): 0}, "row 1 has 0 stars, not 1"),
        ("star-battle", {(0, 4): 1}, "the stars in r1c5 and r1c6 touch"),
        ("binairo", {(0, 0): 0}, "r1c1 is 0, but 1 is given there"),
        ("slitherlink", {(0, 0): 0}, "r1c1 has 1 sides on the loop, not 3"),
    ],
)
def test_check_names_the_rule_that_a_solution_breaks(name, changes, message):
    puzzle = read(SMALL[name])
    rows = [list(row) for row in milp_pips.solve(puzzle, "sat").solution]
    for (r, c), value in changes.items():
        rows[r][c] = value
    assert family(name).check(puzzle, rows) == message


@pytest.mark.parametrize(
    ("variants", "rows", "message"),
    [
        ("diagonals", "123 231 312", "a height occurs twice in the diagonal from the top right"),
        ("heights 2", "12- 2-1 -12", None),
        ("heights 2", "12- 2-- -12", "row 2 has 1 towers, not 2"),
        ("heights 2", "1-2 2-1 -12", "column 2 has 1 towers, not 2"),
    ],
)
def test_check_knows_the_variants_of_skyscrapers(variants, rows, message):
    puzzle = read(f"skyscrapers\n{variants}\n# . . . #\n" + ". . . . .\n" * 3 + "# . . . #\n")
    solution = family("skyscrapers").read_solution(puzzle, rows.replace(" ", "\n"), "s")
    said = family("skyscrapers").check(puzzle, solution)
    assert said == message


def test_a_variant_is_a_line_below_the_heading():
    text = "\nskyscrapers\n# . #\n. . .\n# . #\n"
    puzzle = milp_pips.read_text(text, "f", variant="diagonals, heights 1")[""]
    assert puzzle == read(text.replace("skyscrapers", "skyscrapers\ndiagonals\nheights 1"))
    assert "variant: diagonals\nvariant: heights 1" in to_text(milp_pips.draw(puzzle))
    with pytest.raises(milp_pips.UsageError, match=r"^files of the family slitherlink have no line for a"):
        milp_pips.read_text("slitherlink\n\n...\n", "f", variant="")
    with pytest.raises(milp_pips.InputError, match=r"^f: the variant 'wide' is not read; expected "):
        milp_pips.read_text(text, "f", variant="wide")
    with pytest.raises(milp_pips.InputError, match=r'^f:4: mark 2 is "#"'):
        milp_pips.read_text(text.replace(". . .", ". # ."), "f", variant="diagonals")
    with pytest.raises(milp_pips.UsageError, match=r"^files of the family pips have no line for a variant$"):
        milp_pips.read_text("1\nAA\n0\n1\n1 1\n", "f", variant="diagonals")


def test_the_sums_of_a_run_may_be_missing_in_several_ways():
    rows = "# {} 6\\\n\\3 . .\n{} . .\n"
    plain = numbers(read("kakuro\n" + rows.format("#", "#")))
    for down, across in (("-\\", "\\-"), ("?\\", "\\?"), ("\\", "\\"), ("-\\?", "?\\-")):
        assert numbers(read("kakuro\n" + rows.format(down, across))) == plain


@pytest.mark.parametrize("name", TABLE)
def test_its_pictures(name, golden):
    puzzle = milp_pips.read(EXAMPLES / name)
    solved = milp_pips.draw(puzzle, milp_pips.solve(puzzle, "sat").solution)
    stem = name.removesuffix(".txt").replace("_", "-")
    golden(f"{stem}.txt", f"{to_text(milp_pips.draw(puzzle))}\n{to_text(solved)}")


def test_a_file_loads_the_core_and_its_own_family_alone():
    code = (
        "import sys, milp_pips;"
        f"milp_pips.read({str(EXAMPLES / 'binairo.txt')!r});"
        "print(*sorted(m for m in sys.modules if m.startswith('milp_pips.extras.') or '.sudoku' in m))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = "milp_pips.extras.families milp_pips.extras.families.binairo milp_pips.extras.families.boards"
    assert run.stdout.split() == loaded.split()
