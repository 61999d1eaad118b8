"""Ways to state that values differ, against all permutations, and against each other."""

from __future__ import annotations

from itertools import pairwise, permutations, product

import pytest

import milp_pips
from milp_pips.extras.lab.strength import DISJUNCTIONS
from milp_pips.problem.errors import UsageError

NUMBERS = tuple(milp_pips.Variable(name, (1, 2, 3, 4)) for name in "abc")
RULES = milp_pips.AllDifferent((0, 1, 2), "differ"), milp_pips.LinearSum((0, 1), "<=", 4, "sum")
PROBLEM = milp_pips.Problem(NUMBERS, RULES, {"all": (0, 1, 2)}, name="three")
POINTS = {p for p in permutations((1, 2, 3, 4), 3) if p[0] + p[1] <= 4}
LINEAR = [name for name in DISJUNCTIONS if name not in ("indicator", "sos1")]


@pytest.mark.parametrize("name", LINEAR)
def test_each_linear_way_has_the_same_points(name):
    model = milp_pips.formulate(PROBLEM, name)
    for point in product((1, 2, 3, 4), repeat=3):
        highs = model.to_highspy()
        for v, value in enumerate(point):
            for column in model.columns_of(v, value):
                highs.changeColBounds(column, 1.0, 1.0)
        highs.run()
        assert (highs.getModelStatus().name == "kOptimal") == (point in POINTS)


def test_they_differ_in_strength_bound_and_nodes_and_agree_on_the_best_value():
    names = "hull", "loose_big_m", "indicator", "sos1"
    found = milp_pips.strength(PROBLEM, names, root=True, minimise="a + b + c")
    by_name = {one.formulation: one for one in found.formulations}
    assert tuple(by_name) == names
    best = min(map(sum, POINTS))
    assert {one.value for one in found.formulations} == {best}
    assert best >= by_name["hull"].bound > by_name["loose_big_m"].bound
    for one in found.formulations:
        assert set(one.admitted_by_root) <= set(one.admitted) <= set(found.impossible)
    lines = str(found).splitlines()
    assert "bound  nodes" in lines[1]
    assert f"the best value is {best}" in lines[-1]
    assert found.to_json()["formulations"][0]["nodes"] >= 1


def test_the_order_of_their_relaxations():
    found = milp_pips.strength(PROBLEM, [name for name in LINEAR if name != "pairwise"])
    assert [one.formulation for one in found.formulations] == ["clique", "hull", "big_m", "loose_big_m"]
    for strong, weak in pairwise(found.formulations):
        assert set(strong.admitted) <= set(weak.admitted)
    assert not found.formulations[0].admitted
    assert found.formulations[-1].admitted


def test_a_big_m_of_the_domains_is_the_smallest_that_keeps_all_points():
    rows = milp_pips.formulate(PROBLEM, "big_m")
    family = next(family for family in rows.rows if family.name == "either")
    assert {float(rows.row_upper[i]) for i in range(family.first, family.first + family.count)} == {3.0, -1.0}


def test_a_puzzle_without_the_rule_is_refused_in_one_line():
    equal = milp_pips.Pips.from_rows(["AA"], {"A": "EQ"}, [(1, 1)])
    with pytest.raises(UsageError, match="nothing that 'big_m' could state"):
        milp_pips.strength(equal, ["indicator"])
