"""The suites of plugins end: what never answers fails, and what there is no time for is named."""

from __future__ import annotations

from itertools import count
from types import SimpleNamespace

import pytest
from faulty_solvers import FaultySolver

from milp_pips.constraints import Less
from milp_pips.engines import registry
from milp_pips.problem.answer import Answer, Proof
from milp_pips.testing import ConstraintConformance, SolverConformance, constraints


class SuiteOfLess(ConstraintConformance):
    constraint = "less"
    cases = ((Less((0, 1), label="a < b"), ((1, 2), (1, 2, 3))),)


def test_the_suite_of_a_constraint_names_the_engines_that_it_has_no_time_for(monkeypatch, capsys):
    monkeypatch.setattr(constraints.engines, "names", lambda: ("brute", "diagram", "cdcl"))
    ticks = count(step=100)
    monkeypatch.setattr(constraints, "time", SimpleNamespace(monotonic=lambda: next(ticks)))
    with pytest.warns(UserWarning, match="not tested, after 60 s: diagram, cdcl"):
        SuiteOfLess().test_every_engine_lists_its_solutions()
    assert "brute lists case 1 of 1; 100.0 s so far" in capsys.readouterr().out


class Waiter(FaultySolver):
    """Does not answer until it is stopped."""

    name = "waiter"

    def solve(self, problem, settings, deadline):
        while not deadline.stop:
            pass
        return Answer(None, Proof.NONE, deadline.stop)


class SuiteOfWaiter(SolverConformance):
    solver = "waiter"
    seconds = 0.05


def test_a_solver_that_never_answers_fails_its_suite_instead_of_holding_it_up(monkeypatch):
    monkeypatch.setitem(registry.SOLVERS, "waiter", f"{__name__}:Waiter")
    with pytest.raises(AssertionError, match="stop time"):
        SuiteOfWaiter().test_infeasible()
    incomplete = type("SuiteOfIncomplete", (SuiteOfWaiter,), {"complete": False})
    incomplete().test_infeasible()
