"""What weighted sums share: a base class, clauses, and the automaton for decision diagrams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, chain
from math import inf, log2

from milp_pips.problem.automaton import ConstraintAutomaton, Domain, places
from milp_pips.problem.constraint import ClauseBuilder, Constraint, Row, RowBuilder


class WeightedSum(Constraint):
    """A constraint that bounds a sum to which each value of each variable adds a weight."""

    __slots__ = ()

    @property
    def bounds(self) -> tuple[int | None, int | None]:
        """The least and the greatest sum allowed; None for no bound."""
        raise NotImplementedError

    @property
    def limits(self) -> tuple[float, float]:
        """The bounds as numbers, which may be infinite."""
        low, high = self.bounds
        return -inf if low is None else low, inf if high is None else high

    def weights_of(self, domains: Sequence[Domain]) -> list[dict[int, int]]:
        """Return for each variable, given its domain, what each of its values adds to the sum."""
        raise NotImplementedError

    def is_possible(self, domains: Sequence[tuple[int, ...]]) -> bool:
        low, high = self.limits
        added = [weights.values() for weights in self.weights_of(domains)]
        return sum(map(max, added)) >= low and sum(map(min, added)) <= high

    def linear_rows(self, builder: RowBuilder) -> Iterator[Row]:
        """``Σ weight [v = a]`` within the bounds."""
        weights = self._weights_in(builder)
        terms = [
            (item, float(weights[v][a])) for item, v, a in builder.pairs_of(self.variables) if weights[v][a]
        ]
        yield Row("region", (self.label,), *self.limits, terms)

    def clauses(self, builder: ClauseBuilder) -> bool:
        weights = list(self._weights_in(builder).values())
        bound_sum(builder, builder.choices(self.variables), weights, *self.limits)
        return True

    def decision_automaton(self, domains: Sequence[Domain]) -> WeightedSumAutomaton:
        return WeightedSumAutomaton(domains, self.weights_of(domains), *self.limits)

    def _weights_in(self, builder: RowBuilder | ClauseBuilder) -> dict[int, dict[int, int]]:
        weights = self.weights_of([builder.domain(v) for v in self.variables])
        return dict(zip(self.variables, weights, strict=True))


def within(low: float, high: float, least: int, most: int) -> tuple[int, int]:
    """Return the bounds on a sum that lies between ``least`` and ``most``; both bounds may be infinite."""
    return int(max(low, least)), int(min(high, most))


# ----------------------------------------------------------------------------------------------- clauses


def bound_sum(
    builder: ClauseBuilder,
    choices: Sequence[Mapping[int, int]],
    weights: Sequence[Mapping[int, int]],
    low: float,
    high: float,
) -> None:
    """Add clauses that bound the sum of the weights of the chosen values; the bounds may be infinite.

    ``choices`` has for each place the literal of each value, ``weights`` what the value adds. If every place
    adds either its least weight or the same amount more, a counter of these places is smaller than the paths
    of a sum.
    """
    least = [min(added.values(), default=0) for added in weights]
    base, most = sum(least), sum(max(added.values(), default=0) for added in weights)
    if low <= base and high >= most:
        return
    more = {a - lowest for added, lowest in zip(weights, least, strict=True) for a in added.values()} - {0}
    if len(more) > 1:
        builder.follow(SumPaths(weights, low, high), choices)
        return
    step = max(more, default=1)
    adding, idle = list[list[int]](), list[list[int]]()
    for choice, added, lowest in zip(choices, weights, least, strict=True):
        if max(added.values(), default=0) > lowest:
            adding.append([literal for value, literal in choice.items() if added[value] > lowest])
            idle.append([literal for value, literal in choice.items() if added[value] == lowest])
    lowest_sum, greatest_sum = within(low, high, base, most)
    _count(builder, adding, idle, -((base - lowest_sum) // step), (greatest_sum - base) // step)


def _count(
    builder: ClauseBuilder, groups: list[list[int]], others: list[list[int]], low: int, high: int
) -> None:
    """Add clauses that require a literal of at least ``low`` and of at most ``high`` of the groups.

    Exactly one literal of a group and its counterpart in ``others`` holds.
    """
    if low > high:
        builder.add()
        return
    if len(groups) - low < high:  # a smaller counter suffices for the groups without a literal that holds
        groups, others, low, high = others, groups, len(groups) - high, len(groups) - low
    if high == 0:
        for literal in chain(*groups):
            builder.add(-literal)
    elif high < len(groups):
        one = [
            -other[0] if len(other) == 1 else builder.any_of(group)
            for group, other in zip(groups, others, strict=True)
        ]
        if low == 0 and high == len(groups) - 1:
            builder.add(*(-literal for literal in one))
        elif high > 1:
            builder.between(one, low, high)
        elif low == 1:
            builder.one_of(one)
        else:
            builder.at_most_one_of(one)


class SumPaths:
    """Paths of a sum: a state is the interval for the sum of the open variables, cut to reachable sums.

    ``weights`` has for each variable what each of its values adds to the sum. The decision diagrams have an
    automaton of their own for the same constraint, written independently, so that each confirms the other.
    """

    def __init__(self, weights: Sequence[Mapping[int, int]], low: float, high: float):
        self._weights = weights
        self._least = _sums_from([min(added.values(), default=0) for added in weights])
        self._most = _sums_from([max(added.values(), default=0) for added in weights])
        self.start = within(low, high, self._least[0], self._most[0])

    def step(self, place: int, state: tuple[int, int], value: int) -> tuple[int, int] | None:
        added = self._weights[place][value]
        low, high = state[0] - added, state[1] - added
        least, most = self._least[place + 1], self._most[place + 1]
        low, high = low if low > least else least, high if high < most else most
        return (low, high) if low <= high else None


def _sums_from(values: Sequence[int]) -> list[int]:
    """Return for each place the sum of the values from this place on, and a final 0."""
    return list(accumulate(reversed(values), initial=0))[::-1]


# --------------------------------------------------------------------------------------------- automaton


class WeightedSumAutomaton(ConstraintAutomaton[tuple[int, int]]):
    """A state is the bounds on the sum of the open variables' weights, never looser than the domains' own.

    ``weights`` has the weight of each value, by place; a value without one weighs 0. Bounds may be infinite.
    """

    symmetric = False

    def __init__(
        self, domains: Sequence[Domain], weights: Sequence[Mapping[int, int]], low: float, high: float
    ):
        super().__init__(domains)
        self._weights = [
            {value: weight.get(value, 0) for value in domain}
            for domain, weight in zip(domains, weights, strict=True)
        ]
        self._ends = [(min(weight.values()), max(weight.values())) for weight in self._weights]
        self._ranges: dict[int, tuple[int, int]] = {}
        self.range = self._range((1 << len(domains)) - 1)
        self.start = within(low, high, *self.range)

    def step(self, state: tuple[int, int], rest: int, place: int, value: int) -> tuple[int, int] | None:
        added = self._weights[place][value]
        least, most = self._range(rest)
        low, high = max(state[0] - added, least), min(state[1] - added, most)
        return (low, high) if low <= high else None

    def state_bits(self, decided: int) -> float:
        least, most = self.window(decided)
        return min(self.choice_bits(decided), log2(max(1.0, most - least + 1)))

    def window(self, decided: int) -> tuple[float, float]:
        """Return the range of sums of ``decided`` variables with which the bounds can still be met."""
        share, (least, most), (low, high) = decided / len(self.domains), self.range, self.start
        return max(least * share, low - most * (1 - share)), min(most * share, high - least * (1 - share))

    def _range(self, rest: int) -> tuple[int, int]:
        """Return the least and the greatest sum of the open variables' weights."""
        found = self._ranges.get(rest)
        if found is None:
            ends = [self._ends[place] for place in places(rest)]
            found = self._ranges[rest] = sum(least for least, _ in ends), sum(most for _, most in ends)
        return found
