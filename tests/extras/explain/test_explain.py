"""``explain``: minimal reasons and repairs where there is no solution, else the story to what all share."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest
from thoroughness import mostly_long

import milp_pips
from milp_pips.cli import main
from milp_pips.engines.registry import ask
from milp_pips.extras.explain import analysis as inquiry
from milp_pips.extras.explain import explain as explaining
from milp_pips.extras.explain.facts import Fact, Step
from milp_pips.extras.explain.techniques.story import Story
from milp_pips.extras.explain.text import Words
from milp_pips.extras.explain.views.text import parts
from milp_pips.problem.answer import Proof, Settings, Stop
from milp_pips.problem.errors import EngineFault
from milp_pips.problem.stopping import Deadline
from milp_pips.puzzles.sudoku.puzzle import Sudoku

EXAMPLES = Path(__file__).parents[3] / "examples"
EASY = EXAMPLES / "pips" / "easy.txt"
SEVERAL = EXAMPLES / "pips" / "repeated.txt"
SUDOKU = EXAMPLES / "sudoku" / "impossible.txt"
IMPOSSIBLE = milp_pips.Pips.from_rows(
    ["AAB", "CCB"], {"A": "NEQ", "B": "SUM 4", "C": "EQ"}, [(0, 1), (2, 3), (1, 3)], "impossible"
)
NONE = [
    IMPOSSIBLE,
    *(milp_pips.read(EXAMPLES / folder / "impossible.txt") for folder in ("sudoku", "colour_grid")),
]
CLASH = "2\nAAB\nCCB\n2\nA SUM 12\nB SUM 1\n3\n0 1\n5 6\n2 2\n"


@pytest.fixture
def run(capsys):
    def call(*words):
        status = main(["explain", *map(str, words)])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def feasible(soft, items):
    answer = ask("highs", soft.problem_of(items), Settings(), Deadline())
    assert answer.point is not None or answer.proof is Proof.INFEASIBLE
    return answer.point is not None


@cache
def two_reasons(puzzle):
    return milp_pips.explain(puzzle, reasons=2, additions=0)


@pytest.mark.parametrize("puzzle", NONE, ids=lambda puzzle: puzzle.family)
def test_reasons_clash_and_are_minimal_says_another_engine(puzzle):
    found = two_reasons(puzzle)
    assert (found.status, found.stop) == ("infeasible", Stop.FINISHED)
    sizes = [len(clash.items) for clash in found.reasons]
    assert sizes == sorted(sizes)
    assert 1 <= len(sizes) <= 2
    for clash in found.reasons:
        assert clash.minimal
        assert clash.confirmed_by.startswith("HiGHS")
        assert not feasible(found.grouped, clash.items)
        for left_out in clash.items:
            assert feasible(found.grouped, [item for item in clash.items if item != left_out])


@pytest.mark.parametrize("puzzle", NONE, ids=lambda puzzle: puzzle.family)
def test_repairs_are_all_that_repair(puzzle):
    found = two_reasons(puzzle)
    items = found.grouped.items
    suspects = found.reasons[0].items  # nothing else can be to blame
    repairing = [i for i in suspects if feasible(found.grouped, [other for other in items if other != i])]
    assert set(found.repairs) == set(repairing)


@pytest.mark.long
def test_where_no_rule_alone_repairs_the_fewest_are_named(tmp_path):
    path = tmp_path / "twofold.txt"
    path.write_text("AB\nAB\nCD\nCD\nA 12\nB 12\n1-1 1-2 1-3 2-3\n")
    found = milp_pips.explain(milp_pips.read(path))
    assert found.repairs == ()
    assert {item.label for item in found.together} == {"region A: sum 12", "region B: sum 12"}
    assert not feasible(found.grouped, found.grouped.items)
    assert feasible(found.grouped, [item for item in found.grouped.items if item not in found.together])
    assert (
        "Leave out region A (sum 12) and region B (sum 12) together, and it has a solution; "
        "no fewer rules are enough."
    ) in list(parts(found))
    together = found.to_json()["together"]
    assert {item["label"] for item in together} == {"region A: sum 12", "region B: sum 12"}


@pytest.mark.parametrize("puzzle", mostly_long(1, NONE))
def test_a_contradiction_is_told_in_steps_that_follow(puzzle):
    """Each step follows from its items and from what the steps before it conclude; the last from nothing."""
    found = two_reasons(puzzle)
    assert found.steps
    refutations = [(found.grouped.items, found.steps)]
    refutations += [(clash.items, clash.steps) for clash in found.reasons if clash.steps]
    for items, steps in refutations:
        assert steps[-1].conclusions == ()
        assert all(step.conclusions for step in steps[:-1])
        concluded: list[Fact] = []
        for step in steps:
            assert set(step.premises[0]) <= set(items)
            for known in (concluded, ()):
                shown = () if known else step.premises[1]
                denied = step.premises[1] if known else step.conclusions
                of = [item for item in items if item.is_value] if known else step.premises[0]
                problem = found.grouped.problem_of(of, [*known, *shown], denied)
                answer = ask("highs", problem, Settings(), Deadline())
                assert (known and not denied) or answer.proof is Proof.INFEASIBLE
            concluded += step.conclusions
    if puzzle == IMPOSSIBLE:
        lines = [str(line) for line in parts(found) if isinstance(line, str)]
        at = lines.index("The contradiction, step by step from the empty board:")
        last = Words(found.grouped).step(found.steps[-1])
        assert lines[at + len(found.steps)] == f"{len(found.steps)}. {last}"


def test_json_of_a_reason_obeys_the_design(run, tmp_path):
    path = tmp_path / "clash.txt"
    path.write_text(CLASH)
    status, out, err = run(path, "--json", "--reasons", "1", "--additions", "0")
    record = json.loads(out)
    assert (status, err) == (0, "")
    assert list(record)[:6] == ["puzzle", "status", "stop", "reasons", "repairs", "steps"]
    assert (record["puzzle"], record["status"]) == ("clash", "infeasible")
    assert record["steps"][-1]["conclusions"] == []
    (reason,) = record["reasons"]
    assert set(reason) == {"items", "minimal", "smallest", "confirmed_by", "sentence", "steps"}
    assert reason["minimal"] is True
    assert record["confirmed_by"] == reason["confirmed_by"]
    for item in reason["items"]:
        match item["kind"]:
            case "rule":
                assert set(item) == {"kind", "label", "cells", "part"}
            case "dominoes":
                assert set(item) == {"kind", "pips", "part", "times"}
                assert item["part"] in ("only", "all")
    assert {item["label"] for item in reason["items"] if item["kind"] == "rule"} == {"region A: sum 12"}
    assert record["repairs"]
    assert "seconds" in record


def test_a_reason_is_told_and_drawn(run, tmp_path):
    path, picture = tmp_path / "clash.txt", tmp_path / "clash.svg"
    path.write_text(CLASH)
    status, out, _ = run(path, "--reasons", "1", "--additions", "0", "--svg", picture)
    assert status == 0
    assert out.startswith(
        "1. Region A (at least 12) and only one 5-6 cannot hold together. Region A must reach 12 with two "
        "cells, each at most 6: r1c1 and r1c2 are 6. "
    )
    assert "dominoes: 0-1 5-6 2-2\n" in out
    assert "\nLeave out region A (sum 12)" in out
    last = out.splitlines()[-1]
    assert re.fullmatch(r"clash: no solution, 1 reason, in [0-9.]+ s; confirmed by HiGHS .*", last)
    assert picture.read_text().startswith("<svg")


@pytest.mark.parametrize(
    "path",
    mostly_long(2, [EASY, EXAMPLES / "pips" / "ring.json", EXAMPLES / "sudoku" / "ordinary.txt"]),
    ids=lambda p: p.stem,
)
def test_the_story_of_one_solution(path):
    puzzle = milp_pips.read(path)
    found = milp_pips.explain(puzzle)
    (solution,) = milp_pips.compile(puzzle).assignments()
    assert (found.status, found.stop, found.differing) == ("unique", Stop.FINISHED, {})
    assert found.confirmed_by == "the solution space"
    told = [fact for step in found.trace for fact in step.conclusions]
    assert all(fact.is_true(solution) for fact in told)
    assert {fact for step in found.steps for fact in step.conclusions} <= set(told)
    left = [set(variable.domain) for variable in milp_pips.state(puzzle).variables]
    for v, value, holds in told:
        left[v] = left[v] & {value} if holds else left[v] - {value}
    for v in milp_pips.state(puzzle).keys["grid"]:
        assert left[v] == {solution[v]}


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(SEVERAL, marks=pytest.mark.long),
        EXAMPLES / "sudoku" / "letters.txt",
        pytest.param(EXAMPLES / "sudoku" / "jigsaw.txt", marks=pytest.mark.long),
    ],
)
def test_several_solutions_and_where_they_differ(path, run):
    puzzle = milp_pips.read(path)
    found = milp_pips.explain(puzzle)
    taken = milp_pips.compile(puzzle).value_counts()
    assert (found.status, found.confirmed_by) == ("several", "the solution space")
    assert found.differing == {v: tuple(values) for v, values in taken.items() if len(values) > 1}
    status, out, _ = run(path, "--json")
    record = json.loads(out)
    assert (status, record["status"]) == (0, "several")
    problem = milp_pips.state(puzzle)
    names = {problem.variables[v].name: v for v in found.differing}
    for cell, values in record["differing"]["cells"].items():
        shown = [problem.named_values.get(value, value) for value in taken[names[cell]]]
        assert values == shown
    assert "Several ways remain: " in run(path)[1]


@pytest.mark.long
def test_the_way_without_the_solution_space(monkeypatch):
    """Another engine proves every step, and that there is no second solution."""
    monkeypatch.setattr(inquiry.BoardAnalysis, "space", None)
    found = milp_pips.explain(milp_pips.read(EXAMPLES / "pips" / "notebook.txt"))
    assert (found.status, found.stop) == ("unique", Stop.FINISHED)
    assert found.confirmed_by == "the decision diagram, which counts as many"
    assert found.steps
    monkeypatch.setattr(inquiry, "on_complete", lambda *_: None)
    found = milp_pips.explain(milp_pips.read(EXAMPLES / "pips" / "notebook.txt"))
    assert (found.status, found.confirmed_by) == ("unknown", None)
    assert found.remark == "nothing has confirmed that there is only one solution"
    assert milp_pips.explain(milp_pips.read(SEVERAL)).status == "several"


def test_a_sudoku_with_one_solution_needs_no_space(monkeypatch):
    """Where few branches do not find it, clauses and another engine prove that there is no other."""
    givens = "...1.2....6.....7...8...9..4.......3.5...7...2...8...1..9...8.5.7.....6....3.4..."
    puzzle = Sudoku.from_rows([givens[at : at + 9] for at in range(0, 81, 9)])
    by_branches = milp_pips.rate(puzzle)
    assert by_branches.confirmed_by == "the solution space"
    monkeypatch.setattr(inquiry, "BRANCHING_NODES", 0)
    monkeypatch.setattr(inquiry, "compile_problem", lambda *_: pytest.fail("the space was compiled"))
    found = milp_pips.rate(puzzle)
    assert (found.status, found.rating) == ("unique", by_branches.rating)
    assert found.confirmed_by not in (None, by_branches.confirmed_by)


def test_a_step_that_is_not_true_is_never_shown(monkeypatch):
    lie = Step((), (), (Fact(0, 4, True),), 1.0)
    monkeypatch.setattr(Story, "steps", lambda _: iter([lie]))
    with pytest.raises(EngineFault, match=r"PySAT.* draws a conclusion about r1c2 that some solution breaks"):
        milp_pips.explain(milp_pips.read(EASY))
    monkeypatch.setattr(inquiry.BoardAnalysis, "space", None)
    with pytest.raises(EngineFault, match=r"PySAT.* draws a conclusion about r1c2 that some solution breaks"):
        milp_pips.explain(milp_pips.read(EASY))
    monkeypatch.setattr(inquiry.BoardAnalysis, "confirm", lambda _: None)
    with pytest.raises(EngineFault, match=r"returned a reason that HiGHS .* refutes by a point"):
        milp_pips.explain(milp_pips.read(EASY))


def test_what_nothing_confirms_is_not_known(monkeypatch, run):
    monkeypatch.setattr(explaining, "confirm_clash", lambda *_: None)
    status, out, _ = run(SUDOKU, "--json")
    record = json.loads(out)
    assert (status, record["status"], record["confirmed_by"]) == (3, "unknown", None)
    assert record["remark"].startswith("PySAT")
    assert record["remark"].endswith(" reports no solution, but nothing has confirmed it")


def test_what_was_found_is_kept():
    """The steps up to Ctrl-C, and what is known of the status."""
    deadline = Deadline()

    def interrupt(so_far):
        if len(so_far.trace) == 3:
            deadline.interrupt()

    found = milp_pips.explain(milp_pips.read(EASY), deadline=deadline, on_step=interrupt)
    whole = milp_pips.explain(milp_pips.read(EASY))
    assert (found.stop, found.status) == (Stop.INTERRUPTED, "unique")
    assert found.trace == whole.trace[:3]


def test_a_limit_and_several_files(run, tmp_path):
    bad = tmp_path / "bad.txt"
    bad.write_text("1\nAB\n1\nA SUM x\n1\n0 1\n")
    status, out, err = run(EASY, bad, SUDOKU, "--json")
    assert status == 2
    assert [json.loads(line)["status"] for line in out.splitlines()] == ["unique", "infeasible"]
    assert err.count("\n") == 1
    status, out, _ = run(EASY, "--time-limit", "0")
    assert status == 3
    assert re.fullmatch(r"easy: no answer, 0 steps so far, in [0-9.]+ s; stop: time\n", out)
