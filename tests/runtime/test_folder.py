"""A folder of puzzles may contain modules: none of them is executed, whatever processes a verb starts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hostile_folder import fill_with_modules
from web_server import Server

from milp_pips.runtime.children import environment
from milp_pips.runtime.import_path import HOME, import_path

ROOT = Path(__file__).parents[2]
PIPS = ROOT / "examples" / "pips"
LIBRARY = """
import sys
del sys.path[0]
import milp_pips

def work():
    puzzle = milp_pips.read("several.txt")
    assert len(list(milp_pips.solutions(puzzle, method="partition", jobs=2))) == 56

assert milp_pips.solve(milp_pips.read("several.txt"), isolate=True).solution
work()
sys.path.insert(0, "")  # as in a notebook; what this process needs itself is loaded
work()
assert sys.path[0] == ""
"""


@pytest.fixture
def hostile(tmp_path):
    """Return a folder of puzzles and modules, and the file in which the modules leave their names."""
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("easy", "several"):
        shutil.copy(PIPS / f"{name}.txt", folder)
    return folder, fill_with_modules(folder)


def run(folder: Path, *command: str, **variables: str) -> None:
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    done = subprocess.run(
        command, cwd=folder, env={**inherited, "PYTHONDONTWRITEBYTECODE": "1", **variables},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        pytest.param("solve several.txt --solver cbc --isolate", id="a worker and a program"),
        pytest.param(
            "compare easy.txt --run brute --out r.sqlite", id="a measured run", marks=pytest.mark.long
        ),
        pytest.param(
            "compare easy.txt --run brute --out r.sqlite --scheduler local --workers 1",
            id="Dask",
            marks=pytest.mark.cluster,
        ),
    ],
)
def test_no_verb_executes_what_lies_in_the_current_folder(hostile, words):
    if "--scheduler" in words:
        pytest.importorskip("distributed")
    folder, note = hostile
    run(folder, sys.executable, "-m", "milp_pips", *words.split())
    assert not note.exists(), note.read_text()


@pytest.mark.long
def test_nor_does_the_page(hostile, tmp_path):
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    folder, note = hostile
    server = Server(tmp_path, "--workers", "1", folder=folder)
    try:
        puzzle = {"text": (folder / "easy.txt").read_text(), "name": "easy"}
        assert server.ask("solve", {"puzzle": puzzle, "engine": "cbc"})[-1][0] == "result"
    finally:
        server.process.kill()
        server.process.communicate()
    assert not note.exists(), note.read_text()


@pytest.mark.long
def test_nor_does_the_library(hostile):
    folder, note = hostile
    run(folder, sys.executable, "-c", LIBRARY)
    assert not note.exists(), note.read_text()


@pytest.mark.long
def test_a_source_checkout_runs_from_its_own_folder(tmp_path):
    """All processes have the code of the checkout, though the current folder is not imported from."""
    shutil.copytree(ROOT / "milp_pips", tmp_path / "milp_pips")
    shutil.copy(ROOT / "tests" / "data" / "pips" / "two_rows.txt", tmp_path / "rows.txt")
    (tmp_path / "pickle.py").write_text("raise SystemExit('this is not Python\\'s')")
    with (tmp_path / "milp_pips" / "enumeration" / "subproblems.py").open("a") as source:
        source.write("\nopen('note', 'a').write(__file__ + '\\n')\n")
    words = ("enumerate", "rows.txt", "--method", "partition", "--jobs", "2", "--quiet", "--solver", "cbc")
    run(tmp_path, sys.executable, "-m", "milp_pips", *words, PYTHONPATH="")
    assert len((tmp_path / "note").read_text().splitlines()) == 3


def test_children_get_absolute_folders_alone(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", "here", str(tmp_path), "/elsewhere"])
    monkeypatch.setenv("PYTHONPATH", "here::/elsewhere")
    assert import_path() == ["/elsewhere", HOME]
    assert environment("")["PYTHONPATH"] == "/elsewhere"
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:")  # it is named
    assert import_path() == [str(tmp_path), "/elsewhere", HOME]
