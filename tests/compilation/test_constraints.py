"""The automata and the simplification of every class of constraint, compared with plain enumeration."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import any_problem, solutions
from solution_set_methods import METHODS, SolutionSetMethod
from thoroughness import examples

from milp_pips.compilation.parts import Part, split
from milp_pips.compilation.sites import automaton_of
from milp_pips.constraints import AnyOf, DominoCover, Fixed, PairSum
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.problem import Problem, Variable

chances = st.randoms(use_true_random=False)


def points_of(problem: Problem) -> list[tuple[int, ...]]:
    return [*product(*(variable.domain for variable in problem.variables))]


@examples(12)
@given(chances)
def test_a_simplified_constraint_is_equivalent_on_the_domains(rng: random.Random) -> None:
    problem = any_problem(rng, 1)
    (rule,) = problem.constraints
    domains = [variable.domain for variable in problem.variables]
    holding = [point for point in points_of(problem) if rule.holds(point)]
    try:
        simpler = list(rule.simplify(domains))
    except Contradiction:
        assert holding == []
        return
    assert all(c.variables and set(c.variables) <= set(rule.variables) for c in simpler)
    assert [p for p in points_of(problem) if all(c.holds(p) for c in simpler)] == holding


@examples(12)
@given(chances)
def test_a_renumbered_constraint_says_the_same_of_other_variables(rng: random.Random) -> None:
    problem = any_problem(rng, 1)
    (rule,) = problem.constraints
    number = {v: rng.randrange(10) + 10 * v for v in range(len(problem.variables))}
    renumbered = rule.renumbered(number)
    for point in points_of(problem):
        assert renumbered.holds({number[v]: value for v, value in enumerate(point)}) == rule.holds(point)


@examples(12)
@given(chances)
def test_an_automaton_has_a_path_for_each_solution(rng: random.Random) -> None:
    """In any order; states that are equal have equal futures, and outlooks bound these."""
    problem = any_problem(rng, 1)
    (rule,) = problem.constraints
    domains = [variable.domain for variable in problem.variables]
    own = [domains[v] for v in rule.variables]
    automaton = automaton_of(rule, domains, problem)
    order = rng.sample(range(len(own)), len(own))

    @cache
    def futures(state: object, decided: int) -> frozenset[tuple[int, ...]]:
        if decided == len(order):
            return frozenset({()})
        rest = sum(1 << place for place in order[decided + 1 :])
        found = set()
        for value in own[order[decided]]:
            after = automaton.step(state, rest, order[decided], value)
            if after is not None:
                found |= {(value, *future) for future in futures(after, decided + 1)}
        outlook = automaton.outlook(state, rest | 1 << order[decided])
        for future in found:
            assert outlook.least <= sum(future) <= outlook.most
            assert set(future) <= outlook.counts.keys()
            occurs = Counter(future)
            assert all(few <= occurs[value] <= many for value, (few, many) in outlook.counts.items())
        return frozenset(found)

    expected = {
        tuple(values[place] for place in order)
        for values in product(*own)
        if rule.holds(dict(zip(rule.variables, values, strict=True)))
    }
    assert futures(automaton.start, 0) == expected
    for decided in range(1, len(order) + 1):
        assert automaton.state_bits(decided) >= 0
        assert automaton.lost_bits(decided) >= -1e-9


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@examples(7)
@given(chances)
def test_constraints_of_every_class_are_compiled(method: SolutionSetMethod, rng: random.Random) -> None:
    problem = any_problem(rng, 4)
    expected = {point for point in points_of(problem) if problem.violated(point) is None}
    found = method.compile(problem)
    assert found.count == len(expected)
    assert set(found.assignments()) == expected


def two_squares() -> Problem:
    """Return a board of two squares, the first with the pips 1 and 2, the second with 5 and 6."""
    values, partners = tuple(range(8)), tuple(range(8, 16))
    edges = ((0, 1), (0, 2), (1, 3), (2, 3), (4, 5), (4, 6), (5, 7), (6, 7))
    near = [tuple(sorted(i + j - k for i, j in edges if k in (i, j))) for k in range(8)]
    variables = [Variable(f"v{k}", (1, 2) if k < 4 else (5, 6)) for k in values]
    variables += [Variable(f"p{k}", near[k]) for k in values]
    cover = DominoCover(values, partners, edges, ((1, 2), (1, 2), (5, 6), (5, 6)))
    return Problem(tuple(variables), (cover,))


TWO_SQUARES = two_squares()


@pytest.mark.parametrize(
    "rule",
    [
        AnyOf(((14, 7, False), (12, 99, True), (4, 5, True)), "any of these"),
        Fixed(12, 6, "fixed"),
        PairSum(((12, 5, 1), (13, 7, 1), (14, 7, -2)), 0, 1, "pairs"),
    ],
    ids=lambda rule: type(rule).__name__,
)
def test_rules_on_partners_are_renumbered_with_their_cells(rule: Constraint) -> None:
    """The rule is on the second square; cell 4 becomes cell 0 of its part."""
    problem = TWO_SQUARES.with_constraints([rule])
    divided = split(Part.whole(problem))
    assert len(divided.parts) == 2
    assert divided.parts[1].problem.constraints[0] != rule
    expected = {point for point in solutions(TWO_SQUARES) if rule.holds(point)}
    assert 0 < len(expected) < 64
    assert set(METHODS["space"].compile(problem).assignments()) == expected
