"""The output of every verb with ``--json`` matches its schema and has no further members."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from milp_pips.cli import VERBS, main
from milp_pips.engines import registry
from milp_pips.problem.errors import EngineFault
from milp_pips.views.schema import schema, verbs

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = sorted(
    path
    for folder in ("pips", "sudoku", "colour_grid")
    for path in EXAMPLES.glob(f"{folder}/*")
    if path.suffix in (".txt", ".json")
)[::3]
SMALL = [
    *("pips/ring.json", "pips/odd_part.txt"),
    *("sudoku/letters.txt", "colour_grid/several.txt"),
]


@pytest.fixture(scope="module", autouse=True)
def jsonschema():
    """Import the library late: it takes a second, and each process of the suite collects this file."""
    return pytest.importorskip("jsonschema")


def strict(schema):
    """Return the schema without room for members that it does not describe."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: strict(part) for name, part in schema.items()}
    if "properties" in schema and isinstance(schema["properties"], dict):
        closed.setdefault("additionalProperties", False)
    return closed


@cache
def validator(verb):
    from jsonschema import Draft202012Validator

    return Draft202012Validator(strict(schema(verb)))


def validate(verb, text):
    lines = [json.loads(line) for line in text.splitlines()]
    for line in lines:
        validator(verb).validate(line)
    return lines


def run(capsys, *words):
    main([*map(str, words), "--json"])
    return validate(words[0], capsys.readouterr().out)


@pytest.mark.parametrize("verb", verbs())
def test_a_schema_is_one_and_has_a_version(verb, jsonschema):
    jsonschema.Draft202012Validator.check_schema(schema(verb))
    assert schema(verb)["schema"] == 1
    assert verb in VERBS


def test_every_verb_that_prints_json_has_one(capsys):
    for verb in VERBS:
        with pytest.raises(SystemExit):
            main([verb, "--help"])
        assert ("  --json" in capsys.readouterr().out) == (verb in verbs()), verb


@pytest.mark.parametrize(
    ("words", "optional"),
    [
        ("solve", {"dominoes"}),
        ("solve --unique", {"dominoes"}),
        ("count --cells", {"placements", "grids", "cells"}),
        ("check", set()),
        ("enumerate", {"dominoes"}),
        ("rate", set()),
    ],
)
def test_a_line_with_a_wrong_a_further_or_a_missing_member_does_not_match(words, optional, capsys):
    verb, *more = words.split()
    file = EXAMPLES / "pips" / ("three_levels.json" if verb == "check" else "notebook.txt")
    (line, *_) = run(capsys, verb, file, *more)
    is_valid = validator(verb).is_valid
    assert not is_valid(line | {"further": 1})
    for member in line:
        assert not is_valid(line | {member: {"wrong": [None]}}), member
        without = {name: value for name, value in line.items() if name != member}
        assert is_valid(without) == (member in optional), member


@pytest.mark.parametrize("file", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_solve_prints(file, capsys):
    assert run(capsys, "solve", file, "--time-limit", "20")


@pytest.mark.parametrize("verb", ["count", "explain", "rate"])
def test_what_verbs_of_many_files_print(verb, capsys):
    names, more = SMALL[1::2], ()
    if verb == "explain":  # contradiction has reasons with steps; letters has several solutions
        names, more = (
            ("pips/ring.json", "colour_grid/contradiction.txt", "sudoku/letters.txt"),
            ("--reasons", "1"),
        )
    files = [EXAMPLES / name for name in names]
    assert len(run(capsys, verb, *files, *more)) == len(files)
    if verb == "count":
        assert run(capsys, verb, files[0], "--cells")[0]["cells"]


def test_what_an_unfinished_count_prints(capsys):
    (line,) = run(
        capsys, "count", EXAMPLES / "pips" / "wide.txt", "--memory-limit", "1M", "--time-limit", "2"
    )
    assert line["complete"] or line["at_least"]


@pytest.mark.parametrize("name", SMALL)
def test_what_verbs_of_one_file_print(name, capsys, tmp_path):
    *listed, summary = run(capsys, "enumerate", EXAMPLES / name, "--limit", "5")
    assert summary["summary"]["solutions"] == len(listed)
    assert run(capsys, "sample", EXAMPLES / name) or not listed
    for degree in ("where", "rule", "why", "move"):
        assert run(capsys, "hint", EXAMPLES / name, "--reveal", degree)
    if listed:
        solution = tmp_path / "solution.json"
        solution.write_text(json.dumps(listed[0]))
        assert run(capsys, "check", EXAMPLES / name, solution)[0]["right"]


def test_what_verbs_print_of_boards(capsys):
    medium, impossible = (EXAMPLES / "pips" / f"{name}.txt" for name in ("medium", "impossible"))
    boards = EXAMPLES / "boards"
    for puzzle, board, status in (
        (medium, "medium.txt", "right so far"),
        (impossible, "medium.txt", "dead"),
    ):
        assert run(capsys, "check", puzzle, boards / board)[0]["status"] == status
    assert run(capsys, "check", medium, boards / "medium.txt", "--time-limit", "0")[0]["right"] is None
    assert run(capsys, "solve", medium, "--board", boards / "medium_dead.txt")[0]["status"] == "dead"


def test_what_generate_prints(capsys, tmp_path):
    for family in ("pips", "sudoku", "colour-grid"):
        assert run(capsys, "generate", "--family", family, "--count", "2")
    assert run(capsys, "generate", "--grade", "easy", "--out", tmp_path)[0]["grade"] == "easy"


@pytest.mark.long
def test_what_verbs_for_setters_print(capsys):
    for words in ([], ["--each"], ["--time-limit", "0"]):
        assert run(capsys, "clues", EXAMPLES / "pips" / "repeated.txt", *words)[0]["key"] == "placement"
    for words in ([], ["--time-limit", "0"]):
        assert run(capsys, "loosen", EXAMPLES / "pips" / "easy.txt", *words)[0]["puzzle"] == "easy"
    assert run(capsys, "loosen", EXAMPLES / "pips" / "several.txt")[0]["key"] == ""


def test_what_compare_and_solvers_print(capsys, tmp_path):
    easy = EXAMPLES / "pips" / "easy.txt"
    assert run(capsys, "compare", easy, "--run", "brute", "--out", tmp_path / "results.sqlite")
    assert run(capsys, "solvers")


@pytest.mark.parametrize(
    "words", ["solve --solver thrower", "count --solver miscounter", "enumerate --solver thrower", "explain"]
)
def test_what_is_printed_of_a_puzzle_on_which_an_engine_fails(words, capsys, monkeypatch):
    monkeypatch.setitem(registry.SOLVERS, "thrower", "outside.hostile:Thrower")
    monkeypatch.setitem(registry.SOLVERS, "miscounter", "outside.hostile:Miscounter")
    monkeypatch.setattr("milp_pips.extras.explain.explain.explain", fail)
    verb, *more = words.split()
    several = EXAMPLES / "pips" / "several.txt"
    (line,) = run(capsys, verb, several, *more)
    assert (line["puzzle"], line["status"]) == ("several", "error")
    assert line["fault"].startswith(("thrower failed: RuntimeError", "miscounter returned 3", "it failed"))


def fail(*_, **__):
    raise EngineFault("it failed")


def test_the_schema_of_a_verb_is_printed(capsys):
    assert main(["schema", "count"]) == 0
    assert json.loads(capsys.readouterr().out) == schema("count")
    assert main(["schema", "draw"]) == 2
    assert capsys.readouterr().err.startswith(
        "milp-pips: there is no schema for 'draw'; there are schemas for solve,"
    )
