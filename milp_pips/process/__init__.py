"""Other processes: engines in workers of their own, programs that are watched, and what they start."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from operator import index
from typing import TYPE_CHECKING, cast

from milp_pips import plugins
from milp_pips.answer import Answer
from milp_pips.errors import EngineFault, UsageError

if TYPE_CHECKING:
    from milp_pips.answer import Settings, Tally
    from milp_pips.problem import Problem
    from milp_pips.solvers.contract import CountingSolver, Solver
    from milp_pips.watch import Watch


def ask(name: str, problem: Problem, settings: Settings, watch: Watch) -> Answer:
    """Return the answer of a solver: in this process where that is safe, else in a worker.

    A worker it is where the settings ask for isolation or set a memory limit, where the solver wants it, or
    where a module that clashes with the solver's library is loaded here. Raises UsageError.
    """
    solver = plugins.available(name)
    if needs_worker(solver, settings):
        from milp_pips.process.worker import ask_in_worker

        return checked_answer(ask_in_worker(name, problem, settings, watch), problem, name)
    with plugins.Blame(f"{name} failed"):
        return checked_answer(solver.solve(problem, settings, watch), problem, name)


def needs_worker(solver: Solver, settings: Settings) -> bool:
    """Return whether the solver must have a process of its own."""
    clash = not solver.clashes.isdisjoint(sys.modules)
    limit = settings.memory is not None and "memory limit" not in solver.features
    return settings.isolate or limit or solver.isolated or clash


def count_by_engine(name: str, problem: Problem, key: str, settings: Settings, watch: Watch) -> Tally:
    """Return how many solutions that differ in the key a solver with the feature ``counting`` counts.

    In this process or in a worker, as ``ask`` does. Raises UsageError where it cannot count, or not by this
    key, and EngineFault.
    """
    solver = plugins.available(name)
    if "counting" not in solver.features:
        raise UsageError(f"{name} cannot count solutions: it can only look for them")
    if needs_worker(solver, settings):
        from milp_pips.process.worker import count_in_worker

        return count_in_worker(name, problem, key, settings, watch)
    with plugins.Blame(f"{name} failed"):
        return cast("CountingSolver", solver).count(problem, key, settings, watch)


def checked_answer(answer: Answer, problem: Problem, who: str) -> Answer:
    """Return the answer if it is one, its point made of plain integers; else raise EngineFault."""
    if not isinstance(answer, Answer):
        raise EngineFault(f"{who} gave no answer, but a {type(answer).__name__}")
    return (
        answer if answer.point is None else replace(answer, point=checked_point(answer.point, problem, who))
    )


def checked_point(point: Sequence[int], problem: Problem, who: str) -> tuple[int, ...]:
    """Return the point if it has an integer for every variable; else raise EngineFault."""
    try:
        values = tuple(map(index, point))
    except TypeError:
        raise EngineFault(f"{who} gave what is no point: {' '.join(repr(point).split())[:60]}") from None
    if len(values) != len(problem.variables):
        count = len(problem.variables)
        raise EngineFault(f"{who} gave a point of {len(values)} values for {count} variables")
    return values
