"""Resume an enumeration, only with a file of the same problem whose lines are solutions."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import milp_pips
from milp_pips.cli import main
from milp_pips.problem.errors import InputError, UsageError
from milp_pips.tasks.lines import SolutionFile, _checksum

EXAMPLES = Path(__file__).parents[2] / "examples" / "pips"
SEVERAL = EXAMPLES / "several.txt"
TWO_ROWS = Path(__file__).parents[1] / "data" / "pips" / "two_rows.txt"
"""A puzzle with 1,608 solutions, which a partition finds in several searches."""


def enumerate_to(out, method, *, puzzle=SEVERAL, limit=None):
    found = milp_pips.solutions(milp_pips.read(puzzle), method=method, out=str(out), limit=limit)
    return list(found.json_lines()), found.summary


@pytest.fixture(scope="module", params=["diagram", "partition"])
def left(request, tmp_path_factory):
    """Return where a file with 20 of 56 solutions lies, and the method that left it."""
    folder = tmp_path_factory.mktemp("left")
    enumerate_to(folder / "found.jsonl", request.param, limit=20)
    return folder, request.param


@pytest.fixture
def begun(left, tmp_path):
    """Return a file with 20 of 56 solutions, and the method that resumes it."""
    folder, method = left
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    return tmp_path / "found.jsonl", method


def test_an_enumeration_resumes(begun):
    out, method = begun
    rest, summary = enumerate_to(out, method)
    assert (len(rest), summary.solutions, summary.complete) == (36, 56, True)
    assert len(set(out.read_text().splitlines())) == 56
    assert json.loads(Path(f"{out}.state").read_text())["state"]["complete"] is True
    again, summary = enumerate_to(out, method)
    assert (again, summary.solutions, summary.complete) == ([], 56, True)


KILLED = """
import os, sys
import milp_pips
from milp_pips.tasks import lines
puzzle, out, last, torn = sys.argv[1:]
lines.MOST_PENDING, lines.FLUSH_INTERVAL = 8, 1e9
write, batches = lines.write_all, []
def write_all(stream, data):
    batches.append(data)
    write(stream, data[: len(data) // 2 + 1] if len(batches) == int(torn) else data)
    len(batches) == int(torn) and os._exit(9)
lines.write_all = write_all
for number, _ in enumerate(milp_pips.solutions(milp_pips.read(puzzle), method="diagram", out=out), 1):
    number == int(last) and os._exit(9)
"""
"""Lists to a file in batches of eight lines; ends as if killed, after a solution or within a batch."""


@pytest.mark.parametrize(
    ("last", "torn", "whole"),
    [
        pytest.param(20, 0, 16, id="between two", marks=pytest.mark.long),
        pytest.param(99, 3, 20, id="while one is written"),
    ],
)
def test_a_list_that_is_written_in_batches_survives_a_kill(last, torn, whole, tmp_path):
    out, all_lines = tmp_path / "found.jsonl", enumerate_to(tmp_path / "all.jsonl", "diagram")[0]
    command = [sys.executable, "-c", KILLED, str(SEVERAL), str(out), str(last), str(torn)]
    assert subprocess.run(command, timeout=60, check=False).returncode == 9
    written = out.read_text()
    assert written.count("\n") == whole
    assert written.endswith("\n") is (not torn and whole > 0)
    rest, summary = enumerate_to(out, "diagram")
    assert (rest, summary.complete) == (all_lines[whole:], True)
    assert out.read_text().splitlines() == all_lines


def test_a_state_that_says_complete_is_not_believed(begun):
    out, method = begun
    file = Path(f"{out}.state")
    state = {**json.loads(file.read_text())["state"], "complete": True, "frontier": None}
    file.write_text(json.dumps({"state": state, "sum": _checksum(state)}))
    if method == "diagram":  # which walks all solutions, and finds the others
        assert len(enumerate_to(out, method)[0]) == 36
    else:
        with pytest.raises(InputError, match="does not fit its state"):
            enumerate_to(out, method)


def test_a_puzzle_that_has_changed_is_refused(begun, tmp_path):
    out, method = begun
    changed = tmp_path / "several.txt"
    text = SEVERAL.read_text()
    line = next(line for line in text.splitlines() if " SUM " in line)
    changed.write_text(text.replace(line, line.replace(" SUM ", " LE ")))
    before = out.read_text()
    with pytest.raises(UsageError, match=r"belongs to another enumeration: problem was '[0-9a-f]{64}', is"):
        enumerate_to(out, method, puzzle=changed)
    assert out.read_text() == before


def test_another_method_is_refused(tmp_path):
    out = tmp_path / "found.jsonl"
    enumerate_to(out, "cuts", limit=3)
    with pytest.raises(UsageError, match="belongs to another enumeration: method was 'cuts', is 'partition'"):
        enumerate_to(out, "partition")


@pytest.mark.parametrize(
    "spoil, fault",
    [
        (lambda lines: ['{"x": 1}', *lines[1:]], ":1:"),
        (lambda lines: [*lines[:4], lines[4].replace("6", "5"), *lines[5:]], ":5:"),
        (lambda lines: [*lines[:5], lines[5].replace('"pips": [', '"pips": [1'), *lines[6:]], ":6:"),
        (lambda lines: [*lines, lines[2]], ":21:"),
    ],
    ids=["no solution", "another value", "another domino", "twice"],
)
def test_lines_that_are_not_its_own_are_refused_by_their_place(begun, spoil, fault):
    out, method = begun
    lines = spoil(out.read_text().splitlines())
    out.write_text("".join(f"{line}\n" for line in lines))
    with pytest.raises(InputError, match=fault) as error:
        enumerate_to(out, method)
    assert "\n" not in str(error.value)
    assert out.read_text().splitlines() == lines


def test_lines_that_are_no_text_are_refused(begun):
    out, method = begun
    data = out.read_bytes().splitlines(keepends=True)
    data[2] = b"\xff\xfe\n"
    out.write_bytes(b"".join(data))
    with pytest.raises(InputError, match=":3: not text; expected UTF-8"):
        enumerate_to(out, method)


@pytest.mark.parametrize("state", ["[]", "{", '{"state": {"frontier": 7}, "sum": "0"}', "[" * 10**5])
def test_a_damaged_state_is_refused(begun, state):
    out, method = begun
    Path(f"{out}.state").write_text(state)
    with pytest.raises(InputError, match="not the state of an enumeration, or damaged"):
        enumerate_to(out, method)


def test_a_changed_frontier_is_refused(tmp_path):
    out = tmp_path / "found.jsonl"
    enumerate_to(out, "partition", limit=3)
    saved = json.loads(Path(f"{out}.state").read_text())
    saved["state"]["frontier"] = []
    Path(f"{out}.state").write_text(json.dumps(saved))
    with pytest.raises(InputError, match="not the state of an enumeration, or damaged"):
        enumerate_to(out, "partition")


@pytest.mark.parametrize("method", ["partition", "diagram"])
def test_two_at_once_are_refused(method, tmp_path, capsys):
    out = tmp_path / "found.jsonl"
    found = milp_pips.solutions(milp_pips.read(SEVERAL), method=method, out=str(out))
    next(found)
    assert main(["enumerate", str(SEVERAL), "--method", method, "--out", str(out)]) == 2
    assert capsys.readouterr() == ("", f"milp-pips: {out} is being written by another process\n")
    assert len(list(found)) == 55
    assert found.summary.complete
    assert len(set(out.read_text().splitlines())) == 56


def test_a_refused_run_leaves_no_file(tmp_path):
    out = tmp_path / "found.jsonl"
    Path(f"{out}.state").write_text("[]")
    with pytest.raises(InputError):
        SolutionFile(str(out), {})
    assert not out.exists()


def test_lines_that_were_lost_are_missed(tmp_path):
    """A partition is past the parts of solutions that it has written: they would never come again."""
    out = tmp_path / "found.jsonl"
    enumerate_to(out, "partition", puzzle=TWO_ROWS, limit=1000)
    lines = out.read_text().splitlines(keepends=True)
    written = json.loads(Path(f"{out}.state").read_text())["state"]["lines"]  # when the last part was done
    assert 0 < written <= 1000
    out.write_text("".join(lines[: written - 1]))
    with pytest.raises(InputError) as error:
        enumerate_to(out, "partition", puzzle=TWO_ROWS)
    assert str(error.value) == (
        f"{out}: holds {written - 1} solutions, but {written} were written; expected what was written: "
        f"restore it, or remove {out} and {out}.state to begin again"
    )
    out.unlink()
    Path(f"{out}.state").unlink()
    assert enumerate_to(out, "partition", puzzle=TWO_ROWS)[1].complete
