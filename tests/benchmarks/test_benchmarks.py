"""What benchmarks are made of: goals, and their history."""

from __future__ import annotations

import csv
import json

import default
import goals
import pytest
import regressions


def test_the_history_grows_by_a_row_and_by_columns(tmp_path):
    history = tmp_path / "history.csv"
    goals.remember(history, [goals.Goal("one", "the first", 1.23456, 2.0)])
    goals.remember(history, [goals.Goal("two", "the second", 7.0, 2.0, more=True)])
    first, second = csv.DictReader(history.read_text().splitlines())
    assert (first["one"], first["two"]) == ("1.235", "")
    assert (second["one"], second["two"]) == ("", "7")
    assert second["highspy"]
    lines = goals.by_date(history).splitlines()
    assert lines[0].split(" | ")[1:] == [first["date"], f"{second['date']} |"]
    assert lines[-2:] == ["| one | 1.235 | – |", "| two | – | 7 |"]


@pytest.mark.parametrize(
    ("rounds", "worse"),
    [([2.9], []), ([3.1, 2.9], []), ([3.1, 3.2], ["one"]), ([2.9, 9.9], [])],
    ids=["little worse", "worse once", "worse twice", "not measured again"],
)
def test_a_ratio_is_worse_only_twice_in_a_row(rounds, worse):
    values = iter(rounds)
    assert regressions.worse_ones(lambda: [goals.Goal("one", "", next(values), 2.0)], {"one": 2.0}) == worse


def test_every_quick_ratio_is_committed():
    content = json.loads(regressions.RATIOS.read_text())
    assert content["date"]
    assert set(content["versions"]) == set(regressions.VERSIONS)
    engines = {name.split("_")[1] for name in content["ratios"]} - {"up"}
    assert engines == {"cp-sat", "sat", "clingo"}


@pytest.mark.parametrize(("value", "more", "met"), [(1, False, True), (3, False, False), (3, True, True)])
def test_a_goal_is_met_or_missed(value, more, met):
    assert goals.Goal("", "", value, 2.0, more).met is met


def test_the_default_is_compared_with_the_best_engine_and_the_best_of_each_puzzle(tmp_path, capsys):
    seconds = {"default": (3.0, 3.0), "sat": (2.0, None), "lns": (None, 1.0), "scip": (1.0,)}
    runs = [
        default.Run("test", f"puzzle {n}", solver, 5.0, "limit" if s is None else "solved", s or 5.0, 9.0, "")
        for solver, times in seconds.items()
        for n, s in enumerate(times)
    ]
    default.write(tmp_path / "runs.json", runs)
    assert default.read(tmp_path / "runs.json") == runs
    default.show(runs)
    printed = capsys.readouterr().out
    assert "| sat | 1 | 6.00 | 0.50 |" in printed  # 2 s, and twice the limit
    assert "0.55 times lns, goal 1.3: met" in printed
    assert "2.00 times virtual best, goal 1.6: missed" in printed
    assert "scip" not in printed  # it has not run on every puzzle
