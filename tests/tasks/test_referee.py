"""The referee and the first steps of every task: what a point must satisfy before it is a solution."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

import milp_pips
from milp_pips.problem.errors import EngineFault, FamilyFault
from milp_pips.tasks import pipeline
from milp_pips.tasks.pipeline import prepare
from milp_pips.tasks.query import Run

PUZZLE = milp_pips.read_text("2\nAA\n##\n1\nA SUM 3\n2\n1 1\n1 2\n")[""]
PROBLEM = pipeline.state(PUZZLE)


def prepared(**changes):
    return replace(prepare(PUZZLE, Run()), **changes)


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
