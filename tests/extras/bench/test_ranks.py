"""Average ranks, and which are not distinguished: the bars of a critical-difference diagram."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results import results, run

from milp_pips.extras.bench.figures import benchmarks, similar_groups
from milp_pips.extras.bench.report import report
from milp_pips.extras.bench.store import Store

INF = math.inf


def test_ranks_of_an_example_by_hand(tmp_path):
    times = {"one": (1.0, INF, INF, 2.0), "two": (INF, INF, INF, INF), "three": (3.0, 3.0, 1.0, INF)}
    file = results(
        tmp_path / "r.sqlite",
        {name: [run(one, t) for one, t in zip("abcd", row, strict=True)] for name, row in times.items()},
    )
    with Store(file) as store:
        (benchmark,) = benchmarks(store.instances(), store.runs())
    assert benchmark.ranks.to_dict() == {"a": 2, "b": 8.5 / 3, "c": 7 / 3, "d": 8.5 / 3}


@pytest.mark.parametrize(
    "apart, bars",
    [
        ([], [(2, 0, 1, 3)]),
        ([(2, 3)], [(2, 0, 1), (0, 1, 3)]),
        ([(2, 1), (2, 3), (0, 3)], [(2, 0), (0, 1), (1, 3)]),
        ([(2, 0), (0, 1), (1, 3)], []),  # no neighbours; the page tells the other pairs in words
        ([(0, 1)], [(2, 0), (1, 3)]),
        (list(combinations(range(4), 2)), []),
    ],
)
def test_bars_join_what_is_not_told_apart(apart, bars):
    assert similar_groups([2, 0, 1, 3], {frozenset(pair) for pair in apart}) == bars


@given(st.sets(st.sampled_from([frozenset(pair) for pair in combinations(range(6), 2)])))
def test_bars_are_the_longest_stretches_without_a_difference(apart):
    def plain(stretch):
        return len(stretch) > 1 and not any(frozenset(pair) in apart for pair in combinations(stretch, 2))

    stretches = {tuple(range(a, b)) for a, b in combinations(range(7), 2) if plain(range(a, b))}
    longest = {s for s in stretches if not any(set(s) < set(other) for other in stretches)}
    assert similar_groups(range(6), apart) == sorted(longest)


def test_the_diagram_shows_the_ranks_and_who_is_not_told_apart(tmp_path):
    times = {"quick": (1.0, 2.0), "other": (2.0, 1.0), "slow": (8.0, 8.0)}
    campaign = {f"p{n}": [run(name, seconds[n % 2]) for name, seconds in times.items()] for n in range(16)}
    made = report(results(tmp_path / "r.sqlite", campaign))
    for text in (">quick 1.50<", ">other 1.50<", ">3.00 slow<"):
        assert text in made.files["ranks.svg"]
    page = " ".join(made.files["report.html"].split())
    assert "(Demšar 2006)" in page
    few = {name: campaign[name] for name in list(campaign)[:5]}
    assert "ranks.svg" not in report(results(tmp_path / "few.sqlite", few)).files
