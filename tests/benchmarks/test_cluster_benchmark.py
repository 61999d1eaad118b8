"""The benchmark of campaigns over workers: what it calls a fault, and how it counts what runs cost."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest

pytest.importorskip("psutil")

from cluster import faults_of, medians_of, random_moments, run_slots

from milp_pips.extras.bench.store import RunKey, RunRecord

KEY = RunKey(
    instance=1,
    solver="brute",
    formulation="",
    task="first",
    seed=0,
    repeat=0,
    threads=1,
    time_limit=60.0,
    memory_limit=0,
    options="{}",
)


def run(repeat, begun, seconds=0.5):
    return RunRecord(
        **asdict(replace(KEY, repeat=repeat)),
        id=repeat + 1,
        session=1,
        started=f"2026-01-01T00:00:{begun:06.3f}+00:00",
        status="solved",
        total_seconds=seconds,
        wall_seconds=seconds + 0.25,
    )


RUNS = [run(0, 1), run(1, 2), run(2, 4, 1.5)]


def test_what_is_missing_twice_or_changed_is_a_fault(tmp_path):
    kept = tmp_path / "kept.json"
    kept.write_text(json.dumps([asdict(one) for one in RUNS[:2]]))
    assert list(faults_of(RUNS, 3, kept, 0)) == []
    assert list(faults_of(RUNS, 4, kept, 0)) == ["1 runs are missing"]
    assert list(faults_of([*RUNS, RUNS[2]], 3, kept, 0)) == ["1 runs are there twice"]
    assert list(faults_of([replace(RUNS[0], wall_seconds=9.0), *RUNS[1:]], 3, kept, 0)) == [
        "runs from before the command was killed have changed"
    ]
    assert list(faults_of([*RUNS[:2], replace(RUNS[2], status="error")], 3, kept, 1)) == [
        "1 kills were not made: too few runs were left",
        "1 runs have not solved their puzzle",
    ]
    assert list(faults_of(RUNS, 3, tmp_path / "none", 0)) == ["the command was never killed"]


@pytest.mark.parametrize("seed", range(5))
def test_five_workers_and_the_command_are_killed_in_between(seed):
    killed = random_moments(10_000, seed)
    assert [what for what, _ in killed].count("worker") == 5
    assert "command" in [what for what, _ in killed[1:-1]]
    assert all(0 < after < 10_000 for _, after in killed)


def test_what_a_run_costs_is_the_time_to_the_next_less_what_it_reports():
    assert list(run_slots(RUNS)) == [
        {"reports": 0.5, "beyond": 0.5, "process": 0.25},
        {"reports": 0.5, "beyond": 1.5, "process": 0.25},
    ]


def test_medians_are_of_puzzles_that_are_always_solved():
    assert medians_of(RUNS) == {("brute", 1): 0.5}
    assert medians_of([*RUNS, replace(run(3, 9), status="unknown")]) == {}
