"""Portfolios: the first conclusive answer wins, the others end, and no solver starts without need."""

from __future__ import annotations

import math
import os
import threading
import time

import pytest
from faulty_solvers import FAULTY_SOLVERS, FaultySolver
from processes import child_processes, has_ended_soon
from thoroughness import mostly_long
from waiting import WAIT_LIMIT, act_when, expire

import milp_pips
from milp_pips import AllDifferent, LinearSum, Objective, Problem, Relation, Variable
from milp_pips.cli import main
from milp_pips.engines import portfolio, registry
from milp_pips.engines.brute import BruteSolver
from milp_pips.engines.defaults import Backups, choice_for_point
from milp_pips.engines.portfolio import Attempt, PortfolioMember, run_portfolio
from milp_pips.problem.answer import Answer, Proof, Settings, Stop
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.stopping import Deadline
from milp_pips.propagation import filter_domains
from milp_pips.testing import board

SMALL = board(1, 2, [(0, 1)], [])
ISOLATED = Settings(isolate=True)
NEVER = 3600.0
"""Seconds of processor time that no test waits for."""


class Patient(FaultySolver):
    """Answers once another has left its note; until then it checks the deadline."""

    name = "patient"

    def solve(self, problem, settings, deadline):
        while not deadline.stop:
            if os.path.exists(os.environ["NOTE"]) and os.path.getsize(os.environ["NOTE"]):
                return BruteSolver().solve(problem, Settings(), deadline)
            time.sleep(0.01)
        return Answer(None, Proof.NONE, deadline.stop)


class Absent(Patient):
    """A solver that cannot run."""

    name = "absent"

    def unavailable(self):
        return "it is not installed"


@pytest.fixture(autouse=True)
def note(monkeypatch, tmp_path):
    """Register engines that wait, die or are deaf; return the note in which the deaf one says its number."""
    ours = {cls.name: f"{__name__}:{cls.__name__}" for cls in (Patient, Absent)}
    for name, where in {**FAULTY_SOLVERS, **ours}.items():
        monkeypatch.setitem(registry.SOLVERS, name, where)
    monkeypatch.setenv("NOTE", str(tmp_path / "note"))
    return tmp_path / "note"


@pytest.fixture(autouse=True)
def nothing_is_left_behind():
    yield
    assert not child_processes("milp_pips.runtime.worker", recursive=True)
    for thread in threading.enumerate():
        if "_compete" in thread.name:
            thread.join(WAIT_LIMIT)  # the loser may have been told only a moment ago
            assert not thread.is_alive()


def entrant(*names, begins=0.0, settings=Settings()):
    return PortfolioMember(tuple(Attempt(name, settings) for name in names), begins)


def run(*entrants, deadline=None):
    finish = run_portfolio(entrants, SMALL, deadline or Deadline(WAIT_LIMIT))
    return finish.answer, finish.attempt.solver, [attempt.solver for attempt in finish.tried]


def test_a_solver_that_answers_within_the_head_start_runs_alone(monkeypatch):
    monkeypatch.setattr(registry, "ask_in_worker", lambda *_: pytest.fail("a second one has begun"))
    answer, winner, begun = run(entrant("brute"), entrant("highs", begins=NEVER))
    assert (answer.point, answer.proof) == ((0, 1, 1, 0), Proof.FEASIBLE)
    assert (winner, begun) == ("brute", ["brute"])


def test_the_second_wins_and_the_first_is_stopped():
    answer, winner, begun = run(entrant("patient"), entrant("brute", begins=0.01))
    assert (answer.point, winner, begun) == ((0, 1, 1, 0), "brute", ["patient", "brute"])


def test_a_head_start_is_one_of_processor_time(monkeypatch):
    looks = []

    def spent():
        looks.append(0)
        return sum(os.times()[:4]) - (10.0 if len(looks) < 4 else 0.0) + 1.0

    monkeypatch.setattr(portfolio, "processor_seconds", spent)
    monkeypatch.setattr(portfolio, "PATIENCE", math.inf)
    assert run(entrant("patient"), entrant("brute", begins=0.01))[1] == "brute"
    assert len(looks) == 4


def test_the_second_wins_and_an_unresponsive_first_is_killed(note):
    answer, winner, begun = run(entrant("deaf", settings=ISOLATED), entrant("patient"))
    assert (answer.point, winner, begun) == ((0, 1, 1, 0), "patient", ["deaf", "patient"])
    assert has_ended_soon(int(note.read_text()))


@pytest.mark.parametrize("loser", mostly_long(2, ["suicide", "absent", "crasher", "mumbler"]))
def test_a_backup_that_fails_counts_as_one_that_gives_up(loser):
    answer, winner, begun = run(entrant("sleeper"), entrant(loser), entrant("brute", begins=NEVER))
    assert (answer.point, winner, begun[-1]) == ((0, 1, 1, 0), "brute", "brute")


def test_without_a_conclusive_answer_the_first_one_is_returned():
    answer, winner, begun = run(entrant("sleeper"), entrant("suicide", begins=NEVER))
    assert (answer.stop, winner, begun) == (Stop.TIME, "sleeper", ["sleeper", "suicide"])


def test_the_first_attempt_that_can_run_and_was_not_made_is_chosen():
    assert run(entrant("absent", "brute", "highs"))[2] == ["brute"]
    assert run(entrant("sleeper"), entrant("absent", "sleeper", "brute"))[2] == ["sleeper", "brute"]
    assert run(entrant("sleeper"), entrant("sleeper"))[2] == ["sleeper"]
    with pytest.raises(UsageError, match="absent cannot run here: it is not installed"):
        run(entrant("absent"))


def test_the_error_of_the_first_is_raised_without_a_conclusive_answer():
    assert run(entrant("crasher"), entrant("brute", begins=NEVER))[1:] == ("brute", ["crasher", "brute"])
    for others in ([], [entrant("sleeper", begins=NEVER)]):
        with pytest.raises(EngineFault, match="crasher failed: RuntimeError: these are my last words"):
            run(entrant("crasher"), *others)


@pytest.mark.parametrize("end, stop", [(expire, Stop.TIME), (Deadline.interrupt, Stop.INTERRUPTED)])
def test_the_deadline_ends_all(end, stop, note):
    deadline = Deadline(WAIT_LIMIT)
    act_when(note.exists, lambda: end(deadline))
    answer, *_ = run(entrant("deaf", settings=ISOLATED), entrant("absent"), deadline=deadline)
    assert (answer.point, answer.stop) == (None, stop)


@pytest.fixture
def slow_default(monkeypatch):
    """Let the default be one that waits, and its rival brute force."""
    monkeypatch.setattr("milp_pips.engines.defaults.FEW_OPEN_VALUES", 0)
    monkeypatch.setattr("milp_pips.engines.defaults.WHOLE_MODEL", "patient")
    monkeypatch.setattr("milp_pips.engines.defaults.CLAUSE_LEARNING_SOLVERS", ("patient",))
    rivals = {"patient": Backups(("absent", "brute"), 0.01)}
    monkeypatch.setattr("milp_pips.engines.defaults.BACKUPS", rivals)


EASY = "examples/pips/easy.txt"


def test_the_default_has_a_backup_and_the_winner_is_reported(slow_default, capsys):
    assert main(["solve", EASY, "-v"]) == 0
    told = capsys.readouterr().out
    assert "solved by brute" in told
    assert "; brute began beside it after 0.01 s of processor time, and brute was first" in told


def test_a_requested_solver_has_no_backup(slow_default, monkeypatch):
    monkeypatch.setattr(portfolio, "run_portfolio", lambda *_: pytest.fail("there was a race"))
    puzzle = milp_pips.read(EASY)
    assert milp_pips.solve(puzzle, "highs").status == "solved"
    assert milp_pips.solve(puzzle, formulation="projected", seconds=0.2).solver == "patient"


def test_the_short_search_gives_way(monkeypatch):
    puzzle = milp_pips.read("examples/pips/several.txt")
    assert milp_pips.solve(puzzle).solver == "brute"
    monkeypatch.setattr(portfolio, "SHORT_SEARCH_SECONDS", 0.0)
    assert milp_pips.solve(puzzle).solver == "sat"


@pytest.mark.parametrize("style, chosen, backup", [("setter", "sat", "lns"), ("plain", "lns", "sat")])
def test_boards_with_few_layouts_go_to_the_sat_solver_first(style, chosen, backup):
    rules = {"rules": "SUM", "region_sizes": "1..3", "max_pip": 12}
    puzzle = next(milp_pips.generate(style=style, dominoes=80, seed=1, **rules)).puzzle
    choice = choice_for_point(filter_domains(milp_pips.state(puzzle)), Settings())
    assert (choice.solver, choice.backups.solvers[0]) == (chosen, backup)


@pytest.mark.parametrize("rules, chosen", [((), "highs"), ((AllDifferent((0, 1)),), "diagram")])
def test_the_best_solution_of_linear_rows_is_left_to_their_solver(rules, chosen):
    objective = Objective(((0, 1, 4), (1, 1, 9), (2, 1, 6)), "maximise")
    row = LinearSum((0, 1, 2), Relation.LE, 9, "weight", (3, 6, 5))
    variables = tuple(Variable(name, (0, 1)) for name in ("lamp", "tent", "stove"))
    problem = Problem(variables, (row, *rules), objective=objective)
    assert choice_for_point(problem, Settings()).solver == chosen
