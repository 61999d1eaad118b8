"""A plugin that breaks the contract costs one line, which names it, and harms no other solver."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from faulty_solvers import FAULTY_SOLVERS

import milp_pips
from milp_pips.cli import main
from milp_pips.engines import registry
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.puzzles import family as families

EXAMPLES = Path(__file__).parents[2] / "examples" / "pips"
EASY, SEVERAL = EXAMPLES / "easy.txt", EXAMPLES / "several.txt"
HOSTILE = (
    *("Nothing", "Quitter", "Thrower", "Leaver", "Mute", "Short", "Wordy", "Unsure", "Numbered", "Formless"),
    *("Boastful", "Unlisted", "Endless", "Miscounter", "Unproven", "Unmeasured", "Deadweight"),
)


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    for name in HOSTILE:
        monkeypatch.setitem(registry.SOLVERS, name.lower(), f"outside.hostile:{name}")


@pytest.mark.parametrize(
    "name, kind, words",
    [
        ("nothing", UsageError, "the plugin outside.hostile:Nothing is not a solver: AttributeError"),
        ("quitter", UsageError, "the plugin outside.hostile:Quitter is not a solver: SystemExit: 7"),
        ("thrower", EngineFault, "thrower failed: RuntimeError: first line second line"),
        ("leaver", EngineFault, "leaver failed: SystemExit: 0"),
        ("mute", EngineFault, "mute returned a NoneType instead of an answer"),
        ("short", EngineFault, "short returned a point of 2 values for 20 variables"),
        ("wordy", EngineFault, "wordy returned an invalid point: ('a', 'a'"),
        ("unsure", UsageError, "unsure cannot run here: its check failed: KeyError: 'who knows'"),
        ("numbered", UsageError, "the plugin outside.hostile:Numbered is not a solver: its kind is an int"),
        (
            "formless",
            UsageError,
            "the plugin outside.hostile:Formless is not a solver: it has no form",
        ),
        ("unproven", EngineFault, "unproven returned an invalid answer: its proof is 'maybe'"),
        (
            "unmeasured",
            EngineFault,
            "unmeasured returned an invalid answer: its statistics is {'nodes'",
        ),
        (
            "boastful",
            UsageError,
            "the plugin outside.hostile:Boastful is not a solver: it has no method live, no method count",
        ),
    ],
)
def test_its_fault_is_told_in_one_line(name, kind, words, capsys):
    with pytest.raises(kind) as error:
        milp_pips.solve(milp_pips.read(EASY), name)
    assert str(error.value).startswith(words)
    status = main(["solve", str(EASY), "--solver", name])
    told = capsys.readouterr()
    assert (status, told.out) == (2 if kind is UsageError else 70, "")
    assert told.err.count("\n") == 1
    assert told.err.startswith(f"milp-pips: {words}")


def test_data_of_the_wrong_kind_are_told(monkeypatch):
    monkeypatch.setitem(registry.SOLVERS, "misspoken", FAULTY_SOLVERS["misspoken"])
    with pytest.raises(
        UsageError, match="the plugin faulty_solvers:Misspoken is not a solver: its published is a list"
    ):
        registry.solver("misspoken")


@pytest.mark.parametrize(
    "words, message",
    [
        ("enumerate --solver unlisted", "unlisted gave no generator of points, but 3"),
        (
            "enumerate --solver endless",
            "endless does not state how its list ended: it returned None, no",
        ),
        (
            "enumerate --solver deadweight --method cuts",
            "deadweight failed: AttributeError: 'int' object",
        ),
        ("enumerate --solver deadweight", "deadweight failed: AttributeError: 'int' object"),
        ("count --solver miscounter", "miscounter returned 3 instead of a count"),
    ],
)
def test_a_method_that_breaks_the_contract_is_told_in_one_line(words, message, capsys):
    verb, *more = words.split()
    assert main([verb, str(SEVERAL), *more]) == 70
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert told.startswith(f"milp-pips: {message}")


def test_the_list_of_solvers_shows_them_with_their_reasons(capsys):
    assert main(["solvers", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert not any(rows[name]["available"] for name in ("nothing", "quitter", "unsure"))
    assert all(rows[name]["reason"] for name in ("nothing", "quitter", "unsure"))
    assert rows["highs"]["available"]


def test_a_second_opinion_that_fails_leaves_the_first_unconfirmed(monkeypatch):
    monkeypatch.setattr("milp_pips.engines.defaults.SECOND_OPINIONS", ("thrower", "diagram"))
    result = milp_pips.solve(milp_pips.read(EXAMPLES / "impossible.txt"))
    assert (result.status, result.confirmed_by) == ("infeasible", "the decision diagram")


@pytest.mark.long
def test_an_import_that_hangs_is_told(tmp_path):
    """In a process of its own: the import is never over."""
    code = (
        "from milp_pips.engines import registry; from milp_pips.problem import plugins\n"
        "plugins.IMPORT_SECONDS = 0.5\n"
        "registry.SOLVERS['slow'] = 'outside.hostile:Solver'\n"
        "from milp_pips.cli import main\n"
        f"status = main(['solve', {str(EASY)!r}, '--solver', 'slow'])\n"
        "import os; os._exit(status)\n"
    )
    environment = {"milp_pips_slow_import": "1", "PYTHONPATH": str(Path(__file__).parents[1]), "PATH": ""}
    environment["PYTHONPATH"] += f":{Path(milp_pips.__file__).parent.parent}"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=environment
    )
    assert done.returncode == 2
    assert done.stderr == (
        "milp-pips: the plugin outside.hostile:Solver cannot be loaded: its import takes over 0.5 s\n"
    )


class Odd:
    """No family at all."""


def test_what_is_no_family_warns_and_is_left_out(monkeypatch):
    odd = {"odd": f"{__name__}:Odd"}
    monkeypatch.setattr(families, "names", lambda: families.FAMILIES | odd)
    with pytest.warns(UserWarning, match="is not a family: it is the class Odd, not a milp_pips"):
        assert "pips" in [family.name for family in families.families()]
