"""What each constraint, looked at by itself, takes from the domains of its variables."""

from __future__ import annotations

from collections import Counter
from functools import singledispatch

from milp_pips.presolve.domains import Contradiction, Domains
from milp_pips.problem import AllDifferent, AllEqual, Cardinality, Constraint, LinearSum, Regular


def propagate(constraint: Constraint, domains: Domains) -> None:
    """Take values that no solution of the constraint has. Raises Contradiction where it has none.

    The variables of the constraint are at least one, and different ones.
    """
    _take(constraint, domains, f"{constraint.label or 'a rule'} cannot be met")


@singledispatch
def _take(constraint: Constraint, domains: Domains, why: str) -> None:
    """Take nothing for a constraint of another class."""


@_take.register
def _(constraint: AllEqual, domains: Domains, why: str) -> None:
    common = -1
    for v in constraint.variables:
        common &= domains.masks[v]
    for v in constraint.variables:
        domains.keep(v, common, why)


@_take.register
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


@_take.register
def _(constraint: LinearSum, domains: Domains, why: str) -> None:
    low, high = constraint.bounds
    least = [domains.least(v) for v in constraint.variables]
    most = [domains.most(v) for v in constraint.variables]
    # how far a variable can be above its least value, or below its greatest, while the others give most way
    rise = None if high is None else high - sum(least)
    fall = None if low is None else sum(most) - low
    for v, bottom, top in zip(constraint.variables, least, most, strict=True):
        if (rise is not None and top - bottom > rise) or (fall is not None and top - bottom > fall):
            floor = None if fall is None else top - fall
            domains.keep_between(v, floor, None if rise is None else bottom + rise, why)


@_take.register
def _(constraint: Cardinality, domains: Domains, why: str) -> None:
    masks = domains.masks
    for value, low, high in constraint.bounds:
        bit = domains.bit.get(value, 0)
        can = [v for v in constraint.variables if masks[v] & bit]
        does = sum([masks[v] == bit for v in can])
        if does > high or len(can) < low:
            raise Contradiction(why)
        if does == high or len(can) == low:
            for v in can:
                if masks[v] != bit:
                    domains.keep(v, ~bit if does == high else bit, why)


@_take.register
def _(constraint: Regular, domains: Domains, why: str) -> None:
    """Keep the letters on the paths of the layered automaton from its start to its end (Pesant 2004)."""
    automaton = constraint.automaton
    arcs = [(state, domains.bit.get(letter, 0), after) for state, letter, after in automaton.arcs]
    reached, layers = {automaton.start}, []
    for v in constraint.variables:
        mask = domains.masks[v]
        layers.append([arc for arc in arcs if arc[0] in reached and arc[1] & mask])
        reached = {after for _, _, after in layers[-1]}
    wanted = set(automaton.accepting)
    for v, layer in zip(constraint.variables[::-1], layers[::-1], strict=True):
        passable = [arc for arc in layer if arc[2] in wanted]
        wanted = {state for state, _, _ in passable}
        letters = 0
        for _, bit, _ in passable:
            letters |= bit
        domains.keep(v, letters, why)
