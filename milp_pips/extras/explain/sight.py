"""What a player sees without a step: a rule shows a value as often as it may, so its other cells do not."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from milp_pips.extras.explain.facts import Exclusion, Fact
from milp_pips.problem.groups import ConstraintGroup
from milp_pips.problem.problem import AllDifferent, Cardinality


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
