"""The refutation of a formula by itself: what follows is accepted, what does not is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thoroughness import examples

from milp_pips.verification.verify import Refused, Refutation, Watch

PIGEONS = [(1, 2), (3, 4), (5, 6), (-1, -3), (-1, -5), (-3, -5), (-2, -4), (-2, -6), (-4, -6)]
"""Three pigeons in two holes."""


def refute(clauses, lines, variables=6):
    return Refutation(variables, clauses, Watch(9)).check([(False, line) for line in lines])


def test_a_refutation_needs_only_what_is_used():
    assert refute(PIGEONS, [(-1, 2, 3), (1,), (-4, 5), (2,), ()]) <= 2
    assert refute([(1,), (-1,)], []) == 0


def test_a_line_that_does_not_follow_is_refused():
    with pytest.raises(Refused, match="line 1 does not follow"):
        refute([(1, 3), (-1, 3), (-3, 4)], [(-3,)])
    with pytest.raises(Refused, match="line 1 does not follow"):
        refute([(1, 2)], [()], 2)


def test_a_new_variable_may_be_defined():
    """Extended resolution: 7 stands for (1 and 4). Its definition has RAT, and nothing else needs it."""
    definition = [(7, -1, -4), (-7, 1), (-7, 4)]
    assert refute(PIGEONS, [*definition, (-7, -5), (-7, 6), (-7,), (1,), (2,)]) > 0
    with pytest.raises(Refused, match="does not follow"):
        refute(PIGEONS[:-1], [*definition, (-7, -5), (-7, 6), (-7,), (1,), (2,)])


def test_a_deleted_clause_does_not_help():
    needed = [(False, (1,)), (False, ())]
    assert Refutation(2, [(1, 2), (1, -2), (-1, 2), (-1, -2)], Watch(9)).check(needed)
    with pytest.raises(Refused):
        Refutation(2, [(1, 2), (1, -2), (-1, 2), (-1, -2)], Watch(9)).check([(True, (1, 2)), *needed])


@settings(examples(30, 2000))
@given(
    st.lists(st.lists(st.integers(1, 6).flatmap(lambda v: st.sampled_from([v, -v])), min_size=1, max_size=3)),
    st.lists(st.lists(st.integers(1, 6).flatmap(lambda v: st.sampled_from([v, -v])), max_size=3), max_size=5),
)
def test_nothing_refutes_a_formula_with_a_model(clauses, lines):
    models = [
        bits
        for bits in range(64)
        if all(any((bits >> (abs(a) - 1) & 1) == (a > 0) for a in clause) for clause in clauses)
    ]
    if models:
        with pytest.raises(Refused):
            refute(clauses, [*lines, ()])
