"""The counts of Ganak: as many as other ways count, by keys that determine everything and by others."""

from __future__ import annotations

from pathlib import Path

import pytest

import milp_pips
from milp_pips.engines.registry import count_by_engine
from milp_pips.problem.answer import Proof, Settings
from milp_pips.problem.stopping import Deadline

pytest.importorskip("pyganak")
EXAMPLES = Path(__file__).parents[2] / "examples"
MODELS = ("pips/square", "pips/impossible")


@pytest.mark.parametrize("name", MODELS)
def test_it_counts_as_many_as_decision_diagrams(name):
    puzzle = milp_pips.read(EXAMPLES / f"{name}.txt")
    for key, number in milp_pips.count(puzzle).counts.items():
        answer = count_by_engine("ganak", milp_pips.state(puzzle), key, Settings(), Deadline(60))
        assert (answer.proof, answer.count) == (Proof.COMPLETE, number)


def test_columns_outside_the_chosen_ones_are_projected_away():
    text = "p cnf 4 2\nc p show 1 2 0\n1 2 3 0\n-3 4 0\n"
    model = milp_pips.read_text(text, "f.cnf")[""]
    assert milp_pips.count(model, solver="ganak").counts == milp_pips.count(model).counts
    assert next(iter(milp_pips.count(model, solver="ganak").counts.values())) == 4
