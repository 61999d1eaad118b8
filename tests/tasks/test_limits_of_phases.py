"""Deadlines in the phases of a task: which phases check them, which are abandoned; without a clock."""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import partial

import pytest
from waiting import CountedDeadline

import milp_pips
from milp_pips.compilation.limits import Unfinished
from milp_pips.constraints import value_flow
from milp_pips.engines.brute import BruteSolver
from milp_pips.engines.library import MipSolver
from milp_pips.enumeration.methods import Listing, list_by_cuts
from milp_pips.enumeration.subproblems import EarlierRun, Searcher, list_by_partition, search_subproblems
from milp_pips.extras.lab.filter_trace import filter_trace
from milp_pips.extras.lab.relax import relax
from milp_pips.extras.lab.search_tree import search_tree
from milp_pips.problem.answer import Proof, Settings, Stop
from milp_pips.tasks.check import check
from milp_pips.tasks.compile import sample
from milp_pips.tasks.count import count
from milp_pips.tasks.enumerate import solutions
from milp_pips.tasks.pipeline import state
from milp_pips.tasks.solve import solve

PLENTY = 10**9
SUDOKU = milp_pips.read_text("sudoku\n" + (" ".join("." * 25) + "\n") * 25)[""]
SMALL = milp_pips.read_text("sudoku\n1 . . .\n. . . .\n. 2 . .\n. . . .\n")[""]


TASKS = {
    "solve": lambda deadline: solve(SUDOKU, deadline=deadline),
    "solve by name": lambda deadline: solve(SUDOKU, "highs", deadline=deadline),
    "count": lambda deadline: count(SUDOKU, deadline=deadline),
    "enumerate": lambda deadline: list(solutions(SUDOKU, deadline=deadline)),
    "sample": lambda deadline: sample(SUDOKU, 3, deadline=deadline),
    "space": lambda deadline: milp_pips.compile(SUDOKU, deadline=deadline),
    "check": lambda deadline: check(SUDOKU, board={"r1c1": 1}, deadline=deadline),
    "relax": lambda deadline: relax(SUDOKU, Settings(rules=("filtering",)), deadline=deadline),
    "filter": lambda deadline: filter_trace(SUDOKU, deadline=deadline),
    "tree": lambda deadline: search_tree(SUDOKU, deadline=deadline),
}


@pytest.mark.parametrize("task", TASKS)
def test_no_task_filters_or_states_a_model_when_the_time_is_up(task, monkeypatch):
    monkeypatch.setattr(value_flow, "propagate_by_flow", lambda *_: pytest.fail("it filters"))
    with suppress(Unfinished):
        TASKS[task](CountedDeadline(0))


class Stuck:
    """Work that is begun and not done before the test is over."""

    def __init__(self) -> None:
        self.begun, self.over = threading.Event(), threading.Event()

    def __call__(self, *_: object) -> None:
        self.begun.set()
        assert self.over.wait(20), "it was waited for"


@pytest.fixture
def stuck():
    work = Stuck()
    yield work
    work.over.set()


class StuckSolver(MipSolver):
    """A MIP engine that never has its model."""

    name = title = "stuck"
    features = frozenset({"time limit", "cuts"})

    def __init__(self, work: Stuck):
        super().__init__()
        self.load = self.live = work


class Attentive(CountedDeadline):
    """A deadline that says stop once some work has begun."""

    def __init__(self, work: Stuck):
        super().__init__(PLENTY)
        self._work = work

    @property
    def stop(self) -> Stop | None:
        return Stop.TIME if self._work.begun.is_set() else super().stop


def test_a_model_that_takes_long_to_build_is_abandoned(stuck):
    solver, problem, deadline = StuckSolver(stuck), state(SMALL), Attentive(stuck)
    answer = solver.solve(problem, Settings(), deadline)
    assert (answer.point, answer.proof, answer.stop) == (None, Proof.NONE, Stop.TIME)


@pytest.mark.parametrize("ways", [list_by_cuts, list_by_partition])
def test_a_live_model_that_takes_long_to_build_is_abandoned(ways, stuck):
    listing = Listing(state(SMALL), "grid", "stuck", own_solver=StuckSolver(stuck))
    points = ways(listing, Attentive(stuck))
    with pytest.raises(StopIteration) as end:
        next(points)
    assert end.value.value == (Proof.NONE, Stop.TIME)


def test_a_partition_that_is_stopped_anywhere_leaves_the_rest():
    """What was found and what is found in the frontier that was left are all solutions."""
    problem = state(SMALL)
    whole = CountedDeadline(PLENTY)

    def run(deadline, frontier, keep):
        listing = Listing(problem, "grid", "brute", own_solver=BruteSolver())
        load = partial(Searcher, (listing,), cubes=False)
        finds = search_subproblems([listing], load, deadline, earlier=EarlierRun((), frontier, keep))
        found = set()
        while True:
            try:
                found.add(next(finds)[1])
            except StopIteration as end:
                return found, end.value

    every, (proof, _) = run(whole, None, lambda _: None)
    assert proof is Proof.COMPLETE
    assert len(every) == count(SMALL).counts["grid"]
    for looks in range(0, whole.seen, max(1, whole.seen // 25)):
        left: list[list] = []
        found, (proof, stop) = run(
            CountedDeadline(looks), None, lambda frontier, left=left: left.append(frontier)
        )
        assert (proof, stop) == (Proof.NONE, Stop.TIME)
        if left:
            more, (proof, _) = run(CountedDeadline(PLENTY), left[-1], lambda _: None)
            assert proof is Proof.COMPLETE
            assert found | more == every
        else:
            assert not found
