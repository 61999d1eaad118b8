"""Limits and Ctrl-C: every stage checks the deadline and stops at once; memory is that of the process."""

from __future__ import annotations

from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from itertools import count as count_up
from itertools import cycle, islice

import pytest
from generated import random_puzzle
from thoroughness import mostly_long
from waiting import CountedDeadline

import milp_pips
from milp_pips.cli import main
from milp_pips.compilation import limits
from milp_pips.compilation.decision_diagram import Diagram
from milp_pips.compilation.layers import DiagramCompiler
from milp_pips.compilation.limits import DEFAULT_BUDGET, Allowance, Budget, Unfinished
from milp_pips.compilation.orders import given_orders, promising_orders
from milp_pips.compilation.projection import project
from milp_pips.compilation.sites import FrontierBoard, frontiers
from milp_pips.compilation.solution_set import SolutionSet, compile_problem
from milp_pips.constraints import LinearSum, Relation
from milp_pips.problem.answer import Settings, Stop
from milp_pips.problem.problem import Problem, Variable
from milp_pips.problem.stopping import Deadline
from milp_pips.tasks.compile import draw_solutions, sample
from milp_pips.tasks.count import count
from milp_pips.tasks.enumerate import solutions
from milp_pips.tasks.pipeline import state
from milp_pips.tasks.solve import solve

PLENTY = 10**9
"""Nodes that no test makes."""

DIGITS = tuple(range(10))
WORDS = Problem(
    tuple(Variable(f"x{i}", DIGITS) for i in range(40)),
    (LinearSum(tuple(range(40)), Relation.EQ, 180),),
    {"all": tuple(range(40)), "half": tuple(range(0, 40, 2))},
)
"""Numbers of 40 digits with the digit sum 180: 7,000 nodes, and more numbers than anyone lists."""

HALF = frozenset(WORDS.keys["half"])

BOARD = state(random_puzzle(12, 1))


@cache
def middling() -> Diagram:
    return DiagramCompiler(WORDS, DEFAULT_BUDGET, Deadline()).exact()


@cache
def space() -> SolutionSet:
    return compile_problem(WORDS)


def allowance(deadline: Deadline) -> Allowance:
    return Allowance(PLENTY, deadline)


def diagrams(problem: Problem, deadline: Deadline, budget: Budget = DEFAULT_BUDGET) -> DiagramCompiler:
    return DiagramCompiler(problem, budget, deadline)


def counted(deadline: Deadline) -> Diagram:
    whole = middling()
    return Diagram(whole.order, whole.fragments, whole.labels, whole.children, allowance(deadline))


STAGES = {
    "rules of a board": (lambda deadline: FrontierBoard(BOARD, allowance(deadline)), 5),
    "orders": (lambda deadline: promising_orders(FrontierBoard(BOARD), allowance(deadline)), 500),
    "frontiers": (
        lambda deadline: frontiers(
            FrontierBoard(BOARD).sites, given_orders(FrontierBoard(BOARD))[0], allowance(deadline)
        ),
        50,
    ),
    "restricted compilation": (lambda deadline: diagrams(BOARD, deadline).narrowed(50), 50),
    "narrow compilation": (lambda deadline: diagrams(BOARD, deadline).quick((1, 2)), 50),
    "space": (lambda deadline: compile_problem(WORDS, deadline=deadline), 50),
    "count": (counted, 3),
    "marginals": (lambda deadline: space().marginals(deadline), 3),
    "compilation": (lambda deadline: diagrams(WORDS, deadline).exact(), 50),
    "wider and wider": (lambda deadline: list(diagrams(BOARD, deadline).wider((10, 20, 40))), 500),
    "projection of the space": (
        lambda deadline: space().project("half", deadline=deadline),
        50,
    ),
    "projection": (lambda deadline: project(middling(), HALF, DEFAULT_BUDGET, deadline), 50),
}


@pytest.mark.parametrize("stage", mostly_long(8, STAGES))
def test_every_stage_stops_at_the_look_that_says_so(stage):
    work, least = STAGES[stage]
    whole = CountedDeadline(PLENTY)
    work(whole)
    assert whole.seen >= least
    reasons = cycle((Stop.TIME, Stop.INTERRUPTED))
    for looks, reason in zip((whole.seen // 2, whole.seen - 1), reasons, strict=False):
        deadline = CountedDeadline(looks, reason)
        with pytest.raises(Unfinished) as raised:
            work(deadline)
        assert raised.value.stop is reason
        assert deadline.seen - looks in (1, 2)  # filtering ends at the look, and what follows it raises


MORE_LOOKS = 20
"""Looks after the one that says stop, by stages that begin once more or by code that reads the reason."""


@pytest.mark.parametrize(
    "looks, reason", mostly_long(3, zip((0, 5, 200, 1000), cycle((Stop.TIME, Stop.INTERRUPTED))))
)
def test_every_task_stops_soon_after(looks, reason):
    puzzle = random_puzzle(60, 1)

    def watched() -> CountedDeadline:
        deadlines.append(CountedDeadline(looks, reason))
        return deadlines[-1]

    deadlines: list[CountedDeadline] = []
    counted = count(puzzle, cells=True, deadline=watched())
    assert (counted.complete, counted.stop) == (False, reason)
    with pytest.raises(Unfinished) as raised:
        sample(puzzle, 3, deadline=watched())
    assert raised.value.stop is reason
    listed = solutions(puzzle, deadline=watched())
    assert list(listed) == []
    assert listed.summary is not None
    assert (listed.summary.complete, listed.summary.stop) == (False, reason)
    solved = solve(puzzle, "diagram", formulation="exact", deadline=watched())
    assert (solved.status, solved.stop) == ("unknown", reason)
    for deadline in deadlines:
        assert deadline.seen <= looks + MORE_LOOKS


def test_a_walk_and_a_sample_stop_with_what_they_have():
    puzzle = milp_pips.generate("sudoku", size=4, givens=4, seed=1).__next__().puzzle
    whole = sample(puzzle, 200, seed=5)
    deadline = CountedDeadline(PLENTY)
    drawn = draw_solutions(puzzle, 200, Settings(seed=5), "", deadline)
    some = list(islice(drawn, 10))
    deadline.checks = deadline.seen
    with pytest.raises(Unfinished, match="10 of 200 solutions were drawn; stop: time"):
        next(drawn)
    assert some == whole[:10]

    deadline = CountedDeadline(PLENTY)
    listed = solutions(random_puzzle(8, 3), deadline=deadline)
    next(listed)
    deadline.checks = deadline.seen
    rest = list(listed)
    assert len(rest) <= 1
    assert listed.summary is not None
    assert (listed.summary.complete, listed.summary.stop) == (False, Stop.TIME)


@pytest.mark.parametrize("stage", ["compile", "restrict", "project"])
def test_a_full_memory_ends_a_diagram(stage, monkeypatch):
    held = count_up(0, 2**28)
    monkeypatch.setattr(limits, "resident_memory", lambda: next(held))
    monkeypatch.setattr(limits, "MEMORY_CHECK_INTERVAL", 0)
    limit = Budget(PLENTY, 2**30)
    work = {
        "compile": lambda: compile_problem(WORDS, None, limit, method="diagram"),
        "restrict": lambda: compile_problem(BOARD, None, limit, method="diagram", widths=(1000,)),
        "project": lambda: project(middling(), HALF, limit, None),
    }[stage]
    with pytest.raises(Unfinished, match="too large") as raised:
        work()
    assert raised.value.stop is Stop.MEMORY


def test_an_order_that_fills_the_memory_leaves_it_to_the_next(monkeypatch):
    """The first order is stopped once, by the memory; another one makes the diagram."""
    looks = 0

    def resident() -> int:
        nonlocal looks
        looks += 1
        return 2**40 if looks == 3 else 0

    monkeypatch.setattr(limits, "resident_memory", resident)
    monkeypatch.setattr(limits, "MEMORY_CHECK_INTERVAL", 0)
    limit = Budget(PLENTY, 2**30)
    assert compile_problem(WORDS, None, limit, method="diagram").count == middling().count
    assert looks > 3


@pytest.fixture(scope="module")
def sudoku25(tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("sudoku25")
    with redirect_stdout(StringIO()):
        assert main(["generate", "--family", "sudoku", "--size", "25", "--out", str(folder)]) == 0
    (made,) = folder.glob("*.txt")
    return str(made.rename(folder / "sudoku25.txt"))


VERBS = {
    "count": ["count"],
    "sample": ["sample", "-n", "5"],
    "enumerate": ["enumerate", "--quiet", "--method", "diagram"],
    "solve": ["solve", "--solver", "diagram"],
}


@pytest.mark.parametrize("verb", mostly_long(2, VERBS))
def test_a_time_limit_is_kept_on_a_large_sudoku(verb, sudoku25, capsys):
    assert main([*VERBS[verb], sudoku25, "--time-limit", "0.2"]) == 3  # without a limit it would take hours
    out, err = capsys.readouterr()
    assert len((out + err).splitlines()) == 1
