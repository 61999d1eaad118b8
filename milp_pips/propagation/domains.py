"""The shrinking domains of a problem, with a trail for undoing changes, and a propagator per constraint."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import singledispatch
from math import inf
from operator import and_, or_
from typing import Any

from milp_pips.constraints import (
    AllDifferent,
    AllEqual,
    Automaton,
    Cardinality,
    Less,
    LinearSum,
    Regular,
    Table,
)
from milp_pips.problem.constraint import Constraint
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.problem import Variable

# The trail records overwritten values, so that a search backtracks without copying anything.


class Trail:
    """A stack of changes to items of lists and dictionaries, which can be undone from the last one on."""

    def __init__(self) -> None:
        self._before: list[tuple[Any, Any, Any]] = []

    def __len__(self) -> int:
        return len(self._before)

    def write(self, items: Any, key: Any, value: Any) -> None:
        """Change an existing item and record its previous value."""
        self._before.append((items, key, items[key]))
        items[key] = value

    def since(self, length: int) -> list[tuple[Any, Any, Any]]:
        """Return all changes but the first ``length``, as (container, key, previous value)."""
        return self._before[length:]

    def undo(self, length: int) -> None:
        """Undo changes until ``length`` of them are left."""
        before = self._before
        while len(before) > length:
            items, key, value = before.pop()
            items[key] = value


class Domains:
    """The current domain of each variable, as a bit mask. Raises Contradiction if a domain becomes empty.

    ``values`` holds the values of all variables in increasing order, and bit ``i`` of a mask stands for
    ``values[i]``; so the lowest bit of a mask is the least value of the variable. ``changed`` lists the
    variables whose domains have shrunk since it was last cleared. ``steps`` caches the ``Steps`` of each
    automaton, by its ``id``. All state that shrinks with the domains is changed through the ``trail``. The
    variables ``apart`` are propagated elsewhere; their masks are 0.
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
        """Remove all values of the variable outside the mask. Raises Contradiction if none is left."""
        before = self.masks[v]
        after = before & mask
        if after != before:
            if not after:
                raise Contradiction(why)
            self.trail.write(self.masks, v, after)
            self.changed.append(v)

    def keep_between(self, v: int, low: float, high: float, why: str) -> None:
        """Remove all values of the variable below ``low`` and above ``high``, which may be infinite."""
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
    """Remove values that no solution of the constraint has. Raises Contradiction(why) if it has no solution.

    The constraint must have at least one variable, and no variable twice. A constraint whose class has no
    propagator removes nothing.
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
    """Apply Hall's condition (1935): if ``n`` variables have the same ``n`` values, no other takes them.

    If there are as many values as variables, every value is taken,
    so a value that only one variable has is fixed.
    """
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
    # How far a variable can be above its least value while the others have theirs, and below its greatest.
    rise = inf if high is None else high - sum(least)
    fall = inf if low is None else sum(most) - low
    for v, bottom, top in zip(constraint.variables, least, most, strict=True):
        if top - bottom > rise or top - bottom > fall:
            domains.keep_between(v, top - fall, bottom + rise, why)


def _propagate_weighted(constraint: LinearSum, domains: Domains, why: str) -> None:
    """Propagate the bounds of a sum with coefficients, as for a sum without."""
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
    """Keep the values that occur in a row allowed by all domains."""
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
    """Propagate the bounds of each value on the same masks; a change wakes the constraint again."""
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
    """Keep the letters on accepting paths of the layered automaton, by a forward and a backward pass.

    The propagator is that of Pesant (2004). Sets of states are bit masks; one shift moves all states whose
    arcs for a letter are equally long.
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
"""Steps of an automaton that are cached: a search repeats most of them many times."""


class Steps:
    """The arcs of an automaton, grouped by letter and by shift, the difference of the two states' numbers.

    All arcs of a group are followed by one shift of a bit mask of states.
    """

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
        """Return the states that can be reached from one of ``states`` by one of the letters."""
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
        """Return the states ``among`` from which a letter leads to one of ``states``, and these letters."""
        known = self._before.get((states, among, letters))
        if known is None:
            leading = leads = 0
            for letter, shifts in self._moves:
                if letter & letters:
                    sources = 0
                    for shift, movable in shifts:
                        sources |= (states >> shift if shift >= 0 else states << -shift) & movable
                    if sources & among:
                        leading |= sources & among
                        leads |= letter
            if len(self._before) >= REMEMBERED:
                self._before.clear()
            known = self._before[states, among, letters] = leading, leads
        return known
