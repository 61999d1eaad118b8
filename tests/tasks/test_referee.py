"""The referee and the first steps of every task: what a point must satisfy before it is a solution."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

import milp_pips
from milp_pips.constraints import LinearSum, Relation
from milp_pips.engines import registry
from milp_pips.problem.answer import FILTERING, PROOF_BY_COUNTING, Proof, Settings, Stop
from milp_pips.problem.errors import EngineFault, FamilyFault, UsageError
from milp_pips.problem.objective import Objective
from milp_pips.problem.stopping import Deadline
from milp_pips.propagation import DEFAULT_RULES
from milp_pips.puzzles.puzzle import Puzzle
from milp_pips.tasks import pipeline
from milp_pips.tasks.pipeline import (
    find_point,
    prepare,
    puzzle_of,
    rules_for,
    settings_of,
    states_published_model,
)
from milp_pips.testing import board

PUZZLE = milp_pips.read_text("2\nAA\n##\n1\nA SUM 3\n2\n1 1\n1 2\n")[""]
PROBLEM = pipeline.state(PUZZLE)


def prepared(**changes):
    return replace(prepare(PUZZLE, ("filtering",)), **changes)


def every_point():
    return product(*(variable.domain for variable in PROBLEM.variables))


def test_exactly_the_solutions_pass():
    referee, accepted = prepared(), []
    for point in every_point():
        if PROBLEM.violated(point) is None:
            solution = referee.judge(point, "an engine")
            assert referee.point_of(solution) == point
            accepted.append(point)
        else:
            with pytest.raises(
                EngineFault, match=f"^an engine gave a point that breaks a rule of {PUZZLE.name}: "
            ):
                referee.judge(point, "an engine")
    assert len(accepted) == milp_pips.count(PUZZLE).counts["placement"] > 0
    assert referee.judge(None, "an engine") is None


def test_the_family_refuses_what_the_problem_allows():
    point = next(point for point in every_point() if PROBLEM.violated(point) is None)
    family = replace(prepared().family, check=lambda *_: "it is ugly")
    with pytest.raises(
        FamilyFault, match=r"its state allows a solution of .* that its check refuses: it is ugly"
    ):
        prepared(family=family).judge(point, "an engine")
    partly = [*point[:4], *[PROBLEM.blank] * 4]
    family = replace(family, decode=lambda _, values: values)
    with pytest.raises(EngineFault, match=r"an engine gave a point that breaks a rule of .*: it is ugly"):
        prepared(family=family).judge(partly, "an engine")
    # Soft rules have variables of their own, and solutions may break the rules of the game.
    assert prepared(family=family, stated=len(point) - 1).judge(point, "an engine") == point[:-1]


def test_the_value_of_a_solution():
    point = next(point for point in every_point() if PROBLEM.violated(point) is None)
    referee = prepared()
    solution = referee.judge(point, "an engine")
    assert referee.value(solution) is None
    objective = Objective((*((0, value, 10 * value) for value in (1, 2)), (1, 1, 0), (1, 2, 0)), constant=3)
    with_objective = prepared(problem=PROBLEM.with_objective(objective))
    assert with_objective.value(solution) == 10 * point[0] + 3
    family = replace(with_objective.family, encode=lambda *_: {1: 1})
    assert replace(with_objective, family=family).value(solution) is None


def test_filtering_before_an_engine():
    published = registry.solver("cp-sat")
    assert rules_for(Settings()) == DEFAULT_RULES == rules_for(Settings(), registry.solver("highs"))
    assert rules_for(Settings(rules=("covering",)), published) == ("covering",)
    model = next(iter(published.published))
    assert states_published_model(Settings(model), published)
    assert rules_for(Settings(model), published) == ()
    assert not states_published_model(Settings(published.formulations[-1]), None)
    assert states_published_model(Settings(), published) == (published.formulations[0] in published.published)


def test_what_a_task_takes():
    assert puzzle_of(PUZZLE, "solve") is PUZZLE
    assert isinstance(puzzle_of(PROBLEM, "solve"), Puzzle)
    with pytest.raises(TypeError, match=r"solve takes a puzzle; read one with milp_pips.read\('x.txt'\)"):
        puzzle_of("x.txt", "solve")
    with pytest.raises(TypeError, match=r"solve takes a puzzle, as milp_pips.read returns it, not 3"):
        puzzle_of(3, "solve")
    assert settings_of(Settings(), {"seed": 3}, "highs").seed == 3
    with pytest.raises(TypeError, match=r"settings are a milp_pips.Settings, not 3"):
        settings_of(3, {})
    with pytest.raises(TypeError, match="the name of the solver"):
        settings_of(Settings(), {}, 3)
    assert pipeline.state(replace(PROBLEM, name="")).name == "problem"
    assert pipeline.state(PUZZLE).name == PUZZLE.name


def test_what_needs_no_engine():
    no = board(2, 2, [(1, 1), (1, 2)], [LinearSum((0, 1), Relation.EQ, 5, "five")])
    refuted = prepare(puzzle_of(no, "solve"), ("filtering",))
    assert refuted.refutation
    assert refuted.filtered == refuted.problem
    for solver in ("", "highs"):
        response = find_point(refuted, solver, Settings(), Deadline())
        assert response.claim == (FILTERING, FILTERING, "", "")
        assert (response.answer.point, response.answer.proof) == (None, Proof.INFEASIBLE)
        assert (response.answer.stop, response.answer.message) == (Stop.FINISHED, refuted.refutation)
        assert response.answer.seconds == {"build": 0.0, "solve": refuted.seconds}
    assert refuted.seconds > 0
    ones = board(6, 8, [(0, 0)] * 20 + [(0, 1)] * 4, [LinearSum(tuple(range(16)), Relation.GE, 5, "five")])
    response = find_point(prepare(puzzle_of(ones, "solve"), ()), "", Settings(), Deadline())
    assert (response.answer.proof, response.claim.who) == (Proof.INFEASIBLE, PROOF_BY_COUNTING)


def test_a_named_solver_answers_and_the_default_says_why():
    named = find_point(prepared(), "brute", Settings(), Deadline())
    assert (named.claim.who, named.choice) == ("brute", "")
    assert prepared().judge(named.answer.point, "brute")
    usual = find_point(prepared(), "", Settings(), Deadline())
    assert usual.choice
    assert prepared().judge(usual.answer.point, "the default")


def test_a_board_and_a_change_are_stated_before_filtering():
    point = next(point for point in every_point() if PROBLEM.violated(point) is None)
    filled = prepare(PUZZLE, ("filtering",), board={0: point[0]})
    assert filled.problem.variables[0].domain == (point[0],)
    with pytest.raises(UsageError):
        prepare(PUZZLE, ("filtering",), board={0: 9})
    rule = LinearSum((0,), Relation.EQ, 9, "never")
    assert prepare(PUZZLE, ("filtering",), change=lambda problem: problem.with_constraints([rule])).refutation
    assert prepare(PUZZLE, ()).filtered == PROBLEM
