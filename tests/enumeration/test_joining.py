"""Joining the lists of independent parts: every combination once, and complete only if every list is."""

from __future__ import annotations

from itertools import product
from math import prod
from random import Random

import pytest
from strange_constraints import EvenSum

from milp_pips.compilation.parts import Join, Part, split
from milp_pips.constraints import DominoCover, LinearSum, NoGood, PairSum, Relation
from milp_pips.constraints.facts import AnyOf, Fixed
from milp_pips.enumeration import joining
from milp_pips.enumeration.methods import Listing
from milp_pips.problem.answer import Proof, Stop
from milp_pips.problem.problem import Problem, Variable
from milp_pips.problem.stopping import Deadline
from milp_pips.testing.boards import taken, views


def islands(random):
    """Return two or three pairs of variables with rules of their own, a fixed variable, and a free one."""
    variables, rules = [Variable("fixed", (5,))], []
    for _ in range(random.randint(2, 3)):
        first = len(variables)
        variables += [Variable(f"x{first + i}", (0, 1, 3)[: random.randint(2, 3)]) for i in range(2)]
        rules.append(LinearSum((first, first + 1), Relation.LE, random.randint(0, 4), "sum"))
        if random.random() < 0.5:
            rules.append(NoGood((first, first + 1, 0), (1, 1, 5), "no"))
    free = len(variables)
    variables.append(Variable("free", (7, 8)))
    every = tuple(range(len(variables)))
    some = tuple(sorted(random.sample(every, len(every) - 1)))
    return Problem(tuple(variables), tuple(rules), {"all": every, "some": some}), free


def solutions_of(part, key):
    """Return the points of a part that differ in the key, by brute force."""
    seen = {}
    for point in product(*(variable.domain for variable in part.problem.variables)):
        if part.problem.violated(point) is None:
            seen.setdefault(tuple(point[v] for v in part.problem.keys[key]), point)
    return list(seen.values())


@pytest.mark.parametrize("key", ["all", "some"])
def test_the_pieces_of_all_parts_are_all_points(key):
    random = Random(3)
    for _ in range(40):
        problem, _ = islands(random)
        divided = split(Part.whole(problem))
        assert len(divided.parts) >= 2
        join, found, pieces = Join(problem, key, divided), [], []
        for number, part in enumerate(divided.parts):
            pieces += [(number, point) for point in solutions_of(part, key)]
        random.shuffle(pieces)
        for number, point in pieces:
            found += join.add(number, point)
            assert list(join.add(number, point)) == []  # it is known
        assert all(problem.violated(point) is None for point in found)
        seen = [tuple(point[v] for v in problem.keys[key]) for point in found]
        assert len(seen) == len(set(seen))
        assert set(seen) == set(views(problem, key))
        again = Join(problem, key, divided)
        assert list(again.all_of(())) == []
        some = random.sample(found, min(2, len(found)))
        combined = list(again.all_of(some))
        assert set(some) <= set(combined) <= set(found)
        sizes = [
            len({tuple(p[v] for v in part.variables if v in problem.keys[key]) for p in some})
            for part in divided.parts
        ]
        assert len(combined) == len(set(combined))
        assert len(combined) == prod(sizes)


NEAR = {0: (1,), 1: (0, 2), 2: (3, 4), 3: (1, 2, 5), 4: (2, 5), 5: (3, 4)}
LOW, HIGH = (1, 2), (5, 6)
COVER = DominoCover(
    *(tuple(range(6)), tuple(range(6, 12)), ((0, 1), (1, 2), (1, 3), (2, 3), (2, 4), (3, 5), (4, 5))),
    *(((1, 2), (5, 5), (5, 6)), "the dominoes cover"),
)
"""An edge of low pips and, after it, a square of high ones; the edges between them have no domino."""


def edge_and_square(*rules, near=NEAR, values=(LOW,) * 2 + (HIGH,) * 4):
    variables = [Variable(f"cell {i}", values[i]) for i in range(6)]
    variables += [Variable(f"partner of {i}", near[i]) for i in range(6)]
    keys = {"placement": tuple(range(12)), "grid": tuple(range(6))}
    return Problem(tuple(variables), (COVER, *rules), keys)


def facts_of(divided):
    """Return all combinations of the points of the parts, as pairs (variable, value) of the whole."""
    pieces = [
        [{part.pair(v, value) for v, value in enumerate(point)} for point in solutions_of(part, "placement")]
        for part in divided.parts
    ]
    return {frozenset(divided.fixed).union(*chosen) for chosen in product(*pieces)}


def facts(problem):
    return {frozenset(enumerate(point)) for point in views(problem, "placement")}


@pytest.mark.parametrize(
    ("rules", "parts"),
    [
        ([], 2),
        ([NoGood((7,), (2,))], 2),  # a partner that lies in the other part
        ([NoGood((9, 2), (5, 5)), NoGood((9, 4), (1, 6))], 2),
        ([AnyOf(((9, 5, True), (8, 4, False), (3, 5, True)))], 2),
        ([NoGood((0, 9, 10), (1, 2, 5)), NoGood((1, 11), (1, 4))], 1),
        ([Fixed(9, 5)], 2),
        ([PairSum(((8, 4, 1), (9, 5, 1), (4, 1, -1)), 0, 1)], 2),
        ([EvenSum((2, 3, 4))], 2),
    ],
)
def test_rules_on_partners_have_the_numbers_of_the_cells_of_their_part(rules, parts):
    problem = edge_and_square(*rules)
    divided = split(Part.whole(problem))
    assert len(divided.parts) == parts
    assert facts_of(divided) == facts(problem) != set()


def test_points_that_differ_outside_the_key_are_one():
    variables = tuple(Variable(name, (0, 1)) for name in "abc")
    keys = {"some": (0, 2)}
    problem = Problem(variables, (LinearSum((0, 1), Relation.LE, 1, "sum"),), keys)
    join = Join(problem, "some", split(Part.whole(problem)))
    assert list(join.add(1, (1,))) == []
    assert list(join.add(0, (0, 0))) == [(0, 0, 1)]
    assert list(join.add(0, (0, 1))) == []
    stated = Join(problem, "some", split(Part.whole(problem)))
    blank = problem.blank
    known = [(0, blank, 1), (1, blank, 0)]  # points from a file, which has the key alone
    assert set(stated.all_of(known)) == {(a, blank, c) for a in (0, 1) for c in (0, 1)}


def listing_of(problem, key="all", **more):
    return Listing(problem, key, "brute", **more)


@pytest.mark.parametrize(
    "method",
    ["native", "partition", *(pytest.param(way, marks=pytest.mark.long) for way in ("cubes", "cuts"))],
)
def test_lists_are_complete(method):
    problem, _ = islands(Random(5))
    points, end = taken(joining.list_joined(listing_of(problem), method, Deadline()), 10**4)
    assert end == (Proof.COMPLETE, Stop.FINISHED)
    assert len(points) == len(set(points))
    assert set(points) == set(views(problem, "all"))
