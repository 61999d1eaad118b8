"""Campaigns on a cluster: every run counts once although processes die, and unlike machines are refused."""

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
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from processes import child_processes
from thoroughness import few_or_many

from milp_pips.cli import main
from milp_pips.extras.bench import cluster
from milp_pips.extras.bench.campaign import Campaign, configurations, instances
from milp_pips.extras.bench.measurement import CoreLoad
from milp_pips.extras.bench.store import Store
from milp_pips.problem.errors import InputError, UsageError
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime import cluster as spreading
from milp_pips.runtime.executor import Outcome
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
            [*command, "--scheduler", "local", "--workers", str(min(2, cores)), "--uneven"],
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
    assert 0 < first.reference_seconds < 10
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


@pytest.fixture
def one_worker(out, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("TMPDIR", str(tmp_path))

    def compare(*words):
        where = ("--scheduler", "local", "--workers", "1", "--out", out)
        return main(["compare", EASY, "--run", "brute", *where, *words]), capsys.readouterr().err

    return compare


def test_machines_that_do_not_compare_are_refused(one_worker, out, monkeypatch):
    monkeypatch.setattr(cluster, "REPORTED_SLOWDOWN", 0.1)
    monkeypatch.setattr(cluster, "REFUSED_SLOWDOWN", 0.1)
    status, err = one_worker()
    assert status == 2
    assert f"milp-pips: the cores of {socket.gethostname()} disturb one another: the reference" in err
    assert err.endswith("times do not compare (--uneven goes on nevertheless)\n")
    assert made(out) == ()


def finished(value):
    future = Future()
    future.set_result(Outcome(value))
    return future


@pytest.fixture
def idle(monkeypatch):
    """Let no other program take a core, whatever runs beside the tests."""
    monkeypatch.setattr(cluster, "core_load", lambda: CoreLoad(0.0, 2))


class Machine:
    """Stands for the workers of a machine: the next numbers of ``seconds`` are what the reference takes."""

    def __init__(self, *seconds):
        self.seconds = iter(seconds)

    def submit_to_each(self, call, arguments, addresses):
        if call is cluster.reference_on_worker:
            return {one: finished(("host", next(self.seconds))) for one in addresses}
        value = call(*arguments, Deadline())
        return {one: finished(replace(value, host="host") if call is SESSION else value) for one in addresses}


SESSION = cluster.session_on_worker
TWO = ["tcp://host:1", "tcp://host:2"]


@pytest.fixture
def hosts(out):
    told = []
    campaign = Campaign(instances([EASY]), configurations(["brute"]))
    with Store(out, new=True) as store:
        yield cluster.Hosts(cluster.Cluster(report=told.append), campaign, store, ""), told


def test_a_machine_that_is_busy_with_something_else_is_not_blamed_on_its_cores(hosts, monkeypatch):
    monkeypatch.setattr(cluster, "core_load", lambda: CoreLoad(1.4, 2))
    with pytest.raises(UsageError) as refused:
        hosts[0].admit(Machine(), TWO)
    assert str(refused.value) == (
        "host: other programs take 1.4 of 2 cores; wait until they end, or use one worker; times do not "
        "compare (--uneven goes on nevertheless)"
    )
    hosts[0].admit(Machine(0.1, 0.1), TWO[:1])  # one worker may work beside them
    assert hosts[1] == [
        "warning: host: other programs take 1.4 of 2 cores: times will be longer than without them"
    ]


def test_a_measurement_that_is_twice_as_long_is_made_again(hosts, idle):
    once = [0.1, 0.1, 0.2, 0.2]  # each alone, then both at work
    hosts[0].admit(Machine(*once, *once, 0.1, 0.1, 0.101, 0.1), TWO)
    assert hosts[1] == []


@pytest.mark.parametrize("slowdown, refused", [(1.04, None), (1.06, False), (1.29, False), (1.31, True)])
def test_cores_that_slow_one_another_are_noted_and_refused_from_a_third_on(slowdown, refused, out, idle):
    """There are no real workers: the test states what they would measure."""

    class Measured:
        turns = 0

        def submit_to_each(self, call, arguments, addresses):
            return {one: finished(value) for one, value in self.found(call, arguments, addresses).items()}

        def found(self, call, arguments, addresses):
            if call is not cluster.reference_on_worker:
                return dict.fromkeys(addresses, call(*arguments, Deadline()))
            self.turns += 1
            alone = (0.1, 0.11)  # one is a little slower, which is no other machine
            return {
                address: ("host", alone[address[-1] == "2"] * (1 if self.turns < 3 else slowdown))
                for address in addresses
            }

    told = []
    campaign = Campaign(instances([EASY]), configurations(["brute"]))
    with Store(out, new=True) as store:
        hosts = cluster.Hosts(cluster.Cluster(report=told.append), campaign, store, "")
        if refused:
            with pytest.raises(UsageError, match=r"takes 1.31 times as long with all at work; wait until"):
                hosts.admit(Measured(), ["tcp://host:1", "tcp://host:2"])
            return
        hosts.admit(Measured(), ["tcp://host:1", "tcp://host:2"])
        (session,) = store.sessions()
    assert session.disturbance == pytest.approx(slowdown)
    assert len(told) == (refused is not None)


def test_machines_of_different_speed_are_refused(out, idle):
    class Measured:
        def submit_to_each(self, call, arguments, addresses):
            return {one: finished(value) for one, value in self.found(call, arguments, addresses).items()}

        def found(self, call, arguments, addresses):
            if call is cluster.reference_on_worker:
                return {one: (one, 0.1 if one == "tcp://a:1" else 0.106) for one in addresses}
            values = {one: call(*arguments, Deadline()) for one in addresses}
            return {
                one: replace(value, host=one) if call is SESSION else value for one, value in values.items()
            }

    campaign = Campaign(instances([EASY]), configurations(["brute"]))
    with Store(out, new=True) as store:
        hosts = cluster.Hosts(cluster.Cluster(), campaign, store, "")
        with pytest.raises(UsageError, match="machines or cores differ in speed: the reference puzzle takes"):
            hosts.admit(Measured(), ["tcp://a:1", "tcp://b:1"])


def test_machines_are_checked_while_they_work(one_worker, out, monkeypatch):
    monkeypatch.setattr(cluster, "REFUSED_SLOWDOWN", 1 + 1e-9)
    monkeypatch.setattr(cluster, "SPEED_CHECK_INTERVAL", 0.0)
    monkeypatch.setattr(spreading, "WORKER_POLL", 0.0)
    compare_with_before = cluster.Hosts.compare_with_before

    def compare_what_was_asked(self, workers):
        for made in self._measuring.values():  # else all runs may be made before the machine has answered
            made.result(timeout=60)
        compare_with_before(self, workers)

    monkeypatch.setattr(cluster.Hosts, "compare_with_before", compare_what_was_asked)
    status, err = one_worker("--uneven", "--repeats", "3")
    assert status == 0
    assert f"milp-pips: warning: {socket.gethostname()} has changed its speed" in err
    assert len(made(out)) == 3


def test_workers_of_a_scheduler_elsewhere(out, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    quiet = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "silence_logs": logging.CRITICAL}
    words = ["compare", EASY, SEVERAL, "--run", "brute", "--out", out, "--uneven", "--scheduler"]
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
        (["--uneven"], "--uneven needs a cluster"),
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
