"""The text format of Sudokus and their solution files: what is read, refused with which words, written."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sudoku_strategies import sudokus

from milp_pips.problem.errors import InputError
from milp_pips.puzzles import family as families
from milp_pips.puzzles.sudoku.files import write
from milp_pips.puzzles.sudoku.puzzle import Cage, Group, Region, Sudoku, boxes, usual_boxes

FAMILY = families.family("sudoku")

ROOT = Path(__file__).parents[1]
DATA = ROOT / "data" / "sudoku"
EXAMPLES = sorted((ROOT.parent / "examples" / "sudoku").glob("*.txt"))
SEEDS = st.integers(0, 2**64)
PI = "sudoku\nsymbols 123π\n....\n....\n....\n....\n"


def puzzle_in(text: str, name: str = "f") -> Sudoku:
    puzzle = FAMILY.read(text, name)[""]
    assert puzzle is not None
    return puzzle


def refusal_of(read: Callable[[str, str], object], path: Path) -> str:
    with pytest.raises(InputError) as refusal:
        read(path.read_bytes().decode(), path.name)
    return str(refusal.value)


def messages(name: str) -> dict[str, str]:
    lines = (DATA / f"{name}.txt").read_text("utf-8").splitlines()
    return {line.partition(":")[0]: line for line in lines}


# ---------------------------------------------------------------------------------------------- puzzles


def test_diagonals_are_groups() -> None:
    board = "....\n" * 4
    puzzle = puzzle_in(f"sudoku\ndiagonals\n{board}")
    groups = "groups\na..b\n.ab.\n.ba.\nb..a\n"
    assert [g.cells for g in puzzle.groups] == [g.cells for g in puzzle_in(f"sudoku\n{board}{groups}").groups]
    assert puzzle_in(write(puzzle)) == puzzle == FAMILY.read(f"sudoku\n{board}diagonals\n", "f")[""]


@pytest.mark.parametrize("path", sorted((DATA / "malformed").iterdir()), ids=lambda path: path.name)
def test_a_malformed_file_is_refused_with_its_own_message(path: Path) -> None:
    assert refusal_of(FAMILY.read, path) == messages("malformed")[path.name]


@pytest.mark.parametrize("name", ["malformed", "malformed_solutions"])
def test_every_message_has_its_file(name: str) -> None:
    assert list(messages(name)) == [path.name for path in sorted((DATA / name).iterdir())]


def test_givens_alone_are_an_ordinary_sudoku() -> None:
    rows = ["53..7....", "6..195...", ".98....6.", *["........."] * 6]
    puzzle = puzzle_in("sudoku\n" + "\n".join(rows), "plain.txt")
    assert puzzle == Sudoku(
        "plain",
        tuple("123456789"),
        tuple(tuple(mark.strip(".") for mark in row) for row in rows),
        boxes(9, 3, 3),
    )
    assert puzzle.regions[5] == Region("box 6", tuple((r, c) for r in (3, 4, 5) for c in (6, 7, 8)))


@pytest.mark.parametrize(
    "text",
    [
        "sudoku\n1...\n..3.\n.2..\n...4\n",
        "Sudoku\ngivens\n1 . . .\n. . 3 .\n. 2 . .\n. . . 4\n",
        "\ufeffsudoku\r\n# a comment\r\n\r\n  1000\r\n  0030\r\n0200\r\n0004",
        "sudoku\n1.....3..2.....4\n",
        "sudoku\n1...\n..3.\n.2..\n…4\n",
        "sudoku\nBOXES 2 2\nsymbols 1 2 3 4\n1...\n..3.\n.2..\n...4\n",
        "sudoku\nboxes 2 2\ngivens\n1...\n..3.\n.2..\n...4\nsymbols 1234\n",
        "sudoku\nsymbols 1234\nregions\naabb\naabb\nccdd\nccdd\ngivens\n1...\n..3.\n.2..\n...4\n",
    ],
    ids=["characters", "tokens", "dos", "line", "ellipsis", "sections", "order", "regions"],
)
def test_one_puzzle_typed_in_many_ways(text: str) -> None:
    puzzle = puzzle_in(text)
    assert puzzle.givens == (("1", "", "", ""), ("", "", "3", ""), ("", "2", "", ""), ("", "", "", "4"))
    assert puzzle.holds == ("1", "2", "3", "4")
    assert [region.cells for region in puzzle.regions] == [
        ((0, 0), (0, 1), (1, 0), (1, 1)),
        ((0, 2), (0, 3), (1, 2), (1, 3)),
        ((2, 0), (2, 1), (3, 0), (3, 1)),
        ((2, 2), (2, 3), (3, 2), (3, 3)),
    ]


@pytest.mark.parametrize(
    "size, shape",
    [(2, (1, 2)), (4, (2, 2)), (5, (1, 5)), (6, (2, 3)), (9, (3, 3)), (12, (3, 4)), (16, (4, 4))],
)
def test_boxes_are_as_near_to_squares_as_may_be(size: int, shape: tuple[int, int]) -> None:
    assert usual_boxes(size) == shape
    assert len(boxes(size, *shape)) == (size if shape[0] > 1 else 0)  # boxes of one row are rows


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_recognised_read_and_written(path: Path) -> None:
    text = path.read_text("utf-8")
    assert FAMILY.recognises(text)
    puzzle = puzzle_in(text, str(path))
    assert puzzle.name == path.stem
    assert puzzle_in(write(puzzle), str(path)) == puzzle


@pytest.mark.parametrize("other", ["", "  \n", "2\nAAB\n#CB", '{"dominoes": []}', "sudokus\n", "a sudoku\n"])
def test_other_files_are_not_recognised(other: str) -> None:
    assert not FAMILY.recognises(other)


@given(sudokus())
def test_what_is_written_is_read_again(puzzle: Sudoku) -> None:
    found = puzzle_in(write(puzzle), "random")
    assert found == puzzle
    assert found.published == puzzle.published


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"holds": tuple("123")}, "the board is not 3 rows of 3 cells, as many as a row holds symbols"),
        ({"holds": ("1", "2", "3", "a b")}, '"a b" cannot be a symbol or a label'),
        ({"holds": ("2", "2", "3", "4")}, "1 is not a symbol of this puzzle"),
        ({"regions": (Region("odd", ((0, 0),)),)}, "odd has 1 cells, a row has 4"),
        ({"regions": (boxes(4, 2, 2)[0], Region("b", boxes(4, 2, 2)[0].cells))}, "a cell is in two regions"),
        ({"cages": (Cage("a", (), 0),)}, "cage a has no cell"),
        ({"cages": (Cage("a", ((0, 0), (0, 0)), 2),)}, "cage a has no cell, one .* named twice"),
        ({"cages": (Cage("a", ((0, 4),), 2),)}, "cage a has no cell, one off the board"),
        (
            {"cages": (Cage("a", ((0, 0),), 2), Cage("a", ((0, 1),), 2))},
            "there are two areas with the name cage a",
        ),
        ({"cages": (Cage("a", ((0, 0),), 2), Cage("b", ((0, 0),), 2))}, "in two regions, or in two cages"),
        ({"groups": (Group("a", ((0, 0),), ()),)}, "group a holds 0 symbols in 1 cells"),
        ({"groups": (Group("a", ((0, 0),), ("5",)),)}, "5 is not a symbol of this puzzle"),
        (
            {"holds": ("1", "2", "3", "01"), "cages": (Cage("a", ((0, 0),), 2),)},
            "cages add up numbers, but the symbol 01 is not a number",
        ),
    ],
)
def test_a_puzzle_made_in_python_is_looked_at_too(changes: dict, message: str) -> None:
    puzzle = puzzle_in("sudoku\n1...\n....\n....\n....\n")
    with pytest.raises(InputError, match=message):
        replace(puzzle, **changes)


# -------------------------------------------------------------------------------------------- solutions


@pytest.mark.parametrize("path", sorted((DATA / "malformed_solutions").iterdir()), ids=lambda path: path.name)
def test_a_malformed_solution_is_refused_with_its_own_message(path: Path) -> None:
    assert (
        refusal_of(partial(FAMILY.read_solution, puzzle_in(PI)), path)
        == messages("malformed_solutions")[path.name]
    )


def test_text_and_json_hold_the_same_solution() -> None:
    puzzle = puzzle_in(PI)
    solution = (("1", "2", "3", "π"), ("π", "3", "2", "1"), ("2", "1", "π", "3"), ("3", "π", "1", "2"))
    assert FAMILY.write_solution(puzzle, solution) == "1 2 3 π\nπ 3 2 1\n2 1 π 3\n3 π 1 2\n"
    assert FAMILY.to_json(puzzle, solution) == {
        "grid": [[1, 2, 3, "π"], ["π", 3, 2, 1], [2, 1, "π", 3], [3, "π", 1, 2]]
    }
    for text in (
        "123π\nπ321\n21π3\n3π12",
        "123ππ32121π33π12",
        FAMILY.write_solution(puzzle, solution),
    ):
        assert FAMILY.read_solution(puzzle, text, "") == solution
    assert (
        FAMILY.read_solution(puzzle, json.dumps({"puzzle": "f", **FAMILY.to_json(puzzle, solution)}), "")
        == solution
    )


def test_a_wrong_solution_is_read_all_the_same() -> None:
    puzzle = puzzle_in(PI)
    wrong = FAMILY.read_solution(puzzle, "1111\n1111\n1111\n1111\n", "")
    assert FAMILY.check(puzzle, wrong) == "row 1 has 1 four times"


@given(sudokus().filter(lambda puzzle: puzzle.published is not None))
def test_solutions_that_are_written_are_read_again(puzzle: Sudoku) -> None:
    solution = puzzle.published
    assert solution is not None
    assert FAMILY.read_solution(puzzle, FAMILY.write_solution(puzzle, solution), "") == solution
    assert FAMILY.read_solution(puzzle, json.dumps(FAMILY.to_json(puzzle, solution)), "") == solution


# ---------------------------------------------------------------------------------------------- mangled
