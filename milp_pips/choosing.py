"""Which solver is asked where nobody names one: by what the problem looks like once it is filtered."""

from __future__ import annotations

from milp_pips.problem import DominoCover, Problem

OPEN = 140
"""Values left open in the cells to cover from which on a neighbourhood search is the quicker one."""


def usual_solver(problem: Problem, formulation: str) -> tuple[str, str]:
    """Return the name of the solver for a first solution of the problem, and why it is that one.

    A formulation that was named is one of the whole problem, so HiGHS it is.

    Where filtering has left little open the whole 0-1 model is solved in milliseconds; where much is open
    there are many solutions, and a search from any layout is soon at one. The search hands over to HiGHS
    where it comes to rest or cannot work, so either way is exact.
    """
    if formulation:
        return "highs", "highs was chosen: a formulation was named"
    left = open_values(problem)
    if left >= OPEN:
        return "lns", f"lns was chosen: {left} values of cells to cover are open, {OPEN} or more"
    return "highs", f"highs was chosen: {left} values of cells to cover are open, fewer than {OPEN}"


def open_values(problem: Problem) -> int:
    """Return how many values are left to the cells that dominoes cover, without those of forced cells."""
    covers = (c for c in problem.constraints if isinstance(c, DominoCover))
    domains = (problem.variables[v].domain for cover in covers for v in cover.values)
    return sum(len(domain) for domain in domains if len(domain) > 1)
