"""What each engine's status means, by the words in it: no limit is a success."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

from milp_pips.engines.library import answer_of, end_of_list
from milp_pips.problem import Answer, Deadline, Proof, Stop

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
