"""What a step asks of a head: the table behind "the next step that costs a person least".

The numbers are a matter of taste, and in one place so that it can be argued with. The order is what a player
does first: an extreme sum before a sum in the middle, a single place before a counting argument, one rule
before two, few facts before many (Pelánek, *Difficulty rating of Sudoku puzzles*, 2014: what is hard is the
single steps, and how they depend on one another).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import log2
from typing import NamedTuple

from milp_pips.extras.explain.facts import Exclusion, Fact
from milp_pips.problem.groups import ConstraintGroup
from milp_pips.problem.problem import (
    AllDifferent,
    AllEqual,
    Cardinality,
    Less,
    LinearSum,
    Regular,
    Relation,
    Table,
)

SHAPE = 1.0
"""What follows without any item: the board alone, a domino that is not there."""

AGAIN = 4.0
"""Each further rule beside the first: one must keep both in mind."""

FACT = 0.2
"""Each cell, or pair of cells, about which something must be known."""

EXCLUDING = 1.0
"""A step that only says what cannot be: it must be remembered, and nothing can be written down."""

COST_OF_DOMINO_KIND = 1.0
"""Each further kind of domino in a count of dominoes."""


def cost_of_item(item: ConstraintGroup) -> float:
    """Return what one item asks by itself, whatever the board looks like."""
    piece = item.piece
    if item.kind in ("given", "move"):
        return 0.0
    if item.kind == "dominoes":
        return 3.0
    match piece:
        case LinearSum(variables) if len(variables) == 1:
            return 0.0
        case AllEqual():
            return 2.0
        case AllDifferent():
            return 2.0
        case Less():
            return 1.0
        case LinearSum(variables):
            weighing = 1.0 if piece.coefficients else 0.0
            return 2.0 + 0.5 * (len(variables) - 2) + weighing
        case Table():
            return 3.0
        case Cardinality():
            return 2.0
        case Regular():
            return 4.0
    return 4.0


def slack_of_sum(piece: LinearSum, domains: Sequence[Collection[int]]) -> int:
    """Return by how much the sum could still be missed: 0 where all must be as large, or small, as can be."""
    ranges = [[times * x for x in domains[v]] for times, v in piece.terms]
    if piece.relation is Relation.GE:
        return sum(max(r) for r in ranges) - piece.target
    return piece.target - sum(min(r) for r in ranges)


def cost_of_step(
    items: Sequence[ConstraintGroup],
    facts: int,
    conclusions: Iterable[Fact],
    domains: Sequence[Collection[int]],
) -> float:
    """Return what the step asks.

    Parameters
    ----------
    items
        The items it needs; both halves of a sum are one rule, all dominoes one count.
    facts
        Of how many cells and pairs of cells it needs something that is known.
    conclusions
        What follows.
    domains
        What each variable of the problem could still be before the step.
    """
    rules: dict[int, float] = {}
    halves: dict[int, int] = {}
    counted = 0
    for item in items:
        if item.kind == "dominoes":
            counted += 1
        else:
            cost = cost_of_item(item)
            if isinstance(item.piece, LinearSum) and len(item.piece.variables) > 1:
                cost += log2(1 + max(0, slack_of_sum(item.piece, domains)))
                halves[item.rule] = halves.get(item.rule, 0) + 1
            rules[item.rule] = max(cost, rules.get(item.rule, 0.0)) + (halves.get(item.rule, 0) > 1)
    costs = list(rules.values()) + ([3.0 + COST_OF_DOMINO_KIND * (counted - 1)] if counted else [])
    total = sum(costs) + AGAIN * max(0, len(costs) - 1) + FACT * facts
    return round(max(SHAPE, total) + (0.0 if any(f.holds for f in conclusions) else EXCLUDING), 2)


# What a player sees without a step: a rule shows a value as often as it may, so its other cells do not.


class Bound(NamedTuple):
    """The rule with this number lets its cells show a value (None for any) so often at most."""

    number: int
    variables: Sequence[int]
    value: int | None
    most: int


class Sight:
    """The rules that bound how often values are shown.

    Parameters
    ----------
    items
        The items that may be used, by number.
    domains
        The values of each variable.
    """

    def __init__(self, items: Mapping[int, ConstraintGroup], domains: Sequence[Sequence[int]]):
        self._items, self._domains = items, domains
        self._bounds: dict[int, list[Bound]] = {}
        for number, item in items.items():
            for bound in _bounds_of(number, item):
                for v in bound.variables:
                    self._bounds.setdefault(v, []).append(bound)

    def excluded(
        self, fact: Fact, is_known: Callable[[Fact], bool]
    ) -> Iterator[tuple[Fact, tuple[Fact, ...]]]:
        """Yield what other cells cannot be now that this one shows its value, and the facts that show it."""
        for bound in self._bounds.get(fact.variable, ()):
            if bound.value in (None, fact.value):
                shown = [Fact(v, fact.value, True) for v in bound.variables]
                known = tuple(each for each in shown if is_known(each))
                if len(known) == bound.most:
                    yield from ((each._replace(holds=False), known) for each in shown if each not in known)

    def exclusions(
        self,
        facts: Iterable[Fact],
        named: Collection[int],
        is_seen: Callable[[Fact], bool],
        is_before: Callable[[Fact, Fact], bool],
    ) -> Iterator[Exclusion]:
        """Yield exclusions that give those of the facts that are seen, by few rules.

        Parameters
        ----------
        facts
            Known facts; those that are not seen need no exclusion.
        named
            The numbers of items that the step names anyway.
        is_seen
            Whether a fact is known by sight alone.
        is_before
            Whether the first of two facts was known before the second.
        """
        left, done = {fact for fact in facts if is_seen(fact)}, set[Fact]()
        while left:
            ways: dict[int, list[tuple[Fact, tuple[Fact, ...]]]] = {}
            for fact in sorted(left):
                for number, shown in self._ways(fact, is_before):
                    ways.setdefault(number, []).append((fact, shown))
            number = max(ways, key=lambda i: (len(dict(ways[i])), i in named, -i))
            given = dict(ways[number])
            showing = {each for known in given.values() for each in known}
            yield Exclusion(self._items[number], tuple(sorted(showing)), tuple(given))
            done |= given.keys()
            left = (left | {each for each in showing if is_seen(each)}) - done

    def _ways(
        self, fact: Fact, is_before: Callable[[Fact, Fact], bool]
    ) -> Iterator[tuple[int, tuple[Fact, ...]]]:
        """Yield the rules that exclude what the fact says is not, and the facts that show the value."""
        v, value, holds = fact
        gone = set(self._domains[v]) - {value} if holds else {value}
        for bound in self._bounds.get(v, ()):
            for x in gone if bound.value is None else gone & {bound.value}:
                shown = [Fact(w, x, True) for w in bound.variables if w != v]
                known = [each for each in shown if is_before(each, fact)]
                if len(known) >= bound.most:
                    yield bound.number, tuple(known[: bound.most])


def _bounds_of(number: int, item: ConstraintGroup) -> Iterator[Bound]:
    """Yield how often a rule lets its cells show values, if it is one that bounds this."""
    if isinstance(item.piece, AllDifferent):
        yield Bound(number, item.piece.variables, None, 1)
    elif isinstance(item.piece, Cardinality):
        for value, _, high in item.piece.bounds:
            yield Bound(number, item.piece.variables, value, high)
