"""The tree of a branch and bound: its answers agree with brute force and SCIP, its nodes with the truth."""

from __future__ import annotations

import pickle
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from brute_force import grids
from thoroughness import mostly_long

import milp_pips
from milp_pips.cli import main
from milp_pips.extras.lab.branching import BRANCHING_RULES, ORDERS
from milp_pips.problem.errors import UsageError
from milp_pips.render.svg import to_svg
from milp_pips.render.text import to_text
from milp_pips.verification.recounting import Opinion

EXAMPLES = Path(__file__).parents[3] / "examples"
TINY = milp_pips.Pips.from_rows(["AAB", "#CB"], {"A": "NEQ", "B": "SUM 7"}, [(0, 3), (3, 4), (1, 3)], "tiny")
CUBE = milp_pips.read(EXAMPLES / "pips" / "cube.json")
IMPOSSIBLE = milp_pips.Pips.from_rows(
    ["AAB", "CCB"], {"A": "NEQ", "B": "SUM 4", "C": "EQ"}, [(0, 1), (2, 3), (1, 3)], "impossible"
)
BARE = {f"{what}/maxrounds{at}": "0" for what in ("propagating", "separating") for at in ("", "root")}
"""SCIP without propagation and cuts: branch and bound alone."""


def values_by_brute_force(puzzle, name):
    place = [variable.name for variable in milp_pips.state(puzzle).variables].index(name)
    return {pip for grid in grids(puzzle) for cell, pip in grid if puzzle.cells.index(cell) == place}


FIRST = (next(iter(BRANCHING_RULES)), next(iter(ORDERS)))


@pytest.mark.parametrize(
    ("rule", "order", "formulation"),
    [*product(BRANCHING_RULES, ORDERS, ["projected"]), (*FIRST, "implication")],
)
def test_every_rule_and_order_finds_what_brute_force_finds(rule, order, formulation):
    ways = {"rule": rule, "order": order, "formulation": formulation}
    for name in ("r1c1", "r2c3"):
        values = values_by_brute_force(TINY, name)
        greatest = milp_pips.search_tree(TINY, maximise=name, **ways)
        least = milp_pips.search_tree(TINY, minimise=name, **ways)
        assert (greatest.status, greatest.value) == ("optimal", max(values))
        assert (least.status, least.value) == ("optimal", min(values))
        assert greatest.confirmed_by
    assert milp_pips.search_tree(TINY, **ways).status == "solved"


def test_highs_agrees():
    found = milp_pips.search_tree(CUBE, maximise="rtf", rule="strong")
    assert milp_pips.solve(CUBE, "highs").status == "solved"
    problem, target = milp_pips.state(CUBE), found.stated.variable("rtf")
    for domain, status in (((found.value,), "solved"), (range(found.value + 1, 7), "infeasible")):
        assert milp_pips.solve(problem.restricted({target: domain}), "highs").status == status
    assert milp_pips.solve(IMPOSSIBLE, "highs").status == "infeasible"


def test_an_objective_is_that_of_the_puzzle_before_rules_filter_it():
    several = milp_pips.read(EXAMPLES / "pips" / "several.txt")
    found = milp_pips.search_tree(several, maximise="random(7)", order="best", rules=("filtering",))
    assert found.value == milp_pips.solve(several, maximise="random(7)").objective.value
    assert found.confirmed_by


def test_what_nothing_confirms_is_not_told_as_known(monkeypatch):
    monkeypatch.setattr("milp_pips.extras.lab.search_tree.on_no_solution", lambda *_: Opinion(None))
    found = milp_pips.search_tree(IMPOSSIBLE)
    assert (found.status, found.confirmed_by) == ("unknown", None)
    assert found.summary().startswith(
        "impossible: no solution was found, but nothing has confirmed that there is none; "
    )
    greatest = milp_pips.search_tree(TINY, maximise="r1c1")
    assert (greatest.status, greatest.confirmed_by) == ("solved", None)


@pytest.mark.parametrize("rule", mostly_long(1, BRANCHING_RULES))
def test_no_solution_is_found_and_confirmed(rule):
    assert not grids(IMPOSSIBLE)
    found = milp_pips.search_tree(IMPOSSIBLE, rule=rule, formulation="implication")
    assert (found.status, found.solution) == ("infeasible", None)
    assert found.confirmed_by == "the decision diagram"
    assert {node.status for node in found.nodes} == {"branched", "infeasible"}


def vector(model, assignment):
    """The 0-1 vector of an assignment: a column is 1 where all that it means holds."""
    holds = np.asarray(assignment)[model.pair_variables[model.pairs]] == model.pair_values[model.pairs]
    x = np.ones(model.size["columns"])
    x[np.unique(model.pair_columns[~holds])] = 0
    return x


@pytest.mark.parametrize(("rule", "order"), [("first", "depth"), ("strong", "best"), ("cell", "best")])
def test_each_solution_is_in_one_leaf_which_no_false_reason_has_pruned(rule, order):
    found = milp_pips.search_tree(CUBE, maximise="rtf", rule=rule, order=order)
    model, nodes = found.stated.model, found.nodes
    target = found.stated.variable("rtf")
    parents = {node.parent for node in nodes}
    for assignment in milp_pips.compile(CUBE).assignments():
        x = vector(model, assignment)
        inside = [True] * len(nodes)
        for i, node in enumerate(nodes):
            above = node.parent is None or inside[node.parent]
            inside[i] = above and all(low <= x[j] <= high for j, low, high in node.bounds)
        (leaf,) = (nodes[i] for i in range(len(nodes)) if inside[i] and i not in parents)
        assert leaf.status in ("solution", "bound")
        for node in (node for node, here in zip(nodes, inside, strict=True) if here):
            assert node.bound <= -assignment[target]


def test_bounds_never_get_better_on_the_way_down_and_numbers_say_the_order():
    found = milp_pips.search_tree(CUBE, maximise="lub", rule="first", order="best")
    for node, number in zip(found.nodes, found.numbers, strict=True):
        if node.parent is not None and node.bound is not None:
            assert node.bound >= found.nodes[node.parent].bound
            assert number is None or number > found.numbers[node.parent]
    assert sorted(n for n in found.numbers if n) == list(range(1, max(filter(None, found.numbers)) + 1))


@pytest.mark.long
def test_scip_shows_its_own_tree_and_agrees():
    pytest.importorskip("pyscipopt")
    asked = {"maximise": "rtf", "formulation": "implication"}
    textbook = milp_pips.search_tree(CUBE, rule="strong", **asked)
    for options in ({}, BARE):
        scip = milp_pips.search_tree(CUBE, solver="scip", options=options, **asked)
        assert scip.status == textbook.status == "optimal"
        assert scip.value == textbook.value
    bare = milp_pips.search_tree(CUBE, solver="scip", options=BARE, formulation="implication")
    statuses = Counter(node.status for node in bare.nodes)
    assert bare.status == "solved"
    assert statuses["solution"] == 1
    assert statuses["branched"] > 1
    for node, link in zip(bare.nodes[1:], bare.links[1:], strict=True):
        assert bare.nodes[node.parent].status == "branched"
        assert len(node.bounds) == 1
        assert link
    few = milp_pips.search_tree(CUBE, solver="scip", options=BARE, formulation="implication", limit=3)
    assert (few.status, few.stop, few.solution) == ("unknown", "count", None)
    assert len(few.nodes) <= 4
    impossible = milp_pips.search_tree(IMPOSSIBLE, solver="scip")
    assert (impossible.status, impossible.confirmed_by) == ("infeasible", "the decision diagram")


def test_the_tree_is_drawn_with_a_board_in_each_node_that_has_a_vertex():
    found = milp_pips.search_tree(CUBE, maximise="ltf", order="best")
    text, svg = to_text(found.drawing()), to_svg(found.drawing())
    assert text.startswith("node 1, ")
    assert text.count("infeasible\n") == sum(node.status == "infeasible" for node in found.nodes)
    assert "at most 1" in text
    assert svg.count("scale(0.75)") == sum(node.x is not None for node in found.nodes)
    ascii_only = to_text(found.drawing(), unicode=False)
    assert ascii_only.isascii()
    assert "|- " in ascii_only


def test_a_limit_is_told(capsys):
    file = str(EXAMPLES / "pips" / "several.txt")
    assert main(["tree", file, "--limit", "3", "--formulation", "implication"]) == 3
    out = capsys.readouterr().out
    assert "not finished; stop: count; 3 nodes by textbook" in out
    assert "not solved" in out


def test_bad_input_is_one_line(capsys):
    with pytest.raises(UsageError, match="unknown way to search 'worst'; known: first, most-fractional"):
        milp_pips.search_tree(TINY, rule="worst")
    with pytest.raises(UsageError, match="one objective"):
        milp_pips.search_tree(TINY, maximise="r1c1", minimise="r1c1")
    with pytest.raises(UsageError, match=r"brute does not show its tree; these do: .*scip"):
        milp_pips.search_tree(TINY, solver="brute")
    file = str(EXAMPLES / "pips" / "easy.txt")
    for words in (["--maximise", "z9"], ["--solver", "brute"], ["--solver", "nobody"], ["--option", "a=b"]):
        assert main(["tree", file, *words]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_all_that_lessons_return_can_be_pickled_and_a_bare_problem_will_do():
    digits = tuple(milp_pips.Variable(name, (1, 2, 3)) for name in "abc")
    problem = milp_pips.Problem(digits, (milp_pips.AllDifferent((0, 1, 2), "all differ"),))
    for puzzle in (problem, TINY):
        for lesson in ("strength", "relax", "search_tree", "filter_trace"):
            found = getattr(milp_pips, lesson)(puzzle)
            assert str(pickle.loads(pickle.dumps(found))) == str(found)
