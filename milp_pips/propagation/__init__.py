"""Reductions of domains, made once on the problem for any engine, and simple proofs of infeasibility.

A reduction removes values that no solution has. ``filter_domains`` is this package's own: it propagates all
constraints until none removes a value. ``equality`` and ``pruning`` are the preprocessing of a published
CP-SAT notebook for Pips (``PipsSolver``), generalised to any problem; ``singles`` is the way a person starts
a Sudoku. ``obstruction`` and ``shortage`` prove in one sentence that there is no solution. They share no code
with the others except the search for a perfect matching, whose failure yields a certificate that is verified.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from math import inf
from typing import TYPE_CHECKING

from milp_pips.constraints.domino_cover import covers_of
from milp_pips.problem.errors import Contradiction as Contradiction
from milp_pips.problem.errors import unknown_name
from milp_pips.problem.problem import Problem
from milp_pips.propagation.fixpoint import Deduction as Deduction
from milp_pips.propagation.fixpoint import Fixpoint as Fixpoint

if TYPE_CHECKING:
    from milp_pips.problem.stopping import Deadline


def reduce_domains(problem: Problem, rules: Iterable[str], deadline: Deadline | None = None) -> Problem:
    """Return the problem after the named reductions, in this order, until the deadline.

    Raises
    ------
    UsageError
        For an unknown name.
    Contradiction
        If a reduction proves that there is no solution.
    """
    for name in rules:
        if name not in REDUCTIONS:
            raise unknown_name("presolve rule", name, REDUCTIONS)
        if deadline is not None and deadline.stop:
            break
        reduce = REDUCTIONS[name]
        problem = filter_domains(problem, deadline) if reduce is filter_domains else reduce(problem)
    return problem


def filter_domains(problem: Problem, deadline: Deadline | None = None) -> Problem:
    """Return the problem with smaller domains and fewer edges; it has exactly the same solutions.

    Takes less than a millisecond for a board of 16 dominoes, and time about linear in the board. If the
    deadline expires, propagation stops early and removes fewer values.

    Raises
    ------
    Contradiction
        If a constraint has no solution left: the problem is infeasible.
    """
    fixpoint = Fixpoint(problem, deadline)
    fixpoint.reach()
    return fixpoint.problem()


def equality(problem: Problem) -> Problem:
    """Remove from cells that must be equal each value that the dominoes show too few times for all cells."""
    domains: dict[int, set[int]] = {}
    equals = [set(c.variables) for c in problem.constraints if c.all_equal]
    for cover in covers_of(problem.constraints):
        shown = Counter(pip for domino in cover.dominoes for pip in domino)
        inside = set(cover.values)
        for variables in equals:
            for v in variables if inside >= variables else ():
                left = domains.setdefault(v, set(problem.variables[v].domain))
                left &= {value for value, times in shown.items() if times >= len(variables)}
    return problem.restricted(domains)


def pruning(problem: Problem) -> Problem:
    """Remove from the variables of a sum each value that exceeds what the bounds of the others allow."""
    domains: dict[int, set[int]] = {}
    for constraint in problem.constraints:
        total, variables = constraint.bounded_sum, constraint.variables
        if total is not None and all(problem.variables[v].domain for v in variables):
            coefficients, low, high = total
            terms = list(zip(coefficients or (1,) * len(variables), variables, strict=True))
            added = [{x: times * x for x in problem.variables[v].domain} for times, v in terms]
            rise = inf if high is None else high - sum(min(each.values()) for each in added)
            fall = inf if low is None else sum(max(each.values()) for each in added) - low
            for v, each in zip(variables, added, strict=True):
                bottom, top = min(each.values()), max(each.values())
                left = {value for value, adds in each.items() if top - fall <= adds <= bottom + rise}
                domains[v] = left & domains.get(v, left)
    return problem.restricted(domains)


def singles(problem: Problem) -> Problem:
    """Apply naked and hidden singles to constraints of different values until nothing changes (Norvig 2006).

    Naked single: if a variable has one value left, the others lose that value. Hidden single: if a constraint
    has as many values as variables, so that each value is taken, a value left to one variable is fixed there.
    """
    rules = [tuple(dict.fromkeys(c.variables)) for c in problem.constraints if c.all_different]
    touching: dict[int, list[tuple[int, ...]]] = {}
    for variables in rules:
        for v in variables:
            touching.setdefault(v, []).append(variables)
    values = sorted({value for v in touching for value in problem.variables[v].domain})
    bit = {value: 1 << i for i, value in enumerate(values)}
    left = {v: sum(bit[value] for value in problem.variables[v].domain) for v in touching}
    waiting = [v for v in left if left[v].bit_count() == 1]
    changed = True
    while changed:
        while waiting:  # naked singles: the others lose the only value of v
            v = waiting.pop()
            taken = left[v]
            for variables in touching[v]:
                for u in variables:
                    if left[u] & taken and u != v:
                        left[u] ^= taken
                        if left[u].bit_count() == 1:
                            waiting.append(u)
        for variables in rules:  # hidden singles: the values that only one variable has
            once = more = 0
            for v in variables:
                more |= once & left[v]
                once |= left[v]
            alone = once & ~more if once.bit_count() == len(variables) else 0
            for v in variables:
                if left[v] & alone and left[v].bit_count() > 1:
                    left[v] &= alone
                    if left[v].bit_count() > 1:  # two values are left to this variable alone: no solution
                        left[v] = 0
                    waiting.append(v)
        changed = bool(waiting)
    return problem.restricted(
        {v: [value for value in problem.variables[v].domain if bit[value] & left[v]] for v in left}
    )


REDUCTIONS: dict[str, Callable[[Problem], Problem]] = {
    "filtering": filter_domains,
    "equality": equality,
    "pruning": pruning,
    "singles": singles,
}
"""The reductions by name."""

DEFAULT_RULES = ("filtering",)
"""The default reductions: ``benchmarks/filtering.py`` measures the time that they save each engine."""
