"""Programs and workers end with the process that started them, however it ends; so do their children."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import uuid
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from processes import child_processes, processes_with_variable
from web_server import has_ended, wait_until

import milp_pips
from milp_pips.puzzles.pips import text as pips_text

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found by Linux's /proc")

DOMINOES = {"clingo": 400, "minizinc": 400}
"""How many dominoes keep an engine busy for minutes, where it is not ``HARD``; fewer load sooner."""

HARD = 100


@pytest.fixture(scope="module")
def puzzle(tmp_path_factory):
    """Return a function that returns a file with a puzzle for an engine."""
    folder = tmp_path_factory.mktemp("puzzles")

    def write(engine: str) -> Path:
        dominoes = DOMINOES.get(engine, HARD)
        file = folder / f"{dominoes}.txt"
        if not file.exists():
            made = next(milp_pips.generate(dominoes=dominoes, seed=1, rules="SUM=5,EQ=1,none=1"))
            file.write_text(pips_text.write(made.puzzle), "utf-8")
        return file

    return write


@pytest.fixture
def start():
    """Start a command, and return it with what finds all processes that descend from it."""
    started = []

    def start(*words):
        mark = uuid.uuid4().hex
        process = subprocess.Popen(
            [sys.executable, "-m", "milp_pips", *map(str, words)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "LEFTOVER": mark},
        )  # fmt: skip
        started.append((process, mark))
        return process, lambda: processes_with_variable("LEFTOVER", mark)

    yield start
    for process, mark in started:
        process.kill()
        process.wait()
        for each in processes_with_variable("LEFTOVER", mark):
            each.kill()


def worked(processes) -> float:
    """Return the seconds of processor time that some processes have taken."""
    seconds = 0.0
    for each in processes:
        with suppress(psutil.Error):
            seconds += sum(each.cpu_times()[:2])
    return seconds


def at_work(pid: int, name: str):
    """Return the program of this name that a process has started, once it works."""
    wait_until(lambda: worked(named(pid, name)) > 0.1)
    return named(pid, name)


def named(pid: int, name: str) -> list[psutil.Process]:
    return [each for each in child_processes("", of=pid, recursive=True) if each.name() == name]


@pytest.mark.parametrize(
    ("engine", "words", "program"),
    [
        ("cbc", (), "cbc"),
        pytest.param("pulp", (), "cbc", marks=pytest.mark.long),
        pytest.param("minizinc", (), "fzn-gecode", marks=pytest.mark.long),
        pytest.param("scip", ("--isolate",), "", marks=pytest.mark.long),
    ],
)
def test_a_killed_command_leaves_nothing(start, puzzle, engine, words, program):
    if engine == "minizinc" and not shutil.which("minizinc"):
        pytest.skip("the program minizinc is not there")
    if engine == "scip":
        pytest.importorskip("pyscipopt")
    process, running = start("solve", puzzle(engine), "--solver", engine, *words)
    if program:
        at_work(process.pid, program)
    else:  # it holds Python's lock, so that no thread of its process hears of anything
        wait_until(lambda: worked(child_processes("runtime.worker", of=process.pid)) > 1.5)
    process.kill()
    wait_until(lambda: not running())


@pytest.mark.long
def test_a_killed_worker_leaves_no_program(start, puzzle):
    process, _ = start("solve", puzzle("cbc"), "--solver", "cbc", "--isolate")
    programs = at_work(process.pid, "cbc")
    for worker in child_processes("runtime.worker", of=process.pid):
        worker.kill()
    wait_until(lambda: all(map(has_ended, programs)))
    assert process.wait(30) == 70
