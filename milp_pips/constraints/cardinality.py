"""The constraint that bounds how often each value occurs (global cardinality)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import log2
from typing import TypeAlias

from milp_pips.constraints.all_different import AllDifferent
from milp_pips.constraints.facts import NoGood
from milp_pips.constraints.rows import items_by_value
from milp_pips.problem.automaton import ConstraintAutomaton, Domain
from milp_pips.problem.constraint import Assignment, Constraint, Domains, Row, RowBuilder
from milp_pips.problem.deduction import Argument, PlayersWords, RuleDeduction
from milp_pips.problem.errors import Contradiction
from milp_pips.problem.fields import check_scope, rows_of_numbers, set_field


@dataclass(frozen=True, slots=True)
class Cardinality(Constraint):
    """Global cardinality: value ``v`` occurs at least ``low`` and at most ``high`` times.

    ``bounds`` holds one triple ``(v, low, high)`` per value; a value without a triple is free.
    """

    variables: tuple[int, ...]
    bounds: tuple[tuple[int, int, int], ...]
    label: str = ""

    def __post_init__(self) -> None:
        check_scope(self)
        set_field(self, "bounds", rows_of_numbers("Cardinality", "bounds", self.bounds, 3))

    @property
    def tightest(self) -> dict[int, tuple[int, int]]:
        """The least and the greatest number of times that each bounded value may occur."""
        tightest: dict[int, tuple[int, int]] = {}
        for value, low, high in self.bounds:  # a value may have several bounds
            least, most = tightest.get(value, (low, high))
            tightest[value] = max(low, least), min(high, most)
        return tightest

    def holds(self, assignment: Assignment) -> bool:
        occurs = Counter(assignment[v] for v in self.variables)
        return all(low <= occurs[value] <= high for value, low, high in self.bounds)

    def parts(self) -> Iterator[tuple[str, Constraint]]:
        for triple in self.bounds:
            yield "", replace(self, bounds=(triple,))

    def content(self, words: PlayersWords) -> str:
        """Return how often values occur, such as ``7 once``; empty for more than two values."""
        if len(self.bounds) > 2:
            return ""
        often = []
        for value, low, high in self.bounds:
            bound = "" if low == high else "at least " if low else "at most "
            times = "never" if low == high == 0 else words.times(low or high)
            often.append(f"{words.value(value)} {bound}{times}")
        return " and ".join(often)

    def say(self, deduction: RuleDeduction, words: PlayersWords) -> Argument:
        why = f"{deduction.name} has {deduction.says}" if deduction.says else deduction.name
        return Argument(words.known(deduction.facts, why), words.conclusion(deduction))

    def propagator(self, domains: Domains) -> Callable[[], None]:
        """Propagate the bounds of each value on the same masks; a change wakes the constraint again."""
        variables, why = self.variables, self.failure
        bounds = [(domains.bit.get(value, 0), low, high) for value, low, high in self.bounds]

        def propagate() -> None:
            masks = [domains.masks[v] for v in variables]
            undecided = [mask for mask in masks if mask & (mask - 1)]
            for bit, low, high in bounds:
                does = masks.count(bit)
                may = sum([1 for mask in undecided if mask & bit])
                if does > high or does + may < low:
                    raise Contradiction(why)
                if may and (does == high or does + may == low):
                    for v in variables:
                        mask = domains.masks[v]
                        if mask & bit and mask != bit:
                            domains.keep(v, ~bit if does == high else bit, why)

        return propagate

    def thorough_propagator(self, domains: Domains) -> Callable[[], None]:
        from milp_pips.constraints.value_flow import ValueBounds, propagate_by_flow  # for large constraints

        bounds = ValueBounds({}, {})
        for value, (low, high) in self.tightest.items():
            if bit := domains.bit.get(value, 0):
                bounds.least[bit], bounds.most[bit] = low, high
            elif low > 0:
                raise Contradiction(self.failure)
        return lambda: propagate_by_flow(self.variables, bounds, domains, self.failure)

    def is_possible(self, domains: Sequence[tuple[int, ...]]) -> bool:
        can = Counter(value for domain in domains for value in domain)
        must = Counter(domain[0] for domain in domains if len(domain) == 1)
        return all(low <= can[value] and must[value] <= high for value, low, high in self.bounds)

    def linear_rows(self, builder: RowBuilder) -> Iterator[Row]:
        """``low <= Σ [v = a] <= high`` for every value a that has bounds."""
        by_value = items_by_value(builder, self.variables)
        for value, low, high in self.bounds:
            terms = [(item, 1.0) for item in by_value.get(value, {}).values()]
            yield Row("region", (self.label, value), low, high, terms)

    def decision_automaton(self, domains: Sequence[Domain]) -> CardinalityAutomaton:
        return CardinalityAutomaton(domains, self)

    def simplify(self, domains: Sequence[Domain]) -> Iterator[Constraint]:
        """Yield one Cardinality for each group of variables that are linked by common bounded values."""
        from milp_pips.algorithms.connectivity import linked_by_values  # only compilation splits constraints

        bounds: dict[int, list[tuple[int, int, int]]] = {}
        for value, low, high in self.bounds:
            can = [len(domains[v]) == 1 for v in self.variables if value in domains[v]]
            does = sum(can)
            self.demand(does <= high and len(can) >= low)
            # Otherwise the domains alone keep the bounds.
            if low > does or high < len(can):
                bounds.setdefault(value, []).append((value, low - does, high - does))
        left = [v for v in self.variables if len(domains[v]) > 1]
        shared = {v: [value for value in domains[v] if value in bounds] for v in left}
        for group in linked_by_values({v: values for v, values in shared.items() if values}):
            counted = sorted({value for v in group for value in shared[v]})
            yield Cardinality(group, tuple([b for value in counted for b in bounds[value]]), self.label)


Counts: TypeAlias = tuple[tuple[int, int], ...]
"""For each bounded value, the least and the greatest number of times that it may occur."""


class CardinalityAutomaton(ConstraintAutomaton[Counts]):
    """A state is, for each bounded value, how often the open variables still must and may take it."""

    def __init__(self, domains: Sequence[Domain], constraint: Cardinality):
        super().__init__(domains)
        self._bounded = tuple(constraint.tightest)
        self.start = tuple(constraint.tightest.values())

    def step(self, state: Counts, rest: int, place: int, value: int) -> Counts | None:  # noqa: ARG002
        counts, must, may = self.unruled(rest).counts, 0, 0
        following = []
        for bounded, (low, high) in zip(self._bounded, state, strict=True):
            few, many = counts.get(bounded, (0, 0))
            low, high = max(0, low - (bounded == value)), min(high - (bounded == value), many)
            if low > high or few > high:
                return None
            following.append((low, high))
            must, may = must + low, may + high
        may += sum(many for other, (_, many) in counts.items() if other not in self._bounded)
        return tuple(following) if must <= rest.bit_count() <= may else None

    def state_bits(self, decided: int) -> float:
        return sum(log2(min(decided, high) + 1) for _, high in self.start if high > 0)


def only_counts_values(constraints: Iterable[Constraint]) -> bool:
    """Return whether the constraints only say how often values occur, as those of a Sudoku do."""
    return all(isinstance(constraint, AllDifferent | Cardinality | NoGood) for constraint in constraints)
