"""Why something follows from "all different": singles, values that are taken, cells that share values."""

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
"""Cells that share as many values, at most: a naked or hidden quadruple is what a player may find."""

PLACES = 2
"""Values whose places are named along with them."""


class Shared(NamedTuple):
    """As many cells as values: the cells hold nothing else (``are_cells``), or the values go nowhere else."""

    cells: frozenset[int]
    values: frozenset[int]
    are_cells: bool


class Different:
    """The arguments from one rule that no value is there twice."""

    def __init__(
        self, phrases: Phrases, rule: Rule, scene: Scene, facts: Sequence[Fact], new: Sequence[Fact]
    ):
        self._phrases, self._rule, self._facts, self._new = phrases, rule, facts, new
        self._scope = list(rule.piece.variables)
        self._told = {v: set(scene.told[v]) for v in self._scope}
        values = set[int]().union(*(phrases.grouped.variables[v].domain for v in self._scope))
        self._holds_all = len(values) == len(self._scope)
        """Whether every value is there, since there are as many cells."""
        self._reduced = self._reduce()
        self._holding = {next(iter(left)): v for v, left in self._reduced.items() if len(left) == 1}

    def arguments(self) -> list[Argument]:
        """Return the arguments for each group of conclusions, one after the other."""
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
        """Return what singles leave, one after the other."""
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
        """Return the argument that a cell has the last value: the others are there."""
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
        """Return the argument that values can go nowhere else."""
        phrases, name = self._phrases, self._rule.name
        values = phrases.values((fact.value for fact in facts), "and")
        it = "it" if len(facts) == 1 else "each of them"
        why = f"{name} needs {values}, and only one of its cells can take {it}"
        first, *others = facts
        only = f"{phrases.value(first.value)} can only go in {phrases.cell(first.variable)}"
        told = [only, *(f"{phrases.value(x)} in {phrases.cell(v)}" for v, x, _ in others)]
        return Argument(why, phrases.so(facts), f"in {name}, {joined(told, comma=True)}")

    def _places(self, values: Sequence[int], at: dict[int, int]) -> str:
        """Return values and where they are."""
        return listed([f"{self._phrases.value(x)} in {self._phrases.cell(at[x])}" for x in values])

    def _taken(self, taken: dict[int, list[Fact]]) -> Argument:
        """Return that values are there already, so that other cells cannot have them."""
        phrases, rule = self._phrases, self._rule
        facts = [fact for group in taken.values() for fact in group]
        why = f"{rule.name} has {self._places(sorted(taken), self._holding)}"
        if len({fact.variable for fact in facts}) > PLACES:
            return Argument(why, f"no other cell of {rule.name} can be {phrases.values(taken)}")
        return Argument(why, phrases.so(facts, self._facts))

    @cached_property
    def _shares(self) -> list[Shared]:
        """Cells that share as many values as they are, values that have as many cells; few before many."""
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
        """Return cells and values that belong to one another, from which the fact follows."""
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
