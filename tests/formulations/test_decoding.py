"""Layouts are decoded lazily, with the same results as if they were decoded at once."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import pips_puzzles
from thoroughness import examples

import milp_pips
from milp_pips.problem.errors import EngineFault
from milp_pips.puzzles.family import family_of
from milp_pips.puzzles.pips.puzzle import Layout, Pips, PlacedDomino

SAME_DOMINOES = Pips.on_grid(
    "same", [(r, c) for r in range(4) for c in range(6)], [], [(1, 1), (2, 1), (1, 2)] * 4
)
"""Dominoes that come several times, turned, and doubles: 35,608,320 placements."""


def undecoded(puzzle: Pips, layout: Layout) -> Layout:
    """Return an equal layout that has not been decoded."""
    family = family_of(puzzle)
    return family.decode(puzzle, family.encode(puzzle, layout))


def as_listed(puzzle: Pips, distinct: str = "placement") -> list[Layout]:
    return list(islice(milp_pips.solutions(puzzle, distinct=distinct), 50))


@examples(8)
@given(puzzle=pips_puzzles(), distinct=st.sampled_from(["placement", "grid"]))
def test_a_layout_is_the_one_that_its_fields_make(puzzle, distinct):
    family = family_of(puzzle)
    for layout, again in zip(as_listed(puzzle, distinct), as_listed(puzzle, distinct), strict=True):
        made = Layout(dict(again.values), tuple(again.dominoes))
        assert layout == made
        assert repr(layout) == repr(made)
        assert family.draw(puzzle, layout) == family.draw(puzzle, made)
        assert family.to_json(puzzle, layout) == family.to_json(puzzle, made)
        assert family.write_solution(puzzle, layout) == family.write_solution(puzzle, made)
        assert family.check(puzzle, layout) is None


@examples(2)
@given(puzzle=pips_puzzles(), distinct=st.sampled_from(["placement", "grid"]))
def test_a_copy_of_what_nobody_has_seen_is_equal(puzzle, distinct):
    for way in (copy.copy, copy.deepcopy, lambda layout: pickle.loads(pickle.dumps(layout))):
        for layout, again in zip(as_listed(puzzle, distinct), as_listed(puzzle, distinct), strict=True):
            assert way(layout) == again
            assert way(again) == layout


@examples(6)
@given(puzzle=pips_puzzles())
def test_dominoes_are_in_the_order_of_the_puzzle(puzzle):
    for layout in as_listed(puzzle):
        assert tuple(laid.pips for laid in layout.dominoes) == puzzle.dominoes
        assert all(isinstance(laid, PlacedDomino) for laid in layout.dominoes)
        assert list(layout.values) == list(puzzle.cells)


def test_the_fields_may_be_asked_for_in_any_order_and_stay():
    layout = next(milp_pips.solutions(SAME_DOMINOES))
    for first, then in (("values", "dominoes"), ("dominoes", "values")):
        fresh = undecoded(SAME_DOMINOES, layout)
        assert getattr(fresh, first) == getattr(layout, first)
        assert getattr(fresh, then) == getattr(layout, then)
        assert fresh.values is fresh.values
        assert fresh.dominoes is fresh.dominoes


def test_a_layout_differs_from_another_and_from_other_things():
    one, other = islice(milp_pips.solutions(SAME_DOMINOES), 2)
    assert one != other
    assert one != "a layout"
    assert one != dataclasses.replace(one, dominoes=())
    assert dataclasses.replace(other, values=one.values, dominoes=one.dominoes) == one


def test_a_layout_cannot_be_changed_and_has_no_other_attribute():
    layout = next(milp_pips.solutions(SAME_DOMINOES))
    for name in ("values", "dominoes", "colour"):
        with pytest.raises((AttributeError, TypeError)):
            setattr(layout, name, ())
    with pytest.raises(AttributeError, match="'Layout' object has no attribute 'colour'"):
        layout.colour  # noqa: B018
    assert not hasattr(layout, "_repr_png_")


def test_an_assignment_that_changes_later_does_not_change_the_layout():
    family = family_of(SAME_DOMINOES)
    expected = next(milp_pips.solutions(SAME_DOMINOES))
    fixed = family.encode(SAME_DOMINOES, expected)
    listed = [fixed[v] for v in range(len(fixed))]
    for assignment in (fixed, listed):
        layout = family.decode(SAME_DOMINOES, assignment)
        assignment[0] = 9
        assert layout == expected


def test_one_in_a_thousand_is_judged_far_into_a_list(monkeypatch):
    from milp_pips.puzzles.pips import puzzle as rules

    found = milp_pips.solutions(SAME_DOMINOES)
    assert len(list(islice(found, 1500))) == 1500
    monkeypatch.setattr(rules, "_check_dominoes", lambda _puzzle, _layout: "no layout will do")
    with pytest.raises(EngineFault, match="no layout will do"):
        list(islice(found, 1000))
    assert found.found == 2000
