"""Verbs over many puzzles on a cluster: the output is the same as without a cluster."""

from __future__ import annotations

import argparse
import logging
import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import psutil
import pytest
from waiting import WAIT_LIMIT, act_when, interrupt_when

from milp_pips.cli import Task, main
from milp_pips.cli.loops import results_in_order
from milp_pips.engines import versions
from milp_pips.engines.registry import available
from milp_pips.problem.errors import EngineFault
from milp_pips.runtime.writing import temporary_files_in_one_folder

distributed = pytest.importorskip("distributed")

EXAMPLES = Path(__file__).parents[2] / "examples"
VARYING = re.compile(
    r'"seconds": (?:\{[^}]*\}|[-0-9.e]+)|[0-9]+\.[0-9]{3} s\b|"confirmed_by": "[^"]+"|confirmed by [^\n;]+'
)
"""Times, and who confirms an answer first, which depends on them."""


@pytest.fixture(scope="module")
def there(tmp_path_factory):
    """Two workers, as on another machine, with cores to lock; their scheduler is in this process."""
    quiet = {"dashboard_address": "127.0.0.1:0", "silence_logs": logging.CRITICAL}
    with pytest.MonkeyPatch.context() as patch, temporary_files_in_one_folder():
        patch.setenv("TMPDIR", str(tmp_path_factory.mktemp("there")))
        with distributed.LocalCluster(2, threads_per_worker=1, resources={"core": 1}, **quiet) as started:
            yield started


@pytest.fixture
def folder(tmp_path):
    """Puzzles of three families, one without a solution, and files that hold none."""
    texts = {
        "1.txt": (EXAMPLES / "pips" / "easy.txt").read_text(encoding="utf-8"),
        "2.txt": "no puzzle\n",
        "3.txt": (EXAMPLES / "pips" / "impossible.txt").read_text(encoding="utf-8"),
        "4.json": (EXAMPLES / "pips" / "three_levels.json").read_text(encoding="utf-8"),
        "5.txt": "sudoku\n.2..\n....\n..1.\n3.2.\n",
        "6.json": "{",
        "7.txt": (EXAMPLES / "pips" / "several.txt").read_text(encoding="utf-8"),
    }
    puzzles = tmp_path / "puzzles"
    puzzles.mkdir()
    for name, text in texts.items():
        (puzzles / name).write_text(text, encoding="utf-8")
    return puzzles


def finished(there):
    """Return how many calls have been made on the cluster, and what came of them fetched."""
    return sum(
        key.startswith("call-")
        for key, _, end, *_ in there.scheduler.transition_log.copy()
        if end == "forgotten"
    )


@pytest.mark.parametrize(
    "words",
    [
        ["solve"],
        ["solve", "--json", "--unique"],
        ["solve", "--solver", "sat"],
        ["count", "--cells"],
        ["count", "--json"],
        ["rate", "--level", "easy"],
        ["rate", "--json", "--level", "easy"],
        ["solve", "--solver", "magic"],
        ["count", "--distinct", "magic"],
    ],
    ids=" ".join,
)
def test_the_output_is_the_same_byte_by_byte(words, folder, there, capsys):
    verb, *more = words
    command = [verb, str(folder), str(folder / "none"), *more]
    status, alone = main(command), capsys.readouterr()
    assert main([*command, "--scheduler", there.scheduler_address]) == status
    spread = capsys.readouterr()
    assert VARYING.sub("", spread.out) == VARYING.sub("", alone.out)
    if "magic" not in more:
        assert spread.out.count("\n") > 6 or "--level" in more
        assert VARYING.sub("", spread.err) == VARYING.sub("", alone.err)
        assert "2.txt:1: this is no puzzle: it looks like" in spread.err
    else:
        assert spread.err.splitlines()[-1] == alone.err.splitlines()[-1]


def test_pictures_and_solutions_are_written_here(folder, there, tmp_path, capsys):
    written = []
    for name, more in {"alone": [], "spread": ["--scheduler", there.scheduler_address]}.items():
        out = tmp_path / name
        main(
            ["solve", str(folder), "--output", str(out / "solutions"), "--svg", str(out / "pictures"), *more]
        )
        written.append({p.relative_to(out): p.read_bytes() for p in out.rglob("*") if p.is_file()})
    assert len(written[0]) == 12
    assert written[0] == written[1]


WISHES = {
    "pips": ["--unique", "--dominoes", "9", "--count", "6"],
    "graded": ["--grade", "easy", "--count", "3", "--json"],
    "sudoku": ["--family", "sudoku", "--size", "4", "--count", "3"],
    "impossible": ["--dominoes", "1", "--solutions", "9", "--count", "2"],
}


@pytest.mark.parametrize("wish", WISHES)
def test_the_same_seed_makes_the_same_puzzles(wish, there, capsys):
    command = ["generate", "--seed", "7", *WISHES[wish]]
    status, alone = main(command), capsys.readouterr()
    assert status == (2 if wish == "impossible" else 0)
    assert main([*command, "--scheduler", there.scheduler_address]) == status
    assert capsys.readouterr() == alone


def test_a_file_that_generate_names_is_read_here(there, tmp_path, capsys):
    assert main(["generate", "--dominoes", "5", "--out", str(tmp_path)]) == 0
    board = tmp_path / "pips-0-001.txt"
    at = ["--scheduler", there.scheduler_address]
    capsys.readouterr()
    main(["generate", "--board", str(board), "--seed", "3"])
    alone = capsys.readouterr()
    assert main(["generate", "--board", str(board), "--seed", "3", *at]) == 0
    assert capsys.readouterr() == alone
    assert main(["generate", "--board", str(tmp_path / "none"), *at]) == 2


def test_what_a_killed_worker_was_at_is_repeated_and_told_once(there, capsys):
    command = ["generate", "--unique", "--seed", "2", "--count", "12"]
    assert main(command) == 0
    alone = capsys.readouterr()
    before, done = {nanny.pid for nanny in there.workers.values()}, finished(there)
    act_when(lambda: finished(there) > done, lambda: [psutil.Process(pid).kill() for pid in before])
    assert main([*command, "--scheduler", there.scheduler_address]) == 0
    assert capsys.readouterr() == alone
    assert before.isdisjoint({nanny.pid for nanny in there.workers.values()})


def test_ctrl_c_ends_it_and_what_has_come_is_told(folder, there, capsys):
    (folder / "1-endless.txt").write_text("sudoku\n" + 9 * ".........\n", encoding="utf-8")
    done = finished(there)
    with interrupt_when(lambda: finished(there) == done + 7):
        assert main(["count", str(folder), "--scheduler", there.scheduler_address]) == 130
    told = [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()]
    assert len(told) == 7
    wait_for_idle_workers(there)


def at_work(there, kind):
    """Return what workers are at, of some kind."""
    with_tasks = list(there.scheduler.workers.values())
    return [
        task.key for worker in with_tasks for task in list(worker.processing) if task.key.startswith(kind)
    ]


def wait_for_idle_workers(there):
    begun = time.monotonic()
    while at_work(there, ""):
        assert time.monotonic() - begun < WAIT_LIMIT, "a worker still runs a job whose result is not awaited"
        time.sleep(0.05)


def answer(number, *, deadline):
    return number


def end_its_process(*, deadline):
    os.kill(os.getpid(), signal.SIGKILL)


def end_the_worker(*, deadline):
    os.kill(os.getppid(), signal.SIGKILL)


def return_what_cannot_be_pickled(*, deadline):
    return lambda: None


def outcomes_of(tasks, there):
    arguments = argparse.Namespace(scheduler=there.scheduler_address, workers=None, trust=False)
    return [getattr(made, "result", made) for made in results_in_order(tasks, arguments)]


def test_what_is_faulty_costs_itself_alone(there, monkeypatch):
    monkeypatch.setattr(there.scheduler, "allowed_failures", 0)  # else it takes four workers, twice
    known = EngineFault("known before")
    works = [
        *(end_its_process, lambda *, deadline: None, return_what_cannot_be_pickled, partial(answer, 8)),
        end_the_worker,
    ]
    tasks = [Task(f"task {n}", work) for n, work in enumerate(works)]
    dead, unsent, unreturned, passed, found = outcomes_of([*tasks[:3], known, tasks[3]], there)
    (lost,) = outcomes_of(tasks[4:], there)
    assert str(dead) == "task 0: the engine's process was killed by SIGKILL"
    assert str(lost) == "task 4: every worker that started it was lost"
    assert str(unsent).startswith("a call cannot be sent to a worker: ")
    assert str(unreturned).startswith("a result cannot be sent back from a worker: ")
    assert (passed, found) == (known, 8)


def test_other_versions_are_told_or_refused(there, monkeypatch, capsys):
    command = ["solve", str(EXAMPLES / "pips" / "easy.txt"), "--scheduler", there.scheduler_address]
    monkeypatch.setattr(type(available("highs")), "version", lambda _: "0.9")
    assert main(command) == 0
    assert re.match(r"milp-pips: warning: .* has highs 1\..*, this machine 0.9\n$", capsys.readouterr().err)
    monkeypatch.setattr(versions, "VERSION", "0.0.9")
    assert main(command) == 2
    assert re.match(r"milp-pips: .* has milp_pips 1\.0.*, this machine 0\.0\.9\n$", capsys.readouterr().err)


def test_ctrl_c_at_the_terminal_ends_workers_of_its_own(folder):
    (folder / "2-endless.txt").write_text("sudoku\n" + 9 * ".........\n", encoding="utf-8")
    command = [sys.executable, "-m", "milp_pips", "count", str(folder), "--scheduler", "local"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout.readline().startswith("1: 1 placement")
    descendants = psutil.Process(process.pid).children(recursive=True)
    assert descendants
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert not psutil.wait_procs(descendants, timeout=20)[1]
    assert "Traceback" not in err
