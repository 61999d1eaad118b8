"""The constraints accept exactly the assignments that they describe."""

from itertools import product

import pytest

from milp_pips.constraints import (
    AllDifferent,
    AllEqual,
    Automaton,
    Cardinality,
    DominoCover,
    Less,
    LinearSum,
    Regular,
    Relation,
    Table,
)
from milp_pips.problem.problem import Problem, Variable

WORDS = list(product(range(3), repeat=3))


@pytest.mark.parametrize(
    "constraint, meaning",
    [
        (AllEqual((0, 1, 2)), lambda w: w[0] == w[1] == w[2]),
        (AllDifferent((0, 1, 2)), lambda w: w[0] != w[1] and w[1] != w[2] and w[0] != w[2]),
        (LinearSum((0, 2), Relation.EQ, 2), lambda w: w[0] + w[2] == 2),
        (LinearSum((0, 1, 2), Relation.LE, 2), lambda w: w[0] + w[1] + w[2] <= 2),
        (LinearSum((0, 1, 2), Relation.GE, 5), lambda w: w[0] + w[1] + w[2] >= 5),
        (LinearSum((0, 2), Relation.EQ, 1, "", (2, -3)), lambda w: 2 * w[0] - 3 * w[2] == 1),
        (LinearSum((1, 0, 2), Relation.GE, 4, "", (3, 0, 1)), lambda w: 3 * w[1] + w[2] >= 4),
        (Less((2, 0)), lambda w: w[2] < w[0]),
        (Less((2, 0), strict=False), lambda w: w[2] <= w[0]),
        (Table.from_text((2, 0), "0 1; 2 2; 5 1"), lambda w: (w[2], w[0]) in {(0, 1), (2, 2)}),
        (Table((0, 1), ()), lambda _: False),
        (Table((), ((),)), lambda _: True),
        (Cardinality((0, 1, 2), ((1, 1, 2), (2, 0, 0))), lambda w: w.count(1) in (1, 2) and 2 not in w),
        # 0* 1 2*
        (
            Regular((0, 1, 2), Automaton(0, frozenset({1}), ((0, 0, 0), (0, 1, 1), (1, 2, 1)))),
            lambda w: w in {(0, 0, 1), (0, 1, 2), (1, 2, 2)},
        ),
    ],
    ids=lambda x: type(x).__name__ if not callable(x) else "",
)
def test_holds_exactly_for_the_assignments_that_obey(constraint, meaning):
    assert [w for w in WORDS if constraint.holds(w)] == [w for w in WORDS if meaning(w)]


# Three cells in a row and one below the first: 0-1, 1-2, 0-3.
COVER = DominoCover((0, 1, 2, 3), (4, 5, 6, 7), ((0, 1), (0, 3), (1, 2)), ((1, 2), (1, 2)))


@pytest.mark.parametrize(
    "values, partners, right",
    [
        ((1, 1, 2, 2), (3, 2, 1, 0), True),
        ((2, 2, 1, 1), (3, 2, 1, 0), True),
        ((1, 1, 2, 1), (3, 2, 1, 0), False),  # 1-1 is no domino
        ((1, 1, 2, 2), (3, 2, 1, 1), False),  # partners disagree
        ((1, 2, 1, 2), (2, 3, 0, 1), False),  # not neighbours
        ((1, 2, 1, 2), (1, 0, 3, 2), False),  # 2 and 3 are not neighbours
        ((1, 1, 2, 2), (3, 9, 1, 0), False),  # no such cell
    ],
)
def test_domino_cover_wants_a_matching_along_edges_with_the_given_dominoes(values, partners, right):
    assert COVER.holds(values + partners) is right


def test_node_consistency_reads_off_what_one_cell_alone_is_told():
    cells = tuple(Variable(f"v{i}", (0, 1, 2, 3)) for i in range(4))
    rules = (
        LinearSum((0,), Relation.EQ, 2),
        LinearSum((1,), Relation.LE, 2),
        Table.from_text((1,), "1; 2; 3"),
        LinearSum((2,), Relation.EQ, 9),
        AllEqual((0, 3)),
    )
    problem = Problem(cells, rules).node_consistent()
    assert [v.domain for v in problem.variables] == [(2,), (1, 2), (0, 1, 2, 3), (0, 1, 2, 3)]
    assert problem.constraints == rules


def test_violated_names_the_rule_and_the_variable():
    problem = Problem((Variable("a", (0, 1)), Variable("b", (0, 1))), (AllEqual((0, 1), "both the same"),))
    assert problem.violated((1, 1)) is None
    assert problem.violated((0, 1)) == "both the same"
    assert problem.violated((2, 2)) == "a cannot be 2"
    assert problem.restricted({1: (1, 7)}).variables[1].domain == (1,)


def test_the_rows_of_a_table_are_text():
    table = Table((3, 1), ((1, -2), (0, 5)), "two rows")
    assert Table.from_text((3, 1), "1 -2; 0 5", "two rows") == table
    assert eval(repr(table)) == table
    assert Table.from_text((3, 1), "") == Table((3, 1), ())


def test_an_automaton_must_be_deterministic():
    with pytest.raises(ValueError, match="not deterministic"):
        Automaton(0, frozenset({1}), ((0, 0, 0), (0, 0, 1)))
