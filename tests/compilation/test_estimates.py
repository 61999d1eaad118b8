"""Estimated counts: they are unbiased, their intervals hold the true number, and unknown numbers are None."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from random import Random
from statistics import mean, stdev

import pytest
from brute_force import grids, placements
from generated import random_puzzle
from hypothesis import given
from hypothesis import strategies as st
from problems import latin_square
from strategies import pips_puzzles
from thoroughness import examples, few_or_many, mostly_long

import milp_pips
from milp_pips.compilation.estimating import Estimate, ThinnedDiagram, estimate, estimated
from milp_pips.compilation.limits import Budget
from milp_pips.problem.answer import Stop
from milp_pips.problem.problem import Problem, Variable
from milp_pips.problem.stopping import Deadline

NOTHING = Budget(nodes=1)
"""No part is counted: all of them are sampled."""

SMALL = [random_puzzle(dominoes, seed) for dominoes, seed in ((5, 6), (6, 4))]


@pytest.mark.parametrize("width", [2, 4])
@pytest.mark.parametrize("puzzle", SMALL, ids=[puzzle.name for puzzle in SMALL])
def test_a_thinned_diagram_is_not_biased(puzzle, width):
    """The mean of many draws is within four standard errors of the brute-force count, also for views."""
    problem = milp_pips.state(puzzle)
    seen = set(problem.keys["grid"])
    alike = Counter(tuple(v for v in s[: len(seen)]) for s in milp_pips.compile(problem))
    assert (sum(alike.values()), len(alike)) == (len(placements(puzzle)), len(grids(puzzle)))
    diagram, rng = ThinnedDiagram(problem, frozenset(seen), Deadline()), Random(1)
    counts, views = [], []
    for _ in range(100):
        draw = diagram.draw(width, rng, solutions=2)
        shares = [
            1 / alike[tuple(value for v, value in sorted(solution) if v in seen)]
            for solution in draw.solutions
        ]
        counts.append(float(draw.estimate))
        views.append(counts[-1] * mean(shares) if shares else 0.0)
    for drawn, truth in ((counts, sum(alike.values())), (views, len(alike))):
        assert stdev(drawn) > 0
        assert abs(mean(drawn) - truth) < 4 * stdev(drawn) / len(drawn) ** 0.5


@pytest.mark.parametrize("key, dominoes, seed", mostly_long(1, [("placement", 6, 4), ("grid", 5, 1)]))
def test_intervals_hold_the_truth(key, dominoes, seed):
    """95 of 100 are promised; with fewer than 87 the promise is broken, or once in a thousand bad luck.

    So it is with fewer than 5 of 8.
    """
    seeds, least = few_or_many((8, 5), (100, 87))
    puzzle = random_puzzle(dominoes, seed)
    problem = milp_pips.state(puzzle)
    truth = milp_pips.compile(problem, key).count
    said = [
        estimate(problem, problem.keys[key], seed=seed, budget=NOTHING, samples=20, widths=(4,))
        for seed in range(seeds)
    ]
    assert all(one.low <= one.value <= one.high for one in said)
    assert sum(one.low < one.high for one in said) == seeds
    assert sum(one.low <= truth <= one.high for one in said) >= least


@examples(8)
@given(puzzle=pips_puzzles(), key=st.sampled_from(["placement", "grid"]))
def test_what_need_not_be_thinned_is_counted(puzzle, key):
    """No layer of a small board is wider than that; but the solutions whose views are counted are random."""
    problem = milp_pips.state(puzzle)
    truth = {"placement": len(placements(puzzle)), "grid": len(grids(puzzle))}
    said = estimate(problem, problem.keys[key], budget=NOTHING, samples=8, widths=(10**6,))
    if said is None:
        assert not truth[key]
    elif key == "placement" or not said.samples:
        assert (said.value, said.low, said.high) == (truth[key],) * 3
    assert estimate(problem, problem.keys[key]) == Estimate(truth[key], truth[key], truth[key], 0)


@pytest.mark.parametrize(
    "problem, count",
    [
        pytest.param(latin_square(6), 812_851_200, marks=pytest.mark.long),  # OEIS A002860
        pytest.param(latin_square(6, (2, 3)), 28_200_960, marks=pytest.mark.long),  # OEIS A107739
        (Problem((Variable("x", tuple(range(1000))),) * 60, ()), 1000**60),
    ],
    ids=["Latin squares", "Sudokus", "free"],
)
def test_known_numbers(problem, count):
    said = estimate(problem, samples=20, widths=(30,), seed=1)
    assert said.low <= count <= said.high
    assert said.high < 3 * said.low or not said.samples


def test_numbers_beyond_floating_point():
    said = estimated([Fraction(10**1000) * (10 + i % 3) for i in range(30)])
    assert 10**1001 <= said.low < said.value < said.high < 12 * 10**1000
    assert str(said).startswith("about 1.1 × 10¹⁰⁰¹ (95 %: 1.1 to 1.1 × 10¹⁰⁰¹, 30 samples)")


def test_at_the_deadline_the_samples_so_far_are_used():
    problem = milp_pips.state(random_puzzle(16, 1))

    class Stopping(Deadline):
        looks = 0

        @property
        def stop(self):
            Stopping.looks += 1
            return super().stop if Stopping.looks < after else Stop.INTERRUPTED

    after = 1
    assert estimate(problem, deadline=Stopping()) is None
    Stopping.looks, after = 0, 5_000
    said = estimate(problem, deadline=Stopping(), widths=(10,), samples=10**9)
    assert said.samples > 12
    assert Stopping.looks < after + 20


@pytest.mark.parametrize(
    "said, text",
    [
        (
            Estimate(3_100_000_000, 2_810_000_000, 3_460_000_000, 240),
            "about 3.1 × 10⁹ (95 %: 2.8 to 3.5 × 10⁹, 240 samples)",
        ),
        (Estimate(5530, 5000, 6100, 12), "about 5,530 (95 %: 5,000 to 6,100, 12 samples)"),
        (Estimate(56, 56, 56, 0), "exactly 56"),
    ],
)
def test_an_estimate_reads_well(said, text):
    assert str(said) == text
