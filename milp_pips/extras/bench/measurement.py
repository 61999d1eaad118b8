"""Make one run in a process of its own: everything is loaded first, then the clock starts.

The clock is monotonic wall-clock time (``time.perf_counter``) and the same for every engine. It runs from the
problem in Python's memory to the engine's answer in Python's memory.
"""

from __future__ import annotations

import gc
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from milp_pips import constraints
from milp_pips.constraints import DominoCover, NoGood, Relation
from milp_pips.engines import registry
from milp_pips.engines.contract import PointIterator
from milp_pips.problem.answer import Answer, Proof, Settings, Stop
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.errors import Contradiction, EngineFault, UsageError
from milp_pips.problem.objective import MAXIMISE, MINIMISE, Objective
from milp_pips.problem.problem import Problem, Variable
from milp_pips.problem.stopping import Deadline, SubDeadline
from milp_pips.propagation import reduce_domains
from milp_pips.runtime.reaper import peak_memory
from milp_pips.tasks.objectives import goal_of
from milp_pips.tasks.pipeline import state

if TYPE_CHECKING:
    from milp_pips.engines.contract import Solver
    from milp_pips.puzzles.puzzle import Puzzle

ENGINE_START_SECONDS = 30.0
"""The seconds an engine may take to load its library and warm up: only an engine that hangs needs them."""

RUN_GRACE = 1.0
"""The seconds past its limit after which the system ends a run: engines check their deadline more often."""

WARM_UP_CONSTRAINTS: tuple[Constraint, ...] = (
    DominoCover((0, 1), (2, 3), ((0, 1),), ((0, 1),)),
    constraints.AllDifferent((0, 1)),
    constraints.AllEqual((0,)),
    constraints.LinearSum((0, 1), Relation.LE, 2),
    constraints.LinearSum((0,), Relation.EQ, 1),
    constraints.Less((1, 0)),
    constraints.Table.from_text((0, 1), "1 0; 0 0"),
    constraints.Cardinality((0, 1), ((0, 1, 1),)),
    constraints.Regular((0, 1), constraints.Automaton(0, frozenset({2}), ((0, 0, 1), (0, 1, 1), (1, 0, 2)))),
    NoGood((0, 1), (0, 1)),
)
"""A constraint of each kind on two cells and their partners; all hold if the cells are 1 and 0."""


class Outcome(NamedTuple):
    """The result of a run: points, whether the engine claims that there is no further one, and the stop.

    ``filtered`` states that reducing the domains alone ruled out every solution, so that no engine was
    called. ``formulation`` names the formulation, if the engine reports it. With an objective there are the
    ``bound`` on the best value, and the ``incumbents``: seconds in the clock, and the value. The points are
    exhausted if the last one is proved optimal.
    """

    points: tuple[tuple[int, ...], ...]
    exhausted: bool
    stop: Stop
    message: str = ""
    size: Mapping[str, int] = {}
    statistics: Mapping[str, int] = {}
    seconds: Mapping[str, float] = {}
    filtered: bool = False
    formulation: str = ""
    bound: int | None = None
    incumbents: tuple[tuple[float, int], ...] = ()


class Measurement(NamedTuple):
    """The outcome, the total seconds, and the peak memory of the process in bytes, 0 if unknown.

    ``processor_seconds`` are those of the whole process so far, and of the child programs that it has waited
    for; ``clock_processor_seconds`` are the part of them within the ``seconds``.
    """

    outcome: Outcome
    seconds: float
    peak: int
    processor_seconds: float
    clock_processor_seconds: float


def measure(
    where: str, variant: str, puzzle: Puzzle, task: str, settings: Settings, whole: Deadline
) -> Measurement:
    """Make one run with the solver of this plugin; called in a worker process.

    The clock starts when everything is loaded. ``whole`` is the deadline of the call.

    If the solver already refuses a small problem, or does not know an option, this raises UsageError. If it
    refuses only this puzzle, the run ends with an error.
    """
    _limit_process_time(ENGINE_START_SECONDS)
    solver = registry.solver_at(where, variant)
    if task == "all":
        import milp_pips.enumeration.subproblems  # noqa: F401 (its 0.06 s are not the engine's, and no other task's)
    # The small problem loads all modules that this one needs, so that the clock measures none of that.
    problem = state(puzzle)
    small = small_problem(problem)
    problem = aim_of(task)(problem)
    if problem.objective:
        small = small.with_objective(Objective(((0, 1, 1),), MAXIMISE))
    reduce_domains(small, settings.rules or ())
    solver.solve(small, settings, Deadline(ENGINE_START_SECONDS))
    # What the warm-up has left is not to be collected while the clock runs.
    gc.collect()
    seconds = settings.seconds or 0.0
    deadline = SubDeadline(whole, seconds)
    _limit_process_time(seconds + RUN_GRACE)
    used, begun = _processor_seconds(), time.perf_counter()
    try:
        outcome = _reduce_and_run(task, solver, problem, settings, deadline)
    except UsageError as refused:  # only this puzzle: the small one was accepted with the same settings
        outcome = Outcome((), False, Stop.ERROR, str(refused))
    spent, clocked = time.perf_counter() - begun, _processor_seconds() - used
    _limit_process_time(0)
    return Measurement(outcome, spent, peak_memory(), _processor_seconds(), clocked)


def small_problem(problem: Problem) -> Problem:
    """Return a problem that an engine solves before the clock starts, so that all its modules are loaded.

    It has two cells and constraints of the same kinds as the problem, and excludes a solution.
    """
    kinds = {NoGood, *map(type, problem.constraints)}
    variables = [Variable("a", (0, 1)), Variable("b", (0, 1))]
    if DominoCover in kinds:
        variables += [Variable("partner of a", (1,)), Variable("partner of b", (0,))]
    chosen = tuple(constraint for constraint in WARM_UP_CONSTRAINTS if type(constraint) in kinds)
    return Problem(tuple(variables), chosen, {"all": tuple(range(len(variables))), "cells": (0, 1)})


def _reduce_and_run(
    task: str, solver: Solver, problem: Problem, settings: Settings, deadline: Deadline
) -> Outcome:
    """Reduce the domains as every task does, which counts as building, and carry out the task."""
    begun, moment = time.perf_counter(), time.monotonic()
    try:
        problem = reduce_domains(problem, settings.rules or ())
    except Contradiction as reason:
        spent = {"build": time.perf_counter() - begun, "solve": 0.0}
        return Outcome((), True, Stop.FINISHED, str(reason), seconds=spent, filtered=True)
    reducing = time.perf_counter() - begun
    outcome = (run_best if problem.objective else RUN_TASKS[task])(solver, problem, settings, deadline)
    if outcome.incumbents:
        outcome = outcome._replace(
            incumbents=tuple([(at - moment, value) for at, value in outcome.incumbents])
        )
    if "build" not in outcome.seconds:
        return outcome
    return outcome._replace(
        seconds={**outcome.seconds, "build": outcome.seconds["build"] + reducing},
    )


def run_first(solver: Solver, problem: Problem, settings: Settings, deadline: Deadline) -> Outcome:
    """Find one solution."""
    return _outcome([solver.solve(problem, settings, deadline)])


def objective_of(task: str) -> Callable[[Problem], Problem] | None:
    """Return the function that gives a problem the objective of a task; None if the task has none."""
    sense, _, expression = task.partition(" ")
    if sense not in (MINIMISE, MAXIMISE) or not expression:
        return None
    return goal_of(maximise=expression) if sense == MAXIMISE else goal_of(minimise=expression)


def aim_of(task: str) -> Callable[[Problem], Problem]:
    """Return the function that gives a problem the objective of a task, or takes away that of its model."""
    return objective_of(task) or (lambda problem: problem.with_objective(None))


def run_best(solver: Solver, problem: Problem, settings: Settings, deadline: Deadline) -> Outcome:
    """Find the best solution; see ``Outcome``."""
    answer = solver.solve(problem, settings, deadline)
    optimal = answer.proof is Proof.OPTIMAL
    return _outcome([answer])._replace(
        exhausted=optimal or answer.proof is Proof.INFEASIBLE,
        bound=answer.bound,
        incumbents=tuple(deadline.progress.incumbents),
    )


def run_prove(solver: Solver, problem: Problem, settings: Settings, deadline: Deadline) -> Outcome:
    """Find one solution, then another that differs from it in the first key."""
    one = solver.solve(problem, settings, deadline)
    if one.point is None:
        return _outcome([one])
    if deadline.stop:
        return _outcome([one])._replace(stop=deadline.stop)
    key = next(iter(problem.keys))
    variables = problem.keys[key]
    least = problem.least_difference(key)
    known = NoGood(variables, tuple(one.point[v] for v in variables), least=least)
    return _outcome([one, solver.solve(problem.with_constraints([known]), settings, deadline)])


def run_all(solver: Solver, problem: Problem, settings: Settings, deadline: Deadline) -> Outcome:
    """List all solutions that differ in the first key: by the engine itself if it can, else by partition."""
    from milp_pips.enumeration.methods import Listing, list_natively, lists_by_itself
    from milp_pips.enumeration.subproblems import list_by_partition

    key = next(iter(problem.keys))
    listing = Listing(problem, key, solver.name, settings, solver)
    native = lists_by_itself(solver, problem)
    points = PointIterator((list_natively if native else list_by_partition)(listing, deadline))
    found: list[tuple[int, ...]] = []
    fault = None
    try:
        for point in points:
            found.append(point)
            if deadline.stop:
                break
    except EngineFault as error:
        fault = error
    stop = Stop.ERROR if fault else points.stop
    complete = points.proof is Proof.COMPLETE
    return Outcome(tuple(found), complete, stop if complete else deadline.stop or stop, str(fault or ""))


RUN_TASKS: dict[str, Callable[[Solver, Problem, Settings, Deadline], Outcome]] = {
    "first": run_first,
    "prove": run_prove,
    "all": run_all,
}
"""The tasks of a run."""


def _outcome(answers: Sequence[Answer]) -> Outcome:
    """Return the outcome of the answers, of which the last one decides."""
    last = answers[-1]
    points = [one.point for one in answers if one.point is not None]  # anything at all, before it is judged
    return Outcome(
        cast("tuple[tuple[int, ...], ...]", tuple(points)),
        last.proof in (Proof.INFEASIBLE, Proof.COMPLETE) and last.point is None,
        last.stop,
        last.message,
        answers[0].size,
        _add_counts([answer.statistics for answer in answers]),
        _add_counts([answer.seconds for answer in answers]),
        formulation=answers[0].formulation,
    )


def _add_counts(counts: list[Any]) -> dict[str, Any]:
    return {name: sum(count.get(name, 0) for count in counts) for name in counts[0]}


def _limit_process_time(seconds: float) -> None:
    """Have the system end this process after this many seconds, even if an engine ignores its deadline.

    Windows has no such timer: there the parent process alone ends a run that is late.
    """
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _processor_seconds() -> float:
    """Return the processor seconds of this process and of the programs that it has waited for.

    On Windows there are only those of this process.
    """
    if sys.platform == "win32":
        return time.process_time()
    import resource

    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


LOAD_SECONDS = 0.3
"""The seconds for which the load of the cores is measured."""

IDLE_LOAD = 0.3
"""How many cores a system at rest may take: it does other work, too."""


class CoreLoad(NamedTuple):
    """How many cores are at work, and how many there are."""

    busy: float
    cores: int


def core_load() -> CoreLoad:
    """Return the load of this machine's cores, measured for ``LOAD_SECONDS``."""
    import psutil

    cores = psutil.cpu_count() or 1
    return CoreLoad(cores * psutil.cpu_percent(LOAD_SECONDS) / 100, cores)


def load_warning(load: CoreLoad, needed: int) -> str:
    """Return how many cores other programs take; empty if as many as needed are idle."""
    if load.busy + min(needed, load.cores) <= load.cores + IDLE_LOAD:
        return ""
    return f"other programs take {load.busy:.1f} of {load.cores} cores"
