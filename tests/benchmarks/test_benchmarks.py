"""What benchmarks are made of: goals, and their history."""

from __future__ import annotations

import csv

import goals
import pytest


def test_the_history_grows_by_a_row_and_by_columns(tmp_path):
    history = tmp_path / "history.csv"
    goals.remember(history, [goals.Goal("one", "the first", 1.23456, 2.0)])
    goals.remember(history, [goals.Goal("two", "the second", 7.0, 2.0, more=True)])
    first, second = csv.DictReader(history.read_text().splitlines())
    assert (first["one"], first["two"]) == ("1.235", "")
    assert (second["one"], second["two"]) == ("", "7")
    assert second["highspy"]


@pytest.mark.parametrize(("value", "more", "met"), [(1, False, True), (3, False, False), (3, True, True)])
def test_a_goal_is_met_or_missed(value, more, met):
    assert goals.Goal("", "", value, 2.0, more).met is met
