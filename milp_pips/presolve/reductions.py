"""Two reductions of a published CP-SAT notebook for Pips (``PipsSolver``), for any problem; singles."""

from __future__ import annotations

from collections import Counter

from milp_pips.problem import AllDifferent, AllEqual, DominoCover, LinearSum, Problem


def equality(problem: Problem) -> Problem:
    """Take from the cells that must be equal each value that the dominoes show less often than they need."""
    covers = [c for c in problem.constraints if isinstance(c, DominoCover)]
    domains: dict[int, set[int]] = {}
    for cover in covers:
        shown = Counter(pip for domino in cover.dominoes for pip in domino)
        inside = set(cover.values)
        for constraint in problem.constraints:
            if isinstance(constraint, AllEqual) and inside >= set(constraint.variables):
                need = len(set(constraint.variables))
                for v in constraint.variables:
                    left = domains.setdefault(v, set(problem.variables[v].domain))
                    left &= {value for value, times in shown.items() if times >= need}
    return problem.restricted(domains)


def pruning(problem: Problem) -> Problem:
    """Take from the cells of a sum each value for which the others cannot make up, whatever they take."""
    domains: dict[int, set[int]] = {}
    for constraint in problem.constraints:
        if not isinstance(constraint, LinearSum):
            continue
        low, high = constraint.bounds
        ranges = {v: problem.variables[v].domain for v in constraint.variables}
        if not all(ranges.values()):
            continue
        least = sum(ranges[v][0] for v in constraint.variables)
        most = sum(ranges[v][-1] for v in constraint.variables)
        for v in constraint.variables:
            smallest, greatest = ranges[v][0], ranges[v][-1]
            domains.setdefault(v, set(ranges[v])).intersection_update(
                value
                for value in ranges[v]
                if (high is None or least - smallest + value <= high)
                and (low is None or most - greatest + value >= low)
            )
    return problem.restricted(domains)


def singles(problem: Problem) -> Problem:
    """Take from variables that must differ each value that one of them has, and each they leave to one alone.

    The latter where there are as many values as variables, so that each value is taken. Goes on until nothing
    changes (naked and hidden singles, Norvig 2006).
    """
    domains = [set(variable.domain) for variable in problem.variables]
    rules = [tuple(dict.fromkeys(c.variables)) for c in problem.constraints if isinstance(c, AllDifferent)]
    changed = True
    while changed:
        before = sum(map(len, domains))
        for variables in rules:
            for v in variables:
                if len(domains[v]) == 1:
                    for u in variables:
                        if u != v:
                            domains[u] -= domains[v]
            homes: dict[int, list[int]] = {}
            for v in variables:
                for value in domains[v]:
                    homes.setdefault(value, []).append(v)
            if len(homes) == len(variables):
                for value, at in homes.items():
                    if len(at) == 1:
                        domains[at[0]] &= {value}
        changed = sum(map(len, domains)) < before
    touched = {v for variables in rules for v in variables}
    return problem.restricted({v: domains[v] for v in touched})
