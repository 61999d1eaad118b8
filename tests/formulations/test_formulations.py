"""Every formulation has exactly the placements of the puzzle as its 0-1 points, in every library."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from brute_force import placement_of, placements
from hypothesis import given
from models import COVERS, all_points
from strategies import pips_puzzles
from thoroughness import examples

import milp_pips
from milp_pips.constraints import (
    DominoCover,
    LinearSum,
    Relation,
)
from milp_pips.formulations.milp.draft import formulate
from milp_pips.problem.errors import UsageError
from milp_pips.problem.problem import Problem, Variable
from milp_pips.puzzles.family import family_of
from milp_pips.puzzles.pips.puzzle import Pips, Region, Rule
from milp_pips.tasks.enumerate import solutions
from milp_pips.testing import board

EXAMPLES = Path(__file__).parents[2] / "examples" / "pips"


@examples(7)
@given(puzzle=pips_puzzles())
@pytest.mark.parametrize("formulation", COVERS)
def test_the_points_of_a_model_are_the_placements_of_the_puzzle(formulation, puzzle):
    problem = milp_pips.state(puzzle)
    expected = placements(puzzle)
    if len(expected) > 25:
        return
    points = [formulate(problem, formulation).decode(x) for x in all_points(formulate(problem, formulation))]
    assert len(points) == len(expected)
    assert {placement_of(family_of(puzzle).decode(puzzle, point)) for point in points} == expected
    assert all(problem.violated(point) is None for point in points)


TWO_RULES = Pips.on_grid(
    "two rules",
    [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)],
    [Region("A", ((0, 0), (0, 1)), Rule.SUM, 3), Region("B", ((1, 0), (1, 1)), Rule.EQ)],
    [(1, 2), (2, 2), (1, 2)],
)


def test_identical_dominoes_are_one_kind_and_a_double_has_one_way_round():
    model = formulate(milp_pips.state(TWO_RULES), "projected")
    use = next(family for family in model.row_families if family.name == "use")
    assert use.labels() == [(1, 2), (2, 2)]
    assert model.arrays.row_lower[use.first : use.first + 2].tolist() == [2, 1]
    edges = len(TWO_RULES.edges)
    assert model.size["columns"] == 2 * edges + edges


def test_families_are_named_as_in_the_textbook():
    model = formulate(milp_pips.state(TWO_RULES), "implication")
    assert {family.name for family in model.column_families} == {"place", "value"}
    assert {family.name for family in model.row_families} == {"choose", "cover", "use", "link", "region"}
    assert len(set(model.column_names())) == model.size["columns"]
    assert len(set(model.row_names())) == model.size["rows"]
    assert "place_1_2_r1c1_r1c2" in model.column_names()
    assert "region_A_sum_3" in model.row_names()


@pytest.mark.parametrize("formulation", COVERS)
def test_pulp_and_pyomo_and_files_hold_the_same_model(formulation, tmp_path):
    import highspy
    import pulp
    import pyomo.environ as pyo

    model = formulate(milp_pips.state(TWO_RULES), formulation)
    size = model.size

    as_pulp = model.to_pulp()
    assert (len(as_pulp.variables()), as_pulp.numConstraints()) == (size["columns"], size["rows"])
    assert as_pulp.solve(pulp.PULP_CBC_CMD(msg=False)) == pulp.LpStatusOptimal
    by_name = {v.name: v.value() for v in as_pulp.variables()}
    point = model.decode([by_name[name] for name in model.column_names()])
    assert family_of(TWO_RULES).check(TWO_RULES, family_of(TWO_RULES).decode(TWO_RULES, point)) is None

    as_pyomo = model.to_pyomo()
    assert sum(len(v) for v in as_pyomo.component_objects(pyo.Var)) == size["columns"]
    assert sum(len(c) for c in as_pyomo.component_objects(pyo.Constraint)) == size["rows"]
    assert as_pyomo.place[1, 2, "r1c1", "r1c2"].is_binary()
    assert as_pyomo.use[1, 2].upper() == 2

    for ending in ("lp", "mps"):
        path = str(tmp_path / f"model.{ending}")
        (tmp_path / f"model.{ending}").write_text(model.to_lp() if ending == "lp" else model.to_mps())
        back = highspy.Highs()
        back.silent()
        assert back.readModel(path) == highspy.HighsStatus.kOk
        assert (back.getNumCol(), back.getNumRow()) == (size["columns"], size["rows"])
        lp = back.getLp()
        assert set(lp.col_names_) == set(model.column_names())
        assert set(lp.row_names_) == set(model.row_names())
        assert not back.run().value
        order = dict(zip(lp.col_names_, back.getSolution().col_value, strict=True))
        point = model.decode([order[name] for name in model.column_names()])
        assert family_of(TWO_RULES).check(TWO_RULES, family_of(TWO_RULES).decode(TWO_RULES, point)) is None


@pytest.mark.parametrize(
    "name, plain",
    [
        ("two rules", "two_rules"),
        ("../../etc/passwd\nEND", "etc_passwd_END"),
        ("«»", "uabubb"),
        ("...", "puzzle"),
        ("x" * 1000, "x" * 60),
    ],
)
def test_exported_models_carry_the_name_of_the_puzzle_in_plain_letters(name, plain):
    """PuLP builds a file name from it, so it must be short and contain no path."""
    model = formulate(milp_pips.state(replace(TWO_RULES, name=name)))
    assert model.to_pulp().name == model.to_pyomo().name == plain
    assert model.to_lp().splitlines()[0] == f"\\ Problem name: {plain}"
    assert model.to_mps().splitlines()[0] == f"NAME {plain}"


def test_unknown_formulation():
    with pytest.raises(
        UsageError, match="unknown formulation 'magic'; known: projected, aggregated, implication"
    ):
        formulate(milp_pips.state(TWO_RULES), "magic")


@pytest.mark.parametrize(
    ("formulation", "key"),
    [
        *(("projected", "grid"), ("projected", "partners"), ("aggregated", "ends"), ("aggregated", "mixed")),
        *(("implication", "partners"), ("implication", "mixed")),
    ],
)
def test_every_formulation_gets_columns_for_every_key(formulation, key):
    problem = board(2, 3, [(0, 1), (0, 1), (1, 1)], [])
    problem = replace(problem, keys={"grid": range(6), "ends": (0, 5), "partners": (6, 9), "mixed": (0, 7)})
    by_brute_force = milp_pips.count(problem, [key]).counts[key]
    for method in ("cuts", "partition"):
        found = solutions(problem, "highs", distinct=key, formulation=formulation, method=method)
        assert len(list(found)) == by_brute_force
    model = formulate(problem, formulation, key)
    assert len(model.key_columns(tuple(problem.keys[key]))) <= model.size["columns"]


def test_a_model_without_a_key_has_no_columns_for_it():
    with pytest.raises(UsageError, match="the formulation 'projected' has no columns for this key"):
        formulate(milp_pips.state(TWO_RULES), "projected").key_columns((0, 1))


def test_a_large_board_is_stated_by_implication():
    cells = [(r, c) for r in range(10) for c in range(10)]
    dominoes = [(a, b) for a in range(7) for b in range(a, 7)] + [(0, 1)] * 22
    assert formulate(milp_pips.state(Pips.on_grid("large", cells, [], dominoes))).formulation == "implication"
    assert formulate(milp_pips.state(TWO_RULES)).formulation == "projected"


@pytest.mark.parametrize("formulation", ["projected", "aggregated", "implication"])
def test_a_label_says_which_way_round_a_domino_lies(formulation):
    """``place_0_1_r1c2_r1c1``: the first pip on the first cell, the second on the second."""
    puzzle = milp_pips.read(EXAMPLES / "repeated.txt")
    model = milp_pips.formulate(milp_pips.state(puzzle), formulation)
    highs = model.to_highspy()
    highs.run()
    x = highs.getSolution().col_value
    point = model.decode(x)
    value = {variable.name: a for variable, a in zip(milp_pips.state(puzzle).variables, point, strict=True)}
    laid = [name.split("_")[1:] for name, one in zip(model.column_names(), x, strict=True) if one > 0.5]
    places = [words for words in laid if len(words) == 4]
    assert len(places) == len(puzzle.dominoes)
    for first, second, one, other in places:
        assert (value[one], value[other]) == (int(first), int(second))


@pytest.mark.parametrize("formulation", ["projected", "aggregated", "implication"])
def test_pips_may_be_negative(formulation):
    values, partners = (0, 1, 2, 3), (4, 5, 6, 7)
    cover = DominoCover(values, partners, ((0, 1), (1, 2), (2, 3)), ((-1, 1), (0, 3)), "cover")
    problem = Problem(
        tuple(Variable(f"v{k}", (-1, 0, 1, 3)) for k in range(4))
        + tuple(Variable(f"p{k}", near) for k, near in enumerate(((1,), (0, 2), (1, 3), (2,)))),
        (cover, LinearSum((0, 3), Relation.EQ, -1, "ends")),
        {"placement": tuple(range(8))},
    )
    model = formulate(problem, formulation)
    assert {model.decode(x)[:4] for x in all_points(model)} == {(-1, 1, 3, 0), (0, 3, 1, -1)}


@pytest.mark.parametrize("formulation", ["projected", "aggregated", "implication"])
def test_the_columns_of_a_value_add_up_to_1_if_a_cell_has_it(formulation):
    problem = milp_pips.state(milp_pips.read("examples/pips/several.txt"))
    model = formulate(problem, formulation)
    highs = model.to_highspy()
    highs.run()
    x = highs.getSolution().col_value
    point = model.decode(x)
    for v, variable in enumerate(problem.variables):
        for a in variable.domain:
            assert round(sum(x[j] for j in model.columns_of(v, a))) == (point[v] == a)
    with pytest.raises(UsageError, match="the model has no variable 0 with the value 99"):
        model.columns_of(0, 99)
