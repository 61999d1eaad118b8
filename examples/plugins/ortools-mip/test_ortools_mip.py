"""The solver passes the suite that every solver passes; its own behaviour is tested below."""

import pytest

import milp_pips
from milp_pips.problem.errors import UsageError
from milp_pips.testing import SolverConformance

PUZZLE = "AABB\nAABB\nA =\nB 4\n0-0 0-0 1-1 1-1\n"


class TestOrToolsMip(SolverConformance):
    solver = "ortools-mip"


class TestOrToolsMipOnHighs(SolverConformance):
    solver = "ortools-mip:highs"


@pytest.fixture
def puzzle(tmp_path):
    path = tmp_path / "puzzle.txt"
    path.write_text(PUZZLE, encoding="utf-8")
    return milp_pips.read(path)


@pytest.mark.parametrize("engine", ["ortools-mip", "ortools-mip:highs", "ortools-mip:sat"])
@pytest.mark.parametrize("method", ["cuts", "partition"])
def test_all_solutions_are_listed_and_confirmed(engine, method, puzzle):
    found = milp_pips.solutions(puzzle, engine, method=method)
    assert len(list(found)) == milp_pips.count(puzzle).counts["placement"]
    assert found.summary.complete
    assert found.summary.confirmed_by


def test_an_engine_that_ortools_does_not_have(puzzle):
    with pytest.raises(UsageError, match="no engine 'magic' here; known: scip, highs, sat"):
        milp_pips.solve(puzzle, "ortools-mip:magic")
