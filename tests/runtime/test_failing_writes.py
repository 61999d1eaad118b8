"""Writes that fail: on a full disk, at a limit of size, at a wrong place. Nothing is lost or half written."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from thoroughness import mostly_long

import milp_pips
from milp_pips.cli import main
from milp_pips.problem.errors import InputError, OutputError
from milp_pips.runtime.writing import try_file

resource = pytest.importorskip("resource", reason="limits of the size of files are Unix's")

EXAMPLES = Path(__file__).parents[2] / "examples" / "pips"
SEVERAL, EASY = str(EXAMPLES / "several.txt"), str(EXAMPLES / "easy.txt")


@contextmanager
def files_up_to(size: int):
    """Let no file of this process grow beyond a given number of bytes, as on a full disk.

    Python writes no bytecode meanwhile: it keeps a file that was cut off, and cannot import the module again.
    """
    before, bytecode = resource.getrlimit(resource.RLIMIT_FSIZE), sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        sys.dont_write_bytecode = bytecode


@pytest.mark.parametrize("method", mostly_long(2, ["diagram", "partition", "cubes", "cuts"]))
def test_a_list_that_met_a_full_disk_goes_on(method, tmp_path):
    puzzle, out = milp_pips.read(SEVERAL), tmp_path / "found.jsonl"
    with files_up_to(9 * 1024), pytest.raises(OutputError, match="File too large; the file is valid"):
        list(milp_pips.solutions(puzzle, method=method, out=str(out)).json_lines())
    lines = out.read_text().splitlines(keepends=True)
    assert len(lines) > 10
    assert all(line.endswith("}\n") for line in lines)
    rest = list(milp_pips.solutions(puzzle, method=method, out=str(out)).json_lines())
    assert len(rest) == 56 - len(lines)
    assert len(set(out.read_text().splitlines())) == 56


@pytest.mark.parametrize("size", [0, 10, 400], ids=["nothing", "no state", "no line"])
def test_a_list_that_could_not_take_a_line_leaves_no_file(size, tmp_path):
    with files_up_to(size), pytest.raises(OutputError):
        list(milp_pips.solutions(milp_pips.read(SEVERAL), out=str(tmp_path / "found.jsonl")))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "words",
    [
        ["enumerate", SEVERAL, "--out", "DIR/found.jsonl"],
        ["enumerate", SEVERAL, "--quiet", "--svg", "DIR/found.svg"],
        ["generate", "--dominoes", "4", "--out", "DIR"],
        ["compare", EASY, "--run", "brute", "--out", "DIR/results.sqlite"],
        ["solve", EASY, "--svg", "DIR"],
        ["solve", EASY, "--output", "DIR"],
        ["export", EASY, "--output", "DIR/model.lp"],
        ["convert", EASY, "--to", "json", "--out", "DIR/easy.json"],
    ],
    ids=" ".join,
)
def test_a_full_disk_is_status_74_and_leaves_no_file(words, tmp_path, capsys):
    with files_up_to(30):
        status = main([word.replace("DIR", str(tmp_path)) for word in words])
    told = [line for line in capsys.readouterr().err.splitlines() if "other programs take" not in line]
    assert status == 74
    assert len(told) == 1
    assert told[0].startswith(f"milp-pips: {tmp_path}")
    assert ": cannot write: " in told[0]
    assert [name for _, _, names in os.walk(tmp_path) for name in names] == []


@pytest.mark.parametrize("earlier", [False, True], ids=["new", "beside others"])
def test_a_puzzle_that_a_full_disk_refuses_leaves_no_solution_without_it(earlier, tmp_path, capsys):
    words = ["generate", "--dominoes", "4", "--seed", "1", "--out", str(tmp_path)]
    if earlier:
        assert main([*words, "--seed", "2"]) == 0
    before = sorted(tmp_path.rglob("*"))
    with files_up_to(200):  # the solution has fewer bytes, the puzzle as JSON more
        assert main([*words, "--format", "json"]) == 74
    assert sorted(tmp_path.rglob("*")) == before
    assert "cannot write" in capsys.readouterr().err


@pytest.mark.parametrize("size", [4096, 4282, 8192, 12_000, 20_000])
def test_a_results_file_that_cannot_grow_leaves_no_empty_log(size, tmp_path, capsys):
    out = tmp_path / "results.sqlite"
    with files_up_to(size):
        status = main(["compare", EASY, "--run", "brute", "--run", "diagram", "--out", str(out)])
    assert status in (0, 74), capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir() if not path.stat().st_size] == []


def test_a_full_disk_leaves_the_picture_that_was_there(tmp_path, capsys):
    picture = tmp_path / "easy.svg"
    picture.write_text("an earlier picture")
    with files_up_to(100):
        assert main(["show", EASY, "--svg", str(picture)]) == 74
    assert os.listdir(tmp_path) == ["easy.svg"]
    assert picture.read_text() == "an earlier picture"
    assert "cannot write" in capsys.readouterr().err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_devices_are_written_in_place(capsys):
    assert main(["export", EASY, "--output", "/dev/null"]) == 0
    assert main(["export", EASY, "--output", "/dev/full"]) == 74
    assert main(["enumerate", EASY, "--out", "/dev/full"]) == 2
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "milp-pips: /dev/full: cannot write: No space left on device"
    assert told[1].startswith("milp-pips: /dev/full: not a regular file")


@pytest.mark.parametrize(
    "words",
    [
        ["enumerate", SEVERAL, "--svg", "PLACE/found.svg"],
        ["enumerate", SEVERAL, "--json", "--out", "PLACE/found.jsonl"],
        ["generate", "--dominoes", "4", "--out", "PLACE"],
        ["solve", EASY, "--svg", "PLACE/easy.svg"],
        ["solve", EASY, "--svg", "PLACE"],
        ["solve", EASY, "--output", "PLACE"],
        ["export", EASY, "--output", "PLACE/model.lp"],
        ["convert", EASY, "--to", "json", "--out", "PLACE"],
        ["report", "results.sqlite", "--out", "PLACE"],
    ],
    ids=" ".join,
)
def test_a_wrong_path_is_reported_before_the_work_begins(words, tmp_path, monkeypatch, capsys):
    for work in WORK:
        monkeypatch.setattr(work, None)
    file = tmp_path / "a file"
    file.write_text("kept")
    place = str(file / "below" if "/" not in words[-1] else file)
    status = main([word.replace("PLACE", place) for word in words])
    output = capsys.readouterr()
    assert (status, output.out) == (2, "")
    assert output.err.startswith(f"milp-pips: {place}")
    assert "Not a directory" in output.err
    assert file.read_text() == "kept"


WORK = [
    "milp_pips.cli.files.work_on_puzzles",
    "milp_pips.extras.generate.cli.results_in_order",
    "milp_pips.cli.solve.for_each_result",
    "milp_pips.extras.bench.report.report",
    "milp_pips.tasks.strategies.prepare",
    "milp_pips.tasks.convert.export",
]
"""The functions that do the work: without them, every error is reported before the work."""


def test_puzzles_that_are_there_already_are_complete(tmp_path, capsys):
    words = ["generate", "--dominoes", "4", "--count", "2", "--out", str(tmp_path)]
    assert main(words) == 0
    assert "complete" not in capsys.readouterr().out
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.txt")}
    assert main(words) == 0
    assert capsys.readouterr().out.endswith(f"{tmp_path} is complete: 2 puzzles were there already\n")
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.txt")} == before


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="the system has no files without a name")
def test_a_kill_while_a_place_is_tried_leaves_no_file(tmp_path, monkeypatch):
    for name in ("remove", "unlink"):
        monkeypatch.setattr(os, name, lambda *_: pytest.fail("a file with a name was there to be removed"))
    try_file(str(tmp_path / "found.jsonl"))
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_too_long_is_refused_before_the_work(tmp_path):
    with pytest.raises(InputError, match="too long"):
        try_file(str(tmp_path / ("x" * 255)))
