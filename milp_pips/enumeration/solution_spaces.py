"""The solution space as every task asks for it: parts that are too hard to divide are listed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from milp_pips.compilation.space import Space, compile_space, project_space
from milp_pips.enumeration.short_lists import list_few

if TYPE_CHECKING:
    from milp_pips.compilation.diagram import Budget
    from milp_pips.problem.problem import Problem
    from milp_pips.problem.stopping import Deadline


def space_of(problem: Problem, variables: Iterable[int], budget: Budget, deadline: Deadline) -> Space:
    """Return the solutions of the problem that differ in the variables.

    Its ``listed`` tells whether an engine's word is in it. Raises Unfinished when it does not fit the budget,
    or when the deadline says stop.
    """
    return compile_space(problem, variables, budget, deadline, list_few)


def view_of(space: Space, variables: Iterable[int], budget: Budget, deadline: Deadline) -> Space:
    """Return the solutions of a space as they look to someone who sees these variables only.

    Raises Unfinished as ``space_of`` does.
    """
    return project_space(space, variables, budget, deadline, list_few)
