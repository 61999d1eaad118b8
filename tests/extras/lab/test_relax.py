"""The relaxation on the board: its vertex obeys the rows, and what is drawn of it is what it says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import milp_pips
from milp_pips.cli import main
from milp_pips.problem.errors import UsageError

EXAMPLES = Path(__file__).parents[3] / "examples"
SEVERAL = milp_pips.read(EXAMPLES / "pips" / "several.txt")
FILES = ["pips/several.txt", "pips/cube.json", "sudoku/jigsaw.txt", "colour_grid/several.txt"]


def activities(model, x):
    rows = np.repeat(np.arange(model.size["rows"]), np.diff(model.arrays.start))
    weights = model.arrays.value * np.asarray(x)[model.arrays.index]
    return np.bincount(rows, weights=weights, minlength=model.size["rows"])


@pytest.mark.parametrize("name", FILES)
def test_the_vertex_obeys_every_row_and_every_cell_is_shared_out(name):
    puzzle = milp_pips.read(EXAMPLES / name)
    for formulation in ("projected", "aggregated", "implication") if "pips" in name else ("",):
        found = milp_pips.relax(puzzle, formulation=formulation)
        model = found.stated.model
        total = activities(model, found.x)
        assert (model.arrays.row_lower - 1e-6 <= total).all()
        assert (total <= model.arrays.row_upper + 1e-6).all()
        assert min(found.x) >= -1e-9
        for taken in found.values.values():
            assert sum(taken.values()) == pytest.approx(1)


def test_a_fixed_value_is_there_though_no_solution_has_it():
    pair = next((v, a) for v, a in milp_pips.strength(SEVERAL, ["projected"]).formulations[0].admitted)
    name = found_name(pair[0])
    found = milp_pips.relax(SEVERAL, formulation="projected", fix={name: pair[1]})
    assert found.values[name] == {pair[1]: 1.0}
    assert found.fixed == (f"{name} = {pair[1]}",)
    assert found.status == "fractional"


def found_name(v):
    return milp_pips.state(SEVERAL).variables[v].name


def test_an_excluded_value_leaves_no_point(capsys):
    measured = milp_pips.strength(SEVERAL, ["projected"])
    v, a = next(pair for pair in measured.impossible if pair not in measured.formulations[0].admitted)
    found = milp_pips.relax(SEVERAL, formulation="projected", fix={found_name(v): a})
    assert (found.status, found.x, found.values) == ("infeasible", None, {})
    file = str(EXAMPLES / "pips" / "several.txt")
    assert main(["relax", file, "--fix", f"{found_name(v)}={a}"]) == 1
    assert "has no point" in capsys.readouterr().out


def test_an_integral_vertex_is_a_solution():
    found = milp_pips.relax(SEVERAL, rules=("filtering",), fix=fixed_to_a_solution())
    assert found.status == "integral"
    assert all(share == 1 for taken in found.values.values() for share in taken.values())


def fixed_to_a_solution():
    problem, solution = milp_pips.state(SEVERAL), next(iter(milp_pips.compile(SEVERAL).assignments()))
    return {problem.variables[v].name: solution[v] for v in problem.keys["grid"]}


def test_bad_input_is_one_line(capsys):
    with pytest.raises(UsageError, match="has no cell 'r9c9'"):
        milp_pips.relax(SEVERAL, fix={"r9c9": 1})
    with pytest.raises(UsageError, match="r1c1 cannot be '9', only 0, 1"):
        milp_pips.relax(SEVERAL, fix={"r1c1": 9})
    with pytest.raises(SystemExit):
        main(["relax", "x.txt", "--fix", "r1c1"])
    assert "'r1c1' is not CELL=VALUE" in capsys.readouterr().err
