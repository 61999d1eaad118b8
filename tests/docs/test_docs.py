"""What the documents show is what really happens.

Each ``console`` block is run: its first line is the command, the rest must be the output. Figures that differ
from run to run (times, versions) are compared as such. Python blocks are doctests. ``pytest --update`` writes
the real output into the console blocks.
"""

from __future__ import annotations

import doctest
import io
import os
import re
import subprocess
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

import milp_pips
from milp_pips.cli import main
from milp_pips.render.svg import to_svg

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CONSOLE = re.compile(r"```console\n\$ (milp-pips .*)\n((?:(?!```).*\n)*)```")


def shape(text: str) -> str:
    """Return the text with times and versions of engines blotted out."""
    text = re.sub(r'("(?:read|build|solve|total|seconds)": )[0-9.e-]+', r"\1?", text)
    text = re.sub(r"\b\d+\.\d+ (s|ms)\b", r"? \1", text)
    return re.sub(r"\b\d+\.\d+\.(dev)?\d+(rc\d+)?\b", "?.?.?", text).rstrip()


def output_of(command: str) -> str:
    """Return what a shell prints for a command."""
    program = Path(sys.executable).parent
    run = subprocess.run(
        ["bash", "-c", command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PATH": f"{program}{os.pathsep}{os.environ['PATH']}", "PYTHONIOENCODING": "utf-8"},
    )
    return run.stdout + run.stderr


def output_here(command: str) -> str:
    """Return the same, but run the package in this process: hundred processes take a minute to start.

    Bash expands the words, of which the last may be the input, and runs what reads the output.
    """
    ours, _, rest = command.partition(" | ")
    words, *given = ours.split(" <<< ")
    _, *expanded = output_of(f"printf '%s\\0' {' '.join([words, *given])}").split("\0")[:-1]
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(printed), redirect_stderr(printed):
        patch.chdir(ROOT)
        if given:
            patch.setattr(sys, "stdin", io.StringIO(f"{expanded.pop()}\n"))
        main(expanded)
    if not rest:
        return printed.getvalue()
    return subprocess.run(
        ["bash", "-c", rest], input=printed.getvalue(), capture_output=True, text=True, timeout=120
    ).stdout


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_console_examples(document, request):
    text = document.read_text(encoding="utf-8")
    blocks = CONSOLE.findall(text)
    for command, shown in blocks:
        real = output_here(command)
        if shape(shown) != shape(real):
            real = output_of(command)  # where libraries are not loaded yet, other methods confirm an answer
        if request.config.getoption("--update"):
            old, new = (
                f"```console\n$ {command}\n{output}```" for output in (shown, real.rstrip("\n") + "\n")
            )
            if shape(shown) != shape(real):
                document.write_text(document.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        else:
            assert shape(shown) == shape(real), command


def test_the_first_console_example_of_the_readme_in_a_shell():
    command, shown = CONSOLE.findall(DOCUMENTS[0].read_text(encoding="utf-8"))[0]
    assert shape(output_of(command)) == shape(shown)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_python_examples(document, monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    failures, _ = doctest.testfile(
        str(document), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE, encoding="utf-8"
    )
    assert failures == 0


def test_the_puzzles_in_the_page_of_formats_are_read(tmp_path):
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    families = []
    for block in re.findall(r"^```(?:json)?\n(.*?)^```", page, re.DOTALL | re.MULTILINE):
        if not block.startswith(("milp-pips", "3 0 1 5\n")):  # a command, and a solution
            (tmp_path / "puzzle").write_text(block, encoding="utf-8")
            families.append(milp_pips.read(tmp_path / "puzzle").family)
    assert families == ["pips", "pips", "pips", "colour-grid", "sudoku"]


def test_the_picture_of_the_readme_is_what_is_drawn():
    puzzle = milp_pips.read(ROOT / "examples" / "pips" / "medium.txt")
    picture = (ROOT / "docs" / "medium.svg").read_text(encoding="utf-8")
    assert picture == to_svg(milp_pips.draw(puzzle, milp_pips.solve(puzzle).solution))
    assert milp_pips.solve(puzzle, unique=True).others.solutions == 1  # whichever engine finds it


@pytest.mark.parametrize("name", ["relaxation", "prices", "tree", "filter"])
def test_the_pictures_of_the_lessons_are_what_is_drawn(name, request):
    cube, jigsaw, several = (
        milp_pips.read(ROOT / "examples" / file)
        for file in ("pips/cube.json", "sudoku/jigsaw.txt", "pips/several.txt")
    )
    lessons = {
        "relaxation": lambda: milp_pips.relax(jigsaw),
        "prices": lambda: milp_pips.relax(cube, maximise="ltf"),
        "tree": lambda: milp_pips.search_tree(cube, maximise="ltf", order="best"),
        "filter": lambda: milp_pips.filter_trace(several),
    }
    picture, file = to_svg(lessons[name]().drawing()), ROOT / "docs" / f"{name}.svg"
    if request.config.getoption("--update"):
        file.write_text(picture, encoding="utf-8")
    assert picture == file.read_text(encoding="utf-8")


def test_the_readme_is_short_and_shows_a_model_early():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 220
    assert any("pulp.LpProblem(" in line for line in lines[:60])


def test_the_readme_has_its_two_commands():
    commands = re.findall(r"```sh\n(.*)\n```", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(commands) == 2
    assert "milp_pips solve" in commands[0]
    assert "pytest" in commands[1]
