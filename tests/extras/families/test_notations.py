"""Files of other programs and game IDs: the puzzles that they hold, and the refusal of others."""

from __future__ import annotations

import json
import re

import pytest

import milp_pips
from milp_pips.extras.families.tatham import TATHAM_PAGE

CELLS = "".join(str((3 * (r % 3) + r // 3 + c) % 9 + 1) for r in range(9) for c in range(9))
OPEN = CELLS[:40] + "." + CELLS[41:]
ROWS = "\n".join(OPEN[i : i + 9] for i in range(0, 81, 9))


def read(text: str):
    return milp_pips.read_text(text, "f.txt")


@pytest.mark.parametrize(
    "text",
    [
        OPEN,
        f"{OPEN},{CELLS}\n",
        f"#AName\n#DWords\n{ROWS}\n",
        f"[Puzzle]\n{ROWS}\n[State]\n{ROWS}\n",
        f'<?xml version="1.0"?><opensudoku><game data="{OPEN.replace(".", "0")}"/></opensudoku>',
        "solo:3x3:" + "_".join(CELLS[:40]) + "a" + "_".join(CELLS[41:]),
        "SAVEFILE:1:x\nGAME    :4:Solo\nPARAMS  :3:3x3\nDESC    :9:"
        f"{'_'.join(CELLS[:40])}a{'_'.join(CELLS[41:])}\n",
    ],
)
def test_a_sudoku_is_read_from_files_of_other_programs(text):
    assert read(text) == {"": read(f"sudoku\n{ROWS}\n")[""]}


def test_a_file_may_have_several_sudokus():
    puzzles = read(f"{OPEN}\n# a comment\n{CELLS};easy\n{OPEN.replace('.', '*')}\n")
    assert {level: puzzle.name for level, puzzle in puzzles.items()} == {"1": "f-1", "2": "f-2", "3": "f-3"}
    assert puzzles["1"].givens == puzzles["3"].givens != puzzles["2"].givens
    assert milp_pips.read_text(f"{OPEN}\n{CELLS}\n", "f", "2")["2"] == puzzles["2"]


OTHER = CELLS[:10] + "." + CELLS[11:]
OTHER_ROWS = "\n".join(OTHER[i : i + 9] for i in range(0, 81, 9))
BOXED = [f"|{row[:3]}|{row[3:6]}|{row[6:]}|" for row in ROWS.split("\n")]
FIELDS = "".join(f"{digit}|0|{int(digit == '0')}|" for digit in OPEN.replace(".", "0"))


@pytest.mark.parametrize(
    "text",
    [
        f"# a comment\n{OPEN}\n\n{OTHER} # hard\n",
        f"My collection\n{OPEN}\tfirst\n{OTHER}\tsecond\n",
        f"; from elsewhere\n1 {OPEN}\n2 {OTHER}\n",
        f"// made by hand\r\n{OPEN}\r\n{OTHER}\r\n",
        f"quizzes,solutions\n{OPEN.replace('.', '0')},{CELLS}\n{OTHER.replace('.', '0')},{CELLS}\n",
        f"id,puzzle,solution,clues\n1,{OPEN},{CELLS},80\n2,{OTHER},{CELLS},80\n",
        f'"{OPEN}","{CELLS}"\n"{OTHER}","{CELLS}"\n',
        f'puzzles = ["{OPEN}", "{OTHER}"]',
        f"['{OPEN}',\n '{OTHER}']",
        f"{ROWS}\n\n{OTHER_ROWS}\n",
        *(f"{OPEN.replace('.', mark)}\n{OTHER.replace('.', mark)}\n" for mark in "0*_?-xX"),
        f"Grid 01\n{ROWS.replace('.', '0')}\nGrid 02\n{OTHER_ROWS.replace('.', '0')}\n",
        f"[Author]\nMe\n[Puzzle]\n{ROWS}\n[State]\n{ROWS}\n[Puzzle]\n{OTHER_ROWS}\n",
        f"\ufeff#A Me\r\n#D easy\r\n[puzzle]\r\n{ROWS}\r\n[Puzzle]\r\n{OTHER_ROWS}\r\n",
        "*-----------*\n"
        + "\n".join([*BOXED[:3], "|---+---+---|", *BOXED[3:]])
        + f"\n*-----------*\n{OTHER_ROWS}",
        " *-----------*\n "
        + "\n ".join([*BOXED[:3], "|---+---+---|", *BOXED[3:]])
        + f"\n *-----------*\n{OTHER_ROWS}",
        f"\ufeff<?xml version='1.0'?>\r\n<!-- mine -->\r\n<opensudoku version=\"2\"><folder name='x'>"
        f"<game time='0' data = '{OPEN}'/><!-- <game data='{CELLS}'/> --><game data=\"{OTHER}\"/></folder>",
        f'<opensudoku><game data="version: 2&#10;{FIELDS}"/><game data="{OTHER}"/></opensudoku>',
    ],
)
def test_oddities_of_files_with_several_sudokus(text):
    puzzles = read(text)
    assert [puzzle.givens for puzzle in puzzles.values()] == [
        read(f"sudoku\n{rows}\n")[""].givens for rows in (ROWS, OTHER_ROWS)
    ]


def test_digits_of_the_player_and_candidates_are_no_givens():
    game = "1 u2 34 5 6 789 7 8 9\n" + "123456789 u1 2 3 4 5 6 7 12\n" * 8
    same = milp_pips.read_text("1..56.789\n" + "..234567.\n" * 8, "f.sdk")
    assert milp_pips.read_text(game, "f.sdx") == same


@pytest.mark.parametrize("ending", ["sdk", "sdm", "ss", "SDK"])
def test_the_ending_of_a_file_of_others_is_enough(ending):
    assert milp_pips.read_text(CELLS[:80] + "0", f"f.{ending}")[""].family == "sudoku"
    assert (
        milp_pips.read_text(f"{ROWS.replace('.', '0')}\n", f"f.{ending}")[""] == read(f"sudoku\n{ROWS}")[""]
    )
    assert milp_pips.read_text(f"sudoku\n{ROWS}", f"f.{ending}")[""] == read(f"sudoku\n{ROWS}")[""]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffwidth 3\r\nheight 2\r\nrows\r\n1,1\r\n0\r\ncolumns\r\n1\r\n0\r\n1\r\n",
        "# mine\nWidth: 3\nHeight: 2\nRows:\n1 1 # two\n-\nColumns:\n# left\n1\n-\n1\n",
        "columns\n1\n0\n1\nrows\n1, 1\n0\n",
        "width 3\nheight 2\n\nrows\n1,1\n\n\ncolumns\n1\n\n1\n\ngoal 101000",
        'catalogue "x"\nby "me"\ncopyright 2004\nwidth 3\nheight 2\n\ncolumns\n\n1\n0\n1\n\nrows\n\n1,1\n0\n',
        "width 3\nheight 2\nrows\n1,1,\n0\ncolumns\n1\n0\n1\ngoal\n101\n000\n",
        "rows: 1 1, 0; columns: 1, 0, 1",
        "rows: 1 1 ; 0 ; columns: 1 ; 0 ; 1 # mine",
        "Title: mine\nrow: 1.1, 0\ncol: 1, 0, 1",
        "nonogram\ncolumns: 1, 0, 1\nrows: 1-1, 0",
        "rows = [[1, 1], []]\ncols = [[1], [], [1]]",
        "rows: ['1 1', '0']; columns: [1, 0, 1]",
        '{"name": "mine", "clues": {"rows": [[1, 1], []], "columns": [[1], [], [1]]}}',
    ],
)
def test_oddities_of_nonograms(text):
    assert read(text) == read("width 3\nheight 2\nrows\n1,1\n0\ncolumns\n1\n0\n1\n")


@pytest.mark.parametrize(
    ("identifier", "text"),
    [
        ("unruly:4x4:BDbcf", "binairo\nequal lines\n.1..\n.1.0\n..0.\n....\n"),
        ("unruly:4x4u:q", "binairo\n" + "....\n" * 4),
        ("towers:3:1///3///2/////", "skyscrapers\n# 1 . . #\n2 . . . .\n. . . . .\n. . . . .\n# 3 . . #\n"),
        (
            "towers:3de:///////////,a2_3f",
            "skyscrapers\n# . . . #\n. . 2 3 .\n. . . . .\n. . . . .\n# . . . #\n",
        ),
        ("loopy:4x2t0dh:3a12c0", "slitherlink\n3.12\n...0\n"),
        ("solo:2x2:1c4k", "sudoku\n1...\n4...\n" + "....\n" * 2),
        ("solo:2x3:zj", "sudoku\n" + "......\n" * 6),
        ("solo:2x2xr4dt:1o", "sudoku\ndiagonals\n1...\n" + "....\n" * 3),
        ("dominosa:1:001101", "dominosa\n001\n101\n"),
        (
            "pattern:2x1:1//1",
            "colour grid\ncolours w white, b black\nrows\n/w*b{1}w*/\ncolumns\n/w*b{1}w*/\n/w*w*/\n",
        ),
    ],
)
def test_game_ids_are_read(identifier, text):
    assert read(identifier) == read(text)
    game, _, rest = identifier.partition(":")
    page = f"https://www.chiark.greenend.org.uk/~sgtatham/puzzles/js/{game}.html#{rest}"
    assert milp_pips.read(page) == next(iter(milp_pips.read_text(identifier, "link").values()))


def test_a_file_may_have_several_links_and_game_ids():
    first, second = "https://puzz.link/p?slither/2/2/j", "unruly:4x4u:q"
    puzzles = read(f"# easy\n{first}\n\n# hard\n{second}\n")
    assert list(puzzles) == ["1", "2"]
    assert [puzzles["1"].rows, puzzles["2"].rows] == [read(one)[""].rows for one in (first, second)]


def test_a_link_below_a_comment_is_read():
    link = "https://puzz.link/p?sudoku/4/4/v"
    assert read(f"# mine\r\n{link}\r\n") == read(link)
    assert read(f"# mine\n{link}")[""].is_unmarked


def test_a_list_of_which_one_has_a_place_for_variants_is_not_unmarked():
    link = "https://puzz.link/p?sudoku/4/4/v"
    assert [puzzle.is_unmarked for puzzle in read(f"{link} {link}").values()] == [True, True]
    assert [puzzle.is_unmarked for puzzle in read(f"{link} solo:2x2:p").values()] == [False, False]


def test_links_of_a_list_may_stand_in_quotation_marks():
    link = "https://puzz.link/p?slither/2/2/j"
    assert read(f'"{link}"\n"{link}"') == read(f"{link}\n{link}")


def test_a_list_of_links_says_which_one_is_faulty():
    with pytest.raises(milp_pips.InputError, match="link 2: the link ends too early"):
        read("https://puzz.link/p?slither/2/2/j https://puzz.link/p?slither/2/2/i")


def test_a_seed_without_the_name_of_its_game_is_refused_as_a_seed():
    with pytest.raises(milp_pips.InputError, match=r"a random seed \(#\) contains no puzzle"):
        milp_pips.read_text("8x8dn#12345", family="binairo")


def test_jigsaws_and_cages_of_game_ids_are_read():
    jigsaw = read("solo:2j:d,__b")  # borders in both rows, none in the columns
    assert [region.cells for region in jigsaw[""].regions] == [((0, 0), (1, 0)), ((0, 1), (1, 1))]
    killer = read(f"solo:2x2k:p,l{'_' * 12},10c10c10c10c")[""]  # open in the rows, borders in the columns
    assert [(cage.cells[-1], cage.total) for cage in killer.cages] == [((r, 3), 10) for r in range(4)]


@pytest.mark.parametrize(
    "text",
    [
        "binairo\n" + "." * 60 + "\n" + "." * 58 + "10\n",
        "binairo\nequal lines\n0..1\n....\n",
        "skyscrapers\n# 1 . 2 #\n. . 2 3 .\n3 . . . .\n. . . . 1\n# . . 2 #\n",
        "skyscrapers\n# 1 . #\n. . . .\n. . . .\n# . . #\n",
        "slitherlink\n" + f"{'.' * 30}3\n" * 2,
        "kakuro\n5\\ # 17\\\n. # .\n. . .\n",
        "star-battle 2\nAB\nAB\n",
        "skyscrapers\ndiagonals\nheights 1\n# . . #\n. - . .\n. . . .\n# . . #\n",
    ],
)
def test_boards_are_written_as_text_and_as_links(text):
    puzzle = read(text)[""]
    assert read(milp_pips.convert(puzzle, "text"))[""] == puzzle
    if puzzle.family in ("kakuro", "star-battle"):
        with pytest.raises(milp_pips.UsageError, match="unknown format 'tatham'; known: text"):
            milp_pips.convert(puzzle, "tatham")
    elif "diagonals" in text:
        with pytest.raises(milp_pips.UsageError, match="the game towers has no variant 'diagonals'"):
            milp_pips.convert(puzzle, "tatham")
    else:
        assert read(milp_pips.convert(puzzle, "tatham"))[""] == puzzle


@pytest.mark.parametrize(
    "text",
    [
        "sudoku\n12..\n....\n..3.\n...4\n",
        "sudoku\n123456\n......\n......\n......\n......\n......\nboxes 3 2\n",
        f"sudoku\ndiagonals\n{ROWS}\n",
        "sudoku\n" + ". . . . . . . . . . . 12\n" * 12,
        "sudoku\nregions\n1112\n1322\n3324\n3444\ngivens\n1...\n....\n....\n....\n",
        "sudoku\ncages\naabb\nacbd\neccd\neffd\na 7\nb 8\nc 9\nd 5\ne 6\nf 5\n",
        "sudoku\ncages\n"
        + "".join(f"{r}" * 9 + "\n" for r in range(1, 10))
        + "".join(f"{r} 45\n" for r in range(1, 10)),
        "dominosa\n0011\n0221\n0122\n",
        "dominosa\n001\n101\n",
    ],
)
def test_sudokus_and_dominosas_are_written_as_links(text):
    puzzle = read(text)[""]
    again = read(milp_pips.convert(puzzle, "tatham"))[""]
    assert milp_pips.convert(again, "tatham") == milp_pips.convert(puzzle, "tatham")
    if puzzle.family == "pips" or not (puzzle.cages or "regions" in text):
        assert again == puzzle  # the labels of cages and regions are numbers
    else:
        assert again.givens == puzzle.givens
        assert {cage[1:] for cage in again.cages} == {cage[1:] for cage in puzzle.cages}
        assert {region.cells for region in again.regions} == {region.cells for region in puzzle.regions}


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("sudoku\n....\n....\n....\n....\nsymbols a b c d\n", "solo has the numbers from 1 alone"),
        (
            "sudoku\n....\n....\n....\n....\nboxes 1 4\n",
            "solo has boxes, or connected regions that cover the board",
        ),
        (
            "sudoku\n....\n....\n....\n....\ngroups\na...\n.a..\n....\n....\n",
            "solo has no groups but the two diagonals",
        ),
        (
            "sudoku\n....\n....\n....\n....\ncages\naa..\n....\n....\n....\na 4\n",
            "solo has only cages without repeats that cover a board of at most 9 rows",
        ),
        (
            "2\nAB\nAB\n2\nA =\nB SUM 3\n0 0\n1 2\n",
            "dominosa has one domino of each kind, on rows one longer than their number, with all pips given",
        ),
    ],
)
def test_what_a_game_lacks_is_not_written(text, has):
    with pytest.raises(milp_pips.UsageError) as refusal:
        milp_pips.convert(read(text)[""], "tatham")
    assert str(refusal.value) == f"f: the game {has}"


def test_the_family_stands_for_a_first_line_that_a_file_lacks():
    rows = "01..\n....\n....\n..1.\n"
    named = milp_pips.read_text(f"binairo\n{rows}")[""]
    assert milp_pips.read_text(rows, family="binairo")[""] == named
    assert milp_pips.read_text(f"binairo\n{rows}", family="binairo")[""] == named
    assert milp_pips.read_text(ROWS, family="sudoku", variant="diagonals")[""].groups
    with pytest.raises(milp_pips.InputError, match=r'^f:2: a cell is "2"; expected 0, 1'):
        milp_pips.read_text("01..\n.2..\n....\n..1.\n", "f", family="binairo")
    with pytest.raises(
        milp_pips.InputError, match="this is a puzzle of the family slitherlink; expected kakuro"
    ):
        milp_pips.read_text("loopy:2x2t0:3c", "f", family="kakuro")


def test_a_link_without_a_place_for_variants_says_so_when_it_has_several_solutions():
    link = "https://puzz.link/p?skyscrapers/4/4/v"
    plain, marked = milp_pips.read(link), milp_pips.read(link, variant="diagonals")
    assert milp_pips.solve(plain, unique=True).remark == (
        "the link marks no variant, such as --variant diagonals"
    )
    assert "the link marks no variant" in str(milp_pips.count(plain))
    assert milp_pips.solve(marked, unique=True).remark == ""
    assert milp_pips.solve(read(milp_pips.convert(plain, "text"))[""], unique=True).remark == ""


TABLE = [["0" if mark == "." else mark for mark in row] for row in ROWS.split("\n")]
SIDES = [" ".join([row[0], *row[1:3], "│", *row[3:6], "│", *row[6:]]).replace("0", ".") for row in TABLE]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(map(",".join, TABLE)),
        "\n".join(",".join(row).replace("0", "") for row in TABLE),
        "\r\n".join("\t".join(row) for row in TABLE),
        "\n".join(";".join(f'"{mark}"' for mark in row) for row in TABLE),
        json.dumps([[int(mark) or None for mark in row] for row in TABLE]),
        json.dumps(["".join(row) for row in TABLE], indent=1),
        str([[int(mark) for mark in row] for row in TABLE]),
        "".join(f"({', '.join(row)},),\n" for row in TABLE).join(["(", ")"]),
        "┌───────┬───────┬───────┐\n"
        + "".join(f"│ {row} │\n" for row in SIDES)
        + "└───────┴───────┴───────┘",
        "+-------+-------+-------+\n" + "".join(f"| {row.replace('│', '|')} |\n" for row in SIDES),
        "\n".join(row.replace("│", "|") for row in SIDES),
        ROWS,
        "9\n" + "\n".join(" ".join(row) for row in TABLE),
        "\n".join(f"{row[:3]} {row[3:6]} {row[6:]}" for row in map("".join, TABLE)),
        "\n".join(f"|{'|'.join(row)}|".replace("0", " ") for row in TABLE),
        "grid = [\n" + "".join(f'  "{row}",\n' for row in ROWS.split("\n")) + "]\n",
        "start = [|\n" + ",|\n".join(map(", ".join, TABLE)) + "|];\n",
        json.dumps({"level": "hard", "grid": [[int(mark) for mark in row] for row in TABLE]}),
        json.dumps({"puzzle": ROWS.replace("\n", "")}),
    ],
)
def test_a_table_is_a_sudoku(text):
    assert read(text) == read(f"sudoku\n{ROWS}\n")


@pytest.mark.parametrize(
    ("beside", "rule"),
    [
        ({"cages": [{"cells": [[0, 0], [0, 1]], "sum": 4}]}, "cages.cells"),
        ({"thermos": [[[0, 0], [0, 1]]]}, "thermos"),
        ({"diagonals": True}, "diagonals"),
        ({"variant": "antiknight"}, "variant"),
        ({"solution": [[1]], "cages": [], "diagonals": False}, ""),
    ],
)
@pytest.mark.parametrize("table", [TABLE, "".join(map("".join, TABLE)), {"rows": TABLE}])
def test_rules_beside_a_table_in_json_are_refused(table, beside, rule):
    text = json.dumps({"puzzle": table} | beside)
    if not rule:
        assert read(text) == read(f"sudoku\n{ROWS}\n")
        return
    with pytest.raises(milp_pips.InputError, match=f'"{rule}" may be a rule'):
        milp_pips.read_text(text, "f")


@pytest.mark.parametrize(
    "rows", ["3.2.1....\n" + "........." * 8, ("12..34...\n" * 9), "0.5......\n" * 9, "12..56\n......\n" * 3]
)
def test_rows_that_may_be_another_puzzle_are_no_sudoku(rows):
    with pytest.raises(milp_pips.InputError, match="f:"):
        milp_pips.read_text(rows, "f")


@pytest.mark.parametrize(
    ("length", "marks"), [(36, "1....2.6"), (256, "1.9AG.g"), (625, "9.AP"), (625, "A.Y")]
)
def test_a_line_of_as_many_cells_as_another_board_is_a_sudoku(length, marks):
    size, puzzle = round(length**0.5), read(marks + "." * (length - len(marks)))[""]
    first = "1ABCDEFGHIJKLMNOPQRSTUVWXY" if marks == "A.Y" else ".123456789ABCDEFGHIJKLMNOP"
    numbers = ["." if mark == "." else str(first.index(mark.upper())) for mark in marks]
    row = [*numbers, *"." * (size - len(numbers))][:size]
    rest = [*numbers[size:], *"." * size][:size]
    rows = [row, rest, *[["."] * size] * (size - 2)]
    assert puzzle == read("sudoku\n" + "".join(f"{' '.join(row)}\n" for row in rows))[""]


@pytest.mark.parametrize(
    "text",
    [
        '{"rows": [[1, 1], [0]], "columns": [[1], [], [1]]}',
        '{"width": 3, "height": 2, "row": [[1, 1], []], "cols": [[1], [0], [1]]}',
        ": rows\n1 1\n0\n: columns\n1\n0\n1\n",
        "rows\n1 1\n0\ncols\n1\n0\n1\n",
        "Rows: 1 1, 0\nColumns: 1, 0, 1\n",
        "rows: 1,1 / 0\ncols: 1 / 0 / 1\n",
        'color 0 "white"\ncolor b "black"\nwidth 3\nheight 2\nrows\n1,1\n0\ncolumns\n1\n0\n1\n',
        '<?xml version="1.0"?><!DOCTYPE pbn SYSTEM "x.dtd"><puzzleset><puzzle><clues type="columns">'
        "<line><count>1</count></line><line/><line><count>1</count></line></clues><clues type='rows'>"
        '<line><count color="black">1</count><count>1</count></line><line></line></clues></puzzle>\n',
    ],
)
def test_clues_in_other_forms_are_a_nonogram(text):
    assert read(text) == read("width 3\nheight 2\nrows\n1,1\n0\ncolumns\n1\n0\n1\n")


@pytest.mark.parametrize(
    "text",
    ["Loopy: 4x2:3a12c0", "LOOPY:4x2:3a12c0", TATHAM_PAGE + "loopy.html#4x2%3A3a12c0"],
)
def test_game_ids_may_be_typed_in_other_ways(text):
    assert read(text) == read("slitherlink\n3.12\n...0\n")


def test_the_family_tells_the_game_of_a_bare_id():
    bare = milp_pips.read_text("4x2:3a12c0", family="slitherlink")
    assert bare == milp_pips.read_text("slitherlink\n3.12\n...0\n")


def test_a_puzzle_on_a_board_is_called_like_its_file():
    assert milp_pips.read_text("slitherlink\n3.\n..\n", "here/monday 7.txt")[""].name == "monday 7"
    assert milp_pips.read_text("slitherlink\n3.\n..\n")[""].name == "slitherlink"


def test_a_nonogram_is_read():
    text = 'title "x"\nwidth 3\nheight 2\n\nrows\n1,1\n0\n\ncolumns\n1\n0\n1\n\ngoal "101000"\n'
    puzzle = read(text)[""]
    assert [tuple(row) for row in milp_pips.solve(puzzle).solution] == [("b", "w", "b"), ("w", "w", "w")]
    assert milp_pips.count(puzzle).counts["grid"] == 1


def test_dominosa_is_a_puzzle_of_pips_with_all_values_given():
    assert milp_pips.count(read("dominosa\n001\n101\n")[""]).counts["placement"] == 2
    assert milp_pips.count(read("dominosa\n0 0 .\n1 1 0\n. . 1\n")[""]).counts["placement"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{OPEN}\n12\n", 'f.txt:2: this is "12"; expected the 81 cells of a Sudoku, or a row of nine'),
        ("<opensudoku></opensudoku>", 'f.txt: no game has a Sudoku; expected data="…" with 81 digits'),
        (f"[Puzzle]\n{ROWS[:50]}\n", "f.txt:6: the last Sudoku has 5 rows; expected 9"),
        (
            f"Grid 1\n{ROWS[:79]}\nGrid 2\n{ROWS}\n{ROWS[:10]}",
            "f.txt:10: the Sudoku above this line has 8 rows; expected 9",
        ),
        (
            '<opensudoku><game data="12"/></opensudoku>',
            'f.txt: game 1 has the data "12"; expected 81 digits, or a version and fields for 81 cells',
        ),
        (
            "dominosa\n01\n",
            "f.txt:2: there are 2 cells and numbers up to 1; expected 6 cells, two for each domino",
        ),
        ("dominosa\n0x\n", 'f.txt:2: a cell is "x"; expected 0 to 25, or . for none'),
        (
            "width 2\nheight 2\nrows\n1\ncolumns\n1\n1\n",
            "f.txt:7: there are 1 clues of rows; expected 2",
        ),
        (
            "width 1\ncolor a\nrows\n1\ncolumns\n1\n",
            "f.txt:2: the nonogram has colours; expected black and white",
        ),
        (
            "height 1\n2\nrows\n1\ncolumns\n1\n",
            'f.txt:2: this is "2"; expected rows or columns above the clues',
        ),
        ("towers:2:/", "f.txt: towers: there are 2 clues; expected 8"),
        (
            "unruly:2x2:aZ",
            "f.txt: unruly: the clues do not fit the board; expected an ID as the program shows it",
        ),
        ("unruly:2x2:a1", 'f.txt: unruly: this is not a clue: "1"; expected an ID as the program shows it'),
        ("loopy:3x3t1:a", "f.txt: loopy: the grid is not one of squares; expected the type t0"),
        ("loopy:3x3:a", "f.txt: loopy: there are 1 cells; expected 9"),
        ("loopy:99x99:a", 'f.txt: loopy: the size is "99x99"; expected at most 2,500 cells'),
        ("solo:2x2:A", 'f.txt: solo: this is not a clue: "A"; expected an ID as the program shows it'),
        ("solo:2j:d,a", 'f.txt: solo: these are not borders: "a"; expected an ID as the program shows it'),
        (
            "solo:2x2k:p",
            'f.txt: solo: the ID has 1 parts, and the flags "k"; expected an ID as the program shows it',
        ),
        ("pattern:2x2:1/1", "f.txt: pattern: there are 2 clues; expected 4, of runs alone"),
        (
            '<puzzleset><clues type="rows"><line><count color="red">1</count></line></clues></puzzleset>',
            'f.txt: the nonogram has the colour "red"; expected black and white',
        ),
        (
            "<puzzleset></puzzleset>",
            'f.txt: no puzzle has clues of rows and columns; expected <clues type="rows"> with lines',
        ),
        (
            '{"a": {"row": [[1]]}, "b": {"col": [[1]]}}',
            "f.txt:1: this is an object; expected the clues of a line",
        ),
        ("rows: [1], 2\ncolumns: 1", 'f.txt:1: a run is "[1]"; expected a whole number from 0 to 200'),
        ("rows\n-1\ncolumns\n1\n", 'f.txt:2: a run is "-1"; expected a whole number from 0 to 200'),
        (
            "unruly:8x8de#12",
            'f.txt: this is no game ID of unruly: "8x8de#12"; expected parameters:description, as the menu '
            "shows it; a random seed (#) contains no puzzle",
        ),
        (
            "https://www.chiark.greenend.org.uk/~sgtatham/puzzles/js/keen.html#4:a",
            'f.txt: the game "keen" is not read; expected one of unruly, towers, loopy, solo, '
            "dominosa, pattern",
        ),
        (
            "https://www.chiark.greenend.org.uk/~sgtatham/puzzles/js/unruly.html",
            "f.txt: the link contains no puzzle; expected "
            "https://www.chiark.greenend.org.uk/~sgtatham/puzzles/js/GAME.html#ID",
        ),
    ],
)
def test_what_is_faulty_is_refused(text, message):
    with pytest.raises(milp_pips.InputError) as refusal:
        read(text)
    assert str(refusal.value) == message


@pytest.mark.parametrize("unended", ["<game\n", "<!--\n", "<game data\n"])
def test_unended_xml_takes_time_in_proportion_to_its_length(unended):
    """A search to the end of the text from each of them takes minutes here."""
    with pytest.raises(milp_pips.InputError, match="no game has a Sudoku"):
        milp_pips.read_text(f"<opensudoku>\n{unended * 150_000}")


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("12 21 3 4 5 6 7 8 9\n" * 9, "f.sdx", 'f.sdx:1: this is "12 21 3 4 5 6 7 8 9"'),
        (" ".join(["123456789"] * 8 + ["534678912"]), "f.sdk", 'f.sdk:1: this is "123456789 123456789'),
        ("rows\n1\n2\ntop\n7\ncolumns\n2\n1\n", "f.non", 'f.non:5: this is "7"; expected rows or columns'),
        ("rows = [[1, 2]\n, [3]]\ncols = [[1], [2]]", "f.non", 'f.non:2: this is ", [3]]"'),
        (
            "rows\n1\ncolumns\n1\n" * 2,
            "f.non",
            "f.non:5: a second list of rows begins; expected one nonogram",
        ),
        ("rows = 5\ncolumns = 5\n..1..\n", "f.txt", "f.txt:3: rows and columns have one clue each"),
        (
            '{"easy": {"rows": [[1]], "cols": [[1]]}, "hard": {"rows": [[1]], "cols": [[1]]}}',
            "f.json",
            "f.json:1: hard: this is a second nonogram; expected one",
        ),
    ],
)
def test_what_would_be_left_out_is_refused(text, name, message):
    with pytest.raises(milp_pips.InputError, match="^" + re.escape(message)):
        milp_pips.read_text(text, name)


@pytest.mark.parametrize(
    "text",
    [
        "; columns and rows\nrows\n1 ; row: 7\n2\ncolumns\n2 ; column 1\n1\n",
        "Title: rows of 3; columns: 7\nrows: 1, 2\ncolumns: 2, 1\n",
        "(c) 2020 me\n[rows of 2]\nrows\n1\n2\ncolumns\n2\n1\n",
        "rows\n1\n2\ngoal\n01\n11\ncolumns\n2\n1\n",
    ],
)
def test_comments_titles_and_goals_have_no_clues(text):
    assert milp_pips.read_text(text, "f.non") == milp_pips.read_text("rows: 1, 2\ncolumns: 2, 1\n", "f.non")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("f.mk", "2 3\n1 1\n\n#\n1\n0\n1\n"),  # rows, columns
        ("f.nin", "3 2\n1,1\n0\n1\n\n1\n"),  # columns, rows
        ("f.cwd", "2\n3\n1 1\n\n\n1\n\n1\n"),
        ("f.g", "one of Mirek's\n:radky:\n1 1\n0\n:sloupce:\n1\n0\n1\n:konec:\n"),
    ],
)
def test_other_files_of_nonograms_are_read(name, text):
    assert milp_pips.read_text(text, name) == milp_pips.read_text("rows: 1 1, 0\ncolumns: 1, 0, 1", name[:-1])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("Make.mk", "all:\n\techo\n", '1: a size is "all:"; expected a whole number from 1 to 200'),
        ("f.nin", "2\n1 1\n1 1\n", '1: this is "2"; expected the numbers of rows and of columns'),
        ("f.mk", "2 1\n1\n1\n2\n", '4: this is "2"; expected "#" between rows and columns'),
        ("f.cwd", "2\n1\n1\n1\n2\n", '5: this is "2"; expected "" between rows and columns'),
        ("f.nin", "2 2\n2\n1\n2\n", "1: there are 1 clues of columns; expected 2"),
        ("f.nin", "1 2\n1\n1\n2\n1\n", "5: a clue follows those of all columns; expected no more"),
        ("f.g", "1 1\n1\n", '1: this is "1 1"; expected rows or columns above the clues'),
    ],
)
def test_files_of_nonograms_state_what_they_lack(name, text, message):
    with pytest.raises(milp_pips.InputError) as refusal:
        milp_pips.read_text(text, name)
    assert str(refusal.value) == f"{name}:{message}"


def test_headings_of_sections_may_have_blanks():
    state = ROWS.replace(".", "1", 1)
    assert milp_pips.read_text(f"[ State ]\n{state}\n[ Puzzle ]\n{ROWS}\n", "f.sdk") == milp_pips.read_text(
        ROWS, "f.sdk"
    )


def test_many_rows_of_nine_without_a_digit_from_5_on_may_be_another_puzzle():
    rows = "0.3.2...1\n" * 18
    assert milp_pips.read_text(rows, family="slitherlink") == milp_pips.read_text(f"slitherlink\n{rows}")


@pytest.mark.parametrize(
    "text",
    [
        "<!---->" * 5_000 + "x",
        f"# A\n{' ' * 12}\n" * 2_000 + "x",
        f"rows{' ' * 100_000}x",
        f"rows\n1\nrows{' ' * 100_000}x",
        f"Grid{' ' * 100_000}x",
        "\n" * 2_000 + "x",
        f"loopy:10x10t0:{'9' * 200_000}",
        f"solo:3x3:{'9' * 5_000}",
        f"dominosa:6:[{'9' * 5_000}]",
        f"pattern:2x1:{'9' * 5_000}//1",
        "https://" * 20_000 + " x",
        "unruly:1" * 20_000 + " x",
        "rows:" + "\n" * 100_000 + "x",
        "rows: " + "[1," * 100_000 + "\ncolumns: 1",
        "#\n" * 100_000 + "rows",
        "# a\nhttps://x\n" * 30_000 + "x",
        ("123456789" + " " * 50_000) * 3,
    ],
    ids=[
        *("comments of XML", "comments", "a section", "a second section", "a title", "empty lines"),
        *("digits", "a number", "a number in brackets", "a run"),
        *(
            "links",
            "game IDs",
            "lines of clues",
            "lists of clues",
            "signs of comments",
            "links below comments",
            "rows of nine",
        ),
    ],
)
def test_what_begins_like_a_file_of_others_is_refused_in_time_in_proportion_to_its_length(text):
    """A pattern that divides runs of comments or blanks in all ways does not end here."""
    with pytest.raises(milp_pips.InputError):
        read(text)
