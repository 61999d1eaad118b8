"""Remove fixed variables from a constraint by substituting their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import singledispatch
from math import prod
from typing import TypeAlias

from milp_pips.algorithms.matching import Groups
from milp_pips.constraints import (
    AllDifferent,
    AllEqual,
    Automaton,
    Cardinality,
    Less,
    LinearSum,
    NoGood,
    Regular,
    Relation,
    Table,
)
from milp_pips.problem.constraint import Constraint
from milp_pips.propagation import Contradiction

Domains: TypeAlias = Sequence[tuple[int, ...]]
"""The domain of each variable, by its position; no domain is empty."""


@singledispatch
def shrink(constraint: Constraint, domains: Domains) -> Iterator[Constraint]:
    """Yield constraints that together are equivalent to the constraint, on as few variables as possible.

    A fixed variable that cannot be left out stays. Raises Contradiction if the constraint obviously cannot be
    met, and TypeError for a constraint of an unknown class.
    """
    raise TypeError(f"cannot shrink a {type(constraint).__name__} on {len(domains)} variables")


def _demand(possible: bool, constraint: Constraint) -> None:
    if not possible:
        raise Contradiction(f"{constraint.label or 'a rule'} cannot be met")


@shrink.register
def _(constraint: AllEqual, domains: Domains) -> Iterator[Constraint]:
    different = {domains[v] for v in constraint.variables}
    if different:
        _demand(bool(set.intersection(*map(set, different))), constraint)
    if len(different) > 1 or any(len(domain) > 1 for domain in different):
        yield constraint


@shrink.register
def _(constraint: AllDifferent, domains: Domains) -> Iterator[Constraint]:
    """Yield one AllDifferent for each group of variables that are linked by common values."""
    for group in _sharing(constraint.variables, {v: domains[v] for v in constraint.variables}):
        _demand(len({value for v in group for value in domains[v]}) >= len(group), constraint)
        if len(group) > 1:
            yield AllDifferent(group, constraint.label)


def _sharing(variables: Sequence[int], values_of: Mapping[int, Sequence[int]]) -> Iterator[tuple[int, ...]]:
    """Yield the finest partition of the variables in which no two sets have a value in common."""
    groups, holder = Groups(len(variables)), dict[int, int]()
    for place, v in enumerate(variables):
        for value in values_of[v]:
            groups.join((holder.setdefault(value, place), place))
    for places in groups.sets(range(len(variables))):
        yield tuple([variables[place] for place in places])


@shrink.register
def _(constraint: LinearSum, domains: Domains) -> Iterator[Constraint]:
    if constraint.coefficients:
        yield from _shrink_weighted(constraint, domains)
        return
    left = tuple([v for v in constraint.variables if len(domains[v]) > 1])
    fixed = sum([domains[v][0] for v in constraint.variables if len(domains[v]) == 1])
    target = constraint.target - fixed
    least, most = sum([domains[v][0] for v in left]), sum([domains[v][-1] for v in left])
    low, high = (None if bound is None else bound - fixed for bound in constraint.bounds)
    _demand((low is None or low <= most) and (high is None or high >= least), constraint)
    if (low is not None and low > least) or (high is not None and high < most):
        yield LinearSum(left, constraint.relation, target, constraint.label)


def _shrink_weighted(constraint: LinearSum, domains: Domains) -> Iterator[Constraint]:
    left = [(times, v) for times, v in constraint.terms if times and len(domains[v]) > 1]
    fixed = sum([times * domains[v][0] for times, v in constraint.terms if len(domains[v]) == 1])
    ends = [sorted([times * domains[v][0], times * domains[v][-1]]) for times, v in left]
    least, most = fixed + sum([bottom for bottom, _ in ends]), fixed + sum([top for _, top in ends])
    low, high = constraint.bounds
    _demand((low is None or low <= most) and (high is None or high >= least), constraint)
    if (low is not None and low > least) or (high is not None and high < most):
        variables = tuple([v for _, v in left])
        coefficients = tuple([times for times, _ in left])
        target = constraint.target - fixed
        yield LinearSum(variables, constraint.relation, target, constraint.label, coefficients)


@shrink.register
def _(constraint: Less, domains: Domains) -> Iterator[Constraint]:
    """Yield a bound on one variable if the other is fixed, else the constraint."""
    (less, greater), gap, label = constraint.variables, constraint.gap, constraint.label
    low, high = domains[less], domains[greater]
    _demand(low[0] + gap <= high[-1], constraint)
    if low[-1] + gap <= high[0]:
        return
    if len(high) == 1:
        yield LinearSum((less,), Relation.LE, high[0] - gap, label)
    elif len(low) == 1:
        yield LinearSum((greater,), Relation.GE, low[0] + gap, label)
    else:
        yield constraint


@shrink.register
def _(constraint: Table, domains: Domains) -> Iterator[Constraint]:
    """Yield the allowed rows, restricted to the open variables; nothing if they allow every combination."""
    variables = constraint.variables
    rows = constraint.within([domains[v] for v in variables])
    _demand(bool(rows), constraint)
    opened = [i for i, v in enumerate(variables) if len(domains[v]) > 1]
    left = tuple([variables[i] for i in opened])
    kept = tuple([tuple([row[i] for i in opened]) for row in rows])
    if len(kept) < prod([len(domains[v]) for v in left]):
        yield Table(left, kept, constraint.label)


@shrink.register
def _(constraint: Cardinality, domains: Domains) -> Iterator[Constraint]:
    """Yield one Cardinality for each group of variables that are linked by common bounded values."""
    bounds: dict[int, list[tuple[int, int, int]]] = {}
    for value, low, high in constraint.bounds:
        can = [len(domains[v]) == 1 for v in constraint.variables if value in domains[v]]
        does = sum(can)
        _demand(does <= high and len(can) >= low, constraint)
        if low > does or high < len(can):
            bounds.setdefault(value, []).append((value, low - does, high - does))
    left = [v for v in constraint.variables if len(domains[v]) > 1]
    shared = {v: [value for value in domains[v] if value in bounds] for v in left}
    for group in _sharing([v for v in left if shared[v]], shared):
        counted = sorted({value for v in group for value in shared[v]})
        yield Cardinality(group, tuple([b for value in counted for b in bounds[value]]), constraint.label)


@shrink.register
def _(constraint: NoGood, domains: Domains) -> Iterator[Constraint]:
    pairs = list(zip(constraint.variables, constraint.values, strict=True))
    least = constraint.least - sum([value not in domains[v] for v, value in pairs])
    left = [(v, value) for v, value in pairs if value in domains[v] and len(domains[v]) > 1]
    _demand(least <= len(left), constraint)
    if least > 0:
        variables, values = zip(*left, strict=True)
        yield NoGood(variables, values, constraint.label, least=least)


@shrink.register
def _(constraint: Regular, domains: Domains) -> Iterator[Constraint]:
    """Yield one Regular for each piece of the word; fixed letters are read in advance.

    The word splits wherever its automaton can be in only one state. The automaton of each piece is the whole
    automaton, unrolled: its states also count the letters read so far.
    """
    variables = constraint.variables
    if not variables:
        _demand(constraint.automaton.accepts(()), constraint)
        return
    word = Word(constraint, domains)
    for begin, end in word.pieces():
        letters = [i for i in range(begin, end) if len(domains[variables[i]]) > 1]
        if all(word.is_free(i) for i in letters):
            continue
        if len(letters) == len(variables):
            yield constraint
        else:
            taken = tuple([variables[i] for i in letters])
            yield Regular(taken, word.automaton(begin, end, letters), constraint.label)


class Word:
    """The arcs of a word's automaton, letter by letter, that lie on an accepting path."""

    def __init__(self, constraint: Regular, domains: Domains):
        # A forward pass keeps the arcs that the start reaches, a backward pass those that reach acceptance.
        arcs, reached = constraint.automaton.arcs, {constraint.automaton.start}
        self._domains = [domains[v] for v in constraint.variables]
        layers = []
        for domain in self._domains:
            layers.append([arc for arc in arcs if arc[0] in reached and arc[1] in domain])
            reached = {after for _, _, after in layers[-1]}
        self._states = [reached.intersection(constraint.automaton.accepting)]
        _demand(bool(self._states[0]), constraint)
        for i in reversed(range(len(layers))):
            layers[i] = [arc for arc in layers[i] if arc[2] in self._states[0]]
            self._states.insert(0, {state for state, _, _ in layers[i]})
        self._layers = layers

    def pieces(self) -> Iterator[tuple[int, int]]:
        """Yield the begin and end of each independent piece; pieces end where only one state is possible."""
        begin = 0
        for end in range(1, len(self._layers) + 1):
            if len(self._states[end]) == 1 or end == len(self._layers):
                yield begin, end
                begin = end

    def is_free(self, i: int) -> bool:
        """Return whether every value of the letter's domain is allowed in every state before it."""
        return len(self._layers[i]) == len(self._states[i]) * len(self._domains[i])

    def automaton(self, begin: int, end: int, letters: Sequence[int]) -> Automaton:
        """Return the automaton of the open letters of a piece; its states also count the letters read."""
        step = [{state: after for state, _, after in layer} for layer in self._layers[begin:end]]
        numbers: dict[tuple[int, int], int] = {}

        def number(i: int, state: int) -> int:
            while i < end and len(self._domains[i]) == 1:
                state, i = step[i - begin][state], i + 1
            return numbers.setdefault((i, state), len(numbers))

        start = number(begin, next(iter(self._states[begin])))
        arcs = tuple(
            [(number(i, q), letter, number(i + 1, r)) for i in letters for q, letter, r in self._layers[i]]
        )
        return Automaton(start, frozenset([number(end, state) for state in self._states[end]]), arcs)
