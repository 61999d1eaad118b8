"""The file of a list by the tree: it grows as solutions are found, and a list that ended early resumes."""

from __future__ import annotations

import json
import subprocess
import sys
from random import Random

import pytest
from linear_models import random_model, solutions

import milp_pips
from milp_pips import Column, Model, Row
from milp_pips.problem.errors import InputError, UsageError


def listed(model, file, **asked):
    found = milp_pips.solutions(model, method="tree", out=str(file), **asked)
    return [tuple(solution.values()) for solution in found], found.summary


def lines_of(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def large(columns):
    """Half of the points of a cube."""
    some = tuple(Column(f"x{j}", 0, 1, True, j) for j in range(columns))
    return Model(
        some, (Row("r", {j: 2 * j + 1 for j in range(columns)}, None, columns**2 // 2),), name="large"
    )


@pytest.mark.parametrize("seed", range(6))
def test_a_list_that_is_stopped_again_and_again_becomes_the_right_one(seed, tmp_path):
    model = random_model(Random(seed), mixed=seed % 3 == 0)
    file, wanted, found = tmp_path / "list.jsonl", solutions(model), []
    for limit in range(2, 2 * len(wanted) + 4, 2):
        more, summary = listed(model, file, limit=limit)
        found += more
        if len(found) < limit:
            break
    assert sorted(found) == sorted(wanted)
    assert len(set(found)) == len(lines_of(file)) == summary.solutions == len(wanted)
    assert summary.complete
    assert summary.confirmed_by.startswith("its certificate: ")  # one for all the parts
    assert milp_pips.verify(f"{file}.certificate").solutions == len(wanted)


def test_a_complete_list_is_proved_again(tmp_path):
    model, file = large(6), tmp_path / "list.jsonl"
    first, summary = listed(model, file)
    assert summary.complete
    again, summary = listed(model, file)
    assert (again, summary.complete, summary.solutions) == ([], True, len(first))
    assert summary.confirmed_by.startswith("its certificate: ")


def test_near_optimal_solutions_are_written_at_the_end_the_best_first(tmp_path):
    file = tmp_path / "list.jsonl"
    summary = listed(large(6), file, within=3)[1]
    values = [line["objective"] for line in lines_of(file)]
    assert values == sorted(values)
    assert summary.complete


def test_a_killed_list_resumes(tmp_path):
    model, file, path = large(11), tmp_path / "list.jsonl", tmp_path / "large.mps"
    path.write_text(model.to_mps())
    command = [
        sys.executable,
        "-m",
        "milp_pips",
        "enumerate",
        path,
        "--method",
        "tree",
        "--out",
        file,
        "--json",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    for _ in range(100):  # the pipe is full long before the list ends
        process.stdout.readline()
    process.kill()
    process.communicate()
    before = file.read_bytes().count(b"\n")
    _, summary = listed(milp_pips.read(path), file)
    expected = milp_pips.count(model).counts["assignment"]
    assert summary.solutions == expected
    assert len({json.dumps(line["values"]) for line in lines_of(file)}) == expected
    assert 100 <= before < expected


def test_what_does_not_fit_the_file_is_refused(tmp_path):
    model, file = large(6), tmp_path / "list.jsonl"
    listed(model, file, limit=5)
    with pytest.raises(UsageError, match="another enumeration: distance was 'any', is"):
        listed(model, file, within=1)
    with pytest.raises(UsageError, match="belongs to another enumeration: problem was"):
        listed(large(7), file)
    lines = file.read_text().splitlines(keepends=True)
    for line, fault in (
        (lines[1], r"list.jsonl:5: a solution for the second time, or without a chosen column"),
        (
            lines[1].replace('"x0": 0', '"x0": 2').replace('"x0": 1', '"x0": 2'),
            "no solution of large: the bounds of x0 are missed",
        ),
        ('{"values": {"x0": 1}}\n', r"list.jsonl:5: a solution for the second time, or without a chosen"),
    ):
        file.write_text("".join([*lines[:4], line]))
        with pytest.raises(InputError, match=fault):
            listed(model, file)
