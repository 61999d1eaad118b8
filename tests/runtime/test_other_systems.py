"""What is specific to Linux has a branch for other systems; here Linux plays them."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from milp_pips.compilation import limits
from milp_pips.extras.bench import cluster, measurement
from milp_pips.problem.answer import Stop
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime import reaper, writing
from milp_pips.runtime.cluster import available_cores
from milp_pips.runtime.interruptible import run_program
from milp_pips.verification import verify

OTHERS = ("darwin", "win32")


def refuse(*_):
    raise AssertionError("another system has no such function")


@pytest.mark.parametrize("system", OTHERS)
def test_no_cores_are_reserved_and_no_reaper_starts(system, monkeypatch):
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(cluster, "_name_of", refuse)
    cluster.keep_to_own_cores(10**6)
    monkeypatch.setattr(reaper, "_start_reaper", refuse)
    monkeypatch.setattr(reaper, "_marks", {})
    first, second = reaper.new_mark(), reaper.new_mark()
    assert first != second
    assert first.rpartition("/")[0] == second.rpartition("/")[0]


def test_windows_measures_what_it_can(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "resource", None)
    monkeypatch.delattr(signal, "setitimer")
    measurement._limit_process_time(1)
    assert measurement._processor_seconds() > 0


def test_without_proc_psutil_knows_the_memory(monkeypatch):
    known = limits.resident_memory()
    monkeypatch.setattr(limits, "open", open_nothing, raising=False)
    assert limits.resident_memory() == pytest.approx(known, rel=0.2)
    monkeypatch.setattr(reaper, "open", open_nothing, raising=False)
    assert reaper.peak_memory() == 0
    monkeypatch.setattr(os, "listdir", open_nothing)
    assert reaper.processes_with_mark("mark") == []


def open_nothing(*_, **__):
    raise FileNotFoundError


def test_cores_are_counted_without_affinity(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert available_cores() == os.cpu_count()


def test_temporary_folders_need_no_locks(monkeypatch):
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.delattr(os, "getuid")
    writing._cleared.clear()
    with writing.temporary_folder() as folder:
        assert os.path.isdir(folder)
    assert not os.path.exists(folder)


def test_the_checker_of_certificates_runs_without_timers_and_limits(monkeypatch):
    monkeypatch.setitem(sys.modules, "resource", None)
    monkeypatch.delattr(signal, "setitimer")
    verify._limit_resources(verify.Watch(9), 9)


def test_a_program_ends_without_groups_and_stops(monkeypatch):
    monkeypatch.delattr(os, "killpg")
    monkeypatch.delattr(signal, "SIGSTOP")
    with Deadline(0.2) as deadline:
        ran = run_program([sys.executable, "-c", "import time; time.sleep(60)"], deadline)
    assert (ran.stop, ran.status) == (Stop.TIME, -signal.SIGKILL)
