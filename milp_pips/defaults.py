"""Who is asked where nobody says: the one place outside ``solvers`` that names engines, and why them."""

from __future__ import annotations

from typing import NamedTuple

from milp_pips.errors import UsageError
from milp_pips.plugins import available
from milp_pips.problem import DominoCover, Problem

WHOLE_MODEL = "highs"
"""For a first solution where little is open: the whole 0-1 model is then solved in milliseconds."""

MUCH_OPEN = "lns"
"""For a first solution where much is open: there are many, and a search from any layout is soon at one. It
hands over to HiGHS where it comes to rest or cannot work, so either way is exact."""

OPEN = 140
"""Values open in the cells to cover from which on ``MUCH_OPEN`` is quicker (``benchmarks/choice.py``)."""

LISTING = ("cp-sat", "highs")
"""For all solutions where no decision diagram fits: whoever can run here first. CP-SAT lists thousands a
second by itself; HiGHS is always there, by partition (``benchmarks/enumerating.py``)."""

PARTITION = "highs"
"""For a partition or cuts: it keeps its model loaded while bounds change and rows are added."""

SECOND_OPINIONS = ("diagram", "highs")
"""For a second proof of "no solution" and "no further solution", in this order.

The decision diagram is the usual second opinion on everything that an engine says: it shares no code with any
engine, and most puzzles fit it (708 of 708 published ones). HiGHS comes second, without its presolve, from
which its false "infeasible" have come, and on another formulation than the first answer's.
"""


class ChosenSolver(NamedTuple):
    """The name of a solver, and in one sentence why it was chosen."""

    solver: str
    why: str


def solver_for_first_point(problem: Problem, formulation: str) -> ChosenSolver:
    """Return who looks for a first solution of a problem that has been filtered.

    A formulation that was named is one of the whole problem, so the solver of whole models it is.
    """
    if formulation:
        return ChosenSolver(WHOLE_MODEL, f"{WHOLE_MODEL} was chosen: a formulation was named")
    left = count_open_values(problem)
    name, than = (MUCH_OPEN, f"{OPEN} or more") if left >= OPEN else (WHOLE_MODEL, f"fewer than {OPEN}")
    return ChosenSolver(name, f"{name} was chosen: {left} values of cells to cover are open, {than}")


def count_open_values(problem: Problem) -> int:
    """Return how many values are left to the cells that dominoes cover, without those of forced cells."""
    covers = (c for c in problem.constraints if isinstance(c, DominoCover))
    domains = (problem.variables[v].domain for cover in covers for v in cover.values)
    return sum(len(domain) for domain in domains if len(domain) > 1)


def solver_for_listing() -> str:
    """Return the first solver of ``LISTING`` that can run here."""
    for name in LISTING[:-1]:
        try:
            return available(name).name
        except UsageError:
            continue
    return LISTING[-1]
