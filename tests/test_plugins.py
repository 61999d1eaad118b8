"""Solvers and families from outside, found through entry points and used through the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from milp_pips import plugins
from milp_pips.errors import UsageError

OUTSIDE = Path(__file__).parent / "outside"


@pytest.fixture
def puzzle(tmp_path):
    path = tmp_path / "coins.txt"
    path.write_text("coins 5 2\n")
    return str(path)


def run(*words, path=OUTSIDE):
    environment = {**os.environ, "PYTHONPATH": str(path), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "milp_pips", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)


@pytest.mark.parametrize("solver", ["highs", "random-walk", "brute", "cbc"])
@pytest.mark.parametrize("isolate", [[], ["--isolate"]])
def test_a_family_and_a_solver_from_outside(puzzle, solver, isolate):
    done = run("solve", puzzle, "--solver", solver, "--json", *isolate)
    record = json.loads(done.stdout)
    assert done.returncode == 0
    assert (record["family"], record["status"], record["solver"]["name"]) == ("coins", "solved", solver)
    assert sum(record["grid"][0]) == 2
    assert "dominoes" not in record


def test_its_pictures_and_its_reader(puzzle, tmp_path):
    assert "│ ? │ ? │ ? │ ? │ ? │" in run("show", puzzle).stdout
    solution = tmp_path / "solution.txt"
    solution.write_text("HHTTT\n")
    assert run("check", puzzle, str(solution)).stdout == "coins: right\n"
    solution.write_text("HHHTT\n")
    assert run("check", puzzle, str(solution)).stdout == "coins: there are 3 heads, not 2\n"
    Path(puzzle).write_text("coins 5\n")
    assert run("solve", puzzle).stderr.endswith(
        "coins.txt:1: not a coin puzzle; expected coins COUNT HEADS\n"
    )


def test_a_broken_plugin_is_listed_with_its_reason_and_harms_nobody(puzzle):
    rows = {row["name"]: row for row in json.loads(run("solvers", "--json").stdout)}
    assert rows["random-walk"]["available"] is True
    assert rows["broken"]["available"] is False
    assert "No module named 'no_such_module'" in rows["broken"]["reason"]
    done = run("solve", puzzle, "--solver", "broken")
    assert (done.returncode, done.stdout) == (2, "")
    assert "the plugin no_such_module:Nothing cannot be loaded: ModuleNotFoundError" in done.stderr


def test_a_broken_family_warns_and_the_next_is_found(monkeypatch):
    monkeypatch.syspath_prepend(str(OUTSIDE))
    with pytest.warns(UserWarning, match="the plugin coin_puzzles_that_do_not_exist cannot be loaded"):
        found = [family.name for family in plugins.families()]
    assert {"pips", "coins"} <= set(found)


def test_listing_the_solvers_imports_no_engine():
    code = (
        "import sys; from milp_pips import plugins\n"
        "for name, solver in plugins.solvers(): solver.unavailable(); solver.version()\n"
        "print([m for m in sys.modules if m in ('highspy','pulp','pyomo','ortools','pyscipopt','numpy')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_a_missing_library_is_told_in_one_line(monkeypatch):
    monkeypatch.setattr("milp_pips.solvers.library.find_spec", lambda name: None)
    reason = plugins.solver("scip").unavailable()
    assert reason == "the module pyscipopt is not installed: pip install pyscipopt"


def test_variants():
    assert plugins.solver("pulp:HiGHS").name == "pulp:HiGHS"
    with pytest.raises(UsageError, match="highs has no variants: there is no highs:fast"):
        plugins.solver("highs:fast")


def test_the_solver_in_the_documents_is_the_one_tested_here():
    document = (OUTSIDE.parent.parent / "docs" / "plugins.md").read_text(encoding="utf-8")
    code = document.split("```python\n")[1].split("```")[0]
    assert code == (OUTSIDE / "coin_solver.py").read_text(encoding="utf-8")
