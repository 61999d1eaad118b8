"""Propagation by flow is complete: it keeps exactly the values that some solution has."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thoroughness import examples

from milp_pips.constraints import AllDifferent, Cardinality
from milp_pips.problem.constraint import Domains
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.problem import Problem, Variable
from milp_pips.propagation import LARGE_RULE as LARGE
from milp_pips.propagation import filter_domains

chances = st.randoms(use_true_random=False)


def a_rule(rng: random.Random) -> tuple[list[Variable], AllDifferent | Cardinality]:
    """Return up to seven variables and a rule on how often they take each value."""
    values = rng.sample(range(-2, 6), rng.randint(1, 5))
    size = rng.randint(1, 6)
    widest = rng.randint(1, len(values))
    variables = [
        Variable(f"x{i}", tuple(sorted(rng.sample(values, rng.randint(1, widest))))) for i in range(size)
    ]
    variables.append(Variable("not meant", tuple(sorted(values))))
    if rng.random() < 0.4:
        return variables, AllDifferent(tuple(range(size)))
    bounds = []
    for value in rng.sample(range(-3, 7), rng.randint(0, 8)):
        low = rng.choice([0, 0, 1, 2])
        bounds.append((value, low, low + rng.randint(0, 2)))
    return variables, Cardinality(tuple(range(size)), tuple(bounds))


@examples(12, 1000)
@given(chances)
def test_a_flow_leaves_exactly_what_solutions_have(rng: random.Random) -> None:
    variables, rule = a_rule(rng)
    found = [point for point in product(*(x.domain for x in variables)) if rule.holds(point)]
    domains = Domains(variables, ())
    try:
        rule.thorough_propagator(domains)()
    except Contradiction:
        assert not found
        return
    assert [domains.taken(v) for v in range(len(variables))] == [
        tuple(sorted(set(column))) for column in zip(*found, strict=True)
    ]


def some_values(*domains: tuple[int, ...]) -> list[Variable]:
    return [Variable(f"x{i}", domain) for i, domain in enumerate(domains)]


def filtered(variables: list[Variable], rule: AllDifferent | Cardinality) -> list[tuple[int, ...]]:
    return [x.domain for x in filter_domains(Problem(tuple(variables), (rule,))).variables]


def test_large_rules_see_sets_of_variables_that_no_two_have_alike():
    # 1-2, 2-3 and 1-3 take three values between them, though no two have the same domain
    rest = tuple(range(1, LARGE + 4))
    variables = some_values((1, 2), (2, 3), (1, 3), *[rest] * (LARGE - 3))
    everyone = tuple(range(LARGE))
    left = [(1, 2), (2, 3), (1, 3), *[rest[3:]] * (LARGE - 3)]
    assert filtered(variables, AllDifferent(everyone)) == left
    assert filtered(variables, Cardinality(everyone, tuple((x, 0, 1) for x in rest))) == left


def test_large_rules_see_values_that_only_a_few_can_take():
    # three values to be taken by the three variables that can: they take no other
    some, rest = (1, 2, 3), tuple(range(4, LARGE + 4))
    variables = some_values((1, 2, 9), (2, 3, 9), (1, 3, 9), *[rest] * (LARGE - 3))
    rule = Cardinality(tuple(range(LARGE)), tuple((x, 1, 1) for x in some))
    assert filtered(variables, rule)[:3] == [(1, 2), (2, 3), (1, 3)]


@pytest.mark.parametrize("kind", ["different", "counted"])
def test_a_large_rule_that_no_values_obey_is_a_contradiction(kind):
    pairs = [(1, 2), (2, 3), (1, 3), (1, 2, 3)]
    rest = tuple(range(4, LARGE + 9))
    everyone = tuple(range(LARGE))
    counted = Cardinality(everyone, tuple((x, 0, 1) for x in (1, 2, 3)), "row 1")
    rule = AllDifferent(everyone, "row 1") if kind == "different" else counted
    with pytest.raises(Contradiction, match="row 1 cannot be met"):
        filtered(some_values(*pairs, *[rest] * (LARGE - 4)), rule)
