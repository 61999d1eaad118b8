"""Results as tables."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

import milp_pips
from milp_pips.views.table import to_csv, to_frame

EXAMPLES = Path(__file__).parents[2] / "examples" / "pips"
SEVERAL = milp_pips.read(EXAMPLES / "several.txt")


def test_a_table_has_a_line_for_each_result_and_a_column_for_each_member():
    results = [milp_pips.solve(SEVERAL), milp_pips.solve(milp_pips.read(EXAMPLES / "impossible.txt"))]
    solved, impossible = csv.DictReader(to_csv(results).splitlines())
    assert (solved["puzzle"], solved["status"], impossible["status"]) == ("several", "solved", "infeasible")
    assert float(solved["seconds.total"]) > 0
    assert solved["solver.name"] == results[0].solver
    assert (impossible["grid"], impossible["dominoes"]) == ("", "")


def test_a_table_has_no_formula_for_a_spreadsheet():
    (row,) = csv.DictReader(to_csv([milp_pips.count(replace(SEVERAL, name="=1+1"))]).splitlines())
    assert row["puzzle"] == "'=1+1"


def test_a_table_is_a_data_frame():
    pytest.importorskip("pandas")
    frame = to_frame(milp_pips.count(SEVERAL, [key]) for key in ("placement", "grid"))
    assert frame["placements"].fillna(0).tolist() == [56, 0]
