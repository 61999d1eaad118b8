"""The solution space as every task asks for it: parts that are too hard to divide are listed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, cast

from milp_pips.compilation.space import Space, compile_space, project_space
from milp_pips.compilation.space.split import VOCABULARY
from milp_pips.engines.defaults import SHORT_LIST_SOLVER
from milp_pips.engines.registry import available
from milp_pips.formulations.cnf import CnfEncoding
from milp_pips.problem.errors import EngineFault, UsageError
from milp_pips.problem.stopping import Deadline

if TYPE_CHECKING:
    from milp_pips.compilation.diagram import Budget
    from milp_pips.engines.contract import AssumingSolver
    from milp_pips.problem.problem import Problem

# All solutions of a part that has few: a SAT solver finds them, and shows that there is no other.
#
# It learns from dead ends, which branching does not; where there are many solutions it is of no use.

MOST, CONFLICTS = 100, 20_000
"""Solutions after which a list is given up, and conflicts of the first question: the second gets half as
many, the third a third, so that all together are five times as many, a few seconds' worth."""

MAX_CLAUSE_VALUES = 10_000
"""Values open in the problem up to which it is stated as clauses: half a second."""


def list_few(
    problem: Problem, seen: Sequence[int], deadline: Deadline | None
) -> list[tuple[int, ...]] | None:
    """Return a point for each way in which all solutions look to someone who sees these variables.

    None where there are too many, listing them takes too long, or a rule is of an unknown class. What comes
    out, and whether, is the same on every machine unless the deadline says stop. Raises EngineFault for a
    point that breaks a rule.
    """
    deadline = deadline or Deadline()
    try:
        solver = cast("AssumingSolver", available(SHORT_LIST_SOLVER))
    except UsageError:  # branching goes on alone
        return None
    known = all(type(constraint) in VOCABULARY for constraint in problem.constraints)
    if not known or problem.open_values > MAX_CLAUSE_VALUES:
        return None
    statement = CnfEncoding(problem, lambda: deadline.stop)
    if deadline.stop:
        return None
    loaded = solver.load(statement, deadline)
    points: list[tuple[int, ...]] = []
    while found := loaded.solve((), deadline, CONFLICTS // (len(points) + 1)):
        point = statement.decode(loaded.model())
        if broken := problem.violated(point):
            raise EngineFault(f"{SHORT_LIST_SOLVER} gave a point that breaks a rule: {broken}")
        points.append(point)
        if len(points) > MOST:
            return None
        here = {statement.literal(v, point[v]) for v in seen}
        loaded.add([-literal for literal in sorted(here - {statement.true})])
    return None if found is None else points


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
