"""The Pyomo plugin: what it makes of HiGHS's last words."""

from __future__ import annotations

import highspy
import pytest
from generated import random_puzzle
from waiting import expire

import milp_pips
from milp_pips.engines.pyomo import PyomoSolver
from milp_pips.problem.answer import Proof, Settings, Stop
from milp_pips.problem.stopping import Deadline


@pytest.mark.parametrize("is_over", [True, False])
def test_a_search_that_was_told_to_stop_is_no_fault(is_over, monkeypatch):
    """HiGHS says "interrupted" then, for which Pyomo has no name."""
    deadline = Deadline(300)
    monkeypatch.setattr(highspy.Highs, "run", lambda _: expire(deadline) if is_over else None)
    monkeypatch.setattr(highspy.Highs, "getModelStatus", lambda _: highspy.HighsModelStatus.kInterrupt)
    answer = PyomoSolver().solve(milp_pips.state(random_puzzle(10, 3)), Settings("aggregated"), deadline)
    assert (answer.point, answer.proof) == (None, Proof.NONE)
    assert answer.stop is (Stop.TIME if is_over else Stop.ERROR)
