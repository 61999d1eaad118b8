"""Bridges: the rewritten problem has the same points, and only constraints that the engine takes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import pytest
from strange_constraints import EvenSum, FarApart

from milp_pips.constraints import (
    AllDifferent,
    AnyOf,
    Fixed,
    Less,
    LinearSum,
    NoGood,
    PairSum,
    Relation,
)
from milp_pips.constraints.bridges import BRIDGES, bridge, point_of
from milp_pips.problem.constraint import Constraint, Row
from milp_pips.problem.errors import UsageError
from milp_pips.problem.problem import Problem, Variable, unchecked_variable

VARIABLES = (Variable("x", (-1, 0, 2)), Variable("y", (0, 1, 2)), Variable("z", (1, 2, 5)))


def problem_of(*constraints, variables=VARIABLES):
    return Problem(variables, constraints, {"all": tuple(range(len(variables)))})


def points(problem):
    assignments = product(*(variable.domain for variable in problem.variables))
    return [point for point in assignments if problem.violated(point) is None]


BRIDGED = {
    "less": Less((1, 0), label="rule"),
    "at most": Less((0, 2), strict=False, label="rule"),
    "no-good": NoGood((0, 1, 2), (2, 1, 7), "rule", least=2),
    "no-good of nothing": NoGood((), (), "rule"),
    "fixed": Fixed(1, 2, "rule"),
    "fixed to a strange value": Fixed(1, 9, "rule"),
    "any of": AnyOf(((0, 2, True), (1, 1, False), (0, 2, True)), "rule"),
    "any of both": AnyOf(((0, 2, True), (0, 2, False)), "rule"),
    "any of none": AnyOf((), "rule"),
    "rows": FarApart((0, 2), 3, "rule"),
    "columns": EvenSum((0, 1, 2), "rule"),
}


@pytest.mark.parametrize("name", BRIDGED)
@pytest.mark.parametrize("native", [(LinearSum, PairSum), (LinearSum,)])
def test_a_bridged_problem_has_the_same_points_each_once(name, native):
    given = problem_of(BRIDGED[name])
    bridged = bridge(given, native)
    assert {type(constraint) for constraint in bridged.constraints} <= {LinearSum, PairSum}
    assert {constraint.label for constraint in bridged.constraints} <= {"rule"}
    assert [point_of(given, point) for point in points(bridged)] == points(given)
    assert (bridged.keys, bridged.value_names) == (given.keys, given.value_names)


def test_every_bridge_is_tested():
    assert set(BRIDGES) <= {type(constraint) for constraint in BRIDGED.values()}


def test_a_problem_of_native_constraints_is_the_same_object():
    class OwnSum(LinearSum):
        """Inherited classes are as good."""

    given = problem_of(OwnSum((0, 1), Relation.LE, 2), PairSum(((0, 2, 1),), 1))
    assert bridge(given, (LinearSum,)) is given
    assert bridge(given, {LinearSum: "a table"}) is given


def test_native_constraints_keep_their_places():
    first, last = AllDifferent((0, 1)), AllDifferent((1, 2))
    found = bridge(problem_of(first, Less((0, 1)), last), (AllDifferent, LinearSum)).constraints
    assert (found[0], type(found[1]), found[2]) == (first, LinearSum, last)


def test_auxiliary_variables_follow_and_have_names_of_their_own():
    variables = (Variable("aux1", (0, 1)), unchecked_variable("y", ()), Variable("aux3", (3, 4)))
    found = bridge(problem_of(EvenSum((0, 2)), EvenSum((2,)), variables=variables), ())
    assert found.variables[:3] == variables
    assert found.variables[3:] == tuple(Variable(name, (0, 1)) for name in ("aux2", "aux4", "aux5"))


@dataclass(frozen=True, slots=True)
class Odd(Constraint):
    """A constraint whose only row has this coefficient and these bounds."""

    coefficient: float = 1
    low: float = 0
    high: float = 1
    variables: tuple[int, ...] = (0,)
    label: str = "odd"

    def holds(self, assignment):
        raise AssertionError

    propagator = holds

    def linear_rows(self, builder):
        (item, _, _), *_ = builder.pairs_of((0,))
        yield Row("row", (), self.low, self.high, [(item, self.coefficient), (item, 1)])


def test_coefficients_are_whole_and_bounds_are_rounded_inwards():
    (found,) = bridge(problem_of(Odd(2.0, 0.5, float("inf"))), ()).constraints
    assert found == PairSum(((0, -1, 3),), 1, None, "odd")
    with pytest.raises(UsageError, match=r"a row of 'odd' has the coefficient 0\.5, and this engine takes"):
        bridge(problem_of(Odd(0.5)), ())
    with pytest.raises(UsageError, match="'odd': the terms of PairSum contain the number"):
        bridge(problem_of(Odd(1e12)), ())
