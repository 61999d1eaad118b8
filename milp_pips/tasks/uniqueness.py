"""Uniqueness: whether the solution that ``solve`` has found is the only one.

A small solution space counts the solutions. If it is too large, an engine searches for a solution that
differs from the found one. That there is none is confirmed a second way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from milp_pips.compilation.limits import Budget, Unfinished
from milp_pips.constraints import NoGood
from milp_pips.problem.answer import Claim, Settings
from milp_pips.problem.errors import EngineFault
from milp_pips.problem.stopping import SubDeadline
from milp_pips.puzzles.puzzle import known_key
from milp_pips.tasks.compile import compile_prepared
from milp_pips.tasks.confirmed import find_confirmed
from milp_pips.tasks.results import Uniqueness
from milp_pips.verification.second_opinion import claim_of_space, on_no_solution

if TYPE_CHECKING:
    from milp_pips.problem.stopping import Deadline
    from milp_pips.tasks.pipeline import Prepared

UNIQUENESS_BYTES, UNIQUENESS_SECONDS = 2**25, 0.5
"""Limits of the solution space that is tried first. Of 90 puzzles of the Times, half take 1 ms and all but
three less than 30 ms."""


def find_others(prepared: Prepared, point: Sequence[int], deadline: Deadline) -> Uniqueness:
    """Return what can be proven, until the deadline, about other solutions than the point.

    Raises EngineFault if the solution space has no solution, or if two engines contradict each other.
    """
    problem, key = prepared.problem, known_key(prepared.problem, "")
    deadline.progress.report(f"{prepared.puzzle.name}: searching for another solution")
    counted, claim = _count(prepared, key, deadline)
    if counted is not None and counted != 1:
        return Uniqueness(counted, counted, key)
    variables = problem.keys[key]
    cut = NoGood(variables, tuple([point[v] for v in variables]), least=problem.least_difference(key))
    others = problem.with_constraints([cut])
    if claim is None:
        rest = prepared.without(cut)
        answer, confirmed_by = find_confirmed(rest, Settings(), deadline)
        if answer.point is not None:
            return Uniqueness(None, 2, key)
    else:
        opinion = on_no_solution(others, claim, deadline)
        if opinion.point is not None:
            raise EngineFault(f"{claim.who} counts one solution, but {opinion.witness} finds another")
        confirmed_by = opinion.confirmed_by
    return Uniqueness(1 if confirmed_by else None, 1, key, confirmed_by)


def _count(prepared: Prepared, key: str, deadline: Deadline) -> tuple[int | None, Claim | None]:
    """Return the number of solutions and the claim that these are all; None if the space is too large."""
    budget, early = Budget.of_memory(UNIQUENESS_BYTES), SubDeadline(deadline, UNIQUENESS_SECONDS)
    try:
        space = compile_prepared(prepared, key, budget, early)
    except Unfinished:
        return None, None
    if not space.count:
        raise EngineFault(f"{prepared.puzzle.name} has a solution, but its solution space has none")
    return space.count, claim_of_space("the solution space", listed=space.listed)
