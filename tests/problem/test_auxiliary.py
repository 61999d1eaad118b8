"""Auxiliary variables: in no key, no picture, no sentence, and no solution counted twice because of them."""

from __future__ import annotations

import pytest

import milp_pips
from milp_pips import Problem, Table, UsageError, Variable
from milp_pips.engines import registry
from milp_pips.testing.boards import ambiguous, determined


@pytest.mark.parametrize("make", [ambiguous, determined])
@pytest.mark.parametrize("name", registry.names())
def test_every_engine_lists_each_solution_once(name, make):
    problem = make()
    try:
        found = [tuple(solution.items()) for solution in milp_pips.solutions(problem, solver=name)]
    except UsageError as reason:
        pytest.skip(str(reason))
    assert len(found) == len(set(found)) == 3
    assert all([key for key, _ in solution] == ["a", "b"] for solution in found)


@pytest.mark.parametrize(
    ("solver", "make", "method"),
    [
        ("cp-sat", ambiguous, "partition"),
        ("cp-sat", determined, "native"),
        ("sat", ambiguous, "native"),  # it projects on the key
    ],
)
def test_an_engine_that_does_not_project_lists_no_solution_for_each_of_their_values(solver, make, method):
    pytest.importorskip({"cp-sat": "ortools", "sat": "pysat"}[solver])
    listing = milp_pips.solutions(make(), solver=solver)
    assert len(list(listing)) == 3
    assert (listing.method, listing.summary.method) == (method, method)


@pytest.mark.parametrize("make", [ambiguous, determined])
def test_they_are_not_counted(make):
    assert milp_pips.count(make()).counts == {"all": 3}
    assert milp_pips.solve(make()).others is not None


def test_people_never_see_them():
    problem = ambiguous()
    assert "helper" not in str(milp_pips.draw(problem))
    assert "helper" not in milp_pips.solve(problem).solution
    assert "helper" not in str(milp_pips.count(problem, cells=True).to_json())
    with pytest.raises(UsageError, match="the board has no cell 'helper'"):
        milp_pips.solve(problem, board={"helper": 1})
    steps = milp_pips.steps(determined(), {"b": 0})
    assert "sum =" not in " ".join(map(str, steps))


def test_a_key_names_none_of_them():
    with pytest.raises(ValueError, match="the key 'all' names the auxiliary variable b"):
        Problem((Variable("a", (0, 1)), Variable("b", (0, 1))), (), {"all": (0, 1)}, auxiliary=(1,))
    with pytest.raises(ValueError, match="auxiliary names the variable 7; expected positions below 1"):
        Problem((Variable("a", (0, 1)),), (), {}, auxiliary=(7,))


def test_values_have_names_for_each_variable():
    colours, sizes = {0: "red", 1: "blue"}, {0: "small", 1: "large"}
    variables = (Variable("colour", (0, 1)), Variable("size", (0, 1)), Variable("number", (0, 1)))
    rules = (Table.from_text((0, 1, 2), "1 0 1", "the only row"),)
    problem = Problem(variables, rules, value_names={0: colours, 1: sizes})
    assert milp_pips.solve(problem).to_json()["values"] == {"colour": "blue", "size": "small", "number": 1}
    assert [problem.written(1, v) for v in range(3)] == ["blue", "large", "1"]
    assert "blue" in str(milp_pips.draw(problem))
    assert "large" in str(milp_pips.draw(problem))
    assert milp_pips.solve(problem, board={"size": "large"}).status == "dead"
    with pytest.raises(UsageError, match="colour cannot be small, only red, blue"):
        milp_pips.solve(problem, board={"colour": "small"})


def test_one_mapping_names_the_values_of_all_variables_but_auxiliary_ones():
    variables = (Variable("a", (0, 1)), Variable("b", (0, 1)))
    problem = Problem(variables, (), {"all": (0,)}, {0: "no", 1: "yes"}, auxiliary=(1,))
    assert [problem.written(1, v) for v in range(2)] == ["yes", "1"]
    with pytest.raises(TypeError, match="value_names map variables to names of values, not to 'yes'"):
        Problem(variables, (), {}, {0: {0: "no"}, 1: "yes"})
