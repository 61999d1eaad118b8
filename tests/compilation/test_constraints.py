"""The automata and the simplification of every class of constraint, compared with plain enumeration."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from problems import any_problem
from thoroughness import examples

from milp_pips.compilation.sites import automaton_of
from milp_pips.problem.problem import Problem

chances = st.randoms(use_true_random=False)


def points_of(problem: Problem) -> list[tuple[int, ...]]:
    return [*product(*(variable.domain for variable in problem.variables))]


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
