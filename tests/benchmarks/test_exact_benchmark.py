"""The benchmark of exact counting: its boards are what they are called, its rows measure, its lines judge."""

from __future__ import annotations

import csv
import sys

import exact
import instances
import pytest

import milp_pips
from milp_pips.extras.generate.pips.boards import random_tiling
from milp_pips.problem.rng import RandomGenerator


def small(monkeypatch) -> None:
    """Let rows measure small boards in this process."""
    boards = [made.puzzle for made in milp_pips.generate(style="plain", dominoes=3, count=2)]
    monkeypatch.setattr(instances, "generated", lambda *_, **__: boards)


@pytest.mark.parametrize("row", ["given", "hundred", "partly-given"])
def test_a_row_is_measured_and_kept(row, monkeypatch, tmp_path, capsys):
    small(monkeypatch)
    words = ["exact.py", "--quick", "--row", row, "--engines", "highs", "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", words)
    exact.main()
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    kept = list(csv.DictReader((tmp_path / f"exact-{row}.csv").read_text().splitlines()))
    if row != "partly-given":
        assert len(lines) == 3
        assert all(f"| {4 if row == 'given' else 2} of " in line for line in lines[1:])
        assert {one["who"] for one in kept} == (
            {"count", "list"} if row == "given" else {"partition", "cubes"}
        )
    else:
        assert len(lines) == 2
        assert "default 2 in" in lines[1]
        assert "highs 2 in" in lines[1]
        assert {one["who"] for one in kept} == {"default", "highs"}
    assert all(float(one["seconds"]) > 0 and one["done"] == "True" for one in kept)
    assert all("highspy" in one["measured_on"] for one in kept)


def test_a_row_that_lacks_something_is_left_out(capsys):
    for name in ("published", "millions"):
        assert exact.ROWS[name](exact.Request()) == exact.Row([], [])
        assert "left out: it needs PUZZLES" in capsys.readouterr().err


@pytest.mark.parametrize("side", [4, 6, 10, 20])
def test_nothing_covers_boards_that_are_called_so(side):
    for board in instances.unmatchable(side):
        assert random_tiling(board.cells, RandomGenerator("")) is None
        assert len(board.cells) == 2 * len(board.dominoes)


def test_faulty_boards_have_no_solution():
    boards = list(instances.faulty(10))
    assert len({board.name for board in boards}) == 3
    for board in boards:
        assert milp_pips.solve(board, "cp-sat").status == "infeasible", board.name


def test_a_nonogram_has_the_clues_of_a_picture():
    board = instances.nonogram(8, 10, 1)
    assert (len(board.rows), len(board.columns)) == (8, 10)
    assert milp_pips.solve(board).status == "solved"
    assert instances.runs_of("wbbbwbw") == "w*b{3}w+b{1}w*"
    assert instances.runs_of("www") == "w*"
