"""The benchmark of reasons: falsified boards have no solution, rows measure and are kept, lies are seen."""

from __future__ import annotations

import csv
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import reasoning
import reasons
from famous_sudokus import FAMOUS, dug, sudoku

import milp_pips
from milp_pips.extras.explain.rate import Rating

EXAMPLES = Path(__file__).parents[2] / "examples" / "pips"
LEVELS = EXAMPLES / "three_levels.json"


def measured(monkeypatch, capsys, *words: str) -> list[str]:
    monkeypatch.setattr(sys, "argv", ["reasons.py", "--quick", *words])
    reasons.main()
    return [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")][1:]


def test_rows_are_measured_and_kept(monkeypatch, tmp_path, capsys):
    rows = ("hints", "stories", "explanations", "single", "rating", "falsified")
    words = [word for row in rows for word in ("--row", row)]
    lines = measured(monkeypatch, capsys, *words, "--out", str(tmp_path), str(LEVELS))
    assert "| 3 of 3, median" in lines[0]
    assert sum("all steps to the end" in line and "3 of 3" in line for line in lines) == 1
    assert any(line.startswith("| 3 puzzles, explained") and "3 of 3" in line for line in lines)
    assert any(line.startswith("| 1 days, easy below medium below hard") for line in lines)
    assert any(
        "proved minimal by points and confirmed by HiGHS" in line and "1 of 1" in line for line in lines
    )
    kept = list(csv.DictReader((tmp_path / "reasons-stories.csv").read_text().splitlines()))
    assert len(kept) == 3
    assert all(one["done"] == "True" and "steps, cost" in one["outcome"] for one in kept)


def test_a_spoilt_board_is_the_same_but_for_a_sum_and_has_no_solution():
    puzzle = milp_pips.read(LEVELS, "hard")
    board = reasoning.with_wrong_sum(puzzle)
    changed = [pair for pair in zip(board.regions, puzzle.regions, strict=True) if pair[0] != pair[1]]
    assert len(changed) == 1
    assert milp_pips.solve(board).status == "infeasible"
    assert reasoning.with_wrong_sum(puzzle) == board
    free = replace(puzzle, regions=())
    assert reasoning.with_wrong_sum(free) is None


def test_true_stories_are_found_true():
    judgement = reasoning.check_steps(milp_pips.read(EXAMPLES / "several.txt"), 60.0)
    assert judgement.run.done
    assert judgement.conclusions >= judgement.steps > 0
    assert (judgement.untrue, judgement.unfounded, judgement.unknown) == (0, 0, 0)


@pytest.mark.parametrize("lie", ["untrue", "unfounded"])
def test_lies_are_noticed(lie, monkeypatch):
    real = reasoning.StepSearch.finish

    def finish(search):
        real(search)
        step = search.steps[-1]
        wrong = tuple(fact._replace(holds=not fact.holds) for fact in step.conclusions)
        lies = {"untrue": replace(step, conclusions=wrong), "unfounded": replace(step, items=(), facts=())}
        search.steps[-1] = lies[lie]

    monkeypatch.setattr(reasoning.StepSearch, "finish", finish)
    judgement = reasoning.check_steps(milp_pips.read(EXAMPLES / "easy.txt"), 60.0)
    assert (judgement.untrue > 0, judgement.unfounded) == ((True, 0) if lie == "untrue" else (False, 1))


def test_a_day_is_judged_by_the_limits_of_every_other_day():
    """Three days agree on the limits 15 and 25; the fourth has a medium puzzle that is scored as easy."""
    days = [(10, 20, 30)] * 3 + [(10, 12, 30)]
    assert reasoning.fitted_limits(days[:3]) == (15, 25)
    rated = [[Rating(score, "", 1, 2, 1.0, 1.0, 1, 1.0) for score in day] for day in days]
    assert reasoning.cross_validated(rated) == [4, 3, 4]


def test_a_famous_sudoku_has_one_solution_and_so_has_one_that_needs_all_its_givens():
    for puzzle in (sudoku("Inkala 2010", FAMOUS["Inkala 2010"]), dug(1)):
        assert milp_pips.count(puzzle).counts["grid"] == 1
    assert len(FAMOUS) == 20
