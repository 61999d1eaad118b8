"""The constraint that one variable is less than another; a complete and short example of a constraint."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf, log2
from typing import ClassVar

from milp_pips.constraints.linear_sum import LinearSum, Relation
from milp_pips.problem.automaton import ConstraintAutomaton, Domain
from milp_pips.problem.constraint import Assignment, ClauseBuilder, Constraint, Domains, Row, RowBuilder
from milp_pips.problem.deduction import Argument, PlayersWords, RuleDeduction
from milp_pips.problem.fields import check_scope, shown


@dataclass(frozen=True, slots=True)
class Less(Constraint):
    """The first of two variables is less than the second; without ``strict``, they may also be equal."""

    variables: tuple[int, int]
    strict: bool = True
    label: str = ""
    orders_values: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_scope(self)
        if len(self.variables) != 2:
            raise ValueError(f"Less compares two variables, not {len(self.variables)}")
        if not isinstance(self.strict, bool):
            raise TypeError(
                f"strict of Less must be True or False, not {shown(self.strict)}; labels are label=…"
            )

    @property
    def gap(self) -> int:
        """The least difference of the second and the first variable."""
        return int(self.strict)

    def say(self, deduction: RuleDeduction, words: PlayersWords) -> Argument:
        less, greater = self.variables
        why = f"{words.cell(less)} is {'less than' if self.strict else 'at most'} {words.cell(greater)}"
        return Argument(words.known(deduction.facts, why), words.conclusion(deduction))

    def holds(self, assignment: Assignment) -> bool:
        less, greater = self.variables
        return assignment[less] + self.gap <= assignment[greater]

    def propagator(self, domains: Domains) -> Callable[[], None]:
        (less, greater), gap, why = self.variables, self.gap, self.failure

        def propagate() -> None:
            domains.keep_between(less, -inf, domains.most(greater) - gap, why)
            domains.keep_between(greater, domains.least(less) + gap, inf, why)

        return propagate

    def is_possible(self, domains: Sequence[tuple[int, ...]]) -> bool:
        less, greater = domains
        return less[0] + self.gap <= greater[-1]

    def linear_rows(self, builder: RowBuilder) -> Iterator[Row]:
        """Yield one row for every value a of u: if u is at least a, then v is greater than a.

        As sums of pairs (variable = value): ``Σ_{b >= a} [u = b] <= Σ_{b > a} [v = b]``. Without ``strict``
        the second sum also has ``b = a``.
        """
        u, v = self.variables
        less, greater = builder.pairs_of([u]), builder.pairs_of([v])
        for value in builder.domain(u):
            at_least = [(pair, 1.0) for pair, _, b in less if b >= value]
            greater_than = [(pair, -1.0) for pair, _, b in greater if b >= value + self.gap]
            label = (self.label, builder.name(u), builder.name(v), value)
            yield Row("region", label, -inf, 0.0, at_least + greater_than)

    def clauses(self, builder: ClauseBuilder) -> bool:
        """Add that each value of one variable needs a fitting value of the other."""
        less, greater = self.variables
        lower, upper = builder.domain(less), builder.domain(greater)
        for a in lower:
            fitting = [builder.literal(greater, b) for b in upper if a + self.gap <= b]
            builder.add(-builder.literal(less, a), *fitting)
        for b in upper:
            fitting = [builder.literal(less, a) for a in lower if a + self.gap <= b]
            builder.add(-builder.literal(greater, b), *fitting)
        return True

    def decision_automaton(self, domains: Sequence[Domain]) -> OrderAutomaton:
        return OrderAutomaton(domains, self.gap)

    def simplify(self, domains: Sequence[Domain]) -> Iterator[Constraint]:
        """Yield nothing if the constraint always holds, a bound if one variable is fixed, else itself."""
        (less, greater), gap, label = self.variables, self.gap, self.label
        low, high = domains[less], domains[greater]
        self.demand(low[0] + gap <= high[-1])
        if low[-1] + gap <= high[0]:
            return
        if len(high) == 1:
            yield LinearSum((less,), Relation.LE, high[0] - gap, label)
        elif len(low) == 1:
            yield LinearSum((greater,), Relation.GE, low[0] + gap, label)
        else:
            yield self


class OrderAutomaton(ConstraintAutomaton[Domain]):
    """A state is the remaining values of the open variable once the other variable has its value."""

    start: Domain = ()
    symmetric = False

    def __init__(self, domains: Sequence[Domain], gap: int):
        super().__init__(domains)
        less, greater = domains
        self._left: list[dict[int, Domain]] = [
            {a: tuple([b for b in greater if a + gap <= b]) for a in less},
            {b: tuple([a for a in less if a + gap <= b]) for b in greater},
        ]
        self._ways = sum(len(left) for left in self._left[0].values())

    def step(self, state: Domain, rest: int, place: int, value: int) -> Domain | None:
        if rest:
            return self._left[place][value] or None
        return () if value in state else None

    def state_bits(self, decided: int) -> float:
        return log2(max(1, *(len(set(left.values())) for left in self._left))) if decided == 1 else 0.0

    def lost_bits(self, decided: int) -> float:
        return self.choice_bits(decided) - log2(max(1, self._ways)) if decided == 2 else 0.0
