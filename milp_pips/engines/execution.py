"""Other processes: engines in workers of their own, programs that are watched, and what they start."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import index
from typing import TYPE_CHECKING, Any, cast

from milp_pips.engines import registry
from milp_pips.problem import plugins
from milp_pips.problem.answer import Answer, Proof, Stop, Tally
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.validation import shown

if TYPE_CHECKING:
    from milp_pips.engines.contract import CountingSolver, SearchNode, Solver, TreeSolver
    from milp_pips.formulations.milp.model import Model
    from milp_pips.problem.answer import Settings, Stop
    from milp_pips.problem.problem import Problem
    from milp_pips.problem.stopping import Deadline


def ask(name: str, problem: Problem, settings: Settings, deadline: Deadline) -> Answer:
    """Return the answer of a solver: in this process where that is safe, else in a worker.

    A worker it is where the settings ask for isolation or set a memory limit, where the solver wants it, or
    where a module that clashes with the solver's library is loaded here. A solver from another distribution
    has a process of its own, which ``registry.available`` has started. Raises UsageError, also where the
    solver does not take so large a problem.
    """
    solver = registry.available(name, settings)
    require_size(solver, problem)
    if needs_worker(solver, settings):
        from milp_pips.engines.worker import ask_in_worker

        return checked_answer(ask_in_worker(name, problem, settings, deadline), problem, name)
    with plugins.PluginErrors(f"{name} failed"):
        return checked_answer(solver.solve(problem, settings, deadline), problem, name)


def require_size(solver: Solver, problem: Problem) -> None:
    """Raise UsageError for a problem that is larger than the solver takes."""
    if 0 < solver.most_values < problem.open_values:
        raise UsageError(
            f"{solver.name} takes problems with {solver.most_values} open values at most; this one has "
            f"{problem.open_values}"
        )


def needs_worker(solver: Solver, settings: Settings) -> bool:
    """Return whether the solver must have a process of its own, and has none yet."""
    if getattr(solver, "has_own_process", False):
        return False
    clash = not solver.clashes.isdisjoint(sys.modules)
    limit = settings.memory is not None and "memory limit" not in solver.features
    return bool(settings.isolate) or limit or solver.isolated or clash


def count_by_engine(name: str, problem: Problem, key: str, settings: Settings, deadline: Deadline) -> Tally:
    """Return how many solutions that differ in the key a solver with the feature ``counting`` counts.

    In this process or in a worker, as ``ask`` does. Raises UsageError where it cannot count, or not by this
    key, and EngineFault.
    """
    solver = registry.available(name, settings)
    if "counting" not in solver.features:
        raise UsageError(f"{name} cannot count solutions: it can only look for them")
    require_size(solver, problem)
    if needs_worker(solver, settings):
        from milp_pips.engines.worker import count_in_worker

        tally = count_in_worker(name, problem, key, settings, deadline)
    else:
        with plugins.PluginErrors(f"{name} failed"):
            tally = cast("CountingSolver", solver).count(problem, key, settings, deadline)
    if not isinstance(tally, Tally):
        raise EngineFault(f"{name} gave no count, but {shown(tally)}")
    return tally


def tree_of_engine(
    name: str, model: Model, costs: Sequence[float] | None, limit: int, settings: Settings, deadline: Deadline
) -> tuple[list[SearchNode], Stop]:
    """Return the branch-and-bound tree of a solver with the feature ``tree``, and why it stopped.

    In this process or in a worker, as ``ask`` does. Raises UsageError where it cannot tell, and EngineFault.
    """
    solver = registry.available(name, settings)
    if "tree" not in solver.features:
        able = [other for other, found in registry.solvers() if "tree" in getattr(found, "features", ())]
        raise UsageError(f"{name} does not show its tree; these do: {', '.join(able)}")
    if needs_worker(solver, settings):
        from milp_pips.engines.worker import tree_in_worker

        return tree_in_worker(name, model, costs, limit, settings, deadline)
    with plugins.PluginErrors(f"{name} failed"):
        nodes, stop = cast("TreeSolver", solver).tree(model, costs, limit, settings, deadline)
        return list(nodes), Stop(stop)


def checked_answer(answer: Answer, problem: Problem, who: str) -> Answer:
    """Return the answer if it is one, its point made of plain integers; else raise EngineFault."""
    if not isinstance(answer, Answer):
        raise EngineFault(f"{who} gave no answer, but a {type(answer).__name__}")
    for name, kind in ANSWER_FIELD_TYPES.items():
        value = getattr(answer, name)
        if not isinstance(value, kind) or (kind is Mapping and not _counts(value)):
            raise EngineFault(f"{who} gave an answer that cannot be read: its {name} is {shown(value)}")
    return (
        answer if answer.point is None else replace(answer, point=checked_point(answer.point, problem, who))
    )


ANSWER_FIELD_TYPES: dict[str, type] = {
    **{"proof": Proof, "stop": Stop, "formulation": str, "message": str},
    **dict.fromkeys(("size", "statistics", "seconds"), Mapping),
}
"""What an answer says besides its point, and of what kind that is."""


def _counts(said: Any) -> bool:
    """Whether these are numbers by name."""
    return all(isinstance(name, str) and isinstance(number, int | float) for name, number in said.items())


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
