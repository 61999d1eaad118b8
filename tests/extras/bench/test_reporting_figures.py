"""The numbers of a report, by known inputs."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from results import SESSION, results, run

from milp_pips.extras.bench.figures import (
    benchmarks,
    disturbance_warning,
    duration,
    median_interval,
)
from milp_pips.extras.bench.report import report
from milp_pips.extras.bench.report.chapter import Chapter, time_ratio
from milp_pips.extras.bench.report.plots import (
    default_looks,
    palette,
)
from milp_pips.extras.bench.store import Store

INF = math.inf


@pytest.fixture
def measured(tmp_path):
    """Write a results file and return its benchmarks."""

    def read(campaign, **more):
        with Store(results(tmp_path / "r.sqlite", campaign, **more)) as store:
            return benchmarks(store.instances(), store.runs())

    return read


@pytest.fixture
def summary(tmp_path, empty_plots):
    """Write a results file and return the lines of the summary of its report."""

    def read(campaign, **more):
        return report(results(tmp_path / "s.sqlite", campaign, **more)).summary.splitlines()

    return read


def chapter(benchmark):
    with default_looks():
        return Chapter(benchmark, palette(benchmark.configurations), ())


@pytest.mark.parametrize(
    "count, low, high", [(6, 1, 6), (8, 1, 8), (9, 2, 8), (10, 2, 9), (20, 6, 15), (100, 40, 61)]
)
def test_the_interval_of_a_median_is_that_of_the_published_tables(count, low, high):
    assert median_interval(range(count, 0, -1)) == ((count + 1) / 2, low, high)


def test_an_interval_needs_six_values_and_takes_infinity_for_an_answer():
    assert median_interval([1, 2, 3, 4, 5]) == (3, 0, INF)
    assert median_interval([1, 2, 3, 4, INF, INF]) == (3.5, 1, INF)
    assert median_interval([1, INF, INF]) == (INF, 0, INF)
    assert math.isnan(median_interval([]).median)


def test_configurations_are_compared_by_the_ratios_of_their_times():
    first = [2, 4, 8, 16, 32, 64, INF, INF]
    second = [1, 2, 4, 8, 16, INF, 5, INF]
    ratio, quicker, slower, neither = time_ratio(first, second)
    # Ratios: 0 (the sixth), five times 2, and infinity (the seventh).
    assert (ratio.median, ratio.low, ratio.high) == (2, 0, INF)
    assert (quicker, slower, neither) == (1, 6, 1)
    assert time_ratio([INF], [INF]).neither == 1
    assert time_ratio([0.0], [0.0]).ratio.median == 1


def test_repeats_and_seeds_become_one_time_before_anything_else(measured):
    def thrice(*times):
        return [run("highs", t, repeat=r % 2, seed=r // 2) for r, t in enumerate(times)]

    (benchmark,) = measured(
        {"a": thrice(1, 9, 2), "b": thrice(1, 2, INF), "c": thrice(1, INF, INF), "d": thrice(1, INF)}
    )
    assert benchmark.times["highs"].tolist() == [2, INF, INF, INF]  # solved is what all runs solve
    assert len(chapter(benchmark).unsolved) == 4


def test_only_puzzles_that_all_have_run_are_in_the_means_and_the_gap_is_told(measured, summary):
    campaign = {
        "a": [run("highs", 1), run("cp-sat", 2)],
        "b": [run("highs", 3), run("cp-sat", INF)],
        "c": [run("highs", 9)],
    }
    (benchmark,) = measured(campaign)
    assert [(r.configuration, r.solved, r.missing) for r in benchmark.standings] == [
        ("highs", 2, 0),
        ("cp-sat", 1, 1),
    ]
    assert benchmark.standings[0].par10 == pytest.approx(2)
    told = summary(campaign)
    assert told[2] == "- cp-sat has not been run on 1 of the 3 puzzles."
    assert "over the 2 puzzles" in told[3]


def test_an_unconfirmed_proof_is_not_solved_but_two_solutions_are(measured):
    (benchmark,) = measured(
        {
            "sure": [run("highs", 1, task="prove", complete=True, confirmed_by="the decision diagram")],
            "unsure": [run("highs", 1, task="prove", complete=True)],
            "two": [run("highs", 1, task="prove", solutions=2)],
        }
    )
    assert benchmark.times["highs"].tolist() == [1, INF, 1]


def test_wrong_answers_and_differing_versions_and_machines_are_told(summary):
    wrong = {"status": "wrong", "message": "rule broken"}
    told = summary(
        {
            "a": [run("highs", 1, **wrong), run("highs", 1, repeat=1, **wrong)],
            "b": [run("highs", 1, version="2.0", session=2)],
        },
        sessions=(SESSION, replace(SESSION, machine="other")),
    )
    assert "- **WRONG: highs gave a wrong answer to a (2 runs): rule broken**" in told
    assert "- highs ran in several versions: 1.0 and 2.0." in told
    assert "- The runs were made on 2 different machines: times do not compare." in told


def test_runs_that_waited_for_the_processor_are_told(summary):
    def made(*shares, **said):
        return [run("highs", 2, clock_processor_seconds=2 * share, **said) for share in shares]

    waited = (
        "2 of 4 runs of 0.1 s and more had the processor for less than 90% of their time (median 45%): runs "
        "disturbed one another, or something else ran, so their times do not compare."
    )
    assert f"- {waited}" in summary({str(i): [each] for i, each in enumerate(made(0.99, 0.5, 0.91, 0.4))})
    for quiet in (
        made(*[0.99] * 40, 0.5, 0.5),  # now and then
        made(0.99, 0.5),
        made(0.5, 0.5, threads=2),  # threads wait for one another
        made(0.5, 0.5, status="unknown"),
        [run("highs", 2), *[run("highs", 0.01, clock_processor_seconds=0.001)] * 2],
    ):
        assert disturbance_warning(quiet) == ""


@pytest.mark.parametrize(
    "seconds, text",
    [
        (0, "0.0 ms"),
        (0.0018, "1.8 ms"),
        (0.125, "125 ms"),
        (0.9994, "999 ms"),
        (1.253, "1.25 s"),
        (13, "13.0 s"),
    ],
)
def test_measured_times_have_units(seconds, text):
    assert duration(seconds) == text


def test_ranks_of_an_example_by_hand(tmp_path):
    times = {"one": (1.0, INF, INF, 2.0), "two": (INF, INF, INF, INF), "three": (3.0, 3.0, 1.0, INF)}
    file = results(
        tmp_path / "r.sqlite",
        {name: [run(one, t) for one, t in zip("abcd", row, strict=True)] for name, row in times.items()},
    )
    with Store(file) as store:
        (benchmark,) = benchmarks(store.instances(), store.runs())
    assert benchmark.ranks.to_dict() == {"a": 2, "b": 8.5 / 3, "c": 7 / 3, "d": 8.5 / 3}
