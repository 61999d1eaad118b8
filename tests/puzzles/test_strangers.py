"""What comes from a stranger is data: no path, no program, no control character, no work without end."""

from __future__ import annotations

import csv
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import milp_pips
from milp_pips.cli import main
from milp_pips.cli.output import file_name
from milp_pips.engines import registry
from milp_pips.extras.bench.store import Store
from milp_pips.extras.web.answers import reply
from milp_pips.problem.answer import Answer, Proof, Stop
from milp_pips.problem.errors import InputError, UsageError

EXAMPLES = Path(__file__).parents[2] / "examples" / "pips"
EASY = EXAMPLES / "easy.txt"
NAMES = [
    "../out",
    "/etc/x",
    "a/../../b",
    "..",
    ".",
    ".hidden",
    "con\x1b[31m",
    "x\ny",
    "é 北京",
    "a" * 300,
    "",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_never_a_path(name):
    plain = file_name(name)
    assert plain
    assert os.path.basename(plain) == plain
    assert plain not in (".", "..")
    assert plain.isprintable()
    assert len(plain) <= 101


def graph(name):
    return json.dumps(
        {
            "name": name,
            "dominoes": [[1, 2]],
            "constraints": [],
            "links": {"a": ["b"], "b": ["a"]},
        }
    )


@pytest.mark.parametrize("name", ["../outside", "/tmp/outside", "..", "a/b"])
def test_solutions_are_written_into_their_directory(name, tmp_path, capsys):
    puzzles, out = tmp_path / "puzzles", tmp_path / "deep" / "out"
    puzzles.mkdir()
    (puzzles / "one.json").write_text(graph(name))
    (puzzles / "two.json").write_text(graph("plain"))
    before = set(tmp_path.rglob("*"))
    assert main(["solve", str(puzzles), "--output", str(out)]) == 0
    made = {path for path in tmp_path.rglob("*") if path.is_file()} - before
    assert len(made) == 2
    assert {path.parent for path in made} == {out}
    capsys.readouterr()


def test_the_day_of_a_puzzle_is_no_path_either(tmp_path, capsys):
    text = (EXAMPLES / "three_levels.json").read_text()
    day = json.loads(text)["printDate"]
    (tmp_path / "day.json").write_text(text.replace(day, "../../day"))
    assert (
        main(["solve", str(tmp_path / "day.json"), "--level", "easy", "--output", str(tmp_path / "out")]) == 0
    )
    assert not list(tmp_path.parent.glob("day-easy*"))
    (written,) = tmp_path.rglob("*.solution.txt")
    assert written.parent == tmp_path / "out"
    capsys.readouterr()


@pytest.mark.parametrize("stem", ["red\x1b[31m", "two\nlines", "right\u202eleft"])
@pytest.mark.parametrize("verb", ["solve", "enumerate"])
def test_the_name_of_a_file_reaches_the_terminal_visibly(stem, verb, tmp_path, capsys):
    path = tmp_path / f"{stem}.txt"
    path.write_text(EASY.read_text())
    assert main([verb, str(path)]) == 0
    printed = capsys.readouterr().out
    assert stem[:3] in printed
    assert "\x1b" not in printed
    assert "\u202e" not in printed
    (tmp_path / f"{stem}.json").write_text("{}")
    assert main([verb, str(tmp_path / f"{stem}.json")]) == 2
    refusal = capsys.readouterr().err
    assert refusal.count("\n") == 1
    assert "\x1b" not in refusal


@pytest.mark.skipif(sys.platform == "win32", reason="file names are Unicode there")
def test_the_name_of_a_file_may_be_no_text(tmp_path, capsys):
    path = os.path.join(os.fsencode(tmp_path), b"caf\xe9.txt")
    with open(path, "wb") as stream:
        stream.write(EASY.read_bytes())
    words = ["solve", path, "--output", os.fsencode(tmp_path / "out")]
    done = subprocess.run([sys.executable, "-m", "milp_pips", *words], capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    for words in (["solve"], ["solve", "--json"], ["count", "--json"]):
        assert main([*words, os.fsdecode(path)]) == 0
        told = capsys.readouterr()
        assert told.err == ""
    assert json.loads(told.out)


def test_a_directory_that_cannot_be_read_costs_a_line(tmp_path, monkeypatch, capsys):
    def refuse(_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.listdir", refuse)
    assert main(["solve", str(tmp_path), str(EASY)]) == 2
    told = capsys.readouterr()
    assert told.err == f"milp-pips: {tmp_path}: Permission denied\n"
    assert "easy: solved" in told.out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_output_that_fails_has_a_status_of_its_own():
    run = [sys.executable, "-m", "milp_pips", "solve", EASY]
    with open("/dev/full", "w") as full:
        done = subprocess.run(run, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 74
    assert done.stderr == "milp-pips: output failed: No space left on device\n"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
@pytest.mark.parametrize("closed, status", [("2>&-", 0), (">&- 2>&-", 74)])
def test_closed_output(closed, status):
    line = f"{sys.executable} -m milp_pips solve {EASY} {closed}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60)
    assert done.returncode == status
    assert "Traceback" not in done.stderr


BOMB = "/(.?){1900}/"


def test_expressions_of_a_file_have_a_budget_together(tmp_path):
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    colours = ", ".join(f"{letter} #{i:02x}{i:02x}{i:02x}" for i, letter in enumerate(letters))
    clues = "\n".join([BOMB] * 20)
    path = tmp_path / "bomb.txt"
    path.write_text(f"colour grid\ncolours {colours}\nrows\n{clues}\ncolumns\n{clues}\n")
    with pytest.raises(InputError, match="the expressions of this file are too large together"):
        milp_pips.read(path)


WITH_VARIANTS = [name for name, found in registry.solvers() if getattr(found, "variants", "")]


@pytest.mark.parametrize(
    "engine",
    [
        *(name for name in WITH_VARIANTS if name not in ("pulp", "pyomo")),
        *(pytest.param(name, marks=pytest.mark.long) for name in ("pulp", "pyomo")),
        *("two-stage:minizinc", "highs"),
    ],
)
def test_a_name_from_elsewhere_is_looked_up_before_a_plugin_gets_it(engine, tmp_path):
    """MiniZinc took the name of a file, and ran the program that the file names."""
    ran, program = tmp_path / "ran", tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    named = tmp_path / "n.msc"
    named.write_text(json.dumps({"id": "x", "version": "1", "executable": str(program), "mznlib": ""}))
    puzzle = {"text": EASY.read_text()}
    asked = {"engine": f"{engine}:{named}", "formulation": ""}
    unknown = f"{engine.partition(':')[0]} has no variant '"
    fault = last_event("solve", {"puzzle": puzzle, **asked})
    assert fault["kind"] == "usage"
    assert fault["message"].startswith(unknown)
    (run,) = last_event("compare", {"puzzle": puzzle, "runs": [asked]})["runs"]
    assert run["status"] == "failed"
    assert run["message"].startswith(unknown)
    if not engine.startswith("two-stage"):  # which says it of what is behind its colon
        with pytest.raises(UsageError, match=r"knows no solver|unknown|no variants"):
            milp_pips.solve(milp_pips.read(EASY), asked["engine"])
    assert not ran.exists()


def last_event(verb, body):
    told = []
    reply(verb, json.dumps(body), lambda _, data: told.append(data), "local", 60)
    return told[-1]


@pytest.mark.parametrize("engine", ["", "highs", "cp-sat"])
def test_a_formulation_from_elsewhere_is_looked_up(engine):
    asked = {"engine": engine, "formulation": "projected,/etc/passwd"}
    fault = last_event("solve", {"puzzle": {"text": EASY.read_text()}, **asked})
    assert fault["message"].startswith(f"{engine or 'highs'} has no formulation 'projected,/etc/passwd'")


GIVEN = set()
"""Variants that a solver from outside was given."""


class Recorder:
    """A solver from outside that takes any variant and lists those it is given here, if any."""

    name, kind, title, requires, distribution = "recorder", "search", "recorder", (), ""
    features, formulations, variants = frozenset(), ("",), "anything"

    def __init__(self, variant=""):
        GIVEN.add(variant)

    def unavailable(self):
        return ""

    version = unavailable

    def solve(self, problem, settings, deadline):
        return Answer(None, Proof.NONE, Stop.COUNT)


def test_a_plugin_gets_no_variant_that_it_does_not_list(monkeypatch):
    monkeypatch.setitem(registry.SOLVERS, "recorder", f"{__name__}:Recorder")
    asked = {"puzzle": {"text": EASY.read_text()}, "engine": "recorder:/some/file"}
    assert last_event("solve", asked)["message"] == (
        "recorder has no variant '/some/file'; expected none: it lists no variants"
    )
    assert {""} == GIVEN
    monkeypatch.setattr(Recorder, "known_variants", lambda _: ["quick"], raising=False)
    assert last_event("solve", {**asked, "engine": "recorder:quick"})["status"] == "unknown"
    assert {"", "quick"} == GIVEN


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Return a results file."""
    results = tmp_path_factory.mktemp("measured") / "results.sqlite"
    assert main(["compare", str(EASY), "--run", "brute", "--out", str(results)]) == 0
    return results


@pytest.mark.parametrize(
    "spoil",
    [
        "UPDATE run SET total_seconds = 'x'",
        "UPDATE instance SET constraints = '[]'",
        "UPDATE instance SET constraints = '{'",
        "DROP TABLE session",
        "DELETE FROM instance",
        "UPDATE run SET options = '1'",
        "UPDATE run SET total_seconds = -1",
    ],
)
def test_a_damaged_results_file_costs_a_line(spoil, measured, tmp_path, capsys):
    results = Path(shutil.copy(measured, tmp_path))
    with sqlite3.connect(results) as database:
        database.execute(spoil)
    database.close()
    capsys.readouterr()
    assert main(["report", str(results), "--out", str(tmp_path / "report")]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert str(results) in told


def test_cells_of_a_table_are_no_formulas(tmp_path, capsys, monkeypatch):
    puzzle = tmp_path / "=HYPERLINK(1).txt"
    puzzle.write_text(EASY.read_text())
    results = tmp_path / "results.sqlite"
    words = ["--run", "brute", "--measured-by", "psutil", "--out", str(results)]
    assert main(["compare", str(puzzle), *words]) == 0
    with Store(str(results)) as store:
        assert next(iter(store.instances().values())).name == "=HYPERLINK(1)"
    pytest.importorskip("matplotlib")
    monkeypatch.setattr("milp_pips.extras.bench.report.plots.to_svg", lambda *_: "<svg></svg>")
    assert main(["report", str(results), "--out", str(tmp_path / "report")]) == 0
    rows = list(csv.reader((tmp_path / "report" / "runs.csv").read_text().splitlines()))
    assert any("'=HYPERLINK(1)" in row for row in rows)
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)
    capsys.readouterr()


@pytest.mark.parametrize(
    "solver, option",
    [
        pytest.param("cp-sat", "log_search_progress=true", marks=pytest.mark.long),
        ("highs", "output_flag=true"),
    ],
)
def test_what_an_engine_prints_stays_out_of_the_json(solver, option):
    pytest.importorskip({"cp-sat": "ortools", "highs": "highspy"}[solver])
    words = ["solve", EXAMPLES / "several.txt", "--solver", solver, "--option", option, "--json"]
    done = subprocess.run([sys.executable, "-m", "milp_pips", *words], capture_output=True, text=True)
    assert done.returncode == 0
    assert json.loads(done.stdout)["status"] == "solved"
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("shot.png", b"\x89PNG\r\n\x1a\n", "a picture; expected text; read-picture reads screenshots"),
        ("shot.lp", b"\xff\xd8\xff\xe0", "a picture; expected text; read-picture reads screenshots"),
        ("none.lp", b" \n", "the file is empty"),
        ("none.mps", b"", "the file is empty"),
    ],
)
def test_pictures_and_empty_models_are_called_so(name, data, told, tmp_path, capsys):
    (tmp_path / name).write_bytes(data)
    assert main(["solve", str(tmp_path / name)]) == 2
    assert capsys.readouterr().err == f"milp-pips: {tmp_path / name}: {told}\n"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_text_of_two_bytes_a_character_is_read(encoding, tmp_path):
    (tmp_path / "easy.txt").write_bytes(("\ufeff" + EASY.read_text()).encode(encoding))
    assert milp_pips.read(str(tmp_path / "easy.txt")) == milp_pips.read(EASY)


def test_a_file_where_a_verb_is_expected_is_told_a_verb(capsys):
    with pytest.raises(SystemExit, match="2"):
        main([str(EASY)])
    assert capsys.readouterr().err.endswith(f"is a file and no verb; such as: milp-pips solve {EASY}\n")
