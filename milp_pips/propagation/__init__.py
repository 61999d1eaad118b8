"""Domains reduced by what follows from the rules, once on the problem for any engine; no solution is lost.

``filter_domains`` is our own: the rules take the values that they cannot have, in turn, until none takes any
more. ``equality`` and ``pruning`` are the preprocessing of a published CP-SAT notebook for Pips
(``PipsSolver``), stated for any problem; ``singles`` is how a person begins a Sudoku.
``obstruction`` and ``shortage`` prove in one sentence that there is no solution. They share no code with the
others but the search for a perfect matching, whose failure comes with a certificate that is itself verified.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from math import inf
from typing import TYPE_CHECKING

from milp_pips.problem.errors import unknown_name
from milp_pips.problem.problem import AllDifferent, AllEqual, DominoCover, LinearSum, Problem
from milp_pips.propagation.domains import Contradiction as Contradiction
from milp_pips.propagation.fixpoint import Deduction as Deduction
from milp_pips.propagation.fixpoint import Fixpoint as Fixpoint
from milp_pips.propagation.supply_certificates import obstruction as obstruction
from milp_pips.propagation.supply_certificates import shortage as shortage

if TYPE_CHECKING:
    from milp_pips.problem.stopping import Deadline


def reduce_domains(problem: Problem, rules: Iterable[str], deadline: Deadline | None = None) -> Problem:
    """Return the problem with the named reductions made, in this order, as far as the deadline lets them.

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
    """Return the same problem with smaller domains and fewer edges; it has exactly the same solutions.

    Takes less than a millisecond for a board of 16 dominoes, and time about linear in the board. Where the
    watch says stop, less is taken.

    Raises
    ------
    Contradiction
        If a rule runs empty: the problem has no solution.
    """
    fixpoint = Fixpoint(problem, deadline)
    fixpoint.reach()
    return fixpoint.problem()


def equality(problem: Problem) -> Problem:
    """Take from the cells that must be equal each value that the dominoes show less often than they need."""
    domains: dict[int, set[int]] = {}
    equals = [c for c in problem.constraints if isinstance(c, AllEqual)]
    for cover in problem.constraints:
        if isinstance(cover, DominoCover):
            shown = Counter(pip for domino in cover.dominoes for pip in domino)
            inside = set(cover.values)
            for variables in (set(c.variables) for c in equals):
                for v in variables if inside >= variables else ():
                    left = domains.setdefault(v, set(problem.variables[v].domain))
                    left &= {value for value, times in shown.items() if times >= len(variables)}
    return problem.restricted(domains)


def pruning(problem: Problem) -> Problem:
    """Take from the cells of a sum each value for which the others cannot make up, whatever they take."""
    domains: dict[int, set[int]] = {}
    for constraint in problem.constraints:
        ranges = [problem.variables[v].domain for v in constraint.variables]
        if isinstance(constraint, LinearSum) and all(ranges):
            low, high = constraint.bounds
            added = [{x: times * x for x in problem.variables[v].domain} for times, v in constraint.terms]
            rise = inf if high is None else high - sum(min(each.values()) for each in added)
            fall = inf if low is None else sum(max(each.values()) for each in added) - low
            for v, each in zip(constraint.variables, added, strict=True):
                bottom, top = min(each.values()), max(each.values())
                left = {value for value, adds in each.items() if top - fall <= adds <= bottom + rise}
                domains[v] = left & domains.get(v, left)
    return problem.restricted(domains)


def singles(problem: Problem) -> Problem:
    """Take from variables that must differ each value that one of them has, and each they leave to one alone.

    The latter where there are as many values as variables, so that each value is taken. Goes on until nothing
    changes (naked and hidden singles, Norvig 2006).
    """
    rules = [tuple(dict.fromkeys(c.variables)) for c in problem.constraints if isinstance(c, AllDifferent)]
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
        while waiting:
            v = waiting.pop()
            taken = left[v]
            for variables in touching[v]:
                for u in variables:
                    if left[u] & taken and u != v:
                        left[u] ^= taken
                        if left[u].bit_count() == 1:
                            waiting.append(u)
        for variables in rules:
            once = more = 0
            for v in variables:
                more |= once & left[v]
                once |= left[v]
            alone = once & ~more if once.bit_count() == len(variables) else 0
            for v in variables:
                if left[v] & alone and left[v].bit_count() > 1:
                    left[v] &= alone
                    if left[v].bit_count() > 1:  # two values have no other home: there is no solution
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
"""Those that are used unless others are asked for: ``benchmarks/filtering.py`` says what it saves whom."""
