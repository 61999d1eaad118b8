"""Rules and shown values that could be added to a puzzle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, combinations

from milp_pips.constraints import LinearSum, Relation, covers_of
from milp_pips.extras.explain.facts import Fact
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.problem import Problem
from milp_pips.puzzles.family import Alternative
from milp_pips.tasks.soft import names_of


@dataclass(frozen=True, slots=True)
class Addition:
    """Rules and dominoes, which may replace others, and shown values that together leave one solution."""

    rules: tuple[Alternative, ...] = ()
    facts: tuple[Fact, ...] = ()

    @property
    def parts(self) -> tuple[Alternative | Fact, ...]:
        """The rules and facts that are added."""
        return *self.rules, *self.facts

    @property
    def size(self) -> int:
        """The number of rules and facts that are added."""
        return len(self.parts)

    @property
    def place(self) -> tuple[int, ...]:
        """The cells that the rules and facts concern."""
        return (*chain(*(one.rule.variables for one in self.rules)), *(fact.variable for fact in self.facts))

    def to(self, problem: Problem) -> Problem:
        """Return the problem with the added parts and without the replaced rules."""
        kept = list(problem.constraints)
        for one in self.rules:
            if one.replaced is not None:
                kept.remove(one.replaced)
        added = replace(problem, constraints=(*kept, *(one.rule for one in self.rules)))
        return added.restricted({v: (value,) for v, value, _ in self.facts})


@dataclass(frozen=True, slots=True)
class Additions:
    """The smallest changes that leave one solution.

    Parameters
    ----------
    key
        The key that distinguishes solutions: the puzzle's first key or, if no values leave one solution by
        it, the next key by which there are several solutions (such as the positions of the dominoes).
    found
        The best additions, all of one size; those that give away less come first.
    total
        The number of additions of this size that were found.
    complete
        Whether all additions of this size were examined.
    smallest
        Whether it is proved that no smaller addition is enough. Meaningless if nothing was found. Additions
        of several parts consist of values, and of rules that are stronger than those that they replace.
    bound
        It is proved that fewer changes of any kind are not enough.
    solutions
        The number of solutions that there are; None if they were not counted.
    already
        If no values leave one solution by the key, a key by which there is only one; otherwise empty.
    """

    key: str
    found: tuple[Addition, ...] = ()
    total: int = 0
    complete: bool = False
    smallest: bool = False
    already: str = ""
    bound: int = 1
    solutions: int | None = None


def says_more(one: Alternative) -> bool:
    """Whether the rule implies the one that it replaces; decided only for bounds of the same sum."""
    if one.replaced is None:
        return True
    if not isinstance(one.rule, LinearSum) or not isinstance(one.replaced, LinearSum):
        return False
    low, high = one.rule.bounds
    least, most = one.replaced.bounds
    return (
        one.rule.terms == one.replaced.terms
        and (least is None or (low is not None and low >= least))
        and (most is None or (high is not None and high <= most))
    )


def exact_sums(problem: Problem) -> list[Alternative]:
    """Return alternatives that turn each bounded sum into an exact one."""
    return [
        Alternative(
            replace(rule, relation=Relation.EQ, target=target, label=f"{rule.label}, exactly {target}"), rule
        )
        for rule in problem.constraints
        if isinstance(rule, LinearSum) and rule.relation is not Relation.EQ
        for low, high in [ends(problem, rule)]
        for target in range(low, high + 1)
        if allows(rule, target)
    ]


def ends(problem: Problem, rule: LinearSum) -> tuple[int, int]:
    """Return the least and the greatest sum that the domains allow."""
    ends = [[times * problem.variables[v].domain[end] for end in (0, -1)] for times, v in rule.terms]
    return sum(map(min, ends)), sum(map(max, ends))


def allows(rule: LinearSum, total: int) -> bool:
    """Whether the rule allows this sum."""
    low, high = rule.bounds
    return (low is None or total >= low) and (high is None or total <= high)


def always_holds(problem: Problem, rule: Constraint) -> bool:
    """Whether the rule bounds a sum, and the domains imply the bounds."""
    if not isinstance(rule, LinearSum):
        return False
    (low, high), (least, most) = rule.bounds, ends(problem, rule)
    return (low is None or low <= least) and (high is None or high >= most)


def merged_sums(problem: Problem, most: int) -> Iterator[tuple[LinearSum, tuple[int, ...]]]:
    """Yield the sum of two or three touching regions with sums, and the numbers of their rules."""
    sums: Mapping[int, LinearSum] = {
        i: rule
        for i, rule in enumerate(problem.constraints)
        if isinstance(rule, LinearSum)
        and rule.relation is Relation.EQ
        and not rule.coefficients
        and rule.label
    }
    home = {v: i for i, rule in sums.items() for v in rule.variables}
    beside = {
        frozenset((home[cover.values[i]], home[cover.values[j]]))
        for cover in covers_of(problem.constraints)
        for i, j in cover.edges
        if cover.values[i] in home and cover.values[j] in home
    }
    for n in range(2, most + 1):
        for chosen in combinations(sums, n):
            joined = sum(frozenset(pair) in beside for pair in combinations(chosen, 2))
            if joined >= n - 1:  # two or three regions are connected if one of them touches the others
                rules = [sums[i] for i in chosen]
                names = [names_of(rule)[1] for rule in rules]
                target = sum(rule.target for rule in rules)
                variables = tuple(sorted(v for rule in rules for v in rule.variables))
                label = f"regions {', '.join(names[:-1])} and {names[-1]}: sum {target}"
                yield LinearSum(variables, Relation.EQ, target, label), chosen
