"""The propagators of single constraints, against enumeration: what they keep, and when they are complete."""

from __future__ import annotations

import random
from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from thoroughness import examples

from milp_pips.constraints import AnyOf, DominoCover, Fixed, NoGood, PairSum
from milp_pips.constraints.domino_cover.tiling import tiling_of, usages
from milp_pips.problem.constraint import Constraint, Domains
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.problem import Problem, Variable
from milp_pips.propagation import filter_domains

chances = st.randoms(use_true_random=False)


def some_variables(rng: random.Random) -> list[Variable]:
    values = rng.sample(range(-2, 6), rng.randint(1, 4))
    domains = [sorted(rng.sample(values, rng.randint(1, len(values)))) for _ in range(rng.randint(1, 5))]
    return [Variable(f"x{i}", tuple(domain)) for i, domain in enumerate(domains)]


def a_pair_sum(rng: random.Random, variables: list[Variable]) -> PairSum:
    pairs = [(v, a) for v, variable in enumerate(variables) for a in [*variable.domain, 9]]
    terms = [(v, a, rng.randint(-3, 3)) for v, a in rng.sample(pairs, rng.randint(1, len(pairs)))]
    low, high = rng.choice((None, rng.randint(-6, 6))), rng.choice((None, rng.randint(-6, 6)))
    return PairSum(tuple(terms), low, high)


def a_no_good(rng: random.Random, variables: list[Variable]) -> NoGood:
    values = tuple(rng.choice([*variable.domain, 9]) for variable in variables)
    return NoGood(tuple(range(len(variables))), values, least=rng.randint(-1, len(variables) + 1))


def any_of(rng: random.Random, variables: list[Variable]) -> AnyOf:
    pairs = [(v, a) for v, variable in enumerate(variables) for a in [*variable.domain, 9]]
    return AnyOf(tuple((v, a, rng.random() < 0.5) for v, a in rng.choices(pairs, k=rng.randint(1, 4))))


def a_fixed(rng: random.Random, variables: list[Variable]) -> Fixed:
    v = rng.randrange(len(variables))
    return Fixed(v, rng.choice([*variables[v].domain, 9]))


def left_by(rule: Constraint, variables: list[Variable]) -> list[tuple[int, ...]] | None:
    """Return the domains at the fixpoint of the propagator; None for a contradiction."""
    domains = Domains(variables, ())
    try:
        propagate = rule.propagator(domains)
        for _ in range(20):
            domains.changed.clear()
            propagate()
            if not domains.changed:
                break
    except Contradiction:
        return None
    return [domains.taken(v) for v in range(len(variables))]


def supported(rule: Constraint, variables: list[Variable]) -> list[tuple[int, ...]] | None:
    """Return the values that some solution has, by trying every assignment; None if there is none."""
    found = [point for point in product(*(x.domain for x in variables)) if rule.holds(point)]
    return [tuple(sorted(set(column))) for column in zip(*found, strict=True)] if found else None


@examples(12, 2000)
@given(chances)
def test_no_goods_and_alternatives_and_facts_keep_exactly_what_solutions_have(rng: random.Random) -> None:
    variables = some_variables(rng)
    rule = rng.choice((a_no_good, any_of, a_fixed))(rng, variables)
    assert left_by(rule, variables) == supported(rule, variables)


@examples(12, 2000)
@given(chances)
def test_a_weighted_number_of_pairs_keeps_what_solutions_have(rng: random.Random) -> None:
    variables = some_variables(rng)
    rule = a_pair_sum(rng, variables)
    left, expected = left_by(rule, variables), supported(rule, variables)
    if left is None:
        assert expected is None
    elif expected is not None:
        assert all(set(some) >= set(needed) for some, needed in zip(left, expected, strict=True))
    if rule.low is None or rule.high is None:  # each bound alone is propagated completely
        assert left == expected


@examples(12, 2000)
@given(chances)
def test_what_is_proven_impossible_has_no_solution(rng: random.Random) -> None:
    variables = some_variables(rng)
    rule = rng.choice((a_pair_sum, a_no_good, any_of))(rng, variables)
    domains = [variables[v].domain for v in rule.variables]
    expected = supported(rule, variables) is not None
    assert rule.is_possible(domains) >= expected
    if all(len(domain) == 1 for domain in domains):
        assert rule.is_possible(domains) == expected


def test_parts_of_a_cover_can_be_filtered():
    cover = DominoCover((0, 1), (2, 3), ((0, 1),), ((1, 2),))
    variables = [Variable(name, (1, 2)) for name in "ab"] + [Variable(f"p{i}", (1 - i,)) for i in (0, 1)]
    for part in (tiling_of(cover), *usages(cover)):
        problem = Problem(tuple(variables), (part,))
        assert filter_domains(problem) == problem
