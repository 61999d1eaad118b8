"""The method ``tree`` of lists: linear models in one tree, confirmed by the certificate of the tree."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from linear_models import random_model, solutions

import milp_pips
from milp_pips import Column, Model, Row
from milp_pips.cli import main
from milp_pips.problem.errors import EngineFault, UsageError

MIXED = Model(
    (
        Column("x", 0, 3, integer=True, cost=-1),
        Column("y", 0, 10, cost=-2),
        Column("z", 0, 1, integer=True, cost=1),
    ),
    (Row("sum", {0: 1, 1: 1}, None, Fraction(7, 2)),),
    name="mixed",
)


def listed(model, **asked):
    found = milp_pips.solutions(model, method="tree", **asked)
    return [tuple(solution.values()) for solution in found], found.summary


@pytest.mark.parametrize("seed", range(15))
def test_it_lists_what_brute_force_finds(seed):
    model = random_model(Random(seed), mixed=seed % 3 == 0)
    found, summary = listed(model)
    assert sorted(found) == sorted(solutions(model))
    assert summary.complete
    assert summary.confirmed_by.startswith("its certificate: ")


def test_a_distance_from_the_optimum_and_the_best():
    near, summary = listed(MIXED, within=1)
    assert set(near) == {(0, 0), (0, 1), (1, 0)}
    assert (summary.objective.value, summary.objective.is_optimal) == (-7, True)
    assert set(listed(MIXED, within_relative=0.5)[0]) == {(x, z) for x in range(4) for z in (0, 1)} - {(3, 1)}
    best, summary = listed(MIXED, best=2)
    assert best[0] == (0, 0)
    assert len(best) == 2
    assert summary.complete


def test_chosen_columns_and_a_limit():
    assert set(listed(MIXED, over=["z"])[0]) == {(0,), (1,)}
    found, summary = listed(MIXED, limit=3)
    assert (len(found), summary.complete, summary.stop) == (3, False, "count")


def test_no_solution_is_proved_too():
    found, summary = listed(Model(MIXED.columns, (Row("half", {0: 2, 2: 2}, 1, 1),)))
    assert (found, summary.complete) == ([], True)


def test_a_certificate_that_is_refused_is_a_fault(monkeypatch):
    monkeypatch.setattr("milp_pips.enumeration.tree_log.TreeLog.point", lambda *_: None)
    with pytest.raises(EngineFault, match="the certificate of mixed is refused: "):
        listed(MIXED)


def test_what_it_does_not_do_is_refused_by_name():
    for given, name in (
        ({"jobs": 2}, "jobs"),
        ({"diverse": 2}, "diverse"),
        ({"solver": "scip"}, "solver"),
        ({"best": 2, "limit": 1}, "limit and best"),
    ):
        with pytest.raises(UsageError, match=f"on a live LP of HiGHS: omit {name}"):
            listed(MIXED, **given)
    with pytest.raises(UsageError, match="the tree takes one distance: within or within_relative"):
        listed(MIXED, within=1, within_relative=0.1)
    with pytest.raises(UsageError, match="is no linear model: the method tree lists those"):
        listed(milp_pips.read("examples/pips/easy.txt"))
    with pytest.raises(UsageError, match="x has no bounds"):
        listed(Model((Column("x", 0, None, integer=True),), ()))
    with pytest.raises(UsageError, match="the best solutions need an objective: the model has none"):
        listed(Model((Column("x", 0, 1, integer=True),), ()), best=2)


def test_the_command_line(tmp_path, capsys):
    path = tmp_path / "mixed.mps"
    path.write_text(MIXED.to_mps())
    assert main(["enumerate", str(path), "--method", "tree", "--within", "0", "--json"]) == 0
    first, summary = capsys.readouterr().out.splitlines()
    assert '"objective": -7' in first
    assert '"complete": true' in summary
