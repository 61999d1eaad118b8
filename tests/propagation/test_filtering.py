"""Reductions of domains lose no solution and remove the values that they promise to remove."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import random_domino_problem, random_problem, solutions
from thoroughness import examples

from milp_pips.constraints import (
    AllDifferent,
    AllEqual,
    Automaton,
    Cardinality,
    DominoCover,
    LinearSum,
    NoGood,
    Regular,
    Relation,
)
from milp_pips.engines import registry
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.errors import Contradiction, UsageError
from milp_pips.problem.problem import Problem, Variable
from milp_pips.propagation import DEFAULT_RULES, REDUCTIONS, filter_domains, reduce_domains
from milp_pips.puzzles.family import family_of
from milp_pips.puzzles.pips.puzzle import Pips, Region, Rule
from milp_pips.tasks.solve import solve
from milp_pips.testing import board
from milp_pips.verification.recounting import Opinion

chances = st.randoms(use_true_random=False)
ROW = [(0, 0), (0, 1), (0, 2), (0, 3)]
BLOCK = [(0, 0), (0, 1), (1, 0), (1, 1)]


def loses_nothing(problem: Problem, rule: str) -> None:
    """Check that the reduced problem is a part of the problem with the same solutions."""
    expected = solutions(problem)
    try:
        reduced = reduce_domains(problem, [rule])
    except Contradiction:
        assert not expected
        return
    assert solutions(reduced) == expected
    assert [v.name for v in reduced.variables] == [v.name for v in problem.variables]
    for before, after in zip(problem.variables, reduced.variables, strict=True):
        assert list(after.domain) == [value for value in before.domain if value in after.domain]
    for before, after in zip(problem.constraints, reduced.constraints, strict=True):
        if isinstance(after, DominoCover):
            assert set(after.edges) <= set(before.edges)
        else:
            assert after == before
    assert reduced.keys == problem.keys


@examples(7)
@given(chances)
@pytest.mark.parametrize("rule", list(REDUCTIONS))
def test_nothing_is_lost_on_boards_with_regions(rule: str, rng: random.Random) -> None:
    loses_nothing(random_domino_problem(rng, tidy=True), rule)


@examples(7)
@given(chances)
@pytest.mark.parametrize("rule", list(REDUCTIONS))
def test_nothing_is_lost_on_boards_with_any_rules(rule: str, rng: random.Random) -> None:
    loses_nothing(random_domino_problem(rng, tidy=False), rule)


@examples(7)
@given(chances)
@pytest.mark.parametrize("rule", list(REDUCTIONS))
def test_nothing_is_lost_without_dominoes(rule: str, rng: random.Random) -> None:
    loses_nothing(random_problem(rng), rule)


@examples(8)
@given(chances)
def test_filtering_what_is_filtered_changes_nothing(rng: random.Random) -> None:
    try:
        once = filter_domains(random_domino_problem(rng, tidy=True))
    except Contradiction:
        return
    assert filter_domains(once) == once


def filtered(domains: list[tuple[int, ...]], *constraints: Constraint) -> list[tuple[int, ...]]:
    variables = tuple(Variable(f"x{i}", domain) for i, domain in enumerate(domains))
    return [variable.domain for variable in filter_domains(Problem(variables, constraints)).variables]


# accepts 1 2* 3
ONE_TWO_THREE = Automaton(0, frozenset({2}), ((0, 1, 1), (1, 2, 1), (1, 3, 2)))


@pytest.mark.parametrize(
    "domains, constraint, left",
    [
        ([(1, 2, 3), (2, 3, 4)], AllEqual((0, 1)), [(2, 3), (2, 3)]),
        ([(1,), (1, 2), (1, 2, 3)], AllDifferent((0, 1, 2)), [(1,), (2,), (3,)]),
        ([(1, 2), (1, 2), (1, 2, 3, 4)], AllDifferent((0, 1, 2)), [(1, 2), (1, 2), (3, 4)]),
        ([(1, 2), (1, 2, 3), (1, 2)], AllDifferent((0, 1, 2)), [(1, 2), (3,), (1, 2)]),
        ([(0, 4), (0, 1), (-2, 5)], LinearSum((0, 1, 2), Relation.EQ, 10), [(4,), (1,), (5,)]),
        ([(0, 4), (0, 1), (-2, 5)], LinearSum((0, 1, 2), Relation.LE, 0), [(0,), (0, 1), (-2,)]),
        ([(0, 4), (0, 1), (-2, 5)], LinearSum((0, 1, 2), Relation.GE, 6), [(0, 4), (0, 1), (5,)]),
        ([(1, 2), (2, 3), (1, 3)], Cardinality((0, 1, 2), ((2, 2, 2),)), [(2,), (2,), (1, 3)]),
        ([(2,), (2, 3), (1, 3)], Cardinality((0, 1, 2), ((2, 0, 1),)), [(2,), (3,), (1, 3)]),
        ([(1, 2), (1, 2, 3), (2, 3)], Regular((0, 1, 2), ONE_TWO_THREE), [(1,), (2,), (3,)]),
        # what filtering leaves alone
        ([(1, 2), (1, 2)], NoGood((0, 1), (1, 1)), [(1, 2), (1, 2)]),
    ],
)
def test_each_constraint_takes_what_it_cannot_have(domains, constraint, left):
    assert filtered(domains, constraint) == left


@pytest.mark.parametrize(
    "dominoes, constraints, left",
    [
        # three equal cells need three halves: 1 alone has them
        ([(1, 1), (1, 2)], [AllEqual((0, 1, 2))], [(1,), (1,), (1,), (2,)]),
        # two regions of equal cells share the halves out: 3 is left for neither of the others
        ([(3, 3), (1, 2)], [AllEqual((0, 1))], [(3,), (3,), (1, 2), (1, 2)]),
        # the last cell has to show what no other may
        ([(1, 1), (1, 2)], [LinearSum((0, 1, 2), Relation.LE, 3)], [(1,), (1,), (1,), (2,)]),
        # there is one 6 only, so that the others come to 10 at most: no cell of the three may show 0
        ([(0, 4), (2, 6)], [LinearSum((0, 1, 2), Relation.GE, 12)], [(2, 6), (2, 6), (4,), (0,)]),
        ([(2, 6), (0, 4)], [LinearSum((0, 1, 2), Relation.LE, 6)], [(0, 4), (0, 4), (2,), (6,)]),
        # beside a 1 there is a 2
        ([(1, 2), (3, 4)], [LinearSum((0,), Relation.EQ, 1)], [(1,), (2,), (3, 4), (3, 4)]),
    ],
)
def test_dominoes_tell_what_cells_can_show(dominoes, constraints, left):
    problem = filter_domains(board(1, 4, dominoes, constraints))
    assert [v.domain for v in problem.variables[:4]] == left
    assert [v.domain for v in problem.variables[4:]] == [(1,), (0,), (3,), (2,)]
    assert problem.constraints[0].edges == ((0, 1), (2, 3))


@pytest.mark.parametrize(
    "cells, regions, dominoes, reason",
    [
        (
            ROW,
            [Region("A", tuple(ROW[:2]), Rule.SUM, 9)],
            [(1, 2), (3, 4)],
            "region A: sum 9 cannot be met",
        ),
        (
            BLOCK,
            [Region("B", tuple(BLOCK[:3]), Rule.NEQ)],
            [(1, 2), (1, 2)],
            "region B: all different cannot be met",
        ),
        (
            BLOCK,
            [Region("C", tuple(BLOCK), Rule.EQ)],
            [(1, 1), (1, 2)],
            "the cells cannot show 2 as often as the dominoes do",
        ),
        (
            BLOCK,
            [Region("D", tuple(BLOCK[:3]), Rule.SUM, 13)],
            [(0, 4), (2, 6)],
            "region D: sum 13 cannot be met with the dominoes that are left",
        ),
        (
            ROW,
            [Region("E", (ROW[0],), Rule.SUM, 1), Region("F", (ROW[1],), Rule.SUM, 4)],
            [(1, 2), (3, 4)],
            "no domino fits on r1c1",
        ),
        (
            ROW,
            [Region(str(i), (ROW[i],), Rule.SUM, v) for i, v in enumerate((1, 2, 2, 1))],
            [(1, 2), (1, 1)],
            "more dominoes 1-2 are needed than there are",
        ),
        ([(0, 0), (0, 1), (5, 5), (6, 6)], [], [(1, 2), (3, 4)], "no domino fits on r7c7"),
    ],
)
def test_a_contradiction_is_told_in_the_players_words_and_confirmed(cells, regions, dominoes, reason):
    result = solve(Pips.on_grid("no", cells, regions, dominoes))
    assert (result.status, result.solver, result.remark) == ("infeasible", "filtering", reason)
    assert result.confirmed_by
    summary = f"no solution, proven by filtering in {result.seconds['total']:.3f} s; confirmed by"
    assert summary in result.summary()


@pytest.mark.parametrize(
    "problem, reason",
    [
        (board(1, 2, [(1, 2), (1, 2)], []), "2 cells cannot be covered by 2 dominoes"),
        (board(1, 2, [(1, 2)], []).restricted({0: ()}), "cell 0 can take no value"),
        (board(1, 2, [(1, 2)], []).restricted({0: (1,), 1: (1,)}), "no cell can show 2"),
        (Problem((Variable("x", (1,)),), (AllEqual((0,)), Cardinality((0,), ((2, 1, 1),)))), "a rule cannot"),
    ],
)
def test_problems_that_no_player_would_pose(problem, reason):
    with pytest.raises(Contradiction, match=reason):
        filter_domains(problem)


def test_a_false_contradiction_is_found_out(monkeypatch):
    def wrong(problem, deadline):
        raise Contradiction("region A cannot be met")

    monkeypatch.setattr("milp_pips.propagation.filter_domains", wrong)
    puzzle = Pips.on_grid("easy", [(0, 0), (0, 1)], [], [(2, 1)])
    result = solve(puzzle)
    assert (result.status, family_of(puzzle).check(puzzle, result.solution)) == ("solved", None)
    assert result.fault == "filtering calls it infeasible, but the decision diagram solves it"
    monkeypatch.setattr("milp_pips.verification.second_opinion.on_no_solution", lambda *_: Opinion(None))
    result = solve(puzzle)
    assert (result.status, result.solution) == ("unknown", None)
    assert result.remark == "filtering reports that there is no solution, but nothing has confirmed it"


def test_rules_of_the_notebook_reduce_what_they_say():
    equal = reduce_domains(board(1, 4, [(1, 1), (1, 2)], [AllEqual((0, 1, 2))]), ["equality"])
    assert [v.domain for v in equal.variables[:4]] == [(1,), (1,), (1,), (1, 2)]
    low = reduce_domains(board(1, 2, [(1, 5)], [LinearSum((0, 1), Relation.LE, 4)]), ["pruning"])
    assert [v.domain for v in low.variables[:2]] == [(1,), (1,)]
    with pytest.raises(
        UsageError, match="unknown presolve rule 'magic'; known: filtering, equality, pruning"
    ):
        reduce_domains(equal, ["magic"])


def test_filtering_is_on_unless_a_published_model_is_asked_for():
    puzzle = Pips.on_grid("sum", ROW, [Region("A", (ROW[0],), Rule.SUM, 1)], [(1, 2), (3, 4)])
    assert solve(puzzle, "highs").size["columns"] < solve(puzzle, "highs", rules=[]).size["columns"]
    assert DEFAULT_RULES == ("filtering",)
    published = {name: registry.solver(name).published for name in ("highs", "cp-sat", "two-stage")}
    assert published == {
        "highs": set(),
        "cp-sat": {"baseline", "equality", "pruning"},
        "two-stage": {"streamed", "counted"},
    }
    impossible = Pips.on_grid("no", ROW, [Region("A", tuple(ROW[:2]), Rule.SUM, 9)], [(1, 2), (3, 4)])
    assert solve(impossible, "brute").solver == "filtering"
    assert solve(impossible, "two-stage").solver == "two-stage"
