"""Every constraint passes the conformance suite of constraints, by every engine."""

from __future__ import annotations

from milp_pips.constraints import (
    AllDifferent,
    AllEqual,
    AnyOf,
    Automaton,
    Cardinality,
    Connected,
    DominoCover,
    Fixed,
    Less,
    LinearSum,
    NoGood,
    PairSum,
    Regular,
    Relation,
    Table,
)
from milp_pips.testing import ConstraintConformance as EveryEngine


class ConstraintConformance(EveryEngine):
    """The suite by one engine of each kind."""

    solvers = ("highs", "cp-sat", "clingo", "sat", "cdcl", "brute")


class TestAllEqual(ConstraintConformance):
    constraint = "all-equal"
    cases = (
        (AllEqual((0, 1, 2), "equal"), ((1, 2, 3), (2, 3, 4), (0, 2, 3))),
        (AllEqual((2, 0), "equal"), ((1,), (0, 5), (2, 3))),
    )


class TestAllDifferent(ConstraintConformance):
    constraint = "all-different"
    cases = (
        (AllDifferent((0, 1, 2), "different"), ((1, 2), (1, 2), (1, 2, 3))),
        (AllDifferent((3, 1, 0), "different"), ((-1, 4), (4, 7), (0, 1), (-1, 7))),
        (AllDifferent((0, 1, 2), "different"), ((1, 2), (1, 2), (1, 2))),
    )


class TestLinearSum(ConstraintConformance):
    constraint = "linear-sum"
    cases = (
        (LinearSum((0, 1, 2), Relation.EQ, 6, "sum"), ((1, 2, 3), (1, 2, 3), (-1, 2, 4))),
        (LinearSum((0, 2), Relation.LE, 1, "sum", (2, -3)), ((0, 1, 4), (7, 8), (0, 2, 3))),
        (LinearSum((1, 0), Relation.GE, 9, "sum", (1, 0)), ((0, 1), (3, 5))),
    )


class TestLess(ConstraintConformance):
    constraint = "less"
    cases = (
        (Less((0, 1), label="less"), ((1, 2, 4), (1, 3, 4), (0, 1))),
        (Less((2, 0), strict=False, label="at most"), ((-1, 3), (0, 1), (-1, 3, 5))),
    )


class TestTable(ConstraintConformance):
    constraint = "table"
    cases = (
        (Table.from_text((0, 1, 2), "1 2 0; 1 2 0; 2 2 1; 1 9 1", "rows"), ((1, 2), (1, 2), (0, 1))),
        (Table((1, 0), (), "no row"), ((1, 2), (1, 2))),
    )


class TestCardinality(ConstraintConformance):
    constraint = "cardinality"
    cases = (
        (Cardinality((0, 1, 2, 3), ((1, 1, 2), (2, 0, 1)), "counts"), ((1, 2), (1, 2, 3), (0, 1), (1, 2))),
        (Cardinality((0, 1), ((7, 1, 2),), "sevens"), ((1, 2), (1, 3))),
    )


class TestRegular(ConstraintConformance):
    constraint = "regular"
    cases = (
        (
            Regular((0, 1, 2, 3), Automaton(0, frozenset({1}), ((0, 0, 0), (0, 1, 1), (1, 1, 1))), "0*1+"),
            ((0, 1), (0, 1), (0, 1, 2), (0, 1)),
        ),
        (Regular((1, 0), Automaton(5, frozenset({6}), ((5, 2, 6), (6, 2, 5))), "odd"), ((2, 3), (1, 2))),
    )


class TestNoGood(ConstraintConformance):
    constraint = "no-good"
    cases = (
        (NoGood((0, 1, 2), (1, 2, 3)), ((1, 2), (1, 2), (1, 3))),
        (NoGood((0, 1, 2), (1, 9, 3), least=2), ((1, 2), (1, 2), (1, 3))),
    )


class TestPairSum(ConstraintConformance):
    constraint = "pair-sum"
    cases = (
        (PairSum(((0, 1, 2), (0, 2, -1), (1, 3, 1)), 0, 2, "facts"), ((1, 2, 3), (2, 3), (0, 1))),
        (PairSum(((2, 0, 1), (0, 5, -2), (1, 2, 1)), None, -1, "facts"), ((1, 5), (2, 3), (0, 1))),
        (PairSum(((0, 9, 1),), 1, None, "never"), ((1, 2),)),
    )


class TestAnyOf(ConstraintConformance):
    constraint = "any-of"
    cases = (
        (AnyOf(((0, 1, True), (1, 2, False)), "one of these"), ((1, 2), (2, 3), (0, 1))),
        (AnyOf(((0, 7, True),), "never"), ((1, 2),)),
    )


class TestFixed(ConstraintConformance):
    constraint = "fixed"
    cases = ((Fixed(1, 3, "fixed"), ((1, 2), (2, 3))), (Fixed(0, 9, "never"), ((1, 2),)))


class TestConnected(ConstraintConformance):
    constraint = "connected"
    cases = (
        (
            Connected((0, 1, 2, 3, 4), ((0, 1), (1, 2), (0, 3), (2, 4)), (1, 2), "connected"),
            ((0, 1, 2), (0, 1), (0, 1), (0, 1), (0, 2)),
        ),
        (Connected((2, 0, 1), ((0, 1),), (5,), "connected"), ((5, 6), (5,), (4, 5))),
        (Connected((0, 1), (), (1,), "never"), ((1,), (1,))),
    )


class TestDominoCover(ConstraintConformance):
    constraint = "domino-cover"
    cases = (
        (
            DominoCover(
                (0, 1, 2, 3), (4, 5, 6, 7), ((0, 1), (0, 2), (1, 3), (2, 3)), ((1, 1), (1, 2)), "cover"
            ),
            ((1, 2), (1, 2), (1, 2), (1,), (1, 2), (0, 3), (0, 3), (1, 2)),
        ),
    )
