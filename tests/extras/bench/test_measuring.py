"""What measures a run: BenchExec, where there are control groups, or psutil; and what is said of both."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from processes import has_ended_soon
from results import results, run
from waiting import act_when

import milp_pips
from milp_pips.cli import main
from milp_pips.engines import registry
from milp_pips.engines.brute import BruteSolver
from milp_pips.extras.bench import cgroups, one_run
from milp_pips.extras.bench.measurement import measure
from milp_pips.extras.bench.report import report
from milp_pips.extras.bench.store import Store
from milp_pips.problem.answer import Settings, Stop
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.interruptible import Limits

EASY = str(Path(__file__).parents[3] / "examples" / "pips" / "easy.txt")


@pytest.fixture
def groups():
    if obstacle := cgroups.benchexec_obstacle():
        pytest.skip(obstacle)


@pytest.fixture
def compare(tmp_path, capsys):
    def call(*words):
        out = str(tmp_path / "r.sqlite")
        status = main(["compare", EASY, "--out", out, *words])
        with Store(out) as store:
            return status, capsys.readouterr().err, store.runs()

    return call


def in_group(function, *arguments, memory=None, deadline=None):
    limits = Limits(deadline or Deadline(), memory=memory)
    return cgroups.call_in_control_group(cgroups.own_cores(1), 60.0, function, arguments, limits)


def spin_in_a_program(_):
    kept = bytearray(10**8)
    spin = "import time\nwhile time.process_time() < 0.4: pass"
    subprocess.run([sys.executable, "-c", spin], check=True)
    return len(os.sched_getaffinity(0)), len(kept)


def take_memory(count, _):
    return sum(bytearray(count))


def leave(status, _):
    print("these are my last words", file=sys.stderr, flush=True)
    os._exit(status)


def start_a_sleeper(note, waits, _):
    sleeper = subprocess.Popen(["sleep", "300"], start_new_session=True)
    Path(note).write_text(str(sleeper.pid))
    time.sleep(300 * waits)


@pytest.mark.usefixtures("groups")
def test_a_group_is_counted_as_one():
    ran = in_group(spin_in_a_program)
    assert (ran.value, ran.stop, ran.fault) == ((1, 10**8), None, "")
    assert 0.4 < ran.processor_seconds < 5
    assert 10**8 < ran.peak < 3 * 10**8


class Waiting(BruteSolver):
    """Waits before it works, as an engine that others keep from the processor."""

    def solve(self, problem, settings, deadline):
        time.sleep(0.2)
        return super().solve(problem, settings, deadline)


def test_the_processor_s_time_is_that_of_the_clock():
    where = registry.location("brute")
    puzzle, settings = milp_pips.read(EASY), Settings(seconds=30.0)
    busy = measure(where, "", puzzle, "first", settings, Deadline())
    assert 0 < busy.clock_processor_seconds < busy.processor_seconds  # which has the start of Python as well
    waited = measure(f"{__name__}:Waiting", "", puzzle, "first", settings, Deadline())
    assert 0 < waited.clock_processor_seconds <= waited.seconds - 0.2 + 0.02  # some systems count in ticks


@pytest.mark.long
@pytest.mark.usefixtures("groups")
def test_memory_is_limited_and_last_words_are_kept():
    ran = in_group(take_memory, 10**9, memory=2 * 10**8)
    assert (ran.value, ran.stop) == (None, Stop.MEMORY)
    ran = in_group(leave, 1)
    assert (ran.value, ran.status, ran.stop) == (None, 1, None)
    assert ran.fault == "the engine's process ended with 1: these are my last words"


@pytest.mark.long
@pytest.mark.usefixtures("groups")
def test_nothing_survives(tmp_path):
    note = tmp_path / "note"
    assert in_group(start_a_sleeper, str(note), 0).status == 0
    assert has_ended_soon(int(note.read_text()))
    note.unlink()
    deadline = Deadline()
    act_when(lambda: note.exists() and note.read_text(), deadline.interrupt)
    assert in_group(start_a_sleeper, str(note), 1, deadline=deadline).stop is Stop.INTERRUPTED
    assert has_ended_soon(int(note.read_text()))


def test_a_run_has_as_many_cores_as_threads(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {9, 4, 7})
    assert cgroups.own_cores(2) == [4, 7]
    assert cgroups.own_cores(4) == []  # bound to none


@pytest.mark.long
def test_a_run_begins_when_the_one_before_is_judged(compare, monkeypatch):
    events = []

    def noted(name, call):
        def called(*arguments, **named):
            events.append(f"{name} begins")
            try:
                return call(*arguments, **named)
            finally:
                events.append(f"{name} ends")

        return called

    call = one_run.call_in_process
    measured = noted("run", call)

    def run_or_confirm(function, *arguments):
        return (measured if function is measure else call)(function, *arguments)

    monkeypatch.setattr(one_run, "call_in_process", run_or_confirm)
    monkeypatch.setattr(one_run, "judge_outcome", noted("judging", one_run.judge_outcome))
    compare("--run", "brute", "--repeats", "2", "--task", "prove", "--measured-by", "psutil")
    assert events == ["run begins", "run ends", "judging begins", "judging ends"] * 2


def test_what_measures_and_merges_loads_no_library_of_statistics():
    code = (
        "import sys\n"
        "from milp_pips.extras.bench import cli, cluster, measurement, one_run, run, store\n"
        "print(sorted({'pandas', 'scipy', 'matplotlib', 'jinja2'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


@pytest.mark.long
@pytest.mark.usefixtures("empty_plots")
def test_a_report_says_that_measurements_are_mixed(tmp_path):
    pytest.importorskip("matplotlib")
    said = "Runs were measured by benchexec and psutil: their memory and processor time do not compare."
    mixed = {"one": [run("a", measured_by="benchexec"), run("b")]}
    assert said in report(results(tmp_path / "mixed.sqlite", mixed)).files["report.html"]
    alike = {"one": [run("a"), run("b")]}
    assert said not in report(results(tmp_path / "alike.sqlite", alike)).files["report.html"]
