"""Bound and incumbent of a search with an objective, over its nodes and its time."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Unpack

from milp_pips.extras.lab.branching import BoundStep, bound_steps
from milp_pips.extras.lab.search_tree import MAX_TREE_NODES, TEXTBOOK, search_tree
from milp_pips.problem.answer import Settings, Shortcuts, Stop
from milp_pips.problem.errors import UsageError
from milp_pips.problem.parameters import named_keywords
from milp_pips.problem.result import TaskResult
from milp_pips.problem.stopping import Deadline, running_deadline
from milp_pips.tasks.objectives import goal_of
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
    puzzle: Puzzle | Problem,
    settings: Settings = Settings(),
    *,
    maximise: str = "",
    minimise: str = "",
    solver: str = "",
    rule: str = "most-fractional",
    order: str = "best",
    limit: int = MAX_TREE_NODES,
    deadline: Deadline | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> BoundTrace:
    """Return how the bound and the incumbent of a search moved.

    Parameters
    ----------
    puzzle
        A puzzle of any family, or a bare problem.
    settings, deadline, shortcuts
        As for ``solve``. Nothing is filtered first unless ``rules`` requests it.
    maximise, minimise
        What to optimise, in words, as for ``solve``; empty for the objective of the problem.
    solver
        A solver that reports its bounds, such as ``highs``; empty for the textbook's branch and bound.
    rule, order, limit
        The textbook's, as for ``search_tree``.

    Raises
    ------
    UsageError
        If there is no objective, for a solver that reports no bounds, and as ``search_tree`` does.
    """
    begun = time.perf_counter()
    settings = settings_of(settings, shortcuts, solver)
    with running_deadline(deadline, settings.seconds) as deadline:
        prepared = prepare(
            puzzle_of(puzzle, "bounds"), settings.rules or (), deadline=deadline,
            change=goal_of(maximise or None, minimise or None),
        )  # fmt: skip
        objective = prepared.problem.objective
        if objective is None:
            raise UsageError("bounds belong to an objective: maximise or minimise something")
        head = prepared.puzzle.name, solver or TEXTBOOK
        if not solver:
            tree = search_tree(
                puzzle, settings, maximise=maximise, minimise=minimise, rule=rule, order=order, limit=limit,
                deadline=deadline,
            )  # fmt: skip
            formulation, steps, stop = tree.stated.model.formulation, tree.steps, tree.stop
            value, confirmed = tree.value, tree.confirmed_by
        else:
            progress, started = deadline.progress, time.monotonic()
            progress.follows = True
            response = find_point(prepared, solver, settings, deadline)
            progress.follows = False
            incumbents = [(moment, objective.cost(value)) for moment, value in progress.incumbents]
            steps = bound_steps(objective, started, progress.bounds, incumbents)
            if not steps:
                raise UsageError(f"{solver} reports no bounds of its search in this process; highs does")
            found, _ = judge_response(prepared, response, deadline)
            formulation, stop = response.answer.formulation, found.stop
            value = None if found.objective is None else found.objective.value
            confirmed = None if found.objective is None else found.objective.confirmed_by
    spent = time.perf_counter() - begun
    return BoundTrace(
        *head, formulation, str(objective), objective.sense, steps, value, confirmed, stop, spent
    )
