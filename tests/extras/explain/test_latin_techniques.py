"""The techniques for cells that all differ, each on an empty Sudoku of which a few exclusions are known."""

from __future__ import annotations

import pytest

import milp_pips
from milp_pips.extras.explain.confirmation import confirm_step
from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.groups import group_constraints
from milp_pips.extras.explain.techniques.latin import LATIN_PRICES
from milp_pips.extras.explain.techniques.story import Story
from milp_pips.extras.explain.text import Words
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.sudoku.puzzle import Sudoku

ALL = range(1, 10)


def _only(value, places, cells):
    """Return that of these cells no others than the places have the value."""
    return [(cell, value) for cell in cells if cell not in places]


def _left(cell, *values):
    """Return that a cell has one of the values."""
    return [(cell, value) for value in ALL if value not in values]


def _row(r):
    return [(r, c) for c in ALL]


def _column(c):
    return [(r, c) for r in ALL]


BOX = [(r, c) for r in (1, 2, 3) for c in (1, 2, 3)]

IN_ROW, IN_SIXTH = [(1, 2), (1, 7)], [(6, 2), (6, 7)]
TWO, THREE = [(1, 1), (1, 4)], [(1, 1), (1, 4), (1, 7)]

CASES = {
    "pointing": (
        _only(5, BOX[:3], BOX),
        "In box 1, 5 can only go in row 1: r1c4 to r1c9 cannot be 5.",
    ),
    "box-line": (
        _only(5, BOX[:3], _row(1)),
        "In row 1, 5 can only go in box 1: r2c1, r2c2, r2c3, r3c1, r3c2 and r3c3 cannot be 5.",
    ),
    "naked pair": (
        [each for cell in TWO for each in _left(cell, 2, 5)],
        "In row 1, 2 and 5 go in r1c1 and r1c4: r1c2, r1c3 and r1c5 to r1c9 cannot be 2 or 5.",
    ),
    "X-wing": (
        _only(5, IN_ROW, _row(1)) + _only(5, IN_SIXTH, _row(6)),
        "In rows 1 and 6, 5 can only go in columns 2 and 7: r2c2, r2c7, r3c2, r3c7, r4c2, r4c7, r5c2, r5c7, "
        "r7c2, r7c7, r8c2, r8c7, r9c2 and r9c7 cannot be 5.",
    ),
    "hidden pair": (
        _only(2, TWO, _row(1)) + _only(5, TWO, _row(1)),
        "In row 1, 2 and 5 can only go in r1c1 and r1c4: r1c1 and r1c4 are each 2 or 5.",
    ),
    "naked triple": (
        [each for cell in THREE for each in _left(cell, 2, 5, 8)],
        "In row 1, 2, 5 and 8 go in r1c1, r1c4 and r1c7: r1c2, r1c3, r1c5, r1c6, r1c8 and r1c9 cannot be 2, "
        "5 or 8.",
    ),
    "swordfish": (
        [each for r in (1, 4, 7) for each in _only(5, [(r, 2), (r, 5), (r, 8)], _row(r))],
        "In rows 1, 4 and 7, 5 can only go in columns 2, 5 and 8: r2c2, r2c5, r2c8, r3c2, r3c5, r3c8, r5c2, "
        "r5c5, r5c8, r6c2, r6c5, r6c8, r8c2, r8c5, r8c8, r9c2, r9c5 and r9c8 cannot be 5.",
    ),
    "hidden triple": (
        [each for value in (2, 5, 8) for each in _only(value, THREE, _row(1))],
        "In row 1, 2, 5 and 8 can only go in r1c1, r1c4 and r1c7: r1c1, r1c4 and r1c7 are each 2, 5 or 8.",
    ),
    "XY-wing": (
        _left((1, 1), 2, 5) + _left((1, 7), 2, 8) + _left((5, 1), 5, 8),
        "If r1c1 is 2, r1c7 is 8, and if it is 5, r5c1 is 8: r5c7 cannot be 8.",
    ),
    "colouring": (
        _only(5, [(1, 1), (1, 7)], _row(1))
        + _only(5, [(5, 7)], _column(7)[1:])
        + _only(5, [(6, 8)], [(r, c) for r in (4, 5, 6) for c in (8, 9)]),
        "5 is in r1c1 or r1c7 (row 1), r1c7 or r5c7 (column 7) and r5c7 or r6c8 (box 6), so it is in r1c1 or "
        "r6c8: r6c1 cannot be 5.",
    ),
}


@pytest.mark.parametrize("name", LATIN_PRICES)
def test_each_technique_says_what_it_sees_and_needs_all_of_it(name):
    exclusions, sentence = CASES[name]
    grouped = group_constraints(milp_pips.state(Sudoku.from_rows(["." * 9] * 9)))
    known = [Fact(9 * r + c - 10, value, False) for (r, c), value in exclusions]
    story = Story(grouped, known)
    step = next(story.steps())
    assert (step.technique, step.cost) == (name, LATIN_PRICES[name])
    assert Words(grouped).step(step) == sentence
    assert confirm_step(grouped, step, Deadline()) is not None
    assert set(step.premises[1]) == set(known)
    assert story.thinned(step).premises == step.premises
    for fact in known:
        rest = [each for each in known if each != fact]
        first = next(Story(grouped, rest, chains=False).steps(), None)
        assert first is None or (first.technique, first.conclusions) != (name, step.conclusions)


def test_the_cheapest_technique_comes_first():
    assert list(LATIN_PRICES.values()) == sorted(LATIN_PRICES.values())
    grouped = group_constraints(milp_pips.state(Sudoku.from_rows(["." * 9] * 9)))
    exclusions = [each for name in ("XY-wing", "pointing") for each in CASES[name][0]]
    known = [Fact(9 * r + c - 10, value, False) for (r, c), value in exclusions]
    assert next(Story(grouped, known).steps()).technique == "pointing"


@pytest.mark.long
def test_a_group_with_more_values_than_cells_need_not_have_a_value():
    """In a cage of two cells 5 may be missing, so no other rule follows from where it can be there."""
    rows = ["." * 6] * 6
    cages = ["AA...."] + ["." * 6] * 5
    puzzle = Sudoku.from_rows(rows, cages=cages, sums={"A": 9})
    assert all(step.technique != "pointing" for step in milp_pips.steps(puzzle))


def test_a_value_that_a_cell_has_left_alone_does_not_go_in_it_with_others():
    rows = ["2........", "4..196...", ".3.....5.", "..857.1..", "....1....", ".7..4.5..", ".8.9..7.."]
    puzzle = Sudoku.from_rows([*rows, "..97.....", "....63.18"])
    found = milp_pips.explain(puzzle)
    said = list(Words(found.grouped).story(found.steps))
    assert "In row 2, r2c2 is 5: r2c3 is 7." in said
    assert "In row 2, 5 and 7 go in r2c2 and r2c3: r2c3 is 7." not in said
