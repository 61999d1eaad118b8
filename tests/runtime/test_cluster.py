"""Campaigns on a cluster: every run counts once although processes die."""

from __future__ import annotations

import logging
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pytest
from processes import child_processes
from thoroughness import few_or_many

from milp_pips.cli import main
from milp_pips.extras.bench.store import Store
from milp_pips.problem.errors import InputError
from milp_pips.runtime import cluster as spreading
from milp_pips.runtime.writing import FOLDER_PREFIX

distributed = pytest.importorskip("distributed")

EXAMPLES = Path(__file__).parents[2] / "examples" / "pips"
EASY, SEVERAL = str(EXAMPLES / "easy.txt"), str(EXAMPLES / "several.txt")


@pytest.fixture
def out(tmp_path):
    return str(tmp_path / "results.sqlite")


@pytest.fixture
def temporary(tmp_path):
    (tmp_path / "temporary").mkdir()
    return tmp_path / "temporary"


@pytest.fixture
def start(temporary, out):
    """Start comparisons on two workers in a process of their own, with cores of their own to lock."""
    begun = []

    def start(*words):
        cores = len(os.sched_getaffinity(0))
        command = [sys.executable, "-m", "milp_pips", "compare", *words, "--out", out]
        process = subprocess.Popen(
            [*command, "--scheduler", "local", "--workers", str(min(2, cores))],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "TMPDIR": str(temporary)},
        )
        begun.append(process)
        return process

    yield start
    for process in begun:
        if process.poll() is None:
            process.kill()
            process.communicate()


def made(out):
    """Return the runs in the file, none before there is one."""
    try:
        with Store(out) as store:
            return store.runs()
    except InputError:
        return ()


def wait_for_runs(out, count):
    for _ in range(4000):
        runs = made(out)
        if len(runs) >= count:
            return runs
        time.sleep(0.05)
    raise AssertionError(f"{len(made(out))} runs after minutes, not {count}")


def a_worker_of(process):
    """Return the process of a worker, as soon as there is one; the client has started each."""
    for _ in range(4000):
        found = child_processes("runtime.worker", of=process.pid)
        if found:
            return random.choice(found)
        time.sleep(0.05)
    raise AssertionError("no worker for minutes")


def test_every_run_is_recorded_once_if_processes_are_killed(out, start, temporary):
    words = (EASY, SEVERAL, "--run", "brute", "--measured-by", "psutil", "--repeats")
    process = start(*words, "500")
    kills = few_or_many(2, 5)
    for killed in range(kills):
        wait_for_runs(out, killed + 1)
        a_worker_of(process).kill()
    wait_for_runs(out, kills + 2)
    descendants = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=20)
    _, alive = psutil.wait_procs(descendants, timeout=20)
    assert not alive
    kept = made(out)
    repeats = len(kept) // 2 + 2  # some runs are left to be made, however many there are
    process = start(*words, str(repeats))
    text, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    count = 2 * repeats
    assert f"{count} of {count} runs: 2 puzzles × 1 configuration × 1 seed × {repeats} repeats" in text
    runs = made(out)
    assert runs[: len(kept)] == kept  # nothing is lost, and nothing written anew
    assert len({run.key for run in runs}) == len(runs) >= count
    assert {run.status for run in runs} == {"solved"}
    with Store(out) as store:
        first, second = store.sessions()
    assert first.host == second.host == socket.gethostname()
    assert {run.session for run in runs} == {1, 2}
    (left,) = temporary.iterdir()  # by the killed client; the one that ended has left nothing
    assert left.name.startswith(FOLDER_PREFIX)


def test_ctrl_c_ends_it_at_once(out, start, temporary):
    process = start(EASY, SEVERAL, "--run", "brute", "--repeats", "500")
    wait_for_runs(out, 1)
    descendants = psutil.Process(process.pid).children(recursive=True)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    text, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert f"{len(made(out))} of 1000 runs" in text
    assert [line for line in err.splitlines() if "warning: " not in line] == []
    assert not psutil.wait_procs(descendants, timeout=20)[1]
    assert list(temporary.iterdir()) == []


def test_workers_of_a_scheduler_elsewhere(out, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    quiet = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "silence_logs": logging.CRITICAL}
    words = ["compare", EASY, SEVERAL, "--run", "brute", "--out", out, "--scheduler"]
    with distributed.LocalCluster(1, resources={"core": 1}, **quiet) as there:
        assert main([*words, there.scheduler_address]) == 0
        assert "2 of 2 runs" in capsys.readouterr().out
    with distributed.LocalCluster(1, processes=False, **quiet) as there:
        assert main([*words, there.scheduler_address]) == 0  # nothing is left to be run
        assert main([*words, there.scheduler_address, "--repeats", "2"]) == 2
        assert "offers no core; start workers with --resources core=1" in capsys.readouterr().err
    assert [run.status for run in made(out)] == ["solved", "solved"]


@pytest.mark.parametrize(
    "words, message",
    [
        (["--workers", "2"], "--workers needs a cluster: name one, such as --scheduler local"),
        (["--scheduler", "local", "--workers", "9999"], "9999 workers need 9999 cores: there are "),
        (
            ["--run", "highs,threads=999", "--scheduler", "local", "--workers", "2"],
            "2 workers need 1998 cores: there are ",
        ),
        (["--scheduler", "tcp://127.0.0.1:9"], "no scheduler at tcp://127.0.0.1:9: "),
        (["--scheduler", "magic://x", "--trust"], "no scheduler at magic://x: "),
        (
            ["--scheduler", "tls://127.0.0.1:9"],
            "tls://127.0.0.1:9 needs certificates: name them in Dask's configuration",
        ),
    ],
)
def test_faults_are_one_line(words, message, out, capsys, monkeypatch):
    monkeypatch.setattr(spreading, "SCHEDULER_ANSWER_SECONDS", 0.5)
    assert main(["compare", EASY, "--run", "brute", "--out", out, *words]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"milp-pips: {message}")
    assert err.count("\n") == 1


@pytest.mark.parametrize("verb", [["compare", "--run", "brute", "--out", "x.sqlite"], ["solve"], ["count"]])
@pytest.mark.parametrize("address", ["tcp://192.0.2.1:8786", "head:8786", "magic://127.evil", ":8786"])
def test_a_scheduler_on_another_host_wants_tls_or_trust(verb, address, tmp_path, capsys, monkeypatch):
    """This machine unpickles the scheduler's results, so the scheduler could run any program."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(distributed, "Client", lambda *_, **__: pytest.fail("connected"))
    assert main([*verb, EASY, "--scheduler", address]) == 2
    assert capsys.readouterr().err == (
        f"milp-pips: {address} is on another host without TLS, and can run programs on this machine: use "
        "tls:// with certificates in Dask's configuration, or --trust on a network of your own\n"
    )


def test_workers_of_this_machine_listen_on_no_port():
    with spreading.open_workers("local", 1, 1, lambda *_: None):
        me = psutil.Process()
        sockets = [one for each in (me, *me.children(recursive=True)) for one in each.net_connections()]
    assert not [one for one in sockets if one.status == psutil.CONN_LISTEN]


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system binds no threads")
def test_a_core_belongs_to_one_worker(tmp_path):
    code = (
        "import os, sys\nfrom milp_pips.extras.bench import cluster\n"
        "cluster.FREE_CORE_WAIT_SECONDS = 0.5\n"
        "cluster.keep_to_own_cores(1)\nprint(*os.sched_getaffinity(0), flush=True)\nsys.stdin.read()"
    )
    cores = len(os.sched_getaffinity(0))
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    holders = [
        subprocess.Popen([sys.executable, "-c", code], text=True, env=env, **pipes) for _ in range(cores)
    ]
    taken = [holder.stdout.readline().split() for holder in holders]
    assert sorted(int(core) for (core,) in taken) == sorted(os.sched_getaffinity(0))
    late = subprocess.run([sys.executable, "-c", code], input="", text=True, env=env, capture_output=True)
    assert "has no core free for a worker" in late.stderr
    holders[0].kill()
    holders[0].communicate()
    again = subprocess.run([sys.executable, "-c", code], input="", text=True, env=env, capture_output=True)
    assert again.stdout.split() == taken[0]
    for holder in holders[1:]:
        holder.communicate("")


@pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity") or len(os.sched_getaffinity(0)) < 2, reason="there is one core"
)
def test_a_run_has_as_many_cores_as_threads(tmp_path):
    code = (
        "import os, threading\nfrom milp_pips.extras.bench import cluster\n"
        "def run(count):\n    cluster.keep_to_own_cores(count)\n    print(len(os.sched_getaffinity(0)))\n"
        "for count in (2, 1, 2):\n"  # each in a thread, as a worker makes them
        "    thread = threading.Thread(target=run, args=(count,))\n    thread.start()\n    thread.join()"
    )
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.stdout.split() == ["2", "1", "2"], done.stderr
