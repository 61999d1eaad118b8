"""Run a solver, in this process or in a worker, and validate its answer.

The first part decides where the solver runs; the second part runs it in a worker process of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import index
from typing import TYPE_CHECKING, Any, cast

from milp_pips.engines import registry
from milp_pips.engines.contract import SearchNode, Solver
from milp_pips.problem import Answer, Deadline, Problem, Proof, Settings, Stop, plugins
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.fields import shown

if TYPE_CHECKING:
    from milp_pips.formulations.linear_problem import LinearProblem
    from milp_pips.formulations.model import Model
    from milp_pips.runtime.executor import Arguments, Outcome


def ask(name: str, problem: Problem, settings: Settings, deadline: Deadline) -> Answer:
    """Return the answer of a solver, which runs in this process if that is safe, else in a worker.

    It runs in a worker if the settings request isolation or set a memory limit, if the solver requires it, or
    if a module that clashes with the solver's library is loaded in this process. A solver from another
    distribution has a process of its own, which ``registry.available`` has started.

    Raises UsageError, also if the problem is too large for the solver, and EngineFault.
    """
    solver = registry.available(name, settings)
    require_size(solver, problem)
    require_model_solver(solver, problem)
    if problem.objective is not None and "objective" not in solver.features:
        able = [n for n, found in registry.solvers() if "objective" in getattr(found, "features", ())]
        raise UsageError(f"{name} takes no objective; these solvers do: {', '.join(able)}")
    if needs_worker(solver, settings):
        return checked_answer(ask_in_worker(name, problem, settings, deadline), problem, name)
    with plugins.PluginErrors(f"{name} failed"):
        return checked_answer(solver.solve(problem, settings, deadline), problem, name)


def require_size(solver: Solver, problem: Problem) -> None:
    """Raise UsageError if the problem is too large for the solver."""
    if 0 < solver.most_values < problem.open_values:
        raise UsageError(
            f"{solver.name} takes problems with {solver.most_values} open values at most; this one has "
            f"{problem.open_values}"
        )


def require_model_solver(solver: Solver, problem: Problem | LinearProblem) -> None:
    """Raise UsageError if the problem is a linear one, and the solver does not take such models."""
    if isinstance(problem, Problem) or "models" in solver.features:
        return
    from milp_pips.engines.defaults import MODEL_SOLVERS

    able = ", ".join(MODEL_SOLVERS)
    reason = problem.model.reason_against_problem
    raise UsageError(f"{problem.name}: {reason}; {solver.name} does not take it, these do: {able}")


def needs_worker(solver: Solver, settings: Settings) -> bool:
    """Return whether the solver needs a process of its own and has none yet."""
    if settings.memory is not None and "memory limit" not in solver.features:
        return True
    if getattr(solver, "has_own_process", False):
        return False
    clash = not solver.clashes.isdisjoint(sys.modules)
    return bool(settings.isolate) or solver.isolated or clash


def count_by_engine(name: str, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Answer:
    """Return how many solutions differ in the key (``count``), by a solver with the feature ``counting``.

    It runs in this process or in a worker, as in ``ask``. Raises UsageError if the solver cannot count, or
    not by this key, and EngineFault.
    """
    solver = registry.available(name, settings)
    if "counting" not in solver.features:
        raise UsageError(f"{name} cannot count solutions, only search for them")
    require_size(solver, problem)
    tally, stop = _call(name, solver, "count", (problem, key), settings, deadline)
    if stop is not None:
        return Answer(None, Proof.NONE, stop, count=0)
    if not isinstance(tally, Answer) or (tally.proof is Proof.COMPLETE and tally.count is None):
        raise EngineFault(f"{name} returned {shown(tally)} instead of a count")
    return tally


def tree_of_engine(
    name: str, model: Model, costs: Sequence[float] | None, limit: int, settings: Settings, deadline: Deadline
) -> tuple[list[SearchNode], Stop]:
    """Return the branch-and-bound tree of a solver with the feature ``tree``, and why it stopped.

    It runs in this process or in a worker, as in ``ask``. Raises UsageError if the solver does not have this
    feature, and EngineFault.
    """
    solver = registry.available(name, settings)
    if "tree" not in solver.features:
        able = [other for other, found in registry.solvers() if "tree" in getattr(found, "features", ())]
        raise UsageError(f"{name} does not show its tree; these do: {', '.join(able)}")
    tree, stop = _call(name, solver, "tree", (model, costs, limit), settings, deadline)
    if stop is not None:
        return [], stop
    with plugins.PluginErrors(f"{name} failed"):
        nodes, stop = tree
        return list(nodes), Stop(stop)


def checked_answer(answer: Answer, problem: Problem | LinearProblem, who: str) -> Answer:
    """Return the answer with a point of plain integers. Raises EngineFault if it is not a valid answer."""
    if not isinstance(answer, Answer):
        raise EngineFault(f"{who} returned a {type(answer).__name__} instead of an answer")
    for name, kind in ANSWER_FIELD_TYPES.items():
        value = getattr(answer, name)
        if not isinstance(value, kind) or (kind is Mapping and not _counts(value)):
            raise EngineFault(f"{who} returned an invalid answer: its {name} is {shown(value)}")
    if answer.proof is Proof.OPTIMAL and (problem.objective is None or answer.point is None):
        raise EngineFault(f"{who} returned an invalid answer: optimal without a point or an objective")
    if answer.point is None:
        return answer
    if not isinstance(problem, Problem):  # the search has judged it
        return answer
    point = checked_point(answer.point, problem, who)
    value = None if problem.objective is None else problem.objective.value(point)
    if value != answer.value:
        raise EngineFault(f"{who} gives the value {shown(answer.value)} of a point whose value is {value}")
    return replace(answer, point=point)


ANSWER_FIELD_TYPES: dict[str, type] = {
    **{"proof": Proof, "stop": Stop, "formulation": str, "message": str},
    **dict.fromkeys(("size", "statistics", "seconds"), Mapping),
}
"""The types of an answer's fields, without its point."""


def _counts(value: Any) -> bool:
    """Return whether a mapping has only names as keys and numbers as values."""
    return all(isinstance(name, str) and isinstance(number, int | float) for name, number in value.items())


def checked_point(point: Sequence[int], problem: Problem, who: str) -> tuple[int, ...]:
    """Return the point as a tuple. Raises EngineFault unless it has an integer for every variable."""
    try:
        values = tuple(map(index, point))
    except TypeError:
        raise EngineFault(f"{who} returned an invalid point: {' '.join(repr(point).split())[:60]}") from None
    if len(values) != len(problem.variables):
        count = len(problem.variables)
        raise EngineFault(f"{who} returned a point of {len(values)} values for {count} variables")
    return values


# A solver in a worker process of its own.

WORKER_GRACE = 0.5
"""Seconds after the deadline at which the worker is killed: it needs some time to send its answer."""


def ask_in_worker(name: str, problem: Problem, settings: Settings, deadline: Deadline) -> Answer:
    """Return the answer of a solver that runs in a worker, within ``settings.memory``.

    Raises UsageError and EngineFault if the solver does.
    """
    outcome = _call_in_worker(name, "solve", (problem,), settings, deadline)
    if outcome.value is None:
        return Answer(None, Proof.NONE, outcome.stop or Stop.ERROR, message=outcome.fault)
    answer = cast("Answer", outcome.value)
    if outcome.stop and isinstance(answer, Answer) and answer.stop is Stop.COUNT:
        # an engine that handles Ctrl-C itself reports a limit
        return replace(answer, stop=outcome.stop)
    return answer


def _call(
    name: str, solver: Solver, method: str, arguments: Arguments, settings: Settings, deadline: Deadline
) -> tuple[Any, Stop | None]:
    """Return the result of a solver's method, here or in a worker, and why it has none, if that was stopped.

    Raises UsageError and EngineFault, the latter also if the worker dies.
    """
    if not needs_worker(solver, settings):
        with plugins.PluginErrors(f"{name} failed"):
            return getattr(solver, method)(*arguments, settings, deadline), None
    outcome = _call_in_worker(name, method, arguments, settings, deadline)
    if outcome.fault:
        raise EngineFault(f"{name} failed: {outcome.fault}")
    return (None, outcome.stop or Stop.ERROR) if outcome.value is None else (outcome.value, None)


def _call_in_worker(
    name: str, method: str, arguments: Arguments, settings: Settings, deadline: Deadline
) -> Outcome[Any]:
    """Call a method of a solver in a worker, within ``settings.memory``; return the outcome."""
    from milp_pips.runtime.executor import call_in_process
    from milp_pips.runtime.interruptible import Limits

    plain, _, variant = name.partition(":")
    own = settings.changed(isolate=False)  # the worker needs no further process
    call = (registry.location(plain), variant, method, (*arguments, own))
    return call_in_process(_call_here, call, Limits(deadline, memory=settings.memory, grace=WORKER_GRACE))


def _call_here(where: str, variant: str, method: str, arguments: Arguments, deadline: Deadline) -> Any:
    """Return what a method of the solver at a location returns; runs in the worker."""
    return getattr(registry.solver_at(where, variant), method)(*arguments, deadline)
