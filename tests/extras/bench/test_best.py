"""Comparisons by the best solution: what is found and proved by when."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from results import run as a_run

import milp_pips
from milp_pips.cli import main
from milp_pips.extras.bench.figures import (
    AimedRun,
    optimisations_of,
    primal_gap,
    primal_integral,
)
from milp_pips.extras.bench.store import Store, find_contradicted

EXAMPLES = Path(__file__).parents[3] / "examples" / "pips"
TASK = "maximise r1c4 - 2*r4c4"


def test_the_primal_gap():
    assert [primal_gap(*pair) for pair in ((10, 10), (5, 10), (None, 10), (-1, 10), (0, 0), (0, 4))] == [
        *(0, 0.5, 1, 1, 0, 1)
    ]
    assert primal_gap(-20, -10) == 0.5


def test_the_primal_integral():
    # A gap of 1 for a second, of 1/2 for the next two, and 0 for the rest.
    assert primal_integral([(1.0, 5), (3.0, 10)], 10, 10.0) == 2.0
    assert primal_integral([], 10, 10.0) == 10.0
    assert primal_integral([(12.0, 10)], 10, 10.0) == 10.0


def test_figures_of_the_best_solution():
    runs = [
        AimedRun("a", 1, True, 10, 10, [(1.0, 5), (3.0, 10)]),
        AimedRun("b", 1, False, 5, 20, [(2.0, 5)]),
        AimedRun("a", 2),
        AimedRun("b", 2),  # a value is known of the first instance alone
    ]
    a, b = optimisations_of(runs, maximise=True, limit=10.0)
    assert (a.puzzles, a.proved, a.best, a.to_best, a.gap, a.integral) == (1, 1, 1, 3.0, 0.0, 2.0)
    assert (b.puzzles, b.proved, b.best, b.to_best, b.gap, b.integral) == (1, 0, 0, math.inf, 0.75, 6.0)
    (least,) = optimisations_of([runs[1], runs[2]], maximise=False, limit=10.0)[:1]
    assert (least.best, least.to_best) == (1, 2.0)


@pytest.fixture
def compared(tmp_path, capsys):
    out = str(tmp_path / "results.sqlite")

    def call(*words):
        status = main(["compare", *words, "--out", out, "--measured-by", "psutil"])
        printed = capsys.readouterr()
        with Store(out) as store:
            return status, printed.out, store.runs()

    return call


@pytest.mark.usefixtures("empty_plots")
def test_compare_finds_and_confirms_the_optimum(compared, tmp_path, capsys):
    file = str(EXAMPLES / "several.txt")
    optimum = milp_pips.solve(
        milp_pips.read(file), "diagram", maximise=TASK.partition(" ")[2]
    ).objective.value
    status, printed, runs = compared(file, "--run", "brute", "--task", TASK)
    assert status == 0
    assert "primal integral" in printed
    assert {run.solver: run.value for run in runs} == {"brute": optimum}
    for run in runs:
        assert (run.status, run.complete, run.success, run.bound) == ("solved", True, True, optimum)
        moments, values = zip(*json.loads(run.incumbents), strict=True)
        assert values[-1] == optimum
        assert sorted(set(values)) == list(values)
        assert 0 < moments[0] <= moments[-1] <= run.seconds + 0.01
    lines = compared(file, "--run", "brute", "--task", TASK, "--json")[1].splitlines()
    figures = [json.loads(line)["optimisation"] for line in lines if "optimisation" in line]
    assert [(one["proved"], one["best"], one["gap"]) for one in figures] == [(1, 1, 0.0)]
    assert main(["report", str(tmp_path / "results.sqlite"), "--out", str(tmp_path / "report")]) == 0
    said = capsys.readouterr().out
    assert "Find the best solution: maximise r1c4 - 2*r4c4" in said
    assert "| brute         | 1 of 1 |" in said
    assert "<h3 id=" in (tmp_path / "report" / "report.html").read_text()


def test_faults_of_the_task(compared, tmp_path, capsys):
    out = str(tmp_path / "other.sqlite")
    for words, message in (
        (("--run", "cdcl", "--task", TASK), "cdcl takes no objective: leave it out"),
        (("--run", "brute", "--task", "maximise r9c9"), "several: objective 'r9c9', character 1"),
        (("--run", "brute", "--task", "best"), "unknown task 'best'; known: first, prove, all, maximise"),
    ):
        assert main(["compare", str(EXAMPLES / "several.txt"), *words, "--out", out]) == 2
        assert message in capsys.readouterr().err


def test_a_better_solution_refutes_an_optimum():
    claims = replace(a_run("brute", 1.0), id=1, task="minimise sum(A)", complete=True, value=4)
    finds = replace(claims, id=2, solver="highs", complete=False, value=3)
    other = replace(claims, id=3, task="maximise sum(A)", value=9)
    assert find_contradicted([claims, finds, other]) == {
        1: "calls 4 optimal, but highs has 3, checked",
    }
    assert find_contradicted([replace(claims, value=3), finds, other]) == {}
