from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import milp_pips
from milp_pips.puzzles.family import family_of
from milp_pips.puzzles.pips.puzzle import Layout, Pips, PlacedDomino, Region, Rule, cell_name
from milp_pips.render.svg import to_svg
from milp_pips.render.text import to_text
from milp_pips.render.vocabulary import GREY, Graph, Grid, neighbours

RULES = {"=": Rule.EQ, "≠": Rule.NEQ, "<": Rule.LT, ">": Rule.GT, "≤": Rule.LE, "≥": Rule.GE}


def region(label: str, cells, sign: str) -> Region:
    """A region whose sign is this."""
    number = re.search(r"\d+", sign)
    rule = RULES.get(sign[:1], Rule.SUM) if sign else None
    return Region(label, tuple(cells), rule, int(number[0]) if number else None)


def on_grid(board: str, signs: dict[str, str], dominoes: str = "", name: str = "A board") -> Pips:
    """A puzzle from lines with a letter per cell: ``.`` no cell, ``#`` a cell in no region."""
    letters = {(r, c): x for r, row in enumerate(board.split()) for c, x in enumerate(row) if x != "."}
    regions = [region(x, (p for p in letters if letters[p] == x), sign) for x, sign in signs.items()]
    pairs = [(int(d[0]), int(d[1])) for d in dominoes.split()] or [(0, 1)] * (len(letters) // 2)
    return Pips.on_grid(name, letters, regions, pairs)


def layout(puzzle: Pips, cells: str) -> Layout:
    """The layout with the dominoes, in order, on these cells: ``12`` is row 1, column 2."""
    places = [(int(c[0]), int(c[1])) for c in cells.split()]
    laid = [PlacedDomino(pips, (places[2 * i], places[2 * i + 1])) for i, pips in enumerate(puzzle.dominoes)]
    return Layout({c: v for d in laid for c, v in zip(d.cells, d.pips, strict=True)}, tuple(laid))


def ring() -> Pips:
    """Eight cells in a ring, two of the regions overlap."""
    names = tuple("abcdefgh")
    edges = tuple((names[i], names[(i + 1) % 8]) for i in range(8))
    regions = (region("A", "bcd", "="), region("B", "de", "≥7"), region("C", "fg", ""))
    return Pips("A ring", names, edges, regions, ((0, 1), (1, 1), (6, 2), (0, 3)))


SMALL = on_grid(
    """
    AAB.
    CABB
    CC##
    D.EE
    """,
    {"A": "=", "B": "11", "C": "≠", "D": "<5", "E": ""},
    "22 20 56 04 13 61 34",
)
SOLVED = layout(SMALL, "00 01 11 10 02 12 13 23 20 30 21 22 32 33")

RING = ring()
RING_SOLVED = Layout(
    dict(zip("abcdefgh", (0, 1, 1, 1, 6, 2, 0, 3), strict=True)),
    tuple(PlacedDomino(RING.dominoes[i], ("abcdefgh"[2 * i], "abcdefgh"[2 * i + 1])) for i in range(4)),
)

PICTURES = {
    "puzzle": milp_pips.draw(SMALL),
    "solution": milp_pips.draw(SMALL, SOLVED),
    "ring-solution": milp_pips.draw(RING, RING_SOLVED),
}


@pytest.mark.parametrize("name", PICTURES)
def test_golden_pictures(name, golden):
    golden(f"pips-{name}.txt", to_text(PICTURES[name]))
    golden(f"pips-{name}.svg", to_svg(PICTURES[name]))


def test_the_solutions_in_the_pictures_are_right():
    assert family_of(SMALL).check(SMALL, SOLVED) is None
    assert family_of(RING).check(RING, RING_SOLVED) is None


@pytest.mark.parametrize("puzzle", [SMALL, RING], ids=["grid", "graph"])
def test_a_picture_knows_where_each_value_stands(puzzle):
    board, places = milp_pips.draw(puzzle).board, milp_pips.draw(puzzle).places
    variables = milp_pips.state(puzzle).variables
    assert set(places.values()) == set(board.squares if isinstance(board, Grid) else board.nodes)
    assert {v: cell_name(place) for v, place in places.items()} == {
        v: variable.name for v, variable in enumerate(variables[: len(puzzle.cells)])
    }


@st.composite
def boards(draw: st.DrawFn) -> Pips:
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    letters = {p: draw(st.sampled_from("..#AABBCDE")) for p in product(range(rows), range(columns))}
    letters = {p: x for p, x in letters.items() if x != "."}
    if len(letters) % 2:
        letters.pop(max(letters))
    signs = {x: draw(st.sampled_from(["=", "≠", "11", "<5", "≥12", ""])) for x in "ABCDE"}
    regions = [
        region(x, (p for p in letters if letters[p] == x), signs[x]) for x in "ABCDE" if x in letters.values()
    ]
    return Pips.on_grid("Any board", letters, regions, [(0, 1)] * (len(letters) // 2))


def sides(puzzle: Pips):
    """Every side of every cell, with the regions on both: None for no region, "outside" for no cell."""
    labels = {cell: one.label for one in puzzle.regions for cell in one.cells}
    for cell in puzzle.cells:
        for other in neighbours(cell):
            there = labels.get(other) if other in puzzle.cells else "outside"
            yield cell, other, labels.get(cell), there


@given(boards())
def test_touching_regions_have_different_colours_and_no_rule_is_grey(puzzle):
    squares = milp_pips.draw(puzzle).board.squares
    ruled = {one.label for one in puzzle.regions if one.rule is not None}
    for cell, other, here, there in sides(puzzle):
        assert (squares[cell].fill == GREY) == (here not in ruled)
        if here != there and {here, there} <= ruled:
            assert squares[cell].fill != squares[other].fill


@given(boards())
def test_a_free_cell_and_a_hole_differ_without_colour(puzzle):
    drawing = milp_pips.draw(puzzle)
    ruled = {cell for one in puzzle.regions if one.rule is not None for cell in one.cells}
    free = [cell for cell in puzzle.cells if cell not in ruled]
    assert to_svg(drawing).count("<circle") == len(free)
    rows = to_text(drawing).splitlines()[1::2]
    inner = max(3, 2 + max((len(one.sign) for one in puzzle.regions), default=0))
    top, left = (min((cell[axis] for cell in puzzle.cells), default=0) for axis in (0, 1))
    for row, column in free:
        at = (inner + 1) * (column - left)
        assert rows[row - top][at + 1 : at + 1 + inner].strip() == "·"


def test_a_board_of_one_column_with_a_gap():
    puzzle = on_grid("A B B . C C A", {"A": "=", "B": "", "C": "≤5"}, "01 23 45")
    assert to_text(milp_pips.draw(puzzle), unicode=False).splitlines() == [
        "#=====#",
        "#  =  #",
        "#=====#",
        "#  .  #",
        "#     #",
        "#  .  #",
        "#=====#",
        "",
        "#=====#",
        "# <=5 #",
        "#     #",
        "#  .  #",
        "#=====#",
        "#  =  #",
        "#=====#",
        "",
        "=       : r1c1 r7c1",
        "dominoes: 0-1 2-3 4-5",
    ]


def test_regions_that_overlap_are_told_in_words():
    puzzle = Pips.on_grid(
        "x", [(0, 0), (0, 1)], [region("A", [(0, 0), (0, 1)], "="), region("B", [(0, 1)], "3")], [(3, 3)]
    )
    assert to_text(milp_pips.draw(puzzle)).splitlines() == [
        "┏━━━┳━━━┓",
        "┃ = ┃ 3 ┃",
        "┗━━━┻━━━┛",
        "",
        "=       : r1c1 r1c2",
        "3       : r1c2",
        "dominoes: 3-3",
    ]


def test_a_board_that_is_no_grid_in_words():
    assert to_text(milp_pips.draw(RING)).splitlines() == [
        "=       : b c d",
        "≥7      : d e",
        "no rule : a f g h",
        "links   : a─b b─c c─d d─e e─f f─g g─h h─a",
        "dominoes: 0-1 1-1 6-2 0-3",
    ]
    solved = to_text(milp_pips.draw(RING, RING_SOLVED)).splitlines()
    assert solved[:5] == ["a─b  0|1", "c─d  1|1", "e─f  6|2", "g─h  0|3", ""]
    assert to_text(milp_pips.draw(RING, Layout(RING_SOLVED.values)))[:7] == "=      "


def test_a_node_in_two_regions_has_both_colours_and_all_regions_differ():
    board = milp_pips.draw(RING).board
    assert isinstance(board, Graph)
    assert board.nodes["d"].fills == board.nodes["c"].fills + board.nodes["e"].fills
    assert len(set(board.nodes["d"].fills)) == 2
    assert board.nodes["a"].fills == board.nodes["f"].fills == (GREY,)
    assert {key: node.corner for key, node in board.nodes.items() if node.corner} == {"b": "=", "e": "≥7"}
