"""What each engine's status means, by the words in it: no limit is a success."""

from __future__ import annotations

import re
from importlib import import_module
from math import inf

import pytest

from milp_pips.engines.library import answer_of, answer_of_points, end_of_list
from milp_pips.problem import Answer, Deadline, Problem, Proof, Stop, Variable
from milp_pips.problem.objective import Objective

TABLES = ("highs", "cp_sat", "scip", "pyomo", "cpmpy", "minizinc")
WORDS = {
    r"locallyInfeasible|kObjective(Bound|Target)": (Proof.NONE, Stop.FINISHED),
    r"kUnboundedOrInfeasible|infeasibleOrUnbounded|inforunbd|.*UNSATorUNBOUNDED.*|.*UNSATISFIABLE.*": (
        Proof.INFEASIBLE,
        Stop.FINISHED,
    ),
    r"(k|proven|integer )?infeasible": (Proof.INFEASIBLE, Stop.FINISHED),
    r"=+": (Proof.COMPLETE, Stop.FINISHED),
    r"k?optimal|feasible|convergenceCriteriaSatisfied": (Proof.FEASIBLE, Stop.FINISHED),
    r".*time.*": (Proof.NONE, Stop.TIME),
    r".*mem.*": (Proof.NONE, Stop.MEMORY),
    r".*interrupt.*|terminate": (Proof.NONE, Stop.INTERRUPTED),
    r".*limit|=*unknown=*": (Proof.NONE, Stop.COUNT),
    r".*error.*": (Proof.NONE, Stop.ERROR),
}
"""Statuses, in any case → proof and stop; the first that fits counts."""

EXCEPTIONS = {("cp_sat", "FEASIBLE"): (Proof.FEASIBLE, Stop.COUNT)}
"""CP-SAT calls a point feasible if a limit came before the proof of an optimum, else optimal."""


@pytest.mark.parametrize("engine", TABLES)
def test_a_status_means_what_it_says(engine):
    table = import_module(f"milp_pips.engines.{engine}").STATUSES
    assert len(table) >= 4
    for status, meaning in table.items():
        expected = next(m for words, m in WORDS.items() if re.fullmatch(words, status, re.IGNORECASE))
        assert meaning == EXCEPTIONS.get((engine, status), expected), status


def test_the_pairs_of_statuses_of_pulp():
    """They are (status, status of the solution): 1 is a point, 0 unsolved, -1 infeasible."""
    from milp_pips.engines.pulp import STATUSES

    solved, stopped = {(1, 1)}, {(1, 2)}
    assert {pair for pair, (proof, _) in STATUSES.items() if proof is Proof.FEASIBLE} == solved | stopped
    assert {pair for pair, (proof, _) in STATUSES.items() if proof is Proof.INFEASIBLE} == {(-1, -1), (-1, 0)}
    assert {pair for pair, (_, stop) in STATUSES.items() if stop is Stop.TIME} == stopped | {(0, 0)}
    assert {pair for pair, (_, stop) in STATUSES.items() if stop is Stop.FINISHED} == {
        (1, 1),
        (-1, -1),
        (-1, 0),
    }
    assert len(STATUSES) == 5


TABLE = {
    "solved": (Proof.FEASIBLE, Stop.FINISHED),
    "none": (Proof.INFEASIBLE, Stop.FINISHED),
    "time": (Proof.NONE, Stop.TIME),
    "nodes": (Proof.NONE, Stop.COUNT),
    "interrupt": (Proof.NONE, Stop.INTERRUPTED),
}


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("point", [None, (1, 2)])
def test_an_outcome_is_read_from_the_table(late, point):
    def vector():
        return point

    with Deadline(0 if late else 1000) as deadline:
        found = {status: answer_of(TABLE, status, deadline, vector, "words") for status in [*TABLE, "odd"]}
        stop = Stop.TIME if late else None
        proof = Proof.NONE if point is None else Proof.FEASIBLE
        assert found["solved"] == Answer(point, Proof.FEASIBLE, Stop.FINISHED)
        assert found["none"] == Answer(None, Proof.INFEASIBLE, Stop.FINISHED)
        assert found["time"] == Answer(point, proof, Stop.TIME)
        assert found["nodes"] == Answer(point, proof, stop or Stop.COUNT)
        assert found["interrupt"] == Answer(point, proof, stop or Stop.INTERRUPTED)
        assert found["odd"] == Answer(point, proof, Stop.ERROR, "words")
        assert end_of_list(1, deadline) == (Proof.COMPLETE, Stop.FINISHED)
        assert end_of_list(0, deadline) == (Proof.NONE, stop or Stop.INTERRUPTED)
        assert end_of_list(0, deadline, Stop.COUNT) == (Proof.NONE, stop or Stop.COUNT)
    assert answer_of(TABLE, "time", Deadline(), vector, "", bound=3.0).bound == 3.0


def listed(points, proof, stop, closed):
    try:
        yield from points
    finally:
        closed.append(True)
    return proof, stop


@pytest.mark.parametrize(
    ("proof", "stop", "without"),
    [
        (Proof.COMPLETE, Stop.FINISHED, Proof.INFEASIBLE),
        (Proof.NONE, Stop.TIME, Proof.NONE),
        (Proof.NONE, Stop.COUNT, Proof.NONE),
    ],
)
def test_points_become_outcomes(proof, stop, without):
    closed, points = [], [(3, 1), (2, 1)]
    variables = (Variable("a", (2, 3)), Variable("b", (1,)))
    problem = Problem(variables, (), {})
    best = problem.with_objective(Objective(((0, 2, 5), (0, 3, 7))))

    def outcome(points, problem):
        return answer_of_points(listed(points, proof, stop, closed), problem, Deadline())

    assert outcome(points, problem) == Answer((3, 1), Proof.FEASIBLE, Stop.FINISHED)
    assert outcome([], problem) == outcome([], best) == Answer(None, without, stop)
    bound = inf if proof is Proof.COMPLETE else None
    assert outcome(points, best) == Answer((2, 1), Proof.FEASIBLE, stop, bound=bound)
    assert closed == [True] * 4
