"""The rows and rules of an infeasible subsystem have no common point; without any one of them they have."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import pytest

import milp_pips
from milp_pips.cli import main
from milp_pips.extras.lab import iis as module
from milp_pips.extras.lab.puzzle_model import PuzzleModel
from milp_pips.problem.answer import Answer, Proof, Stop
from milp_pips.problem.errors import EngineFault, UsageError

DOMINOES = [(0, 1), (2, 3), (1, 3)]
OVER = milp_pips.Pips.from_rows(["AAB", "CCB"], {"A": "NEQ", "B": "SUM 4", "C": "SUM 9"}, DOMINOES, "over")
CLASH = milp_pips.Pips.from_rows(["AAB", "CCB"], {"A": "NEQ", "B": "SUM 4", "C": "EQ"}, DOMINOES, "clash")


def has_point(puzzle, formulation, rows, *, relaxed):
    highs = milp_pips.formulate(milp_pips.state(puzzle), formulation).to_highspy()
    names = milp_pips.formulate(milp_pips.state(puzzle), formulation).row_names()
    for number, name in enumerate(names):
        if name not in rows:
            highs.changeRowBounds(number, -highs.inf, highs.inf)
    highs.setOptionValue("solve_relaxation", relaxed)
    highs.run()
    return highs.getModelStatus().name == "kOptimal"


def irreducible(puzzle, formulation, rows, *, relaxed):
    return not has_point(puzzle, formulation, rows, relaxed=relaxed) and all(
        has_point(puzzle, formulation, set(rows) - {row}, relaxed=relaxed) for row in rows
    )


@pytest.mark.parametrize("formulation", ["projected", "aggregated"])
@pytest.mark.parametrize("puzzle", [OVER, CLASH], ids=lambda puzzle: puzzle.name)
def test_no_row_can_be_left_out(puzzle, formulation):
    found = milp_pips.iis(puzzle, formulation=formulation)
    assert found.irreducible
    assert found.confirmed_by == "HiGHS"
    assert irreducible(puzzle, formulation, found.rows, relaxed=False)
    assert (found.relaxation is None) == (puzzle is CLASH)
    if found.relaxation:
        assert irreducible(puzzle, formulation, found.relaxation, relaxed=True)
    names = milp_pips.formulate(milp_pips.state(puzzle), formulation).row_names()
    assert (found.relaxation is None) == has_point(puzzle, formulation, names, relaxed=True)
    assert (
        found.rules
        == {
            "over": ("region C (at least 9)",),
            "clash": (
                "region B (sum 4)",
                "region C (all equal)",
                *(f"the domino {d}" for d in ("0-1", "1-3", "2-3")),
            ),
        }[puzzle.name]
    )


def test_a_ray_that_proves_nothing_is_a_fault(monkeypatch):
    monkeypatch.setattr("milp_pips.extras.lab.farkas.Fraction", lambda *_: Fraction(0))
    with pytest.raises(EngineFault, match="not a certificate in exact arithmetic"):
        milp_pips.iis(OVER)


def test_a_relaxation_that_was_not_solved_ends_it(monkeypatch):
    unsolved = SimpleNamespace(run=lambda _: Answer(None, Proof.NONE, Stop.TIME))
    monkeypatch.setattr(PuzzleModel, "relax", lambda _: unsolved)
    with pytest.raises(milp_pips.Unfinished, match="the relaxation was not solved in time"):
        milp_pips.iis(OVER)


def test_without_scip_the_reason_is_said(monkeypatch, capsys, tmp_path):
    def missing(*_):
        raise UsageError("scip cannot run here: pyscipopt is not installed")

    monkeypatch.setattr(module, "_in_own_process", missing)
    file = tmp_path / "clash.txt"
    file.write_text(milp_pips.convert(CLASH, "text"), encoding="utf-8")
    assert main(["iis", str(file)]) == 0
    assert "  scip cannot run here" in capsys.readouterr().out


def test_a_puzzle_with_a_solution_has_none():
    easy = milp_pips.Pips.from_rows(["AA"], {"A": "SUM 1"}, [(0, 1)], "easy")
    with pytest.raises(UsageError, match="easy has a solution"):
        milp_pips.iis(easy)
