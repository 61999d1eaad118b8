"""The lessons and pages that ``.ci/run`` runs and builds: what can be told without Jupyter and Sphinx."""

from __future__ import annotations

import ast
import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

import milp_pips

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LESSONS = sorted(file for file in (DOCS / "notebooks").glob("*.md") if file.stem != "index")
CELL = re.compile(r"^```\{code-cell\}\n(.*?)^```", re.MULTILINE | re.DOTALL)
HIDDEN = "---\njupyter:\n  source_hidden: true\ntags: [hide-cell]\n---\n"


MOST_LINES, MOST_CELL_LINES, MOST_WORDS = 120, 15, 900
"""What a lesson may have: lines of code, lines in a cell, and words without its header."""


def test_the_table_of_lessons_has_them_all_by_their_questions():
    table = (DOCS / "notebooks" / "index.md").read_text(encoding="utf-8")
    for lesson in LESSONS:
        (question,) = re.findall(r"^# (.*\?)$", lesson.read_text(encoding="utf-8"), re.MULTILINE)
        assert f"| [{question}]({lesson.name}) |" in table


def code_of(cell):
    """Return the code of a cell without its header."""
    return re.sub(r"\A(---\n(.*\n)*?---\n|:tags:.*\n|%%writefile .*\n)", "", cell)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda file: file.stem)
def test_a_lesson_is_short_and_its_cells_assert_what_it_claims(lesson):
    text = lesson.read_text(encoding="utf-8")
    cells = [[line for line in code_of(cell).splitlines() if line.strip()] for cell in CELL.findall(text)]
    assert max(map(len, cells)) <= MOST_CELL_LINES
    assert sum(map(len, cells)) <= MOST_LINES
    assert len(text.split("---\n", 2)[2].split()) <= MOST_WORDS
    assert sum(line.lstrip().startswith("assert ") for cell in cells for line in cell) >= 3


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda file: file.stem)
def test_a_lesson_uses_modules_that_a_page_documents(lesson):
    pages = "".join(page.read_text(encoding="utf-8") for page in DOCS.glob("*.md"))
    for cell in CELL.findall(lesson.read_text(encoding="utf-8")):
        for node in ast.walk(ast.parse(code_of(cell))):
            if isinstance(node, ast.ImportFrom) and node.module.startswith("milp_pips."):
                names = [node.module, *(f"{node.module}.{name.name}" for name in node.names)]
                assert any(f"{name}\n" in pages or f"{name} import" in pages for name in names), node.module


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda file: file.stem)
def test_a_lesson_surprises_and_ends_with_an_exercise_that_is_solved(lesson):
    text = lesson.read_text(encoding="utf-8")
    assert text.startswith("---\njupytext:\n")
    assert "surprising**" in text
    before, _, exercise = text.partition("\n## Exercise\n")
    assert "hide-cell" not in before
    *_, solution = CELL.findall(exercise)
    assert solution.startswith(HIDDEN)
    assert exercise.rstrip().endswith("```")


@pytest.mark.parametrize("lesson", [*LESSONS, DOCS / "gallery.md"], ids=lambda file: file.stem)
def test_cells_are_code_without_outputs(lesson):
    text = lesson.read_text(encoding="utf-8")
    cells = CELL.findall(text)
    assert cells
    assert text.count("```{") == len(cells), "nothing but prose and cells of code"
    for cell in cells:
        code = code_of(cell)
        assert ast.parse(code).body or code.startswith("#"), "a comment is where the exercise is done"


def test_the_page_of_names_has_them_all():
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    names, _, _ = text.partition("\n## For families\n")
    assert sorted(re.findall(r"^   (\w+)$", names, re.MULTILINE)) == sorted(milp_pips.__all__)


def test_the_citation_names_this_version():
    yaml = pytest.importorskip("yaml")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation.keys() >= {"cff-version", "message", "title", "authors", "version", "license"}
    assert (citation["cff-version"], citation["type"], citation["license"]) == ("1.2.0", "software", "MIT")
    assert citation["version"] == milp_pips.__version__
    assert f"{{{milp_pips.__version__}}}" in (DOCS / "citing.md").read_text(encoding="utf-8")
    assert f'"{milp_pips.__version__}"' in (ROOT / "recipe" / "meta.yaml").read_text(encoding="utf-8")


def test_the_conda_recipe_has_the_dependencies_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    recipe = (ROOT / "recipe" / "meta.yaml").read_text(encoding="utf-8").partition("  run:")[2]
    listed = re.findall(r"^    - (\S+) (\S+)$", recipe.partition("\ntest:")[0], re.MULTILINE)
    needed = [("python", project["requires-python"])]
    needed += [re.fullmatch(r"([\w-]+)(.*)", one).groups() for one in project["dependencies"]]
    assert sorted(listed) == sorted(needed)


def links():
    spec = importlib.util.spec_from_file_location("links", ROOT / ".ci" / "links.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('<a href="b.html#here">b</a> <p id="x"><a href="#x">x</a> <a href="https://example.org">y</a>', ""),
        ('<a href="c.html">c</a>', "c.html: there is no such file"),
        ('<a href="b.html#there">b</a>', "there is no such place"),
        ('<img src="missing.png">', "missing.png: there is no such file"),
        ('<script src="https://example.org/a.js"></script>', "fetched from elsewhere"),
        ('<link rel="stylesheet" href="//example.org/a.css">', "fetched from elsewhere"),
    ],
)
def test_links_are_checked(tmp_path, body, fault):
    (tmp_path / "a.html").write_text(body)
    (tmp_path / "b.html").write_text('<h1 id="here">b</h1>')
    found = links().faults(tmp_path)
    assert len(found) == bool(fault)
    assert all(fault in line for line in found)


def test_fonts_from_elsewhere_are_seen(tmp_path):
    (tmp_path / "a.html").write_text("<p>a</p>")
    (tmp_path / "a.css").write_text('@font-face { src: url("https://example.org/font.woff2") }')
    assert len(links().faults(tmp_path)) == 1
    assert links().faults(tmp_path / "empty")
