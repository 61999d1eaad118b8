"""One engine, one process: limits, crashes, and engines that do not get along."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest
from faulty_solvers import FAULTY_SOLVERS
from processes import child_processes, has_ended_soon
from thoroughness import few_or_many
from waiting import act_when, expire

from milp_pips.engines import registry
from milp_pips.engines.registry import ask, ask_in_worker
from milp_pips.problem.answer import Proof, Settings, Stop
from milp_pips.problem.errors import UsageError
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.interruptible import run_program
from milp_pips.testing import board, large

SMALL = board(1, 2, [(0, 1)], [])


@pytest.fixture
def faulty_solvers(monkeypatch):
    for name, where in FAULTY_SOLVERS.items():
        monkeypatch.setitem(registry.SOLVERS, name, where)


def workers():
    """Return the workers of this process that run."""
    return child_processes("milp_pips.runtime.worker")


@pytest.fixture
def deaf_at_work(faulty_solvers, tmp_path, monkeypatch):
    """Return a function that checks whether the deaf engine has begun."""
    note = tmp_path / "note"
    monkeypatch.setenv("NOTE", str(note))
    return note.exists


def test_the_answer_is_the_same_as_in_this_process():
    settings = Settings("implication")
    here, there = (ask("highs", SMALL, settings.changed(isolate=i), Deadline()) for i in (False, True))
    assert (here.point, here.proof, here.stop, here.size) == (
        there.point,
        there.proof,
        there.stop,
        there.size,
    )


def test_a_killed_worker_is_a_clear_answer(faulty_solvers):
    answer = ask_in_worker("suicide", SMALL, Settings(), Deadline())
    assert (answer.point, answer.proof, answer.stop) == (None, Proof.NONE, Stop.ERROR)
    assert answer.message == "the engine's process was killed by SIGKILL"


def test_an_engine_that_ignores_the_deadline_is_killed(deaf_at_work):
    deadline = Deadline()
    act_when(deaf_at_work, lambda: expire(deadline))
    answer = ask_in_worker("deaf", SMALL, Settings(), deadline)
    assert (answer.point, answer.stop, answer.message) == (None, Stop.TIME, "")
    assert not workers()


def test_interrupted_though_the_engine_hears_it_first(deaf_at_work):
    deadline = Deadline()
    act_when(deaf_at_work, deadline.interrupt)
    answer = ask_in_worker("eared", SMALL, Settings(), deadline)
    assert (answer.proof, answer.stop) == (Proof.NONE, Stop.INTERRUPTED)


def test_a_memory_limit():
    answer = ask("highs", large(), Settings(memory=30 * 2**20), Deadline(60))
    assert (answer.point, answer.stop) == (None, Stop.MEMORY)


def test_usage_errors_come_through():
    with pytest.raises(UsageError, match="unknown formulation 'magic'"):
        ask("highs", SMALL, Settings("magic", isolate=True), Deadline())


def test_what_a_program_has_started_ends_with_it_wherever_it_moved(tmp_path):
    """One starts another in a session of its own, and a third that its end makes an orphan."""
    child = "import os, time; os.set{}; open({!r}, 'w').close(); time.sleep(300)"
    notes = {"sid()": str(tmp_path / "session"), "pgid(0, 0)": str(tmp_path / "group")}
    alone, orphan = ([sys.executable, "-c", child.format(move, note)] for move, note in notes.items())
    leaver = [sys.executable, "-c", f"import subprocess; subprocess.Popen({orphan!r})"]
    starter = (
        f"import subprocess, time; subprocess.Popen({alone!r}); subprocess.run({leaver!r}); time.sleep(300)"
    )
    deadline = Deadline()
    started = []

    def begun():
        if all(map(os.path.exists, notes.values())):
            started.extend(
                p for p in psutil.process_iter(["cmdline"]) if p.info["cmdline"] in (alone, orphan)
            )
        return started

    act_when(begun, deadline.interrupt)
    assert run_program([sys.executable, "-c", starter], deadline).stop is Stop.INTERRUPTED
    assert len(started) == 2
    assert all(has_ended_soon(each.pid) for each in started)


def test_nothing_survives_that_is_started_while_it_is_killed(tmp_path):
    starter = textwrap.dedent(
        f"""
        import os, time
        while True:
            if not os.fork():
                os.setsid()
                while True:
                    open({str(tmp_path / "alive")!r}, "w").close()
                    time.sleep(0.1)
            time.sleep(0.002)
        """
    )
    deadline = Deadline(200)
    act_when((tmp_path / "alive").exists, lambda: expire(deadline))
    assert run_program([sys.executable, "-c", starter], deadline).stop is Stop.TIME
    (tmp_path / "alive").unlink()
    time.sleep(1)
    assert not (tmp_path / "alive").exists()


def test_another_engine_in_this_process_makes_a_worker(tmp_path):
    """A stand-in for an OR-Tools that cannot share a process: with it loaded, importing highspy is fatal."""
    (tmp_path / "ortools.py").write_text("")
    (tmp_path / "highspy").mkdir()
    real = tmp_path / "highspy" / "__init__.py"
    real.write_text(
        textwrap.dedent(
            """
            import os, sys, importlib
            if "ortools" in sys.modules:
                os.abort()
            here = os.path.dirname(os.path.dirname(__file__))
            sys.path[:] = [p for p in sys.path if p != here]
            del sys.modules["highspy"]
            sys.modules["highspy"] = importlib.import_module("highspy")
            """
        )
    )
    code = (
        "import ortools\n"
        "from milp_pips.cli import main\n"
        "raise SystemExit(main(['solve', 'examples/pips/notebook.txt', '--solver', 'highs', *%s]))"
    )
    for words in few_or_many(("[]",), ("[]", "['--isolate']")):
        done = subprocess.run(
            [sys.executable, "-c", code % words],
            cwd=Path(__file__).parents[2],
            env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        assert "notebook: solved by highs" in done.stdout


def test_a_program_waits_at_its_end_for_the_call_that_it_has_abandoned():
    """A thread that returns from a library while Python shuts down ends the process with an error."""
    program = (
        "import time\n"
        "from milp_pips.problem.stopping import Deadline\n"
        "from milp_pips.runtime.interruptible import call_interruptibly\n"
        "def work():\n    time.sleep(1.0)\n    print('ended', flush=True)\n"
        "print(call_interruptibly(work, Deadline(0.05), lambda: None), flush=True)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout.split(), run.stderr) == (0, ["False", "ended"], "")
