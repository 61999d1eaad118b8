"""Restrictions inside ``trying`` lose no solution and are undone completely, checked by brute force."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import random_domino_problem, random_problem, solutions
from thoroughness import examples

from milp_pips.problem.errors import Contradiction
from milp_pips.problem.problem import Problem
from milp_pips.propagation.fixpoint import Fixpoint

chances = st.randoms(use_true_random=False)


@pytest.fixture(autouse=True, scope="module")
def all_is_propagated_on_boards_of_any_size() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("milp_pips.propagation.fixpoint.LARGE_BOARD", 0)
        patch.setattr("milp_pips.propagation.fixpoint.LARGE_RULE", 0)
        yield


def tries(problem: Problem, points: set[tuple[int, ...]], rng: random.Random) -> None:
    """Try values of variables one after another, some inside others; each keeps its solutions."""
    try:
        fixpoint = Fixpoint(problem)
        fixpoint.reach()
    except Contradiction:
        assert not points
        return
    for _ in range(6):
        before = fixpoint.problem()
        v = rng.randrange(len(problem.variables))
        chosen = set(rng.sample(range(8), rng.randint(1, 3)))
        kept = {point for point in points if point[v] in chosen}
        with fixpoint.trying():
            try:
                fixpoint.restrict({v: chosen})
                fixpoint.reach()
                inside = fixpoint.problem()
                domains = [variable.domain for variable in inside.variables]
                assert kept <= {p for p in points if all(a in d for a, d in zip(p, domains, strict=True))}
                assert fixpoint.open_values == inside.open_values
                assert set(domains[v]) <= chosen
            except Contradiction:
                assert not kept
        assert fixpoint.problem() == before
        if kept and rng.random() < 0.3:
            fixpoint.restrict({v: chosen})
            fixpoint.reach()
            points = kept


@examples(9)
@given(chances)
def test_tries_on_dominoes_with_rules(rng: random.Random) -> None:
    problem = random_domino_problem(rng, tidy=rng.random() < 0.7)
    tries(problem, solutions(problem), rng)


@examples(9)
@given(chances)
def test_tries_without_dominoes(rng: random.Random) -> None:
    problem = random_problem(rng)
    tries(problem, solutions(problem), rng)
