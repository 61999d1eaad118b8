"""Large-neighbourhood search: large boards, answers by the rules, and the fallback to HiGHS."""

from __future__ import annotations

from itertools import product

import pytest
from brute_force import placements
from hypothesis import given
from strategies import pips_puzzles
from thoroughness import examples, few_or_many

import milp_pips
from milp_pips.cli import main
from milp_pips.puzzles.family import family_of
from milp_pips.puzzles.pips.puzzle import Pips
from milp_pips.puzzles.pips.text import write


@pytest.mark.long
@pytest.mark.parametrize("dominoes", [24, pytest.param(100, marks=pytest.mark.long)])
def test_dense_boards_take_moves_that_cost_something(dominoes):
    count = few_or_many(1, 10)
    for made in milp_pips.generate(
        style="plain", dominoes=dominoes, count=count, seed=3, rules="EQ,SUM", region_sizes="4..7"
    ):
        result = milp_pips.solve(made.puzzle, "lns", seconds=600)
        assert (result.status, result.remark) == ("solved", "")
        assert family_of(made.puzzle).check(made.puzzle, result.solution) is None


@examples(7)
@given(puzzle=pips_puzzles())
def test_small_boards_are_handed_over_and_never_wrongly_refused(puzzle):
    result = milp_pips.solve(puzzle, "lns", rules=())
    assert result.status == ("solved" if placements(puzzle) else "infeasible")


def test_a_board_that_cannot_be_covered_is_refuted_by_its_own_matching():
    # two opposite corners cut off: as many cells as dominoes need, but of one colour two too many
    cells = [cell for cell in product(range(10), range(10)) if cell not in ((0, 0), (9, 9))]
    board = Pips.on_grid("mutilated", cells, [], [(i % 7, i % 3) for i in range(49)])
    result = milp_pips.solve(board, "lns", rules=(), seconds=60)
    assert result.status == "infeasible"
    assert "can share dominoes with only" in result.remark
    assert result.confirmed_by


def test_the_default_solver_depends_on_the_open_values(tmp_path, capsys):
    (large,) = milp_pips.generate(style="plain", dominoes=60, seed=1)
    (middle,) = milp_pips.generate(style="plain", dominoes=10, seed=1)
    assert milp_pips.solve(large.puzzle).solver == "lns"
    assert milp_pips.solve(middle.puzzle).solver == "sat"
    assert milp_pips.solve(milp_pips.read("examples/pips/easy.txt")).solver == "brute"
    assert milp_pips.solve(large.puzzle, formulation="projected", seconds=0.1).solver == "highs"
    optional = milp_pips.solve(middle.puzzle, options={"presolve": "off"})
    assert (optional.solver, optional.choice) == ("highs", "highs was chosen: an option was named")
    file = tmp_path / "large.txt"
    file.write_text(write(large.puzzle))
    assert main(["solve", str(file), "-v"]) == 0
    assert "values of cells to cover are open, 600 or more" in capsys.readouterr().out
