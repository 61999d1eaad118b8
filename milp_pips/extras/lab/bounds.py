"""Bound and incumbent of a search with an objective, over its nodes and its time."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Unpack

from milp_pips.extras.lab.branching import BoundStep, bound_steps
from milp_pips.extras.lab.puzzle_model import goal
from milp_pips.extras.lab.search_tree import SearchTree, search_tree
from milp_pips.problem.answer import Settings, Shortcuts, Stop
from milp_pips.problem.errors import UsageError
from milp_pips.problem.objective import Objective
from milp_pips.problem.parameters import named_keywords
from milp_pips.problem.result import TaskResult
from milp_pips.problem.stopping import Deadline, running_deadline
from milp_pips.tasks.pipeline import find_point, prepare, puzzle_of, settings_of
from milp_pips.tasks.solve import judge_response

if TYPE_CHECKING:
    from milp_pips.problem.problem import Problem
    from milp_pips.puzzles.puzzle import Puzzle


@dataclass(frozen=True)
class BoundTrace(TaskResult):
    """How bound and incumbent of a search moved towards each other.

    Parameters
    ----------
    name
        The name of the puzzle.
    solver, formulation
        The search, ``textbook`` or the name of a solver, and its formulation.
    objective, sense
        What was optimised, in words; ``maximise`` or ``minimise``.
    steps
        Bound and incumbent, in the order of the search.
    value
        The value of the best solution; None without one.
    confirmed_by
        The method that confirmed that no solution is better; None if none did.
    stop
        The stopping criterion.
    seconds
        The time taken, with the confirmation.
    """

    name: str
    solver: str
    formulation: str
    objective: str
    sense: str
    steps: tuple[BoundStep, ...] = field(repr=False)
    value: int | float | None
    confirmed_by: str | None
    stop: Stop
    seconds: float


@named_keywords
def bounds(
    source: SearchTree | Puzzle | Problem,
    settings: Settings = Settings(),
    *,
    maximise: str = "",
    minimise: str = "",
    solver: str = "",
    deadline: Deadline | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> BoundTrace:
    """Return how the bound and the incumbent of a search moved.

    Parameters
    ----------
    source
        The tree of a textbook search, which has all its steps; or a puzzle of any family or a bare problem,
        which is searched first.
    settings, deadline, shortcuts
        As for ``solve``. Nothing is filtered first unless ``rules`` requests it.
    maximise, minimise
        What to optimise, in words, as for ``solve``; empty for the objective of the problem.
    solver
        A solver that reports its bounds, such as ``highs``; empty for the textbook's branch and bound, best
        bound first.

    Raises
    ------
    UsageError
        If there is no objective, for a solver that reports no bounds, and as ``search_tree`` does.
    """
    begun = time.perf_counter()
    settings = settings_of(settings, shortcuts, solver)
    goals: dict[str, Any] = {"maximise": maximise, "minimise": minimise}
    with running_deadline(deadline, settings.seconds) as deadline:
        if not solver and not isinstance(source, SearchTree):
            source = search_tree(source, settings, order="best", deadline=deadline, **goals)
        if isinstance(source, SearchTree):
            tree, stated = source, source.stated
            objective = _objective_of(stated.problem)
            head = stated.puzzle.name, tree.solver, stated.model.formulation
            answer, seconds = (tree.value, tree.confirmed_by, tree.stop), tree.seconds
            if not (steps := tree.steps):
                raise UsageError(f"a tree of {tree.solver} has no steps; name the puzzle and the solver")
        else:
            prepared = prepare(
                puzzle_of(source, "bounds"), settings.rules or (), deadline=deadline, change=goal(**goals)
            )
            objective = _objective_of(prepared.problem)
            progress, started = deadline.progress, time.monotonic()
            progress.follows = True
            response = find_point(prepared, solver, settings, deadline)
            progress.follows = False
            incumbents = [(moment, objective.cost(value)) for moment, value in progress.incumbents]
            steps = bound_steps(objective, started, progress.bounds, incumbents)
            if not steps:
                raise UsageError(f"{solver} reports no bounds of its search in this process; highs does")
            found, _ = judge_response(prepared, response, deadline)
            head = prepared.puzzle.name, solver, response.answer.formulation
            best = found.objective
            answer = (best.value, best.confirmed_by, found.stop) if best else (None, None, found.stop)
            seconds = time.perf_counter() - begun
    return BoundTrace(*head, str(objective), objective.sense, steps, *answer, seconds)


def _objective_of(problem: Problem) -> Objective:
    """Return the objective. Raises UsageError if there is none."""
    if problem.objective is None:
        raise UsageError("bounds belong to an objective: maximise or minimise something")
    return problem.objective
