"""Why a linear model has no solution, as data; it loads no engine, so the page can show explanations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from milp_pips.problem.answer import Stop, TaskResult

if TYPE_CHECKING:
    from milp_pips.extras.explain.model_items import ModelItem, ModelItems
    from milp_pips.formulations.exact import Number
    from milp_pips.puzzles.linear import LinearPuzzle


@dataclass(frozen=True)
class ModelReason:
    """Items of a model that cannot hold together.

    If ``minimal``, they can once any one of them is left out, as exactly judged points show. ``smallest``
    states that no smaller set clashes. ``confirmed_by`` is what has checked that they clash; None if nothing
    did.
    """

    items: tuple[ModelItem, ...]
    minimal: bool = True
    smallest: bool = False
    confirmed_by: str | None = None


@dataclass(frozen=True)
class ModelExplanation(TaskResult):
    """Why a linear model has no solution, or grows for ever.

    Parameters
    ----------
    puzzle, items
        The model as a puzzle, and its items.
    status
        ``infeasible``; ``unbounded`` if the objective grows for ever; ``feasible``; otherwise ``unknown``.
    stop
        The stopping criterion. The explanation holds everything found until then.
    reasons
        Sets of items that clash, the smallest first.
    repairs
        The items each of which is enough to leave out for a solution to exist.
    together
        If no item is enough: the fewest to leave out together.
    changes
        The least total change of right-hand sides by which a solution exists: how much each row changes.
    ray
        If the objective grows for ever: how much each column grows in each step.
    confirmed_by
        The method that confirmed the status.
    remark
        A sentence that the reader must know; empty if there is none.
    seconds
        The time taken.
    """

    puzzle: LinearPuzzle
    items: ModelItems
    status: str = "unknown"
    stop: Stop = Stop.FINISHED
    reasons: tuple[ModelReason, ...] = ()
    repairs: tuple[ModelItem, ...] = ()
    together: tuple[ModelItem, ...] = ()
    changes: tuple[tuple[int, Number], ...] = ()
    ray: tuple[tuple[int, Number], ...] = ()
    confirmed_by: str | None = None
    remark: str = ""
    seconds: float = 0.0
