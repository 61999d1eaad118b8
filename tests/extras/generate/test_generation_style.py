"""The style of new Pips puzzles: figures near those of published ones, and unique puzzles that keep them."""

from __future__ import annotations

from statistics import mean

import pytest
from brute_force import placements
from hypothesis import given
from hypothesis import strategies as st
from style import distances, figures_of, published_figures
from thoroughness import examples, few_or_many

import milp_pips
from milp_pips.cli import main
from milp_pips.extras.generate.pips.boards import draw_board
from milp_pips.extras.generate.pips.regions import STYLES, level_of
from milp_pips.problem.rng import RandomGenerator
from milp_pips.puzzles.family import family_of

FARTHEST = 0.15
"""The mean distance of the figures of a small sample; plain puzzles are from 0.2 to 0.3 away."""


@pytest.mark.parametrize(
    "level, dominoes",
    [
        pytest.param("easy", 5, marks=pytest.mark.long),
        pytest.param("medium", 7, marks=pytest.mark.long),
        pytest.param("hard", 10, marks=pytest.mark.long),
    ],
)
def test_unique_puzzles_have_the_figures_of_published_ones(level, dominoes):
    seeds = range(30 if dominoes < 7 else few_or_many(12, 30))  # larger puzzles differ less from one another
    made = [next(milp_pips.generate(dominoes=dominoes, unique=True, seed=seed, count=1)) for seed in seeds]
    assert level_of(dominoes) == level
    found = distances(published_figures(level), figures_of([one.puzzle for one in made]))
    assert mean(found.values()) < FARTHEST
    assert found["free cells"] < 0.1
    assert found["given cells"] < 0.2
    assert found["repeats"] == 0


@examples(8)
@given(dominoes=st.integers(1, 5), seed=st.integers(0, 10**6), sizes=st.sampled_from(("1..3", "1,2", "2..4")))
def test_repaired_puzzles_obey_all_wishes_as_brute_force_says(dominoes, seed, sizes):
    try:
        (made,) = milp_pips.generate(dominoes=dominoes, seed=seed, unique=True, region_sizes=sizes)
    except milp_pips.UsageError:
        assert "1" not in sizes  # then not every board can be unique
        return
    puzzle = made.puzzle
    low, high = int(sizes[0]), int(sizes[-1])
    assert family_of(puzzle).check(puzzle, made.hidden) is None
    assert all(low <= len(region.cells) <= high for region in puzzle.regions)
    assert len(puzzle.dominoes) == len(set(puzzle.dominoes)) == dominoes
    assert len(placements(puzzle)) == 1


@examples(12)
@given(count=st.integers(1, 60), seed=st.integers(0, 10**6), level=st.sampled_from(tuple(STYLES)))
def test_drawn_boards_are_covered_and_connected(count, seed, level):
    partners = draw_board(count, STYLES[level], 0, 0, RandomGenerator(str(seed)))
    if partners is None:
        return
    assert len(partners) == 2 * count
    assert all(partners[other] == cell != other for cell, other in partners.items())
    waiting, seen = [min(partners)], {min(partners)}
    while waiting:
        row, column = waiting.pop()
        for other in ((row, column + 1), (row + 1, column), (row, column - 1), (row - 1, column)):
            if other in partners and other not in seen:
                seen.add(other)
                waiting.append(other)
    assert len(seen) == len(partners)
    assert (min(r for r, _ in partners), min(c for _, c in partners)) == (0, 0)


@pytest.mark.long
def test_a_picture_of_0_and_1_is_a_board(tmp_path, capsys):
    picture = tmp_path / "picture.txt"
    picture.write_text("0110\n1111\n0110\n")
    (made,) = milp_pips.generate(board=picture, unique=True)
    assert sorted(made.puzzle.cells) == [(0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (1, 3), (2, 1), (2, 2)]
    for drawn, message in (
        ("0100\n1100\n", f"{picture}:1: the board has 3 cells; expected an even number, two for each domino"),
        ("010\n111\n", f"{picture}: dominoes cannot cover this board"),
        ("00\n00\n", str(picture)),
        (("1" * 2000 + "\n") * 2000, str(picture)),
    ):
        picture.write_text(drawn)
        assert main(["generate", "--board", str(picture)]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert message in line


@pytest.mark.parametrize(
    "options, message",
    [
        ({"shape": "blob"}, "--shape: 'blob' is not a shape; known: heart, "),
        ({"symmetry": "odd"}, "--symmetry: 'odd' is not one of mirror, mirrors, half-turn"),
        ({"symmetry": "mirror", "rows": 3}, "--symmetry draws its own board"),
        ({"shape": "ring", "rows": 3}, "--board or --shape says where the cells are"),
        ({"shape": "ring", "dominoes": 3}, "3 dominoes do not cover a board of 28 cells"),
        (
            {"grade": "easy", "dominoes": 9},
            "hardly any puzzle of 9 dominoes is easy; dominoes by grade: easy 2 to 8, ",
        ),
    ],
)
def test_what_cannot_be_is_said_in_one_line(options, message):
    with pytest.raises(milp_pips.UsageError) as raised:
        list(milp_pips.generate(**options))
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_time_limit_ends_with_a_line_and_its_status(capsys):
    assert main(["generate", "--grade", "expert", "--dominoes", "10", "--time-limit", "0.05"]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("milp-pips: pips-0-001: time is up")
