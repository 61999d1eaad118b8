"""Conversion between formats, also from standard input and of files with a faulty level."""

from __future__ import annotations

import base64
import io
import json
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from json_formats import graph
from strategies import pips_puzzles

import milp_pips
from milp_pips.cli import main
from milp_pips.problem.errors import UsageError
from milp_pips.puzzles.pips.puzzle import Pips
from milp_pips.puzzles.reading import STANDARD_INPUT, read_text

EXAMPLES = Path(__file__).parents[2] / "examples"
NOTEBOOK, DAILY = EXAMPLES / "pips" / "notebook.txt", EXAMPLES / "pips" / "three_levels.json"
LEVEL = {
    "dominoes": [[0, 1]],
    "regions": [{"indices": [[0, 0], [0, 1]], "type": "sum", "target": 1}],
    "solution": [[[0, 0], [0, 1]]],
}


@pytest.fixture
def run(capsys, monkeypatch):
    def call(*words, given=None):
        if given is not None:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        status = main([str(word) for word in words])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def again(puzzle, to):
    """The puzzle written in a format and read again, under the same name."""
    (found,) = milp_pips.read_text(milp_pips.convert(puzzle, to), f"{puzzle.name}.txt").values()
    return found


def assert_same(found, puzzle):
    assert (found, found.published) == (puzzle, puzzle.published)


@given(pips_puzzles())
def test_no_format_loses_anything(puzzle: Pips) -> None:
    assert_same(again(puzzle, "text"), puzzle)
    assert_same(again(puzzle, "json"), puzzle)
    assert_same(again(again(puzzle, "json"), "text"), puzzle)
    daily = replace(puzzle, name="2031-05-04-medium", published=puzzle.published)
    if any(not region.kind.is_published for region in puzzle.regions):
        with pytest.raises(UsageError, match=r"the Times' JSON has no rule (LE|GE|PRODUCT|ODD|EVEN)$"):
            milp_pips.convert(daily, "times")
    else:
        assert_same(again(daily, "times"), daily)


@given(pips_puzzles())
def test_a_board_that_is_no_grid_is_kept_as_json(puzzle: Pips) -> None:
    (named,) = milp_pips.read_text(json.dumps(graph(puzzle))).values()
    assert_same(again(named, "json"), named)
    with pytest.raises(UsageError, match="only a board of rows and columns"):
        milp_pips.convert(named, "text")


def test_other_families_are_written_as_text(run):
    for path in (EXAMPLES / "sudoku" / "killer.txt", EXAMPLES / "colour_grid" / "expressions.txt"):
        puzzle = milp_pips.read(path)
        assert again(puzzle, "text") == puzzle
        status, out, err = run("convert", path, "--to", "times")
        assert (status, out) == (2, "")
        known = "text, tatham" if puzzle.family == "sudoku" else "text"
        assert err == f"milp-pips: {puzzle.name}: unknown format 'times'; known: {known}\n"
        assert run("convert", path, "--to", "lp")[2].endswith(f"; known: {known}; export writes models\n")


def test_a_day_goes_around_all_formats(run, tmp_path):
    folders = [tmp_path / name for name in ("text", "json", "times")]
    source = DAILY
    for folder in folders:
        status, out, err = run("convert", source, "--to", folder.name, "--out", folder)
        assert (status, err, out.count("\n")) == (0, "", 3)
        assert run("check", next(folder.glob("*medium*")))[:2] == (0, "2026-11-21-medium: right\n")
        source = folder
    for level, puzzle in milp_pips.read_all(DAILY).items():
        found = milp_pips.read(tmp_path / "times" / f"2026-11-21-{level}.json")
        assert_same(found, puzzle)


def test_where_puzzles_are_written(run, tmp_path):
    status, out, err = run("convert", DAILY, "--to", "text")
    assert (status, out) == (2, "")
    assert err == "milp-pips: there are 3 puzzles: name a directory with --out, or one puzzle with --level\n"
    file = tmp_path / "hard.txt"
    assert run("convert", DAILY, "--to", "text", "--level", "hard", "--out", file)[1] == f"{file}\n"
    status, out, _ = run("convert", DAILY, "--to", "text", "--level", "hard")
    assert (status, out) == (0, file.read_text())
    status, _, err = run("convert", file, "--to", "text", "--out", tmp_path)
    assert (status, err) == (
        2,
        f"milp-pips: {file}: this is one of the files to convert; expected another with --out\n",
    )
    status, out, _ = run("convert", NOTEBOOK, NOTEBOOK, "--to", "json", "--out", tmp_path / "new")
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == ["notebook-2.json", "notebook.json"]


def test_a_level_alone_is_a_puzzle(run):
    assert run("check", "-", given=json.dumps(LEVEL))[:2] == (0, f"{STANDARD_INPUT}: right\n")


def test_a_faulty_level_does_not_block_the_others(run, tmp_path):
    file = tmp_path / "day.json"
    file.write_text(json.dumps({"easy": LEVEL, "medium": {"dominoes": 3}, "hard": LEVEL}))
    fault = f"milp-pips: {file}:1: medium.dominoes: this is 3; expected a list\n"
    status, out, err = run("count", file, "--json")
    assert (status, err) == (2, fault)
    assert [json.loads(line)["puzzle"] for line in out.splitlines()] == ["day-easy", "day-hard"]
    assert run("check", file) == (2, "day-easy: right\nday-hard: right\n", fault)
    assert run("check", file, "--level", "easy") == (0, "day-easy: right\n", "")
    assert run("count", file, "--level", "medium") == (2, "", fault)
    with pytest.raises(milp_pips.InputError, match=r"medium\.dominoes"):
        milp_pips.read_all(file)
    assert milp_pips.read(file, "hard").name == "day-hard"
    file.write_text('{"easy": {}, "medium": 3, "hard": null}')
    assert run("show", file)[2].count("\n") == 2


WORDS = {
    "compare": ["--run", "brute", "--out"],
    "convert": ["--to", "json"],
    "enumerate": ["--quiet"],
    "rate": ["--json"],
    "solve": ["--solver", "brute"],
}


@pytest.mark.parametrize(
    "verb",
    [
        "convert",
        "enumerate",
        "hint",
    ],
)
def test_every_verb_reads_standard_input(run, verb):
    status, out, err = run(verb, "-", *WORDS.get(verb, ()), given="AB\nAB\nA 3, B 3 // typed\n11 22")
    assert (status, err) == (0, "")
    assert out
    status, out, err = run(verb, "-", *WORDS.get(verb, ()), given="AB\nAB\nA 3\n11\n222")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f'milp-pips: {STANDARD_INPUT}:5: domino 2 is "222"; expected two numbers of pips')


def test_standard_input_may_be_a_solution_or_compared(run, tmp_path):
    solution = run("solve", NOTEBOOK, "--output", tmp_path)[0] == 0 and (tmp_path / "notebook.solution.txt")
    assert run("check", NOTEBOOK, "-", given=solution.read_text())[:2] == (0, "notebook: right\n")
    assert run("check", "-", solution, given=NOTEBOOK.read_text())[0] == 0
    assert run("check", NOTEBOOK, "-", given="x")[2].startswith(
        f"milp-pips: {STANDARD_INPUT}:1: the value of r1c1"
    )
    results = tmp_path / "results.sqlite"
    words = ("--run", "brute", "--measured-by", "psutil", "--out", results)
    status, _, err = run("compare", "-", *words, given=NOTEBOOK.read_text())
    assert (status, results.exists()) == (0, True), err


def test_standard_input_that_is_closed_or_no_text(run, monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    assert run("show", "-")[2] == f"milp-pips: {STANDARD_INPUT}: the stream is closed\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"2\n\xff\xff")))
    assert run("show", "-")[2] == f"milp-pips: {STANDARD_INPUT}:2: not text; expected UTF-8\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(NOTEBOOK.read_text()))
    assert run("show", "-")[0] == 0


def test_a_link_has_the_puzzle_after_the_sign_that_browsers_do_not_send(run):
    easy = EXAMPLES / "pips" / "easy.txt"
    words = ("convert", easy, "--to", "link", "--address")
    status, out, _ = run(*words, "https://example.org/pips/#old")
    assert status == 0
    address, _, code = out.strip().partition("#puzzle=")
    assert address == "https://example.org/pips/"
    data = zlib.decompress(base64.urlsafe_b64decode(code + "=" * (-len(code) % 4)), wbits=-15)
    name, family, text, board = json.loads(data)
    assert (name, family, board) == ("easy", "pips", None)
    (read,) = read_text(text, "easy").values()
    assert read.dominoes == milp_pips.read(easy).dominoes
    said = "'example.org' is no address: expected http://… or https://…\n"
    assert run(*words, "example.org") == (2, "", f"milp-pips: {said}")
    assert run(*words[:-1])[2].endswith("--to link and --address URL go together\n")


@pytest.mark.parametrize("to", ["mps", "lp", "opb", "cnf"])
def test_a_model_in_a_directory_has_a_name_by_which_it_is_read_again(run, tmp_path, to):
    source = tmp_path / "pair.opb"
    source.write_text("* #variable= 2 #constraint= 1\n+1 x1 +1 x2 >= 1 ;\n", encoding="utf-8")
    written = tmp_path / "out" / f"pair.{to}"
    assert run("convert", source, "--to", to, "--out", tmp_path / "out")[:2] == (0, f"{written}\n")
    assert len(milp_pips.read(written).model.columns) == 2
