"""What a formulation excludes, against brute force for the truth and another LP code for the relaxation."""

from __future__ import annotations

from pathlib import Path

import pulp
import pytest
from brute_force import grids

import milp_pips
from milp_pips.cli import main
from milp_pips.extras.lab.views.svg import drawings_of_strength
from milp_pips.extras.lab.views.text import total
from milp_pips.problem.errors import UsageError

EXAMPLES = Path(__file__).parents[3] / "examples"
TINY = milp_pips.Pips.from_rows(["AAB", "#CB"], {"A": "EQ", "B": "SUM 7"}, [(0, 3), (3, 4), (1, 3)], "tiny")
SUDOKU = milp_pips.Sudoku.from_rows(["1...", "..1.", ".1..", "...."])
CUBE = milp_pips.read(EXAMPLES / "pips" / "cube.json")
FORMULATIONS = ("projected", "aggregated", "implication", "by_kind")


def admitted_by_cbc(problem, formulation, pairs):
    """Maximise Σ of the columns of each pair over the LP that PuLP makes of the model, by CBC."""
    model = milp_pips.formulate(problem, formulation)
    admitted = set()
    for v, a in pairs:
        linear = model.to_pulp()
        variables = {x.name: x for x in linear.variables()}
        columns = [variables[name] for name in model.column_names()]
        for x in columns:
            x.cat = pulp.LpContinuous
        number = list(zip(model.pair_variables.tolist(), model.pair_values.tolist(), strict=True)).index(
            (v, a)
        )
        mine = [c for p, c in zip(model.pairs, model.pair_columns, strict=True) if p == number]
        linear.setObjective(-pulp.lpSum(columns[c] for c in mine))
        linear.solve(pulp.PULP_CBC_CMD(msg=False))
        if pulp.LpStatus[linear.status] == "Optimal" and -pulp.value(linear.objective) > 1 - 1e-6:
            admitted.add((v, a))
    return admitted


def test_what_is_impossible_is_what_brute_force_never_finds():
    problem = milp_pips.state(TINY)
    seen = {(TINY.cells.index(cell), pip) for grid in grids(TINY) for cell, pip in grid}
    every = {(v, a) for v in problem.keys["grid"] for a in problem.variables[v].domain}
    assert set(milp_pips.strength(TINY).impossible) == every - seen


@pytest.mark.parametrize(
    "puzzle",
    [
        pytest.param(TINY, id="pips", marks=pytest.mark.long),
        pytest.param(SUDOKU, id="sudoku", marks=pytest.mark.long),
        pytest.param(CUBE, id="cube", marks=pytest.mark.long),
    ],
)
def test_another_lp_code_admits_and_excludes_the_same(puzzle):
    problem = milp_pips.state(puzzle)
    found = milp_pips.strength(puzzle, ["implication"] if puzzle is CUBE else [])
    assert found.impossible
    for one in found.formulations:
        assert set(one.admitted) == admitted_by_cbc(problem, one.formulation, found.impossible)


def test_all_formulations_are_measured_and_the_textbook_one_is_never_the_strongest():
    found = milp_pips.strength(CUBE)
    admitted = {one.formulation: set(one.admitted) for one in found.formulations}
    assert tuple(admitted) == FORMULATIONS
    assert admitted["projected"] == admitted["aggregated"] < admitted["implication"]
    assert found.filtered == 0 < found.formulations[0].excluded


@pytest.mark.long
def test_the_root_node_excludes_what_the_relaxation_does_and_more():
    found = milp_pips.strength(milp_pips.read(EXAMPLES / "pips" / "several.txt"), ["projected"], root=True)
    (one,) = found.formulations
    assert set(one.admitted_by_root) < set(one.admitted)
    assert one.excluded < one.excluded_by_root <= one.impossible


def test_the_table_has_a_line_for_each_formulation_and_adds_up():
    found = milp_pips.strength(TINY)
    assert [line.split()[0] for line in str(found).splitlines()[2:]] == [*FORMULATIONS, "filtering"]
    head, _, projected, *_ = total([found, found])
    assert (
        head
        == f"all 2: of {2 * len(found.impossible)} values of cells that no solution has, these are excluded"
    )
    assert projected.split()[2] == str(2 * found.formulations[0].excluded)
    sudoku = milp_pips.strength(SUDOKU)
    assert total([found]) == total([found, sudoku]) == []


def test_the_board_shows_what_is_admitted():
    drawing = drawings_of_strength(milp_pips.strength(TINY, ["implication"]))[0]
    fills = [fill for square in drawing.board.squares.values() for _, fill in square.candidates]
    assert fills.count("#e8590c") == len(milp_pips.strength(TINY, ["implication"]).formulations[0].admitted)


def test_bad_input_is_one_line(capsys):
    with pytest.raises(UsageError, match="unknown formulation 'linear'"):
        milp_pips.strength(TINY, ["linear"])
    with pytest.raises(TypeError, match=r"write \['projected'\]"):
        milp_pips.strength(TINY, "projected")
    assert main(["strength", str(EXAMPLES / "pips" / "easy.txt"), "--formulation", "linear"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_model_has_one_formulation_as_it_is_stated(capsys, tmp_path):
    model = tmp_path / "pair.opb"
    model.write_text("* #variable= 2 #constraint= 1\n+1 x1 +1 x2 >= 2 ;\n", encoding="utf-8")
    assert main(["strength", str(model)]) == 0
    assert "\nas stated " in capsys.readouterr().out
    assert main(["export", str(model)]) == 0
    assert "formulation" not in capsys.readouterr().out


def test_a_time_limit_is_kept(capsys):
    assert main(["strength", str(EXAMPLES / "pips" / "hard.txt"), "--time-limit", "0"]) == 3
    assert capsys.readouterr().err.count("\n") == 1


def test_what_cannot_be_stated_is_left_out_unless_it_was_asked_for():
    rows, columns = ["/[abc]*/"], ["/[abc]/"] * 2 + [None] * 11 + ["a"]
    puzzle = milp_pips.ColourGrid.from_clues(rows=rows, columns=columns)
    found = milp_pips.strength(puzzle)
    assert [one.formulation for one in found.formulations] == ["flow"]
    assert "allows 4,782,969 strings" in found.left_out["strings"]
    assert str(found).splitlines()[-1].startswith("strings is left out: ")
    with pytest.raises(UsageError, match="4,782,969 strings"):
        milp_pips.strength(puzzle, ["strings"])
