"""One run, in a process of its own: everything is loaded first, then the clock starts.

The clock is the wall clock that does not jump (``time.perf_counter``), for every engine the same, from the
problem in Python's memory to the engine's answer in Python's memory.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from milp_pips import engines, plugins
from milp_pips.answer import Answer, Proof, Settings, Stop
from milp_pips.enumeration.methods import Work, by_partition, natively
from milp_pips.errors import EngineFault
from milp_pips.problem import (
    AllDifferent,
    AllEqual,
    DominoCover,
    LinearSum,
    NoGood,
    Problem,
    Relation,
    Variable,
)
from milp_pips.solvers.processes import resident
from milp_pips.watch import Watch

if TYPE_CHECKING:
    from milp_pips.puzzles.family import Puzzle
    from milp_pips.solvers.contract import Solver

START = 60.0
"""Seconds that an engine may take to load its library and solve a board of two cells."""

OVERTIME = 1.0
"""Seconds past its limit after which a run is ended by the system, whatever the engine does."""

WARM_UP = Problem(
    (
        Variable("a", (0, 1)),
        Variable("b", (0, 1)),
        Variable("partner of a", (1,)),
        Variable("partner of b", (0,)),
    ),
    (
        DominoCover((0, 1), (2, 3), ((0, 1),), ((0, 1),)),
        AllDifferent((0, 1)),
        AllEqual((0,)),
        LinearSum((0, 1), Relation.LE, 2),
        LinearSum((0,), Relation.EQ, 1),
        NoGood((0, 1), (0, 1)),
    ),
    {"placement": (0, 1, 2, 3), "grid": (0, 1)},
)
"""What an engine solves before the clock starts, so that all its modules are loaded."""


class Request(NamedTuple):
    """What is to be measured; ``where`` is the place of the solver's plugin, ``seconds`` the time limit."""

    solver: str
    where: str
    puzzle: Puzzle[Any]
    task: str
    settings: Settings
    seconds: float


class Found(NamedTuple):
    """What an engine found: points, whether it says that there is no further one, and why it stopped."""

    points: tuple[tuple[int, ...], ...]
    exhausted: bool
    stop: Stop
    message: str = ""
    size: Mapping[str, int] = {}
    statistics: Mapping[str, int] = {}
    seconds: Mapping[str, float] = {}


class Measured(NamedTuple):
    """What was found, in how many seconds in all, by which version, with how much memory (bytes)."""

    found: Found
    seconds: float
    version: str
    peak: int
    peak_started: int


def measure(request: Request) -> Measured:
    """Do one run; called in a worker. Raises UsageError, as the solver does."""
    _end_after(START)
    plugins.SOLVERS.setdefault(request.solver.partition(":")[0], request.where)
    engines.own_process = request.solver
    solver = engines.available(request.solver)
    problem = request.puzzle.state()
    solver.solve(WARM_UP, request.settings, Watch(START))
    gc.collect()
    with Watch(request.seconds) as watch:
        _end_after(request.seconds + OVERTIME)
        begun = time.perf_counter()
        found = TASKS[request.task](solver, problem, request.settings, watch)
        seconds = time.perf_counter() - begun
        _end_after(0)
    peak = resident()[1] or _peak(resource.RUSAGE_SELF)
    started = _peak(resource.RUSAGE_CHILDREN)
    # A program begins with the peak of whoever started it: only what lies above that is its own.
    return Measured(found, seconds, solver.version(), peak, started if started > peak else 0)


def first(solver: Solver, problem: Problem, settings: Settings, watch: Watch) -> Found:
    """Look for one solution."""
    answer = solver.solve(problem, settings, watch)
    return _found((answer,))


def prove(solver: Solver, problem: Problem, settings: Settings, watch: Watch) -> Found:
    """Look for one solution, then for another that differs from it in the first key."""
    one = solver.solve(problem, settings, watch)
    if one.point is None or watch.stop:
        found = _found((one,))
        return found if one.point is None else found._replace(stop=watch.stop or found.stop)
    key = next(iter(problem.keys))
    variables = problem.keys[key]
    known = NoGood(variables, tuple(one.point[v] for v in variables), problem.least_difference(key))
    return _found((one, solver.solve(problem.with_constraints([known]), settings, watch)))


def every(solver: Solver, problem: Problem, settings: Settings, watch: Watch) -> Found:
    """List all solutions that differ in the first key: by the engine itself if it can, else by partition."""
    key = next(iter(problem.keys))
    work = Work(problem, key, solver.name, settings, watch)
    alone = "enumeration" in solver.features and "cuts" not in solver.features
    points = natively(work) if alone else by_partition(work)
    found: dict[tuple[int, ...], tuple[int, ...]] = {}
    proof, stop, message = Proof.NONE, Stop.TIME, ""
    try:
        while not watch.stop:
            point = next(points)
            found.setdefault(tuple(point[v] for v in problem.keys[key]), point)
    except StopIteration as end:
        proof, stop = end.value
    except EngineFault as fault:
        stop, message = Stop.ERROR, str(fault)
    complete = proof is Proof.COMPLETE
    return Found(tuple(found.values()), complete, stop if complete else watch.stop or stop, message)


Task = Callable[["Solver", Problem, Settings, Watch], Found]
TASKS: dict[str, Task] = {"first": first, "prove": prove, "all": every}
"""What a run may have to do."""


def _found(answers: tuple[Answer, ...]) -> Found:
    """Return what the answers, of which the last decides, come to."""
    last = answers[-1]
    return Found(
        tuple(answer.point for answer in answers if answer.point is not None),
        last.proof in (Proof.INFEASIBLE, Proof.COMPLETE) and last.point is None,
        last.stop,
        last.message,
        answers[0].size,
        _sums([answer.statistics for answer in answers]),
        _sums([answer.seconds for answer in answers]),
    )


def _sums(counts: list[Any]) -> dict[str, Any]:
    return {name: sum(count.get(name, 0) for count in counts) for name in counts[0]}


def _end_after(seconds: float) -> None:
    """Have the system end this process after so many seconds, even if an engine listens to nobody."""
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _peak(whose: int) -> int:
    """Return the greatest resident memory that the system has noted, in bytes."""
    unit = 1 if os.uname().sysname == "Darwin" else 1024
    return unit * resource.getrusage(whose).ru_maxrss
