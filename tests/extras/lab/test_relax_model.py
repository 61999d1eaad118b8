"""The relaxation of a linear model: its own columns and rows, with dual values that prove the bound."""

from __future__ import annotations

from pathlib import Path

import pulp
import pytest

import milp_pips
from milp_pips.cli import main
from milp_pips.problem.errors import UsageError

CARPENTER = str(Path(__file__).parents[3] / "examples" / "any_model" / "carpenter.mps")


def bakery(*, dear: float = 5):
    """Return a PuLP model with a continuous column."""
    plan = pulp.LpProblem("bakery", pulp.LpMaximize)
    rolls = plan.add_variable("rolls", lowBound=0, cat="Integer")
    cakes = plan.add_variable("cakes", lowBound=0)
    plan += 3 * rolls + dear * cakes + 1
    plan += rolls + 2 * cakes <= 14, "oven"
    plan += 3 * rolls + cakes <= 18, "sugar"
    return plan


def test_prices_times_sides_add_up_to_the_bound_and_what_is_not_used_has_a_reduced_cost():
    found = milp_pips.relax(bakery())
    columns = {column.name: column for column in found.columns}
    prices = {row.name: row.price for row in found.rows}
    assert prices == {"oven": pytest.approx(2.4), "sugar": pytest.approx(0.2)}
    assert found.bound == pytest.approx(1 + 14 * prices["oven"] + 18 * prices["sugar"])
    assert (columns["rolls"].is_fractional, columns["cakes"].is_fractional) == (True, False)
    assert found.status == "fractional"

    cheap = milp_pips.relax(bakery(dear=0.5))
    cakes = next(column for column in cheap.columns if column.name == "cakes")
    assert (cakes.value, cheap.bound, cheap.status) == (0, 19, "integral")
    assert cakes.reduced_cost == pytest.approx(-0.5), "a cake costs a third of a roll and brings a half"


def test_the_command_prints_a_table_and_draws_the_matrix(capsys, tmp_path):
    picture = tmp_path / "matrix.svg"
    assert main(["relax", CARPENTER, "--svg", str(picture)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("carpenter: the objective is at most 21; 1 of 2 columns are fractional\n")
    assert [line.split() for line in out.splitlines()[2:4]] == [["TABLES", "3", "0"], ["CHAIRS", "1.5", "0"]]
    assert ">HOURS</text>" in picture.read_text(encoding="utf-8")


def test_what_has_no_vertex_is_said():
    empty = pulp.LpProblem("empty", pulp.LpMinimize)
    x = empty.add_variable("x", lowBound=0, upBound=1)
    empty += x
    empty += x >= 2, "much"
    assert str(milp_pips.relax(empty)).rstrip() == "empty: the relaxation has no point"
    x.upBound = None
    empty.setObjective(-x)
    assert str(milp_pips.relax(empty)).rstrip().endswith("has no bound: its objective grows for ever")
    with pytest.raises(UsageError, match="carpenter is a linear model: it is relaxed with its own objective"):
        milp_pips.relax(milp_pips.read(CARPENTER), maximise="x")


@pytest.mark.parametrize("bounds", ["x <= 3.75", ""])
def test_integer_columns_keep_the_bounds_that_were_written(tmp_path, bounds):
    """Bounds that follow from rows for whole numbers alone are not those of the relaxation."""
    file = tmp_path / "half.lp"
    file.write_text(f"Maximize\n x\nSubject To\n a: 2 x <= 7\nBounds\n {bounds}\nGenerals\n x\nEnd\n")
    found = milp_pips.relax(milp_pips.read(file))
    assert (found.bound, found.columns[0].value, found.rows[0].price) == (3.5, 3.5, 0.5)
