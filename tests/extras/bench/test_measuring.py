"""Who measures a run: BenchExec, where control groups can be had, or we; and what is said of both."""

from __future__ import annotations

import sys
import time
from datetime import datetime
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
from milp_pips.runtime.worker import call_in_worker

EASY = str(Path(__file__).parents[3] / "examples" / "pips" / "easy.txt")


@pytest.fixture
def groups():
    found = cgroups.find_benchexec()
    if isinstance(found, str):
        pytest.skip(found)
    return found


@pytest.fixture
def compare(tmp_path, capsys):
    def call(*words):
        out = str(tmp_path / "r.sqlite")
        status = main(["compare", EASY, "--out", out, *words])
        with Store(out) as store:
            return status, capsys.readouterr().err, store.runs()

    return call


def program(groups, code, deadline=None, **limits):
    return groups.runner(60.0, 1)([sys.executable, "-c", code], deadline or Deadline(), **limits)


def test_a_group_is_counted_as_one(groups):
    spin = "import time\nwhile time.process_time() < 0.4: pass"
    ran = program(
        groups,
        f"import os, subprocess, sys; x = bytearray(10**8); subprocess.run([sys.executable, '-c', {spin!r}]);"
        "print(len(os.sched_getaffinity(0)), sys.stdin.read())",
        feed=b"fed",
    )
    assert (ran.status, ran.stop, ran.output) == (0, None, "1 fed\n")
    assert 0.4 < ran.processor_seconds < 5
    assert 10**8 < ran.peak < 3 * 10**8


def test_the_end_of_a_program_is_told_before_benchexec_waits_for_its_figures(groups, monkeypatch):
    told, sleep = [], time.sleep
    monkeypatch.setattr(time, "sleep", lambda seconds: told.append("waits") or sleep(seconds))
    groups.runner(60.0, 1)(["true"], Deadline(), ended=lambda: told.append("ended"))
    assert told[:2] == ["ended", "waits"]


def test_what_comes_of_the_end_of_a_program_is_raised_when_benchexec_is_done(groups):
    told = []

    def ended():
        told.append("ended")
        raise ValueError("judged and found wanting")

    with pytest.raises(ValueError, match="found wanting"):
        groups.runner(60.0, 1)(["true"], Deadline(), ended=ended)
    assert told == ["ended"]
    assert program(groups, "print(1)").output == "1\n"


def test_the_clock_does_not_start_before_its_moment():
    where = registry.location("brute")
    moment = time.monotonic() + 1.0
    found = measure(where, "", milp_pips.read(EASY), "first", Settings(seconds=30.0), moment)
    assert time.monotonic() - found.seconds >= moment


class Waiting(BruteSolver):
    """Waits before it works, as an engine that others keep from the processor."""

    def solve(self, problem, settings, deadline):
        time.sleep(0.2)
        return super().solve(problem, settings, deadline)


def test_the_processor_s_time_is_that_of_the_clock():
    where = registry.location("brute")
    puzzle, settings = milp_pips.read(EASY), Settings(seconds=30.0)
    busy = measure(where, "", puzzle, "first", settings)
    assert 0 < busy.clock_processor_seconds < busy.processor_seconds  # which has the start of Python as well
    waited = measure(f"{__name__}:Waiting", "", puzzle, "first", settings)
    assert 0 < waited.clock_processor_seconds <= waited.seconds - 0.2 + 0.02  # some systems count in ticks


def test_memory_is_limited_and_last_words_are_kept(groups):
    ran = program(groups, "x = bytearray(10**9)\nprint(sum(x))", memory=10**8)
    assert ran.stop is Stop.MEMORY or "MemoryError" in ran.errors
    ran = program(groups, "raise SystemExit('these are my last words')")
    assert (ran.status, ran.stop, ran.errors) == (1, None, "these are my last words\n")
    assert program(groups, "import os; os.kill(os.getpid(), 14)").status == -14


def test_nothing_survives(groups, tmp_path):
    note = tmp_path / "note"
    code = (
        "import subprocess\nprogram = subprocess.Popen(['sleep', '300'], start_new_session=True)\n"
        f"open({str(note)!r}, 'w').write(str(program.pid))"
    )
    assert program(groups, code).status == 0
    assert has_ended_soon(int(note.read_text()))
    note.unlink()
    deadline = Deadline()
    act_when(lambda: note.exists() and note.read_text(), deadline.interrupt)
    begun = time.monotonic()
    ran = program(groups, f"{code}\nimport time; time.sleep(300)", deadline)
    assert time.monotonic() - begun < 60
    assert ran.stop is Stop.INTERRUPTED
    assert has_ended_soon(int(note.read_text()))


def test_runs_beside_one_another_have_cores_of_their_own():
    free = cgroups.ControlGroups([4, 7, 9])
    assert free.take(2) == [4, 7]
    assert free.take(2) == []  # bound to none, and the others stay to themselves
    assert free.take(1) == [9]
    free.give_back([4, 7])
    assert free.take(1) == [4]


@pytest.mark.parametrize("who", ["benchexec", "milp_pips"])
def test_a_run_begins_when_the_one_before_has_ended(compare, who, request):
    if who == "benchexec":
        request.getfixturevalue("groups")
    _, _, runs = compare("--run", "brute", "--repeats", "6", "--measured-by", who)
    runs = sorted(runs, key=lambda run: run.started)
    begun = [datetime.fromisoformat(run.started).timestamp() for run in runs]
    assert all(
        start + run.total_seconds - run.read_seconds < following
        for start, run, following in zip(begun, runs, begun[1:], strict=False)
    )


@pytest.mark.parametrize("who", ["benchexec", "milp_pips"])
def test_a_run_begins_when_the_one_before_is_judged(compare, who, request, monkeypatch):
    if who == "benchexec":
        request.getfixturevalue("groups")
    events, moments = [], []

    def noted(name, call):
        def told(*arguments, **named):
            events.append(f"{name} begins")
            try:
                return call(*arguments, **named)
            finally:
                events.append(f"{name} ends")

        return told

    def measured(*arguments, then, **named):
        moments.append(arguments[1][-1])
        return call_in_worker(*arguments, then=noted("judging", then), **named)

    def run_or_confirm(*arguments, **named):
        return (noted("run", measured) if "then" in named else call_in_worker)(*arguments, **named)

    monkeypatch.setattr(one_run, "call_in_worker", run_or_confirm)
    compare("--run", "brute", "--repeats", "4", "--task", "prove", "--measured-by", who)
    judged = [event for event in events if event != "run ends"]
    assert judged == ["run begins", "judging begins", "judging ends"] * 4
    assert moments[0] == 0.0 < moments[1] < moments[2] < moments[3]


def test_who_has_measured_is_kept_with_every_run(compare, groups):
    status, err, runs = compare("--run", "brute")
    assert (status, err) == (0, "")
    status, err, runs = compare("--run", "brute", "--measured-by", "milp_pips", "--repeats", "2")
    assert status == 0
    assert [one.measured_by for one in runs] == ["benchexec", "milp_pips"]
    assert all(one.processor_seconds > 0.01 and one.peak_bytes > 2**20 for one in runs)
    assert all(one.status == "solved" and one.build_seconds is not None for one in runs)
    said = "measured by benchexec and by milp_pips: memory and processor time do not compare"
    assert err == f"milp-pips: warning: {said}\n"


def test_where_benchexec_cannot_measure_we_do(compare, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(cgroups, "find_benchexec", lambda: "no control groups")
    status, err, (one,) = compare("--run", "brute")
    assert (status, err, one.measured_by) == (0, "", "milp_pips")
    words = ["compare", EASY, "--run", "brute", "--out", str(tmp_path / "other.sqlite"), "--measured-by"]
    assert main([*words, "benchexec"]) == 2
    assert (
        capsys.readouterr().err == "milp-pips: BenchExec cannot measure on this machine: no control groups\n"
    )
    assert main([*words, "magic"]) == 2
    assert "unknown way to measure 'magic'; known: benchexec, milp_pips" in capsys.readouterr().err


@pytest.mark.usefixtures("empty_plots")
def test_a_report_says_that_measurements_are_mixed(tmp_path):
    pytest.importorskip("matplotlib")
    said = "Runs were measured by benchexec and milp_pips: their memory and processor time do not compare."
    mixed = {"one": [run("a", measured_by="benchexec"), run("b")]}
    assert said in report(results(tmp_path / "mixed.sqlite", mixed)).files["report.html"]
    alike = {"one": [run("a"), run("b")]}
    assert said not in report(results(tmp_path / "alike.sqlite", alike)).files["report.html"]
