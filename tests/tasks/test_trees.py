"""The method ``tree`` of lists: linear models in one tree, confirmed by the certificate of the tree."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import count, product
from random import Random

import pytest
from linear_models import random_model, solutions

import milp_pips
from milp_pips import Column, Model, Row
from milp_pips.cli import main
from milp_pips.compilation import limits
from milp_pips.enumeration import tree_pieces
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import EngineFault, InputError, UsageError
from milp_pips.problem.stopping import Deadline, SubDeadline

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


def test_a_stopped_list_near_the_optimum_has_what_is_near_the_best_known_value(monkeypatch):
    """The looks at the clock, one for each node, end the search after the first points."""
    monkeypatch.setattr(tree_pieces, "BETWEEN_LOOKS", 0)
    rng = Random(1)
    weights = [rng.randint(10, 60) for _ in range(30)]
    columns = tuple(Column(f"x{j}", 0, 1, True, w + rng.randint(-5, 5)) for j, w in enumerate(weights))
    row = Row("room", dict(enumerate(weights)), None, sum(weights) // 2)
    model = Model(columns, (row,), sense="maximise", name="knapsack")

    def stopped():
        looks = iter(range(60))
        return SubDeadline(Deadline(), criterion=lambda: Stop.TIME if next(looks, None) is None else None)

    found = milp_pips.solutions(model, within=5, deadline=stopped())
    values = [model.value(solution.values_by_position) for solution in found]
    best = found.summary.objective
    assert values
    assert (max(values), found.summary.complete, found.summary.stop) == (best.value, False, Stop.TIME)
    assert min(values) >= best.value - 5
    assert (best.bound, best.is_optimal) == (None, False)
    with pytest.raises(milp_pips.Unfinished, match="knapsack: the optimum is not known"):
        milp_pips.count(model, within=5, deadline=stopped())


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
    with pytest.raises(UsageError, match="on a live LP of HiGHS: omit solver"):
        listed(MIXED, solver="scip")
    with pytest.raises(UsageError, match="the best solutions are listed one after another: omit limit"):
        listed(MIXED, best=2, limit=1)
    with pytest.raises(UsageError, match="the tree takes one distance: within or within_relative"):
        listed(MIXED, within=1, within_relative=0.1)
    with pytest.raises(UsageError, match="is no linear model: the method tree lists those"):
        listed(milp_pips.read("examples/pips/easy.txt"))
    with pytest.raises(UsageError, match="x has no upper bound"):
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


def test_names_that_no_file_can_have_need_no_other_proof():
    columns = (Column("a b", 0, 2, integer=True, cost=1), Column("", 0, 1, cost=1))
    model = Model(columns, (Row("of two words", {0: 1, 1: 1}, 1, None),), name="some names")
    for wanted, number in (({}, 3), ({"within": 0}, 2), ({"best": 1}, 1)):
        found = milp_pips.solutions(model, **wanted)
        assert len(list(found)) == number
        assert found.summary.complete
        assert (found.summary.method, found.summary.confirmed_by[:15]) == ("tree", "its certificate")


def test_a_list_that_is_too_large_for_a_certificate_is_not_called_complete(monkeypatch):
    monkeypatch.setattr("milp_pips.tasks.trees.LARGEST_TEXT", 100)
    said = []
    found = milp_pips.solutions(MIXED, on_progress=said.append)
    assert list(found)
    assert not found.summary.complete
    assert "mixed: no certificate: it would be too large to be checked" in said


def test_a_row_that_is_too_fine_for_engines_is_none_for_the_tree():
    columns = (Column("x", 0, 9, cost=1), Column("b", 0, 1, integer=True, cost=1))
    row = Row("r", {0: Fraction(1, 10**14), 1: Fraction(333333333333, 10)}, 1, None)
    found = milp_pips.solutions(Model(columns, (row,)))
    assert [solution["b"] for solution in found] == [1]
    assert found.summary.complete


def test_the_default_is_the_tree_unless_more_is_asked(tmp_path):
    bits = tuple(Column(f"b{j}", 0, 1, integer=True, cost=1) for j in range(4))
    model = Model(bits, (Row("two", dict.fromkeys(range(4), 1), 2, None),))
    for wanted, number in (({}, 11), ({"within": 0}, 6), ({"within": 1, "best": 8}, 8), ({"best": 2}, 2)):
        found = milp_pips.solutions(model, **wanted)
        assert (len(list(found)), found.summary.complete, found.summary.method) == (number, True, "tree")
    counted = milp_pips.count(model, within=0)
    assert (counted.counts, counted.method) == ({"assignment": 6}, "tree by highs")
    assert counted.confirmed_by.startswith("its certificate")
    kept = milp_pips.solutions(model, out=str(tmp_path / "all.jsonl"))
    assert (len(list(kept)), kept.method) == (11, "diagram")
    assert milp_pips.solutions(model, "sat").method == "native"


@pytest.mark.parametrize("turn", [0.0, 0.002])
def test_a_rival_that_has_all_solutions_takes_the_place_of_the_tree(turn, monkeypatch):
    """However many solutions the tree has listed by then, each comes once."""
    monkeypatch.setattr("milp_pips.tasks.turns.FIRST_TURN", turn)
    bits = tuple(Column(f"b{j}", 0, 1, integer=True, cost=1 + j % 3) for j in range(9))
    model = Model(bits, (Row("four", dict.fromkeys(range(9), 1), 4, 6),))
    found = milp_pips.solutions(model)
    listed = [tuple(solution.values()) for solution in found]
    assert sorted(listed) == [v for v in product((0, 1), repeat=9) if 4 <= sum(v) <= 6]
    assert (found.summary.complete, found.method) == (True, found.summary.method)
    best = milp_pips.solutions(model, within=1)
    assert sorted(s.objective for s in best) == sorted(
        value for v in listed if (value := sum(b * c.cost for b, c in zip(v, bits, strict=True))) <= 6
    )
    assert best.summary.complete
    assert best.summary.objective.value == 5


def test_known_solutions_begin_a_list(tmp_path, capsys):
    """The tree prunes by them from the beginning, and lists the same."""
    model = Model(
        tuple(Column(f"x{j}", 0, 1, True, 1 + j % 7) for j in range(30)),
        (Row("half", {j: 101 + 2 * j for j in range(30)}, 1801, None),),
        name="half",
    )
    (best,) = milp_pips.solutions(model, best=1)
    (tmp_path / "known.jsonl").write_text(json.dumps({"values": dict(best)}) + "\n")
    for start in ([best], [dict(best)], tmp_path / "known.jsonl"):
        assert list(milp_pips.solutions(model, best=1, start=start)) == [best]  # no other is better
    (tmp_path / "half.mps").write_text(model.to_mps())
    file, known = str(tmp_path / "half.mps"), str(tmp_path / "known.jsonl")
    assert main(["enumerate", file, "--best", "1", "--start", known, "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[0])["values"] == dict(best)


@pytest.mark.parametrize(
    ("asked", "fault"),
    [
        ({"start": [{"x": 3}]}, r"^start 1: no solution of model: the bounds of x are missed by 2$"),
        ({"start": [{"y": 1}]}, r"^start 1: no column y; expected values of columns by name$"),
        ({"start": [{"x": 1}], "method": "partition"}, "^known solutions begin the tree of a linear model: "),
        (
            {"start": [{"x": 1}], "diverse": 2},
            "^known solutions begin the tree of a linear model: omit start",
        ),
    ],
)
def test_a_start_of_a_list_that_does_not_fit_is_refused(asked, fault):
    with pytest.raises((InputError, UsageError), match=fault):
        milp_pips.solutions(Model((Column("x", 0, 1, True, 1),), ()), **asked)


def test_a_puzzle_takes_no_known_solutions_for_its_list():
    with pytest.raises(UsageError, match=r"^known solutions begin the tree of a linear model: omit start"):
        milp_pips.solutions(milp_pips.read("examples/pips/square.txt"), start=[])


def test_a_list_stops_where_its_memory_ends_and_says_what_helps(monkeypatch):
    held = count(0, 2**16)
    monkeypatch.setattr(limits, "resident_memory", lambda: next(held))
    monkeypatch.setattr(limits, "MEMORY_CHECK_INTERVAL", 0)
    model = Model(tuple(Column(f"x{j}", 0, 9, True) for j in range(12)), (), name="large")
    said = []
    solved, summary = listed(model, memory=2**20, on_progress=said.append)
    assert (summary.complete, summary.stop) == (False, Stop.MEMORY)
    assert len(solved) < 10**6
    (line,) = [text for text in said if "memory" in text]
    start, rest = line.split(" takes more than ")
    assert start == "large: the list"
    assert rest.endswith(" solutions so far; count, choose fewer columns, or give a greater limit")
