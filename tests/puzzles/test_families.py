"""The family in docs/families.md, found through its entry point, through every engine and verb."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import milp_pips
from milp_pips.cli import main
from milp_pips.engines import registry
from milp_pips.problem import plugins

OUTSIDE = Path(__file__).parents[1] / "outside"
DOCUMENT = (OUTSIDE.parent.parent / "docs" / "families.md").read_text(encoding="utf-8")
HEART, SOLVED, *_ = re.findall(r"```text\n(.*?)```", DOCUMENT, re.DOTALL)
PICTURE = [".##.##.", "#######", "#######", ".#####.", "..###..", "...#..."]


@pytest.fixture
def heart(tmp_path):
    path = tmp_path / "heart.txt"
    path.write_text(HEART, encoding="utf-8")
    return str(path)


@pytest.fixture
def nonograms(monkeypatch):
    monkeypatch.syspath_prepend(str(OUTSIDE))
    return plugins.load("nonograms")


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command line in this process, the family installed beside it."""
    monkeypatch.syspath_prepend(str(OUTSIDE))
    monkeypatch.setenv("PYTHONPATH", f"{OUTSIDE}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")

    def call(*words):
        main(list(words))
        return capsys.readouterr()

    return call


def run_apart(*words):
    """Run the command line in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": f"{OUTSIDE}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    command = [sys.executable, "-W", "ignore", "-m", "milp_pips", *words]
    environment["PYTHONIOENCODING"] = "utf-8"
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)


def test_the_family_in_the_documents_is_the_one_tested_here():
    code = DOCUMENT.split("```python\n")[1].split("```")[0]
    assert code == (OUTSIDE / "nonograms.py").read_text(encoding="utf-8")
    assert code.count("\n") <= 120


def test_the_picture_in_the_documents_is_what_is_drawn(heart):
    done = run_apart("solve", heart, "--solver", "sat")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(SOLVED)
    assert "nonogram: solved by sat" in done.stdout


@pytest.mark.parametrize("solver", registry.names())
def test_every_engine_solves_it(heart, solver, run):
    reason = registry.solver(solver).unavailable()
    if reason:
        pytest.skip(reason)
    record = json.loads(run("solve", heart, "--solver", solver, "--json").out)
    assert (record["family"], record["status"]) == ("nonogram", "solved")
    assert ["".join(row) for row in record["grid"]] == PICTURE


@pytest.mark.parametrize(
    "content, message",
    [
        ("nonogram\nlines\n", "f:2: this is 'lines'; expected rows"),
        (
            "nonogram\nrows\n1\n",
            "f:3: the clues are not complete; expected those of the rows, columns, those of the columns",
        ),
        ("nonogram\nrows\n1 x\n", 'f:3: the length of a run is "x"; expected a whole number from 0 to 100'),
        ("nonogram\nrows\n1 0\n", "f:3: a run has no cell; expected 0 alone, for a line without runs"),
    ],
)
def test_its_reader_names_the_line(nonograms, content, message):
    with pytest.raises(milp_pips.InputError) as refusal:
        nonograms.read(content, "f")
    assert str(refusal.value) == message
