"""CP-SAT: our statement, the notebook's three, and the reductions of domains."""

from __future__ import annotations

import pytest
from brute_force import placement_of, placements
from hypothesis import given
from strategies import pips_puzzles
from thoroughness import examples

import milp_pips
from milp_pips.engines import registry
from milp_pips.problem.answer import Proof, Settings
from milp_pips.problem.errors import UsageError
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.family import family_of
from milp_pips.testing import board

SOLVER = registry.solver("cp-sat")
pytestmark = pytest.mark.skipif(bool(SOLVER.unavailable()), reason=SOLVER.unavailable() or "")


@pytest.mark.parametrize("strategy", ["native", "baseline", "equality", "pruning"])
def test_solvable_or_not_as_brute_force_says(strategy):
    @examples(8)
    @given(puzzle=pips_puzzles())
    def same(puzzle):
        problem = milp_pips.state(puzzle)
        answer = SOLVER.solve(problem, Settings(strategy), Deadline())
        expected = placements(puzzle)
        assert answer.proof is (Proof.FEASIBLE if expected else Proof.INFEASIBLE)
        assert answer.formulation == strategy
        if expected:
            assert problem.violated(answer.point) is None
            assert placement_of(family_of(puzzle).decode(puzzle, answer.point)) in expected

    same()


def test_parameters():
    problem = board(1, 2, [(0, 1)], [])
    assert SOLVER.solve(problem, Settings(options={"linearization_level": "0"}), Deadline()).point
    for options in ({"magic": "1"}, {"linearization_level": "much"}):
        with pytest.raises(UsageError, match=r"CP-SAT (does not accept|has no parameter)"):
            SOLVER.solve(problem, Settings(options=options), Deadline())


def test_every_status_of_cp_sat_is_known_or_an_error():
    from ortools.sat.python import cp_model

    from milp_pips.engines.cp_sat import STATUSES

    names = {"UNKNOWN", "MODEL_INVALID", "FEASIBLE", "INFEASIBLE", "OPTIMAL"}
    assert all(hasattr(cp_model, name) for name in names)
    assert names - set(STATUSES) == {"MODEL_INVALID"}
