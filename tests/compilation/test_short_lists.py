"""A SAT solver lists parts with few solutions, and another method confirms the list."""

from __future__ import annotations

from pathlib import Path

import pytest

import milp_pips
from milp_pips.compilation.compiler import Compiler
from milp_pips.compilation.limits import Unfinished
from milp_pips.engines import registry
from milp_pips.engines.defaults import SHORT_LIST_SOLVER
from milp_pips.formulations.cnf import CnfEncoding
from milp_pips.problem.answer import Stop
from milp_pips.problem.errors import EngineFault
from milp_pips.problem.stopping import Deadline, SubDeadline
from milp_pips.tasks import listers as enumerating
from milp_pips.tasks.compile import list_short
from milp_pips.verification import second_opinion
from milp_pips.verification.recounting import DIAGRAM

EXAMPLES = Path(__file__).parents[2] / "examples" / "pips"
SEVERAL = milp_pips.read(EXAMPLES / "several.txt")


@pytest.fixture
def hard(monkeypatch):
    """Let neither diagrams nor branches hold anything, and give the first second opinion all the time."""

    def too_large(*_: object) -> None:
        raise Unfinished("too large here", Stop.MEMORY)

    monkeypatch.setattr(Compiler, "_as_diagram", too_large)
    monkeypatch.setattr(Compiler, "_branch", too_large)
    monkeypatch.setattr(second_opinion, "LEAST_BUDGET", 600.0)


def claims_to(monkeypatch, module, name):
    """Return the list of the claims that a task has confirmed, as they come."""
    claims, confirm = [], getattr(module, name)

    def noted(*arguments):
        claims.extend(each for each in arguments if hasattr(each, "rests_on"))
        return confirm(*arguments)

    monkeypatch.setattr(module, name, noted)
    return claims


def test_a_list_is_confirmed_by_neither_diagrams_nor_its_lister(hard, monkeypatch):
    claims = claims_to(monkeypatch, enumerating, "on_complete")
    found = milp_pips.solutions(SEVERAL)
    assert len(list(found)) == 56
    assert found.summary.complete
    assert found.summary.confirmed_by.startswith("HiGHS ")
    (claim,) = claims
    assert claim.rests_on(DIAGRAM)
    assert claim.rests_on(registry.solver(SHORT_LIST_SOLVER).proof_family)


def test_infeasibility_is_confirmed_by_another_method(hard, monkeypatch):
    claims = claims_to(monkeypatch, second_opinion, "on_no_solution")
    found = milp_pips.count(milp_pips.read(EXAMPLES / "impossible.txt"), rules=())
    assert (found.counts["placement"], found.complete) == (0, True)
    assert found.confirmed_by.startswith("HiGHS ")
    assert claims[0].rests_on(registry.solver(SHORT_LIST_SOLVER).proof_family)


def test_a_point_that_breaks_a_rule_is_a_fault(monkeypatch):
    monkeypatch.setattr(CnfEncoding, "decode", lambda self, _: tuple(domain[0] for domain in self._domains))
    problem = milp_pips.state(SEVERAL)
    with pytest.raises(EngineFault, match="sat gave a point that breaks a rule"):
        list_short(problem, problem.keys["placement"], Deadline())


def test_a_list_that_was_stopped_is_not_said_to_be_long(hard, monkeypatch):
    deadline = SubDeadline(Deadline())
    monkeypatch.setattr("milp_pips.tasks.compile.list_short", lambda *_: deadline.end())
    method = milp_pips.count(SEVERAL, deadline=deadline).method
    assert method == "lower bound: the list of solutions was not finished"
