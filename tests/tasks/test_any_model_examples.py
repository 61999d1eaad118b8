"""The examples in ``examples/any_model`` run and print what they promise."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import milp_pips

EXAMPLES = Path(__file__).parents[2] / "examples" / "any_model"

pytestmark = pytest.mark.filterwarnings("ignore:.*PuLP 4.0:DeprecationWarning")


def test_shifts(capsys):
    made = runpy.run_path(str(EXAMPLES / "shifts.py"))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert len({line.partition(" ")[2] for line in lines[:4]}) == 4
    assert made["best"].summary.complete
    assert made["best"].summary.objective.value == 8


def test_lots(capsys):
    made = runpy.run_path(str(EXAMPLES / "lots.py"))
    lines = capsys.readouterr().out.splitlines()
    assert sorted(lines[:-1]) == ["[1, 2] 3", "[1, 3] 8", "[1, 4] 10", "[1] 16"]
    assert made["plans"].summary.complete


def test_covers():
    found = milp_pips.solutions(milp_pips.read(EXAMPLES / "covers.mps"), within=0)
    covers = [{name for name, value in solution.items() if value} for solution in found]
    assert len(covers) == 5  # the Petersen graph has five largest independent sets
    assert all(len(cover) == 6 for cover in covers)
    assert found.summary.complete
