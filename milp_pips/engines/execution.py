"""Run a solver, in this process or in a worker, and validate its answer.

The first part decides where the solver runs; the second part runs it in a worker process of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import index
from typing import TYPE_CHECKING, Any, cast

from milp_pips.engines import registry
from milp_pips.problem import plugins
from milp_pips.problem.answer import Answer, Proof, Settings, Stop, Tally
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.fields import shown
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.worker import Reply, call_in_worker

if TYPE_CHECKING:
    from milp_pips.engines.contract import CountingSolver, SearchNode, Solver, TreeSolver
    from milp_pips.formulations.milp.model import Model


def ask(name: str, problem: Problem, settings: Settings, deadline: Deadline) -> Answer:
    """Return the answer of a solver, which runs in this process if that is safe, else in a worker.

    It runs in a worker if the settings request isolation or set a memory limit, if the solver requires it, or
    if a module that clashes with the solver's library is loaded in this process. A solver from another
    distribution has a process of its own, which ``registry.available`` has started.

    Raises UsageError, also if the problem is too large for the solver, and EngineFault.
    """
    solver = registry.available(name, settings)
    require_size(solver, problem)
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


def needs_worker(solver: Solver, settings: Settings) -> bool:
    """Return whether the solver needs a process of its own and has none yet."""
    if getattr(solver, "has_own_process", False):
        return False
    clash = not solver.clashes.isdisjoint(sys.modules)
    limit = settings.memory is not None and "memory limit" not in solver.features
    return bool(settings.isolate) or limit or solver.isolated or clash


def count_by_engine(name: str, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Tally:
    """Return how many solutions differ in the key, as counted by a solver with the feature ``counting``.

    It runs in this process or in a worker, as in ``ask``. Raises UsageError if the solver cannot count, or
    not by this key, and EngineFault.
    """
    solver = registry.available(name, settings)
    if "counting" not in solver.features:
        raise UsageError(f"{name} cannot count solutions, only search for them")
    require_size(solver, problem)
    if needs_worker(solver, settings):
        tally = count_in_worker(name, problem, key, settings, deadline)
    else:
        with plugins.PluginErrors(f"{name} failed"):
            tally = cast("CountingSolver", solver).count(problem, key, settings, deadline)
    if not isinstance(tally, Tally):
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
    if needs_worker(solver, settings):
        return tree_in_worker(name, model, costs, limit, settings, deadline)
    with plugins.PluginErrors(f"{name} failed"):
        nodes, stop = cast("TreeSolver", solver).tree(model, costs, limit, settings, deadline)
        return list(nodes), Stop(stop)


def checked_answer(answer: Answer, problem: Problem, who: str) -> Answer:
    """Return the answer with a point of plain integers. Raises EngineFault if it is not a valid answer."""
    if not isinstance(answer, Answer):
        raise EngineFault(f"{who} returned a {type(answer).__name__} instead of an answer")
    for name, kind in ANSWER_FIELD_TYPES.items():
        value = getattr(answer, name)
        if not isinstance(value, kind) or (kind is Mapping and not _counts(value)):
            raise EngineFault(f"{who} returned an invalid answer: its {name} is {shown(value)}")
    return (
        answer if answer.point is None else replace(answer, point=checked_point(answer.point, problem, who))
    )


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

    Raises UsageError if the solver does.
    """
    reply = _call_solver(_answer, name, (problem,), settings, deadline)
    if reply.value is None:
        return Answer(None, Proof.NONE, reply.process.stop or Stop.ERROR, message=reply.last_words)
    answer = cast("Answer", reply.value)
    if reply.process.stop and isinstance(answer, Answer) and answer.stop is Stop.COUNT:
        # an engine that handles Ctrl-C itself reports a limit
        return replace(answer, stop=reply.process.stop)
    return answer


def count_in_worker(name: str, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Tally:
    """Return the count of a solver that runs in a worker, within ``settings.memory``.

    Raises UsageError and EngineFault, the latter also if the worker dies.
    """
    reply = _call_solver(_tally, name, (problem, key), settings, deadline)
    if reply.value is None and reply.last_words:
        raise EngineFault(f"{name} failed: {reply.last_words}")
    return cast("Tally", reply.value or Tally(0, Proof.NONE, reply.process.stop or Stop.ERROR))


def tree_in_worker(
    name: str, model: Model, costs: Sequence[float] | None, limit: int, settings: Settings, deadline: Deadline
) -> tuple[list[SearchNode], Stop]:
    """Return the tree of a solver that runs in a worker. Raises UsageError and EngineFault."""
    reply = _call_solver(_tree, name, (model, costs, limit), settings, deadline)
    if reply.value is None and reply.last_words:
        raise EngineFault(f"{name} failed: {reply.last_words}")
    return cast("tuple[list[SearchNode], Stop]", reply.value or ([], reply.process.stop or Stop.ERROR))


def _call_solver(
    function: Callable[..., object], name: str, what: tuple[Any, ...], settings: Settings, deadline: Deadline
) -> Reply:
    """Run one of the functions below in a worker, within ``settings.memory``; return its reply."""
    plain, _, variant = name.partition(":")
    where = registry.location(plain)
    own = settings.changed(isolate=False)  # the worker needs no further process
    arguments = (where, variant, *what, own, deadline.remaining)
    return call_in_worker(function, arguments, deadline, memory=settings.memory, grace=WORKER_GRACE)


def _answer(where: str, variant: str, problem: Problem, settings: Settings, seconds: float | None) -> Answer:
    """Return the answer of the solver at a location; the worker's part of ``ask_in_worker``."""
    with Deadline(seconds) as deadline:
        return registry.solver_at(where, variant).solve(problem, settings, deadline)


def _tally(
    where: str, variant: str, problem: Problem, key: str, settings: Settings, seconds: float | None
) -> Tally:
    """Return the count of the solver at a location; the worker's part of ``count_in_worker``."""
    with Deadline(seconds) as deadline:
        solver = cast("CountingSolver", registry.solver_at(where, variant))
        return solver.count(problem, key, settings, deadline)


def _tree(
    where: str,
    variant: str,
    model: Model,
    costs: Sequence[float] | None,
    limit: int,
    settings: Settings,
    seconds: float | None,
) -> tuple[list[SearchNode], Stop]:
    """Return the tree of the solver at a location; the worker's part of ``tree_in_worker``."""
    with Deadline(seconds) as deadline:
        solver = cast("TreeSolver", registry.solver_at(where, variant))
        return solver.tree(model, costs, limit, settings, deadline)
