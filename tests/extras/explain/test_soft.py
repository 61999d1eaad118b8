"""A problem taken apart: all items say what the problem says, and any of them can be left out."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice, product
from math import prod

import pytest
from colour_grids import colour_grids
from enumerated_points import EnumeratedPoints, TooManyPoints
from hypothesis import given
from hypothesis import strategies as st
from problems import solutions
from strategies import pips_puzzles
from sudoku_strategies import sudokus
from thoroughness import examples

import milp_pips
from milp_pips.constraints import AllDifferent, AllEqual, Cardinality, Fixed, Less, LinearSum, Relation, Table
from milp_pips.constraints.domino_cover.tiling import Tiling, Usage
from milp_pips.engines.sat import SatSolver
from milp_pips.extras.explain.groups import GroupedProblem, group_constraints
from milp_pips.extras.explain.reasoner import GroupedCnf
from milp_pips.problem.answer import Settings
from milp_pips.problem.problem import Problem, Variable
from milp_pips.problem.stopping import Deadline
from milp_pips.testing import board

chances = st.integers(0, 10**9).map(random.Random)
FEW = 300
"""Points up to which an engine is asked for all of them."""

TRIED = 1_000
"""Assignments up to which all are tried; of more, some at random, and those around solutions."""

AROUND = 50
"""Solutions at most around which assignments are tried."""


def assignments(soft: GroupedProblem, rng: random.Random) -> Iterator[tuple[int, ...]]:
    """Yield assignments of the variables: all, or solutions, those near them, and others."""
    domains = [variable.domain for variable in soft.variables]
    if prod(map(len, domains)) <= TRIED:
        yield from product(*domains)
        return
    every = sorted(solutions(soft.problem))
    for point in rng.sample(every, min(AROUND, len(every))):
        yield point
        for _ in range(20):
            near = list(point)
            for v in rng.sample(range(len(domains)), rng.choice((1, 1, 2, 4))):
                near[v] = rng.choice(domains[v])
            yield tuple(near)
    for _ in range(TRIED if all(domains) else 0):
        yield tuple(map(rng.choice, domains))


def says_the_same(problem: Problem, rng: random.Random) -> None:
    """Hold that what always holds and all items are the problem, by trying assignments."""
    soft = group_constraints(problem)
    everything = range(len(soft.items))
    for assignment in assignments(soft, rng):
        assert soft.holds(assignment, everything) == (problem.violated(assignment) is None)


@examples(10)
@given(pips_puzzles(max_dominoes=3), chances)
def test_all_items_of_pips_are_the_problem(puzzle, rng):
    says_the_same(milp_pips.state(puzzle), rng)


@examples(6)
@given(sudokus(), chances)
def test_all_items_of_sudokus_are_the_problem(puzzle, rng):
    says_the_same(milp_pips.state(puzzle), rng)


@examples(10)
@given(colour_grids(), chances)
def test_all_items_of_colour_grids_are_the_problem(puzzle, rng):
    says_the_same(milp_pips.state(puzzle), rng)


# The formula


def points_under(soft: GroupedProblem, statement: GroupedCnf, chosen: set[int]) -> set[tuple[int, ...]]:
    """Return the points in which these items are made to hold, and no others are asked for."""
    loaded = SatSolver().load(statement, Deadline())
    wanted = [statement.selectors[i] for i in sorted(chosen)]
    found = set()
    while loaded.solve(wanted, Deadline()):
        point = statement.decode(loaded.model())
        assert point not in found
        found.add(point)
        loaded.add([-statement.literal(v, a) for v, a in enumerate(point)])
    return found


def obeying(soft: GroupedProblem, chosen: Iterable[int]) -> set[tuple[int, ...]]:
    domains = [variable.domain for variable in soft.variables]
    return {point for point in product(*domains) if soft.holds(point, chosen)}


def some_items(soft: GroupedProblem, rng: random.Random) -> set[int]:
    share = rng.choice((0, 0.3, 0.7, 0.9, 1))
    return {i for i in range(len(soft.items)) if rng.random() < share}


@examples(10)
@given(chances)
def test_items_of_boards_that_are_chosen_hold_and_others_need_not(rng):
    rows, columns = rng.choice(((1, 2), (1, 4), (2, 2), (2, 2)))
    dominoes = rng.choices([(0, 1), (1, 1), (0, 2), (1, 2)], k=rows * columns // 2)
    cells = range(rows * columns)
    rules = [
        rng.choice(
            (
                LinearSum(named, rng.choice(list(Relation)), rng.randint(0, 5), "a sum"),
                AllEqual(named, "alike"),
                AllDifferent(named, "different"),
                LinearSum(named, rng.choice(list(Relation)), 2, "weighed", tuple(range(-1, len(named) - 1))),
                Less((named[0], (named[0] + 1) % len(cells)), rng.random() < 0.5, "less"),
                Table(named, ((0,) * len(named), (1,) * len(named), tuple(v % 3 for v in named)), "table"),
                Cardinality(named, ((0, 0, 1), (1, 1, 2)), "counted"),
            )
        )
        for named in (tuple(rng.sample(cells, rng.randint(1, len(cells)))) for _ in range(2))
    ]
    soft = group_constraints(board(rows, columns, dominoes, rules).restricted({0: (max(max(dominoes)),)}))
    moves = {v: rng.choice(soft.variables[v].domain) for v in rng.sample(cells, rng.randint(0, 2))}
    soft = soft.with_moves(moves)
    chosen = some_items(soft, rng)
    assert points_under(soft, GroupedCnf(soft), chosen) == obeying(soft, chosen)


@examples(10)
@given(chances)
def test_items_of_grids_that_are_chosen_hold_and_others_need_not(rng):
    values = (1, 2, 3)
    variables = tuple(
        Variable(f"x{i}", (rng.choice(values),) if rng.random() < 0.3 else values) for i in range(5)
    )
    rules = (
        AllDifferent((0, 1, 2), "row"),
        LinearSum((1, 3, 4), Relation.EQ, rng.randint(3, 9), "cage"),
        Cardinality((2, 3, 4), ((1, 0, 1), (3, 1, 2)), "group"),
        LinearSum((0, 4), Relation.EQ, rng.randint(-3, 3), "weighed", (2, -1)),
        Less((0, 3), rng.random() < 0.5, "less"),
        Table((1, 2, 4), tuple(tuple(rng.choice(values) for _ in range(3)) for _ in range(8)), "table"),
    )
    soft = group_constraints(Problem(variables, rules))
    chosen = some_items(soft, rng)
    assert points_under(soft, GroupedCnf(soft), chosen) == obeying(soft, chosen)


def test_half_a_sum_is_an_item_and_both_halves_propagate_as_one():
    rule = LinearSum((0, 1), Relation.EQ, 3, "sum 3")
    soft = group_constraints(Problem(tuple(Variable(name, (0, 1, 2, 3)) for name in "ab"), (rule,)))
    assert [(item.kind, item.part, item.label) for item in soft.items] == [
        ("rule", "at least", "sum 3"),
        ("rule", "at most", "sum 3"),
    ]
    statement = GroupedCnf(soft)
    loaded = SatSolver().load(statement, Deadline())
    least, most = statement.selectors
    # With a in {0, 2} no bound by itself keeps b from 2: both together leave 1 and 3.
    known = [-statement.literal(0, 1), -statement.literal(0, 3)]
    for one in (least, most):
        assert -statement.literal(1, 2) not in (loaded.propagate([one, *known]) or ())
    following = loaded.propagate([least, most, *known])
    assert following is not None
    assert {-statement.literal(1, 2), -statement.literal(1, 0)} <= set(following)


def test_givens_become_items_and_fixed_partners_do_not():
    soft = group_constraints(board(1, 2, [(0, 1)], []).restricted({0: (1,)}))
    assert [item.piece for item in soft.items if item.kind == "given"] == [Fixed(0, 1, "cell 0")]
    assert soft.variables[0].domain == (0, 1)
    (tiling,) = soft.hard
    assert isinstance(tiling, Tiling)
    assert [item.part for item in soft.items if isinstance(item.piece, Usage)] == ["only", "all"]


@pytest.mark.parametrize("laid, only, every", [(0, True, False), (1, True, True), (2, False, True)])
def test_dominoes_of_a_kind_no_more_and_no_fewer(laid, only, every):
    soft = group_constraints(board(1, 4, [(0, 1), (1, 1)], []))
    tiling = soft.hard[0]
    assert isinstance(tiling, Tiling)
    values = {0: (1, 1, 1, 1), 1: (0, 1, 1, 1), 2: (0, 1, 1, 0)}[laid]
    point = (*values, 1, 0, 3, 2)
    assert tiling.holds(point)
    assert Usage(tiling, (0, 1), Relation.LE, 1).holds(point) is only
    assert Usage(tiling, (0, 1), Relation.GE, 1).holds(point) is every


@examples(20)
@given(pips_puzzles(max_dominoes=3), chances)
def test_what_is_near_some_cells_follows_in_the_whole(puzzle, rng):
    """Every way to lay dominoes on the board is one near some cells; and near all cells there is no other."""
    soft = group_constraints(milp_pips.state(puzzle))
    try:
        every = EnumeratedPoints(soft).every
    except TooManyPoints:
        return
    variables = range(len(soft.variables))
    for further in range(3):
        near = soft.near(rng.sample(variables, min(2, len(variables))), further)
        assert all(piece.holds(point) for piece in near.hard for point in every)
        spoken_of = {v for piece in near.hard for v in piece.variables}
        assert all(near.variables[v] == soft.variables[v] for v in spoken_of)
    if len(every) <= FEW:
        near = replace(soft.near(variables, 0).problem_of(()), keys={"all": tuple(variables)})
        found = SatSolver().points(near, "all", Settings(), Deadline())
        assert sorted(islice(found, len(every) + 1)) == sorted(every)
