"""What benchmarks are made of: the definitions of experiments, and the history of goals."""

from __future__ import annotations

import csv

import experiments
import goals
import pytest

from milp_pips.cli.compare import words_of
from milp_pips.compare.campaign import configurations
from milp_pips.tasks.generate import wish_of

DEFINITIONS = sorted(experiments.EXPERIMENTS.glob("*.toml"))


def test_there_are_experiments():
    assert len(DEFINITIONS) >= 4


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("file", DEFINITIONS, ids=lambda file: file.stem)
def test_an_experiment_can_be_made(file, quick, tmp_path):
    puzzles, comparison = experiments.definition(file, quick=quick)
    for value in puzzles["values"]:
        options = {k: v for k, v in puzzles.items() if k not in ("vary", "values", "count", "seed")}
        options[puzzles["vary"]] = value
        wish_of("pips", **{k.replace("-", "_"): v for k, v in options.items()}).maker()
    campaign = tmp_path / "campaign.toml"
    campaign.write_text(experiments.as_toml({"paths": ["somewhere"], **comparison, "out": "results.sqlite"}))
    words = words_of(str(campaign))
    assert len(configurations(comparison["run"])) == len(comparison["run"])
    assert f"--time-limit={comparison['time-limit']}" in words
    assert sum(word.startswith("--seed=") for word in words) == (1 if quick else 3)


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
