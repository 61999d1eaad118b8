"""Average ranks and the critical difference against the example and the table of Demšar (2006)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from results import results, run

from milp_pips.compare.ranks import critical_difference, friedman, ranking, ranks
from milp_pips.report import report

INF = math.inf

# Ranks of four decision trees on fourteen data sets: Demšar 2006, table 6.
DEMSAR = np.array(
    [
        *(
            [4, 3, 2, 1],
            [1, 2, 3, 4],
            [4, 1, 2, 3],
            [4, 1, 3, 2],
            [4, 2, 3, 1],
            [1, 2.5, 4, 2.5],
            [3, 2, 4, 1],
        ),
        *([2.5, 2.5, 4, 1], [4, 3, 2, 1], [2.5, 2.5, 2.5, 2.5], [4, 2.5, 1, 2.5], [3, 2, 4, 1], [4, 1, 2, 3]),
        [3, 1, 4, 2],
    ]
)


def test_the_example_of_the_paper():
    found = ranking(DEMSAR)
    assert found.ranks == pytest.approx([3.143, 2.0, 2.893, 1.964], abs=0.0005)
    assert found.difference == pytest.approx(1.25, abs=0.005)
    assert found.groups == ((3, 1, 2, 0),)  # "not powerful enough to detect any significant differences"
    chance = np.random.default_rng(0)

    def spread(table):
        return float(((table.mean(axis=0) - 2.5) ** 2).sum())

    shuffled = [spread(chance.permuted(DEMSAR, axis=1)) for _ in range(4000)]
    assert found.p == pytest.approx(np.mean(np.array(shuffled) >= spread(DEMSAR) - 1e-9), abs=0.008)


@pytest.mark.parametrize("several, value", [(2, 1.960), (3, 2.343), (4, 2.569), (7, 2.949), (10, 3.164)])
def test_critical_values_are_those_of_the_published_table(several, value):
    found = critical_difference(several, 1) / math.sqrt(several * (several + 1) / 6)
    assert found == pytest.approx(value, abs=0.0015)


@pytest.mark.parametrize("rows, turned, statistic_p", [(16, 2, 0.002700), (25, 10, 0.317311)])
def test_the_friedman_test_of_two_is_the_normal_test_of_a_coin(rows, turned, statistic_p):
    table = np.array([[2.0, 1.0]] * turned + [[1.0, 2.0]] * (rows - turned))
    assert friedman(table) == pytest.approx(statistic_p, abs=1e-6)


def test_what_is_unsolved_shares_the_last_ranks():
    times = np.array([[1.0, INF, INF, 2.0], [INF, INF, INF, INF], [3.0, 3.0, 1.0, INF]])
    assert ranks(times).tolist() == [[1, 3.5, 3.5, 2], [2.5] * 4, [2.5, 2.5, 1, 4]]
    assert ranking(np.full((9, 3), INF)).p == 1.0
    assert ranking(np.full((9, 3), INF)).groups == ((0, 1, 2),)
    assert np.isnan(ranking(np.zeros((0, 3))).ranks).all()


def test_groups_are_what_is_nearer_than_the_difference():
    turns = [[1.0, 2.0, 3.0, 9.0], [2.0, 1.0, 3.0, 9.0], [1.0, 3.0, 2.0, 9.0]]
    found = ranking(np.array(turns * 10))
    assert found.p < 0.001
    order = np.argsort(found.ranks)
    apart = [(a, b) for a in order for b in order if found.ranks[b] - found.ranks[a] >= found.difference]
    assert {(a, b) for a in order for b in order if found.ranks[a] < found.ranks[b]} - set(apart) == {
        (group[i], group[j])
        for group in found.groups
        for i in range(len(group))
        for j in range(i + 1, len(group))
    }
    assert (0, 3) in apart


def test_the_diagram_shows_the_ranks_and_says_what_it_is(tmp_path):
    times = {"quick": 1.0, "slower": 2.0, "slowest": 4.0}
    campaign = {f"p{n}": [run(name, seconds) for name, seconds in times.items()] for n in range(9)}
    made = report(results(tmp_path / "r.sqlite", campaign))
    for text in ("quick 1.00", "2.00 slowest", "slower 2.00", "critical difference 1.10"):
        assert (text in made.files["ranks.svg"]) == (text != "2.00 slowest")
    assert "3.00 slowest" in made.files["ranks.svg"]
    page = " ".join(made.files["report.html"].split())
    assert "(Demšar 2006)" in page
    assert "alike: < 0.001. Not told apart: quick, slower; slower, slowest." in page.replace("&lt;", "<")
    few = {name: campaign[name] for name in ("p1", "p2", "p3", "p4", "p5")}
    assert "ranks.svg" not in report(results(tmp_path / "few.sqlite", few)).files
