"""Files that attack the checker of certificates: paths, sizes, states, time and memory."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from milp_pips.verification import verify as checker
from milp_pips.verification.verify import OutOfTime, Refused, Watch, verify


def check(folder):
    return verify(folder, Watch(100))


def test_no_path_leaves_the_folder(proved, tmp_path):
    shutil.copytree(proved["list"], tmp_path / "copy")
    (tmp_path / "copy" / checker.PUZZLE_JSON).rename(tmp_path / "elsewhere")
    (tmp_path / "copy" / checker.PUZZLE_JSON).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused, match=r"puzzle.json: not a file"):
        check(tmp_path / "copy")


PIPS = {"family": "pips", "cells": ["a", "b"], "edges": [[0, 1]], "dominoes": [[0, 0]], "regions": []}
COLUMN = {"family": "rows", "columns": [{"values": [0, 1]}], "rows": [], "keys": {"grid": [0]}}
COLOURS = {"family": "colour-grid", "letters": "rg", "columns": [None] * 60}
HOSTILE = {
    "nested JSON": ("[" * 2_000_000, "puzzle.json: not JSON"),
    "a number of a million digits": ('{"family": ' + "9" * 10**6 + "}", "puzzle.json: not JSON"),
    "infinity": ('{"family": "rows", "columns": [{"values": [1e999]}], "rows": []}', "expected an integer"),
    "a member that occurs twice": ('{"family": "rows", "family": "pips"}', "a member occurs twice"),
    "a large file": (" " * (2**24 + 1), "puzzle.json: larger than 16777216 bytes"),
    "no text": (b"\xff", "puzzle.json: 'utf-8' codec"),
    "control characters": ({"family": "\x1b[31m\x07" * 1000}, "KeyError"),
    "a sum without target": ({**PIPS, "regions": [{"cells": [0], "rule": "SUM"}]}, "KeyError: 'target'"),
    "many repetitions": ({**COLOURS, "rows": ["((r?){99}){99}"]}, "more than 1000 letters"),
    "repetitions of nothing": ({**COLOURS, "rows": ["((){99999}){99999}"]}, "more than 10000 parts"),
    "many states of an expression": ({**COLOURS, "rows": ["(r|g)*r(r|g){30}"]}, "more than 20000 states"),
    "many states of a sum": (
        {
            **COLUMN,
            "columns": [{"values": [0, 1]}] * 40,
            "rows": [{"terms": [[i, 10**8 - 7919 * i * i] for i in range(40)], "low": 0, "high": 1}],
            "keys": {"grid": list(range(40))},
        },
        "more than 20000 states",
    ),
}


def hostile_folder(folder, puzzle, **members):
    text = puzzle if isinstance(puzzle, str | bytes) else json.dumps(puzzle)
    content = text if isinstance(text, bytes) else text.encode()
    (folder / checker.PUZZLE_JSON).write_bytes(content)
    hashes = {checker.PUZZLE_JSON: hashlib.sha256(content).hexdigest()}
    manifest = {"format": checker.FORMAT, "kind": "count", "key": "grid", "solutions": 1, "sha256": hashes}
    (folder / checker.CERTIFICATE_JSON).write_text(json.dumps({**manifest, **members}))
    return folder


@pytest.mark.parametrize("attack", HOSTILE)
def test_a_hostile_puzzle_is_refused_in_one_short_line(attack, tmp_path, monkeypatch):
    monkeypatch.setattr(checker, "MOST_RULE_STATES", 20_000)
    puzzle, why = HOSTILE[attack]
    with pytest.raises(Refused) as refused:
        verify(hostile_folder(tmp_path, puzzle, division=list(range(60))), Watch(1000))
    message = str(refused.value)
    assert why in message
    assert message.isprintable()
    assert len(message) <= 400


@pytest.mark.parametrize(
    "members",
    [
        {"key": "grid\x1b[2K\nproved: everything"},
        {"key": "k" * 10**6},
        {"key": ["grid"]},
        {"division": {"parts": [[[0], [0]]] * 2}},
        {"division": {"cell": 0, "values": {}}},
        {"division": {"cell": [0]}},
        {"division": "0"},
        {"division": [[0]]},
        {"solutions": 10**400},
        {"sha256": 3},
    ],
)
def test_a_hostile_manifest_is_refused(members, tmp_path):
    with pytest.raises(Refused, match=r"certificate.json: ") as refused:
        check(hostile_folder(tmp_path, COLUMN, **members))
    assert str(refused.value).isprintable()


def test_what_is_no_file_is_not_opened(proved, tmp_path):
    places = {"pipe": os.mkfifo, "folder": os.mkdir, "device": lambda path: path.symlink_to("/dev/zero")}
    for name, make in places.items():
        shutil.copytree(proved["list"], tmp_path / name)
        (tmp_path / name / checker.PROOF_DRAT).unlink()
        make(tmp_path / name / checker.PROOF_DRAT)
        with pytest.raises(Refused, match=r"proof.drat: not a file"):
            check(tmp_path / name)


def test_the_program_limits_time_and_memory_by_itself(tmp_path):
    """So many states of 30 independent sums take minutes and gigabytes."""
    columns = [{"values": [0, 1]}] * 60
    rows = [{"terms": [[i, 1], [30 + i, 1]], "low": 0, "high": 1} for i in range(30)]
    puzzle = {"family": "rows", "columns": columns, "rows": rows, "keys": {"grid": list(range(60))}}
    hostile_folder(tmp_path, puzzle, division=list(range(60)))
    program = Path(checker.__file__).read_text(encoding="utf-8")
    for old, new, seconds, why in (
        ("", "", "0.3", "the check takes more than 0.3 s"),
        ("MEMORY_LIMIT = 2**32", "MEMORY_LIMIT = 2**26", "1000", "the check takes more than 67108864 bytes"),
    ):
        (tmp_path / "verify.py").write_text(program.replace(old, new) if old else program, encoding="utf-8")
        command = [sys.executable, "-I", tmp_path / "verify.py", tmp_path, "--time-limit", seconds]
        run = subprocess.run(command, capture_output=True, text=True, timeout=1000)
        assert (run.returncode, why in run.stdout, run.stderr) == (1, True, "")


def test_files_formulas_and_layers_have_a_largest_size(proved, monkeypatch):
    for limit, kind in (
        ("LARGEST_JSON", "list"),
        ("LARGEST_TEXT", "list"),
        ("MOST_CLAUSES", "list"),
        ("MOST_RULE_STATES", "count"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(checker, limit, 1)
            with pytest.raises(Refused, match=r"more than 1 |larger than 1 bytes"):
                check(proved[kind])
    puzzle = json.loads((proved["count"] / checker.PUZZLE_JSON).read_text(encoding="utf-8"))
    statement, cells = checker.statement_of(puzzle, "placement"), list(range(len(puzzle["cells"])))
    with pytest.raises(Refused, match="more than 1 states"):
        checker.Count(statement, "placement", Watch(9), 1).solutions(cells, statement.values, cells)


@pytest.mark.parametrize("kind", ["list", "count"])
def test_a_check_ends_after_its_time(proved, kind):
    with pytest.raises(OutOfTime, match="the check takes more than 0 s"):
        verify(proved[kind], Watch(0))
