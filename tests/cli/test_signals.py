"""Ctrl-C and SIGTERM: their own exit status, no traceback, no files or processes left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from generated import random_puzzle
from processes import has_ended_soon
from thoroughness import few_or_many, mostly_long

import milp_pips
from milp_pips.engines import registry
from milp_pips.puzzles.family import family_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

EXAMPLES = Path(__file__).parents[2] / "examples" / "pips"


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Return the file of a board of 300 dominoes, which takes every verb long."""
    puzzle = random_puzzle(300, 1)
    path = tmp_path_factory.mktemp("large") / "large.txt"
    write = family_of(puzzle).formats()["text"].write
    path.write_text(write(puzzle))
    return path


def start(tmp_path, *words):
    """Start a command whose temporary files lie in a folder of their own."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    command = [sys.executable, "-m", "milp_pips", *map(str, words)]
    environment = {**os.environ, "TMPDIR": str(folder)}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment), folder


def wait_until(condition, process):
    deadline = time.monotonic() + 60
    while not condition() and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.05)  # a look at all processes takes some milliseconds


def end(process, number):
    """Send the signal and return what the command printed to standard error."""
    children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert all(has_ended_soon(child.pid) for child in children)
    return errors


WAYS = [
    ("enumerate", "--solver", "pulp"),
    ("enumerate", "--solver", "highs", "--jobs", "2"),
    ("enumerate", "--solver", "minizinc"),
    ("solve", "--solver", "highs", "--isolate"),
]


STATUS_OF = {signal.SIGINT: 130, signal.SIGTERM: 143}


def alternating(ways):
    """Return ways with signals, which take turns; everyone runs the second."""
    signals = list(STATUS_OF) * len(ways)
    pairs = [(way, signals[place]) for place, way in enumerate(ways)]
    pairs += [(way, signals[place + 1]) for place, way in enumerate(ways)]
    return mostly_long(1, [pairs[1], *pairs[:1], *pairs[2:]])


@pytest.mark.parametrize("words, number", alternating(WAYS))
def test_nothing_is_left_behind(words, number, large, tmp_path):
    reason = registry.solver(words[2]).unavailable()
    if reason:
        pytest.skip(reason)
    process, folder = start(tmp_path, words[0], large, *words[1:])
    wait_until(lambda: psutil.Process(process.pid).children(recursive=True), process)
    time.sleep(0.1)
    errors = end(process, number)
    assert process.returncode == STATUS_OF[number]
    assert "Traceback" not in errors
    assert list(folder.iterdir()) == []


@pytest.fixture(scope="module")
def dense(tmp_path_factory):
    """Return the file of a board on which all cells of every region are equal: no engine is soon done."""
    made = next(milp_pips.generate(style="plain", dominoes=80, seed=1, rules="EQ", region_sizes="4..7"))
    path = tmp_path_factory.mktemp("dense") / "dense.txt"
    path.write_text(family_of(made.puzzle).formats()["text"].write(made.puzzle))
    return path


@pytest.mark.long
@pytest.mark.parametrize("words, number", alternating([("solve",)]))
def test_nothing_is_left_behind_of_a_race(words, number, dense, tmp_path):
    """The default, once its rival has begun in a process of its own."""
    process, folder = start(tmp_path, *words, dense)
    wait_until(lambda: psutil.Process(process.pid).children(recursive=True), process)
    errors = end(process, number)
    assert process.returncode == STATUS_OF[number]
    assert "Traceback" not in errors
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "words", mostly_long(2, [(verb.split(),) for verb in ("solve", "generate", "count", "enumerate")])
)
def test_the_first_moments(words, tmp_path):
    """As soon as the package is loaded, whatever else is still being imported."""
    files = [] if words == ["generate"] else [str(EXAMPLES / "several.txt")]
    code = (
        "import os, signal, threading, sys\n"
        f"sys.argv = ['milp-pips', {words[0]!r}, *{files!r}]\n"
        "import milp_pips.__main__ as entry\n"
        "status = entry._status\n"
        "def begin():\n"  # before that, it is this code that would be interrupted
        "    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])\n"
        "    return status()\n"
        "entry._status = begin\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])\n"
        "threading.Timer({delay}, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "entry.run()\n"
    )
    for delay in few_or_many((0.03,), (0.01, 0.04, 0.12)):
        done = subprocess.run(
            [sys.executable, "-c", code.replace("{delay}", str(delay))],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode in (0, 130), done.stderr
        assert "Traceback" not in done.stderr


def test_ctrl_c_that_arrives_while_an_object_is_destroyed_is_not_lost():
    code = (
        "import os, signal, sys, time\n"
        "import milp_pips.cli, milp_pips.__main__ as entry\n"
        "class Destroyed:\n"
        "    def __del__(self):\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        time.sleep(0.1)\n"
        "def work():\n"
        "    Destroyed()\n"
        "    print('goes on', flush=True)\n"
        "    time.sleep(30)\n"
        "    return 0\n"
        "milp_pips.cli.main = work\n"
        "entry.run()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20)
    assert (done.returncode, done.stdout, done.stderr) == (130, "goes on\n", "")


@pytest.mark.parametrize("number, status", [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_waits_until_the_import_lock_is_free(number, status):
    code = (
        "import _imp, os, signal, sys, time\n"
        "import milp_pips.cli, milp_pips.__main__ as entry\n"
        "def work():\n"
        "    _imp.acquire_lock()\n"
        f"    os.kill(os.getpid(), signal.{number})\n"
        "    time.sleep(0.1)\n"
        "    print('goes on', flush=True)\n"
        "    _imp.release_lock()\n"
        "    time.sleep(30)\n"
        "    return 0\n"
        "milp_pips.cli.main = work\n"
        "entry.run()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=20)
    assert (done.returncode, done.stdout, done.stderr) == (status, "goes on\n", "")


def test_a_signal_as_a_temporary_folder_is_made_leaves_nothing(tmp_path):
    code = (
        "import os, signal, sys, time\n"
        "import milp_pips.cli, milp_pips.__main__ as entry\n"
        "from milp_pips.runtime.writing import temporary_folder\n"
        "make = os.mkdir\n"
        "def make_and_be_interrupted(*arguments):\n"
        "    make(*arguments)\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    time.sleep(30)\n"
        "def work():\n"
        "    os.mkdir = make_and_be_interrupted\n"
        "    with temporary_folder():\n"
        "        return 0\n"
        "milp_pips.cli.main = work\n"
        "entry.run()\n"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=20
    )
    assert (done.returncode, done.stderr) == (143, "")
    assert list(tmp_path.iterdir()) == []
