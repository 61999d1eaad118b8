"""Every built-in solver passes the suite that is shipped for plugins."""

from __future__ import annotations

from milp_pips import plugins
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
    assert set(plugins.SOLVERS) <= tested
