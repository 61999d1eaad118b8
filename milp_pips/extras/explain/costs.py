"""The cost of a step for a person: the table that decides which step is the easiest.

The numbers are a judgement, kept in one place so that it can be discussed. The order follows what a player
does first: an extreme sum before a sum in the middle, a single place before a counting argument, one rule
before two, few facts before many (Pelánek, *Difficulty rating of Sudoku puzzles*, 2014: difficulty lies in
the single steps and in how they depend on one another).

The second part of the module finds the exclusions that a player sees without a step.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import log2
from typing import NamedTuple

from milp_pips.constraints import (
    AllDifferent,
    AllEqual,
    Cardinality,
    Less,
    LinearSum,
    Regular,
    Relation,
    Table,
)
from milp_pips.extras.explain.facts import Exclusion, Fact
from milp_pips.extras.explain.groups import ConstraintGroup

SHAPE = 1.0
"""The cost of a step without items: from the shape of the board, or a domino that does not exist."""

AGAIN = 4.0
"""The cost of each further rule after the first: a player must keep both in mind."""

FACT = 0.2
"""The cost of each cell, or pair of cells, about which the step needs a known fact."""

EXCLUDING = 1.0
"""The cost of a step that only excludes values: the player must remember it and cannot fill anything in."""

COST_OF_DOMINO_KIND = 1.0
"""The cost of each further kind of domino in a count of dominoes."""


def cost_of_item(item: ConstraintGroup) -> float:
    """Return the cost of one item by itself, independent of the board."""
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
    """Return the slack of a sum: 0 if every cell must take its greatest, or its least, value."""
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
    """Return the cost of the step.

    Parameters
    ----------
    items
        The items it needs. Both halves of a sum count as one rule, all dominoes as one count.
    facts
        The number of cells and pairs of cells about which it needs a known fact.
    conclusions
        The facts that follow.
    domains
        The values that each variable of the problem can take before the step.
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


# Exclusions at sight: once a rule shows a value as often as it may, its other cells do not have that value.


class Bound(NamedTuple):
    """The rule with this number lets its cells show a value (None for any value) at most ``most`` times."""

    number: int
    variables: Sequence[int]
    value: int | None
    most: int


class Sight:
    """The rules that bound how often values occur.

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
        """Yield facts that become excluded in other cells when this one holds, each with its causes."""
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
        """Yield exclusions that justify those of the facts that are known by sight, using few rules.

        Parameters
        ----------
        facts
            Known facts. Those that are not known by sight need no exclusion.
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
        """Yield the rules that exclude the values that the fact denies, and the facts that show the value."""
        v, value, holds = fact
        gone = set(self._domains[v]) - {value} if holds else {value}
        for bound in self._bounds.get(v, ()):
            for x in gone if bound.value is None else gone & {bound.value}:
                shown = [Fact(w, x, True) for w in bound.variables if w != v]
                known = [each for each in shown if is_before(each, fact)]
                if len(known) >= bound.most:
                    yield bound.number, tuple(known[: bound.most])


def _bounds_of(number: int, item: ConstraintGroup) -> Iterator[Bound]:
    """Yield the bounds that a rule sets on how often its cells show values, if any."""
    if isinstance(item.piece, AllDifferent):
        yield Bound(number, item.piece.variables, None, 1)
    elif isinstance(item.piece, Cardinality):
        for value, _, high in item.piece.bounds:
            yield Bound(number, item.piece.variables, value, high)
