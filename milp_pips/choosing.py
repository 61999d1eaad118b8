"""Which solver is asked where nobody names one: by what the problem looks like."""

from __future__ import annotations

from milp_pips.problem import DominoCover, Problem

MANY = 40
"""Dominoes from which on a neighbourhood search finds a first solution sooner than the whole 0-1 model."""


def usual_solver(problem: Problem) -> tuple[str, str]:
    """Return the name of the solver for a first solution of the problem, and why it is that one.

    The search hands over to HiGHS where it comes to rest or cannot work, so either way is exact.
    """
    covers = [c for c in problem.constraints if isinstance(c, DominoCover)]
    dominoes = sum(len(c.dominoes) for c in covers)
    if dominoes >= MANY and len(covers) == 1:
        return "lns", f"lns was chosen: {dominoes} dominoes are {MANY} or more"
    return "highs", f"highs was chosen: there are fewer than {MANY} dominoes to lay at once"
