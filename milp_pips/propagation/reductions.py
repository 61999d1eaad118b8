"""Reductions that others have published, to compare them with filtering.

``equality`` and ``pruning`` are the preprocessing of a published CP-SAT notebook for Pips (``PipsSolver``),
generalised to any problem; ``singles`` is the way a person starts a Sudoku.
"""

from __future__ import annotations

from collections import Counter
from math import inf

from milp_pips.constraints.domino_cover import covers_of
from milp_pips.problem.problem import Problem


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
