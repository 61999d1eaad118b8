"""The domains of a problem while they shrink, and what each constraint by itself takes from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import singledispatch
from math import inf
from operator import and_, or_
from typing import Any

from milp_pips.problem.errors import MilpPipsError
from milp_pips.problem.problem import (
    AllDifferent,
    AllEqual,
    Automaton,
    Cardinality,
    Constraint,
    Less,
    LinearSum,
    Regular,
    Table,
    Variable,
)

# What has been written over, so that it can be taken back: a search goes back without copies of anything.


class Trail:
    """The items of lists and dictionaries as they were before they changed, the latest change last."""

    def __init__(self) -> None:
        self._before: list[tuple[Any, Any, Any]] = []

    def __len__(self) -> int:
        return len(self._before)

    def write(self, items: Any, key: Any, value: Any) -> None:
        """Change an item that is there."""
        self._before.append((items, key, items[key]))
        items[key] = value

    def since(self, length: int) -> list[tuple[Any, Any, Any]]:
        """Return the changes after the first so many: where, which item, and what it was before."""
        return self._before[length:]

    def undo(self, length: int) -> None:
        """Take changes back until there are only so many."""
        before = self._before
        while len(before) > length:
            items, key, value = before.pop()
            items[key] = value


class Contradiction(MilpPipsError):
    """The rules alone leave no solution; the text says which rule ran empty, in the player's words."""


class Domains:
    """What each variable can still take; Contradiction is raised if one can take no value.

    Bit ``i`` of a mask stands for ``values[i]``; ``values`` are those of all variables in increasing order,
    so the lowest bit of a mask is the variable's least value. ``changed`` lists the variables that have
    shrunk since it was cleared; ``steps`` keeps what automata have been made into, by their identity;
    whatever shrinks with the domains is written on the ``trail``. Those ``apart`` are propagated elsewhere;
    their masks are 0.
    """

    def __init__(self, variables: Sequence[Variable], apart: Collection[int]):
        inside = [variable for v, variable in enumerate(variables) if v not in apart]
        different = {variable.domain for variable in inside}
        if () in different:
            name = next(variable.name for variable in inside if not variable.domain)
            raise Contradiction(f"{name} can take no value")
        self.values = sorted({value for domain in different for value in domain})
        self.bit = {value: 1 << i for i, value in enumerate(self.values)}
        mask_of = {domain: sum([self.bit[value] for value in domain]) for domain in different}
        self.masks = [0 if v in apart else mask_of[variable.domain] for v, variable in enumerate(variables)]
        self.changed: list[int] = []
        self.trail = Trail()
        self.steps: dict[int, Steps] = {}

    def keep(self, v: int, mask: int, why: str) -> None:
        """Take from the variable all values outside the mask. Raises Contradiction if none is left."""
        before = self.masks[v]
        after = before & mask
        if after != before:
            if not after:
                raise Contradiction(why)
            self.trail.write(self.masks, v, after)
            self.changed.append(v)

    def keep_between(self, v: int, low: float, high: float, why: str) -> None:
        """Take from the variable all values below ``low`` and above ``high``, which may be infinite."""
        self.keep(v, sum([self.bit[value] for value in self.taken(v) if low <= value <= high]), why)

    def least(self, v: int) -> int:
        """Return the least value that the variable can take."""
        mask = self.masks[v]
        return self.values[(mask & -mask).bit_length() - 1]

    def most(self, v: int) -> int:
        """Return the greatest value that the variable can take."""
        return self.values[self.masks[v].bit_length() - 1]

    def taken(self, v: int) -> tuple[int, ...]:
        """Return the values that the variable can take, in increasing order."""
        mask, values = self.masks[v], []
        while mask:
            bit = mask & -mask
            values.append(self.values[bit.bit_length() - 1])
            mask ^= bit
        return tuple(values)


@singledispatch
def propagate(constraint: Constraint, domains: Domains, why: str) -> None:
    """Take values that no solution of the constraint has. Raises Contradiction(why) where it has none.

    The variables of the constraint are at least one, and different ones. A constraint of a class that has no
    propagator takes nothing.
    """


@propagate.register
def _(constraint: AllEqual, domains: Domains, why: str) -> None:
    common = -1
    for v in constraint.variables:
        common &= domains.masks[v]
    for v in constraint.variables:
        domains.keep(v, common, why)


@propagate.register
def _(constraint: AllDifferent, domains: Domains, why: str) -> None:
    """Where as many variables as a domain has values have that domain, no other takes them (Hall 1935)."""
    masks, size = domains.masks, len(constraint.variables)
    for mask, times in Counter([masks[v] for v in constraint.variables]).items():
        values = mask.bit_count()
        if times > values:
            raise Contradiction(why)
        if times == values:
            for v in constraint.variables:
                if masks[v] != mask:
                    domains.keep(v, ~mask, why)
    once = twice = 0
    for v in constraint.variables:
        twice |= once & masks[v]
        once |= masks[v]
    if once.bit_count() < size:
        raise Contradiction(why)
    if once.bit_count() == size:  # every value is taken
        for v in constraint.variables:
            alone = masks[v] & ~twice
            if alone:
                domains.keep(v, alone if alone.bit_count() == 1 else 0, why)


@propagate.register
def _(constraint: LinearSum, domains: Domains, why: str) -> None:
    if constraint.coefficients:
        _propagate_weighted(constraint, domains, why)
        return
    low, high = constraint.bounds
    least = [domains.least(v) for v in constraint.variables]
    most = [domains.most(v) for v in constraint.variables]
    # how far a variable can be above its least value, or below its greatest, while the others give most way
    rise = inf if high is None else high - sum(least)
    fall = inf if low is None else sum(most) - low
    for v, bottom, top in zip(constraint.variables, least, most, strict=True):
        if top - bottom > rise or top - bottom > fall:
            domains.keep_between(v, top - fall, bottom + rise, why)


def _propagate_weighted(constraint: LinearSum, domains: Domains, why: str) -> None:
    """Keep the values for which the other variables can make up, each taken as many times as it counts."""
    low, high = constraint.bounds
    ends = []
    for times, v in constraint.terms:
        one, other = times * domains.least(v), times * domains.most(v)
        ends.append((one, other) if one <= other else (other, one))
    rise = inf if high is None else high - sum([bottom for bottom, _ in ends])
    fall = inf if low is None else sum([top for _, top in ends]) - low
    for (times, v), (bottom, top) in zip(constraint.terms, ends, strict=True):
        if top - bottom > rise or top - bottom > fall:
            kept = [x for x in domains.taken(v) if top - fall <= times * x <= bottom + rise]
            domains.keep(v, sum([domains.bit[x] for x in kept]), why)


@propagate.register
def _(constraint: Less, domains: Domains, why: str) -> None:
    less, greater = constraint.variables
    domains.keep_between(less, -inf, domains.most(greater) - constraint.gap, why)
    domains.keep_between(greater, domains.least(less) + constraint.gap, inf, why)


@propagate.register
def _(constraint: Table, domains: Domains, why: str) -> None:
    """Keep the values that a row has whose values can all be taken."""
    masks, bit = [domains.masks[v] for v in constraint.variables], domains.bit
    supported = [0] * len(masks)
    for row in constraint.rows:
        bits = [bit.get(value, 0) for value in row]
        if all(map(and_, masks, bits)):
            supported = list(map(or_, supported, bits))
    for v, values in zip(constraint.variables, supported, strict=True):
        domains.keep(v, values, why)


@propagate.register
def _(constraint: Cardinality, domains: Domains, why: str) -> None:
    """What one value takes is not seen by the next ones: the constraint is woken again by it."""
    masks = [domains.masks[v] for v in constraint.variables]
    undecided = [mask for mask in masks if mask & (mask - 1)]
    for value, low, high in constraint.bounds:
        bit = domains.bit.get(value, 0)
        does = masks.count(bit)
        may = sum([1 for mask in undecided if mask & bit])
        if does > high or does + may < low:
            raise Contradiction(why)
        if may and (does == high or does + may == low):
            for v in constraint.variables:
                mask = domains.masks[v]
                if mask & bit and mask != bit:
                    domains.keep(v, ~bit if does == high else bit, why)


@propagate.register
def _(constraint: Regular, domains: Domains, why: str) -> None:
    """Keep the letters on the paths of the layered automaton from its start to its end (Pesant 2004).

    Sets of states are bit masks, which all states of a letter that are moved alike leave at once.
    """
    steps = domains.steps.get(id(constraint.automaton))
    if steps is None:
        steps = domains.steps[id(constraint.automaton)] = Steps(constraint.automaton, domains.bit)
    reached, layers = steps.start, []
    for v in constraint.variables:
        layers.append(reached)
        reached = steps.after(reached, domains.masks[v])
    wanted = steps.accepting
    for v, before in zip(constraint.variables[::-1], layers[::-1], strict=True):
        wanted, letters = steps.before(wanted, before, domains.masks[v])
        domains.keep(v, letters, why)


REMEMBERED = 10_000
"""Steps of an automaton that are remembered: a search takes most of them many times."""


class Steps:
    """The arcs of an automaton, by letter and by how far they lead: those are taken by one shift."""

    def __init__(self, automaton: Automaton, bit: Mapping[int, int]):
        states = {state for q, _, r in automaton.arcs for state in (q, r)} | {automaton.start}
        number = {state: i for i, state in enumerate(sorted(states))}
        moves: dict[int, dict[int, int]] = {}
        for state, letter, after in automaton.arcs:
            if letter in bit:
                shifts = moves.setdefault(bit[letter], {})
                shift = number[after] - number[state]
                shifts[shift] = shifts.get(shift, 0) | 1 << number[state]
        self._moves = [(letter, list(shifts.items())) for letter, shifts in moves.items()]
        self._after: dict[tuple[int, int], int] = {}
        self._before: dict[tuple[int, int, int], tuple[int, int]] = {}
        self.start = 1 << number[automaton.start]
        self.accepting = sum([1 << number[state] for state in automaton.accepting if state in number])

    def after(self, states: int, letters: int) -> int:
        """Return the states that one of the letters leads to from one of the states."""
        following = self._after.get((states, letters))
        if following is None:
            following = 0
            for letter, shifts in self._moves:
                if letter & letters:
                    for shift, movable in shifts:
                        moved = states & movable
                        following |= moved << shift if shift >= 0 else moved >> -shift
            if len(self._after) >= REMEMBERED:
                self._after.clear()
            self._after[states, letters] = following
        return following

    def before(self, states: int, among: int, letters: int) -> tuple[int, int]:
        """Return those ``among`` states from which letters lead to one of ``states``, and these letters."""
        known = self._before.get((states, among, letters))
        if known is None:
            leading = leads = 0
            for letter, shifts in self._moves:
                if letter & letters:
                    here = 0
                    for shift, movable in shifts:
                        here |= (states >> shift if shift >= 0 else states << -shift) & movable
                    if here & among:
                        leading |= here & among
                        leads |= letter
            if len(self._before) >= REMEMBERED:
                self._before.clear()
            known = self._before[states, among, letters] = leading, leads
        return known
