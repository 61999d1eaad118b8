"""What a puzzle could say more: rules, in place of others it may be, and values that are shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain

from milp_pips.extras.explain.facts import Fact
from milp_pips.problem.problem import LinearSum, Problem, Relation
from milp_pips.puzzles.family import Alternative


@dataclass(frozen=True, slots=True)
class Addition:
    """What leaves one solution: rules, in place of others it may be, and values that are shown."""

    rules: tuple[Alternative, ...] = ()
    facts: tuple[Fact, ...] = ()

    @property
    def parts(self) -> tuple[Alternative | Fact, ...]:
        """All that is added."""
        return *self.rules, *self.facts

    @property
    def size(self) -> int:
        """How much is added."""
        return len(self.parts)

    @property
    def place(self) -> tuple[int, ...]:
        """The cells that it speaks of."""
        return (*chain(*(one.rule.variables for one in self.rules)), *(fact.variable for fact in self.facts))

    def to(self, problem: Problem) -> Problem:
        """Return the problem with what is added, and without what is replaced."""
        kept = list(problem.constraints)
        for one in self.rules:
            if one.replaced is not None:
                kept.remove(one.replaced)
        added = replace(problem, constraints=(*kept, *(one.rule for one in self.rules)))
        return added.restricted({v: (value,) for v, value, _ in self.facts})


@dataclass(frozen=True, slots=True)
class Additions:
    """The smallest additions that leave one solution.

    Parameters
    ----------
    key
        What makes two solutions different: the puzzle's first key or, if no values leave one solution by
        that, such as where dominoes lie, the next one by which there are several.
    found
        The best ones, all of one size; the less they give away, the sooner.
    total
        How many of this size there are, as far as has been looked.
    complete
        Whether all of this size have been looked at.
    smallest
        Whether it is proven that nothing smaller does; nothing at all where nothing is found.
    already
        Where no values leave one solution by the key, one by which there is only one; else empty.
    """

    key: str
    found: tuple[Addition, ...] = ()
    total: int = 0
    complete: bool = False
    smallest: bool = False
    already: str = ""


def says_more(one: Alternative) -> bool:
    """Whether whatever obeys a rule obeys what it replaces, as far as bounds of one sum tell."""
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
    """Return the sums that could be exact where they are bounded now."""
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
    """Whether the sum may be so much."""
    low, high = rule.bounds
    return (low is None or total >= low) and (high is None or total <= high)
