"""Arguments from all-different rules: singles, values that are taken, and cells that share values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from milp_pips.extras.explain.facts import Fact
from milp_pips.extras.explain.text.arguments import Argument, Rule, contrary
from milp_pips.extras.explain.text.phrases import Phrases, joined, listed
from milp_pips.extras.explain.text.scene import Scene

SHARING = 4
"""The largest group of cells that share values: players may find naked or hidden quadruples."""

PLACES = 2
"""The most values that are named together with their places."""


class Shared(NamedTuple):
    """As many cells as values: the cells hold only these (``are_cells``), or the values fit only there."""

    cells: frozenset[int]
    values: frozenset[int]
    are_cells: bool


class Different:
    """The arguments from one all-different rule."""

    def __init__(
        self, phrases: Phrases, rule: Rule, scene: Scene, facts: Sequence[Fact], new: Sequence[Fact]
    ):
        self._phrases, self._rule, self._facts, self._new = phrases, rule, facts, new
        self._scope = list(rule.piece.variables)
        self._told = {v: set(scene.told[v]) for v in self._scope}
        values = set[int]().union(*(phrases.grouped.variables[v].domain for v in self._scope))
        self._holds_all = len(values) == len(self._scope)
        """Whether every value must occur, because there are as many cells as values."""
        self._reduced = self._reduce()
        self._holding = {next(iter(left)): v for v, left in self._reduced.items() if len(left) == 1}

    def arguments(self) -> list[Argument]:
        """Return the arguments for each group of conclusions in order."""
        found, rest, places = list[Argument](), list[Fact](), list[Fact]()
        taken = dict[int, list[Fact]]()
        shared: dict[Shared, list[Fact]] = {}
        for fact in self._new:
            if fact.variable not in self._told:
                rest.append(fact)
            elif fact.holds and (argument := self._last(fact)):
                found.append(argument)
            elif fact.holds and self._holds_all and self._reduced[fact.variable] == {fact.value}:
                places.append(fact)
            elif not fact.holds and self._holding.get(fact.value, fact.variable) != fact.variable:
                taken.setdefault(fact.value, []).append(fact)
            elif sharing := self._sharing(fact):
                shared.setdefault(sharing, []).append(fact)
            else:
                rest.append(fact)
        if places:
            found.append(self._only_places(places))
        if taken:
            found.append(self._taken(taken))
        found += [self._told_shared(sharing, facts) for sharing, facts in shared.items()]
        if rest:
            found.append(contrary(self._phrases, [self._rule], (), self._facts, rest))
        return found

    def _reduce(self) -> dict[int, set[int]]:
        """Return the domains after removing singles one after another."""
        left = {v: set(values) for v, values in self._told.items()}
        while True:
            before = sum(map(len, left.values()))
            for v, values in left.items():
                if len(values) == 1:
                    for other in left:
                        if other != v:
                            left[other] -= values
            if self._holds_all:
                for value in set[int]().union(*left.values()):
                    places = [v for v, values in left.items() if value in values]
                    if len(places) == 1:
                        left[places[0]] = {value}
            if sum(map(len, left.values())) == before:
                return left

    def _last(self, fact: Fact) -> Argument | None:
        """Return the argument that only one value is left for a cell, because the others are taken."""
        phrases, rule, v = self._phrases, self._rule, fact.variable
        if self._reduced[v] != {fact.value}:
            return None
        cell, value, so = phrases.cell(v), phrases.value(fact.value), phrases.so([fact])
        known = {next(iter(values)): w for w, values in self._told.items() if len(values) == 1}
        gone = sorted(self._told[v] - {fact.value})
        if self._holds_all and len(known.keys() - {fact.value}) == len(self._scope) - 1:
            why = f"{rule.name} has every value but one"
            return Argument(why, so, f"{rule.name} has every value but {value}: {so}")
        if gone and set(gone) <= known.keys():
            if len(gone) == len(phrases.grouped.variables[v].domain) - 1:
                has = f"{rule.name} has all the other values"
            elif len(gone) <= PLACES:
                has = f"{rule.name} has {self._places(gone, known)}"
            else:
                has = f"{rule.name} has {phrases.values(gone, 'and')}"
            return Argument(f"{has}, which leaves {cell} one value", so, f"{cell} can only be {value}: {has}")
        return None

    def _only_places(self, facts: Sequence[Fact]) -> Argument:
        """Return the argument that values fit nowhere else."""
        phrases, name = self._phrases, self._rule.name
        values = phrases.values((fact.value for fact in facts), "and")
        it = "it" if len(facts) == 1 else "each of them"
        why = f"{name} needs {values}, and only one of its cells can take {it}"
        first, *others = facts
        only = f"{phrases.value(first.value)} can only go in {phrases.cell(first.variable)}"
        told = [only, *(f"{phrases.value(x)} in {phrases.cell(v)}" for v, x, _ in others)]
        return Argument(why, phrases.so(facts), f"in {name}, {joined(told, comma=True)}")

    def _places(self, values: Sequence[int], at: dict[int, int]) -> str:
        """Return values and their places."""
        return listed([f"{self._phrases.value(x)} in {self._phrases.cell(at[x])}" for x in values])

    def _taken(self, taken: dict[int, list[Fact]]) -> Argument:
        """Return the argument that values are taken, so that other cells cannot have them."""
        phrases, rule = self._phrases, self._rule
        facts = [fact for group in taken.values() for fact in group]
        why = f"{rule.name} has {self._places(sorted(taken), self._holding)}"
        if len({fact.variable for fact in facts}) > PLACES:
            return Argument(why, f"no other cell of {rule.name} can be {phrases.values(taken)}")
        return Argument(why, phrases.so(facts, self._facts))

    @cached_property
    def _shares(self) -> list[Shared]:
        """Return groups of as many cells as values, small groups first."""
        left = {v: values for v, values in self._told.items() if len(values) > 1}
        open_values = sorted(set[int]().union(*left.values()) - self._holding.keys())
        found = list[Shared]()
        for size in range(2, SHARING + 1):
            for cells in combinations(left, size):
                values = set[int]().union(*(left[v] for v in cells))
                if len(values) == size:
                    found.append(Shared(frozenset(cells), frozenset(values), True))
            if self._holds_all:
                for some in combinations(open_values, size):
                    places = [v for v, values in self._told.items() if values.intersection(some)]
                    if len(places) == size:
                        found.append(Shared(frozenset(places), frozenset(some), False))
        return found

    def _sharing(self, fact: Fact) -> Shared | None:
        """Return a group of cells and values that implies the fact."""
        v, value, holds = fact
        gone = self._told[v] - {value} if holds else {value}
        for shared in self._shares:
            cells, values, are_cells = shared
            if (v not in cells and gone <= values) if are_cells else (v in cells and not gone & values):
                return shared
        return None

    def _told_shared(self, shared: Shared, facts: Sequence[Fact]) -> Argument:
        phrases, name = self._phrases, self._rule.name
        cells = phrases.cells(v for v in self._scope if v in shared.cells)
        values = phrases.values(shared.values, "and")
        so = phrases.so(facts, self._facts)
        if shared.are_cells:
            return Argument(f"in {name}, {cells} share {values}", so)
        return Argument(f"in {name}, {values} can only go in {cells}", so)
