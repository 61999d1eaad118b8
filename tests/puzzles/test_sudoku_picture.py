"""Pictures of Sudokus: thick region borders, cages and their sums, givens told from the rest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import milp_pips
from milp_pips.puzzles import family as families
from milp_pips.puzzles.sudoku.puzzle import Sudoku
from milp_pips.render.svg import to_svg
from milp_pips.render.text import to_text
from milp_pips.render.vocabulary import PALETTE, Grid, Note

EXAMPLES = Path(__file__).parents[2] / "examples" / "sudoku"
SMALL = (
    "sudoku\n1...\n....\n....\n...4\nregions\nAABB\nABB.\nAC..\nCCC.\n"
    "cages with repeats\na...\na.b.\n..b.\n....\na 3\nb 5\n"
    "groups\nx..y\n.xy.\n.yx.\ny..x\ny 3342\nsolution\n1243\n2134\n3421\n4312\n"
)


def puzzle_in(text: str) -> Sudoku:
    puzzle = families.family("sudoku").read(text, "small")[""]
    assert puzzle is not None
    return puzzle


def board_of(puzzle: Sudoku, *, solved: bool = False) -> Grid:
    board = milp_pips.draw(puzzle, puzzle.published if solved else None).board
    assert isinstance(board, Grid)
    return board


@pytest.mark.parametrize("name", ["killer", "letters"])
def test_golden_pictures(name: str, golden: Callable[[str, str], None]) -> None:
    puzzle = milp_pips.read(EXAMPLES / f"{name}.txt")
    solution = next(milp_pips.solutions(puzzle, method="diagram"))
    golden(f"sudoku-{name}.txt", to_text(milp_pips.draw(puzzle, solution)))


def test_cages_have_an_outline_and_their_sum_in_the_first_cell() -> None:
    board = board_of(puzzle_in(SMALL))
    assert board.cages == (((0, 0), (1, 0)), ((1, 2), (2, 2)))
    assert {place: square.corner for place, square in board.squares.items() if square.corner} == {
        (0, 0): "3",
        (1, 2): "5",
    }


def test_givens_stand_out_from_the_solution_only() -> None:
    puzzle = puzzle_in(SMALL)
    solved = board_of(puzzle, solved=True)
    assert {place for place, square in solved.squares.items() if square.strong} == {(0, 0), (3, 3)}
    assert not any(square.strong for square in board_of(puzzle).squares.values())
    assert "┃3 [1]" in to_text(milp_pips.draw(puzzle, puzzle.published))
    svg = to_svg(milp_pips.draw(puzzle, puzzle.published))
    assert svg.count('font-weight="bold"') - to_svg(milp_pips.draw(puzzle)).count('font-weight="bold"') == 2


def test_groups_have_colours_and_notes_say_what_lines_cannot() -> None:
    puzzle = puzzle_in(SMALL)
    board = board_of(puzzle)
    assert {square.fill for square in board.squares.values()} == {"", *PALETTE[:2]}
    assert board.squares[1, 1].fill == board.squares[0, 0].fill != board.squares[0, 3].fill
    assert milp_pips.draw(puzzle).notes == (
        Note("cages", ("a number may occur twice in a cage",)),
        Note("group x", ("r1c1", "r2c2", "r3c3", "r4c4"), PALETTE[0]),
        Note("group y", ("r1c4", "r2c3", "r3c2", "r4c1"), PALETTE[1]),
        Note("group y holds", ("3", "3", "4", "2")),
    )
    assert milp_pips.draw(puzzle, puzzle.published).notes == ()
    assert milp_pips.draw(milp_pips.read(EXAMPLES / "pi_day_2009.txt")).notes == (
        Note("every row holds", (*"123456789", "π", "π", "π")),
    )
