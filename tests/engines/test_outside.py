"""Solvers of other distributions run in a process of their own, with all the features of solvers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fake_distributions import install_plugins
from processes import child_processes, has_ended_soon
from thoroughness import mostly_long
from waiting import WAIT_LIMIT

from milp_pips.cli import main
from milp_pips.engines import outside, registry
from milp_pips.engines.registry import ask
from milp_pips.problem.answer import Settings, Stop
from milp_pips.problem.stopping import Deadline
from milp_pips.testing import SolverConformance, board, large

TESTS = Path(__file__).parents[1]
EXAMPLES = TESTS.parent / "examples" / "pips"
EASY, SEVERAL = EXAMPLES / "easy.txt", EXAMPLES / "several.txt"
HONEST = {name.lower(): f"outside.abroad:{name}" for name in ("Cutter", "Assumer", "Printer")}
HOSTILE = ("Exiter", "Segfaulter", "Dozer", "Foreigner", "Absentee", "Thrower", "Mute", "Unlisted")
ENTRIES = HONEST | {name.lower(): f"outside.hostile:{name}" for name in HOSTILE}


@pytest.fixture(scope="module", autouse=True)
def installed(tmp_path_factory):
    """Install them, as another distribution, and end their processes."""
    folder = tmp_path_factory.mktemp("site") / "abroad"
    install_plugins(folder, "solvers", ENTRIES)
    sys.path.append(str(folder))
    yield folder
    sys.path.remove(str(folder))
    outside.close_all()
    outside._known.clear()


class TestOneThatCuts(SolverConformance):
    solver, isolate = "cutter", None


class TestOneThatAssumes(SolverConformance):
    solver, isolate = "assumer", None


def run(capsys, *words):
    """Return the exit status, the lines of JSON and the lines of standard error."""
    status = main([*map(str, words), "--json"])
    told = capsys.readouterr()
    return status, [json.loads(line) for line in told.out.splitlines()], told.err.splitlines()


@pytest.mark.parametrize(
    "name, words",
    mostly_long(
        1,
        [
            ("foreigner", "it sent an unreadable reply: an object of the class outside.hostile.Solver"),
            ("segfaulter", "the engine's process was killed by SIGSEGV"),
            ("thrower", "RuntimeError: first line second line"),
            ("exiter", "the engine's process ended with 0"),
        ],
    ),
)
def test_its_fault_costs_its_own_puzzle_alone(name, words, capsys):
    files = (EASY, SEVERAL) if name == "exiter" else (EASY,)
    status, lines, errors = run(capsys, "solve", *files, "--solver", name)
    assert (status, [line["status"] for line in lines]) == (70, ["error"] * len(files))
    assert all(line["fault"].startswith(f"{name} failed: {words}") for line in lines)
    assert [line["puzzle"] for line in lines] == [file.stem for file in files]
    assert len(errors) == len(files)


@pytest.mark.parametrize("method", mostly_long(1, ["partition", "native", "cuts"]))
def test_so_it_does_while_listing(method, capsys):
    status, lines, errors = run(capsys, "enumerate", SEVERAL, "--solver", "exiter", "--method", method)
    assert (status, len(errors)) == (70, 1)
    assert lines == [{"puzzle": "several", "status": "error", "fault": errors[0].removeprefix("milp-pips: ")}]


def test_what_ends_its_process_at_once_cannot_be_loaded(capsys):
    status, lines, errors = run(capsys, "solve", EASY, "--solver", "absentee")
    assert (status, lines) == (2, [])
    assert errors[0].startswith("milp-pips: the plugin outside.hostile:Absentee cannot be loaded: ")


@pytest.mark.parametrize(
    "words", mostly_long(2, ["solve", "enumerate --method cuts", "enumerate --method native"])
)
def test_what_sleeps_keeps_the_time_limit(words, capsys):
    """It would sleep for five minutes."""
    verb, *more = words.split()
    status, lines, _ = run(capsys, verb, SEVERAL, "--solver", "dozer", "--time-limit", "0.2", *more)
    assert (status, lines[-1].get("summary", lines[-1])["stop"]) == (3, "time")


@pytest.mark.parametrize("verb", ["solve", "enumerate"])
def test_what_prints_spoils_no_json(verb, capfd):
    """Each line of standard output is JSON, though the plugin writes to the same descriptor."""
    status, lines, _ = run(capfd, verb, SEVERAL, "--solver", "printer")
    assert (status, len(lines)) == (0, 1 if verb == "solve" else 57)


def test_an_interruption_reaches_what_sleeps():
    deadline = Deadline()
    solver = registry.solver("dozer")
    deadline.interrupt()
    assert solver.solve(board(1, 2, [(0, 1)], []), Settings(), deadline).stop is Stop.INTERRUPTED


def test_memory_is_limited():
    answer = ask("cutter", large(), Settings(memory=2**20), Deadline(60))
    assert (answer.point, answer.stop) == (None, Stop.MEMORY)


def test_its_module_is_never_imported_here_unless_that_is_asked_for(installed):
    code = (
        "import sys, milp_pips\n"
        "from milp_pips.cli import main\n"
        f"assert main(['solve', {str(EASY)!r}, '--solver', 'printer']) == 0\n"
        "assert 'outside.abroad' not in sys.modules\n"
        f"assert main(['solve', {str(EASY)!r}, '--solver', 'printer', '--no-isolate']) == 0\n"
        "assert 'outside.abroad' in sys.modules\n"
        f"milp_pips.solve(milp_pips.read({str(EASY)!r}), 'printer', isolate=False)\n"
    )
    environment = {**os.environ, "PYTHONPATH": f"{installed}{os.pathsep}{TESTS}"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr.count("solving")) == (0, 2)


def test_our_own_solvers_stay_in_this_process():
    for name in ("highs", "brute", "two-stage", "two-stage:highs"):
        assert type(registry.solver(name)).__module__.startswith("milp_pips.")
        assert not hasattr(registry.solver(name), "has_own_process")


def test_a_formulation_from_outside_has_a_process_of_its_own_with_its_engine(monkeypatch):
    monkeypatch.syspath_prepend(str(TESTS / "outside"))
    assert registry.solver("cp-sat", Settings("plain")).has_own_process
    assert not hasattr(registry.solver("cp-sat", Settings("native")), "has_own_process")
    assert not hasattr(registry.solver("cp-sat", Settings("plain", isolate=False)), "has_own_process")


@pytest.mark.long
def test_the_process_ends_with_the_one_that_started_it(installed, tmp_path):
    """With a plugin that sleeps, and its caller killed."""
    words = ["solve", str(EASY), "--solver", "dozer"]
    environment = {**os.environ, "PYTHONPATH": f"{installed}{os.pathsep}{TESTS}", "TMPDIR": str(tmp_path)}
    caller = subprocess.Popen([sys.executable, "-m", "milp_pips", *words], env=environment)
    begun = time.monotonic()
    while not (hosts := child_processes("milp_pips.runtime.worker", caller.pid)):
        assert time.monotonic() - begun < WAIT_LIMIT, "no process was started"
        time.sleep(0.01)
    os.kill(caller.pid, signal.SIGKILL)
    caller.wait()
    assert has_ended_soon(hosts[0].pid)
