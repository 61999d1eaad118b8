"""Proofs by counting find each shortage, and none if brute force finds a solution."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from brute_force import placements
from hypothesis import given
from strategies import pips_puzzles
from thoroughness import examples

import milp_pips
from milp_pips.constraints import AllDifferent, AllEqual, LinearSum, Relation
from milp_pips.propagation.supply_certificates import shortage
from milp_pips.testing import board, large

DOMINOES = [(0, 1), (0, 2), (1, 3)]
"""On six cells: 0 and 1 twice each, 2 and 3 once."""


def total(cells, relation, target):
    return LinearSum(cells, relation, target, f"cells {cells}")


@pytest.mark.parametrize(
    "rules, reason",
    [
        ([total((0, 1), Relation.GE, 6)], r"the dominoes do not show what cells \(0, 1\) asks for"),
        ([total((0, 1, 2), Relation.LE, 0)], r"the dominoes do not show what cells \(0, 1, 2\) asks for"),
        ([AllEqual((0, 1, 2), "three alike")], "the dominoes do not show what three alike asks for"),
        ([AllDifferent((0, 1, 2, 3, 4), "five kinds")], "the dominoes do not show what five kinds asks for"),
        ([total((0,), Relation.EQ, 5)], "no domino shows what cell 0 may be"),
        (
            [total((v,), Relation.EQ, 3) for v in (0, 1)],
            "2 cells must show 3, which the dominoes show once",
        ),
        (
            [total((v,), Relation.GE, 1) for v in range(5)],
            "1 cell can show 0, which the dominoes show 2 times",
        ),
        (
            [total((0, 1), Relation.EQ, 4), total((2, 3), Relation.EQ, 4)],
            "the cells show 8 together at least, and the dominoes 7",
        ),
        (
            [total((0, 1, 2), Relation.LE, 2), total((3, 4, 5), Relation.EQ, 4)],
            "the cells show 6 together at most, and the dominoes 7",
        ),
    ],
)
def test_each_shortage_is_seen_and_is_one(rules, reason):
    problem = board(2, 3, DOMINOES, rules)
    assert milp_pips.compile(problem, method="diagram", rules=()).count == 0
    found = shortage(problem)
    assert found is not None
    assert re.fullmatch(reason, found)


def test_the_same_board_without_the_rules_has_none():
    assert shortage(board(2, 3, DOMINOES, [])) is None
    assert shortage(large()) is None


@examples(12)
@given(puzzle=pips_puzzles())
def test_no_shortage_where_there_is_a_solution(puzzle):
    if placements(puzzle):
        assert shortage(milp_pips.state(puzzle)) is None


def test_sums_that_do_not_add_up_are_refused_before_a_search_and_confirmed():
    """Each sum can be met by itself, so filtering removes nothing; a search would not terminate."""
    puzzle = next(
        milp_pips.generate(style="plain", dominoes=60, seed=1, region_sizes="2..4", rules="SUM")
    ).puzzle
    number, region = next((i, r) for i, r in enumerate(puzzle.regions) if 3 < r.target < 9)
    more = region._replace(target=region.target + 1)
    puzzle = replace(puzzle, regions=(*puzzle.regions[:number], more, *puzzle.regions[number + 1 :]))
    result = milp_pips.solve(puzzle)
    assert (result.status, result.solver) == ("infeasible", "counting")
    assert "the cells show" in result.remark
    assert result.confirmed_by
    assert result.confirmed_by != result.remark
