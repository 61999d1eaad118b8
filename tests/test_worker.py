"""One engine, one process: limits, crashes, and engines that do not get along."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest
from liars import LIARS

from milp_pips import plugins
from milp_pips.answer import Proof, Settings, Stop
from milp_pips.engines import ask
from milp_pips.errors import UsageError
from milp_pips.testing import board, large
from milp_pips.watch import Watch
from milp_pips.worker import ask_in_worker

SMALL = board(1, 2, [(0, 1)], [])


@pytest.fixture
def liars(monkeypatch):
    for name, where in LIARS.items():
        monkeypatch.setitem(plugins.SOLVERS, name, where)


def test_the_answer_is_the_same_as_in_this_process():
    here, there = (ask("highs", SMALL, Settings("implication"), Watch(), isolate=i) for i in (False, True))
    assert (here.point, here.proof, here.stop, here.size) == (
        there.point,
        there.proof,
        there.stop,
        there.size,
    )


def test_a_killed_worker_is_a_clear_answer(liars):
    answer = ask_in_worker("suicide", SMALL, Settings(), Watch())
    assert (answer.point, answer.proof, answer.stop) == (None, Proof.NONE, Stop.ERROR)
    assert answer.message == "the engine's process was killed by SIGKILL"


def test_kill_9_from_outside():
    def kill():
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    words = (entry / "cmdline").read_bytes().split(b"\0")
                    parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                except OSError:
                    continue
                if b"milp_pips.worker" in words and parent == os.getpid():
                    os.kill(int(entry.name), signal.SIGKILL)

    if not Path("/proc/self/cmdline").exists():
        pytest.skip("there is no /proc here to find the worker in")
    threading.Timer(0.5, kill).start()
    answer = ask_in_worker("highs", large(), Settings(), Watch(60))
    assert (answer.stop, answer.message) == (Stop.ERROR, "the engine's process was killed by SIGKILL")


def test_a_crash_has_last_words(liars):
    answer = ask_in_worker("crasher", SMALL, Settings(), Watch())
    assert answer.stop is Stop.ERROR
    assert answer.message == "the engine's process ended with 1: RuntimeError: these are my last words"


def test_an_engine_that_prints_does_not_disturb(liars):
    assert ask_in_worker("chatterbox", SMALL, Settings(), Watch()).point == (0, 1, 1, 0)


def test_an_engine_that_ignores_the_deadline_is_killed(liars):
    begun = time.monotonic()
    answer = ask_in_worker("deaf", SMALL, Settings(), Watch(0.3))
    assert (answer.point, answer.stop, answer.message) == (None, Stop.TIME, "")
    assert time.monotonic() - begun < 30  # it would sleep for minutes


def test_interrupted_though_deaf(liars):
    watch = Watch()
    threading.Timer(0.3, watch.interrupt).start()
    assert ask_in_worker("deaf", SMALL, Settings(), watch).stop is Stop.INTERRUPTED


def test_a_memory_limit():
    if not Path("/proc/self/statm").exists():
        pytest.skip("memory limits need /proc")
    answer = ask("highs", large(), Settings(), Watch(60), memory=30 * 2**20)
    assert (answer.point, answer.stop) == (None, Stop.MEMORY)


def test_usage_errors_come_through():
    with pytest.raises(UsageError, match="unknown formulation 'magic'"):
        ask("highs", SMALL, Settings("magic"), Watch(), isolate=True)


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
    for words in ("[]", "['--isolate']"):
        done = subprocess.run(
            [sys.executable, "-c", code % words],
            cwd=Path(__file__).parent.parent,
            env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        assert "notebook: solved by highs" in done.stdout
