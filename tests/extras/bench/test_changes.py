"""What a report says of two dates: the same configurations on the same puzzles, then and now."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from results import SESSION, results, run

from milp_pips.cli import main
from milp_pips.extras.bench.report import report
from milp_pips.problem.errors import InputError

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.usefixtures("empty_plots")

NAMES = [f"p{number}" for number in range(8)]


@pytest.fixture
def old(tmp_path):
    campaign = {name: [run("a", 2.0, version="1"), run("gone", 1.0)] for name in NAMES}
    campaign["p7"] = [run("a", math.inf, version="1")]
    return results(tmp_path / "old.sqlite", campaign)


@pytest.fixture
def new(tmp_path):
    campaign = {name: [run("a", 1.0, version="2"), run("b", 1.0)] for name in [*NAMES, "another"]}
    campaign["p6"] = [run("a", math.inf, version="2")]
    return results(tmp_path / "new.sqlite", campaign)


def test_what_has_changed_is_told_for_what_both_have(old, new):
    made = report(new, since=old)
    page = " ".join(made.files["report.html"].split())
    assert "What has changed since old.sqlite" in page
    assert "a has gained p7, and has lost p6." in page
    said = "- a (1 → 2): 0.500× the time on the median of 8 puzzles (p 0.070), 1 gained, 1 lost"
    assert said in made.summary.splitlines()
    assert "gone" not in made.summary
    assert "- b (" not in made.summary


def test_nothing_in_common_and_nothing_asked(old, new, tmp_path):
    other = results(tmp_path / "other.sqlite", {"p1": [run("a", 1.0, limit=7.0)]})
    assert (
        "- no configuration has run the same puzzles within the same limits, with the same"
        in report(other, since=old).summary
    )
    assert "Since" not in report(new).summary
    assert "What has changed" not in report(new).files["report.html"]


def test_the_verb_takes_an_earlier_file(old, new, tmp_path, capsys):
    assert main(["report", new, "--since", old, "--out", str(tmp_path / "out")]) == 0
    assert "Since old.sqlite (2026-11-20):" in capsys.readouterr().out
    with pytest.raises(InputError, match="No such file"):
        report(new, since=tmp_path / "nothing.sqlite")


def test_other_rules_or_threads_are_another_configuration_and_another_machine_is_told(old, tmp_path):
    other = replace(SESSION, machine="other")
    campaign = {name: [run("a", 1.0, rules="filtering"), run("gone", 2.0, threads=2)] for name in NAMES}
    new = results(tmp_path / "rules.sqlite", campaign, (other,))
    made = report(new, since=old)
    assert "Since old.sqlite (2026-11-20, on another machine):\n\n- no configuration has run" in made.summary
    # a run with two threads is of another configuration
    campaign = {name: [run("a", 4.0), run("a", 1.0, threads=2)] for name in NAMES}
    made = report(results(tmp_path / "threads.sqlite", campaign, (other,)), since=old)
    assert "- a (1 → 1.0): 2.00× the time on the median of 8 puzzles" in made.summary
    assert "- a,threads=2 (" not in made.summary
    assert "The machines differ" in made.files["report.html"]
    assert "The machines differ" not in report(old, since=old).files["report.html"]
