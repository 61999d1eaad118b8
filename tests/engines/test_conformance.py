"""Every built-in solver passes the suite that is shipped for plugins."""

from __future__ import annotations

import pytest
from faulty_solvers import FAULTY_SOLVERS

from milp_pips.engines import registry
from milp_pips.testing import SolverConformance


class TestHighs(SolverConformance):
    solver = "highs"


class TestCbc(SolverConformance):
    solver = "cbc"


class TestPulp(SolverConformance):
    solver = "pulp"


class TestPyomo(SolverConformance):
    solver = "pyomo"


class TestScip(SolverConformance):
    solver = "scip"


class TestCpSat(SolverConformance):
    solver = "cp-sat"


class TestMiniZinc(SolverConformance):
    solver = "minizinc"


class TestCpmpy(SolverConformance):
    solver = "cpmpy"


class TestCpmpyOnAnEngineInJava(SolverConformance):
    solver = "cpmpy:choco"


class TestCpmpyOnAnEngineInRust(SolverConformance):
    solver = "cpmpy:pumpkin"


class TestClingo(SolverConformance):
    solver = "clingo"


class TestGanak(SolverConformance):
    solver = "ganak"


class TestSat(SolverConformance):
    solver = "sat"


class TestSatThatCannotBeInterrupted(SolverConformance):
    solver = "sat:cadical195"


class TestCdcl(SolverConformance):
    solver = "cdcl"


class TestBrute(SolverConformance):
    solver = "brute"


class TestDiagram(SolverConformance):
    solver = "diagram"


class TestTwoStage(SolverConformance):
    solver = "two-stage"


class TestTwoStageOnAMipEngine(SolverConformance):
    solver = "two-stage:highs"


class TestLns(SolverConformance):
    solver = "lns"


def test_no_registered_solver_is_forgotten():
    tested = {cls.solver for cls in SolverConformance.__subclasses__() if hasattr(cls, "solver")}
    ours = {name for name, where in registry.names().items() if where.startswith("milp_pips.")}
    assert set(registry.SOLVERS) < ours <= tested


@pytest.mark.parametrize(
    "liar, test",
    [
        ("denier", "solvable"),
        ("inventor", "several_solutions"),
        ("sleeper", "a_limit_that_is_long_enough_changes_nothing"),
        ("mumbler", "solvable"),
        ("repeater", "solutions_that_are_forbidden"),
        ("contented", "solutions_that_are_forbidden"),
        ("stutterer", "every_point_once_and_complete"),
        ("skipper", "every_point_once_and_complete"),
        ("finisher", "points_that_are_stopped_are_not_complete"),
        ("optimist", "points_of_a_problem_without_any"),
        ("forgetful", "a_model_that_stays_loaded"),
        ("wilful", "a_model_that_stays_loaded"),
        ("overcautious", "a_model_that_stays_loaded"),
        ("sticky", "assumptions_hold_for_one_question_alone"),
        ("sticky", "all_points_by_assumptions_and_clauses"),
        ("blamer", "assumptions_hold_for_one_question_alone"),
        ("blamer", "propagation_under_assumptions"),
        ("stubborn", "a_time_limit_is_no_answer"),
        ("stubborn", "interrupted"),
    ],
)
def test_the_suite_fails_a_liar(liar, test, monkeypatch):
    monkeypatch.setitem(registry.SOLVERS, liar, FAULTY_SOLVERS[liar])
    suite = SolverConformance()
    suite.solver = liar
    with pytest.raises((AssertionError, TypeError, IndexError)):
        getattr(suite, f"test_{test}")()


@pytest.mark.parametrize("test", ["every_point_once_and_complete", "a_model_that_stays_loaded"])
def test_the_liars_would_pass_if_they_did_not_lie(test, monkeypatch):
    for name in ("Listing", "Loader"):
        monkeypatch.setitem(registry.SOLVERS, "honest", f"faulty_solvers:{name}")
        suite = SolverConformance()
        suite.solver = "honest"
        monkeypatch.setattr(f"faulty_solvers.{name}.name", "honest", raising=False)
        getattr(suite, f"test_{test}")()
