"""Relaxations as polygons: they contain the hull of all solutions and shrink by cuts."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from itertools import pairwise, permutations

import pytest
from brute_force import grids

import milp_pips
from milp_pips.problem.errors import EngineFault, UsageError

SMALL = milp_pips.Pips.from_rows(["AAB", "CCB"], {"A": "NEQ", "B": "GT 3"}, [(0, 1), (2, 3), (1, 3)], "small")
TINY = milp_pips.Pips.from_rows(["AAB", "#CB"], {"A": "NEQ", "B": "SUM 7"}, [(0, 3), (3, 4), (1, 3)], "tiny")


def inside(point, corners):
    """Whether a point is in a convex polygon whose corners are counterclockwise."""
    edges = zip(corners, corners[1:] + corners[:1], strict=True)
    return all(
        (q[0] - p[0]) * (point[1] - p[1]) - (q[1] - p[1]) * (point[0] - p[0]) >= -1e-5 for p, q in edges
    )


def nested(inner, outer):
    return all(inside(corner, outer) for corner in inner)


def test_the_points_and_their_hull_are_those_of_brute_force():
    found = milp_pips.polyhedra(SMALL, "r1c1 + r2c1", "r1c2 - r2c2")
    points = set()
    for grid in grids(SMALL):
        pips = {SMALL.cells.index(cell): pip for cell, pip in grid}
        names = [variable.name for variable in milp_pips.state(SMALL).variables[: len(pips)]]
        at = {name: pips[i] for i, name in enumerate(names)}
        points.add((at["r1c1"] + at["r2c1"], at["r1c2"] - at["r2c2"]))
    assert set(found.points) == points
    assert set(found.hull) <= points
    assert all(inside(point, found.hull) for point in points)


def test_formulations_are_nested_and_each_contains_the_hull():
    found = milp_pips.polyhedra(SMALL, "r1c1 + r2c1", "r1c2 - r2c2")
    weak, between, strong = (found.relaxations[name] for name in ("implication", "by_kind", "projected"))
    assert nested(found.hull, strong)
    assert nested(strong, between)
    assert nested(between, weak)
    assert not nested(between, strong)
    assert not nested(weak, between)
    assert found.relaxations["aggregated"] == strong == found.hull


def test_the_corners_are_known_by_hand():
    """Two of three numbers that differ: pairwise rows allow a third of each, so c is from 1.25 on."""
    numbers = tuple(milp_pips.Variable(name, (1, 2, 3)) for name in "abc")
    differ = milp_pips.AllDifferent((0, 1, 2), "differ")
    problem = milp_pips.Problem(numbers, (differ,), {"all": (0, 1, 2)})
    found = milp_pips.polyhedra(problem, "a", "b", ["clique", "pairwise"])
    assert found.hull == found.relaxations["clique"]
    assert set(found.points) == {(a, b) for a, b, _ in permutations((1, 2, 3))}
    assert found.hull == ((1, 2), (2, 1), (3, 1), (3, 2), (2, 3), (1, 3))


def test_rounds_of_cuts_shrink_to_the_hull_and_are_shown_in_turn():
    found = milp_pips.polyhedra(TINY, "r1c1", "r2c1", ["implication"], rounds=2)
    series = [found.relaxations["implication"], *found.rounds]
    for before, after in pairwise(series):
        assert nested(after, before)
        assert not nested(before, after)
    assert series[-1] == found.hull
    picture = ElementTree.fromstring(found._repr_svg_())
    groups = [one for one in picture.iter() if one.tag.endswith("}animate")]
    assert len(groups) == len(series)
    assert [one.get("display") for one in picture.iter() if one.get("display")] == ["none", "none", "inline"]
    assert "script" not in found._repr_svg_()
    assert "round 2" in str(found)


def test_a_cut_that_excludes_a_solution_is_a_fault(monkeypatch):
    def too_strong(self, x):
        for row, most in gomory(self, x):
            yield row, most - 2

    gomory = milp_pips.extras.lab.polyhedra._Relaxed._gomory
    monkeypatch.setattr("milp_pips.extras.lab.polyhedra._Relaxed._gomory", too_strong)
    with pytest.raises(EngineFault, match="a cut excludes a solution"):
        milp_pips.polyhedra(TINY, "r1c1", "r2c1", ["implication"], rounds=1)


def test_bad_input_is_one_line():
    with pytest.raises(UsageError, match="expected"):
        milp_pips.polyhedra(TINY, "r9c9", "r1c1")
    with pytest.raises(UsageError, match="nothing"):
        milp_pips.polyhedra(TINY, "r1c1", "r2c1", ["nothing"])
