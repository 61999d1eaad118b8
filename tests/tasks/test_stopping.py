"""``rate`` and ``explain`` check their stopping criterion in every phase, and often within a phase."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest
from thoroughness import mostly_long

import milp_pips
from milp_pips.constraints import Less, LinearSum, Relation
from milp_pips.engines import registry
from milp_pips.problem.answer import Stop
from milp_pips.problem.problem import Problem, Variable
from milp_pips.problem.stopping import Deadline

pytestmark = pytest.mark.skipif(
    bool(registry.solver("sat").unavailable()), reason=registry.solver("sat").unavailable() or ""
)
EXAMPLES = Path(__file__).parents[2] / "examples"

MOST_CALLS = 25_000
"""Calls between two looks: some hundredths of a second. One sum of 25 cells takes twice as many to encode."""

MOST_QUESTIONS = 4
"""Calls of the SAT solver between two looks; two rules of a large board may take long to propagate."""


class WorkDeadline(Deadline):
    """A stopping criterion that fires at a look inside a function, and counts the calls between looks.

    Parameters
    ----------
    phase
        The name of the function; empty for never firing.
    looks
        At which look inside the function it fires.
    """

    def __init__(self, phase: str = "", looks: int = 1):
        super().__init__()
        self._phase, self._left = phase, looks
        self._calls = self._questions = 0
        self.calls, self.questions = [0], [0]
        self.looks_after = 0

    @property
    def stop(self) -> Stop | None:
        if threading.current_thread() is threading.main_thread():
            self.calls.append(self._calls)
            self.questions.append(self._questions)
            self._calls = self._questions = 0
            self.looks_after += self.interrupted
            if self._phase and self._left > 0 and _is_inside(self._phase, sys._getframe(1)):
                self._left -= 1
                if self._left == 0:
                    self.interrupt()
        return super().stop

    def count(self, _frame, event, called) -> None:
        """Count a call; for ``sys.setprofile``."""
        self._calls += event in ("call", "c_call")
        self._questions += event == "c_call" and called.__name__.endswith(("_propagate", "_solve_lim"))


def _is_inside(name: str, frame) -> bool:
    while frame is not None and frame.f_code.co_name != name:
        frame = frame.f_back
    return frame is not None


def sum_of_many() -> Problem:
    """A rule on so many cells that its encoding is long, with few solutions."""
    cells = 25
    variables = tuple(Variable(f"c{i}", (0, 1, 2, 3, 4)) for i in range(cells))
    rules = LinearSum(tuple(range(cells)), Relation.EQ, 50, "sum"), LinearSum((0, 1), Relation.LE, 0, "ends")
    return Problem(variables, rules, {"all": tuple(range(cells))})


def long_clash() -> Problem:
    """Rules that clash, each of which is needed: nine cells are in order, and there are eight values."""
    variables = tuple(Variable(f"c{i}", tuple(range(8))) for i in range(9))
    rules = tuple(Less((i, i + 1), label=f"order {i}") for i in range(8))
    return Problem(variables, rules, {"all": tuple(range(9))})


PHASES = {
    "pips/easy.txt": ("has_solution", "find_what_follows", "space", "_taken", "find_steps", "next_step"),
    "pips/wide.txt": ("shortest", "see", "first"),
    "sudoku/letters.txt": ("smallest", "see", "every"),
    "sudoku/impossible.txt": ("has_solution", "first_clash", "clashes", "proved_minimal", "find_repairs"),
    "a long clash": ("refutation",),
}


@pytest.mark.parametrize("name", mostly_long(3, reversed(PHASES)))
def test_explaining_stops_in_every_phase(name):
    puzzle = milp_pips.read(EXAMPLES / name) if name.endswith(".txt") else long_clash()
    for phase in PHASES[name]:
        for looks in (1, 100):
            deadline = WorkDeadline(phase, looks)
            found = milp_pips.explain(puzzle, reasons=1, deadline=deadline)
            if not deadline.interrupted:
                assert looks > 1, f"never looks in {phase}"
                break
            assert found.stop is Stop.INTERRUPTED, (phase, looks)
            assert deadline.looks_after < 50, "it goes on"


def test_rating_stops_wherever_it_looks():
    puzzle, looks = milp_pips.read(EXAMPLES / "pips" / "easy.txt"), 1
    while (
        found := milp_pips.rate(puzzle, deadline=(deadline := WorkDeadline("rate", looks)))
    ).rating is None:
        assert found.stop is Stop.INTERRUPTED
        assert deadline.looks_after < 50, "it goes on"
        looks *= 3
    assert looks > 100
    assert not deadline.interrupted


@pytest.mark.parametrize(
    "name, additions",
    [
        ("", 0),
        pytest.param("colour_grid/several.txt", 0, marks=pytest.mark.long),
        pytest.param("pips/repeated.txt", 2, marks=pytest.mark.long),
    ],
)
def test_the_work_between_two_looks_is_bounded(name, additions):
    """Counted, not timed: calls of functions, and of the SAT solver."""
    puzzle = milp_pips.read(EXAMPLES / name) if name else sum_of_many()
    milp_pips.explain(milp_pips.read(EXAMPLES / "pips" / "notebook.txt"))  # loads what is loaded late
    deadline = WorkDeadline()
    sys.setprofile(deadline.count)
    try:
        found = milp_pips.explain(puzzle, deadline=deadline, additions=additions)
    finally:
        sys.setprofile(None)
    assert found.stop is Stop.FINISHED
    assert max(deadline.calls) < MOST_CALLS
    assert max(deadline.questions) <= MOST_QUESTIONS
