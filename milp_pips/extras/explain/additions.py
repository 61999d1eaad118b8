"""Rules and shown values that could be added to a puzzle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from milp_pips.constraints import LinearSum, Relation, covers_of, partners_of
from milp_pips.constraints.domino_cover.board import Kind
from milp_pips.extras.explain.facts import Fact
from milp_pips.problem import Constraint, Problem
from milp_pips.puzzles.family import Alternative

Change: TypeAlias = Alternative | Fact
"""A rule or a domino, which may replace another, or a shown value."""


@dataclass(frozen=True, slots=True)
class Addition:
    """Changes, rules first, that together leave one solution."""

    parts: tuple[Change, ...] = ()

    @property
    def rules(self) -> tuple[Alternative, ...]:
        """The rules and dominoes."""
        return tuple(one for one in self.parts if isinstance(one, Alternative))

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The shown values."""
        return tuple(one for one in self.parts if isinstance(one, Fact))

    @property
    def place(self) -> tuple[int, ...]:
        """The cells that the changes concern."""
        return tuple(v for one in self.parts for v in place_of(one))

    def to(self, problem: Problem) -> Problem:
        """Return the problem with the added parts and without the replaced rules."""
        kept, changed = list(problem.constraints), dict[Constraint, Constraint]()
        for one in self.rules:
            rule, replaced = one.rule, one.replaced
            if (swap := swapped(one)) and replaced in changed:  # the second domino of the same cover
                (cover,) = covers_of([changed[replaced]])
                dominoes = list(cover.dominoes)
                dominoes.remove(swap[0])
                rule, replaced = replace(cover, dominoes=tuple(sorted([*dominoes, swap[1]]))), cover
            if replaced is not None:
                kept.remove(replaced)
            if one.replaced is not None:
                changed[one.replaced] = rule
            kept.append(rule)
        added = replace(problem, constraints=tuple(kept))
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
        The best of the smallest additions; those that give away less come first.
    total
        The number of additions of this size that were found.
    complete
        Whether all additions of this size were examined; if none was found, whether no values leave one
        solution.
    bound
        It is proved that fewer changes of any kind are not enough. Additions of several parts to a puzzle
        with several solutions are values and rules stronger than those they replace; fewer of these are not
        enough either.
    already
        If no values leave one solution by the key, a key by which there is only one; otherwise empty.
    """

    key: str
    found: tuple[Addition, ...] = ()
    total: int = 0
    complete: bool = False
    bound: int = 1
    already: str = ""


def place_of(change: Change) -> tuple[int, ...]:
    """Return the cells that a change concerns."""
    return (change.variable,) if isinstance(change, Fact) else tuple(change.rule.variables)


def cells_of_key(problem: Problem, key: str) -> list[int]:
    """Return the variables of a key that show a value: all but those that say where dominoes lie."""
    partners = partners_of(problem.constraints)
    return [v for v in problem.keys[key] if v not in partners]


def terms_of(rule: Constraint) -> tuple[tuple[int, int], ...] | None:
    """Return the terms (coefficient, variable) of a bounded sum; None for other rules."""
    total = rule.bounded_sum
    if total is None:
        return None
    return tuple(zip(total.coefficients or (1,) * len(rule.variables), rule.variables, strict=True))


def swapped(one: Alternative) -> tuple[Kind, Kind] | None:
    """Return the domino that an alternative replaces, and its replacement; None for other rules."""
    if one.replaced is None or len(covers := covers_of([one.rule, one.replaced])) < 2:
        return None
    new, old = (Counter(cover.kinds) for cover in covers)
    gone, come = old - new, new - old
    return (next(iter(gone)), next(iter(come))) if gone.total() == come.total() == 1 else None


def says_more(one: Alternative) -> bool:
    """Whether the rule implies the one that it replaces; decided only for bounds of the same sum."""
    if one.replaced is None:
        return True
    new, old = one.rule.bounded_sum, one.replaced.bounded_sum
    return (
        new is not None
        and old is not None
        and terms_of(one.rule) == terms_of(one.replaced)
        and new.interval[0] >= old.interval[0]
        and new.interval[1] <= old.interval[1]
    )


def exact_sums(problem: Problem) -> list[Alternative]:
    """Return alternatives that turn each bounded sum into an exact one."""
    found = list[Alternative]()
    for rule in problem.constraints:
        total, terms = rule.bounded_sum, terms_of(rule)
        if total is None or terms is None or total.low == total.high:
            continue
        low, high = ends(problem, terms)
        for target in filter(total.allows, range(low, high + 1)):
            label = f"{rule.label}, exactly {target}"
            exact = LinearSum(rule.variables, Relation.EQ, target, label, total.coefficients)
            found.append(Alternative(exact, rule))
    return found


def ends(problem: Problem, terms: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """Return the least and the greatest sum that the domains allow."""
    ends = [[times * problem.variables[v].domain[end] for end in (0, -1)] for times, v in terms]
    return sum(map(min, ends)), sum(map(max, ends))
