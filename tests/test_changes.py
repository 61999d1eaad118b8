"""What a report says of two dates: the same configurations on the same puzzles, then and now."""

from __future__ import annotations

import math

import pytest
from results import results, run

from milp_pips.cli import main
from milp_pips.errors import InputError
from milp_pips.report import report

pytest.importorskip("matplotlib")

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
        "- no configuration has run the same puzzles within the same limits"
        in report(other, since=old).summary
    )
    assert "Since" not in report(new).summary
    assert "What has changed" not in report(new).files["report.html"]


def test_the_verb_takes_an_earlier_file(old, new, tmp_path, capsys):
    assert main(["report", new, "--since", old, "--out", str(tmp_path / "out")]) == 0
    assert "Since old.sqlite:" in capsys.readouterr().out
    with pytest.raises(InputError, match="No such file"):
        report(new, since=tmp_path / "nothing.sqlite")
