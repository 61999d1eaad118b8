"""Each loop that lists all solutions by cuts lists those of brute force."""

from __future__ import annotations

import json

import pytest
from brute_force import placements

import milp_pips
from milp_pips.cli import main
from milp_pips.extras.lab import benders, cut_loops
from milp_pips.problem.answer import Settings
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.stopping import Deadline

TEXT = "AAB\n#CB\nA =, B 7, C < 2\n03 34 13"
TINY = milp_pips.Pips.from_rows(
    ["AAB", "#CB"], {"A": "EQ", "B": "SUM 7", "C": "LT 2"}, [(0, 3), (3, 4), (1, 3)], "tiny"
)
DOMINOES = [(0, 1), (0, 2), (1, 2), (2, 3)]
WIDE = milp_pips.Pips.from_rows(["AABB", "CCDD"], {"A": "EQ", "B": "SUM 2", "D": "SUM 5"}, DOMINOES, "wide")


def test_all_loops_list_the_solutions_of_brute_force():
    found = milp_pips.cut_loops(TINY, formulation="implication", separate="by_kind")
    count = len(placements(TINY))
    assert count > 3
    assert found.solutions == count
    assert [loop.solutions for loop in found.loops] == [count] * 9
    assert found.confirmed_by
    by_name = {(loop.loop, loop.solver): loop for loop in found.loops}
    assert by_name["restarts", "highs"].solves == count + 1
    assert by_name["one tree", "scip"].solves == 1
    assert by_name["one tree, separating", "scip"].separated > 0
    assert by_name["restarts, separating", "highs"].separated > 0
    assert len(str(found).splitlines()) == 11


@pytest.mark.parametrize("strengthen", ["", "relaxed", "minimal"])
def test_benders_lists_the_solutions_of_the_model_of_one_stage(strengthen):
    stated = cut_loops.state_model(WIDE, Settings(), "test", Deadline())
    columns = stated.model.key_columns(stated.problem.keys["placement"]).tolist()
    counts, points = benders.benders(stated, columns, 1, strengthen, Deadline())
    assert len(set(points)) == len(points) == len(placements(WIDE)) > 0
    assert counts["solves"] == counts["cuts"] + 1
    whole = counts["cuts"] * len(WIDE.cells) / 2
    assert {"": counts["terms"] == whole, "relaxed": counts["terms"] <= whole}.get(
        strengthen, counts["terms"] < whole
    )


def test_a_loop_that_loses_a_solution_is_a_fault(monkeypatch):
    def directly(work, arguments, deadline):
        return [(loop, points["minimal" in loop.loop :]) for loop, points in work(*arguments, deadline)]

    monkeypatch.setattr(cut_loops, "in_own_process", directly)
    monkeypatch.setattr(cut_loops, "LOOPS", cut_loops.LOOPS[:1])
    with pytest.raises(EngineFault, match="Benders, minimal cuts by highs lists other solutions"):
        milp_pips.cut_loops(TINY)


def test_the_verb_prints_a_table_or_json(tmp_path, capsys):
    puzzle = tmp_path / "impossible.txt"
    puzzle.write_text("AA\nA 9\n01", encoding="utf-8")
    assert main(["loops", str(puzzle), "--json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert (record["solutions"], len(record["loops"])) == (0, 6)


def test_rows_of_other_columns_are_no_cuts():
    with pytest.raises(UsageError, match="other columns than projected"):
        milp_pips.cut_loops(TINY, formulation="projected", separate="by_kind")
