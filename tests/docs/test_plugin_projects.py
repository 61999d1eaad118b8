"""The projects in examples/plugins, as the documents tell of them; CI installs them and runs their tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
from fake_distributions import install_plugins

import milp_pips
from milp_pips.cli import main
from milp_pips.constraints import registry as constraints
from milp_pips.engines import registry
from milp_pips.problem.constraint import Domains
from milp_pips.puzzles import family as families

ROOT = Path(__file__).parents[2]
PROJECTS = ROOT / "examples" / "plugins"
TOLD = {
    "cryptominisat": ("plugins.md", "## A project to copy: CryptoMiniSat"),
    "ortools-mip": ("plugins.md", "## A MIP engine to copy: OR-Tools"),
    "futoshiki": ("families.md", "## A project to copy: Futoshiki"),
    "hitori": ("families.md", "## A project to copy: Hitori, with connectivity"),
    "increasing": ("constraints.md", "## A constraint of another package: Increasing"),
}
BLOCK = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)


def blocks(document: str, heading: str) -> list[tuple[str, str]]:
    """Return the blocks of a section: what they are, and their text."""
    section = (ROOT / "docs" / document).read_text(encoding="utf-8").split(f"{heading}\n")[1]
    return BLOCK.findall(section.split("\n## ")[0])


def is_told(section: tuple[str, str], files: list[Path]) -> None:
    """Hold that the code in a section is in the files, piece by piece."""
    texts = [file.read_text(encoding="utf-8") for file in files]
    told = [text for kind, text in blocks(*section) if kind in ("python", "toml", "prolog")]
    assert told
    for text in told:
        for piece in text.split("        ...\n"):
            assert any(piece in whole for whole in texts), piece


@pytest.mark.parametrize("project", TOLD)
def test_the_code_in_the_documents_is_the_code_that_runs(project):
    is_told(TOLD[project], [path for path in (PROJECTS / project).iterdir() if path.is_file()])


def test_every_project_is_told_of_and_adds_what_it_says():
    assert {path.parent.name for path in PROJECTS.glob("*/pyproject.toml")} == set(TOLD)
    for project in TOLD:
        folder = PROJECTS / project
        about = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
        ((group, entries),) = about["project"]["entry-points"].items()
        assert group in (registry.SOLVER_GROUP, families.FAMILY_GROUP, constraints.CONSTRAINT_GROUP)
        for name, where in entries.items():
            module, _, attribute = where.partition(":")
            assert name == project
            assert about["tool"]["hatch"]["build"]["targets"]["wheel"]["include"] == [f"{module}.py"]
            assert f"\n{attribute} = " in (code := (folder / f"{module}.py").read_text()) or (
                f"\nclass {attribute}(" in code
            )


def test_the_puzzle_in_the_documents_has_one_solution(monkeypatch, capsys):
    monkeypatch.setitem(families.FAMILIES, "futoshiki", "futoshiki:FAMILY")
    file = PROJECTS / "futoshiki" / "five.txt"
    (puzzle,) = (text for kind, text in blocks(*TOLD["futoshiki"]) if kind == "text")
    assert puzzle == file.read_text(encoding="utf-8")
    assert main(["solve", str(file)]) == 0
    assert "│ 3 < 5 │ 4 │ 1 │[2]│\n" in capsys.readouterr().out
    assert milp_pips.count(milp_pips.read(file)).counts == {"grid": 1}


def test_without_its_engine_the_solver_says_what_to_install(monkeypatch):
    monkeypatch.syspath_prepend(str(PROJECTS / "cryptominisat"))
    monkeypatch.setitem(registry.SOLVERS, "cryptominisat", "milp_pips_cryptominisat:CryptoMiniSatSolver")
    reason = registry.reason_against(registry.solver("cryptominisat"))
    installed = find_spec("pycryptosat") is not None
    assert reason == ("" if installed else "the module pycryptosat is not installed: pip install pycryptosat")


def test_the_solver_in_a_page_passes_the_test_in_that_page(tmp_path):
    """The first block of the page is the solver, the second one its entry point, the third one its test."""
    page = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    solver, suite, *_ = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    install_plugins(tmp_path / "coin", "solvers", {"random-walk": "coin_solver:RandomWalk"})
    (tmp_path / "coin" / "coin_solver.py").write_text(solver)
    (tmp_path / "test_coin.py").write_text(suite)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path / "test_coin.py")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=240,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path / "coin"), *sys.path])},
    )
    assert run.returncode == 0, run.stdout[-3000:]
    assert " passed" in run.stdout


def test_the_page_on_constraints_lists_what_domains_offer():
    page = (ROOT / "docs" / "constraints.md").read_text(encoding="utf-8")
    table = page.split("changes in `domains`:")[1].split("\n\n")[1]
    listed = {name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)[(`]", row.split("|")[1])}
    domains = Domains([("a", (1, 2))], ())
    assert listed == {name for name in dir(domains) if not name.startswith("_")}
