"""The page as static files: the written files, and answers of the packed package in a browser."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import milp_pips
from milp_pips.cli import main
from milp_pips.extras.web import site as pyodide
from milp_pips.extras.web.site import FILES

EXAMPLES = Path(__file__).parents[3] / "examples"

CORE = Path(__file__).parents[3] / "web" / "node_modules" / "pyodide"


@pytest.fixture
def hollow(tmp_path):
    """Return a folder with files of the names that Pyodide's have."""
    folder = tmp_path / "pyodide-core"
    folder.mkdir()
    for name in FILES:
        (folder / name).write_text(name)
    (folder / "console.html").write_text("not needed")
    return folder


def test_all_that_the_page_needs_is_written(hollow, tmp_path, capsys):
    out = tmp_path / "made" / "site"
    assert main(["site", "--out", str(out), "--pyodide", str(hollow)]) == 0
    assert re.fullmatch(rf"{re.escape(str(out))}: \d+\.\d MB, .*\n", capsys.readouterr().out)
    assert {path.name for path in (out / "pyodide").iterdir()} == set(FILES)
    page = (out / "index.html").read_text(encoding="utf-8")
    assert 'data-where="browser"' in page
    assert 'data-where="local"' not in page
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)[1]
    assert "script-src 'self' 'wasm-unsafe-eval'" in policy
    assert page.index(policy) < page.find("<script") or "<script" not in page
    told = json.loads((out / "examples.json").read_text(encoding="utf-8"))
    assert {record["family"] for record in told["puzzles"]} == {"pips", "sudoku", "colour-grid"}
    assert 'rel="manifest" href="manifest.webmanifest"' in page
    written = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert set(kept_files(out)["files"]) == written - {"index.html", "service-worker.js"} | {"./"}


def kept_files(out):
    """Return what the service worker keeps: the names of files, and their version."""
    line = (out / "service-worker.js").read_text(encoding="utf-8").splitlines()[0]
    return json.loads(line.removeprefix("const SITE = ").removesuffix(";"))


@pytest.mark.long
def test_the_same_sources_make_the_same_bytes(hollow, tmp_path):
    for name in ("one", "other"):
        assert main(["site", "--out", str(tmp_path / name), "--pyodide", str(hollow)]) == 0
    packed = [(tmp_path / name / "milp_pips.zip").read_bytes() for name in ("one", "other")]
    assert packed[0] == packed[1]
    (hollow / FILES[0]).write_text("newer")
    assert main(["site", "--out", str(tmp_path / "newer"), "--pyodide", str(hollow)]) == 0
    versions = [kept_files(tmp_path / name)["version"] for name in ("one", "other", "newer")]
    assert versions[0] == versions[1] != versions[2]


@pytest.mark.long
def test_the_package_answers_from_its_archive_alone(hollow, tmp_path):
    out = tmp_path / "site"
    assert main(["site", "--out", str(out), "--pyodide", str(hollow)]) == 0
    with zipfile.ZipFile(out / "milp_pips.zip") as archive:
        archive.extractall(tmp_path / "packed")
    asked = {"puzzle": {"text": (EXAMPLES / "pips/easy.txt").read_text()}}
    new = json.dumps({"dominoes": 3, "seed": 1})
    code = (
        f"import sys; sys.path[:0] = [{str(tmp_path / 'packed')!r}]\n"
        "import milp_pips; from milp_pips.extras.web.answers import answer\n"
        f"assert milp_pips.__file__.startswith({str(tmp_path)!r})\n"
        f"for verb, body in [('examples', '{{}}'), ('hint', {json.dumps(asked)!r}), ('generate', {new!r})]:\n"
        "    answer(verb, body, lambda event, data: print(event))\n"
    )
    command = [sys.executable, "-I", "-S", "-c", code]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (ran.stdout, ran.stderr) == ("result\nresult\nprogress\nresult\n", "")


@pytest.mark.long
def test_an_installed_package_packs_each_file_once(hollow, tmp_path):
    """There the examples are in the package, and were packed with it and by themselves."""
    root = Path(milp_pips.__file__).parent
    installed = tmp_path / "installed" / "milp_pips"
    shutil.copytree(root, installed, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(EXAMPLES, installed / "examples")
    words = ["site", "--out", str(tmp_path / "site"), "--pyodide", str(hollow)]
    code = (
        f"import sys; sys.path.insert(0, {str(installed.parent)!r})\n"
        f"from milp_pips.cli import main; sys.exit(main({words}))\n"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert main([*words[:2], str(tmp_path / "other"), *words[3:]]) == 0
    packed = [zipfile.ZipFile(tmp_path / name / "milp_pips.zip") for name in ("site", "other")]
    names = [sorted(archive.namelist()) for archive in packed]
    assert names[0] == names[1]
    assert len(set(names[0])) == len(names[0])
    assert "milp_pips/examples/pips/easy.txt" in names[0]


@pytest.fixture
def npm(hollow, tmp_path, monkeypatch):
    """Return a function that makes a program npm: it fetches a package of hollow files and then ends so."""
    tarball = tmp_path / "fetched.tgz"
    with tarfile.open(tarball, "w:gz") as archive:
        archive.add(hollow, "package")
    digest = base64.b64encode(hashlib.sha512(tarball.read_bytes()).digest()).decode()
    monkeypatch.setattr(pyodide, "INTEGRITY", f"sha512-{digest}")

    def make(ending):
        folder = tmp_path / "programs"
        folder.mkdir()
        fetched = f"pyodide-{pyodide.PYODIDE_VERSION}.tgz"
        (folder / "npm").write_text(
            f'#!/bin/sh\n[ "$1 $2" = "pack pyodide@{pyodide.PYODIDE_VERSION}" ] && '
            f"cp {tarball} {fetched}\n{ending}\n"
        )
        (folder / "npm").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")

    return make


@pytest.mark.skipif(os.name == "nt", reason="the program is a shell script")
def test_npm_fetches_pyodide_where_no_folder_is_named(npm, tmp_path, capsys):
    npm("exit 0")
    assert main(["site", "--out", str(tmp_path / "site")]) == 0
    for name in FILES:
        assert (tmp_path / "site" / "pyodide" / name).read_text() == name
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(os.name == "nt", reason="the program is a shell script")
@pytest.mark.parametrize(
    "ending, message",
    [
        ("for file in *.tgz; do echo more >> $file; done", "npm fetched a pyodide@"),
        (
            "echo npm error code EAI >&2; echo npm error no network >&2; echo later >&2; exit 1",
            "npm cannot fetch Pyodide: no network; `npm pack",
        ),
        ("rm pyodide-*.tgz", "npm cannot fetch Pyodide: exit status 0; `npm pack"),
        ("", "npm is not installed, so it cannot fetch Pyodide: `npm pack"),
    ],
)
def test_a_pyodide_that_cannot_be_had_or_is_another_costs_one_line(
    ending, message, npm, tmp_path, monkeypatch, capsys
):
    npm(ending)
    if not ending:
        monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["site", "--out", str(tmp_path / "site")]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"milp-pips: {message}")
    assert error.count("\n") == 1
    assert not (tmp_path / "site").exists()


def test_where_nothing_can_be_written_costs_one_line(hollow, tmp_path, capsys):
    (tmp_path / "site").write_text("a file")
    assert main(["site", "--out", str(tmp_path / "site"), "--pyodide", str(hollow)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


NODE = """
import { loadPyodide } from "%(pyodide)s/pyodide.mjs";
import fs from "fs";
const python = await loadPyodide();
python.unpackArchive(new Uint8Array(fs.readFileSync("%(zip)s")), "zip", { extractDir: "/package" });
python.runPython("import sys; sys.path.insert(0, '/package')");
python.runPython("from milp_pips.extras.explain import analysis; analysis.ANALYSIS_SECONDS = 100");
const { answer } = python.pyimport("milp_pips.extras.web.answers");
for (const [verb, body] of JSON.parse(fs.readFileSync("%(asked)s", "utf8"))) {
    answer(verb, JSON.stringify(body), (event, data) => {
        if (event !== "progress") console.log(JSON.stringify([verb, event, JSON.parse(data)]));
    });
}
"""


@pytest.mark.long
def test_the_package_answers_in_pyodide(tmp_path):
    """In Node, which is as much of a browser as Python sees."""
    node = shutil.which("node")
    if not (CORE.is_dir() and node):
        pytest.skip("there is no node, or no Pyodide: run npm ci in web/")
    assert main(["site", "--out", str(tmp_path / "site"), "--pyodide", str(CORE)]) == 0
    asked = []
    for name in ("pips/easy.txt", "pips/impossible.txt", "sudoku/letters.txt", "colour_grid/several.txt"):
        puzzle = {"text": (EXAMPLES / name).read_text(), "name": name}
        asked += [[verb, {"puzzle": puzzle, "seconds": 100}] for verb in ("solve", "count", "hint", "prove")]
    (tmp_path / "asked.json").write_text(json.dumps(asked))
    names = {"pyodide": CORE, "zip": tmp_path / "site" / "milp_pips.zip", "asked": tmp_path / "asked.json"}
    (tmp_path / "run.mjs").write_text(NODE % names)
    ran = subprocess.run(
        [node, tmp_path / "run.mjs"], capture_output=True, text=True, timeout=600, check=False
    )
    told = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [event for _, event, _ in told] == ["result"] * len(asked), ran.stderr[-300:]
    statuses = [data["status"] for verb, _, data in told if verb == "solve"]
    assert statuses == ["solved", "infeasible", "solved", "solved"]
    proved = [data["proved"] for verb, _, data in told if verb == "prove"]
    assert [words.split(";")[0] for words in proved[:3]] == [
        "proved: exactly 1 solution by placement",
        "proved: no solution by placement",
        "proved: exactly 8 solutions by grid",
    ]
    counted = [data["grids"] for verb, _, data in told if verb == "count"]
    assert counted[:2] == [1, 0]
    assert [data["status"] for verb, _, data in told if verb == "hint"][:2] == ["step", "dead"]
