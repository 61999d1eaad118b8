"""Compare decision diagrams and solution spaces with plain enumeration: lists, views and samples."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import (
    latin_square,
    random_domino_problem,
    random_problem,
    skewed_paths,
    solutions,
)
from solution_set_methods import METHODS, SolutionSetMethod, with_each_method
from thoroughness import examples

from milp_pips.constraints import AllEqual, LinearSum, Relation
from milp_pips.problem.problem import Problem, Variable

chances = st.randoms(use_true_random=False)


def agree(problem: Problem, method: SolutionSetMethod) -> None:
    """Compare everything that a set of solutions returns with plain enumeration."""
    expected = solutions(problem)
    diagram = method.compile(problem)
    walked = list(diagram)
    assert diagram.count == len(expected)
    assert len(walked) == len(expected)
    assert set(walked) == expected
    assert [diagram.nth(i) for i in range(diagram.count)] == walked
    names = [variable.name for variable in problem.variables]
    marginals = {name: dict(Counter(s[v] for s in expected)) for v, name in enumerate(names)}
    assert diagram.marginals() == marginals
    assert diagram.value_counts() == {v: marginals[name] for v, name in enumerate(names)}
    assert diagram.forced() == {name: next(iter(m)) for name, m in marginals.items() if len(m) == 1}
    for key in problem.keys.values():
        views = {tuple(s[v] for v in sorted(key)) for s in expected}
        seen = method.project(diagram, key)
        assert seen.count == len(views)
        assert sorted(seen) == sorted(views)
        assert seen.value_counts() == {
            v: dict(Counter(w[i] for w in views)) for i, v in enumerate(sorted(key))
        }


@with_each_method
@examples(5)
@given(chances)
def test_boards_with_regions(method: SolutionSetMethod, rng: random.Random) -> None:
    agree(random_domino_problem(rng, tidy=True), method)


@with_each_method
@examples(5)
@given(chances)
def test_boards_with_any_rules_on_any_variables(method: SolutionSetMethod, rng: random.Random) -> None:
    agree(random_domino_problem(rng, tidy=False), method)


@with_each_method
@examples(5)
@given(chances)
def test_problems_without_dominoes(method: SolutionSetMethod, rng: random.Random) -> None:
    agree(random_problem(rng), method)


@pytest.mark.parametrize("method", [METHODS["divided"]], ids=["divided"])
def test_samples_are_uniform(method: SolutionSetMethod) -> None:
    diagram = method.compile(skewed_paths())
    expected = solutions(skewed_paths())
    rng, draws = random.Random(2026), 200 * len(expected)
    drawn = Counter(diagram.sample(rng) for _ in range(draws))
    assert set(drawn) == expected
    freedom = len(expected) - 1
    chi_square = sum((drawn[s] - 200) ** 2 / 200 for s in expected)
    # about normal for so many degrees of freedom; four standard deviations
    assert abs(chi_square - freedom) < 4 * (2 * freedom) ** 0.5


@with_each_method
def test_sums_of_any_kind_take_the_paths_in_one_order(method: SolutionSetMethod) -> None:
    diagram = method.compile(latin_square(3))
    text = diagram.sums("", lambda fragment: "".join(str(value) for _, value in fragment))
    total = diagram.sums(0, lambda fragment: sum(value << 3 * v for v, value in fragment))
    seen = 0
    for digits, packed, assignment in zip(text, total, diagram, strict=True):
        assert sorted(digits) == sorted("123" * 3)
        assert tuple(packed >> 3 * v & 7 for v in range(9)) == assignment
        seen += 1
    assert seen == 12


@with_each_method
def test_no_solution(method: SolutionSetMethod) -> None:
    problem = Problem((Variable("x", (1, 2)), Variable("y", (1,))), (AllEqual((0, 1), "equal"),))
    diagram = method.compile(problem.restricted({1: ()}))
    assert diagram.count == 0
    assert list(diagram) == []
    assert diagram.marginals() == {"x": {}, "y": {}}
    assert diagram.forced() == {}
    assert method.project(diagram, [0]).count == 0
    with pytest.raises(IndexError):
        diagram.sample(random.Random(1))


@with_each_method
def test_no_variables(method: SolutionSetMethod) -> None:
    diagram = method.compile(Problem((), ()))
    assert list(diagram) == [()]
    assert method.compile(Problem((), (LinearSum((), Relation.GE, 1, "sum"),))).count == 0
