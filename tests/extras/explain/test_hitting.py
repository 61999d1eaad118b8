"""The cheapest choice of options is that of brute force over all choices, and its bound is confirmed."""

from __future__ import annotations

from itertools import chain, combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thoroughness import examples

from milp_pips.extras.explain import hitting
from milp_pips.extras.explain.hitting import HittingSets, Option
from milp_pips.problem.errors import EngineFault
from milp_pips.problem.stopping import Deadline

ELEMENTS = range(6)


@st.composite
def searches(draw):
    """Return options, the witnesses by the elements that they obey, and options that exclude each other."""
    some = st.frozensets(st.sampled_from(ELEMENTS), min_size=1, max_size=3)
    options = [Option(1, frozenset([e])) for e in ELEMENTS]
    options += [Option(draw(st.integers(1, 3)), draw(some)) for _ in range(draw(st.integers(0, 3)))]
    witnesses = draw(st.lists(st.frozensets(st.sampled_from(ELEMENTS), max_size=5), max_size=12))
    exclusive = draw(
        st.lists(st.frozensets(st.sampled_from(range(len(options))), min_size=2, max_size=3), max_size=2)
    )
    return options, witnesses, exclusive


def search_of(options, witnesses, exclusive):
    def witness(elements):
        return next((obeyed for obeyed in witnesses if elements <= obeyed), None)

    return HittingSets(options, witness, exclusive)


def cheapest_by_brute_force(options, witnesses, exclusive):
    """Return the least price of a choice that no witness obeys; None if there is none."""
    every = range(len(options))
    prices = [
        sum(options[i].cost for i in chosen)
        for chosen in chain.from_iterable(combinations(every, n) for n in range(len(options) + 1))
        if all(len(group.intersection(chosen)) < 2 for group in exclusive)
        and not any(
            frozenset().union(*(options[i].elements for i in chosen)) <= obeyed for obeyed in witnesses
        )
    ]
    return min(prices, default=None)


@given(searches(), st.booleans())
@examples(8)
def test_the_cheapest_choice_is_that_of_brute_force(case, begin):
    search, least = search_of(*case), cheapest_by_brute_force(*case)
    if begin:
        search.begin()
        if search.best is not None:
            assert search.cost(search.best) >= least
    search.finish(Deadline())
    if least is None:
        assert not search.is_possible
        return
    assert (search.cost(search.best), search.bound, search.is_optimal) == (least, least, True)
    assert search.confirm(Deadline()) == "exhaustive search"


def pairs(n):
    """Return a search in which each of n disjoint pairs must be hit."""
    options = [Option(1, frozenset([e])) for e in range(2 * n)]
    every = frozenset(range(2 * n))
    return search_of(options, [every - {2 * i, 2 * i + 1} for i in range(n)], [])


def test_a_wrong_bound_is_refuted_by_search_and_by_another_engine(monkeypatch):
    for nodes in (hitting.SEARCH_NODES, 0):
        monkeypatch.setattr(hitting, "SEARCH_NODES", nodes)
        search = pairs(4)
        search.finish(Deadline())
        assert search.bound == 4
        assert ("search" in search.confirm(Deadline())) == (nodes > 0)
        search.bound += 1
        with pytest.raises(EngineFault, match="misses a cheaper choice"):
            search.confirm(Deadline())
