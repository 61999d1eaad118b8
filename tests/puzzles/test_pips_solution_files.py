"""Solution files of Pips: text and JSON, read and written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from json_formats import graph
from strategies import pips_puzzles

from milp_pips.problem.errors import InputError
from milp_pips.puzzles import family as families
from milp_pips.puzzles.pips.puzzle import Cell, Layout, Pips, PlacedDomino, cell_name

FAMILY = families.family("pips")

DATA = Path(__file__).parents[1] / "data" / "pips"
MALFORMED = sorted((DATA / "malformed_solutions").iterdir())
MESSAGES = (DATA / "malformed_solutions.txt").read_text("utf-8").splitlines()


def content(name: str) -> str:
    return (DATA / name).read_bytes().decode()


def puzzle_in(name: str) -> Pips:
    puzzle = FAMILY.read(content(name), name)[""]
    assert puzzle is not None
    return puzzle


def as_graph(puzzle: Pips, layout: Layout) -> tuple[Pips, Layout]:
    """The same puzzle and solution on a board of named cells."""
    named = FAMILY.read(json.dumps(graph(puzzle)), "f")[""]
    assert named is not None
    values: dict[Cell, int] = {cell_name(cell): value for cell, value in layout.values.items()}
    laid = (PlacedDomino(d.pips, (cell_name(d.cells[0]), cell_name(d.cells[1]))) for d in layout.dominoes)
    return named, Layout(values, tuple(laid))


@pytest.mark.parametrize("path", MALFORMED, ids=lambda path: path.name)
def test_a_malformed_solution_is_refused_with_its_own_message(path: Path) -> None:
    puzzle = puzzle_in("square.json" if path.name.startswith("graph_") else "characters.txt")
    with pytest.raises(InputError) as refusal:
        FAMILY.read_solution(puzzle, path.read_bytes().decode(), path.name)
    assert str(refusal.value) == next(line for line in MESSAGES if line.startswith(path.name + ":"))


def test_every_message_has_its_file() -> None:
    assert [line.partition(":")[0] for line in MESSAGES] == [path.name for path in MALFORMED]


@pytest.mark.parametrize("board", ["characters.txt", "square.json"])
def test_text_and_json_hold_the_same_solution(board: str) -> None:
    puzzle, stem = puzzle_in(board), board.partition(".")[0]
    plain = FAMILY.read_solution(puzzle, content(f"{stem}_solution.txt"), "")
    full = FAMILY.read_solution(puzzle, content(f"{stem}_solution.json"), "")
    assert plain == Layout(full.values)
    assert [laid.pips for laid in full.dominoes] == list(puzzle.dominoes)
    assert FAMILY.check(puzzle, plain) is None
    assert FAMILY.check(puzzle, full) is None


def test_the_text_of_a_grid_and_of_a_graph() -> None:
    grid, square = puzzle_in("characters.txt"), puzzle_in("square.json")
    solution = FAMILY.read_solution(grid, content("characters_solution.json"), "")
    assert FAMILY.write_solution(grid, solution) == (
        "2 2 3\n0 6 5\n1 . .\n4 . .\ndominoes\n4-1 r4c1 r3c1\n0-6 r2c1 r2c2\n2-2 r1c1 r1c2\n3-5 r1c3 r2c3\n"
    )
    assert FAMILY.to_json(grid, solution)["grid"] == [
        [2, 2, 3],
        [0, 6, 5],
        [1, None, None],
        [4, None, None],
    ]
    assert FAMILY.to_json(grid, solution)["dominoes"][0] == {
        "pips": [4, 1],
        "cells": [[3, 0], [2, 0]],
    }
    named = FAMILY.read_solution(square, content("square_solution.json"), "")
    assert FAMILY.write_solution(square, named) == "a 1\nb 2\nc 3\nd 3\ndominoes\n1-2 a b\n3-3 c d\n"
    assert FAMILY.to_json(square, named) == json.loads(content("square_solution.json"))


def test_rows_without_end_are_refused() -> None:
    puzzle = puzzle_in("characters.txt")
    for beyond in (10_000 * ".\n", 10_001 * ". "):
        with pytest.raises(InputError, match=r"^s:\d+: there is a row \d+; expected 4 rows$"):
            FAMILY.read_solution(puzzle, content("characters_solution.txt") + beyond, "s")


def test_a_wrong_solution_is_read_all_the_same() -> None:
    puzzle = puzzle_in("characters.txt")
    wrong = FAMILY.read_solution(puzzle, "9 9 9\n9 9 9\n9 . .\n9 . .\n", "")
    assert set(wrong.values.values()) == {9}
    assert FAMILY.check(puzzle, wrong) is not None


@given(pips_puzzles(), st.booleans(), st.booleans())
def test_what_is_written_is_read_again(puzzle: Pips, named: bool, with_dominoes: bool) -> None:
    solution = puzzle.published
    assume(solution is not None)
    assert solution is not None
    if named:
        puzzle, solution = as_graph(puzzle, solution)
    if not with_dominoes:
        solution = Layout(solution.values)
    assert FAMILY.read_solution(puzzle, FAMILY.write_solution(puzzle, solution), "") == solution
    written = json.dumps(FAMILY.to_json(puzzle, solution))
    assert FAMILY.read_solution(puzzle, written, "") == solution
    assert ("dominoes" in json.loads(written)) == with_dominoes
