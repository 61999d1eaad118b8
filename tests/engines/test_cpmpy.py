"""What is CPMpy's own; ``test_conformance`` holds some of its engines to what every solver must do."""

import pytest

from milp_pips.constraints import LinearSum, Relation
from milp_pips.engines import registry
from milp_pips.engines.cpmpy import CPMPY_ENGINES, CpmpySolver
from milp_pips.problem.answer import Proof, Settings, Stop
from milp_pips.problem.stopping import Deadline
from milp_pips.testing import board

LEFT_OUT = {"rc2", "pysdd", "minizinc"}
SOLVABLE = board(2, 2, [(1, 2), (3, 3)], [LinearSum((0, 1), Relation.EQ, 3, "top: sum 3")])
IMPOSSIBLE = board(2, 2, [(1, 2), (3, 3)], [LinearSum((0, 1), Relation.EQ, 9, "top: sum 9")])


def test_every_solver_of_cpmpy_is_known_or_left_out():
    lookup = pytest.importorskip("cpmpy").SolverLookup
    theirs = {name for name, _ in lookup.base_solvers()}
    assert theirs <= set(CPMPY_ENGINES) | LEFT_OUT


NOT_TRIED = ("exact", "cpo")
"""Names a benchmark, and loads a library after which Pyomo 6.10 cannot be imported in the same process."""


@pytest.mark.parametrize("engine", sorted(set(CPMPY_ENGINES) - {*NOT_TRIED}))
def test_every_engine_that_is_here_finds_and_refuses(engine):
    solver = CpmpySolver(engine)
    if reason := registry.reason_against(solver):
        pytest.skip(reason)
    found, refused = (solver.solve(problem, Settings(), Deadline()) for problem in (SOLVABLE, IMPOSSIBLE))
    assert SOLVABLE.violated(found.point) is None
    assert (refused.point, refused.proof, refused.stop) == (None, Proof.INFEASIBLE, Stop.FINISHED)


@pytest.mark.parametrize(
    "name, same",
    [
        ("cpmpy", "cp-sat"),
        ("cpmpy:highs", "highs"),
        ("cpmpy:scip", "scip"),
        ("cpmpy:pysat", "sat"),
        ("cpmpy:pindakaas", "sat:cadical195"),
        ("cpmpy:gurobi", "pyomo:gurobi_persistent"),
    ],
)
def test_an_engine_is_the_same_engine_whoever_states_the_problem_to_it(name, same):
    assert registry.solver(name).proof_family == registry.solver(same).proof_family


@pytest.mark.parametrize(
    "engine, words", [("ortools", "num_workers random_seed"), ("highs", "threads random_seed")]
)
def test_threads_and_seed_reach_the_engine(engine, words, monkeypatch):
    lookup, asked = pytest.importorskip("cpmpy").SolverLookup, {}
    monkeypatch.setattr(lookup.lookup(engine), "solve", lambda self, **said: asked.update(said))
    CpmpySolver(engine).solve(SOLVABLE, Settings(threads=2, seed=7), Deadline())
    assert asked == dict(zip(words.split(), (2, 7), strict=True))


def test_a_status_that_is_none_is_told(monkeypatch):
    cpmpy = pytest.importorskip("cpmpy")
    monkeypatch.setattr(cpmpy.SolverLookup.lookup("ortools"), "solve", lambda self, **said: None)
    answer = CpmpySolver().solve(SOLVABLE, Settings(), Deadline())
    assert (answer.proof, answer.stop, answer.message) == (Proof.NONE, Stop.ERROR, "CPMpy: NOT_RUN")
