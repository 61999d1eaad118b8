"""The HiGHS plugin: statuses, limits, interruption, options."""

from __future__ import annotations

import os
import signal

import pytest
from generated import random_puzzle

import milp_pips
from milp_pips.engines.highs import STATUSES, HighsSolver
from milp_pips.problem.answer import Proof, Settings, Stop
from milp_pips.problem.errors import UsageError
from milp_pips.problem.problem import Problem, Variable
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.pips.puzzle import Pips, Region, Rule

EASY = milp_pips.state(
    Pips.on_grid("easy", [(0, 0), (0, 1)], [Region("A", ((0, 1),), Rule.SUM, 2)], [(1, 2)])
)


@pytest.fixture(scope="module")
def large():
    return milp_pips.state(random_puzzle(700, 3))


def ask(problem, deadline=None, **settings):
    return HighsSolver().solve(problem, Settings(**settings), deadline or Deadline())


def test_a_point_and_its_statistics():
    answer = ask(EASY, formulation="implication")
    assert (answer.point, answer.proof, answer.stop) == ((1, 2, 1, 0), Proof.FEASIBLE, Stop.FINISHED)
    assert answer.size == {"columns": 6, "rows": 10, "nonzeros": 20}
    assert answer.formulation == "implication"
    assert set(answer.seconds) == {"build", "solve"}
    assert answer.statistics["nodes"] >= 0


def test_a_problem_without_variables_or_with_an_empty_domain():
    assert ask(Problem((), ())).point == ()
    assert ask(Problem((Variable("a", (0,)),), ()).restricted({0: ()})).proof is Proof.INFEASIBLE


def test_a_second_ctrl_c_is_a_keyboard_interrupt():
    with Deadline() as deadline:
        os.kill(os.getpid(), signal.SIGINT)
        assert deadline.stop is Stop.INTERRUPTED
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


def test_every_status_of_this_highs_is_known_or_an_error():
    import highspy

    names = set(highspy.HighsModelStatus.__members__)
    errors = {"kNotset", "kLoadError", "kModelError", "kPresolveError", "kSolveError", "kPostsolveError"}
    # Unbounded cannot be (all columns are bounded), and an empty model is never passed.
    assert names - set(STATUSES) == errors | {"kUnbounded", "kUnknown", "kModelEmpty"}
    assert set(STATUSES) <= names


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_and_seed_and_options_reach_highs(threads, monkeypatch):
    import highspy

    seen = {}

    def spy(highs):
        for name in ("threads", "random_seed", "mip_heuristic_effort", "presolve", "mip_detect_symmetry"):
            seen[name] = highs.getOptionValue(name)[1]
        return run(highs)

    run = highspy.Highs.run
    monkeypatch.setattr(highspy.Highs, "run", spy)
    options = {"mip_heuristic_effort": "0.2", "presolve": "off", "mip_detect_symmetry": "false"}
    assert ask(EASY, threads=threads, seed=7, options=options).point
    assert seen == {
        "threads": threads,
        "random_seed": 7,
        "mip_heuristic_effort": 0.2,
        "presolve": "off",
        "mip_detect_symmetry": False,
    }


@pytest.mark.parametrize(
    "options, message",
    [
        ({"mip_magic": "1"}, "HiGHS has no option 'mip_magic'"),
        ({"mip_max_nodes": "1.5"}, "HiGHS option mip_max_nodes takes an integer in its range, not '1.5'"),
        (
            {"mip_heuristic_effort": "7"},
            "HiGHS option mip_heuristic_effort takes a number in its range, not '7'",
        ),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(UsageError) as error:
        ask(EASY, options=options)
    assert str(error.value) == message
