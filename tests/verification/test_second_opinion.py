"""No engine confirms itself: which proofs confirm a claim, with which settings, and with what result."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from faulty_solvers import FAULTY_SOLVERS, FaultySolver

import milp_pips
from milp_pips.engines import registry
from milp_pips.enumeration import subproblems as partition
from milp_pips.problem.answer import Answer, Claim, Proof, Stop
from milp_pips.problem.errors import Contradiction, EngineFault
from milp_pips.problem.stopping import Deadline
from milp_pips.verification import recounting, second_opinion
from milp_pips.verification.second_opinion import on_complete, on_no_solution

EXAMPLES = Path(__file__).parents[2] / "examples" / "pips"
IMPOSSIBLE = milp_pips.read(EXAMPLES / "impossible.txt")
SEVERAL = milp_pips.read(EXAMPLES / "several.txt")
NOTHING = milp_pips.state(IMPOSSIBLE)


@pytest.fixture
def asked(monkeypatch):
    """Record every solver that runs, one after another, with its formulation and options."""
    notes = []
    real = second_opinion.run_portfolio

    def race(entrants, problem, deadline):
        finish = real(entrants, problem, deadline)
        notes.extend((name, ways.formulation, dict(ways.options)) for name, ways in finish.tried)
        return finish

    monkeypatch.setattr(second_opinion, "run_portfolio", race)
    monkeypatch.setattr(second_opinion, "LEAST_BUDGET", 600.0)
    return notes


def test_the_decision_diagram_is_the_usual_second_opinion(asked):
    opinion = on_no_solution(NOTHING, Claim("highs", "highs", "projected"), Deadline())
    assert opinion.confirmed_by == "the decision diagram"
    assert [name for name, *_ in asked] == ["diagram"]


@pytest.mark.parametrize("solver, method", [("highs", "cuts"), ("highs", "partition"), ("pyomo", "cuts")])
def test_a_list_is_confirmed_on_another_formulation_than_the_usual_one(asked, monkeypatch, solver, method):
    monkeypatch.setattr(recounting, "_count_unfiltered", lambda *_: None)
    monkeypatch.setattr("milp_pips.engines.defaults.SECOND_OPINIONS", ("highs",))
    found = milp_pips.solutions(milp_pips.read(EXAMPLES / "easy.txt"), solver, method=method)
    assert len(list(found)) == 1
    assert found.summary.confirmed_by.endswith("(aggregated, presolve off)")
    assert asked == [("highs", "aggregated", {"presolve": "off"})]


@pytest.mark.parametrize("family, witness", [("diagram", "PySAT"), ("filtering", "the decision diagram")])
def test_a_count_of_zero_is_confirmed_by_what_it_does_not_rest_on(family, witness, asked):
    opinion = on_no_solution(NOTHING, Claim("a count", family), Deadline())
    assert opinion.confirmed_by.startswith(witness)
    assert all(name != family for name, *_ in asked)


def test_a_wrong_zero_is_contradicted_by_a_point():
    problem = milp_pips.state(SEVERAL)
    for family in ("diagram", "filtering"):
        opinion = on_no_solution(problem, Claim("a count", family), Deadline())
        assert opinion.confirmed_by is None
        assert problem.violated(opinion.point) is None


def refute(_problem):
    raise Contradiction("it seems so")


def test_filtering_does_not_confirm_what_a_solution_space_claims(monkeypatch):
    """The space was filtered, too: a filter that loses solutions must not confirm itself."""
    monkeypatch.setattr(second_opinion, "filter_domains", refute)
    problem = milp_pips.state(SEVERAL)
    opinion = on_no_solution(problem, Claim("the solution space", "diagram"), Deadline())
    assert opinion.confirmed_by is None
    assert problem.violated(opinion.point) is None


def test_the_decision_diagram_confirms_without_filtering(monkeypatch):
    """An engine that solves the filtered problem may be wrong because the filter is wrong."""
    monkeypatch.setattr("milp_pips.compilation.compiler.filter_domains", refute)
    monkeypatch.setattr("milp_pips.engines.diagram.RESTRICTED_WIDTHS", ())
    monkeypatch.setattr("milp_pips.engines.defaults.SECOND_OPINIONS", ("diagram",))
    problem = milp_pips.state(SEVERAL)
    opinion = on_no_solution(problem, Claim("highs", "highs", "projected"), Deadline())
    assert opinion.confirmed_by is None
    assert problem.violated(opinion.point) is None


def test_a_hopeless_way_keeps_no_other_from_its_turn(monkeypatch):
    """The first engine never decides."""
    monkeypatch.setitem(registry.SOLVERS, "waiter", f"{__name__}:Waiter")
    monkeypatch.setattr("milp_pips.engines.defaults.SECOND_OPINIONS", ("waiter", "diagram"))
    monkeypatch.setattr(second_opinion, "LEAST_BUDGET", 0.05)
    opinion = on_no_solution(NOTHING, Claim("highs", "highs"), Deadline())
    assert opinion.confirmed_by == "the decision diagram"


def test_engines_in_processes_of_their_own_get_time_to_start(monkeypatch):
    """Before, their budget was over before they had started, and then they started again."""
    left = []

    def run_portfolio(_members, _problem, deadline):
        left.append(deadline.remaining)
        raise EngineFault("it failed")

    def undecided(deadline):
        while not deadline.stop:
            time.sleep(0.001)
        return recounting.Opinion(None)

    monkeypatch.setattr(second_opinion, "run_portfolio", run_portfolio)
    monkeypatch.setattr(second_opinion, "LEAST_BUDGET", 0.01)
    claim = Claim("PySAT", "clauses")
    opinion = second_opinion.first_conclusive(NOTHING, ("highs", "scip"), [undecided], claim, Deadline())
    assert opinion.confirmed_by is None
    *alone, together = left
    assert max(alone) <= 0.01 * second_opinion.PATIENCE
    assert together > second_opinion.STARTING_SECONDS / 2


class Waiter(FaultySolver):
    """A solver that does not decide until it is stopped."""

    name = "waiter"

    def solve(self, problem, settings, deadline):
        while not deadline.stop:
            time.sleep(0.01)
        return Answer(None, Proof.NONE, deadline.stop)


class Slow(FaultySolver):
    """A solver that decides once its process had a core for a moment, which other programs delay."""

    name = "slow"
    calls = 0

    def solve(self, problem, settings, deadline):
        Slow.calls += 1
        for _ in range(20):
            time.sleep(0.01)
            if deadline.stop:
                return Answer(None, Proof.NONE, deadline.stop)
        return Answer(None, Proof.INFEASIBLE, Stop.FINISHED)


def test_a_busy_machine_takes_nothing_from_a_budget(monkeypatch):
    monkeypatch.setitem(registry.SOLVERS, "slow", f"{__name__}:Slow")
    monkeypatch.setattr("milp_pips.engines.defaults.SECOND_OPINIONS", ("slow",))
    monkeypatch.setattr(second_opinion, "LEAST_BUDGET", 0.1)
    assert on_no_solution(NOTHING, Claim("highs", "highs"), Deadline()).confirmed_by
    assert Slow.calls == 1


def test_what_no_way_here_decides_is_left_first_to_the_engines_not_tried_yet(monkeypatch):
    """A process that starts has the time for it before the next one joins."""
    ran = []

    def run_portfolio(members, _problem, _deadline):
        ran.append([(each.attempts[0].solver, each.begins) for each in members])
        raise EngineFault("it failed")

    monkeypatch.setattr(second_opinion, "run_portfolio", run_portfolio)
    monkeypatch.setattr(second_opinion, "is_here", lambda name, _settings: name == "sat")
    second_opinion.first_conclusive(NOTHING, ("sat", "highs", "scip"), [], Claim("x", "x"), Deadline())
    (alone, together) = ran
    assert [name for name, _ in alone] == ["sat"]
    assert [name for name, _ in together] == ["highs", "scip", "sat"]
    assert together[1][1] > second_opinion.STARTING_SECONDS / 2


def test_a_count_that_is_not_done_in_its_budget_leaves_the_rest_to_the_engines(monkeypatch):
    """Before, a diagram had half of all the time, and spent it on orders."""
    asked = []

    def never(_problem, _variables, deadline):
        asked.append(deadline.remaining)

    monkeypatch.setattr(recounting, "_count_unfiltered", never)
    problem = milp_pips.state(SEVERAL)
    every = list(milp_pips.compile(problem, range(len(problem.variables))))
    confirmed = on_complete(problem, "placement", 56, every, Claim("someone", "someone"), Deadline(60))
    assert confirmed.startswith("PySAT")
    assert asked[0] <= second_opinion.LEAST_BUDGET * second_opinion.PATIENCE


def test_without_a_limit_there_is_one(monkeypatch):
    monkeypatch.setitem(registry.SOLVERS, "waiter", f"{__name__}:Waiter")
    monkeypatch.setattr("milp_pips.engines.defaults.SECOND_OPINIONS", ("waiter",))
    monkeypatch.setattr(second_opinion, "LEAST_LIMIT", 0.05)
    assert on_no_solution(NOTHING, Claim("highs", "highs"), Deadline()) == second_opinion.Opinion(None)


def test_a_list_is_held_against_the_count():
    problem = milp_pips.state(SEVERAL)
    claim = Claim("someone", "someone")
    assert on_complete(problem, "grid", 56, (), claim, Deadline()) == (
        "the decision diagram, which counts as many"
    )
    for wrong in (55, 57):
        message = f"someone calls {wrong} solutions complete, the decision diagram counts 56"
        with pytest.raises(EngineFault, match=message):
            on_complete(problem, "grid", wrong, (), claim, Deadline())


def test_a_list_of_a_diagram_is_confirmed_by_another_engine(asked):
    problem = milp_pips.state(SEVERAL)
    every = list(milp_pips.compile(problem, range(len(problem.variables))))
    claim = Claim("the decision diagram", "diagram")
    confirmed = on_complete(problem, "placement", len(every), every, claim, Deadline())
    assert confirmed.startswith("PySAT")
    with pytest.raises(EngineFault, match=r"calls 55 solutions complete, PySAT.* finds another"):
        on_complete(problem, "placement", 55, every[:-1], claim, Deadline())


def test_a_longer_list_of_a_diagram_is_confirmed_by_an_engine_that_counts(monkeypatch):
    pytest.importorskip("pyscipopt")
    monkeypatch.setattr(second_opinion, "MAX_SOLUTIONS_CUT_OFF", 10)
    claim = Claim("the decision diagram", "diagram")
    problem = milp_pips.state(SEVERAL)
    confirmed = on_complete(problem, "placement", 56, (), claim, Deadline())
    assert re.fullmatch(r"SCIP [0-9.]+, which counts as many", confirmed)
    with pytest.raises(EngineFault, match="the decision diagram counts 57, scip 56"):
        on_complete(problem, "placement", 57, (), claim, Deadline())


def test_a_long_list_of_a_diagram_is_confirmed_by_other_diagrams(monkeypatch):
    monkeypatch.setattr(second_opinion, "MAX_SOLUTIONS_CUT_OFF", 10)
    monkeypatch.setattr(second_opinion, "MAX_ENGINE_COUNT", 10)
    claim = Claim("the decision diagram", "diagram")
    problem = milp_pips.state(SEVERAL)
    confirmed = on_complete(problem, "placement", 56, (), claim, Deadline())
    assert confirmed == "the solution spaces of its branches, which count as many"
    with pytest.raises(
        EngineFault, match="the decision diagram counts 57, the solution spaces of its branches 56"
    ):
        on_complete(problem, "placement", 57, (), claim, Deadline())


def test_a_list_that_nothing_confirms_is_not_called_complete(monkeypatch):
    monkeypatch.setattr("milp_pips.engines.defaults.SECOND_OPINIONS", ())
    found = milp_pips.solutions(SEVERAL)
    assert len(list(found)) == 56
    assert (found.summary.complete, found.summary.confirmed_by) == (False, None)
    assert "not known to be complete" in str(found.summary)
    monkeypatch.setattr(recounting, "_count_unfiltered", lambda *_: None)
    found = milp_pips.solutions(SEVERAL, "brute")
    assert len(list(found)) == 56
    assert (found.summary.complete, found.summary.confirmed_by) == (False, None)


class Echo(FaultySolver):
    """A solver that returns the same point forever."""

    name = "echo"

    def solve(self, problem, settings, deadline):
        return Answer(milp_pips.compile(SEVERAL).nth(0), Proof.FEASIBLE, Stop.FINISHED)


@pytest.mark.parametrize("distinct", ["placement", "grid"])
def test_a_point_that_comes_again_is_a_fault(distinct, monkeypatch):
    monkeypatch.setitem(registry.SOLVERS, "stutterer", FAULTY_SOLVERS["stutterer"])
    found = milp_pips.solutions(SEVERAL, "stutterer", method="native", distinct=distinct)
    with pytest.raises(EngineFault, match="stutterer gave a point twice: number 2 was seen before"):
        list(found)
    assert found.found <= 1


@pytest.mark.parametrize(
    "name, method, fault",
    [
        ("echo", "cuts", "echo gave a solution that was cut off: number 2 was seen before"),
        ("echo", "partition", "echo gave a solution outside the requested subproblem"),
        ("repeater", "cuts", "repeater gave a solution that was cut off: number 2 was seen before"),
    ],
)
def test_an_engine_that_ignores_cuts_or_bounds_is_told_at_once(name, method, fault, monkeypatch):
    monkeypatch.setitem(registry.SOLVERS, "echo", f"{__name__}:Echo")
    monkeypatch.setitem(registry.SOLVERS, "repeater", FAULTY_SOLVERS["repeater"])
    monkeypatch.setattr(partition, "CUBE_NODES", 0)  # else branching would list the parts
    found = milp_pips.solutions(SEVERAL, name, method=method)
    with pytest.raises(EngineFault, match=fault):
        list(found)
    assert found.found == 1
