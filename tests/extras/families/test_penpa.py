"""Links of Penpa+: what the tests write as the site does is read, and everything else is refused by name."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thoroughness import examples

import milp_pips
from milp_pips.cli import main
from milp_pips.extras.families.penpa import LONGEST_PENPA

SITE = "https://swaroopg92.github.io/penpa-edit/#m=edit&p="
SUDOKU = Path(__file__).parents[3] / "examples" / "sudoku"


def deflated(text):
    squeezer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return b64encode(squeezer.compress(text.encode()) + squeezer.flush()).decode()


class Board:
    """A drawing on a board with margins, as the site numbers its places."""

    def __init__(self, rows, columns, margin=0):
        self.rows, self.columns, self.margin = rows + 2 * margin, columns + 2 * margin, margin
        self.parts = {name: {} for name in ("zS", "zN", "z1", "zY", "zL", "zE")}

    def at(self, r, c, corner=0):
        width, height, shift = self.columns + 4, self.rows + 4, self.margin + 2
        return corner * width * height + (r + shift) * width + c + shift

    def numbers(self, numbers):
        self.parts["zN"] = {str(self.at(*place)): [number, 1, "1"] for place, number in numbers.items()}
        return self

    def link(self, tag="", kind="square", flags="0,0,0,0", site=SITE, **more):
        parts = {"zR": {"z_": []}, **self.parts, "zT": [], **more}
        lines = ["x"] * 18
        lines[0] = f"{kind},{self.columns},{self.rows},38,0,1,1,9,9,9,9,{flags},Title: ,Author: ,,,OFF,false"
        lines[1] = json.dumps([self.margin] * 4)
        lines[3] = json.dumps(parts).replace("null", "zO")
        for name in (*parts, "z_"):
            lines[3] = lines[3].replace(f'"{name}"', name)
        lines[17] = json.dumps([tag] if tag else [])
        return site + deflated("\n".join(lines))

    def borders(self, region):
        """Draw the borders between cells in different regions, some of which have no region."""
        for r, c in list(region):
            for end, other, start in (((r, c), (r, c + 1), (r - 1, c)), ((r, c), (r + 1, c), (r, c - 1))):
                if region.get(other, region.get(end)) != region.get(end):
                    self.parts["zE"][f"{self.at(*start, 1)},{self.at(*end, 1)}"] = 2
        return self


def sudoku(name):
    """Return the puzzle, and its link: givens, and borders between its regions."""
    puzzle = milp_pips.read(SUDOKU / f"{name}.txt")
    n = puzzle.size
    board = Board(n, n).numbers(
        {(r, c): int(given) for r, row in enumerate(puzzle.givens) for c, given in enumerate(row) if given}
    )
    return puzzle, board.borders({place: i for i, each in enumerate(puzzle.regions) for place in each.cells})


@pytest.mark.parametrize(
    ("name", "tag"), [("ordinary", "classic"), ("jigsaw", "irregular"), ("ordinary", "")]
)
def test_sudokus(name, tag):
    puzzle, board = sudoku(name)
    read = milp_pips.read(board.link(tag, kind="sudoku"))
    assert read.givens == puzzle.givens
    assert {each.cells for each in read.regions} == {each.cells for each in puzzle.regions}


SKYSCRAPERS = {(-1, 1): 3, (4, 0): "2", (0, -1): 1, (2, 4): 2, (1, 1): 4}
MARKS = {
    "skyscrapers": "# . 3 . . #\n1 . . . . .\n. . 4 . . .\n. . . . . 2\n. . . . . .\n# 2 . . . #",
    "slitherlink": "3 . .\n. 2 .\n. . 1",
    "kakuro": "# 4\\ 3\\\n\\3 . .\n\\4 . .",
    "binairo": "0 . . 1\n. . . .\n. 1 . .\n. . 0 .",
    "star-battle": "1 1 2 2\n1 3 2 2\n3 3 3 2\n4 4 4 4",
}


def drawn(family):
    if family == "skyscrapers":
        return Board(4, 4, margin=1).numbers(SKYSCRAPERS)
    if family == "slitherlink":
        return Board(3, 3, margin=2).numbers({(0, 0): 3, (1, 1): 2, (2, 2): 1})
    if family == "star-battle":  # as the site writes it: the number, then a star
        rows = [line.split() for line in MARKS[family].splitlines()]
        board = Board(4, 4, margin=1).numbers({(-1, 2): 1})
        board.parts["zY"] = {str(board.at(-1, 3)): [2, "star", 2]}
        return board.borders({(r, c): rows[r][c] for r in range(4) for c in range(4)})
    board = Board(*((3, 3) if family == "kakuro" else (4, 4)))
    if family == "kakuro":
        closed = [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)]
        board.parts["zY"] = {str(board.at(*place)): [1 + (place == (0, 0)), "kakuro", 2] for place in closed}
        sums = {(0, 1, 2): 4, (0, 2, 2): 3, (1, 0, 1): 3, (2, 0, 1): 4}
        board.parts["z1"] = {
            str(4 * board.at(r, c, 1) + corner): [str(n), 4] for (r, c, corner), n in sums.items()
        }
        return board
    circles = {(0, 0): 1, (0, 3): 2, (2, 1): 2}
    board.parts["zY"] = {str(board.at(*place)): [style, "circle_M", 2] for place, style in circles.items()}
    return board.numbers({(3, 2): 0})


@pytest.mark.parametrize("family", MARKS)
def test_boards(family):
    heading = "star-battle 1" if family == "star-battle" else family
    same = milp_pips.read_text(f"{heading}\n{MARKS[family]}\n")[""]
    assert milp_pips.read(drawn(family).link(family.replace("-", ""))) == same
    assert milp_pips.read(drawn(family).link(site=f"{SITE[:-2]}genre={family}&p=")) == same
    assert milp_pips.read(drawn(family).link(), family=family) == same


def test_the_family_is_an_option_for_a_link_without_a_tag(capsys):
    link = Board(4, 4).numbers({(0, 0): 0, (3, 3): 1}).link()
    assert main(["solve", link, "--family", "binairo", "--unique"]) == 0
    assert "one of 16 grids" in capsys.readouterr().out
    assert main(["solve", link, "--family", "slitherlink"]) == 0
    assert "slitherlink: solved" in capsys.readouterr().out
    assert main(["solve", link, "--family", "kakuro"]) == 2
    assert capsys.readouterr().err == (
        "milp-pips: link: the link has numbers, which are not read for a kakuro; "
        "expected symbols and numbers in corners\n"
    )
    assert main(["solve", link, "--family", "pips"]) == 2
    assert '"pips"' in capsys.readouterr().err


BOARD = Board(3, 3).numbers({(0, 0): 3})
KAKURO, STARS = drawn("kakuro"), drawn("star-battle")


@pytest.mark.parametrize(
    ("link", "message"),
    [
        (SITE[:-2], "the link contains no puzzle; expected a link with p=…"),
        (SITE + "?!", "the link cannot be decompressed; expected a link as the site writes it"),
        (BOARD.link("slitherlink")[:200], "the link cannot be decompressed; expected"),
        (SITE + deflated("square,3,3"), "the link ends too early; expected a whole link"),
        (
            BOARD.link(),
            "the link does not tell the kind of its puzzle; expected --family, or genre=… before p=…, with "
            "one of sudoku, skyscrapers, slitherlink, binairo",
        ),
        (BOARD.link("tapa"), 'the link is for a puzzle that is not read: "tapa"'),
        (
            BOARD.link(zY={"20": [1, "circle_L", 1]}),
            "--family, or genre=… before p=…, with one of binairo, star-battle",
        ),
        (BOARD.link("starbattle"), "the number of stars is not in the margin, or something else is drawn;"),
        (
            STARS.link("starbattle", zY={str(STARS.at(0, 0)): [2, "star", 2]}),
            "the number of stars is not in the margin, or something else is drawn; expected one",
        ),
        (BOARD.link("slitherlink", kind="hex"), "the grid is not square, or has options; expected a plain"),
        (BOARD.link("classic", flags="1,0,0,0"), "the grid is not square, or has options; expected a plain"),
        (
            BOARD.link("slitherlink", zS={"20": 1}),
            "the link has shading, which are not read for a slitherlink",
        ),
        (BOARD.link("classic", z6=[[30, 31]]), "the link has killer cages, which are not read for a sudoku"),
        (BOARD.link("slitherlink", zX={"20": 1}), 'the link has "zX", which are not read for a slitherlink'),
        (
            BOARD.link("slitherlink", zN={"x": [1, 1, "1"]}),
            '"x" is not a place of the board; expected a link',
        ),
        (BOARD.link("slitherlink", zN={"999": [1, 1, "1"]}), '"999" is not a place of the board; expected'),
        (BOARD.link("slitherlink", zN={"0": [1, 1, "1"]}), "there is a mark outside the board, in row -1;"),
        (BOARD.link("slitherlink", zN={"16": [1, 1, "7"]}), 'zN["16"][0]: the cell has 1; expected a number'),
        (
            BOARD.link("slitherlink", zN={"16": ["?", 1, "1"]}),
            'zN["16"][0]: the cell has "?"; expected a number',
        ),
        (BOARD.link("slitherlink", zN=3), "zN: this is 3; expected an object"),
        (
            BOARD.link("binairo", zY={"16": [1, "star", 2]}),
            'zY["16"][1]: the symbol is "star"; expected circle',
        ),
        (
            BOARD.link("classic", zE={"65,80": 2}),
            '"65,80" is not a border between two cells; expected a link',
        ),
        (Board(3, 4).link("classic"), "the Sudoku has 3 rows of 4 cells; expected a link as"),
        (Board(60, 60).link("slitherlink"), "the board has 60 rows of 60 cells; expected 1 to 2,500 cells"),
        (KAKURO.link("kakuro", z1={"3": ["5", 1]}), '"0" is not a place of the board'),
        (
            KAKURO.link("kakuro", z1={str(4 * KAKURO.at(1, 1, 1) + 1): ["5", 1]}),
            'the sum is "5"; expected a number',
        ),
        (SITE + deflated("a" * (LONGEST_PENPA + 1)), "the link is too long; expected at most 500,000 bytes"),
    ],
)
def test_a_faulty_link_gets_one_line(link, message, capsys):
    assert main(["solve", link]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.startswith("milp-pips: link: ")
    assert said.count("\n") == 1


@examples(20)
@given(
    st.sampled_from(list(MARKS)),
    st.text('{[,:"]}0123zNY1 ', max_size=60),
    st.text("square,01234", max_size=9),
)
def test_any_text_is_read_or_refused(family, drawing, header):
    text = f"square,3,3{header},38,0,1,1,9,9,9,9,0,0,0,0\n[0,0,0,0]\n\n{drawing}"
    with suppress(milp_pips.InputError):  # it raises nothing else
        milp_pips.read(f"{SITE[:-2]}genre={family}&p={deflated(text)}")
