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
from dataclasses import replace
from math import inf

from milp_pips.errors import UsageError
from milp_pips.filtering.counted import propagate_by_flow
from milp_pips.filtering.cover import PropagatedCover, ValueSupply
from milp_pips.filtering.domains import Contradiction as Contradiction
from milp_pips.filtering.domains import Domains, propagate
from milp_pips.filtering.kinds import PropagatedKinds
from milp_pips.filtering.obstructions import obstruction as obstruction
from milp_pips.filtering.shortages import shortage as shortage
from milp_pips.problem import (
    AllDifferent,
    AllEqual,
    Cardinality,
    Constraint,
    DominoCover,
    LinearSum,
    Problem,
    Variable,
)

LAPS = 30
"""Laps at most. Each takes time linear in the board, so a bound on their number keeps the whole linear."""


LARGE_BOARD = 40
"""Cells from which on kinds of dominoes and perfect matchings are propagated (``benchmarks/filtering.py``).

Puzzles that people make are smaller. There it decides next to nothing and takes 7 % of the time.
"""

LARGE_RULE = 16
"""Variables from which on values that differ, or are counted, are propagated by a flow (the same benchmark).

To smaller rules the propagators of ``filtering/domains.py``, which are quicker, leave next to nothing.
"""


def reduce_domains(problem: Problem, rules: Iterable[str]) -> Problem:
    """Return the problem with the named reductions made, in this order.

    Raises
    ------
    UsageError
        For an unknown name.
    Contradiction
        If a reduction proves that there is no solution.
    """
    for name in rules:
        if name not in RULES:
            raise UsageError(f"unknown presolve rule {name!r}; known: {', '.join(RULES)}")
        problem = RULES[name](problem)
    return problem


def filter_domains(problem: Problem) -> Problem:
    """Return the same problem with smaller domains and fewer edges; it has exactly the same solutions.

    Takes less than a millisecond for a board of 16 dominoes, and time about linear in the board.

    Raises
    ------
    Contradiction
        If a rule runs empty: the problem has no solution.
    """
    fixpoint = Fixpoint(problem)
    fixpoint.reach()
    return fixpoint.problem()


class Fixpoint:
    """The domains of a problem, and the rules that take values from them until nothing changes.

    A rule takes part if it names no variable twice; variables that are partners are left to their cover.
    """

    def __init__(self, problem: Problem):
        covers = [c for c in problem.constraints if isinstance(c, DominoCover)]
        partners = {v for cover in covers for v in cover.partners}
        self._problem, self._domains = problem, Domains(problem.variables, partners)
        self._rules: list[Constraint] = []
        self._rules_on: list[list[int]] = [[] for _ in problem.variables]
        for rule in problem.constraints:
            variables = set(rule.variables)
            if variables and len(variables) == len(rule.variables) and variables.isdisjoint(partners):
                for v in variables:
                    self._rules_on[v].append(len(self._rules))
                self._rules.append(rule)
        self._covers = [
            (PropagatedCover(problem, cover, self._domains), ValueSupply(cover, self._rules, self._domains))
            for cover in covers
            if len(set(cover.variables)) == len(cover.variables) and partners.isdisjoint(cover.values)
        ]
        self._waiting = dict.fromkeys(range(len(self._rules)))
        large = [cover for cover, _ in self._covers if len(cover.near) >= LARGE_BOARD]
        self._kinds = [PropagatedKinds(cover, self._domains) for cover in large]
        self._counted = [
            rule
            for rule in self._rules
            if isinstance(rule, AllDifferent | Cardinality) and len(rule.variables) >= LARGE_RULE
        ]
        self._seen: dict[int, list[int]] = {}
        self._thorough: list[Callable[[], None]] = [
            *(kinds.begin for kinds in self._kinds),
            *(cover.propagate_matching for cover in large),
            *([self._propagate_by_flow] if self._counted else []),
        ]

    def reach(self) -> None:
        """Propagate until nothing changes, the cheap rules first. Raises Contradiction."""
        for _ in range(LAPS):
            while self._is_waiting():
                while self._waiting:
                    rule = self._rules[self._waiting.popitem()[0]]
                    propagate(rule, self._domains, f"{rule.label or 'a rule'} cannot be met")
                    self._wake()
                for cover, _ in self._covers:
                    cover.propagate()
                    self._wake()
                for kinds in self._kinds if not self._is_waiting() else ():
                    kinds.propagate()
                    self._wake()
            for cover, supply in self._covers:
                cover.wake_if_used_up()
                supply.propagate_counts()
                supply.propagate_sums()
            self._wake()
            for propagate_thoroughly in self._thorough:
                if not self._is_waiting():
                    propagate_thoroughly()
                    self._wake()
            if not self._is_waiting():
                break

    def _propagate_by_flow(self) -> None:
        """Propagate the large rules exactly of which a variable has changed since the last time."""
        masks = self._domains.masks
        for number, rule in enumerate(self._counted):
            if self._seen.get(number) != [masks[v] for v in rule.variables]:
                propagate_by_flow(rule, self._domains, f"{rule.label or 'a rule'} cannot be met")
                self._seen[number] = [masks[v] for v in rule.variables]

    def problem(self) -> Problem:
        """Return the problem with what is left of its domains and edges."""
        before, domains = self._problem, self._domains
        variables = list(before.variables)
        left: dict[int, tuple[int, ...]] = {}
        for v, mask in enumerate(domains.masks):
            if mask:
                if mask not in left:
                    left[mask] = domains.taken(v)
                variables[v] = Variable(variables[v].name, left[mask])
        covers: dict[int, DominoCover] = {}
        for propagated, _ in self._covers:
            cover, near = propagated.cover, propagated.near
            for v, cells in zip(cover.partners, near, strict=True):
                variables[v] = Variable(variables[v].name, tuple(sorted(cells)))
            covers[id(cover)] = replace(cover, edges=tuple([(i, j) for i, j in cover.edges if j in near[i]]))
        constraints = tuple([covers.get(id(c), c) for c in before.constraints])
        return replace(before, variables=tuple(variables), constraints=constraints)

    def _is_waiting(self) -> bool:
        return bool(self._waiting) or any(cover.waiting for cover, _ in self._covers)

    def _wake(self) -> None:
        """Let the rules and covers wait that speak of variables that have changed."""
        for v in self._domains.changed:
            for number in self._rules_on[v]:
                self._waiting[number] = None
            for cover, _ in self._covers:
                cover.wake(v)
        self._domains.changed.clear()


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
            rise = inf if high is None else high - sum(domain[0] for domain in ranges)
            fall = inf if low is None else sum(domain[-1] for domain in ranges) - low
            for v, domain in zip(constraint.variables, ranges, strict=True):
                left = {value for value in domain if domain[-1] - fall <= value <= domain[0] + rise}
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


RULES: dict[str, Callable[[Problem], Problem]] = {
    "filtering": filter_domains,
    "equality": equality,
    "pruning": pruning,
    "singles": singles,
}
"""The reductions by name."""

DEFAULT_RULES = ("filtering",)
"""Those that are used unless others are asked for: ``benchmarks/filtering.py`` says what it saves whom."""
