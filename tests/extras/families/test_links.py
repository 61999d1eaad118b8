"""Puzzles in links: what an encoder of the tests writes is read back, and faulty links get one line."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from itertools import chain, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thoroughness import examples

import milp_pips
from milp_pips.cli import main
from milp_pips.extras.families.links import LINK_DIGITS, text_of

SITE = "https://puzz.link/p?"


def skipping(clues, skip):
    """Join texts of clues; up to as many places without one as letters are left become one letter."""
    said, empty, most = "", 0, len(LINK_DIGITS) - LINK_DIGITS.index(skip)
    for clue in [*clues, None]:
        while empty and (clue != "" or empty == most):
            said += LINK_DIGITS[LINK_DIGITS.index(skip) + min(empty, most) - 1]
            empty = 0
        if clue == "":
            empty += 1
        else:
            said += clue or ""
    return said


def sixteen(marks):
    return skipping(
        ["" if m == "." else f"{int(m):x}" if int(m) < 16 else f"-{int(m):02x}" for m in marks], "g"
    )


def marks_of(text):
    return [line.split() for line in text.splitlines()[1:]]


boards = st.tuples(st.integers(2, 7), st.integers(2, 7)).flatmap(
    lambda size: st.lists(
        st.lists(st.sampled_from(".....01234"), min_size=size[0], max_size=size[0]),
        min_size=size[1],
        max_size=size[1],
    )
)


@examples(12)
@given(boards)
def test_slitherlink(rows):
    marks = [mark for row in rows for mark in row]
    body, at = [], 0
    while at < len(marks):  # a clue also says whether one or two empty cells follow it
        following = [*marks[at + 1 : at + 3], "x"]
        empty = 0 if marks[at] == "." else 2 if following[:2] == [".", "."] else int(following[0] == ".")
        body.append("" if marks[at] == "." else LINK_DIGITS[int(marks[at]) + 5 * empty])
        at += 1 + empty
    link = f"{SITE}slither/{len(rows[0])}/{len(rows)}/{skipping(body, 'g')}"
    assert marks_of(text_of(link, "link")) == rows


@examples(9)
@given(st.sampled_from([4, 6, 9, 16, 25]), st.randoms(use_true_random=False))
def test_sudoku(size, rng):
    marks = [str(rng.randint(1, size)) if rng.random() < 0.3 else "." for _ in range(size * size)]
    text = text_of(f"{SITE}sudoku/{size}/{size}/{sixteen(marks)}", "link")
    assert list(chain(*marks_of(text))) == marks


@examples(9)
@given(st.integers(1, 18), st.randoms(use_true_random=False), st.booleans())
def test_skyscrapers(n, rng, has_givens):
    def some(count):
        return [str(rng.randint(1, n)) if rng.random() < 0.4 else "." for _ in range(count)]

    above, below, left, right = sides = [some(n) for _ in range(4)]
    givens = some(n * n) if has_givens else ["."] * (n * n)
    body = sixteen(chain(*sides)) + (sixteen(givens) if has_givens else "")
    inner = [[left[r], *givens[r * n : r * n + n], right[r]] for r in range(n)]
    text = text_of(f"{SITE}skyscrapers/{n}/{n}/{body}", "link")
    assert marks_of(text) == [["#", *above, "#"], *inner, ["#", *below, "#"]]


@examples(9)
@given(st.integers(2, 9), st.randoms(use_true_random=False))
def test_star_battle(n, rng):
    """Regions are rows of blocks of random widths, so that the borders tell them apart."""
    regions, number = [], 0
    for _ in range(n):
        cuts = [number := number + (c == 0 or rng.random() < 0.4) for c in range(n)]
        regions.append(cuts if not regions or rng.random() < 0.6 else regions[-1])
    bits = [regions[r][c] != regions[r][c + 1] for r in range(n) for c in range(n - 1)]
    below = [regions[r][c] != regions[r + 1][c] for r in range(n - 1) for c in range(n)]
    body = ""
    for walls in (bits, below):
        for at in range(0, len(walls), 5):
            five = [*walls[at : at + 5], 0, 0, 0, 0][:5]
            body += LINK_DIGITS[sum(wall << 4 - i for i, wall in enumerate(five))]
    text = text_of(f"{SITE}starbattle/{n}/{n}/2/{body}", "link")
    assert text.startswith("star-battle 2\n")
    read, cells = marks_of(text), list(product(range(n), repeat=2))
    for (a, b), (c, d) in product(cells, repeat=2):
        assert (read[a][b] == read[c][d]) == (regions[a][b] == regions[c][d])


def total(number, none="0"):
    return none if not number else LINK_DIGITS[number] if number < 20 else chr(ord("A") + number - 20)


@examples(9)
@given(st.integers(2, 6), st.integers(2, 6), st.randoms(use_true_random=False), st.sampled_from("0-"))
def test_kakuro(width, height, rng, none):
    def some():
        return rng.choice([0, 0, rng.randint(3, 45)])

    cells = [[rng.random() < 0.6 for _ in range(width)] for _ in range(height)]
    sums = {(r, c): (some(), some()) for r in range(height) for c in range(width) if not cells[r][c]}
    above = [some() if cells[0][c] else 0 for c in range(width)]
    left = [some() if cells[r][0] else 0 for r in range(height)]

    def pair(of):
        return "".join(total(number, none) for number in of)

    body = skipping(
        [
            "" if cells[r][c] else "." if sums[r, c] == (0, 0) else pair(sums[r, c])
            for r, c in product(range(height), range(width))
        ],
        "k",
    )
    body += "".join(total(above[c], none) for c in range(width) if cells[0][c])
    body += "".join(total(left[r], none) for r in range(height) if cells[r][0])

    def mark(down, across):
        return f"{down or ''}\\{across or ''}" if down or across else "#"

    expected = [["#", *(mark(number, 0) for number in above)]]
    for r in range(height):
        inner = ["." if cells[r][c] else mark(*sums[r, c]) for c in range(width)]
        expected.append([mark(0, left[r]), *inner])
    assert marks_of(text_of(f"{SITE}kakuro/{width}/{height}/{body}", "link")) == expected


@examples(9)
@given(st.integers(1, 20), st.integers(1, 20), st.randoms(use_true_random=False))
def test_nonogram(width, height, rng):
    rows = [rng.choices(".#", k=width) for _ in range(height)]

    def runs(line):
        return [str(len(run)) for run in "".join(line).split(".") if run]

    sides, body = [list(map(runs, lines)) for lines in (zip(*rows, strict=True), rows)], []
    for side, cells in zip(sides, (height, width), strict=True):
        for clue in side:  # the nearest to the board first
            body += [*clue[::-1], *"." * ((cells + 1) // 2 - len(clue))]
    said = [
        f"{name}: {', '.join(' '.join(clue) or '0' for clue in side)}\n"
        for name, side in zip(("columns", "rows"), sides, strict=True)
    ]
    link = milp_pips.read(f"{SITE}nonogram/{width}/{height}/{sixteen(body)}")
    assert link == milp_pips.read_text("".join(said), "link")[""]


LINK = f"{SITE}slither/3/3/dcb"
"""The clues 3, 2 and 1 with two empty cells after each."""


@pytest.mark.parametrize(
    "link",
    [
        "puzz.link/p?slither/3/3/dcb",
        "<https://puzz.link/p?slither/3/3/dcb>",
        "http://pzv.jp/p.html?slither/3/3/dcb#",
        "https://puzz.link/p?slitherlink/3/3/dcb",
        "https://puzz.link/p?slither_edit/3/3/dcb",
        "http://pzv.jp/p.html?m+slither/3/3/dcb",
        "https://pzprxs.vercel.app/p?slither/v:/3/3/dcb",
        "https://puzz.link/p?slither%2F3%2F3%2Fdcb",
        "https://robx.github.io/pzprjs/p?slither/3/3/dcb",
        "pzplus.tck.mn/p?slither/3/3/dcb",
        "https://puzz.link/p?slither/3/3/dcb&utm_source=mail",
        "http://www.kanpen.net/slitherlink.html?pzpr=/3/3/dcb",
        "kanpen.net/slitherlink.html?problem=3/3/3_._._/2_._._/1_._._/",
    ],
)
def test_links_are_read_as_people_copy_them(link):
    assert milp_pips.read(link) == milp_pips.read("https://puzz.link/p?slither/3/3/dcb")


@pytest.mark.parametrize(
    ("saved", "text"),
    [
        ("pzprv3.1/slither/2/3/3 . - /. 0 . /0 0 0 /0 0 0 /", "slitherlink\n3..\n.0.\n"),
        ("pzprv3\r\nsudoku\r\n4\r\n. 1 . - \r\n" + ". . . .\r\n" * 7, "sudoku\n.1..\n" + "....\n" * 3),
        (
            "pzprv3/kakuro/2/3/0 12 . -1 /3 . . 0,-1 /0 4,0 . . /. . . /",
            "kakuro\n# 12\\ # #\n\\3 . . #\n# \\4 . .\n",
        ),
        ("pzprv3/starbattle/2/2/1/2/0 1 /0 1 /+ . /", "star-battle 1\n01\n01\n"),
        (
            "pzprv3/building/2/2/. 2 . . /1 q2 1 . /. .[,1,2,] 1 . /. . . . /",
            "skyscrapers\n# 2 . #\n1 2 . .\n. . . .\n# . . #\n",
        ),
        (
            "pzprv3/nonogram/2/3/. . c1 . . /. 2 # # + /1 1 # . # /",
            "columns: 1; 0; 0\nrows: 2; 1 1\n",
        ),
        (
            "http://www.kanpen.net/sudoku.html?problem=4/._1_._._/" + "._._._._/" * 3,
            "sudoku\n.1..\n" + "....\n" * 3,
        ),
        (
            "http://www.kanpen.net/kakuro.html?problem=3/4/0_0_0_0/0_1_0_12/1_0_3_0/1_3_0_0/2_1_4_0/",
            "kakuro\n# 12\\ # #\n\\3 . . #\n# \\4 . .\n",
        ),
    ],
)
def test_texts_that_the_editor_saves_and_links_of_kanpen_are_read(saved, text):
    """Answers of the player, which follow or stand in the cells, are not read."""
    assert milp_pips.read_text(saved) == milp_pips.read_text(text)


@pytest.mark.parametrize(
    ("saved", "message"),
    [
        ("pzprv3/masyu/3/3/", 'no puzzles "masyu" are read; expected kakuro, nonogram, skyscrapers'),
        ("pzprv3/sudoku", 'the puzzle has no size: ""; expected size/clues'),
        ("pzprv3/slither/99/99/", 'the puzzle has no size: "99/99"; expected rows/columns/clues, at most'),
        (
            "pzprv3.1/slither/2/3/f/. . . /. . . /",
            "the board does not have 2 rows of 3 marks; expected a text as",
        ),
        ("pzprv3/slither/1/1/. /\npzprv3/slither/1/1/3 /", "a second text follows the first"),
        ("pzprv3/nonogram/2/2/. x . /. . . /. . . /", "a run has no length; expected a text as"),
        (
            "kanpen.net/kakuro.html?problem=9/9/9_9_9_9/",
            'this is no sum: "9 9 9 9"; expected a link of kanpen',
        ),
        ("pzprv3/" + "/" * 500_000, 'no puzzles "" are read'),
        ("pzprv3/sudoku/9/" + ". " * 500_000, "the board does not have 9 rows of 9 marks"),
        ("http://kanpen.net/kakuro.html?problem=9/9/" + "1_1_0_0/" * 60_000 + "x", 'this is no sum: "x"'),
    ],
    ids=lambda value: value[:40],
)
def test_a_faulty_text_of_the_editor_gets_one_line(saved, message):
    with pytest.raises(milp_pips.InputError, match=f"^text: {re.escape(message)}"):
        milp_pips.read_text(saved)


@pytest.mark.parametrize(
    "text",
    ["puzz.link/p?sudoku/4/4/v", "<https://puzz.link/p?sudoku/4/4/v>", "pzprv3/sudoku/4/" + ". . . ./" * 4],
)
def test_several_solutions_come_with_a_note_that_no_variant_is_marked(text):
    (puzzle,) = milp_pips.read_text(text).values()
    assert (
        "the link marks no variant, such as --variant diagonals"
        in milp_pips.solve(puzzle, unique=True).remark
    )


def test_a_link_is_a_file(tmp_path, capsys):
    path = tmp_path / "link.txt"
    path.write_text(f"{LINK}\n", encoding="utf-8")
    found = []
    for word in (LINK, str(path)):
        assert main(["count", word, "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out)["grids"])
    same = milp_pips.read_text("slitherlink\n3..\n2..\n1..\n")[""]
    assert found == [milp_pips.count(same).counts["grid"]] * 2
    assert milp_pips.read(LINK) == same


@pytest.mark.parametrize(
    ("link", "message"),
    [
        (
            "https://example.org/p?slither/3/3/dcb",
            'no puzzles are read from "example.org"; expected a link of',
        ),
        (
            f"{SITE}masyu/3/3/dcb",
            'no puzzles "masyu" are read; expected kakuro, nonogram, skyscrapers, slither',
        ),
        (f"{SITE}slither/3", 'the puzzle has no size: "3"; expected columns/rows/clues, at most 2,500 cells'),
        (f"{SITE}slither/51/50/z", 'the puzzle has no size: "51/50"; expected columns/rows/clues'),
        (f"{SITE}slither/3/3/dc", "the link ends too early; expected a whole link"),
        (f"{SITE}slither/3/3/dcbb", 'the link goes on after the puzzle: "b"; expected a link as the site'),
        (f"{SITE}slither/3/3/dz", "the clues do not fit the board"),
        (f"{SITE}slither/3/3/d%", 'this is not a clue: "%"'),
        (f"{SITE}starbattle/3/3/1/w0", 'these are not borders: "w0"'),
        (f"{SITE}starbattle/3/3/x/0000", 'the number of stars is "x"; expected a whole number from 1 to 9'),
        (f"{SITE}kakuro/2/2/1?m", 'this is not a sum: "?m"'),
        (f"{SITE}nonogram/2/2/.ggg", 'a run has no length: ".ggg"'),
        (f"{SITE}sudoku/5/5/z", "the Sudoku has 5 rows of 5 cells; expected 4, 6, 9, 16 or 25"),
        (f"{SITE}skyscrapers/4/3/z", "the board has 3 rows of 4 cells; expected a square board"),
        (f"{SITE}skyscrapers/2/2/9m", 'a mark is "9"; expected a whole number from 1 to 2'),
    ],
)
def test_a_faulty_link_gets_one_line(link, message, capsys):
    assert main(["solve", link]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"milp-pips: link: {message}")
    assert said.count("\n") == 1


@examples(12)
@given(
    st.sampled_from(["kakuro", "skyscrapers", "slither", "starbattle", "sudoku"]),
    st.text("0123456789abcdefghijklmnopqrstuvwxyzABXYZ-_./%~é\u0660\n ", max_size=40),
)
def test_any_text_is_read_or_refused(name, body):
    link = "".join(f"{SITE}{name}/4/4/{body}".split())
    with suppress(milp_pips.InputError):  # it raises nothing else
        milp_pips.read_text(link, "link")
