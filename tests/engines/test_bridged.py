"""Every engine on constraints lists exactly the points of a problem, also with constraints unknown to it."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strange_constraints import EvenSum, FarApart
from thoroughness import examples

from milp_pips.constraints import (
    AllDifferent,
    AllEqual,
    AnyOf,
    Automaton,
    Cardinality,
    DominoCover,
    Fixed,
    Less,
    LinearSum,
    NoGood,
    PairSum,
    Regular,
    Table,
)
from milp_pips.engines import registry
from milp_pips.engines.contract import TRANSFORMATIONS
from milp_pips.problem.answer import Proof, Settings, Stop
from milp_pips.problem.problem import Problem, unchecked_variable
from milp_pips.problem.stopping import Deadline

BRIDGING = ("cp-sat", "cpmpy", "clingo", "minizinc")
VALUES = st.integers(-1, 3)


@st.composite
def constraints(draw, variables):
    """One constraint of any class on some of the variables."""
    scope = draw(st.permutations(range(variables)))[: draw(st.integers(1, variables))]
    scope, pair = tuple(scope), tuple(draw(st.permutations(range(variables)))[:2])
    n = len(scope)
    values = st.tuples(*[VALUES] * n)
    relation = st.sampled_from(("==", "<=", ">="))
    bound = st.none() | st.integers(-2, 3)
    term = st.tuples(st.integers(0, variables - 1), VALUES, st.integers(-2, 2))
    fact = st.tuples(st.integers(0, variables - 1), VALUES, st.booleans())
    arc = st.tuples(st.integers(0, 2), VALUES, st.integers(0, 2))
    automaton = st.builds(
        Automaton,
        st.just(0),
        st.frozensets(st.integers(0, 2)),
        st.lists(arc, unique_by=lambda arc: arc[:2], max_size=12).map(tuple),
    )
    made = st.one_of(
        st.just(AllEqual(scope)),
        st.just(AllDifferent(scope)),
        st.builds(LinearSum, st.just(scope), relation, st.integers(-2, 5), coefficients=st.just(()) | values),
        st.builds(Less, st.just(pair), strict=st.booleans()),
        st.builds(Table, st.just(scope), st.lists(values, max_size=8).map(tuple)),
        st.builds(
            Cardinality,
            st.just(scope),
            st.lists(st.tuples(VALUES, st.integers(0, 1), st.integers(1, 2)), max_size=2).map(tuple),
        ),
        st.builds(Regular, st.just(scope), automaton),
        st.builds(NoGood, st.just(scope), values, least=st.integers(0, 2)),
        st.builds(
            PairSum,
            st.lists(term, unique_by=lambda term: term[:2], max_size=4).map(tuple),
            low=bound,
            high=bound,
        ),
        st.builds(Fixed, st.just(scope[0]), VALUES),
        st.builds(AnyOf, st.lists(fact, max_size=3).map(tuple)),
        st.builds(FarApart, st.just(pair), st.integers(0, 3)),
        st.just(EvenSum(scope)),
    )
    return draw(made)


@st.composite
def problems(draw):
    """Problems on four variables with some constraints, and often with a cover of two cells."""
    domains = draw(st.lists(st.sets(VALUES, min_size=1, max_size=4), min_size=4, max_size=4))
    cover = []
    if draw(st.booleans()):
        domains[2], domains[3] = {1, 2}, {0, 1}
        dominoes = (tuple(sorted(draw(st.tuples(VALUES, VALUES)))),)
        cover = [DominoCover((0, 1), (2, 3), ((0, 1),), dominoes, "cover")]
    variables = [unchecked_variable(f"v{i}", tuple(sorted(domain))) for i, domain in enumerate(domains)]
    rules = draw(st.lists(constraints(len(variables)), max_size=4))
    return Problem(tuple(variables), (*cover, *rules), {"all": tuple(range(len(variables)))})


@pytest.mark.parametrize("name", BRIDGING)
def test_the_points_are_those_of_the_problem_each_once(name):
    solver = registry.solver(name)
    if reason := registry.reason_against(solver):
        pytest.skip(reason)

    @examples(4 if name == "minizinc" else 12)  # a program that is started twice for each
    @given(problem=problems())
    def compare(problem):
        assignments = product(*(variable.domain for variable in problem.variables))
        expected = [point for point in assignments if problem.violated(point) is None]
        assert sorted(solver.points(problem, "all", Settings(), Deadline())) == expected
        answer = solver.solve(problem, Settings(), Deadline())
        assert answer.proof is (Proof.FEASIBLE if expected else Proof.INFEASIBLE)
        assert answer.point in expected if expected else answer.point is None
        assert answer.stop is Stop.FINISHED

    compare()


def test_every_solver_lists_its_transformations():
    for name in registry.SOLVERS:
        found = registry.solver(name)
        assert set(found.transformations) <= set(TRANSFORMATIONS)
        bridges = "bridge" in found.transformations
        assert bridges is (name in BRIDGING) is bool(found.native)
        assert not bridges or PairSum in found.native
