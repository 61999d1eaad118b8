"""The MiniZinc plugin: what it asks of the program, what it reads, how it stops."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import tempfile
import time
from pathlib import Path

import psutil
import pytest
from generated import random_puzzle
from waiting import act_when, expire

import milp_pips
from milp_pips.constraints import LinearSum, Relation
from milp_pips.engines.minizinc import MiniZincRun, MiniZincSolver
from milp_pips.engines.registry import available
from milp_pips.problem.answer import Proof, Settings, Stop
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.problem import Problem, Variable
from milp_pips.problem.stopping import Deadline

needs_minizinc = pytest.mark.skipif(
    bool(MiniZincSolver().unavailable()), reason=MiniZincSolver().unavailable() or "it is here"
)


def twos(total):
    """A sum of forty variables that are 0 or 2: an odd total is impossible, but no propagation sees it."""
    variables = tuple(Variable(f"x{i}", (0, 2)) for i in range(40))
    return Problem(variables, (LinearSum(tuple(range(40)), Relation.EQ, total, "total"),), {})


ENDLESS, MANY = twos(41), twos(40)


def every_point(problem, deadline=None):
    search = all_points(problem, deadline=deadline)
    return list(search.points()), search


def all_points(problem, variant="", deadline=None, **settings):
    return MiniZincRun(variant, problem, Settings(**settings), deadline or Deadline(), every=True)


def ask(problem, deadline=None, variant="", **settings):
    return MiniZincSolver(variant).solve(problem, Settings(**settings), deadline or Deadline())


def runs(program):
    """Return whether a program of such a name runs that was started here."""
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if program in child.name():
                return True
    return False


# Limits


@pytest.mark.long
@needs_minizinc
@pytest.mark.parametrize(
    "stated, program",
    [(lambda: milp_pips.state(random_puzzle(150, 1)), "minizinc"), (lambda: ENDLESS, "gecode")],
    ids=["build", "search"],
)
def test_time_limit(stated, program, left_over):
    problem, deadline = stated(), Deadline(300)
    act_when(lambda: runs(program), lambda: expire(deadline))
    answer = ask(problem, deadline)
    assert (answer.point, answer.proof, answer.stop) == (None, Proof.NONE, Stop.TIME)
    assert left_over() == []


def test_points_that_the_engine_cannot_list_are_a_fault(program):
    program(printing(POINT, "Error: too large", 1))
    points = MiniZincSolver().points(ONE, "", Settings(), Deadline())
    assert next(points) == (3,)
    with pytest.raises(EngineFault, match="minizinc failed: MiniZinc reports: Error: too large"):
        next(points)


@pytest.mark.long
@needs_minizinc
def test_all_points_within_a_time_limit(left_over):
    deadline = Deadline(300)
    search = all_points(MANY, deadline=deadline)
    points = []
    for point in search.points():
        points.append(point)
        if len(points) == 10:
            expire(deadline)
    assert len(set(points)) == len(points) >= 10
    assert (search.proof, search.stop) == (Proof.NONE, Stop.TIME)
    assert left_over() == []


@pytest.fixture
def left_over(tmp_path, monkeypatch):
    """Say what is left of runs whose temporary files go to a folder of the test: processes and files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    mark = f"TMPDIR={folder}".encode()

    def look():
        found = [path.name for path in folder.iterdir()]
        for environment in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if mark in environment.read_bytes():
                    found.append((environment.parent / "cmdline").read_text())
        return found

    def look_until_nothing_is_left():
        for _ in range(1200):  # what has been killed takes a moment to die
            if not look():
                break
            time.sleep(0.05)
        return look()

    return look_until_nothing_is_left


# What is asked of the program


@needs_minizinc
def test_a_variant_is_any_solver_that_minizinc_knows():
    answer = ask(MANY, variant="org.gecode.gecode", seed=3, threads=2)
    assert MANY.violated(answer.point) is None
    assert MiniZincSolver("gecode").name == "minizinc:gecode"


@needs_minizinc
def test_an_unknown_variant():
    with pytest.raises(UsageError) as error:
        ask(MANY, variant="nonsense")
    assert re.fullmatch(
        r"MiniZinc knows no solver 'nonsense'; it knows: .*org\.gecode\.gecode.*", str(error.value)
    )


@pytest.mark.long
@needs_minizinc
def test_options_are_flags():
    assert ask(ENDLESS, options={"fail": "5"}).stop is Stop.COUNT
    assert ask(MANY, options={"two-pass": "", "p": "1"}).point is not None
    with pytest.raises(UsageError, match=r"MiniZinc: Unrecognized option .*--magic"):
        ask(MANY, options={"magic": "1"})


@needs_minizinc
def test_all_points_after_a_limit_of_the_solvers_own_are_not_called_complete():
    search = all_points(MANY, options={"node": "60"})
    assert list(search.points())
    assert (search.proof, search.stop) == (Proof.NONE, Stop.COUNT)


def test_without_the_program(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert MiniZincSolver().unavailable() == (
        "the program minizinc is not on the PATH: apt-get install minizinc"
    )
    assert MiniZincSolver().version() == ""
    with pytest.raises(UsageError, match="minizinc cannot run here: the program minizinc is not on the PATH"):
        available("minizinc")


# What the program may say: a script in its place

ONE = Problem((Variable("x1", (3, 4)),), (), {})
POINT = '{\n  "x1" : 3\n}\n----------\n'


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Put a shell script in the place of MiniZinc; it keeps its arguments in a file, and the model beside it."""  # noqa: E501

    def put(script):
        path = tmp_path / "minizinc"
        keep = f'echo "$@" > {tmp_path}/arguments; cp model.mzn {tmp_path} 2> /dev/null'
        path.write_text(f"#!/bin/sh\n{keep}\n{script}", encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        assert shutil.which("minizinc") == str(path)
        return tmp_path / "arguments"

    return put


def printing(output, errors="", status=0):
    return f"cat <<'END'\n{output}\nEND\ncat >&2 <<'END'\n{errors}\nEND\nexit {status}\n"


@pytest.mark.parametrize(
    "output, errors, status, expected",
    [
        (POINT, "", 0, ((3,), Proof.FEASIBLE, Stop.FINISHED, "")),
        (POINT, "Error: too late", 1, ((3,), Proof.FEASIBLE, Stop.FINISHED, "")),
        ("=====UNSATISFIABLE=====", "", 0, (None, Proof.INFEASIBLE, Stop.FINISHED, "")),
        ("=====UNKNOWN=====", "", 0, (None, Proof.NONE, Stop.COUNT, "")),
        ("=====ERROR=====", "", 0, (None, Proof.NONE, Stop.ERROR, "MiniZinc reports: =====ERROR=====")),
        (
            "",
            "Warning: old file\n\nError: type error: undefined identifier `x'\nmodel.mzn:1.2",
            1,
            (None, Proof.NONE, Stop.ERROR, "MiniZinc reports: Error: type error: undefined identifier `x'"),
        ),
        ("", "", 4, (None, Proof.NONE, Stop.ERROR, "MiniZinc reports: nothing, exit status 4")),
        ('{\n  "x1" : 3', "", 1, (None, Proof.NONE, Stop.ERROR, "MiniZinc reports: nothing, exit status 1")),
        (
            "x1 = 3;\n----------",
            "",
            0,
            (None, Proof.NONE, Stop.ERROR, "not a solution of the model: x1 = 3;"),
        ),
        (
            '{"x2": 3}\n----------',
            "",
            0,
            (None, Proof.NONE, Stop.ERROR, 'not a solution of the model: {"x2": 3}'),
        ),
    ],
)
def test_what_minizinc_says(program, output, errors, status, expected):
    program(printing(output, errors, status))
    answer = ask(ONE)
    assert (answer.point, answer.proof, answer.stop, answer.message) == expected


def test_the_arguments(program):
    arguments = program(printing(POINT))
    ask(ONE)
    words = "--solver gecode --output-mode json --statistics"
    assert arguments.read_text() == f"{words} -r 0 model.mzn\n"
    ask(ONE, Deadline(5), seed=7, threads=2)
    written = re.fullmatch(rf"{words} -r 7 -p 2 --time-limit (\d+) model.mzn\n", arguments.read_text())
    assert 4000 < int(written[1]) <= 5002
    every_point(ONE)
    assert arguments.read_text() == f"{words} -a -r 0 model.mzn\n"


def test_a_variant_gets_only_the_flags_it_has(program):
    known = '[{"id": "org.somewhere.swift", "name": "Swift", "stdFlags": ["-p"], "extraFlags": [["-speed"]]}]'
    arguments = program(f"if [ $1 = --solvers-json ]; then echo '{known}'; exit; fi\n{printing(POINT)}")
    ask(ONE, variant="swift", seed=7, threads=2, options={"speed": "9", "f": "", "other": "1"})
    assert arguments.read_text() == (
        "--solver swift --output-mode json --statistics -p 2 -speed 9 -f --other 1 model.mzn\n"
    )
    with pytest.raises(UsageError, match="minizinc:swift cannot list all solutions"):
        all_points(ONE, "swift")
