"""An engine in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from milp_pips.engines import registry
from milp_pips.problem.answer import Answer, Proof, Settings, Stop, Tally
from milp_pips.problem.errors import EngineFault
from milp_pips.problem.problem import Problem
from milp_pips.problem.stopping import Deadline
from milp_pips.runtime.worker import Reply, call_in_worker

if TYPE_CHECKING:
    from milp_pips.engines.contract import CountingSolver, SearchNode, TreeSolver
    from milp_pips.formulations.milp.model import Model

WORKER_GRACE = 0.5
"""Seconds past the deadline after which the worker is killed: it needs some to send its answer."""


def ask_in_worker(name: str, problem: Problem, settings: Settings, deadline: Deadline) -> Answer:
    """Return the answer of a solver that runs in a process of its own, within ``settings.memory``.

    Raises UsageError, as the solver does.
    """
    reply = _call_solver(_answer, name, (problem,), settings, deadline)
    if reply.value is None:
        return Answer(None, Proof.NONE, reply.ran.stop or Stop.ERROR, message=reply.last_words)
    answer = cast("Answer", reply.value)
    if reply.ran.stop and isinstance(answer, Answer) and answer.stop is Stop.COUNT:
        return replace(answer, stop=reply.ran.stop)  # an engine that hears Ctrl-C itself calls it a limit
    return answer


def count_in_worker(name: str, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Tally:
    """Return what a solver counts that runs in a process of its own, within ``settings.memory``.

    Raises UsageError and EngineFault, the latter also if the process dies.
    """
    reply = _call_solver(_tally, name, (problem, key), settings, deadline)
    if reply.value is None and reply.last_words:
        raise EngineFault(f"{name} failed: {reply.last_words}")
    return cast("Tally", reply.value or Tally(0, Proof.NONE, reply.ran.stop or Stop.ERROR))


def tree_in_worker(
    name: str, model: Model, costs: Sequence[float] | None, limit: int, settings: Settings, deadline: Deadline
) -> tuple[list[SearchNode], Stop]:
    """Return the tree of a solver that runs in a process of its own. Raises UsageError and EngineFault."""
    reply = _call_solver(_tree, name, (model, costs, limit), settings, deadline)
    if reply.value is None and reply.last_words:
        raise EngineFault(f"{name} failed: {reply.last_words}")
    return cast("tuple[list[SearchNode], Stop]", reply.value or ([], reply.ran.stop or Stop.ERROR))


def _call_solver(
    function: Callable[..., object], name: str, what: tuple[Any, ...], settings: Settings, deadline: Deadline
) -> Reply:
    """Call a function below on a solver, found there by its name, within ``settings.memory``."""
    plain, _, variant = name.partition(":")
    where = registry.location(plain)
    own = settings.changed(isolate=False)  # the worker needs no further process
    arguments = (where, variant, *what, own, deadline.remaining)
    return call_in_worker(function, arguments, deadline, memory=settings.memory, grace=WORKER_GRACE)


def _answer(where: str, variant: str, problem: Problem, settings: Settings, seconds: float | None) -> Answer:
    """Return the answer of the solver found there; the worker's side of ``ask_in_worker``."""
    with Deadline(seconds) as deadline:
        return registry.solver_at(where, variant).solve(problem, settings, deadline)


def _tally(
    where: str, variant: str, problem: Problem, key: str, settings: Settings, seconds: float | None
) -> Tally:
    """Return what the solver found there counts; the worker's side of ``count_in_worker``."""
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
    """Return the tree of the solver found there; the worker's side of ``tree_in_worker``."""
    with Deadline(seconds) as deadline:
        solver = cast("TreeSolver", registry.solver_at(where, variant))
        return solver.tree(model, costs, limit, settings, deadline)
