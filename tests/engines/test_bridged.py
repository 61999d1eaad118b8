"""Every engine on constraints lists exactly the points of a problem, also with constraints unknown to it."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import any_problem
from thoroughness import examples, mostly_long

from milp_pips.constraints import DominoCover, PairSum
from milp_pips.engines import registry
from milp_pips.engines.contract import TRANSFORMATIONS
from milp_pips.problem.answer import Proof, Settings, Stop
from milp_pips.problem.problem import Problem, Variable
from milp_pips.problem.stopping import Deadline

BRIDGING = ("cp-sat", "cpmpy", "clingo", "minizinc")


def a_problem(rng: random.Random) -> Problem:
    """Return a problem of any constraints, half of the time beside a cover of two cells."""
    problem = any_problem(rng, 4)
    if rng.random() < 0.5:
        return problem
    n, dominoes = len(problem.variables), (tuple(sorted(rng.choices(range(-1, 4), k=2))),)
    cells = [Variable(f"c{i}", tuple(range(-1, 4))) for i in (0, 1)]
    cells += [Variable(f"p{i}", (0, 1, 2)) for i in (0, 1)]
    cover = DominoCover((n, n + 1), (n + 2, n + 3), ((0, 1),), dominoes, "cover")
    variables = (*problem.variables, *cells)
    return Problem(variables, (cover, *problem.constraints), {"all": tuple(range(len(variables)))})


@pytest.mark.parametrize("name", mostly_long(3, BRIDGING))
def test_the_points_are_those_of_the_problem_each_once(name):
    solver = registry.solver(name)
    if reason := registry.reason_against(solver):
        pytest.skip(reason)

    @examples(2 if name == "minizinc" else 6)  # a program that is started twice for each
    @given(st.randoms(use_true_random=False))
    def compare(rng):
        problem = a_problem(rng)
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
